import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { diffsOf } from '../../../model/diffs';
import { JaxprModel } from '../../../model/model';
import { FakeChannel } from '../../../model/__tests__/fake-channel';
import { connected } from '../../../model/__tests__/opened-model';
import { act, render, words } from '../../../parts/__tests__/render';
import { program, snapshot } from '../../../protocol/__tests__/documents';
import { Diff } from '../diff-view';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
});

it('asks for a program where none belongs to the one in view', () => {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  kernel.sends(
    snapshot({ programs: [program(), program({ name: 'g', arguments: [] })] })
  );
  const { node } = render(<Diff model={model} open={null} trans={trans} />);
  expect(words(node.querySelector('.jp-JaxprDiff-none'))).toBe(
    'No other program comes from the same function or has the same argument types. Choose the program to compare this program with.'
  );
  const choice = node.querySelector('select')!;
  expect(words(choice.selectedOptions[0])).toBe('Choose a program');
  act(() => {
    choice.value = '1';
    choice.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect(diffsOf(model).chosen).toEqual({
    before: { snapshot: 'run-1', program: 1 },
    after: { snapshot: 'run-1', program: 0 },
    level: 'jaxpr'
  });
});

it('names the run of a program first: runs of one function differ there', () => {
  const { model, kernel } = connected();
  const at = (minute: number): number =>
    new Date(2026, 7, 17, 2, minute).getTime() / 1000;
  const lambda = program({ name: '<lambda>', arguments: [] });
  kernel.sends(snapshot({ id: 'run-1', created: at(34), programs: [lambda] }));
  kernel.sends(snapshot({ id: 'run-2', created: at(35), programs: [lambda] }));
  const { node } = render(<Diff model={model} open={null} trans={trans} />);
  const [before, after] = node.querySelectorAll('select');
  expect([...before.options].map(words)).toEqual([
    'Cell [7] · 2026-08-17 02:35 · <lambda>()',
    'Cell [7] · 2026-08-17 02:34 · <lambda>()'
  ]);
  expect(before.title).toBe('Cell [7] · 2026-08-17 02:34 · <lambda>()');
  expect(after.title).toBe('Cell [7] · 2026-08-17 02:35 · <lambda>()');
});

it('numbers the programs of one name in one run', () => {
  const { model, kernel } = connected();
  const lambda = (): ReturnType<typeof program> =>
    program({ name: '<lambda>', arguments: [] });
  const created = new Date(2026, 7, 17, 2, 34).getTime() / 1000;
  kernel.sends(snapshot({ created, programs: [lambda(), lambda()] }));
  const { node } = render(<Diff model={model} open={null} trans={trans} />);
  const [before] = node.querySelectorAll('select');
  expect([...before.options].map(words)).toEqual([
    'Cell [7] · 2026-08-17 02:34 · 1 of 2 · <lambda>()',
    'Cell [7] · 2026-08-17 02:34 · 2 of 2 · <lambda>()'
  ]);
});
