/** Folds rows of a program: a scope, a call of a library, or a group of equations of one name. */
import { TranslationBundle } from '@jupyterlab/translation';
import { RowPrinter } from '../../program-text/row-printer';
import type { IFold } from '../../program-text/row';
import { element } from '../../parts/dom';
import type { IListedFold } from '../listing/listing';

/** A folded call shows at most this many operands, and the number of the others. */
const MOST_OPERANDS = 4;

export class ListedFold implements IListedFold {
  constructor(
    private _fold: IFold,
    private _printer: RowPrinter,
    private _trans: TranslationBundle
  ) {}

  get first(): number {
    return this._fold.first.index;
  }

  get last(): number {
    return this._fold.last.index;
  }

  get whole(): boolean {
    return this._fold.kind !== 'scope';
  }

  get closed(): boolean {
    return this._fold.closed;
  }

  /** True if this listed fold was made for this fold of the program: both start and end at the same rows. */
  isOf({ first, last }: IFold): boolean {
    return this._fold.first === first && this._fold.last === last;
  }

  get label(): string {
    const { kind, name } = this._fold;
    return kind !== 'scope' ? `${name}, ${this._numbers()}` : this._numbers();
  }

  placeholder(): HTMLElement {
    const { kind, name } = this._fold;
    const node = element('span', `jp-JaxprProgram-folded jp-mod-${kind}`);
    const chip = element(
      'span',
      'jp-JaxprProgram-chip jp-mod-chip',
      kind !== 'scope' ? `${name} · ${this._range()}` : this._numbers()
    );
    chip.setAttribute('role', 'button');
    chip.setAttribute('aria-label', this._trans.__('Unfold %1', this.label));
    chip.title = this._trans.__('Unfold');
    node.append(chip);
    if (kind !== 'scope') {
      this._appendTypes(node);
    }
    return node;
  }

  /** Appends the operands of a folded call, and its results with their types: ` s → bb:f32[4]`. */
  private _appendTypes(node: HTMLElement): void {
    const { inputs, outputs } = this._printer.call(this._fold);
    const cut = (count: number): string => (count > MOST_OPERANDS ? ' …' : '');
    if (inputs.length > 0) {
      node.append(
        ` ${inputs.slice(0, MOST_OPERANDS).join(' ')}${cut(inputs.length)}`
      );
    }
    node.append(' ', element('span', 'jp-JaxprProgram-keyword', '→'));
    if (outputs.length === 0) {
      node.append(' _');
    }
    for (const { name, type } of outputs.slice(0, MOST_OPERANDS)) {
      node.append(` ${name}:`, element('span', 'jp-JaxprProgram-type', type));
    }
    node.append(cut(outputs.length));
  }

  private _range(): string {
    const { from, to } = this._fold;
    return from === to ? `${from}` : this._trans.__('%1 to %2', from, to);
  }

  private _numbers(): string {
    const { from, to, first, last } = this._fold;
    const count = to - from + 1;
    return to >= from
      ? this._trans._n('%1 equation', '%1 equations', count)
      : this._trans._n('%1 line', '%1 lines', last.index - first.index);
  }
}

export class ListedGroup extends ListedFold {
  inner: IListedFold | null = null;
}
