/** Makes the lines that the tooltip of the Flow tab shows: each construct of the program, and its number of steps. */
import { TranslationBundle } from '@jupyterlab/translation';

import { steppingOf } from '../../model/stepping';
import { IJaxprModel } from '../../tokens';
import { readingOf } from './cards-of-program';
import { cardName, stepsWords } from './words';

export function headlineOf(
  model: IJaxprModel,
  trans: TranslationBundle
): readonly string[] {
  const { snapshot, program } = model;
  if (snapshot === null || program < 0) {
    return [];
  }
  const reading = readingOf(snapshot, program);
  const stepping = steppingOf(model);
  return reading.all.map(({ control, index }) => {
    const name = cardName(reading, control, trans);
    const recorded = stepping.stepsRecorded(snapshot, index);
    const steps = stepsWords(control, recorded, trans);
    return steps === null ? name : trans.__('%1: %2', name, steps);
  });
}
