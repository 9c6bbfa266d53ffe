/** Makes the lines that the tooltip of the Cost tab shows: the kernel's sentences on the cost, and the primitives. */
import { TranslationBundle } from '@jupyterlab/translation';

import { measureOf } from '../../model/cost-shares';
import { costsOf } from '../../model/costs';
import { IJaxprModel } from '../../tokens';
import { readingOf } from './cost-rows';
import { lead, primitivesWords } from './words';

export function headlineOf(
  model: IJaxprModel,
  trans: TranslationBundle
): readonly string[] {
  const { snapshot, program } = model;
  const cost =
    snapshot === null ? null : costsOf(model).costOf(snapshot, program);
  if (snapshot === null || cost === null) {
    return [];
  }
  const reading = readingOf(snapshot, program, cost);
  const primitives = primitivesWords(reading, measureOf(cost), trans);
  return [...lead(reading), ...(primitives === null ? [] : [primitives])];
}
