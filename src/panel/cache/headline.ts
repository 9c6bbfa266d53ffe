/** Makes the lines that the tooltip of the Cache tab shows: the cost of the misses, and the reasons of this run. */
import { TranslationBundle } from '@jupyterlab/translation';

import { IJaxprModel } from '../../tokens';
import { screenStateOf } from '../../model/screen-state';
import { shortened } from '../../parts/summary';
import { calledFunction } from './functions';
import { LONGEST } from './words';

export function headlineOf(
  model: IJaxprModel,
  trans: TranslationBundle
): readonly string[] {
  const ledger = model.snapshot?.ledger ?? null;
  if (ledger === null || screenStateOf(model).outcomesHidden) {
    return [];
  }
  const lead = shortened(ledger.lead ?? '', LONGEST);
  const reasons = ledger.functions
    .flatMap(({ name, misses }) =>
      misses.map(miss => ({ miss, called: calledFunction(miss) || name }))
    )
    .filter(({ miss }) => miss.this_run)
    .flatMap(({ miss, called }) =>
      miss.reasons.map(({ text }) =>
        trans.__('%1: %2', shortened(called, LONGEST), shortened(text, LONGEST))
      )
    );
  return [...(lead === '' ? [] : [lead]), ...new Set(reasons)];
}
