/** Makes models of notebooks whose kernel is a fake. */
import { nullTranslator } from '@jupyterlab/translation';

import { snapshot } from '../../protocol/__tests__/documents';
import { JaxprModel } from '../model';
import { FakeChannel } from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Makes a run of a cell; runs with different numbers in their ids, such as `run-1` and `run-2`, are minutes apart. */
export function run(id: string, changes = {}): ReturnType<typeof snapshot> {
  const minute = Number(id.replace(/\D/g, ''));
  return snapshot({ id, created: 1_786_900_000 + 60 * minute, ...changes });
}

/** Makes a model of a notebook whose kernel has not sent anything. */
export function opened(accepts?: (cellId: string | null) => boolean): {
  model: JaxprModel;
  kernel: FakeChannel;
} {
  const model = new JaxprModel(trans, accepts);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  return { model, kernel };
}

export function connected(): { model: JaxprModel; kernel: FakeChannel } {
  const { model, kernel } = opened();
  kernel.greets();
  return { model, kernel };
}
