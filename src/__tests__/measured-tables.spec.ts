import { nullTranslator } from '@jupyterlab/translation';

import TABLES from '../../tests/measured_tables.json';
import { modeWords, rowsOf } from '../panel/compare/words';
import { allColumns, valueWords } from '../panel/time/sweep-rows';
import {
  eagerCallsWords,
  middleHalf,
  warmCallsWords
} from '../panel/time/words';
import { withoutProgram } from '../parts/summary';
import { snapshot } from '../protocol/__tests__/documents';
import { Sweep, VariantComparison, WarmTime } from '../protocol/snapshot';
import { unknownDevicesWords } from '../workbench/shardings/device-drawing';

const trans = nullTranslator.load('jupyter_jaxpr');

const plain = (text: string): string => text.replace(/\u00a0/g, ' ');

/** Joins a text and the smaller text below it as the exports write them: `text (more)`. */
const both = (text: string, more?: string | null): string =>
  plain(more ? `${text} (${more})` : text);

// tests/test_measured_tables.py reads the same tables (tests/measured_tables.json) and tests the exports with them.
describe('the exports and the panel write the same cells', () => {
  it('of functions side by side', () => {
    const comparison = TABLES.comparison as unknown as VariantComparison;
    const heads = comparison.variants.map(variant =>
      both(variant.name, modeWords(variant, trans))
    );
    const rows = rowsOf(comparison, trans);
    expect([
      ['', ...heads],
      ...rows.map(({ key, label, cells }) => [
        label,
        ...cells.map(({ text, more }) =>
          key === 'agrees' && more
            ? `${text}: ${more}`
            : both(text ?? '–', more)
        )
      ])
    ]).toEqual(TABLES.comparison_rows);
    expect(rows.find(({ key }) => key === 'recompiles')?.about).toBe(
      'The number of compiles says how often JAX compiled the function in the sweep of n = 8, 16.'
    );
  });

  it.each(Object.keys(TABLES.times) as (keyof typeof TABLES.times)[])(
    'of calls that were timed again: %s',
    name => {
      const time: WarmTime = TABLES.times[name];
      const cells = [
        middleHalf(time, trans),
        eagerCallsWords(time, trans),
        warmCallsWords(time, trans)
      ];
      expect(cells.map(plain)).toEqual(TABLES.time_cells[name]);
    }
  );

  it('of a sweep', () => {
    const sweep = TABLES.sweep as unknown as Sweep;
    const columns = allColumns(sweep, trans);
    expect([
      [sweep.name, 'function', ...columns.map(({ label }) => label)],
      ...sweep.points.map(point => [
        valueWords(point),
        point.function,
        ...columns.map(({ words }) => plain(words(point) ?? 'unknown'))
      ])
    ]).toEqual(TABLES.sweep_rows);
  });

  it('of a run without a program, and of an array without known devices', () => {
    const empty = snapshot({ programs: [], message: null, cut: null });
    expect({
      no_program: withoutProgram(empty, trans),
      unknown_devices: unknownDevicesWords(trans)
    }).toEqual(TABLES.sentences);
  });
});
