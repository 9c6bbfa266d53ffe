/** Words why the kernel of a notebook cannot be asked, and what to do. */
import { TranslationBundle } from '@jupyterlab/translation';

import { IJaxprModel } from '../../tokens';

/** Why a kernel cannot be asked about a run that does not come from a saved copy. */
export function missingKernelWords(
  model: IJaxprModel,
  trans: TranslationBundle
): string {
  const { status } = model;
  return status.kind === 'stale'
    ? `${status.reason}. ${status.cure}`
    : trans.__('No kernel answers. Start a kernel and run the cell again.');
}
