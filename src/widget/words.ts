/** The texts of the widget, always in English: a host has no translations. */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Fills the placeholders %1, %2, ...; a doubled % becomes one. */
function filled(text: string, values: readonly unknown[]): string {
  return text.replace(/%(%|\d+)/g, (_, place) =>
    place === '%' ? '%' : String(values[Number(place) - 1])
  );
}

const singleForm = (text: string, ...values: unknown[]): string =>
  filled(text, values);
const several = (
  singular: string,
  plural: string,
  n: number,
  ...values: unknown[]
): string => filled(n === 1 ? singular : plural, [n, ...values]);
const severalIn = (
  _context: string,
  singular: string,
  plural: string,
  n: number,
  ...values: unknown[]
): string => several(singular, plural, n, ...values);

export const english: TranslationBundle = {
  __: singleForm,
  gettext: singleForm,
  _n: several,
  ngettext: several,
  _p: (_: string, text: string, ...values: unknown[]) => filled(text, values),
  pgettext: (_: string, text: string, ...values: unknown[]) =>
    filled(text, values),
  _np: severalIn,
  npgettext: severalIn,
  dcnpgettext: (
    _domain: string,
    context: string,
    singular: string,
    plural: string,
    n: number,
    ...values: unknown[]
  ) => severalIn(context, singular, plural, n, ...values)
};
