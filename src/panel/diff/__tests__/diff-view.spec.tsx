import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { diffsOf } from '../../../model/diffs';
import { JaxprModel } from '../../../model/model';
import { FakeChannel } from '../../../model/__tests__/fake-channel';
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
