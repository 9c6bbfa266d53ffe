import { nullTranslator } from '@jupyterlab/translation';

import { recording, snapshot } from '../../protocol/__tests__/documents';
import { Snapshot } from '../../protocol/snapshot';
import { JaxprModel } from '../model';
import { steppingOf } from '../stepping';
import { AnyReply, FakeChannel, answered } from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

const run = (n: number, changes: Partial<Snapshot> = {}): Snapshot =>
  snapshot({ id: `run-${n}`, created: 1_786_900_000 + 60 * n, ...changes });

function connected(): {
  model: JaxprModel;
  kernel: FakeChannel;
  /** Answers the pending requests with a recording of run 1. */
  answer: () => void;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  const waiting: ((reply: AnyReply) => void)[] = [];
  kernel.answer = () => new Promise(resolve => waiting.push(resolve));
  return {
    model,
    kernel,
    answer: () => waiting.forEach(resolve => resolve(answered(recording())))
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
    expect(kernel.asked).toHaveLength(1);
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

  it('is in the document of its run, in the order of the constructs', async () => {
    const { model, kernel, answer } = connected();
    const later = recording({ control: 1 });
    const older = recording({ stopped: 'Stopped.' });
    const one = run(1, { recordings: [older, later] });
    kernel.sends(one);
    const stepping = steppingOf(model);
    const asked = stepping.record(one, 0);
    answer();
    await asked;
    kernel.sends(run(2));
    expect(one.recordings).toEqual([recording(), later]);
    expect(stepping.recordingOf(run(2), 0)).toBeNull();
  });

  it('is at its step still when the document comes anew, and at its start once it is recorded again', async () => {
    const { model, kernel, answer } = connected();
    kernel.sends(run(1, { recordings: [recording()] }));
    const stepping = steppingOf(model);
    stepping.moveTo(run(1, { recordings: [recording()] }), 0, {
      visit: 0,
      offset: 1
    });
    const anew = run(1, { recordings: [recording()] });
    kernel.sends(anew);
    expect(stepping.placeOf(anew, 0)).toEqual({ visit: 0, offset: 1 });
    const asked = stepping.record(anew, 0);
    answer();
    await asked;
    expect(stepping.placeOf(anew, 0)).toEqual({ visit: 0, offset: 0 });
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
