/**
 * Tests what a recording adds to a card: the number of steps and the taken branches. The words say "the stepper's
 * call", as a cell may have several calls.
 */
import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { JaxprModel } from '../../../model/model';
import { render, words } from '../../../parts/__tests__/render';
import { golden } from '../../../program-text/__tests__/documents';
import { recording } from '../../../protocol/__tests__/documents';
import { Recording, Snapshot } from '../../../protocol/snapshot';
import { Flow } from '../flow-view';
import { newton } from '../stepper/__tests__/recordings';

const trans = nullTranslator.load('jupyter_jaxpr');

const models: JaxprModel[] = [];

afterEach(() => {
  document.body.replaceChildren();
  models.splice(0).forEach(model => model.dispose());
});

function shown(name: string, recorded: Recording): HTMLElement {
  const snapshot: Snapshot = { ...golden(name), recordings: [recorded] };
  const model = new JaxprModel(trans);
  models.push(model);
  model.show(snapshot, false);
  return render(
    <Flow model={model} openProgram={() => undefined} trans={trans} />
  ).node;
}

const cost = (node: HTMLElement): string =>
  words(node.querySelector('.jp-JaxprFlow-cost'));

const sides = (node: HTMLElement): string[] =>
  [...node.querySelectorAll('.jp-JaxprFlow-branch header')].map(words);

const visit = { points: 1, outer: [], finished: true };

describe('a while loop that was recorded', () => {
  it('has the steps of the recorded run', () => {
    expect(cost(shown('newton-0.12', newton()))).toContain(
      '3 steps in the recorded run'
    );
  });

  it('has a range where it was executed more than once', () => {
    const twice = newton({
      visits: [2, 1].map((trips, at) => ({
        first_point: 2 * at,
        points: trips,
        trips,
        outer: [at],
        finished: true
      })),
      visits_total: 2
    });
    expect(cost(shown('newton-0.12', twice))).toContain(
      '1 to 2 steps in the recorded run'
    );
  });

  it('has an unknown number of steps where the recording was stopped', () => {
    const [first] = newton().visits;
    const stopped = newton({ visits: [{ ...first, finished: false }] });
    expect(cost(shown('newton-0.12', stopped))).toContain(
      'unknown number of steps'
    );
  });
});

describe('a branch', () => {
  const once = (changes: Partial<Recording> = {}): Recording =>
    recording({
      visits: [{ ...visit, first_point: 0, trips: 1 }],
      visits_total: 1,
      step: [0],
      branch_taken: ['True'],
      leaves: [],
      ...changes
    });

  it('that only another call of the cell took was not taken in the recorded one', () => {
    const [no, yes] = sides(shown('cond-0.12', once()));
    expect(no).toContain('the recorded run did not take this branch');
    expect(yes).toContain(
      'the recorded run took this branch 1 time · branch taken'
    );
  });

  it('says no more than what was kept', () => {
    const [no, yes] = sides(
      shown('cond-0.12', once({ thinned: 'One of 2 is kept.' }))
    );
    expect(no).toContain(
      'the recorded part of the run did not take this branch'
    );
    expect(yes).toContain(
      'the recorded part of the run took this branch 1 time · branch taken'
    );
  });
});
