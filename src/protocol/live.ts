/** Checks Live's answer about the cell that the user edits; a `Mismatch` names the wrong field. */
import { checkSnapshot } from './document';
import type { LiveProgram } from './snapshot';
import {
  fields,
  withDefault,
  integer,
  oneOf,
  orNull,
  seconds,
  text
} from './structure';

const STATES = [
  'traced',
  'raised',
  'not_traced',
  'needs_arguments',
  'no_function',
  'no_python',
  'waiting',
  'stopped'
] as const;

/** Check the answer, and the document in the answer as every document is checked. */
export function checkLiveProgram(value: unknown, field: string): LiveProgram {
  const live = fields(value, field);
  oneOf(live.state, `${field}.state`, STATES);
  orNull(live.function, `${field}.function`, text);
  orNull(live.line, `${field}.line`, (line, at) => integer(line, at, 1));
  orNull(live.text, `${field}.text`, text);
  orNull(live.snapshot, `${field}.snapshot`, checkSnapshot);
  seconds(live.seconds, `${field}.seconds`);
  orNull(withDefault(live.cost, null), `${field}.cost`, text);
  return live as unknown as LiveProgram;
}
