/** Makes the rows of the ledger's table from the ledger and the user's folds, filter and guesses. */
import { TranslationBundle } from '@jupyterlab/translation';

import { LedgerEntry, Snapshot } from '../../protocol/snapshot';
import {
  IFunction,
  IMiss,
  Misses,
  Order,
  grouped,
  inOrder,
  isOfThisRun,
  matching
} from './functions';
import {
  Guess,
  Guesses,
  IQuestion,
  guessKey,
  questionsOf
} from './predictions';
import { kindName, outcomeText, placeWords } from './words';

/** The fields that the rows of every kind have. */
interface IRow {
  /** The key of the row, the same in the next drawing. */
  readonly key: string;
  /** The depth of the row, from 1. */
  readonly level: number;
  /** True if the row is unfolded; null if the row cannot unfold. */
  readonly unfolded: boolean | null;
  /** The index of the row's source line in the document's frames; -1 if the row has no line. */
  readonly frame: number;
}

export interface IFunctionRow extends IRow {
  readonly kind: 'function';
  readonly of: IFunction;
  /** True if the numbers of the row are hidden until the user has guessed. */
  readonly hidden: boolean;
}

export interface IMissRow extends IRow {
  readonly kind: 'miss';
  readonly of: IFunction;
  readonly misses: Misses;
}

export interface IEntryRow extends IRow {
  readonly kind: 'entry';
  readonly of: IFunction;
  readonly entry: LedgerEntry;
}

export interface IQuestionRow extends IRow {
  readonly kind: 'question';
  readonly of: IFunction;
  readonly question: IQuestion;
  readonly guess: Guess | null;
}

/** A row that unfolds more rows, or that says how many rows are not shown. */
export interface IHeadingRow extends IRow {
  readonly kind:
    | 'entries'
    | 'earlier'
    | 'earlier-with-slow-hits'
    | 'functions'
    | 'left-out'
    | 'unseen-functions'
    | 'unseen-entries';
  readonly count: number;
}

export type Row =
  IFunctionRow | IMissRow | IEntryRow | IQuestionRow | IHeadingRow;

/** The user's settings of the table: the sorting, the filter, the folds, the guesses. */
export interface IArrangement {
  order: Order;
  filter: string;
  /** The rows that the user has unfolded (true) or folded (false). */
  folds: ReadonlyMap<string, boolean>;
  /** The user's guesses; null while the user does not guess. */
  guesses: Guesses | null;
}

/** If there are more functions than this, all of them are folded at first. */
const UNFOLDED_AT_FIRST = 12;
/**
 * If a run has called at most this many functions, the list of a function's entries is unfolded at first, unless the
 * function has one entry or more entries than `FEW_ENTRIES`.
 */
const FEW_FUNCTIONS = 3;
const FEW_ENTRIES = 4;
/** At most this many functions are listed; a last row counts the others. */
const MOST_FUNCTIONS = 200;
const MOST_ENTRIES = 100;

export function rowsOf(
  snapshot: Snapshot,
  arrangement: IArrangement,
  trans: TranslationBundle
): Row[] {
  return new Rows(snapshot, arrangement, trans).all();
}

class Rows {
  constructor(
    private _snapshot: Snapshot,
    private _arrangement: IArrangement,
    private _trans: TranslationBundle
  ) {
    this._filtered = _arrangement.filter.trim() !== '';
  }

  all(): Row[] {
    const { ledger } = this._snapshot;
    const all = (ledger?.functions ?? []).map((ledgerFunction, index) => ({
      ledgerFunction,
      index
    }));
    const now = all.filter(({ ledgerFunction }) => isOfThisRun(ledgerFunction));
    const earlier = all.filter(
      ({ ledgerFunction }) => !isOfThisRun(ledgerFunction)
    );
    const few = now.length <= UNFOLDED_AT_FIRST;
    this._entriesAtFirst = now.length <= FEW_FUNCTIONS ? FEW_ENTRIES : 0;
    this._functions(now, 1, few);
    this._entriesAtFirst = 0;
    const shown = earlier.filter(
      functionOfRow => this._found(functionOfRow) !== null
    );
    if (shown.length > 0) {
      const unfolded = this._heading('functions', shown.length, 1, 'functions');
      if (unfolded) {
        this._functions(shown, 2, false);
      }
    }
    return this._rows;
  }

  private _functions(
    functions: readonly IFunction[],
    level: number,
    unfoldedAtFirst: boolean
  ): void {
    const matches = inOrder(functions, this._arrangement.order).filter(
      listed => this._found(listed) !== null
    );
    for (const listed of matches.slice(0, MOST_FUNCTIONS)) {
      this._function(listed, level, unfoldedAtFirst);
    }
    const more = matches.length - MOST_FUNCTIONS;
    if (more > 0) {
      this._line('unseen-functions', more, level, `more ${level}`);
    }
  }

  private _function(
    of: IFunction,
    level: number,
    unfoldedAtFirst: boolean
  ): void {
    const { ledgerFunction, index } = of;
    const place = this._place(ledgerFunction.definition);
    const key = this._unique(`f ${ledgerFunction.name} ${place}`);
    const guesses = this._arrangement.guesses;
    const questions = guesses === null ? [] : questionsOf(ledgerFunction);
    const open = questions.some(
      question => !guesses?.has(guessKey(index, question))
    );
    const foldable =
      ledgerFunction.misses.length + ledgerFunction.entries.length > 0;
    const unfolded = foldable
      ? this._isUnfolded(
          key,
          // A row is unfolded at first if a filter is set (only matching rows are listed then) or if the user guesses.
          unfoldedAtFirst || this._filtered || guesses !== null
        )
      : null;
    this._rows.push({
      kind: 'function',
      key,
      level,
      unfolded,
      frame: ledgerFunction.definition,
      of,
      hidden: open
    });
    if (!unfolded) {
      return;
    }
    if (questions.length > 0) {
      this._questions(of, questions, level + 1, key);
      return;
    }
    const matches = this._found(of) ?? new Set();
    const misses = ledgerFunction.misses
      .map((miss, at) => ({ miss, index: at }))
      .filter(({ index: at }) => matches.has(at));
    const now = misses.filter(({ miss }) => miss.this_run);
    const before = misses.filter(({ miss }) => !miss.this_run);
    this._misses(of, now, level + 1, key);
    if (
      ledgerFunction.entries.length > 0 &&
      matches.size === ledgerFunction.misses.length
    ) {
      this._entries(of, level + 1, key);
    }
    const earlier = before.length + ledgerFunction.misses_left_out;
    if (earlier > 0) {
      const id = `${key} earlier`;
      const slow =
        ledgerFunction.misses_left_out > 0 ||
        before.some(({ miss }) => miss.outcome === 'dispatch_only');
      const kind = slow ? 'earlier-with-slow-hits' : 'earlier';
      if (this._heading(kind, earlier, level + 1, id)) {
        if (ledgerFunction.misses_left_out > 0) {
          const left = ledgerFunction.misses_left_out;
          this._line('left-out', left, level + 2, `${key} left out`);
        }
        this._misses(of, before, level + 2, key);
      }
    }
  }

  private _misses(
    of: IFunction,
    misses: readonly IMiss[],
    level: number,
    parent: string
  ): void {
    for (const group of grouped(misses)) {
      const [first, ...otherMisses] = group;
      const alone = otherMisses.length === 0;
      const key = `${parent} m ${first.index}${alone ? '' : ' and more'}`;
      const unfolded = alone ? null : this._isUnfolded(key, false);
      this._miss(of, group, level, key, unfolded);
      if (unfolded) {
        for (const miss of group) {
          const id = `${parent} m ${miss.index}`;
          this._miss(of, [miss], level + 1, id, null);
        }
      }
    }
  }

  private _miss(
    of: IFunction,
    misses: Misses,
    level: number,
    key: string,
    unfolded: boolean | null
  ): void {
    const { frame } = misses[misses.length - 1].miss;
    this._rows.push({ kind: 'miss', key, level, unfolded, frame, of, misses });
  }

  private _entries(of: IFunction, level: number, parent: string): void {
    const { entries, definition } = of.ledgerFunction;
    const count = entries.length;
    // A list with a single entry stays folded: the row of the only miss already shows the entry's argument types.
    const atFirst = 1 < count && count <= this._entriesAtFirst;
    if (!this._heading('entries', count, level, `${parent} entries`, atFirst)) {
      return;
    }
    entries.slice(0, MOST_ENTRIES).forEach((entry, at) => {
      this._rows.push({
        kind: 'entry',
        key: `${parent} e ${at}`,
        level: level + 1,
        unfolded: null,
        frame: definition,
        of,
        entry
      });
    });
    const more = entries.length - MOST_ENTRIES;
    if (more > 0) {
      this._line('unseen-entries', more, level + 1, `${parent} more entries`);
    }
  }

  private _questions(
    of: IFunction,
    questions: readonly IQuestion[],
    level: number,
    parent: string
  ): void {
    const { ledgerFunction, index } = of;
    for (const question of questions) {
      const guess =
        this._arrangement.guesses?.get(guessKey(index, question)) ?? null;
      const miss = ledgerFunction.misses[question.miss];
      this._rows.push({
        kind: 'question',
        key: `${parent} q ${question.key}`,
        level,
        unfolded: null,
        frame: miss?.frame ?? ledgerFunction.definition,
        of,
        question,
        guess
      });
    }
  }

  private _heading(
    kind: IHeadingRow['kind'],
    count: number,
    level: number,
    key: string,
    atFirst = this._filtered
  ): boolean {
    const unfolded = this._isUnfolded(key, atFirst);
    this._rows.push({ kind, key, level, unfolded, frame: -1, count });
    return unfolded;
  }

  private _line(
    kind: IHeadingRow['kind'],
    count: number,
    level: number,
    key: string
  ): void {
    this._rows.push({ kind, key, level, unfolded: null, frame: -1, count });
  }

  /**
   * Makes a key that stays the same in the next run of the cell; functions without a place are distinguished by their
   * order.
   */
  private _unique(key: string): string {
    let unique = key;
    for (let n = 2; this._keys.has(unique); n++) {
      unique = `${key} ${n}`;
    }
    this._keys.add(unique);
    return unique;
  }

  private _isUnfolded(key: string, atFirst: boolean): boolean {
    return this._arrangement.folds.get(key) ?? atFirst;
  }

  private _found(of: IFunction): ReadonlySet<number> | null {
    const cached = this._matches.get(of.index);
    if (cached !== undefined) {
      return cached;
    }
    const trans = this._trans;
    const { ledgerFunction } = of;
    // Filtering must not reveal an outcome that the user has to guess.
    const hidden = this._arrangement.guesses !== null;
    const matches = matching(
      {
        function: [ledgerFunction.name, this._place(ledgerFunction.definition)],
        misses: ledgerFunction.misses.map(miss => [
          miss.signature,
          ...(hidden
            ? []
            : [
                outcomeText(miss),
                miss.outcome,
                ...miss.reasons.flatMap(({ kind, text }) => [
                  kind,
                  kindName(kind, trans),
                  text
                ])
              ])
        ])
      },
      this._arrangement.filter
    );
    this._matches.set(of.index, matches);
    return matches;
  }

  private _place(frame: number): string {
    return placeWords(this._snapshot, frame, this._trans)?.label ?? '';
  }

  private _filtered: boolean;
  /** A list of at most this many entries is unfolded at first. */
  private _entriesAtFirst = 0;
  private _rows: Row[] = [];
  private _keys = new Set<string>();
  private _matches = new Map<number, ReadonlySet<number> | null>();
}
