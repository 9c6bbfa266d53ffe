/**
 * Holds where the user is reading (run, program, level, scroll position, folds, selection), and restores it after a
 * reload.
 *
 * The position in a text is stored for each level of each program, so that a user who looks at another program and
 * returns finds the text as before. A cell that runs again, or that Live traces, has its programs at the positions of
 * the earlier programs.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { IJaxprModel, LevelName, ModelChange, Selection } from '../tokens';
import { CalledProgram, pairs } from './earlier-program';

/** A reading position in a text: the scroll position, the folds and the unfolded parts. */
export interface ITextPlace {
  /** The number of the top line, from 0. */
  readonly line: number;
  /** How many pixels of the top line are scrolled out of view. */
  readonly above: number;
  /** The number of lines of the text; a text with another number of lines has other folds. */
  readonly lines?: number;
  /** The closed folds: [first line, last line] of each. */
  readonly closed: readonly (readonly [number, number])[];
  /** The lines whose shortened parts are unfolded. */
  readonly shown?: readonly number[];
}

/** The name under which a position is stored: of one text (`hlo`, `wide hlo`), or of a whole view (`view cost`). */
export type PlaceName = LevelName | `wide ${LevelName}` | `view ${string}`;

/** The settings of a view that hide lines, group lines, and show source lines above them. */
export interface IKeptFilters {
  readonly hidden: readonly string[];
  readonly grouped: boolean;
  readonly interleaved: boolean;
}

/** The two views that have filters of their own. */
export type FilteredView = 'panel' | 'wide';

/** The state of the panel for one notebook that survives a reload, as plain data. */
export interface IKeptPlace {
  readonly run: string | null;
  readonly program: number;
  readonly level: LevelName;
  readonly selection: Selection | null;
  readonly pinned: boolean;
  readonly texts: Readonly<Record<string, ITextPlace>>;
  readonly filters: Readonly<Partial<Record<FilteredView, IKeptFilters>>>;
}

/** The largest number of texts of a notebook whose positions are stored. */
const TEXTS_KEPT = 48;
const LEVELS: readonly LevelName[] = ['jaxpr', 'stablehlo', 'hlo'];

/** A run that is or was in view, without its document, which may be large. */
interface IRunInView {
  readonly id: string;
  readonly cellId: string | null;
  readonly isWritten: boolean;
  readonly programs: readonly CalledProgram[];
}

const places = new WeakMap<IJaxprModel, ReadingPlace>();

/** The object that stores the reading positions in the programs of a model's notebook; one for each model. */
export function readingPlaceOf(model: IJaxprModel): ReadingPlace {
  let place = places.get(model);
  if (place === undefined) {
    place = new ReadingPlace(model);
    places.set(model, place);
  }
  return place;
}

/** Loads and stores the reading position in one text of a notebook. */
export function placeIn(
  model: IJaxprModel,
  snapshot: string,
  program: number,
  name: PlaceName
): { load(): ITextPlace | null; keep(place: ITextPlace): void } {
  const place = readingPlaceOf(model);
  return {
    load: () => place.textPlace(snapshot, program, name),
    keep: now => place.keepText(snapshot, program, name, now)
  };
}

export class ReadingPlace {
  constructor(private _model: IJaxprModel) {
    this._follow();
    _model.changed.connect(this._onModel, this);
  }

  /** Emits when the state that `kept` returns has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emits when the state from before the reload was restored. */
  get restored(): ISignal<this, void> {
    return this._restored;
  }

  /** The run that was in view when the page was closed; null if unknown. */
  get runBefore(): string | null {
    return this._runBefore;
  }

  get level(): LevelName {
    return this._level;
  }

  set level(level: LevelName) {
    if (level !== this._level) {
      this._level = level;
      this._changed.emit();
    }
  }

  textPlace(
    snapshot: string,
    program: number,
    name: PlaceName
  ): ITextPlace | null {
    this._follow(); // a view may ask before this object has received the signal about a new run
    return this._texts.get(`${snapshot} ${program} ${name}`) ?? null;
  }

  keepText(
    snapshot: string,
    program: number,
    name: PlaceName,
    place: ITextPlace
  ): void {
    const key = `${snapshot} ${program} ${name}`;
    if (JSON.stringify(this._texts.get(key)) === JSON.stringify(place)) {
      return;
    }
    this._texts.delete(key);
    this._texts.set(key, place);
    for (const oldest of [...this._texts.keys()].slice(0, -TEXTS_KEPT)) {
      this._texts.delete(oldest);
    }
    this._changed.emit();
  }

  /** The filters that the user last chose in a view; null if none. */
  filters(view: FilteredView): IKeptFilters | null {
    return this._filters[view] ?? null;
  }

  keepFilters(view: FilteredView, filters: IKeptFilters): void {
    if (JSON.stringify(this._filters[view]) !== JSON.stringify(filters)) {
      this._filters = { ...this._filters, [view]: filters };
      this._changed.emit();
    }
  }

  /** The state of the panel as plain data; null until the state from before the reload is restored. */
  get kept(): IKeptPlace | null {
    const { snapshot, program, selection, pinned } = this._model;
    return this._wanted !== null || snapshot === null
      ? null
      : {
          run: snapshot.id,
          program,
          level: this._level,
          selection,
          pinned,
          texts: Object.fromEntries(this._texts),
          filters: this._filters
        };
  }

  /**
   * Restores the state of the panel from before the reload, which `kept` returned; a value that does not fit is
   * ignored.
   */
  restore(kept: unknown): void {
    const read = readPlace(kept);
    if (read === null) {
      return;
    }
    this._level = read.level;
    this._runBefore = read.run;
    this._texts = new Map([...Object.entries(read.texts), ...this._texts]);
    this._filters = { ...read.filters, ...this._filters };
    this._wanted = this._isLeft ? null : read;
    this._goOn();
    this._restored.emit();
  }

  /** Gives up the return to the run from before the reload, because the user has gone elsewhere. */
  leave(): void {
    this._isLeft = true;
    this._wanted = null;
  }

  /** Gives the programs of a run that comes into view the positions of the programs that were in view before. */
  private _follow(): void {
    const { snapshot, isWritten } = this._model;
    if (snapshot === null) {
      return;
    }
    const before = this._inView;
    const now = {
      id: snapshot.id,
      cellId: snapshot.cell?.id ?? null,
      isWritten,
      programs: snapshot.programs.map(({ name, origin, arguments: args }) => ({
        name,
        origin,
        arguments: args
      }))
    };
    this._inView = now;
    if (
      before === null ||
      before.id === now.id ||
      before.cellId !== now.cellId ||
      now.cellId === null
    ) {
      return;
    }
    const ownKeys = [...this._texts.keys()].filter(key =>
      key.startsWith(`${now.id} `)
    );
    if (isWritten) {
      // Live uses one id for all traces of a cell, so these positions are left from earlier traces, before the last
      // run.
      ownKeys.forEach(key => this._texts.delete(key));
    } else if (ownKeys.length > 0) {
      return;
    }
    const { same, changed } = pairs(before.programs, now.programs);
    for (const [later, earlier] of [...same, ...changed]) {
      const start = `${before.id} ${earlier} `;
      for (const [key, place] of [...this._texts]) {
        if (key.startsWith(start)) {
          const name = key.slice(start.length) as PlaceName;
          this.keepText(now.id, later, name, place);
        }
      }
    }
  }

  private _onModel(_: unknown, change: ModelChange): void {
    if (change === 'snapshots' || change === 'program') {
      this._follow();
    }
    if (change === 'snapshots') {
      this._goOn();
    }
    if (change !== 'hover' && change !== 'status') {
      this._changed.emit();
    }
  }

  /** Puts the run from before the reload in view, as soon as the kernel has sent it or a saved copy is found. */
  private _goOn(): void {
    const { _wanted: wanted, _model: model } = this;
    if (wanted === null || this._goes) {
      return;
    }
    if (model.runs.some(({ snapshot }) => snapshot.created > this._began)) {
      this._wanted = null; // the user has run a cell since the reload
      return;
    }
    const run = model.runs.find(({ snapshot }) => snapshot.id === wanted.run);
    // A saved copy may be incomplete; it is only used if no kernel can have the run.
    const hasNoKernel = ['no-kernel', 'not-loaded'].includes(model.status.kind);
    if (run === undefined || (run.fromSaved && !hasNoKernel)) {
      return;
    }
    this._goes = true;
    this._wanted = null;
    model.setRun(run.snapshot.id);
    if (wanted.pinned) {
      model.setPinned(true);
    }
    if (wanted.program < run.snapshot.programs.length) {
      model.setProgram(wanted.program);
      if (wanted.selection !== null) {
        model.setSelection(wanted.selection);
      }
    }
    this._goes = false;
  }

  private _changed = new Signal<this, void>(this);
  private _restored = new Signal<this, void>(this);
  private _level: LevelName = 'jaxpr';
  private _texts = new Map<string, ITextPlace>();
  private _inView: IRunInView | null = null;
  private _filters: IKeptPlace['filters'] = {};
  private _wanted: IKeptPlace | null = null;
  private _isLeft = false;
  private _runBefore: string | null = null;
  private _goes = false;
  private _began = Date.now() / 1000;
}

function readPlace(kept: unknown): IKeptPlace | null {
  if (typeof kept !== 'object' || kept === null) {
    return null;
  }
  const { run, program, level, selection, pinned, texts, filters } =
    kept as Partial<IKeptPlace>;
  const levelName = LEVELS.find(name => name === level);
  if (
    typeof run !== 'string' ||
    !Number.isInteger(program) ||
    levelName === undefined
  ) {
    return null;
  }
  return {
    run,
    program: program as number,
    level: levelName,
    selection: isSelection(selection) ? selection : null,
    pinned: pinned === true,
    texts: Object.fromEntries(
      Object.entries(texts ?? {}).filter(([, place]) => isTextPlace(place))
    ),
    filters: Object.fromEntries(
      Object.entries(filters ?? {}).filter(([, kept]) => isFilters(kept))
    )
  };
}

/** True if a value is a selection: each kind refers to equations, texts or source code of the document. */
export function isSelection(selection: unknown): selection is Selection {
  const { kind, equations, level, line, stack, cellId, path, column } =
    (selection ?? {}) as Record<string, unknown>;
  const isPlace = Number.isInteger(line) && Number.isInteger(column);
  switch (kind) {
    case 'equations':
      return (
        Array.isArray(equations) &&
        equations.every(
          equation =>
            Number.isInteger(equation?.scope) &&
            Number.isInteger(equation?.equation)
        )
      );
    case 'text':
      return (
        (level === 'stablehlo' || level === 'hlo') &&
        Number.isInteger(line) &&
        Number.isInteger(stack)
      );
    case 'caret':
      return typeof cellId === 'string' && isPlace;
    case 'source':
      return typeof path === 'string' && isPlace;
    default:
      return false;
  }
}

function isFilters(filters: unknown): filters is IKeptFilters {
  const { hidden, grouped, interleaved } = (filters ??
    {}) as Partial<IKeptFilters>;
  return (
    Array.isArray(hidden) &&
    hidden.every(noise => typeof noise === 'string') &&
    typeof grouped === 'boolean' &&
    typeof interleaved === 'boolean'
  );
}

function isTextPlace(place: unknown): place is ITextPlace {
  const { line, above, lines, closed, shown } = (place ??
    {}) as Partial<ITextPlace>;
  return (
    Number.isInteger(line) &&
    typeof above === 'number' &&
    (lines === undefined || Number.isInteger(lines)) &&
    Array.isArray(closed) &&
    closed.every(fold => Array.isArray(fold) && fold.every(Number.isInteger)) &&
    (shown === undefined ||
      (Array.isArray(shown) && shown.every(Number.isInteger)))
  );
}
