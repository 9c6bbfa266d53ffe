/** Asks the kernel to trace the cell that the user edits; one request at a time, always with the newest text. */
import type { EvaluableText } from '../protocol/evaluable';
import type { IJaxprModel } from '../tokens';
import { liveChoice, liveOf } from './live';

/** The milliseconds between the last key press and the trace. */
const PAUSE = 250;
/** The milliseconds until the next request, if the kernel is busy with a measurement. */
const AGAIN = 1000;

/** The present state of the cell that the user edits. */
export interface IWrittenCell {
  id: string;
  /** The text of the cell; null if the notebook is not trusted. */
  text: EvaluableText | null;
  /** The line of the caret, from 1; null if the caret is not in the cell. */
  line: number | null;
}

/** Traces the cells of one notebook while the user writes. */
export class LiveTracing {
  /**
   * @param _model The model of the notebook.
   * @param _read Reads the present state of a cell; null if the notebook no longer has the cell.
   */
  constructor(
    private _model: IJaxprModel,
    private _read: (cellId: string) => IWrittenCell | null
  ) {
    liveOf(_model).retry = specs => {
      if (this._cellId !== null) {
        this._specs.set(this._cellId, specs);
        void this._trace(this._cellId, true);
      }
    };
  }

  /** Starts the wait for the next trace, because the user has changed the text of a cell. */
  typed(cellId: string): void {
    this._cellId = cellId;
    this._wait(PAUSE);
  }

  /** Trace a cell now and only once. */
  traceNow(cellId: string): void {
    this._cellId = cellId;
    this._stopped.delete(cellId);
    void this._trace(cellId, true);
  }

  /** Ends the Live trace of a cell that has run: from now on the panel shows the run. */
  ran(cellId: string): void {
    this._stopped.delete(cellId);
    if (cellId === this._cellId) {
      this.stop();
    }
  }

  /** Stops tracing: the next trace is not requested, and the answer of a request in progress is ignored. */
  stop(): void {
    clearTimeout(this._timer);
    this._asked++;
    this._isNewer = false;
    liveOf(this._model).clear();
  }

  private _wait(milliseconds: number): void {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => {
      if (this._cellId !== null) {
        void this._trace(this._cellId, false);
      }
    }, milliseconds);
  }

  /** Sends a request; if another request is in progress, waits for its answer and then sends the newest text. */
  private async _trace(cellId: string, isAskedFor: boolean): Promise<void> {
    clearTimeout(this._timer);
    if (this._isAsking) {
      this._isNewer = true;
      return;
    }
    const cell = this._read(cellId);
    if (cell === null || this._model.isDisposed) {
      return;
    }
    if (cell.text === null) {
      liveOf(this._model).distrust(cellId);
      return;
    }
    if (!isAskedFor && this._stopped.has(cellId)) {
      return;
    }
    const source = cell.text;
    const request = ++this._asked;
    this._isAsking = true;
    const view = liveOf(this._model);
    const { snapshot, program } = this._model;
    try {
      const answer = await this._model.traceWritten({
        snapshot: '',
        source,
        cell_id: cellId,
        line: cell.line,
        in_view: snapshot?.programs[program]?.name ?? null,
        specs: this._specs.get(cellId) ?? null,
        last_level: liveChoice.lastLevel,
        is_asked_for: isAskedFor
      });
      if (request === this._asked && !this._model.isDisposed) {
        if (answer.state === 'stopped') {
          this._stopped.add(cellId);
        }
        // If the user has typed since, the next request has the new text, and this answer is not shown.
        if (this._read(cellId)?.text?.shown === source.shown) {
          view.show(cellId, answer);
        }
        if (answer.state === 'waiting') {
          this._wait(AGAIN);
        }
      }
    } catch (error) {
      if (request === this._asked && !this._model.isDisposed) {
        view.refuse(
          cellId,
          error instanceof Error ? error.message : String(error)
        );
      }
    } finally {
      this._isAsking = false;
      if (this._isNewer) {
        this._isNewer = false;
        void this._trace(this._cellId ?? cellId, false);
      }
    }
  }

  private _cellId: string | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _asked = 0;
  private _isAsking = false;
  private _isNewer = false;
  /** Cells whose trace took too long: they are traced again after they have run, or at the user's request. */
  private _stopped = new Set<string>();
  /** cell id -> argument types that the user typed */
  private _specs = new Map<string, EvaluableText>();
}
