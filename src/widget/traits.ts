/**
 * Synchronizes the traits of the widget with what the widget shows, in both directions: code in a notebook can set and
 * observe the traits.
 *
 * A host may have saved the traits with the notebook, and a saved notebook cannot be trusted: a value that does not fit
 * the document is ignored.
 */
import { isSelection, readingPlaceOf } from '../model/reading-place';
import type { JaxprModel } from '../model/model';
import type { Shell } from '../panel/shell/shell';
import { VIEW_NAMES, ViewName } from '../panel/shell/view-names';
import type { Snapshot } from '../protocol/snapshot';
import type { LevelName, ModelChange, Selection } from '../tokens';

/** The part of anywidget's model that is used here. */
export interface ITraits {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const LEVELS: readonly LevelName[] = ['jaxpr', 'stablehlo', 'hlo'];
const DRIVEN = ['program', 'tab', 'level', 'selection'] as const;

export class Traits {
  constructor(
    private _traits: ITraits,
    private _model: JaxprModel,
    private _shell: Shell
  ) {
    for (const name of DRIVEN) {
      _traits.on(`change:${name}`, this._take);
    }
    _model.changed.connect(this._onModel, this);
    readingPlaceOf(_model).changed.connect(this._tellSoon, this);
    _shell.viewChosen = view => {
      this._tab = view;
      this._tellSoon();
    };
  }

  /**
   * Apply the values of the traits (such as the tab, the program and the selection) that fit the document in view.
   * @returns False if the document in view is not the widget's.
   */
  take(): boolean {
    const { _model: model, _traits: traits, _document: snapshot } = this;
    if (snapshot === null) {
      return false;
    }
    this._takes = true;
    const program = traits.get('program');
    if (
      Number.isInteger(program) &&
      snapshot.programs[program as number] !== undefined
    ) {
      model.setProgram(program as number);
    }
    const level = LEVELS.find(name => name === traits.get('level'));
    const place = readingPlaceOf(model);
    if (level !== undefined && level !== place.level) {
      place.restore({
        run: snapshot.id,
        program: model.program,
        level,
        selection: model.selection,
        texts: {},
        filters: {}
      });
    }
    const tab = VIEW_NAMES.find(name => name === traits.get('tab'));
    if (tab !== undefined && tab !== this._tab) {
      this._tab = tab;
      this._shell.showView(tab);
    }
    const selection = traits.get('selection') ?? null;
    if (selection === null || isIn(snapshot, selection)) {
      model.setSelection(selection as Selection | null);
    }
    this._takes = false;
    this._tellSoon();
    return true;
  }

  dispose(): void {
    this._isDisposed = true;
    for (const name of DRIVEN) {
      this._traits.off(`change:${name}`, this._take);
    }
    this._model.changed.disconnect(this._onModel, this);
    readingPlaceOf(this._model).changed.disconnect(this._tellSoon, this);
  }

  private _take = (): void => {
    if (!this._tells) {
      this.take();
    }
  };

  private _onModel(_: unknown, change: ModelChange): void {
    if (change === 'program' || change === 'selection') {
      this._tellSoon();
    }
  }

  /** Sends the changed traits together, because several may change at once. */
  private _tellSoon(): void {
    if (!this._takes && !this._isToTell) {
      this._isToTell = true;
      queueMicrotask(() => {
        this._isToTell = false;
        if (!this._isDisposed) {
          this._tell();
        }
      });
    }
  }

  private _tell(): void {
    const { _model: model, _traits: traits } = this;
    if (this._document === null) {
      return;
    }
    const now: Record<(typeof DRIVEN)[number], unknown> = {
      program: model.program,
      tab: this._tab,
      level: readingPlaceOf(model).level,
      selection: model.selection
    };
    const changed = DRIVEN.filter(
      name =>
        JSON.stringify(now[name]) !== JSON.stringify(traits.get(name) ?? null)
    );
    if (changed.length > 0) {
      this._tells = true;
      changed.forEach(name => traits.set(name, now[name]));
      traits.save_changes();
      this._tells = false;
    }
  }

  /** The widget's document if it is in view; else null: an earlier run, which the Diff tab needs, may be in view. */
  private get _document(): Snapshot | null {
    const { snapshot } = this._model;
    const own = (this._traits.get('document') ?? null) as {
      id?: unknown;
    } | null;
    return snapshot?.id === own?.id ? snapshot : null;
  }

  private _tab: ViewName = 'program';
  /**
   * True while the values of the traits are applied; the changes that this makes are not written back to the traits.
   */
  private _takes = false;
  private _tells = false;
  private _isToTell = false;
  private _isDisposed = false;
}

/** True if a value is a selection of something that the document has. */
export function isIn(snapshot: Snapshot, value: unknown): value is Selection {
  if (!isSelection(value)) {
    return false;
  }
  switch (value.kind) {
    case 'equations':
      return value.equations.every(
        ({ scope, equation }) =>
          equation >= 0 && equation < (snapshot.scopes[scope]?.count ?? 0)
      );
    case 'text':
      return value.line >= 0 && value.stack >= -1;
    case 'caret':
    case 'source':
      return value.line >= 1 && value.column >= 0;
  }
}
