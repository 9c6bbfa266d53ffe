/** The panel above a program with hidden lines: the number of lines of each kind, and a button that shows the lines. */
import type { EditorState } from '@codemirror/state';
import type { EditorView, Panel, ViewUpdate } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../parts/dom';
import { hiddenLines, isHidden } from '../listing/hidden-lines';
import type { IListing } from '../listing/listing';
import { marks } from '../listing/listing-marks';
import { printedKey } from '../../view-keys';
import { countHidden, hiddenSentence } from './noise-rules';
import type { ReadingTools } from './reading-tools';

export class NoisePanel implements Panel {
  constructor(
    view: EditorView,
    private _listing: IListing,
    private _tools: ReadingTools,
    private _trans: TranslationBundle,
    /** Shows these noise lines as exceptions, although the other noise lines are hidden. */
    private _show: (lines: readonly number[]) => void
  ) {
    this.dom = element('div', 'jp-JaxprProgram-noise');
    this._words = element('span', 'jp-JaxprProgram-noiseWords');
    this._words.setAttribute('role', 'status');
    this._linked = element(
      'button',
      'jp-JaxprProgram-link',
      this._trans.__('Show the hidden lines that are marked')
    );
    this._linked.addEventListener('click', () => this._show(this._pointed));
    const show = element(
      'button',
      'jp-JaxprProgram-link',
      this._trans.__('Show')
    );
    show.setAttribute('aria-label', this._trans.__('Show all hidden lines'));
    show.title = this._trans.__(
      'Show all hidden lines (key: %1)',
      printedKey('text', 'showHidden')
    );
    show.addEventListener('click', () => _tools.setHidden([]));
    this.dom.append(this._words, ' ', show, ' ', this._linked);
    this._showCount(view.state);
    this._showPointed(view.state);
  }

  readonly dom: HTMLElement;
  readonly top = true;

  update({ startState, state }: ViewUpdate): void {
    const changed = state.field(hiddenLines) !== startState.field(hiddenLines);
    if (changed) {
      this._showCount(state);
    }
    if (changed || state.field(marks).lines !== startState.field(marks).lines) {
      this._showPointed(state);
    }
  }

  private _showCount(state: EditorState): void {
    const { bits, shown } = state.field(hiddenLines);
    const count = countHidden(bits, this._tools.hidden, shown);
    this._words.textContent = hiddenSentence(
      count,
      this._tools.hidden,
      this._trans
    );
    const { arrivedCount, total } = this._listing.arrived();
    if (arrivedCount < total) {
      this._words.append(
        ' ',
        this._trans.__(
          'Not all lines of the program have arrived in the panel yet.'
        )
      );
    }
  }

  private _showPointed(state: EditorState): void {
    const hidden = state.field(hiddenLines);
    const { lines } = state.field(marks);
    this._pointed =
      hidden.mask === 0 ? [] : lines.filter(line => isHidden(hidden, line));
    this._linked.hidden = this._pointed.length === 0;
  }

  private _words: HTMLElement;
  private _linked: HTMLButtonElement;
  private _pointed: readonly number[] = [];
}
