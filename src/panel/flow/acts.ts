/** The acts of the cards on the model: select, and move between the panel and the cells. */
import { attentionOf } from '../../model/attention';
import { ISourceSpan } from '../../program-text/source-spans';
import { IEquationRef, IJaxprModel, Selection } from '../../tokens';
import { Reading } from './cards-of-program';

export class Acts {
  /**
   * @param _openProgram Put the Program view in front.
   */
  constructor(
    private _model: IJaxprModel,
    private _reading: Reading,
    private _openProgram: () => void
  ) {}

  /** Choose equations: their lines are marked in the cell. */
  select(equations: IEquationRef[]): void {
    this._set({ kind: 'equations', equations });
  }

  deselect(): void {
    this._set(null);
  }

  hover(equations: IEquationRef[] | null): void {
    this._model.setHover(equations && { kind: 'equations', equations });
  }

  /** Go to where equations were written. */
  goToSource(equations: IEquationRef[]): void {
    this.select(equations);
    const [span] = this._reading.links.resolve(this._model.selection).spans;
    if (span) {
      attentionOf(this._model).goToCell(span);
    }
  }

  /** Whether there is a cell to go to. */
  isInCell(span: ISourceSpan): boolean {
    return span.file.kind === 'cell';
  }

  /** Go to a place of a cell, with these equations chosen. */
  goToPlace(span: ISourceSpan, equations: IEquationRef[]): void {
    this.select(equations);
    attentionOf(this._model).goToCell({ ...span, role: 'own' });
  }

  /** Choose equations and show them in the Program view. */
  showInProgram(equations: IEquationRef[]): void {
    this.select(equations);
    this._openProgram();
    attentionOf(this._model).goToProgram();
  }

  /** Whether a selection was made here, and so is in view. */
  isOwn(selection: Selection | null): boolean {
    return selection === this._own;
  }

  private _set(selection: Selection | null): void {
    this._own = selection;
    // Where the mouse happens to rest does not count until it moves.
    this._model.setHover(null);
    this._model.setSelection(selection);
  }

  private _own: Selection | null = null;
}
