/**
 * The transforms that are shown come in; the line above the columns goes out: a switch for each, whether they scroll
 * together, find.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { TransformKind } from '../../model/transforms';
import { TRANSFORM_KINDS } from '../../protocol/transform';
import { element } from '../program/describe';
import { drawIcon } from '../program/icons';

/** What the toolbar does. */
export interface ITransformToolbarActions {
  toggle(kind: TransformKind): void;
  together(): void;
  find(): void;
}

/** One stop of the Tab key, arrows inside. */
export class TransformToolbar {
  constructor(trans: TranslationBundle, actions: ITransformToolbarActions) {
    this.node = element('div', 'jp-JaxprProgram-toolbar');
    this.node.setAttribute('role', 'toolbar');
    this.node.setAttribute('aria-label', trans.__('Transforms'));
    const group = element('div', 'jp-JaxprProgram-levels');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', trans.__('Shown transforms'));
    for (const kind of TRANSFORM_KINDS) {
      const button = element('button', '', kind);
      button.title = transformTitle(kind, trans);
      button.addEventListener('click', () => actions.toggle(kind));
      this._kinds.set(kind, button);
      group.append(button);
    }
    this._together = element(
      'button',
      'jp-JaxprWide-together',
      trans.__('Scroll together')
    );
    this._together.title = trans.__(
      'Bring what is pointed at in one column into view in the others'
    );
    this._together.addEventListener('click', actions.together);
    const find = element('button', 'jp-JaxprProgram-action');
    find.title = trans.__('Find in program');
    find.setAttribute('aria-label', find.title);
    find.append(drawIcon('search'));
    find.addEventListener('click', actions.find);
    this.node.append(
      group,
      element('span', 'jp-JaxprProgram-space'),
      this._together,
      find
    );
    this.node.addEventListener('keydown', event => this._key(event));
    this.node.addEventListener('focusin', event =>
      this._stop(event.target as HTMLElement)
    );
    this._stop(group.firstElementChild as HTMLElement);
  }

  readonly node: HTMLElement;

  show(shown: ReadonlySet<TransformKind>, together: boolean): void {
    for (const [kind, button] of this._kinds) {
      button.setAttribute('aria-pressed', String(shown.has(kind)));
    }
    this._together.setAttribute('aria-pressed', String(together));
  }

  /** Put the keyboard on the first switch. */
  focus(): void {
    this.node.querySelector('button')?.focus();
  }

  private _key(event: KeyboardEvent): void {
    const stops = [...this.node.querySelectorAll('button')];
    const at = stops.indexOf(document.activeElement as HTMLButtonElement);
    const last = stops.length - 1;
    const next: Record<string, number> = {
      ArrowLeft: at === 0 ? last : at - 1,
      ArrowRight: at === last ? 0 : at + 1,
      Home: 0,
      End: last
    };
    if (at >= 0 && next[event.key] !== undefined) {
      event.preventDefault();
      stops[next[event.key]].focus();
    }
  }

  private _stop(current: HTMLElement): void {
    for (const button of this.node.querySelectorAll('button')) {
      button.tabIndex = button === current ? 0 : -1;
    }
  }

  private _kinds = new Map<TransformKind, HTMLButtonElement>();
  private _together: HTMLButtonElement;
}

/** What a transform gives, in a sentence. */
export function transformTitle(
  kind: TransformKind,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'grad':
      return trans.__(
        'The gradient: a forward part, then a backward part. JAX traces it, nothing runs'
      );
    case 'vmap':
      return trans.__(
        'The function of a whole batch, along a new first axis. JAX traces it, nothing runs'
      );
    case 'jvp':
      return trans.__(
        'The value and its change in a direction. JAX traces it, nothing runs'
      );
    case 'linearize':
      return trans.__(
        'The value, and its change as a linear program of the direction. JAX traces it, nothing runs'
      );
  }
}
