/** Checks the result of a reply by the name of its request. */
import { ANSWERS_BY_PROGRAM } from './answers-by-program';
import { checkVariantComparison } from './comparison';
import { checkProgramCost } from './cost';
import { IDocumentSizes } from './document-sizes';
import { checkProgramDiff } from './diff';
import { checkScopePage } from './scopes';
import { checkSnapshot } from './document';
import { checkTextPage } from './texts';
import { checkLiveProgram } from './live';
import { checkPassDiff } from './passes';
import { Answer, RequestName } from './request-types';
import { checkRecording } from './steps';
import { checkSourcePage } from './source';
import { checkStartupState } from './startup';
import { flag, text } from './structure';
import { checkMachine, checkProgramTiming, checkSweep } from './timing';

type Check<Name extends RequestName> = (
  value: unknown,
  field: string,
  sizes: IDocumentSizes
) => Answer<Name>;

/** The check of the answer to each request; a failed check throws `Mismatch`. */
export const ANSWERS: { readonly [Name in RequestName]: Check<Name> } = {
  ...ANSWERS_BY_PROGRAM,
  compare: (value, field, { programs }) =>
    checkVariantComparison(value, field, programs),
  cost: checkProgramCost,
  cures: checkSnapshot,
  diff: checkProgramDiff,
  export: text,
  live: checkLiveProgram,
  live_diff: checkProgramDiff,
  machine: checkMachine,
  make: checkSnapshot,
  pass_diff: (value, field, { programs }) =>
    checkPassDiff(value, field, programs),
  scope: (value, _, { scopes }) => checkScopePage(value, scopes.length),
  source: checkSourcePage,
  startup: checkStartupState,
  steps: value => checkRecording(value),
  sweep: checkSweep,
  text: (value, _, { scopes }) => checkTextPage(value, scopes),
  time: (value, field, { programs }) =>
    checkProgramTiming(value, field, programs),
  transform: checkSnapshot,
  values: flag
};
