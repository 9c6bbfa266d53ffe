/** Tests that a document is refused whose card has an index out of its pool or an unknown word. */
import * as fs from 'fs';
import * as path from 'path';

import { isUnreadable, readSnapshot } from '../document';
import { Control, Snapshot } from '../snapshot';

const FIXTURES = path.join(__dirname, '../../../tests/fixtures');

/** The golden document of a scan over time: one card. */
function rnn(): Snapshot {
  const file = path.join(FIXTURES, 'rnn-0.12.json');
  return JSON.parse(fs.readFileSync(file, 'utf-8')) as Snapshot;
}

/** The mismatch in the document with its first card changed; null if there is none. */
function why(changes: object): string | null {
  const document = rnn();
  const [first, ...rest] = document.control_flow ?? [];
  const changed = { ...first, ...changes } as Control;
  const read = readSnapshot({ ...document, control_flow: [changed, ...rest] });
  return isUnreadable(read) && read.unreadable === 'broken' ? read.field : null;
}

describe('the cards of a document', () => {
  it('are read as the kernel wrote them', () => {
    const read = readSnapshot(rnn());
    if (isUnreadable(read)) {
      throw new Error('the golden document is not read');
    }
    const [card] = read.control_flow ?? [];
    expect([card.kind, card.title, card.trips]).toEqual(['scan', 'step', 100]);
    expect(card.slots.map(slot => `${slot.role} ${slot.path}`)).toEqual([
      "const p['wx']",
      "const p['wh']",
      "const p['b']",
      'carry h',
      'xs xs',
      'ys hs'
    ]);
  });

  it('may be missing: an older kernel sends none', () => {
    const document = { ...rnn(), control_flow: undefined };
    expect(isUnreadable(readSnapshot(document))).toBe(false);
  });

  it.each<[string, object, string]>([
    ['a kind of another version', { kind: 'goto' }, 'kind'],
    ['a program that is not there', { program: 1 }, 'program'],
    ['a scope that is not there', { scope: 99 }, 'scope'],
    ['an equation beyond its scope', { equation: 10_000 }, 'equation'],
    ['no equation of its own', { equations: 0 }, 'equations'],
    ['a card inside itself', { parent: 0 }, 'parent'],
    ['a depth below the top', { depth: -1 }, 'depth'],
    ['no step in a trip', { unroll: 0 }, 'unroll'],
    ['a frame that is not there', { frame: 1_000 }, 'frame'],
    ['a def that is not there', { body_frame: 1_000 }, 'body_frame'],
    ['a body that is not there', { body: 99 }, 'body'],
    ['a condition that is not there', { condition: 99 }, 'condition'],
    ['trips below none', { trips: -1 }, 'trips'],
    ['trips by hearsay', { trips_from: 'a friend' }, 'trips_from'],
    ['facts that are no texts', { facts: [1] }, 'facts'],
    ['facts without end', { facts: Array(1001).fill('') }, 'facts'],
    ['a literal that stands for none', { no_operand: -1 }, 'no_operand'],
    ['a predicate that is not there', { predicate: 10_000 }, 'predicate'],
    [
      'a predicate made nowhere',
      { predicate_equation: 10_000 },
      'predicate_equation'
    ],
    ['a branch that is no object', { branches: ['True'] }, 'branches'],
    ['slots that are no list', { slots: null }, 'slots'],
    [
      'a type that is not there',
      {
        slots: [
          { role: 'xs', path: 'xs', step: 999, whole: 0, out: 0, operand: 0 }
        ]
      },
      'slots.step'
    ],
    [
      'an operand that is not there',
      {
        slots: [
          { role: 'xs', path: 'xs', step: 0, whole: 0, out: 0, operand: 999 }
        ]
      },
      'slots.operand'
    ]
  ])('are refused with %s', (_, changes, field) => {
    expect(why({})).toBeNull();
    expect(why(changes)).toBe(`control_flow.${field}`);
  });
});
