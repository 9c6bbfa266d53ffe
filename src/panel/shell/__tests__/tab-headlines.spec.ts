import { nullTranslator } from '@jupyterlab/translation';

import { FakeChannel } from '../../../model/__tests__/fake-channel';
import { JaxprModel } from '../../../model/model';
import { screenStateOf } from '../../../model/screen-state';
import {
  ledger,
  ledgerFunction,
  programTiming
} from '../../../protocol/__tests__/documents';
import { golden } from '../../../program-text/__tests__/documents';
import type { Snapshot } from '../../../protocol/snapshot';
import { rnnCost } from '../../cost/__tests__/costs';
import { tabHeadline } from '../tab-headlines';
import type { ViewName } from '../view-names';

const trans = nullTranslator.load('jupyter_jaxpr');

/** A model with a run of the function `rnn`, as JAX 0.12 recorded it. */
function modelOf(changes: Partial<Snapshot>): JaxprModel {
  const model = new JaxprModel(trans);
  const channel = new FakeChannel();
  model.setChannel(channel);
  channel.greets();
  channel.sends({ ...golden('rnn-0.12'), ...changes });
  return model;
}

async function headline(
  model: JaxprModel,
  view: ViewName
): Promise<readonly string[]> {
  const lines = await tabHeadline(view, model, trans);
  return lines.map(line => line.replace(/\u00a0/g, ' '));
}

describe('the tooltip of a tab', () => {
  it('names the constructs of control flow with their steps', async () => {
    expect(await headline(modelOf({}), 'flow')).toEqual([
      'scan step, line 10: 100 steps'
    ]);
  });

  it('says what the misses cost, and the reason of each miss of the run', async () => {
    const model = modelOf({ ledger: ledger() });
    expect(await headline(model, 'cache')).toEqual([
      '2 compiles: tracing, lowering and compiling took 314 ms.',
      'train_step: This is the first call of train_step.',
      'train_step: The type of batch changed from f32[32,3] to f32[17,3].'
    ]);
  });

  it('says nothing of hits and misses while the user guesses', async () => {
    const model = modelOf({ ledger: ledger() });
    screenStateOf(model).outcomesHidden = true;
    expect(await headline(model, 'cache')).toEqual([]);
    expect(await headline(model, 'time')).toEqual([]);
  });

  it('says how long the first call took, and what was measured', async () => {
    const model = modelOf({
      timings: [
        programTiming({ program: 0, sentence: 'A warm call took 23 µs.' })
      ]
    });
    expect(await headline(model, 'time')).toEqual([
      'The first call took 142 ms. The longest stage is “compile”, with 85 % of that time.',
      'A warm call took 23 µs.'
    ]);
  });

  it('says where the operations are, by line and by primitive', async () => {
    const model = modelOf({ costs: [rnnCost({ program: 0 })] });
    expect(await headline(model, 'cost')).toEqual([
      '80.1 k operations per call.',
      '64 % is on line 6.',
      'Cost by primitive: dot_general 69 %, tanh 29 %, add 3 %.'
    ]);
  });

  it('lists the programs that can be compared', async () => {
    const { programs } = golden('rnn-0.12');
    const model = modelOf({ programs: [programs[0], programs[0]] });
    expect(await headline(model, 'compare')).toEqual([
      'The comparison runs each program many times with the recorded values of a call of the first program.',
      'rnn ({b, wh, wo, wx}, f32[100,8])',
      'rnn ({b, wh, wo, wx}, f32[100,8])'
    ]);
  });

  it('counts the lines for which a tooltip has no room', async () => {
    const functions = Array.from({ length: 6 }, (_, i) =>
      ledgerFunction({ name: `f${i}` })
    );
    const lines = await headline(
      modelOf({ ledger: ledger({ functions }) }),
      'cache'
    );
    expect(lines).toHaveLength(9);
    expect(lines[8]).toBe('5 more lines in the view');
  });

  it('has only the name of the tab for a view that has nothing to say', async () => {
    expect(await headline(modelOf({}), 'diff')).toEqual([]);
    expect(await headline(modelOf({ notes: [] }), 'notes')).toEqual([]);
  });
});
