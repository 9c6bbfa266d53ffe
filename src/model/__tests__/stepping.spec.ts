import { nullTranslator } from '@jupyterlab/translation';

import { recording, snapshot } from '../../protocol/__tests__/documents';
import { Reply, Snapshot } from '../../protocol/snapshot';
import { JaxprModel } from '../model';
import { RUNS_KEPT } from '../runs';
import { steppingOf } from '../stepping';
import { FakeChannel } from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

const run = (n: number): Snapshot =>
  snapshot({ id: `run-${n}`, created: 1_786_900_000 + 60 * n });

function connected(): {
  model: JaxprModel;
  kernel: FakeChannel;
  /** Answer the questions that were asked, with a recording of run 1. */
  answer: () => void;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  const waiting: ((reply: Reply) => void)[] = [];
  kernel.answer = () => new Promise(resolve => waiting.push(resolve));
  return {
    model,
    kernel,
    answer: () =>
      waiting.forEach(resolve =>
        resolve({
          type: 'reply',
          id: 1,
          error: null,
          text: null,
          scope: null,
          snapshot: null,
          recording: recording()
        })
      )
  };
}

describe('stepping through a construct', () => {
  it('is the same for all views of a model', () => {
    const { model } = connected();
    expect(steppingOf(model)).toBe(steppingOf(model));
  });

  it('asks once, however often the button is pressed', async () => {
    const { model, kernel, answer } = connected();
    const one = run(1);
    kernel.sends(one);
    const stepping = steppingOf(model);
    const first = stepping.record(one, 0);
    await stepping.record(one, 0);
    expect(kernel.questions).toHaveLength(1);
    expect(stepping.stepperOf(one, 0).kind).toBe('working');
    expect(stepping.stepperOf(one, 1).kind).toBe('idle');
    answer();
    await first;
    expect(stepping.stepperOf(one, 0).kind).toBe('idle');
    expect(stepping.recordingOf(one, 0)).toEqual(recording());
    expect(stepping.recordingOf(one, 1)).toBeNull();
  });

  it('asks nothing where no kernel can answer', async () => {
    const model = new JaxprModel(trans);
    model.show(run(1), true);
    await steppingOf(model).record(run(1), 0);
    expect(steppingOf(model).stepperOf(run(1), 0).kind).toBe('idle');
  });

  it('is kept for as long as the run can be chosen', async () => {
    const { model, kernel, answer } = connected();
    const one = run(1);
    kernel.sends(one);
    const stepping = steppingOf(model);
    const asked = stepping.record(one, 0);
    answer();
    await asked;
    kernel.sends(run(2));
    stepping.moveTo(run(2), 0, { visit: 0, offset: 0 });
    expect(stepping.recordingOf(one, 0)).not.toBeNull();
    for (let n = 3; n <= RUNS_KEPT + 1; n++) {
      kernel.sends(run(n));
    }
    stepping.moveTo(run(2), 0, { visit: 0, offset: 0 });
    expect(stepping.recordingOf(one, 0)).toBeNull();
  });

  it('that ends after its notebook was closed changes nothing', async () => {
    const { model, kernel, answer } = connected();
    const one = run(1);
    kernel.sends(one);
    const stepping = steppingOf(model);
    const asked = stepping.record(one, 0);
    model.dispose();
    answer();
    await asked;
    expect(stepping.recordingOf(one, 0)).toBeNull();
  });
});
