/** Explains a name such as `x=y` at the end of a line: a name inside a call, and the name of the value outside. */
import { TranslationBundle } from '@jupyterlab/translation';

export const joinedNamesHint = (trans: TranslationBundle): string =>
  trans.__(
    'The name to the left of “=” is the name of a value inside the call. The name to the right of “=” is the name of the same value outside of the call.'
  );
