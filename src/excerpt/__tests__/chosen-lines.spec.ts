import { nullTranslator } from '@jupyterlab/translation';

import { golden } from '../../program-text/__tests__/documents';
import type { Selection } from '../../tokens';
import { openListings } from '../../workbench/levels/program-listings';
import { drawExcerpt } from '../drawing';
import { IExcerpt, excerptOf } from '../chosen-lines';

const trans = nullTranslator.load('jupyter_jaxpr');

function excerpt(selection: Selection, name = 'rnn-0.12'): IExcerpt | null {
  const snapshot = golden(name);
  const listings = openListings(snapshot, snapshot.focus, trans);
  for (const level of listings.program.levels) {
    if (level.state === 'held') {
      listings.pages.takeText(level.name, level);
    }
  }
  return excerptOf(listings, selection, trans);
}

/** Makes the selection of a line of the source; lines count from 1. */
function line(number: number): Selection {
  const { cell } = golden('rnn-0.12');
  return {
    kind: 'caret',
    cellId: cell?.id ?? '',
    line: number,
    column: 0
  };
}

describe('an excerpt', () => {
  it('has the line, its equations, and what belongs to what', () => {
    const found = excerpt(line(7));
    expect(found?.columns[0]).toEqual({
      title: 'Source',
      lines: [
        {
          number: '7',
          text: 'h = jnp.tanh(a + r + p["b"])',
          indent: 0,
          inferred: false
        }
      ],
      more: 0
    });
    expect(found?.columns[1].title).toBe('jaxpr');
    const equations = found?.columns[1].lines.map(({ text }) => text) ?? [];
    expect(equations).toHaveLength(3);
    expect(equations[2]).toContain('= tanh ');
    expect(found?.links.filter(({ column }) => column === 0)).toEqual(
      [0, 1, 2].map(to => ({ column: 0, from: 0, to, inferred: false }))
    );
  });

  it('is none where nothing is linked', () => {
    expect(excerpt(line(1))).toBeNull();
  });

  it('counts what is too much for a picture', () => {
    const snapshot = golden('unrolled-0.12');
    const { scope } = snapshot.programs[snapshot.focus];
    const found = excerpt(
      {
        kind: 'equations',
        equations: Array.from({ length: 40 }, (_, equation) => ({
          scope,
          equation
        }))
      },
      'unrolled-0.12'
    );
    expect(found?.columns[1].lines).toHaveLength(24);
    expect(found?.columns[1].more).toBe(16);
    const svg = drawExcerpt(found as IExcerpt, 'unrolled', trans);
    expect(svg.textContent).toContain('… 16 more lines');
  });

  it('is drawn with text as text, and one line for each link', () => {
    const svg = drawExcerpt(excerpt(line(7)) as IExcerpt, 'rnn', trans);
    const texts = [...svg.querySelectorAll('text')].map(
      ({ textContent }) => textContent
    );
    expect(texts.slice(0, 4)).toEqual([
      'rnn',
      'Source',
      '7',
      'h = jnp.tanh(a + r + p["b"])'
    ]);
    expect(svg.querySelectorAll('path').length).toBeGreaterThanOrEqual(3);
    for (const path of svg.querySelectorAll('path')) {
      expect(path.getAttribute('d')).toMatch(/^M[\d.]+ \d+C/);
    }
  });
});
