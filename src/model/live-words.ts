/** Makes the description of Live for its switch. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { LastLevel } from './live';

/** The description of Live that its switch shows. */
export function liveWords(
  lastLevel: LastLevel,
  trans: TranslationBundle
): string {
  if (lastLevel === 'hlo') {
    return trans.__(
      "While you type, your function's Python runs on tracers, and XLA compiles the program. None of your calls is executed."
    );
  }
  return trans.__(
    "While you type, your function's Python runs on tracers. Nothing is compiled, and none of your calls is executed."
  );
}
