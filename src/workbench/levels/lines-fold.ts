/** Folds lines of a text, such as the body of a computation. */
import { TranslationBundle } from '@jupyterlab/translation';
import { element } from '../../parts/dom';
import type { IListedFold } from '../listing/listing';

/** A fold of the lines from first to last, hidden behind the end of the first line. */
export class LinesFold implements IListedFold {
  constructor(
    readonly first: number,
    readonly last: number,
    /** The number of lines between the first line and the closing brace. */
    private _count: number,
    readonly closed: boolean,
    private _trans: TranslationBundle
  ) {}

  readonly whole = false;

  /** Returns the same fold with other first and last lines. */
  at(first: number, last: number): LinesFold {
    return new LinesFold(first, last, this._count, this.closed, this._trans);
  }

  get label(): string {
    return this._trans._n('%1 line', '%1 lines', this._count);
  }

  placeholder(): HTMLElement {
    const chip = element(
      'span',
      'jp-JaxprProgram-chip jp-mod-chip',
      this.label
    );
    chip.setAttribute('role', 'button');
    chip.setAttribute('aria-label', this._trans.__('Unfold %1', this.label));
    chip.title = this._trans.__('Unfold');
    return chip;
  }
}
