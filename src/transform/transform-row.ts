/**
 * A row above the program: the function and its derived programs, one at a time, and a button that opens them side
 * by side.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import {
  TransformKind,
  Transforms,
  derivedBy,
  originalOf,
  transformsFor,
  transformsOf
} from '../model/transforms';
import { TRANSFORM_KINDS } from '../protocol/facts';
import type { IJaxprModel } from '../tokens';
import { element } from '../parts/dom';
import { drawIcon } from '../parts/dom-icons';
import { shortened } from '../parts/summary';
import { partTitle } from '../workbench/words/role-names';
import { transformTitle } from './transform-toolbar';

export class TransformRow {
  /**
   * @param _columns Opens the columns; left out where the application has no place for them.
   */
  constructor(
    private _trans: TranslationBundle,
    private _columns?: () => void
  ) {
    this.node = element('div', 'jp-JaxprTransform-row');
    this._choices = element('div', 'jp-JaxprTransform-choices');
    this._choices.setAttribute('role', 'group');
    this._choices.setAttribute('aria-label', this._trans.__('Transforms'));
    this._said = element('div', 'jp-JaxprTransform-said');
    this._said.setAttribute('role', 'status');
    this.node.append(this._choices, this._said);
    this.node.hidden = true;
  }

  readonly node: HTMLElement;

  set model(model: IJaxprModel | null) {
    this._transforms?.changed.disconnect(this.refresh, this);
    this._model = model;
    this._transforms = model && transformsFor(model);
    this._transforms?.changed.connect(this.refresh, this);
    this.refresh();
  }

  /** True if the program in view was derived, or other programs were derived from it; otherwise the row is hidden. */
  get isWorth(): boolean {
    const { snapshot, program } = this._place;
    return (
      snapshot !== null &&
      program >= 0 &&
      (derivedBy(snapshot, program) !== null ||
        transformsOf(snapshot, program).length > 0)
    );
  }

  /** Draw the buttons anew: the original of the program in view, and its transforms. */
  refresh(): void {
    const { snapshot, program } = this._place;
    const focused = this._choices.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.key
      : undefined;
    const buttons: HTMLButtonElement[] = [];
    const reasons: string[] = [];
    if (snapshot !== null && program >= 0) {
      const original = originalOf(snapshot, program);
      const { name } = snapshot.programs[original];
      buttons.push(
        this._button(
          'original',
          shortened(name, 40),
          '',
          program === original,
          {
            click: () => this._model?.setProgram(original)
          }
        )
      );
      for (const kind of TRANSFORM_KINDS) {
        buttons.push(...this._ofKind(kind, original, reasons));
      }
      if (this._columns) {
        const title = this._trans.__('Transforms side by side');
        const button = this._button('columns', '', title, null, {
          click: this._columns
        });
        button.className = 'jp-JaxprProgram-action';
        button.setAttribute('aria-label', title);
        button.append(drawIcon('wide'));
        buttons.push(button);
      }
    }
    this._choices.replaceChildren(...buttons);
    this._said.textContent = reasons.join(' ');
    if (focused !== undefined) {
      buttons.find(button => button.dataset.key === focused)?.focus();
    }
  }

  private _ofKind(
    kind: TransformKind,
    original: number,
    reasons: string[]
  ): HTMLButtonElement[] {
    const { snapshot, program } = this._place;
    const { _trans: trans } = this;
    if (snapshot === null) {
      return [];
    }
    const made = transformsOf(snapshot, original).find(
      transform => transform.kind === kind
    );
    const state = this._transforms?.deriving(snapshot, original, kind);
    if (made && made.error === null) {
      return made.parts.map(part =>
        this._button(
          `${kind} ${part.part}`,
          partTitle(made, part, trans),
          made.words,
          program === part.program,
          { click: () => this._model?.setProgram(part.program) }
        )
      );
    }
    if (made?.error && this._asked === kind) {
      reasons.push(made.error);
    }
    if (state?.kind === 'failed') {
      reasons.push(state.reason);
    }
    if (state?.kind === 'working') {
      reasons.push(trans.__('JAX traces %1 …', kind));
    }
    const title = made?.error ?? transformTitle(kind, trans);
    const cannot = !made && this._model?.requests === null;
    return [
      this._button(`${kind} whole`, kind, title, false, {
        disabled: cannot,
        click: () => void this._derive(kind, original)
      })
    ];
  }

  private async _derive(kind: TransformKind, original: number): Promise<void> {
    const { snapshot } = this._place;
    this._asked = kind;
    if (snapshot !== null) {
      const made = await this._transforms?.derive(snapshot, original, kind);
      const [part] = made?.parts ?? [];
      if (part && this._place.snapshot?.id === snapshot.id) {
        this._model?.setProgram(part.program);
      }
    }
    this.refresh();
  }

  private _button(
    key: string,
    text: string,
    title: string,
    pressed: boolean | null,
    does: { click: () => void; disabled?: boolean }
  ): HTMLButtonElement {
    const button = element('button', 'jp-JaxprProgram-filter', text);
    button.dataset.key = key;
    button.title = title;
    if (pressed !== null) {
      button.setAttribute('aria-pressed', String(pressed));
    }
    if (does.disabled) {
      button.setAttribute('aria-disabled', 'true');
    } else {
      button.addEventListener('click', does.click);
    }
    return button;
  }

  private get _place(): {
    snapshot: IJaxprModel['snapshot'];
    program: number;
  } {
    const { _model: model } = this;
    return { snapshot: model?.snapshot ?? null, program: model?.program ?? -1 };
  }

  private _model: IJaxprModel | null = null;
  private _transforms: Transforms | null = null;
  private _choices: HTMLElement;
  private _said: HTMLElement;
  /** The transform that the user requested last; the row says why JAX refused it. */
  private _asked: TransformKind | null = null;
}
