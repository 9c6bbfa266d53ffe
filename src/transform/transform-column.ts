/** A column of the Transforms view: a head with counts, a line of messages, and a jaxpr. */
import { TranslationBundle } from '@jupyterlab/translation';

import { linksOf } from '../model/links';
import { marksOf } from '../model/transforms';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { element } from '../parts/dom';
import { LevelPane } from '../workbench/levels/level-pane';
import type { ReadingTools } from '../workbench/reading/reading-tools';
import { levelCountWords } from '../workbench/words/view-words';
import { shortened } from '../parts/summary';
import { countsWords } from '../workbench/words/role-names';

/**
 * The functions that a column calls when the user leaves it by a key: to the cell, or to the next or previous column.
 */
export interface IColumnHost {
  entered(column: TransformColumn): void;
  left(column: TransformColumn, by: 1 | -1): void;
}

export interface IColumnOptions {
  trans: TranslationBundle;
  model: IJaxprModel;
  snapshot: Snapshot;
  /** The index into the snapshot's programs; -1 for a column with only a message. */
  program: number;
  title: string;
  /** The exact call of the transform, or the reason why there is no program; may be empty. */
  words: string;
  tools: ReadingTools;
  host: IColumnHost;
}

export class TransformColumn {
  constructor(private _options: IColumnOptions) {
    const { trans, model, snapshot, program, title, words, tools, host } =
      _options;
    this.node = element('section', 'jp-JaxprWide-column jp-JaxprTransform');
    // The ARIA role is `group`, not a landmark: a page may show several views with columns of the same names.
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', title);
    const head = element('div', 'jp-JaxprWide-columnHead');
    this._count = element('span', 'jp-JaxprWide-count');
    head.append(element('h2', 'jp-JaxprWide-title', title), this._count);
    this.node.append(head);
    const marks = program < 0 ? null : marksOf(snapshot, program);
    const counts = marks === null ? '' : countsWords(marks, trans);
    for (const [className, text] of [
      ['jp-JaxprTransform-counts', counts],
      ['jp-JaxprTransform-words', words]
    ]) {
      if (text !== '') {
        const line = element('div', className, shortened(text, 1000));
        line.title = text;
        this.node.append(line);
      }
    }
    this._messages = element('div', 'jp-JaxprProgram-messages');
    this._messages.setAttribute('role', 'status');
    this.node.append(this._messages);
    if (program >= 0) {
      const body = element('div', 'jp-JaxprProgram-body');
      this.node.append(body);
      this.pane = new LevelPane({
        trans,
        model,
        snapshot,
        program,
        level: 'jaxpr',
        tools,
        resolve: selection => linksOf(snapshot, program).sameSource(selection),
        host: {
          changed: () => this.showCount(),
          entered: () => host.entered(this),
          left: (_, by) => host.left(this, by)
        }
      });
      body.append(this.pane.node);
    }
  }

  readonly node: HTMLElement;
  /** The pane of the program; null without a program. */
  readonly pane: LevelPane | null = null;

  get program(): number {
    return this._options.program;
  }

  /** Shows a message in the column; an empty text removes the message. */
  tell(text: string): void {
    this._said = text;
    this.showCount();
  }

  showCount(): void {
    const words = levelCountWords(
      'jaxpr',
      this.pane?.count ?? null,
      this._options.trans
    );
    this._count.textContent = words.short;
    this._count.title = words.long;
    const messages = [this._said, this.pane?.notice ?? ''].filter(
      text => text !== ''
    );
    if (this._messages.textContent !== messages.join('')) {
      this._messages.replaceChildren(
        ...messages.map(text => element('div', '', text))
      );
    }
  }

  dispose(): void {
    this.pane?.dispose();
    this.node.remove();
  }

  private _count: HTMLElement;
  private _messages: HTMLElement;
  private _said = '';
}
