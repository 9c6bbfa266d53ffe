/** Makes the lines that the tooltip of the Compare tab shows: what a comparison does, and the programs. */
import { TranslationBundle } from '@jupyterlab/translation';

import { usersPrograms } from '../../model/users-programs';
import { shortArguments, shortened } from '../../parts/summary';
import { IJaxprModel } from '../../tokens';
import { comparisonWords } from './words';

/** Longer sentences are cut: a saved notebook may hold anything. */
const LONGEST = 400;

export function headlineOf(
  model: IJaxprModel,
  trans: TranslationBundle
): readonly string[] {
  const { snapshot } = model;
  if (snapshot === null) {
    return [];
  }
  const { comparison } = snapshot;
  const programs = usersPrograms(snapshot).map(index => {
    const program = snapshot.programs[index];
    return `${shortened(program.name, 80)} ${shortArguments(program)}`;
  });
  return comparison
    ? comparison.verdict.map(sentence => shortened(sentence, LONGEST))
    : [comparisonWords(trans), ...programs];
}
