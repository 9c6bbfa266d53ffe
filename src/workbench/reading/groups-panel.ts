/**
 * The panel above a grouped program: the number of closed groups and hidden lines, and buttons that open all groups or
 * end grouping.
 */
import type { EditorState } from '@codemirror/state';
import type { EditorView, Panel, ViewUpdate } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../parts/dom';
import { closedBetween, foldsChanged } from '../listing/folding';
import type { IListedFold } from '../listing/listing';
import { printedKey } from '../../view-keys';
import type { ReadingTools } from './reading-tools';

export class GroupsPanel implements Panel {
  constructor(
    view: EditorView,
    private _groups: () => readonly IListedFold[],
    tools: ReadingTools,
    private _trans: TranslationBundle,
    setFolds: (folds: readonly IListedFold[], closed: boolean) => void
  ) {
    this.dom = element('div', 'jp-JaxprProgram-noise');
    this._words = element('span', 'jp-JaxprProgram-noiseWords');
    this._words.setAttribute('role', 'status');
    this._turn = element('button', 'jp-JaxprProgram-link');
    this._turn.addEventListener('click', () =>
      setFolds(this._groups(), !this._hasClosed)
    );
    const leave = element(
      'button',
      'jp-JaxprProgram-link',
      this._trans.__('Ungroup')
    );
    leave.title = this._trans.__(
      'Show the equations without groups (key: %1)',
      printedKey('text', 'group')
    );
    leave.addEventListener('click', () => (tools.grouped = false));
    this.dom.append(this._words, ' ', this._turn, ' ', leave);
    this._show(view.state);
  }

  readonly dom: HTMLElement;
  readonly top = true;

  update({ startState, state }: ViewUpdate): void {
    if (state.doc !== startState.doc || foldsChanged(startState, state)) {
      this._show(state);
    }
  }

  private _show(state: EditorState): void {
    const { _trans: trans } = this;
    const groups = new Set(this._groups());
    let count = 0;
    let lines = 0;
    let seen = -1;
    for (const { fold } of closedBetween(state, 0, state.doc.length)) {
      // A closed group and the groups inside of the group count as one.
      if (groups.has(fold) && fold.first > seen) {
        count++;
        lines += fold.last - fold.first + 1;
        seen = fold.last;
      }
    }
    this._hasClosed = count > 0;
    this._turn.hidden = groups.size === 0;
    this._turn.textContent = this._hasClosed
      ? trans.__('Unfold groups')
      : trans.__('Fold groups');
    this._words.textContent =
      groups.size === 0
        ? trans.__(
            'Nothing to group: no adjacent equations share a named scope. Use jax.named_scope to name a group of equations.'
          )
        : count === 0
          ? trans._n(
              '%1 group of equations, unfolded.',
              '%1 groups of equations, all unfolded.',
              groups.size
            )
          : trans._n(
              '%1 group of equations is folded. Hidden lines: %2.',
              '%1 groups of equations are folded. Hidden lines: %2.',
              count,
              lines
            );
  }

  private _words: HTMLElement;
  private _turn: HTMLButtonElement;
  private _hasClosed = false;
}
