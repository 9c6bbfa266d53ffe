/** The toolbar above the columns, with a switch for each transform, and buttons for common scrolling and the search. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { TransformKind } from '../model/transforms';
import { TRANSFORM_KINDS } from '../protocol/facts';
import { element } from '../parts/dom';
import {
  iconButton,
  space,
  switches,
  togetherButton,
  toolRow
} from '../workbench/reading/tool-row';

/** The functions that the buttons of the toolbar call. */
export interface ITransformToolbarActions {
  toggle(kind: TransformKind): void;
  together(): void;
  find(): void;
}

/** The toolbar: the Tab key stops at it once, and arrow keys move inside. */
export class TransformToolbar {
  constructor(trans: TranslationBundle, actions: ITransformToolbarActions) {
    for (const kind of TRANSFORM_KINDS) {
      const button = element('button', '', kind);
      button.title = transformTitle(kind, trans);
      button.addEventListener('click', () => actions.toggle(kind));
      this._kinds.set(kind, button);
    }
    this._together = togetherButton(trans, actions.together);
    this.node = toolRow(
      trans.__('Transforms'),
      switches(trans.__('Shown transforms'), [...this._kinds.values()]),
      space(),
      this._together,
      iconButton('search', trans.__('Find in program'), actions.find)
    );
  }

  readonly node: HTMLElement;

  show(shown: ReadonlySet<TransformKind>, together: boolean): void {
    for (const [kind, button] of this._kinds) {
      button.setAttribute('aria-pressed', String(shown.has(kind)));
    }
    this._together.setAttribute('aria-pressed', String(together));
  }

  /** Moves the keyboard focus to the first switch. */
  focus(): void {
    this.node.querySelector('button')?.focus();
  }

  private _kinds = new Map<TransformKind, HTMLButtonElement>();
  private _together: HTMLButtonElement;
}

/** A sentence on the result of a transform. */
export function transformTitle(
  kind: TransformKind,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'grad':
      return trans.__(
        'The gradient: a forward part, then a backward part. JAX traces the gradient; nothing runs.'
      );
    case 'vmap':
      return trans.__(
        'The function of a whole batch, along a new first axis. JAX traces the function; nothing runs.'
      );
    case 'jvp':
      return trans.__(
        'The value and the derivative in one direction. JAX traces the value and the derivative; nothing runs.'
      );
    case 'linearize':
      return trans.__(
        'The value, and the derivative as a linear program of the tangents. JAX traces the value and the derivative; nothing runs.'
      );
  }
}
