import { nullTranslator } from '@jupyterlab/translation';

import { linksOf } from '../../../model/links';
import { golden } from '../../../program-text/__tests__/documents';
import {
  CalledComputationsListing,
  inPlace
} from '../called-computations-listing';
import { TextListing } from '../text-listing';

const trans = nullTranslator.load('jupyter_jaxpr');

const MODULE = [
  'HloModule jit_f', // 0
  '',
  '%fused (p: f32[4]) -> f32[4] {', // 2
  '  %p = f32[4] parameter(0)',
  '  ROOT %s = f32[4] sine(%p)', // 4
  '}',
  '',
  '%region (a: f32[4]) -> f32[4] {', // 7
  '  %a = f32[4] parameter(0)',
  '  ROOT %f = f32[4] fusion(%a), kind=kLoop, calls=%fused', // 9
  '}',
  '',
  '%twice (b: f32[4]) -> f32[4] {', // 12
  '  ROOT %b = f32[4] parameter(0)',
  '}', // 14
  '',
  'ENTRY %main (x: f32[4]) -> f32[4] {', // 16
  '  %x = f32[4] parameter(0)',
  '  %c = f32[4] call(%x), to_apply=%region', // 18
  '  %d = f32[4] call(%c), to_apply=%twice',
  '  ROOT %e = f32[4] call(%d), to_apply=%twice', // 20
  '}'
];

function listing(total = MODULE.length): TextListing {
  const snapshot = golden('rnn-0.12');
  const text = new TextListing(linksOf(snapshot, 0), 'hlo', trans);
  const stacks = MODULE.map((_, line) => (line === 4 ? 0 : -1));
  text.add(MODULE.join('\n'), 0, stacks, snapshot, total);
  return text;
}

/** Prints the shown lines: the number at the edge, the indented text, and whether a fold starts at the line. */
function shown(of: CalledComputationsListing): string[] {
  const lines = of.document().toJSON();
  return lines.map((text, index) => {
    const { number, depth } = of.line(index);
    const folds = of.folds(index).map(({ last }) => `…${last}`);
    return [number, '  '.repeat(depth) + text, ...folds].join(' ');
  });
}

describe('HLO in place', () => {
  const text = listing();
  const placed = inPlace(text, trans) as CalledComputationsListing;

  it('has what a fusion or a call consists of beneath it, indented', () => {
    expect(shown(placed)).toEqual([
      '1 HloModule jit_f',
      '2 ',
      '13 %twice (b: f32[4]) -> f32[4] { …5',
      '14   ROOT %b = f32[4] parameter(0)',
      '15 }',
      '16 ',
      '17 ENTRY %main (x: f32[4]) -> f32[4] { …15',
      '18   %x = f32[4] parameter(0)',
      '19   %c = f32[4] call(%x), to_apply=%region …12',
      '9     %a = f32[4] parameter(0)',
      '10     ROOT %f = f32[4] fusion(%a), kind=kLoop, calls=%fused …12',
      '4       %p = f32[4] parameter(0)',
      '5       ROOT %s = f32[4] sine(%p)',
      '20   %d = f32[4] call(%c), to_apply=%twice',
      '21   ROOT %e = f32[4] call(%d), to_apply=%twice',
      '22 }'
    ]);
    expect(placed.folds(8)[0].closed).toBe(true);
  });

  it('leads to what stays where it is, and to nothing that is there already', () => {
    expect(placed.line(8).reference).toBeNull();
    expect(placed.line(13).reference).toMatchObject({ line: 2 });
  });

  it('is linked line by line, wherever a line is', () => {
    const links = linksOf(golden('rnn-0.12'), 0);
    const none = links.resolve(null);
    const lines = { ...none.lines, hlo: new Set([4, 20, 2]) };
    // The line with the name of a fused computation is hidden: the fusion stands for the computation.
    expect(placed.linkedLines({ ...none, lines })).toEqual([10, 12, 14]);
    expect(placed.selection(12)).toMatchObject({ kind: 'text', line: 4 });
  });

  it('is copied as XLA printed it', () => {
    expect(placed.wholeText()).toBe(MODULE.join('\n'));
  });

  it('leaves a text that comes in pages as it is', () => {
    const first = listing(9000);
    expect(inPlace(first, trans)).toBe(first);
  });
});
