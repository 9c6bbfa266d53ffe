/** Makes the lines that the tooltip of the Time tab shows: the time of the first call and, if measured, of a warm call. */
import { TranslationBundle } from '@jupyterlab/translation';

import { screenStateOf } from '../../model/screen-state';
import { timingsOf } from '../../model/timings';
import { plain, stretches } from '../../parts/bold-numbers';
import { shortened } from '../../parts/summary';
import { IJaxprModel } from '../../tokens';
import { LONGEST, firstCallWords } from './words';

export function headlineOf(
  model: IJaxprModel,
  trans: TranslationBundle
): readonly string[] {
  const { snapshot } = model;
  const program = snapshot?.programs[model.program];
  if (!snapshot || !program || screenStateOf(model).outcomesHidden) {
    return [];
  }
  const timing = timingsOf(model).timingOf(snapshot, model.program);
  const firstCall = plain(stretches(firstCallWords(program, trans)));
  return timing === null
    ? [firstCall]
    : [firstCall, shortened(timing.sentence, LONGEST)];
}
