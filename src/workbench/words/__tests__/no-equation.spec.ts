import { nullTranslator } from '@jupyterlab/translation';

import { linksOf } from '../../../model/links';
import { golden } from '../../../program-text/__tests__/documents';
import { Note, Snapshot } from '../../../protocol/snapshot';
import { noEquationWords } from '../no-equation';

const trans = nullTranslator.load('jupyter_jaxpr');

/** A run with the body of the scan as a program of its own. */
function twoPrograms(): Snapshot {
  const whole = golden('rnn-0.12');
  const [rnn] = whole.programs;
  return {
    ...whole,
    programs: [rnn, { ...rnn, name: 'step', scope: 1 }]
  };
}

const said = (snapshot: Snapshot, line: number): string =>
  noEquationWords(
    { kind: 'caret', cellId: 'cell-rnn', line, column: 8 },
    linksOf(snapshot, 1),
    trans
  );

describe('a place that no equation of the program in view comes from', () => {
  it('names the programs with equations from there', () => {
    expect(said(twoPrograms(), 10)).toBe(
      'No equation of the program in view comes from this place. Programs with equations from this place: rnn.'
    );
  });

  it('names no program if no program has an equation from there', () => {
    expect(said(twoPrograms(), 1)).toBe(
      'No equation of the program in view comes from this place.'
    );
  });

  it('tells that a loop was unrolled', () => {
    const snapshot = twoPrograms();
    const file = snapshot.files.findIndex(({ kind }) => kind === 'cell');
    const frame = [file, 0, 2, -1, 2, -1] as Snapshot['frames'][number];
    const note = {
      kind: 'unrolled_loop',
      frame: snapshot.frames.length
    } as Note;
    const looped = {
      ...snapshot,
      frames: [...snapshot.frames, frame],
      notes: [note]
    };
    expect(said(looped, 2)).toBe(
      'No equation comes from the first line of the loop: tracing unrolled the loop, and the equations come from the lines of its body.'
    );
  });
});
