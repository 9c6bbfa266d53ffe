/**
 * Explains why a place in the code has no equation in the program in view, and names the equations that do come from
 * the place: those of another program of the run, or of the body of an unrolled loop.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Links, linksOf } from '../../model/links';
import { PROGRAMS_SEARCHED } from '../../model/users-programs';
import { shortened } from '../../parts/summary';
import type { Selection } from '../../tokens';

export function noEquationWords(
  place: Selection & { kind: 'caret' | 'source' },
  links: Links,
  trans: TranslationBundle
): string {
  const { snapshot, program } = links.equations;
  const otherPrograms = snapshot.programs
    .slice(0, PROGRAMS_SEARCHED)
    .filter(
      (candidate, at) =>
        candidate !== program &&
        linksOf(snapshot, at).resolve(place).equations.size > 0
    );
  if (otherPrograms.length > 0) {
    const names = [...new Set(otherPrograms.map(({ name }) => name))];
    return trans.__(
      'No equation of the program in view comes from this place. Programs with equations from this place: %1.',
      shortened(names.join(', '), 200)
    );
  }
  const isLoop = snapshot.notes.some(({ kind, frame }) => {
    if (frame < 0 || !['unrolled_loop', 'short_loop'].includes(kind)) {
      return false;
    }
    const [file, , line] = snapshot.frames[frame];
    const { path } = snapshot.files[file];
    return (
      line === place.line &&
      (place.kind === 'source'
        ? path === place.path
        : links.isOfCell(path, place.cellId))
    );
  });
  return isLoop
    ? trans.__(
        'No equation comes from the first line of the loop: tracing unrolled the loop, and the equations come from the lines of its body.'
      )
    : trans.__('No equation of the program in view comes from this place.');
}
