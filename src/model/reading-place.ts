/**
 * The place where a person reads: run, program, level, scroll, folds, selection; restored after a reload.
 *
 * The place in a text belongs to a level of a program of a run: who goes to another program and back finds the text
 * where the text was.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { IJaxprModel, LevelName, ModelChange, Selection } from '../tokens';

/** A place in a text. */
export interface ITextPlace {
  /** The line at the top, from 0. */
  readonly line: number;
  /** Pixels of that line above the top. */
  readonly above: number;
  /** The folds that are closed: the first and the last line of each. */
  readonly closed: readonly (readonly [number, number])[];
}

/** What is kept of a notebook, as plain data. */
export interface IKeptPlace {
  readonly run: string | null;
  readonly program: number;
  readonly level: LevelName;
  readonly selection: Selection | null;
  readonly texts: Readonly<Record<string, ITextPlace>>;
}

/** Texts of which the place is kept, of a notebook. */
const TEXTS_KEPT = 24;
const LEVELS: readonly LevelName[] = ['jaxpr', 'stablehlo', 'hlo'];

const places = new WeakMap<IJaxprModel, ReadingPlace>();

/** The place in the programs of a notebook. */
export function readingPlaceOf(model: IJaxprModel): ReadingPlace {
  let place = places.get(model);
  if (place === undefined) {
    place = new ReadingPlace(model);
    places.set(model, place);
  }
  return place;
}

export class ReadingPlace {
  constructor(private _model: IJaxprModel) {
    _model.changed.connect(this._onModel, this);
  }

  /** The place has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** A place of before the reload has come. */
  get restored(): ISignal<this, void> {
    return this._restored;
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
    level: LevelName
  ): ITextPlace | null {
    return this._texts.get(`${snapshot} ${program} ${level}`) ?? null;
  }

  keepText(
    snapshot: string,
    program: number,
    level: LevelName,
    place: ITextPlace
  ): void {
    const key = `${snapshot} ${program} ${level}`;
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

  /** As plain data; null while the place of before the reload is still to come into view. */
  get kept(): IKeptPlace | null {
    const { snapshot, program, selection } = this._model;
    return this._wanted !== null || snapshot === null
      ? null
      : {
          run: snapshot.id,
          program,
          level: this._level,
          selection,
          texts: Object.fromEntries(this._texts)
        };
  }

  /** Go where a person was; what makes no sense is left out. */
  restore(kept: unknown): void {
    const read = readPlace(kept);
    if (read === null) {
      return;
    }
    this._level = read.level;
    this._texts = new Map([...Object.entries(read.texts), ...this._texts]);
    this._wanted = read;
    this._goOn();
    this._restored.emit();
  }

  private _onModel(_: unknown, change: ModelChange): void {
    if (change === 'snapshots') {
      this._goOn();
    }
    if (change !== 'hover' && change !== 'status') {
      this._changed.emit();
    }
  }

  /** Put the run that was in view before the reload into view, once the kernel has sent it. */
  private _goOn(): void {
    const { _wanted: wanted, _model: model } = this;
    if (wanted === null || this._goes) {
      return;
    }
    if (model.runs.some(({ snapshot }) => snapshot.created > this._began)) {
      this._wanted = null; // the user has run a cell meanwhile
      return;
    }
    const run = model.runs.find(({ snapshot }) => snapshot.id === wanted.run);
    if (run === undefined || run.fromSaved) {
      return;
    }
    this._goes = true;
    this._wanted = null;
    model.setRun(run.snapshot.id);
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
  private _wanted: IKeptPlace | null = null;
  private _goes = false;
  private _began = Date.now() / 1000;
}

function readPlace(kept: unknown): IKeptPlace | null {
  if (typeof kept !== 'object' || kept === null) {
    return null;
  }
  const { run, program, level, selection, texts } = kept as Partial<IKeptPlace>;
  const known = LEVELS.find(name => name === level);
  if (
    typeof run !== 'string' ||
    !Number.isInteger(program) ||
    known === undefined
  ) {
    return null;
  }
  return {
    run,
    program: program as number,
    level: known,
    selection: isEquations(selection) ? selection : null,
    texts: Object.fromEntries(
      Object.entries(texts ?? {}).filter(([, place]) => isTextPlace(place))
    )
  };
}

/** The other kinds point into a cell or a file, which may have changed. */
function isEquations(selection: unknown): selection is Selection {
  const { kind, equations } = (selection ?? {}) as {
    kind?: unknown;
    equations?: unknown;
  };
  return (
    kind === 'equations' &&
    Array.isArray(equations) &&
    equations.every(
      ({ scope, equation }) =>
        Number.isInteger(scope) && Number.isInteger(equation)
    )
  );
}

function isTextPlace(place: unknown): place is ITextPlace {
  const { line, above, closed } = (place ?? {}) as Partial<ITextPlace>;
  return (
    Number.isInteger(line) &&
    typeof above === 'number' &&
    Array.isArray(closed) &&
    closed.every(fold => Array.isArray(fold) && fold.every(Number.isInteger))
  );
}
