/**
 * Lets long texts without spaces, such as `stablehlo.while(%iterArg_9`, break between their tokens.
 *
 * The editor breaks lines at spaces, and inside a word where no space is near. Tokens of a text that is wider than its
 * line are marked; CSS allows a break before each of them.
 */
import { Extension, Range } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  PluginValue,
  ViewPlugin,
  ViewUpdate
} from '@codemirror/view';

import { isGap } from './hidden-lines';

/** Matches a number with its point and exponent, or a name with its sign. */
const TOKEN = /\d+\.\d+(?:[eE][+-]?\d+)?|[%@#!]?\w+/g;
/** Matches the parts of a name that is wider than its line. */
const PART = /[^_]*_+|[^_]+/g;

/** In longer lines, such as those with the elements of a constant, no tokens are searched. */
const LONGEST = 4000;
/** The number of columns may be wrong by this many characters, because bars and wide line numbers take space too. */
const MARGIN = 2;

/**
 * The ranges of a line before which the line may break.
 *
 * @param columns The number of characters that fit side by side.
 */
export function tokenBreaks(
  line: string,
  columns: number
): [from: number, to: number][] {
  const breaks: [number, number][] = [];
  for (const { 0: run, index: start } of line.matchAll(/\S+/g)) {
    if (run.length <= columns) {
      continue;
    }
    for (const { 0: token, index } of run.matchAll(TOKEN)) {
      const from = start + index;
      if (token.length <= columns) {
        breaks.push([from, from + token.length]);
        continue;
      }
      for (const { 0: part, index: at } of token.matchAll(PART)) {
        breaks.push([from + at, from + at + part.length]);
      }
    }
  }
  // There is no break before the first character of a line.
  return breaks.filter(([from]) => from > 0);
}

const MARK = Decoration.mark({ class: 'jp-JaxprProgram-token' });

class TokenBreaks implements PluginValue {
  constructor(
    view: EditorView,
    private _columns: (view: EditorView, index: number) => number | null
  ) {
    this.decorations = this._build(view);
  }

  decorations: DecorationSet;

  update(update: ViewUpdate): void {
    if (update.docChanged || update.viewportChanged || update.geometryChanged) {
      this.decorations = this._build(update.view);
    }
  }

  private _build(view: EditorView): DecorationSet {
    const { doc } = view.state;
    const ranges: Range<Decoration>[] = [];
    for (const block of view.viewportLineBlocks) {
      if (isGap(block)) {
        continue;
      }
      const line = doc.lineAt(block.from);
      const columns = this._columns(view, line.number - 1);
      if (columns === null || line.length > LONGEST) {
        continue;
      }
      for (const [from, to] of tokenBreaks(
        line.text,
        Math.max(1, Math.floor(columns) - MARGIN)
      )) {
        ranges.push(MARK.range(line.from + from, line.from + to));
      }
    }
    return Decoration.set(ranges);
  }
}

/**
 * The extension that allows breaks between tokens.
 *
 * @param columns The number of characters that fit side by side in a line; null if it is unknown.
 */
export function tokenBreaking(
  columns: (view: EditorView, index: number) => number | null
): Extension {
  return ViewPlugin.define(view => new TokenBreaks(view, columns), {
    decorations: ({ decorations }) => decorations
  });
}
