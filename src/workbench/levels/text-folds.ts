/** Finds the folds of a text: blocks in braces, and tables of source places. */
import type { TextLevel } from '../../model/links';
import { HLO_TABLES } from '../../protocol/facts';
import { TranslationBundle } from '@jupyterlab/translation';
import type { IListedFold } from '../listing/listing';
import { LinesFold } from './lines-fold';

/** The tables of source locations, which hold only numbers: at the start of HLO, and at the end of StableHLO. */
const TABLES: ReadonlySet<string> = new Set(HLO_TABLES);
const TABLE_ROW = /^\d+ /;
const LOCATION = /^#loc\d* = /;

/**
 * Functions other than the entry start closed in texts longer than this; in HLO they always do, because they stand
 * before the entry.
 */
const LONG_TEXT = 400;

/** The folds of one text, by their first lines. */
export class TextFolds {
  constructor(
    private _level: TextLevel,
    private _trans: TranslationBundle
  ) {}

  at(index: number): readonly IListedFold[] {
    const fold = this._folds.get(index);
    return fold ? [fold] : [];
  }

  all(): Iterable<IListedFold> {
    return this._folds.values();
  }

  /**
   * Finds the folds: blocks in braces, and the tables of places. A block that is still open at the end of the text so
   * far is no fold yet.
   */
  find(lines: readonly string[], total: number): void {
    const open: number[] = [];
    const many = this._level === 'hlo' || total > LONG_TEXT;
    let table = -1;
    lines.forEach((line, index) => {
      const inTable =
        TABLES.has(line) ||
        LOCATION.test(line) ||
        (table >= 0 && (line === '' || TABLE_ROW.test(line)));
      if (inTable && table < 0) {
        table = index;
      } else if (!inTable && table >= 0) {
        const last = lastWritten(lines, index - 1);
        this._addFold(table, last, last - table, true);
        table = -1;
      }
      if (line.startsWith('}')) {
        const first = open.pop();
        if (first !== undefined) {
          this._addFold(
            first,
            withBlank(lines, index),
            index - first - 1,
            many && isPrivate(lines[first])
          );
        }
      }
      if (line.endsWith('{')) {
        open.push(index);
      }
    });
    if (table >= 0 && lines.length >= total) {
      const last = lastWritten(lines, lines.length - 1);
      this._addFold(table, last, last - table, true);
    }
  }

  private _addFold(
    first: number,
    last: number,
    count: number,
    closed: boolean
  ): void {
    if (last > first && !this._folds.has(first)) {
      this._folds.set(
        first,
        new LinesFold(first, last, count, closed, this._trans)
      );
    }
  }

  private _folds = new Map<number, IListedFold>();
}

function lastWritten(lines: readonly string[], from: number): number {
  let last = from;
  while (last > 0 && lines[last] === '') {
    last--;
  }
  return last;
}

/** Includes the empty line after a closing brace, which is hidden together with the block. */
function withBlank(lines: readonly string[], index: number): number {
  return lines[index + 1] === '' && index + 2 < lines.length
    ? index + 1
    : index;
}

/** True for a function that another function calls; the entry is the function to read first. */
function isPrivate(line: string): boolean {
  return /^\s*func\.func private |^%?[\w.-]+ \(/.test(line);
}
