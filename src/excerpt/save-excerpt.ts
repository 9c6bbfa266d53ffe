/** Saves the linked excerpt of the selection as an SVG file. */
import { TranslationBundle } from '@jupyterlab/translation';

import { aboveAll } from '../host';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { saveAs, standaloneSvg } from '../parts/standalone-svg';
import {
  ProgramListings,
  closeListings,
  openListings
} from '../workbench/levels/program-listings';
import { drawExcerpt } from './drawing';
import { excerptOf } from './chosen-lines';

/**
 * Save the lines that are linked to the selection; texts that only the kernel has are fetched first.
 *
 * @returns Whether there was anything to save.
 */
export async function saveExcerpt(
  model: IJaxprModel,
  trans: TranslationBundle
): Promise<boolean> {
  const { snapshot, program, selection } = model;
  if (snapshot === null || program < 0 || selection === null) {
    return false;
  }
  const listings = openListings(snapshot, program, trans);
  try {
    await fetchTexts(listings, model);
    const excerpt = excerptOf(listings, selection, trans);
    if (excerpt === null) {
      return false;
    }
    const title = titleOf(snapshot, program, trans);
    // The drawing is put into the page for a moment, because only there does it take the colours of the theme.
    const place = document.createElement('div');
    place.className = 'jp-JaxprPanel jp-JaxprExcerpt-place';
    place.setAttribute('aria-hidden', 'true');
    aboveAll().append(place);
    try {
      const svg = drawExcerpt(excerpt, title, trans);
      place.append(svg);
      const { name } = snapshot.programs[program];
      saveAs(
        `${name.replace(/[^\w.-]+/g, '_')}-excerpt.svg`,
        standaloneSvg(svg, title)
      );
    } finally {
      place.remove();
    }
    return true;
  } finally {
    closeListings(listings);
  }
}

async function fetchTexts(
  { program, texts, pages }: ProgramListings,
  { requests }: IJaxprModel
): Promise<void> {
  for (const level of program.levels) {
    if (texts.has(level.name)) {
      continue;
    }
    if (level.state === 'held') {
      pages.takeText(level.name, level);
    } else if (level.state === 'on_request' && requests !== null) {
      await pages.text(level.name, requests);
    }
  }
}

/** A title such as `rnn · cell [3]`. */
function titleOf(
  { cell, programs }: Snapshot,
  program: number,
  trans: TranslationBundle
): string {
  const { name } = programs[program];
  const count = cell?.execution_count ?? null;
  return count === null ? name : trans.__('%1 · cell [%2]', name, count);
}
