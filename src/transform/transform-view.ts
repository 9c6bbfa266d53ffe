/**
 * Shows a program beside its derived programs, one column each, linked by their source.
 *
 * A selection in one column marks in all columns the equations of the same expression. The transforms that the user
 * switches on are requested again for the next run. While the view is out of sight it does nothing.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

import { costsOf } from '../model/costs';
import { linksOf } from '../model/links';
import {
  TransformKind,
  Transforms,
  originalOf,
  transformsFor,
  transformsOf
} from '../model/transforms';
import type { Snapshot } from '../protocol/snapshot';
import { TRANSFORM_KINDS } from '../protocol/facts';
import type { IJaxprModel } from '../tokens';
import type { IHeaderActions } from '../parts/program-header';
import { element } from '../parts/dom';
import { Detail, detailOf } from '../workbench/words/detail';
import { showHelp } from '../workbench/reading/help-overlay';
import { LinkedView } from '../workbench/listing/linked-view';
import { ReadingTools } from '../workbench/reading/reading-tools';
import { WideHead } from '../parts/side-by-side-header';
import { partTitle } from '../workbench/words/role-names';
import { TransformColumn } from './transform-column';
import { TransformToolbar } from './transform-toolbar';

export class TransformView extends LinkedView {
  constructor(
    private _options: { trans: TranslationBundle; actions: IHeaderActions }
  ) {
    super('transformsInView');
    const { trans, actions } = _options;
    this.addClass('jp-JaxprWide');
    this.addClass('jp-JaxprTransforms');
    const layout = (this.layout = new PanelLayout());
    this._head = new WideHead(trans, actions);
    this._tools = new ReadingTools(trans, {
      levels: () => [
        { level: 'jaxpr', here: this._last?.pane?.listing ?? null }
      ],
      goToLevel: () => this.find()
    });
    this._toolbar = new TransformToolbar(trans, {
      toggle: kind => this._toggle(kind),
      together: () => {
        this._together = !this._together;
        this._showToolbar();
        this.mark(true);
      },
      find: () => this.find()
    });
    this._body = element('div', 'jp-JaxprWide-columns');
    this._detail = new Detail(trans, this._body);
    layout.addWidget(this._head);
    const rest = new Widget();
    rest.addClass('jp-JaxprWide-rest');
    rest.node.append(this._toolbar.node, this._body, this._detail.node);
    layout.addWidget(rest);
    this._body.addEventListener('focusin', event => {
      const node = event.target as Node;
      this._last =
        this._columns.find(column => column.node.contains(node)) ?? this._last;
    });
    this._showToolbar();
  }

  /** Moves the keyboard focus to the switches of the toolbar. */
  focusFirst(): void {
    this._toolbar.focus();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      super.dispose();
      this._tools.dispose();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.focusFirst();
  }

  // --- the shown program and its columns ----------------------------------------------------

  protected override follow(model: IJaxprModel): void {
    this._head.model = model;
    this._transforms = transformsFor(model);
    this._transforms.changed.connect(this._onDeriving, this);
  }

  protected override unfollow(): void {
    this._head.model = null;
    this._transforms?.changed.disconnect(this._onDeriving, this);
    this._transforms = null;
  }

  /** Arranges the columns again, because the request for a transform has started, has its answer, or has failed. */
  private _onDeriving(): void {
    if (this.isVisible && this._shown) {
      this._arrange();
    }
  }

  protected override showProgram(snapshot: Snapshot, program: number): void {
    const original = originalOf(snapshot, program);
    const shown = this._shown;
    if (shown?.snapshot !== snapshot || shown.original !== original) {
      const another =
        shown?.snapshot.id !== snapshot.id || shown.original !== original;
      this.clear();
      this._shown = { snapshot, original };
      if (another) {
        this._follow(snapshot, original);
      }
      this._arrange();
      this.mark(true);
    }
  }

  /**
   * Switches on the transforms that the document has of a program that comes into view, or grad if no transform is on
   * and the user has used no switch; requests the missing transforms that are switched on.
   */
  private _follow(snapshot: Snapshot, original: number): void {
    for (const { kind } of transformsOf(snapshot, original)) {
      this._wanted.add(kind);
    }
    if (this._wanted.size === 0 && !this._chosen) {
      this._wanted.add('grad');
    }
    this._showToolbar();
    this._ask();
  }

  private _ask(): void {
    const { _shown: shown } = this;
    if (shown) {
      for (const kind of TRANSFORM_KINDS) {
        if (this._wanted.has(kind)) {
          void this._transforms?.derive(shown.snapshot, shown.original, kind);
        }
      }
    }
  }

  private _toggle(kind: TransformKind): void {
    this._chosen = true;
    if (!this._wanted.delete(kind)) {
      this._wanted.add(kind);
    }
    this._showToolbar();
    this._ask();
    this._arrange();
    this.mark(false);
  }

  /** Arranges the columns: the program, then the transforms that are switched on, in the order of the switches. */
  private _arrange(): void {
    const { model, _shown: shown } = this;
    if (!model || !shown || !this.isVisible) {
      return;
    }
    const wanted = this._entries(shown.snapshot, shown.original);
    const kept = new Map(this._columns.map(column => [column.node, column]));
    this._columns = wanted.map(entry => {
      const earlierColumn = [...kept.values()].find(
        column =>
          column.program === entry.program &&
          column.node.dataset.column === entry.key
      );
      if (earlierColumn && entry.program >= 0) {
        kept.delete(earlierColumn.node);
        return earlierColumn;
      }
      return this._make(entry, model, shown.snapshot);
    });
    for (const column of kept.values()) {
      column.dispose();
    }
    const focused = document.activeElement;
    const nodes = this._columns.map(({ node }) => node);
    if (nodes.some((node, i) => this._body.children[i] !== node)) {
      this._body.replaceChildren(...nodes);
    }
    if (focused instanceof HTMLElement && this._body.contains(focused)) {
      focused.focus(); // taking the focused element out of the page and putting it back has removed the focus
    }
    for (const { pane } of this._columns) {
      if (pane && pane.view === null) {
        pane.refresh();
        pane.mark(false);
      }
    }
    this.measure();
  }

  /** The columns for the original program and for the programs of the transforms that are switched on. */
  private _entries(snapshot: Snapshot, original: number): IEntry[] {
    const { trans } = this._options;
    const { name } = snapshot.programs[original];
    const entries: IEntry[] = [
      { key: 'original', program: original, title: name, words: '', reason: '' }
    ];
    for (const kind of TRANSFORM_KINDS) {
      if (!this._wanted.has(kind)) {
        continue;
      }
      const transform = transformsOf(snapshot, original).find(
        candidate => candidate.kind === kind
      );
      if (!transform || transform.error !== null) {
        const reason = transform?.error ?? this._why(snapshot, original, kind);
        entries.push({
          key: kind,
          program: -1,
          title: kind,
          words: '',
          reason
        });
        continue;
      }
      for (const part of transform.parts) {
        entries.push({
          key: kind,
          program: part.program,
          title: partTitle(transform, part, trans),
          words: transform.words,
          reason: ''
        });
      }
    }
    return entries;
  }

  /** The reason why a derived program is missing. */
  private _why(
    snapshot: Snapshot,
    original: number,
    kind: TransformKind
  ): string {
    const { trans } = this._options;
    const state = this._transforms?.deriving(snapshot, original, kind);
    if (state?.kind === 'failed') {
      return state.reason;
    }
    if (state?.kind === 'working') {
      return trans.__('JAX traces the program …');
    }
    return trans.__(
      'The kernel of this run is not available. Run the cell again to see the derived program.'
    );
  }

  private _make(
    { key, program, title, words, reason }: IEntry,
    model: IJaxprModel,
    snapshot: Snapshot
  ): TransformColumn {
    const column = new TransformColumn({
      trans: this._options.trans,
      model,
      snapshot,
      program,
      title,
      words,
      tools: this._tools,
      host: {
        entered: column => this._goToCell(column),
        left: (column, by) => this._goToColumn(column, by)
      }
    });
    column.node.dataset.column = key;
    column.tell(reason);
    return column;
  }

  protected override clear(): void {
    for (const column of this._columns) {
      column.dispose();
    }
    this._columns = [];
    this._last = null;
    this._shown = null;
    this._detail.show(null);
  }

  protected override measure(): void {
    for (const { pane } of this._columns) {
      pane?.view?.view.requestMeasure();
    }
  }

  private _showToolbar(): void {
    this._toolbar.show(this._wanted, this._together);
  }

  // --- marks, details and the keyboard focus ------------------------------------------------

  protected override mark(reveal: boolean): void {
    const { model, _shown: shown } = this;
    if (!model || !shown) {
      return;
    }
    const pointed = model.hover ?? model.selection;
    // The scope of the selected equations shows in which column, and so in which program, the user pointed.
    const [scope] =
      pointed?.kind === 'equations'
        ? pointed.equations.map(({ scope }) => scope)
        : [];
    const panes = this._columns.flatMap(({ pane }) => (pane ? [pane] : []));
    const pane =
      panes.find(
        ({ listings }) =>
          scope !== undefined && listings.links.equations.has(scope)
      ) ?? panes[0];
    if (pane) {
      const { links, jaxpr, snapshot, index } = pane.listings;
      const linked = links.resolve(pointed);
      const { trans } = this._options;
      const cost = costsOf(model).costOf(snapshot, index);
      this._detail.show(detailOf(pointed, linked, jaxpr, null, cost, trans));
    }
    // The details are drawn before the marks, so that the texts have their final height when a line scrolls into view.
    for (const column of this._columns) {
      column.pane?.mark(reveal && this._together);
      column.showCount();
    }
  }

  private _goToCell({ program }: TransformColumn): void {
    const { model, _shown: shown } = this;
    if (model && shown) {
      const links = linksOf(shown.snapshot, program);
      const [span] = links.resolve(model.selection).spans;
      if (span) {
        this.screenState?.goToCell(span, this);
      }
    }
  }

  /** Moves the keyboard focus to the next column with a program, at the marked place there. */
  private _goToColumn(from: TransformColumn, by: 1 | -1): void {
    for (
      let at = this._columns.indexOf(from) + by;
      this._columns[at] !== undefined;
      at += by
    ) {
      if (this._columns[at].pane?.enter()) {
        return;
      }
    }
  }

  /** Open the search in the column that last had the keyboard focus. */
  protected override find(): void {
    (this._last ?? this._columns[0])?.pane?.find();
  }

  protected override help(): void {
    showHelp(this._options.trans);
  }

  private _head: WideHead;
  private _toolbar: TransformToolbar;
  private _body: HTMLElement;
  private _detail: Detail;
  private _tools: ReadingTools;
  private _transforms: Transforms | null = null;
  /** The transforms that are switched on, for this run and the next runs. */
  private _wanted = new Set<TransformKind>();
  /** True if the user has used a switch. */
  private _chosen = false;
  private _together = true;
  private _shown: { snapshot: Snapshot; original: number } | null = null;
  private _columns: TransformColumn[] = [];
  /** The column that last had the keyboard focus. */
  private _last: TransformColumn | null = null;
}

/** A column for a program, or for the reason why a derived program is missing. */
interface IEntry {
  key: TransformKind | 'original';
  program: number;
  title: string;
  words: string;
  /** The reason why there is no program; else empty. */
  reason: string;
}
