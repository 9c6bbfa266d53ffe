/** Summarises a snapshot: signature, size and activity in the kernel's words, place and time. */
import { TranslationBundle } from '@jupyterlab/translation';

import { ISourceSpan } from '../program-text/source-spans';
import { Argument, Note, Program, Snapshot } from '../protocol/snapshot';
import { clock, duration, grouped } from '../quantities';

/** Names and types longer than this are cut: a saved notebook may hold anything. */
const LONGEST = 400;

export function shortened(text: string, longest: number = LONGEST): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The program that is shown first; null if there is none. */
export function shownFirst(snapshot: Snapshot): Program | null {
  return snapshot.programs[snapshot.focus] ?? null;
}

/** Why a snapshot has no program to show; a saved copy of a large run may have left all programs out. */
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

/** A short form of the arguments: `({b, w}, f32[8])`. */
export function shortArguments(program: Program): string {
  return shortened(
    `(${program.arguments.map(argument => argument.summary).join(', ')})`
  );
}

/** The name of an argument before its type: `xs: ` or, for a static argument, `n=`. */
export function argumentName(argument: Argument): string {
  if (argument.name === '') {
    return '';
  }
  return `${shortened(argument.name)}${argument.static ? '=' : ': '}`;
}

/** The whole signature as one text, for a screen reader and for a tooltip. */
export function fullSignature(program: Program): string {
  const parts = program.arguments.map(
    argument => `${argumentName(argument)}${argument.type}`
  );
  const result = program.result === null ? '' : ` → ${program.result.type}`;
  return `(${parts.join(', ')})${result}`;
}

// In a plural text, %1 is the bare number, and %2 the number as it is shown.
export function equations(count: number, trans: TranslationBundle): string {
  return trans._n('%2 equation', '%2 equations', count, grouped(count));
}

/** The calls of the function in the run and the origin of the program, in the kernel's words; null if unknown. */
export function activityWords(program: Program): string | null {
  const words = program.summary?.activity ?? null;
  return words === null ? null : shortened(words);
}

export function originWords(program: Program): string | null {
  const words = program.summary?.origin ?? null;
  return words === null ? null : shortened(words);
}

/** The size of a program: `17 equations`, `1 scan ×100`. Documents of earlier versions have only the equations. */
export function sizeWords(program: Program, trans: TranslationBundle): string {
  const size = program.summary?.size ?? [equations(program.equations, trans)];
  return shortened(size.join(' · '));
}

/** The time of the first call; null if this run did not make the program. */
export function firstCall(program: Program): string | null {
  const total = program.stages?.total ?? null;
  const made = program.origin === 'ran' || program.origin === 'derived';
  return made && total !== null ? duration(total) : null;
}

/** The cell and the time of the run: `Cell [7] · 02:34`. */
export function whereAndWhen(
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  const time = clock(new Date(snapshot.created * 1000));
  const number = snapshot.cell?.execution_count ?? null;
  return number === null
    ? trans.__('Run · %1', time)
    : trans.__('Cell [%1] · %2', number, time);
}

/** The place of a note. */
export interface INotePlace {
  /** The words of a place: `Line 4`, `Line 4 of cell [3]`, `Line 12 of model.py`. */
  label: string;
  /** The id of the cell of the line; null if the line is in no cell. */
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
