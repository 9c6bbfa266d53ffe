import * as fc from 'fast-check';

import { NO_DOCUMENT } from '../document-sizes';
import { isUnreadable, readSnapshot } from '../document';
import { readReply } from '../messages';
import { Memory, ProgramCost, XlaCost } from '../snapshot';
import {
  machine,
  programCost,
  programTiming,
  snapshot,
  sweep
} from './documents';
import { answered } from './replies';

/** The mismatch that the check finds in a document with these changes; null if the document is accepted. */
function why(changes: object): { field: string; expected: string } | null {
  const read = readSnapshot({ ...snapshot(), ...changes });
  return isUnreadable(read) && read.unreadable === 'broken'
    ? { field: read.field, expected: read.expected }
    : null;
}

function whyCost(changes: Partial<ProgramCost>): object | null {
  return why({ costs: [programCost(changes)] });
}

describe('the cost of a program', () => {
  const { by_line, by_scope, scopes } = programCost();
  const xla = programCost().xla as XlaCost;
  const memory = programCost().memory as Memory;

  it('is read where it is whole, and where parts are unknown', () => {
    expect(whyCost({})).toBeNull();
    expect(whyCost({ xla: null, memory: null, scopes: [] })).toBeNull();
    expect(
      whyCost({ scopes: [{ ...scopes[0], flops: [-1, 1e18] }] })
    ).toBeNull();
  });

  it.each<[string, object, string, string]>([
    ['program', { program: 1 }, 'program', 'an integer from 0 to 0'],
    ['count', { flops: -1 }, 'flops', 'a number from 0'],
    [
      'construct that the document lacks',
      { recordings: [0] },
      'recordings',
      'an integer from 0 to -1'
    ],
    [
      'column',
      { scopes: [{ ...scopes[0], bytes: [1] }] },
      'scopes.bytes',
      '2 entries, one an equation'
    ],
    [
      'line',
      { by_line: [{ ...by_line[0], frame: 9 }] },
      'by_line.frame',
      'an integer from -1 to 0'
    ],
    [
      'tree',
      { by_scope: [by_scope[0], { ...by_scope[1], parent: 1 }] },
      'by_scope.parent',
      'an integer from -1 to 0'
    ],
    [
      'difference',
      { xla: { ...xla, differences: [{ ...xla.differences[0], kind: 'x' }] } },
      'xla.differences.kind',
      'loop_once, unknown_trips, branches, fused_away, custom_call, no_rule, rest'
    ],
    ['lead', { lead: [1] }, 'lead', 'a text'],
    ['sentence of XLA', { xla: { ...xla, text: 1 } }, 'xla.text', 'a text'],
    [
      'sentence of memory',
      { memory: { ...memory, peak_text: 1 } },
      'memory.peak_text',
      'a text'
    ],
    [
      'buffer',
      { memory: { ...memory, live: [{ ...memory.live[0], equation: 2 }] } },
      'memory.live.equation',
      'an integer from -1 to 1'
    ]
  ])('is not read with a broken %s', (_, changes, field, expected) => {
    expect(whyCost(changes)).toEqual({ field: `costs.${field}`, expected });
  });

  it('never makes the reader throw', () => {
    const keys = Object.keys(programCost());
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.anything(), (key, value) => {
        whyCost({ [key]: value } as Partial<ProgramCost>);
      })
    );
  });
});

describe('times', () => {
  it('of a document are read: what ran again, a sweep, the machine', () => {
    expect(
      why({
        timings: [
          programTiming(),
          programTiming({ warm: null, ratio: null, pays_after: null })
        ],
        sweep: sweep(),
        machine: machine()
      })
    ).toBeNull();
  });

  it.each<[string, object, string, string]>([
    [
      'program',
      { timings: [programTiming({ program: 1 })] },
      'timings.program',
      'an integer from 0 to 0'
    ],
    [
      'ratio',
      { timings: [{ ...programTiming(), ratio: [1] }] },
      'timings.ratio',
      'a row of 2'
    ],
    [
      'series',
      { sweep: { ...sweep(), fits: [{ ...sweep().fits[0], series: 'luck' }] } },
      'sweep.fits.series',
      'eager, first, warm, compile, equations, bytes'
    ],
    [
      'machine',
      { machine: machine({ flops: -1 }) },
      'machine.flops',
      'a number from 0'
    ]
  ])('are not read with a broken %s', (_, changes, field, expected) => {
    expect(why(changes)).toEqual({ field, expected });
  });

  it('of a reply are about a program of the document that was asked about', () => {
    const reply = answered(programTiming());
    expect(readReply(reply, 'time', NO_DOCUMENT)).toMatchObject({
      field: 'time.program'
    });
    const sizes = { ...NO_DOCUMENT, programs: 1 };
    expect(readReply(reply, 'time', sizes)).toEqual(reply);
  });
});
