/** Carries out the actions of cards: choose equations, and move the keyboard focus between the panel and the cells. */
import { screenStateOf } from '../../model/screen-state';
import { ISourceSpan } from '../../program-text/source-spans';
import { IEquationRef, IJaxprModel, Selection } from '../../tokens';
import { Reading } from './cards-of-program';

export class Acts {
  /** @param _openProgram Shows the Program view. */
  constructor(
    private _model: IJaxprModel,
    private _reading: Reading,
    private _openProgram: () => void
  ) {}

  /** Chooses equations; the notebook's cell then marks the lines of the equations. */
  select(equations: IEquationRef[]): void {
    this._set({ kind: 'equations', equations });
  }

  deselect(): void {
    this._set(null);
  }

  hover(equations: IEquationRef[] | null): void {
    this._model.setHover(equations && { kind: 'equations', equations });
  }

  /** Moves the keyboard focus to the line of the notebook's cell where the user wrote the code of the equations. */
  goToSource(equations: IEquationRef[]): void {
    this.select(equations);
    const [span] = this._reading.links.resolve(this._model.selection).spans;
    if (span) {
      screenStateOf(this._model).goToCell(span);
    }
  }

  /** True if the span is in a cell of a notebook, not in a file. */
  isInCell(span: ISourceSpan): boolean {
    return span.file.kind === 'cell';
  }

  /** Goes to a place of a cell, with these equations chosen. */
  goToPlace(span: ISourceSpan, equations: IEquationRef[]): void {
    this.select(equations);
    screenStateOf(this._model).goToCell({ ...span, role: 'own' });
  }

  /** Choose equations and show them in the Program view. */
  showInProgram(equations: IEquationRef[]): void {
    this.select(equations);
    this._openProgram();
    screenStateOf(this._model).goToProgram();
  }

  /** True if the selection was made in this view, so that its card is visible already. */
  isOwn(selection: Selection | null): boolean {
    return selection === this._own;
  }

  private _set(selection: Selection | null): void {
    this._own = selection;
    // The mouse may rest on an equation; its preview would hide the new selection.
    this._model.setHover(null);
    this._model.setSelection(selection);
  }

  private _own: Selection | null = null;
}
