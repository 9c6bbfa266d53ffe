/**
 * An editor for those source texts of a program that no cell of the notebook shows, such as the user's files.
 *
 * The texts are those that ran, linked to the program's levels. The user cannot edit them; the caret and the mouse
 * point at expressions.
 */
import { EditorState, Extension, StateEffect } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';

import {
  ICellMarks,
  NO_CELL_MARKS,
  cellMarks,
  setCellMarks
} from '../parts/drawn-marks';
import type { ILinked } from '../model/links';
import { typesOfLines } from '../model/named-types';
import { typesChoice } from '../model/types-choice';
import { SourceFiles, sourceFilesOf } from '../model/source-files';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel, Selection } from '../tokens';
import { element } from '../parts/dom';
import { typesUnderPointer } from '../parts/types-at-line-ends';
import { signRoom } from '../parts/visible-width';
import type { ILevelCount } from '../workbench/levels/level-pane-options';
import { nextAround } from '../workbench/levels/next-around';
import {
  ListingsChange,
  ProgramListings,
  closeListings,
  openListings
} from '../workbench/levels/program-listings';
import { keyBindings } from '../view-keys';
import { tokenBreaking } from '../workbench/listing/token-breaks';
import { definitionLine, scrollToLine } from './definition-line';
import { LibrariesRow } from './libraries-row';
import {
  ISpanOfText,
  linkedLines,
  linkedPlaces,
  linkedSpans,
  offsetOf
} from './linked-spans-in-sources';
import { SourcePointing } from './source-pointing';
import { headings, partsField, setParts } from './source-headings';
import {
  ISourceText,
  lineOf,
  placeOf,
  readFiles,
  sourceText,
  withoutFirst
} from './source-text';

/** The functions that the pane calls when its text or the user's position changes. */
export interface ISourcePaneHost {
  /** Takes note that the text of the pane has changed. */
  changed(): void;
  /** Moves the keyboard focus to the notebook's cell. */
  entered(): void;
  /** Moves the keyboard focus to the next (1) or the previous (-1) column. */
  left(by: 1 | -1): void;
  /**
   * Takes the linked place to which the user moved with the keyboard: its number and the number of places; null for
   * none.
   */
  stepped(place: { at: number; of: number } | null): void;
}

export interface ISourcePaneOptions {
  trans: TranslationBundle;
  model: IJaxprModel;
  snapshot: Snapshot;
  /** The index into the snapshot's programs. */
  program: number;
  host: ISourcePaneHost;
  /** Colours Python; resolves to nothing if the language is not available. */
  python: () => Promise<Extension>;
  /** True if another column shows the cell that ran; then this pane leaves out the text of the cell. */
  withoutCell: boolean;
}

/** The pane with the source texts of a program. */
export class SourcePane implements IDisposable {
  constructor(private _options: ISourcePaneOptions) {
    const { snapshot, program, trans, model } = _options;
    this._listings = openListings(snapshot, program, trans);
    this._listings.changed.connect(this._onListings, this);
    this.node = element('div', 'jp-JaxprWide-texts');
    this._files = sourceFilesOf(snapshot);
    this._files.askBy(() => model.requests);
    this._files.changed.connect(this._onFiles, this);
    typesChoice.changed.connect(this._onTypes, this);
    this._pointing = new SourcePointing(this, model, this._listings);
    this._libraries = new LibrariesRow(this._files, trans, (path, isOpen) => {
      this._wanted = isOpen ? path : null;
      this._revealWanted();
    });
  }

  /** The element of the pane; it fills its parent. */
  readonly node: HTMLElement;
  readonly notice = null;

  /** The editor; null until the column was first seen. */
  get view(): EditorView | null {
    return this._view;
  }

  /** The shown texts; null until the column was first seen. */
  get text(): ISourceText | null {
    return this._text;
  }

  /** The name of the first text, such as `Cell [7]`. */
  get title(): string {
    return this._all?.parts[0]?.title ?? '';
  }

  /** The number of lines with a link, and the number of all lines. */
  get count(): ILevelCount | null {
    return this._view === null || this._all === null
      ? null
      : {
          linked: linkedLines(this._linked, this._all.parts).length,
          total: this._all.parts.reduce((sum, { count }) => sum + count, 0)
        };
  }

  /** True if a text of this pane has a place that is linked to the selection. */
  get hasLinked(): boolean {
    return linkedSpans(this._linked, this._parts).length > 0;
  }

  /** The places of the cell that ran that are linked to the selection, in the order of the text. */
  get placesInCell(): ISpanOfText[] {
    const own = this._options.snapshot.cell?.file;
    return this._linked.spans
      .map(span => ({ ...span, path: span.file.path }))
      .filter(({ path }) => path === own)
      .sort((a, b) => a.line - b.line || a.column - b.column);
  }

  /** True if the user made the selection in this pane, so that its places are already in view. */
  isOwn(selection: Selection): boolean {
    return this._pointing.isOwn(selection);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._pointing.dispose();
    this._listings.changed.disconnect(this._onListings, this);
    this._files.changed.disconnect(this._onFiles, this);
    typesChoice.changed.disconnect(this._onTypes, this);
    this._view?.destroy();
    this._view = null;
    closeListings(this._listings);
    this.node.remove();
  }

  /** Draw the texts again. */
  refresh(): void {
    if (this._isDisposed) {
      return;
    }
    const { links } = this._listings;
    const { snapshot, program } = this._options;
    readFiles(links, this._files);
    this._all = sourceText(links, this._files, this._options.trans);
    const now = this._options.withoutCell ? withoutFirst(this._all) : this._all;
    this.node.classList.toggle('jp-mod-noTexts', now.parts.length === 0);
    if (!this._view) {
      this._view = this._makeView();
      this.node.append(this._libraries.node);
      void this._colour(this._view);
    }
    this._libraries.refresh(links);
    if (JSON.stringify(now) !== JSON.stringify(this._text)) {
      this._text = now;
      const { doc } = this._view.state;
      this._view.dispatch({
        changes: { from: 0, to: doc.length, insert: now.text },
        effects: setParts.of(now.parts)
      });
      this._marked = ''; // the new text has no marks yet: the next `mark` must set all of them
    }
    this._view.requestMeasure();
    const line = definitionLine(now.parts, snapshot, program);
    if (!this._hasShownDefinition && line !== null) {
      this._hasShownDefinition = true;
      scrollToLine(this._view, line);
    }
    this._options.host.changed();
  }

  /**
   * Marks the places that are linked to the selection; with `reveal`, scrolls to them if another view made the
   * selection.
   */
  mark(reveal: boolean): void {
    const view = this._view;
    if (!view || !this._text) {
      return;
    }
    const { parts } = this._text;
    const { hover, selection } = this._options.model;
    this._libraries.mark(this._linked.librarySpans);
    const spans = linkedSpans(this._linked, this._parts).map(span => {
      const by = lineOf(parts, span) + 1 - span.line;
      const { line, column, endLine, endColumn, role } = span;
      return {
        line: line + by,
        column,
        endLine: endLine + by,
        endColumn,
        role
      };
    });
    const types = this._types();
    const typesAfterNames = typesChoice.afterNames;
    const key = JSON.stringify([spans, types, typesAfterNames]);
    if (key !== this._marked) {
      this._marked = key;
      const marks = { ...NO_CELL_MARKS, spans, types, typesAfterNames };
      view.dispatch({ effects: setCellMarks.of(marks) });
    }
    const pointed = hover ?? selection;
    if (reveal && pointed !== null && !this._pointing.isOwn(pointed)) {
      this._reveal(linkedLines(this._linked, this._parts));
    }
  }

  /** The types of the names, each at its line of the pane's text, from 1; empty if the types are switched off. */
  private _types(): ICellMarks['types'] {
    const { snapshot, program, trans } = this._options;
    if (!typesChoice.shown) {
      return [];
    }
    this._typesOfFiles ??= typesOfLines(snapshot, program, trans);
    const parts = this._text?.parts ?? [];
    return [...this._typesOfFiles].flatMap(([path, lines]) =>
      lines.flatMap(types => {
        const line = lineOf(parts, { path, line: types.line });
        return line < 0 ? [] : { ...types, line: line + 1 };
      })
    );
  }

  /** Scrolls to the selection at the next `mark`, even if this pane made the selection. */
  forgetOwn(): void {
    this._pointing.forgetOwn();
  }

  focus(): void {
    this._view?.focus();
  }

  private _step(by: 1 | -1): void {
    this._options.host.stepped(this.nextLinked(by));
  }

  /** Takes the keyboard focus, at the first place that is linked to the selection. */
  enter(): boolean {
    if (!this._view) {
      return false;
    }
    const [first] = linkedPlaces(
      this._linked,
      this._parts,
      this._view.state.doc
    );
    if (first) {
      this._goTo(first);
    }
    this._view.focus();
    return true;
  }

  /**
   * Scroll to the next (1) or the previous (-1) linked place; after the last comes the first. The selection does not
   * change.
   */
  nextLinked(by: 1 | -1): { at: number; of: number } | null {
    const view = this._view;
    if (!view) {
      return null;
    }
    const { doc } = view.state;
    const places = linkedPlaces(this._linked, this._parts, doc);
    if (places.length === 0) {
      return null;
    }
    const here = view.state.selection.main.head;
    const starts = places.map(place => offsetOf(place, this._parts, doc));
    const at = nextAround(starts, here, by);
    this._goTo(places[at]);
    return { at: at + 1, of: places.length };
  }

  // --- the editor and its text --------------------------------------------------------------

  private _makeView(): EditorView {
    const { trans, model, host } = this._options;
    const name = this._listings.program.name;
    return new EditorView({
      parent: this.node,
      state: EditorState.create({
        extensions: [
          partsField,
          headings(
            path => void this._files.ask(path),
            !this._options.withoutCell,
            trans
          ),
          cellMarks,
          signRoom,
          typesUnderPointer,
          lineNumbers({
            formatNumber: (line, state) =>
              `${placeOf(state.field(partsField), line - 1)?.line ?? ''}`
          }),
          EditorView.lineWrapping,
          tokenBreaking(({ contentDOM, defaultCharacterWidth }) =>
            contentDOM.clientWidth === 0
              ? null
              : contentDOM.clientWidth / defaultCharacterWidth
          ),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({
            'aria-label': this._options.withoutCell
              ? trans.__('Other sources of %1', name)
              : trans.__('Source of %1', name),
            'aria-readonly': 'true',
            tabindex: '0'
          }),
          keymap.of(
            keyBindings('source', {
              nextLinked: () => this._step(1),
              previousLinked: () => this._step(-1),
              nextLevel: () => host.left(1),
              previousLevel: () => host.left(-1),
              enterCell: () => host.entered(),
              markNothing: () => model.setSelection(null)
            })
          ),
          EditorView.updateListener.of(update =>
            this._pointing.onUpdate(update)
          ),
          EditorView.domEventHandlers({
            mousemove: event =>
              this._pointing.hoverAt(event.clientX, event.clientY),
            mouseleave: () => this._pointing.hoverAt(null, null)
          })
        ]
      })
    });
  }

  private async _colour(view: EditorView): Promise<void> {
    const python = await this._options.python();
    if (!this._isDisposed) {
      view.dispatch({ effects: StateEffect.appendConfig.of(python) });
    }
  }

  private _onListings(_: unknown, change: ListingsChange): void {
    // New equations may come from files from which no earlier equation came.
    if (change.kind === 'spliced' && this._view) {
      this.refresh();
      this.mark(false);
    }
  }

  private _onTypes(): void {
    this.mark(false);
  }

  private _onFiles(): void {
    if (this._view) {
      this.refresh();
      this.mark(false);
      this._revealWanted();
    }
  }

  /** Scrolls to a file that the user just opened: to its place that is linked to the selection, or to its start. */
  private _revealWanted(): void {
    const part = this._text?.parts.find(({ path }) => path === this._wanted);
    if (!part || this._wanted === null || part.count === 0) {
      return;
    }
    const path = this._wanted;
    this._wanted = null;
    const linked = linkedSpans(this._linked, this._parts)
      .filter(span => span.path === path)
      .map(span => lineOf(this._parts, span));
    this._reveal(linked.length > 0 ? linked : [part.first]);
  }

  // --- the linked places and the caret ------------------------------------------------------

  private get _linked(): ILinked {
    const { hover, selection } = this._options.model;
    return this._listings.links.resolve(hover ?? selection);
  }

  private get _parts(): ISourceText['parts'] {
    return this._text?.parts ?? [];
  }

  /** Moves the caret to a place; the selection does not change. */
  private _goTo(span: { path: string; line: number; column: number }): void {
    const view = this._view;
    if (!view) {
      return;
    }
    const anchor = offsetOf(span, this._parts, view.state.doc);
    view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'nearest', yMargin: 20 })
    });
  }

  private _reveal(lines: readonly number[]): void {
    const view = this._view;
    if (!view || lines.length === 0) {
      return;
    }
    const { doc } = view.state;
    // Below the cell, the column scrolls, and the editor is as tall as its text.
    const scroller = this._options.withoutCell
      ? (this.node.parentElement ?? view.scrollDOM)
      : view.scrollDOM;
    const box = scroller.getBoundingClientRect();
    const seen = lines.some(index => {
      const block = view.lineBlockAt(doc.line(index + 1).from);
      const top = block.top + view.documentTop;
      return top >= box.top && top + block.height <= box.bottom;
    });
    if (!seen) {
      view.dispatch({
        effects: EditorView.scrollIntoView(doc.line(lines[0] + 1).from, {
          y: 'center'
        })
      });
    }
  }

  private _listings: ProgramListings;
  private _files: SourceFiles;
  private _libraries: LibrariesRow;
  private _pointing: SourcePointing;
  /** The path of the file that the user opened last, until its text is in view. */
  private _wanted: string | null = null;
  private _view: EditorView | null = null;
  /** All texts of the program. */
  private _all: ISourceText | null = null;
  /** The texts that this pane shows. */
  private _text: ISourceText | null = null;
  private _hasShownDefinition = false;
  private _marked = '';
  private _typesOfFiles: ReturnType<typeof typesOfLines> | null = null;
  private _isDisposed = false;
}
