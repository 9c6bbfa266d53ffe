/**
 * Lists the twin (the tagged copy) of a program; for each line, its tags say exactly which equations it comes from.
 *
 * The model's links know the texts of the program itself, so this listing translates a selection in its text to
 * equations.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { TwinLinks } from '../../model/exact-links';
import type { ILinked, TextLevel } from '../../model/links';
import type { TextPage } from '../../protocol/snapshot';
import type { Selection } from '../../tokens';
import { element } from '../../parts/dom';
import type { ISplice } from '../listing/listing';
import { TextListing } from './text-listing';

export class TwinListing extends TextListing {
  constructor(
    private _exact: TwinLinks,
    level: TextLevel,
    trans: TranslationBundle
  ) {
    super(_exact, level, trans);
    const { name } = _exact.equations.program;
    this.label =
      level === 'hlo'
        ? trans.__('HLO of the tagged copy of %1', name)
        : trans.__('StableHLO of the tagged copy of %1', name);
  }

  override readonly label: string;

  /** Appends the next page of the text of the twin (the tagged copy) that has arrived from the kernel. */
  addPage(page: TextPage): ISplice | null {
    if (page.first_line !== this.arrivedLines) {
      return null; // the page was requested twice
    }
    this._exact.addEquations(this.level, page.line_equations ?? []);
    const { text, first_line, line_stacks, lines } = page;
    return this.add(text, first_line, line_stacks, page, lines, page);
  }

  override selection(first: number, last = first): Selection | null {
    const own = this._exact.equationsOf(this.level, first, first);
    // A line that stands for hidden lines, such as the line of a folded computation, has the equations of all of them.
    const equations =
      own.length > 0 ? own : this._exact.equationsOf(this.level, first, last);
    return equations.length > 0
      ? { kind: 'equations', equations: [...equations] }
      : null;
  }

  override linkedLines(linked: ILinked): readonly number[] {
    if (linked !== this._marked?.linked) {
      const lines = this._exact.linesOfEquations(this.level, linked.equations);
      this._marked = { linked, lines };
    }
    return this._marked.lines;
  }

  /** Adds to the description of a line a sentence with the number of equations that the line comes from. */
  override describeLine(index: number): HTMLElement | null {
    const count = this._exact.equationsOf(this.level, index, index).length;
    const node =
      super.describeLine(index) ??
      element('div', 'jp-JaxprProgram-description');
    const trans = this._trans;
    node.append(
      element(
        'div',
        'jp-JaxprProgram-fact',
        count === 0
          ? trans.__('Exact link: this line comes from no equation.')
          : trans._n(
              'Exact link: this line comes from 1 equation.',
              'Exact link: this line comes from %1 equations.',
              count
            )
      )
    );
    return node;
  }

  private _marked: { linked: ILinked; lines: readonly number[] } | null = null;
}
