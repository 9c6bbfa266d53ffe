import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../../model/screen-state';
import { FakeChannel, answered } from '../../../model/__tests__/fake-channel';
import { JaxprModel } from '../../../model/model';
import { program, snapshot } from '../../../protocol/__tests__/documents';
import { Note, Snapshot } from '../../../protocol/snapshot';
import { Notes } from '../notes';
import {
  act,
  byRole,
  click,
  render,
  words
} from '../../../parts/__tests__/render';

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
    node: render(<Notes model={model} insert={() => undefined} trans={trans} />)
      .node
  };
}

function fromKernel(document: Snapshot): {
  model: JaxprModel;
  kernel: FakeChannel;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  kernel.sends(document);
  return { model, kernel };
}

describe('the notes of a run', () => {
  it('say what, where, and the cure', () => {
    const { node } = notes([note]);
    expect(words(node)).toBe(
      'Line 3: rnn holds table, 5.1 kB, as a constant.' +
        'Pass it as an argument.' +
        '3def rnn(p, xs): ...'
    );
    expect(node.querySelector('article')?.dataset.kind).toBe(
      'captured_constant'
    );
  });

  it('lead to their line in the cell', () => {
    const { model, node } = notes([note]);
    const wanted: [string, number][] = [];
    screenStateOf(model).cellWanted.connect((_, { file, line }) => {
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
      'Line 3 of cell [2]: rnn holds table, 5.1 kB, as a constant. Program: loss'
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
      'Printed text'
    );
    expect(details?.querySelector('pre')?.textContent).toBe('Tracing <b>x</b>');
    expect(details?.querySelector('b')).toBeNull();
  });

  it('show a loop as written, and what to write instead', () => {
    const source = [
      '%%jaxpr',
      '@jax.jit',
      'def f(x):',
      '    for _ in range(100):',
      '        x = jnp.sin(x)  # "again"',
      '    return x'
    ].join('\n');
    const base = snapshot();
    const { node } = notes(
      [
        {
          ...note,
          kind: 'unrolled_loop',
          title: 'The for loop was unrolled into 100 equations',
          text: 'Python ran this for loop 100 times.',
          cure: 'Write it with jax.lax.fori_loop.',
          bytes: null,
          repetitions: 100,
          carried: true,
          share: 1,
          code: 'x = jax.lax.fori_loop(0, 100, lambda _, x: jnp.sin(x), x)',
          level: 'applies' as const,
          price: [
            'The times of the stages of the whole program were measured: trace 3.0 ms.'
          ]
        }
      ],
      {
        cell: { ...base.cell, source },
        frames: [[0, 0, 4, 4, 5, 23], ...base.frames.slice(1)]
      }
    );
    const regions = byRole(node, 'group');
    expect(
      regions.map(region => [
        region.getAttribute('aria-label'),
        [...region.children].map(line => line.textContent)
      ])
    ).toEqual([
      [
        'Code as written',
        ['4for _ in range(100):', '5    x = jnp.sin(x)  # "again"']
      ],
      [
        'Rewritten code',
        ['4x = jax.lax.fori_loop(0, 100, lambda _, x: jnp.sin(x), x)']
      ]
    ]);
    expect(regions[0].querySelector('.jp-mod-keyword')?.textContent).toBe(
      'for'
    );
    expect(regions[0].querySelector('.jp-mod-comment')?.textContent).toBe(
      '# "again"'
    );
    expect(words(node)).toContain('trace 3.0 ms');
    expect(byRole(node, 'button', 'Copy rewrite')).toHaveLength(1);
    expect(words(node)).toContain('Applies without changes');
  });

  it('mark the expression that could not be traced, and list ways out', () => {
    const base = snapshot();
    const { node } = notes(
      [
        {
          ...note,
          kind: 'trace_raised',
          title: 'Python cannot decide x > 0 while JAX traces',
          cure: null,
          bytes: null,
          cures: [
            {
              name: 'jnp.where',
              code: 'return jnp.where(x > 0, x, -x)',
              text: 'Both sides are computed.',
              level: 'applies' as const,
              edits: [{ frame: 1, text: 'return jnp.where(x > 0, x, -x)' }]
            },
            {
              name: 'size',
              code: 'jnp.where(c, size=SIZE)',
              text: 'Set SIZE.',
              level: 'choice' as const
            },
            { name: 'static_argnames', code: null, text: 'One compile each.' }
          ]
        }
      ],
      {
        cell: {
          ...base.cell,
          source: 'def f(x):\n    if x > 0:\n        return x\n    return -x'
        },
        frames: [
          [0, 0, 2, 7, 2, 12],
          [0, 0, 2, 4, 4, 13]
        ]
      }
    );
    const [region] = byRole(node, 'group');
    expect(region.querySelector('mark')?.textContent).toBe('x > 0');
    expect(
      region.querySelector('[data-marked]')?.firstElementChild?.textContent
    ).toBe('2');
    expect(
      [...node.querySelectorAll('dt, dd')].map(each => each.textContent)
    ).toEqual([
      'jnp.where Applies without changes',
      'Cell [7], line 2' +
        '2−removed: if x > 0:3−removed:     return x4−removed: return -x' +
        '2+added: return jnp.where(x > 0, x, -x)Both sides are computed.',
      'size Replace the names in capitals',
      'jnp.where(c, size=SIZE)Set SIZE.',
      'static_argnames',
      'One compile each.'
    ]);
  });

  it('offer a cell that compares, of this kernel and of no saved notebook', () => {
    const loop = {
      ...note,
      kind: 'unrolled_loop',
      code: 'x = 1',
      trial: '%%jaxpr --compare f,g'
    };
    const document = snapshot({ notes: [loop] });
    const inserted: (string | null)[] = [];
    const drawn = (model: JaxprModel): HTMLElement =>
      render(
        <Notes
          model={model}
          insert={({ inCell }) => inserted.push(inCell)}
          trans={trans}
        />
      ).node;
    const name = 'Insert a cell with a comparison';

    const saved = new JaxprModel(trans);
    saved.show(JSON.parse(JSON.stringify(document)), true);
    expect(byRole(drawn(saved), 'button', name)).toEqual([]);

    const live = new JaxprModel(trans);
    const kernel = new FakeChannel();
    live.setChannel(kernel);
    kernel.greets();
    kernel.sends(document);
    const [button] = byRole(drawn(live), 'button', name);
    click(button);
    expect(inserted).toEqual(['%%jaxpr --compare f,g']);
    kernel.turns({ kind: 'lost', loss: 'restarting' });
    expect(byRole(drawn(live), 'button', name)).toEqual([]);
    click(button); // a button that was drawn before the kernel restarted inserts no code
    expect(inserted).toEqual(['%%jaxpr --compare f,g', null]);
  });

  it('do not say that there is a new cell where the host inserts none', () => {
    const loop = {
      ...note,
      kind: 'unrolled_loop',
      code: 'x = 1',
      trial: '%%jaxpr --compare f,g'
    };
    const model = new JaxprModel(trans);
    const kernel = new FakeChannel();
    model.setChannel(kernel);
    kernel.greets();
    kernel.sends(snapshot({ notes: [loop] }));
    const { node } = render(
      <Notes model={model} insert={() => false} trans={trans} />
    );
    click(byRole(node, 'button', 'Insert a cell with a comparison')[0]);
    expect(words(node)).not.toContain('A new cell has the code.');
    model.dispose();
  });

  it('have the kernel try a rewrite when the user asks, once', async () => {
    const loop = { ...note, kind: 'unrolled_loop', code: 'x = 1' };
    const document = snapshot({ notes: [loop] });
    const { model, kernel } = fromKernel(document);
    const draw = (): JSX.Element => (
      <Notes model={model} insert={() => undefined} trans={trans} />
    );
    const { node, redraw } = render(draw());
    expect(kernel.asked).toEqual([]);

    const tried = snapshot({ notes: [{ ...loop, level: 'applies' as const }] });
    kernel.answer = () => Promise.resolve(answered({ ...tried }));
    click(byRole(node, 'button', 'Try the rewrite')[0]);
    expect(kernel.asked).toEqual([{ type: 'cures', snapshot: document.id }]);
    await act(async () => undefined);
    redraw(draw());
    expect(byRole(node, 'button', 'Try the rewrite')).toEqual([]);
    expect(words(node)).toContain('Applies without changes');
  });

  it('say that a trial did not show that a rewrite applies', async () => {
    const loop = { ...note, kind: 'unrolled_loop', code: 'x = 1' };
    const document = snapshot({ notes: [loop] });
    const { model, kernel } = fromKernel(document);
    const { node } = render(
      <Notes model={model} insert={() => undefined} trans={trans} />
    );
    kernel.answer = () => Promise.resolve(answered({ ...document }));
    click(byRole(node, 'button', 'Try the rewrite')[0]);
    await act(async () => undefined);
    expect(words(node)).toContain(
      'The trial did not confirm that the rewrite works.'
    );
  });

  it('have the kernel try the cures of an error, even if no cure is shown', async () => {
    const document = snapshot({ notes: [{ ...note, kind: 'trace_raised' }] });
    const { model, kernel } = fromKernel(document);
    kernel.answer = () => Promise.resolve(answered({ ...document }));
    render(<Notes model={model} insert={() => undefined} trans={trans} />);
    await act(async () => undefined);
    expect(kernel.asked).toEqual([{ type: 'cures', snapshot: document.id }]);
  });

  it('have the kernel try their cures once, when they are shown', async () => {
    const update: Note = {
      ...note,
      kind: 'dropped_update',
      cures: [{ name: 'x = ...', code: 'x = x.at[0].set(1)', text: 'A name.' }]
    };
    const document = snapshot({ notes: [update] });
    const { model, kernel } = fromKernel(document);
    expect(kernel.asked).toEqual([]);
    kernel.answer = () => Promise.resolve(answered({ ...document }));
    const draw = (): JSX.Element => (
      <Notes model={model} insert={() => undefined} trans={trans} />
    );
    const { node, redraw } = render(draw());
    await act(async () => undefined);
    redraw(draw());
    await act(async () => undefined);
    expect(kernel.asked).toEqual([{ type: 'cures', snapshot: document.id }]);
    expect(words(node)).toContain('x = ...x = x.at[0].set(1)A name.');
  });

  it('are said to be none where there are none', () => {
    expect(words(notes([]).node)).toBe('No notes on this run.');
  });
});
