/** Checks the notes of a document, and the call that the panel offers to trace. */
import {
  count,
  checkEach,
  fields,
  flag,
  withDefault,
  integer,
  orNull,
  seconds,
  text
} from './structure';
import { checkCure, checkCureLevel, checkEdits } from './cures';
import { IPools } from './interned-pools';

export function checkNote(
  value: unknown,
  programs: number,
  pools: IPools
): void {
  const note = fields(value, 'notes');
  text(note.kind, 'notes.kind');
  text(note.text, 'notes.text');
  orNull(note.cure, 'notes.cure', text);
  orNull(note.detail, 'notes.detail', text);
  integer(note.program, 'notes.program', -1, programs);
  integer(note.frame, 'notes.frame', -1, pools.frames);
  orNull(note.bytes, 'notes.bytes', count);
  orNull(note.repetitions ?? null, 'notes.repetitions', count);
  orNull(note.carried ?? null, 'notes.carried', flag);
  orNull(note.code ?? null, 'notes.code', text);
  orNull(note.share ?? null, 'notes.share', seconds);
  orNull(note.title ?? null, 'notes.title', text);
  orNull(note.trial ?? null, 'notes.trial', text);
  checkEach(withDefault(note.price, []), 'notes.price', text);
  checkCureLevel(withDefault(note.level, 'advice'), 'notes.level');
  checkEdits(withDefault(note.edits, []), 'notes.edits', pools.frames);
  checkEach(withDefault(note.cures, []), 'notes.cures', cure =>
    checkCure(cure, 'notes.cures', pools.frames)
  );
}

export function checkRetrace(value: unknown, pools: IPools): void {
  const retrace = fields(value, 'retrace');
  text(retrace.call, 'retrace.call');
  integer(retrace.frame, 'retrace.frame', -1, pools.frames);
  text(retrace.question, 'retrace.question');
  flag(retrace.undoable, 'retrace.undoable');
}
