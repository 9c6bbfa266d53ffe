/** Makes the text of a whole program for the clipboard. */
import { ProgramEquations } from '../program-text/equations';
import { fullText } from '../program-text/full-text';
import { nameProgram } from '../program-text/printed-variable-names';
import { assignedNames } from '../program-text/assigned-names';
import { Snapshot } from '../protocol/snapshot';

/** The complete jaxpr, with nothing folded; comments state the names that results have in the user's code. */
export function programText(snapshot: Snapshot, program: number): string {
  const equations = new ProgramEquations(snapshot, snapshot.programs[program]);
  return fullText(equations, nameProgram(equations), assignedNames(snapshot));
}
