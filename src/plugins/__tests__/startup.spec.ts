/** Tests that the user sees the file that loads the extension in every new kernel before the file is written. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { FakeChannel, answered } from '../../model/__tests__/fake-channel';
import { JaxprModel } from '../../model/model';
import { Unanswered } from '../../kernel/channel-interface';
import { snapshot } from '../../protocol/__tests__/documents';
import { IJaxprTracker } from '../../tokens';
import { LOAD_IN_EVERY_KERNEL, startupPlugin } from '../startup';

const trans = nullTranslator.load('jupyter_jaxpr');
const file = {
  file: '/home/me/.ipython/profile_default/startup/50-jupyter_jaxpr.py',
  text: '# Loads jupyter_jaxpr\n',
  written: false
};

let commands: CommandRegistry;
let model: JaxprModel;
let kernel: FakeChannel;

beforeEach(() => {
  commands = new CommandRegistry();
  model = new JaxprModel(trans);
  kernel = new FakeChannel();
  model.setChannel(kernel);
  void startupPlugin.activate(
    { commands } as JupyterFrontEnd,
    { current: model } as unknown as IJaxprTracker,
    null,
    null
  );
});
afterEach(() => {
  model.dispose();
});

/** Waits for the dialog, and returns its content. */
async function dialog(): Promise<HTMLElement> {
  for (let i = 0; i < 200; i++) {
    const node = document.querySelector<HTMLElement>('.jp-Dialog-content');
    if (node !== null) {
      return node;
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error('There is no dialog.');
}

function press(node: HTMLElement, label: string): void {
  const button = [...node.querySelectorAll('button')].find(each =>
    each.textContent?.includes(label)
  );
  button?.click();
}

const actions = (): unknown[] =>
  kernel.asked.map(request => 'action' in request && request.action);

it('is offered where a kernel can answer', () => {
  expect(commands.isEnabled(LOAD_IN_EVERY_KERNEL)).toBe(false);
  kernel.greets();
  kernel.sends(snapshot());
  expect(commands.isEnabled(LOAD_IN_EVERY_KERNEL)).toBe(true);
});

it.each([
  [false, 'Write the file', ['look', 'write']],
  [true, 'Remove the file', ['look', 'remove']],
  [false, 'Cancel', ['look']]
])('is changed as the user says: %j, %s', async (written, button, expected) => {
  kernel.greets();
  kernel.sends(snapshot());
  kernel.answer = async () => answered({ ...file, written }) as never;
  const done = commands.execute(LOAD_IN_EVERY_KERNEL);
  const shown = await dialog();
  expect(shown.textContent).toContain(file.file);
  expect(shown.querySelector('pre')?.textContent).toBe(file.text);
  expect(actions()).toEqual(['look']);
  press(shown, button);
  await done;
  expect(actions()).toEqual(expected);
});

it('is left alone where the kernel says why', async () => {
  kernel.greets();
  kernel.sends(snapshot());
  kernel.answer = () =>
    Promise.reject(new Unanswered({ kernel: 'The file is not ours.' }));
  const done = commands.execute(LOAD_IN_EVERY_KERNEL);
  const shown = await dialog();
  expect(shown.textContent).toContain('The file is not ours.');
  press(shown, 'Close');
  await done;
});
