/** Checks the kernel's answer about its startup file; a `Mismatch` names the wrong field. */
import type { StartupState } from './snapshot';
import { fields, flag, text } from './structure';

/** Check the path and the text of the startup file, which the user sees before the kernel writes the file. */
export function checkStartupState(value: unknown, field: string): StartupState {
  const state = fields(value, field);
  text(state.file, `${field}.file`);
  text(state.text, `${field}.text`);
  flag(state.written, `${field}.written`);
  return state as unknown as StartupState;
}
