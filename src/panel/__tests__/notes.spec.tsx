import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { attentionOf } from '../../model/attention';
import { JaxprModel } from '../../model/model';
import { program, snapshot } from '../../protocol/__tests__/documents';
import { Note } from '../../protocol/snapshot';
import { Notes } from '../notes';
import { byRole, click, render, words } from './render';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
});

const note: Note = {
  kind: 'captured_constant',
  text: 'rnn holds table, 5.1 kB, as a constant.',
  cure: 'Pass it as an argument.',
  detail: null,
  program: 0,
  frame: 0,
  bytes: 5120
};

function notes(
  entries: Note[],
  changes = {}
): { model: JaxprModel; node: HTMLElement } {
  const model = new JaxprModel(trans);
  model.show(snapshot({ notes: entries, ...changes }), false);
  return {
    model,
    node: render(<Notes model={model} trans={trans} />).node
  };
}

describe('the notes of a run', () => {
  it('say what, where, and the cure', () => {
    const { node } = notes([note]);
    expect(words(node)).toBe(
      'Line 3: rnn holds table, 5.1 kB, as a constant.' +
        'Pass it as an argument.'
    );
    expect(node.querySelector('article')?.dataset.kind).toBe(
      'captured_constant'
    );
  });

  it('lead to their line in the cell', () => {
    const { model, node } = notes([note]);
    const wanted: [string, number][] = [];
    attentionOf(model).cellWanted.connect((_, { file, line }) => {
      wanted.push([file.path, line]);
    });
    click(byRole(node, 'button', 'Line 3')[0]);
    expect(model.selection).toEqual({
      kind: 'caret',
      cellId: 'cell-7',
      line: 3,
      column: 0
    });
    expect(wanted).toEqual([['/tmp/ipykernel_1/1.py', 3]]);
  });

  it('name the file where the line is in no cell', () => {
    const { node } = notes([note], {
      files: [
        {
          path: '/home/me/model.py',
          kind: 'user',
          cell_id: null,
          execution_count: null,
          source: null
        }
      ]
    });
    expect(words(node)).toContain('Line 3 of model.py: rnn holds table');
    expect(byRole(node, 'button')).toEqual([]);
  });

  it('name the cell where it is another one, and the program where it is', () => {
    const { node } = notes([{ ...note, program: 1 }], {
      programs: [program(), program({ name: 'loss' })],
      files: [
        {
          path: '/tmp/ipykernel_1/9.py',
          kind: 'cell',
          cell_id: 'cell-2',
          execution_count: 2,
          source: null
        }
      ]
    });
    expect(words(node)).toContain(
      'Line 3 of cell [2]: rnn holds table, 5.1 kB, as a constant. in loss'
    );
  });

  it('fold what was printed', () => {
    const { node } = notes([
      {
        ...note,
        kind: 'printed_while_tracing',
        detail: 'Tracing <b>x</b>',
        bytes: null,
        cure: null
      }
    ]);
    const details = node.querySelector('details');
    expect(details?.open).toBe(false);
    expect(words(details?.querySelector('summary') ?? null)).toBe(
      'What was printed'
    );
    expect(details?.querySelector('pre')?.textContent).toBe('Tracing <b>x</b>');
    expect(details?.querySelector('b')).toBeNull();
  });

  it('are said to be none where there are none', () => {
    expect(words(notes([]).node)).toBe('No notes on this run.');
  });
});
