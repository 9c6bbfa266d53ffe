/** Makes the short texts on a run: signature, size, activity (in the kernel's words), cell and time. */
import { TranslationBundle } from '@jupyterlab/translation';

import { ISourceSpan } from '../program-text/source-spans';
import { Argument, Note, Program, Snapshot } from '../protocol/snapshot';
import { clock, duration, grouped } from '../quantities';

/** Longer names and types are cut, because a saved notebook may contain any text. */
const LONGEST = 400;

export function shortened(text: string, longest: number = LONGEST): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Returns the program that is shown first; null if there is none. */
export function shownFirst(snapshot: Snapshot): Program | null {
  return snapshot.programs[snapshot.focus] ?? null;
}

/** Says why a document has no program. In the saved copy of a large run, all programs may have been left out. */
export function withoutProgram(
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  return (
    snapshot.message ??
    snapshot.cut ??
    trans.__('This run has no program to show.')
  );
}

/** Returns a short form of the arguments: `({b, w}, f32[8])`. */
export function shortArguments(program: Program): string {
  return shortened(
    `(${program.arguments.map(argument => argument.summary).join(', ')})`
  );
}

/** Returns the name of an argument as it stands before its type: `xs: `, or `n=` for a static argument. */
export function argumentName(argument: Argument): string {
  if (argument.name === '') {
    return '';
  }
  return `${shortened(argument.name)}${argument.static ? '=' : ': '}`;
}

/** Returns the complete signature as one text, for screen readers and tooltips. */
export function fullSignature(program: Program): string {
  const parts = program.arguments.map(
    argument => `${argumentName(argument)}${argument.type}`
  );
  const result = program.result === null ? '' : ` → ${program.result.type}`;
  return `(${parts.join(', ')})${result}`;
}

// In a plural text, %1 is the plain number and %2 the formatted number.
export function equations(count: number, trans: TranslationBundle): string {
  return trans._n('%2 equation', '%2 equations', count, grouped(count));
}

/** Returns the kernel's text on the calls of the function in the run and the origin of the program; null if unknown. */
export function activityWords(program: Program): string | null {
  const words = program.summary?.activity ?? null;
  return words === null ? null : shortened(words);
}

export function originWords(program: Program): string | null {
  const words = program.summary?.origin ?? null;
  return words === null ? null : shortened(words);
}

/**
 * Returns the size of a program: `17 equations`, `1 scan ×100`. Documents of earlier versions state only the equations.
 */
export function sizeWords(program: Program, trans: TranslationBundle): string {
  const size = program.summary?.size ?? [equations(program.equations, trans)];
  return shortened(size.join(' · '));
}

/** Returns the time of the first call; null if the program was made in an earlier run. */
export function firstCall(program: Program): string | null {
  const total = program.stages?.total ?? null;
  const made = program.origin === 'ran' || program.origin === 'derived';
  return made && total !== null ? duration(total) : null;
}

/** Returns the cell and the time of a run: `Cell [7] · 02:34`. */
export function whereAndWhen(
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  const time = clock(new Date(snapshot.created * 1000));
  const number = snapshot.cell?.execution_count ?? null;
  return number === null
    ? trans.__('Run at %1', time)
    : trans.__('Cell [%1] · %2', number, time);
}

/** Where a note is. */
export interface INotePlace {
  /** The text for the place: `Line 4`, `Line 4 of cell [3]`, `Line 12 of model.py`. */
  label: string;
  /** The id of the cell that contains the line; null if no cell does. */
  cellId: string | null;
  span: ISourceSpan;
}

export function notePlace(
  snapshot: Snapshot,
  note: Note,
  trans: TranslationBundle
): INotePlace | null {
  return framePlace(snapshot, note.frame, trans);
}

/** The place of a frame; null for the frame -1. */
export function framePlace(
  snapshot: Snapshot,
  frame: number,
  trans: TranslationBundle
): INotePlace | null {
  if (frame < 0) {
    return null;
  }
  const [fileIndex, name, line, column, endLine, endColumn] =
    snapshot.frames[frame];
  const file = snapshot.files[fileIndex];
  const span = {
    file,
    function: snapshot.strings[name],
    line,
    column,
    endLine,
    endColumn
  };
  if (file.kind !== 'cell') {
    const path = shortened(file.path.split(/[\\/]/).pop() ?? file.path, 60);
    const label = trans.__('Line %1 of %2', line, path);
    return { label, cellId: null, span };
  }
  const own = snapshot.cell !== null && snapshot.cell.file === file.path;
  const cellId = file.cell_id ?? (own ? (snapshot.cell?.id ?? null) : null);
  const label =
    own || file.execution_count === null
      ? trans.__('Line %1', line)
      : trans.__('Line %1 of cell [%2]', line, file.execution_count);
  return { label, cellId, span };
}
