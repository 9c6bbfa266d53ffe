/**
 * Draws, above each group of consecutive lines, the line of Python from which these lines come.
 *
 * Texts of cells are in the document. Texts of the user's files come from the kernel, on request.
 */
import {
  EditorState,
  Extension,
  RangeSetBuilder,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';

import type { Links } from '../../model/links';
import { SourceFiles, sourceFilesOf } from '../../model/source-files';
import type { IOrigin, ISourceSpan } from '../../program-text/source-spans';
import type { Selection } from '../../tokens';
import { pythonPieces } from '../../parts/python-text';
import { badgeText, inferredPlace, whereOf } from '../words/describe';
import { element } from '../../parts/dom';
import { closedFolds, closedLines } from './folding';
import { hiddenLines, isHidden } from './hidden-lines';

/** A line of source that stands between the lines of a program. */
export interface ISourceHead {
  /** The key of the head: two heads with the same key show the same line of source. */
  key: string;
  badge: string;
  /** The place of the source line, in words. */
  where: string;
  /** The text of the line; empty if the document and the kernel do not have the text. */
  text: string;
  selection: Selection;
}

/** The source lines of one listing. */
export class SourceHeads {
  /** @param origin Returns the origin of a line, and whether the origin was inferred; null if the origin is unknown. */
  constructor(
    private _links: Links,
    private _trans: TranslationBundle,
    private _origin: (
      index: number
    ) => { origin: IOrigin; isInferred: boolean } | null
  ) {
    this._files = sourceFilesOf(_links.equations.snapshot);
  }

  /** Emits when more source texts may have arrived. */
  get changed(): ISignal<SourceFiles, void> {
    return this._files.changed;
  }

  /** The source line that a line of the listing comes from; null if unknown. */
  of(index: number): ISourceHead | null {
    const place = this._origin(index);
    if (place === null) {
      return null;
    }
    const { origin, isInferred } = place;
    const heads = isInferred ? this._inferred : this._stated;
    const cached = heads.get(origin);
    if (cached !== undefined) {
      return cached;
    }
    // The head, the line of source above a group of lines, is that of the innermost user frame: a reader knows the
    // user's own code, in a cell or a file.
    const [frame] = origin.frames;
    const span = frame === undefined ? null : this._links.spans.span(frame);
    const text = span && this._text(span);
    const head = span && this._make(span, text?.trim() ?? '', isInferred);
    if (span === null || text !== null) {
      heads.set(origin, head);
    } // else nothing is cached, because the text of the file may still arrive
    return head;
  }

  private _make(
    span: ISourceSpan,
    text: string,
    isInferred: boolean
  ): ISourceHead {
    const { _links: links, _trans: trans } = this;
    const where = whereOf(links, span, trans);
    return {
      key: `${span.file.path}:${span.line}:${isInferred}:${text}`,
      badge: isNumbered(span, links) ? badgeText(links, span) : where,
      where: isInferred ? inferredPlace(where, trans) : where,
      text: isInferred ? trans.__('%1 (inferred)', text).trim() : text,
      selection: {
        kind: 'source',
        path: span.file.path,
        line: span.line,
        // Column -1 stands for the whole line, so all equations that come from the line are selected.
        column: -1
      }
    };
  }

  private _text({ file, line }: ISourceSpan): string | null {
    if (file.kind !== 'cell') {
      this._ask(file.path);
      return this._files.line(file.path, line);
    }
    const { cell } = this._links.equations.snapshot;
    const source = file.path === cell?.file ? cell.source : file.source;
    return source?.split('\n')[line - 1] ?? null;
  }

  /** Requests a file, once; if the request fails, the source lines stand without a text. */
  private _ask(path: string): void {
    if (!this._asked.has(path)) {
      this._asked.add(path);
      // The request is deferred, because the signal of the files must not arrive while an editor is being drawn.
      queueMicrotask(() => void this._files.ask(path));
    }
  }

  private _files: SourceFiles;
  private _asked = new Set<string>();
  /** The heads (lines of source) by origin; many lines share an origin. */
  private _stated = new Map<IOrigin, ISourceHead | null>();
  private _inferred = new Map<IOrigin, ISourceHead | null>();
}

/**
 * True if a line's number at the edge states its place: the place is in the cell that ran, or in a cell with a number.
 */
function isNumbered(span: ISourceSpan, links: Links): boolean {
  return links.inOwnCell(span) || span.file.execution_count !== null;
}

/**
 * Gives the source line (the head) that a line of the listing comes from; null if unknown. Is called with the head under
 * the mouse (null when the mouse leaves), and with the head that the user chooses.
 */
export interface IHeadSource {
  of(index: number): ISourceHead | null;
  hovered(head: ISourceHead | null): void;
  chosen(head: ISourceHead): void;
}

/** Show or hide the lines of source. */
export const setHeads = StateEffect.define<IHeadSource | null>();

const headSource = StateField.define<IHeadSource | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setHeads)) {
        value = effect.value;
      }
    }
    return value;
  }
});

class Head extends WidgetType {
  constructor(
    private _head: ISourceHead,
    private _source: IHeadSource
  ) {
    super();
  }

  override eq(other: Head): boolean {
    return other._head.key === this._head.key && other._source === this._source;
  }

  override get estimatedHeight(): number {
    return 22;
  }

  override toDOM(): HTMLElement {
    const { badge, where, text } = this._head;
    const node = element('div', 'jp-JaxprProgram-head');
    node.title = where;
    const code = element('code', 'jp-JaxprCode');
    for (const piece of pythonPieces(text)) {
      const className = piece.kind === null ? '' : `jp-mod-${piece.kind}`;
      code.append(element('span', className, piece.text));
    }
    node.append(element('span', 'jp-JaxprProgram-badge', badge), ' ', code);
    node.addEventListener('mouseenter', () => this._source.hovered(this._head));
    node.addEventListener('mouseleave', () => this._source.hovered(null));
    node.addEventListener('click', () => this._source.chosen(this._head));
    return node;
  }
}

function decorate(state: EditorState): DecorationSet {
  const source = state.field(headSource);
  if (source === null) {
    return Decoration.none;
  }
  const { doc } = state;
  const hidden = state.field(hiddenLines);
  const builder = new RangeSetBuilder<Decoration>();
  const folds = closedLines(state);
  let fold = 0;
  let before = '';
  for (let line = 0; line < doc.lines; line++) {
    while (fold < folds.length && folds[fold].last < line) {
      fold++;
    }
    if (fold < folds.length && folds[fold].first < line) {
      line = folds[fold].last;
      continue;
    }
    const head = isHidden(hidden, line) ? null : source.of(line);
    if (head !== null && head.key !== before) {
      before = head.key;
      const { from } = doc.line(line + 1);
      const widget = new Head(head, source);
      builder.add(
        from,
        from,
        Decoration.widget({ widget, side: -10, block: true })
      );
    }
  }
  return builder.finish();
}

/** The extension that draws source lines; it needs the extensions for folds and hidden lines. */
export const sourceHeads: Extension = [
  headSource,
  EditorView.decorations.compute(
    [closedFolds, hiddenLines, headSource, 'doc'],
    decorate
  )
];
