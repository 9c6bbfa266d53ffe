/** Makes the lines that the tooltip of the Notes tab shows: each note with its place and, if known, its line of code. */
import { TranslationBundle } from '@jupyterlab/translation';

import { notePlace, shortened } from '../../parts/summary';
import { IJaxprModel } from '../../tokens';
import { excerptOf } from './note-code';

const LONGEST = 300;

export function headlineOf(
  model: IJaxprModel,
  trans: TranslationBundle
): readonly string[] {
  const { snapshot } = model;
  return (snapshot?.notes ?? []).flatMap(note => {
    const place = snapshot === null ? null : notePlace(snapshot, note, trans);
    const text = shortened(note.title ?? note.text, LONGEST);
    const words = place === null ? text : trans.__('%1: %2', place.label, text);
    const excerpt = snapshot === null ? null : excerptOf(snapshot, note);
    const [code] = excerpt?.lines ?? [];
    return code === undefined
      ? [words]
      : [words, `    ${shortened(code.trim(), LONGEST)}`];
  });
}
