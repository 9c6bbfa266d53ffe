import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { JaxprModel } from '../../model/model';
import {
  AnyReply,
  FakeChannel,
  answered
} from '../../model/__tests__/fake-channel';
import { golden } from '../../program-text/__tests__/documents';
import type { Snapshot } from '../../protocol/snapshot';
import { TransformRow } from '../transform-row';
import { TransformView } from '../transform-view';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so methods that measure text find nothing.
const nowhere = (): DOMRectList => [] as unknown as DOMRectList;
Range.prototype.getClientRects = nowhere;
Range.prototype.getBoundingClientRect = () => new DOMRect();

const whole = golden('derived-0.12');

/** The same run before anything was derived. */
const plain: Snapshot = {
  ...whole,
  programs: whole.programs.slice(0, 1),
  transforms: []
};

/** The run with some of its transforms. */
function withOnly(...kinds: string[]): Snapshot {
  return {
    ...whole,
    transforms: whole.transforms?.filter(({ kind }) => kinds.includes(kind))
  };
}

function begin(snapshot: Snapshot): {
  model: JaxprModel;
  channel: FakeChannel;
} {
  const channel = new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(snapshot);
  return { model, channel };
}

let opened: TransformView[] = [];

afterEach(() => {
  for (const view of opened) {
    view.dispose();
  }
  opened = [];
});

function open(snapshot: Snapshot): {
  model: JaxprModel;
  channel: FakeChannel;
  view: TransformView;
} {
  const { model, channel } = begin(snapshot);
  const actions = { copy: () => undefined, more: () => undefined };
  const view = new TransformView({ trans, actions });
  Widget.attach(view, document.body);
  view.model = model;
  opened.push(view);
  return { model, channel, view };
}

function column(view: TransformView, title: string): HTMLElement {
  return view.node.querySelector(`section[aria-label="${title}"]`)!;
}

function titles(view: TransformView): string[] {
  return [...view.node.querySelectorAll('section')].map(
    section => section.getAttribute('aria-label') ?? ''
  );
}

/** Number and words beside each equation of a column. */
function tagged(view: TransformView, title: string): string[] {
  return [
    ...column(view, title).querySelectorAll<HTMLElement>(
      '.jp-JaxprProgram-line[data-number]:not([data-number=""])'
    )
  ].map(line =>
    [
      line.dataset.number,
      line.querySelector('.jp-JaxprProgram-primitive')?.textContent,
      ...[
        ...line.querySelectorAll(
          '.jp-JaxprProgram-tag:not(.jp-mod-name):not(.jp-mod-fact)'
        )
      ].map(tag => tag.textContent)
    ].join(' ')
  );
}

function linked(view: TransformView, title: string): string[] {
  return [
    ...column(view, title).querySelectorAll<HTMLElement>('[data-linked]')
  ].map(
    line =>
      `${line.dataset.number} ${line.querySelector('.jp-JaxprProgram-primitive')?.textContent}`
  );
}

function button(node: HTMLElement, text: string): HTMLButtonElement {
  return [...node.querySelectorAll('button')].find(
    one => one.textContent === text
  )!;
}

describe('the columns', () => {
  it('stand beside each other as the run has them', () => {
    const { view } = open(whole);
    expect(titles(view)).toEqual([
      'loss',
      'grad',
      'vmap',
      'jvp',
      'linearize: primal program',
      'linearize: linear program'
    ]);
    expect(
      column(view, 'grad').querySelector('.jp-JaxprTransform-counts')
        ?.textContent
    ).toBe('→ fwd: 5 · ← bwd: 8 · residuals: 96\u00a0B');
    expect(
      column(view, 'vmap').querySelector('.jp-JaxprTransform-words')
        ?.textContent
    ).toBe(
      'jax.vmap of loss over w and x, with in_axes=0. Each array has a new first axis of size 8.'
    );
  });

  it('tell forward from backward, and what is kept', () => {
    const { view } = open(whole);
    expect(tagged(view, 'grad')).toEqual([
      '1 dot_general → fwd',
      '2 tanh → fwd residual, 48\u00a0B',
      '3 one_minus_square → fwd residual, 48\u00a0B',
      '4 mul → fwd',
      '5 reduce_sum → fwd',
      '6 broadcast_in_dim ← bwd',
      '7 mul ← bwd',
      '8 mul ← bwd',
      '9 add_any ← bwd',
      '10 mul ← bwd',
      '11 dot_general ← bwd',
      '12 transpose ← bwd',
      '13 dot_general ← bwd'
    ]);
    expect(tagged(view, 'loss')).toEqual([
      '1 dot_general',
      '2 tanh',
      '3 mul',
      '4 reduce_sum'
    ]);
    expect(tagged(view, 'jvp').slice(0, 3)).toEqual([
      '1 dot_general → primal',
      '2 dot_general ∂ tangent',
      '3 dot_general ∂ tangent'
    ]);
  });

  it('are linked by the expression of the user', () => {
    const { view, model } = open(whole);
    const { scope } = whole.programs[0];
    model.setSelection({
      kind: 'equations',
      equations: [{ scope, equation: 1 }]
    });
    expect(linked(view, 'loss')).toEqual(['2 tanh']);
    expect(linked(view, 'grad')).toEqual([
      '2 tanh',
      '3 one_minus_square',
      '10 mul'
    ]);
    expect(linked(view, 'vmap')).toEqual(['2 tanh']);
    const grad = whole.programs[1].scope;
    model.setSelection({
      kind: 'equations',
      equations: [{ scope: grad, equation: 9 }]
    });
    expect(linked(view, 'loss')).toEqual(['2 tanh']);
    expect(linked(view, 'grad')).toEqual([
      '2 tanh',
      '3 one_minus_square',
      '10 mul'
    ]);
  });

  it('are switched off and on without asking again', () => {
    const { view, channel } = open(whole);
    button(view.node, 'jvp').click();
    button(view.node, 'linearize').click();
    button(view.node, 'vmap').click();
    expect(titles(view)).toEqual(['loss', 'grad']);
    button(view.node, 'vmap').click();
    expect(titles(view)).toEqual(['loss', 'grad', 'vmap']);
    expect(channel.asked).toEqual([]);
  });

  it('ask for the gradient where nothing was derived, and show it when it comes', async () => {
    const { model, channel } = begin(plain);
    let answer = (_: AnyReply): void => undefined;
    channel.answer = () => new Promise(resolve => (answer = resolve));
    const actions = { copy: () => undefined, more: () => undefined };
    const view = new TransformView({ trans, actions });
    opened.push(view);
    Widget.attach(view, document.body);
    view.model = model;
    expect(channel.asked).toEqual([
      { type: 'transform', snapshot: plain.id, program: 0, kind: 'grad' }
    ]);
    expect(column(view, 'grad').textContent).toContain(
      'JAX traces the program …'
    );
    answer(answered(withOnly('grad')));
    await new Promise(process.nextTick);
    expect(tagged(view, 'grad')).toHaveLength(13);
    expect(model.program).toBe(0);
  });

  it('say why one cannot be had, and the others stand', () => {
    const refused: Snapshot = {
      ...whole,
      transforms: [
        {
          kind: 'grad',
          of: 0,
          words: 'grad of loss',
          error: 'grad needs an argument of a float type.',
          parts: []
        },
        ...(withOnly('vmap').transforms ?? [])
      ]
    };
    const { view } = open(refused);
    expect(titles(view)).toEqual(['loss', 'grad', 'vmap']);
    expect(column(view, 'grad').textContent).toBe(
      'gradgrad needs an argument of a float type.'
    );
    expect(tagged(view, 'vmap')).toHaveLength(4);
  });

  it('follow the original where a derived program is in view', () => {
    const { view, model } = open(whole);
    model.setProgram(1);
    expect(titles(view)[0]).toBe('loss');
  });
});

describe('the row', () => {
  it('shows one program at a time', () => {
    const { model } = begin(whole);
    const row = new TransformRow(trans);
    row.model = model;
    expect(row.isWorth).toBe(true);
    button(row.node, 'grad').click();
    expect(model.program).toBe(1);
    row.refresh();
    expect(button(row.node, 'grad').getAttribute('aria-pressed')).toBe('true');
    button(row.node, 'loss').click();
    expect(model.program).toBe(0);
    row.model = null;
  });

  it('asks for what is not there yet, and goes to it', async () => {
    const { model, channel } = begin(plain);
    channel.answer = () => Promise.resolve(answered(withOnly('grad')));
    const row = new TransformRow(trans);
    row.model = model;
    expect(row.isWorth).toBe(false);
    button(row.node, 'grad').click();
    expect(row.node.textContent).toContain('JAX traces grad …');
    await new Promise(resolve => setTimeout(resolve));
    expect(channel.asked).toHaveLength(1);
    expect(model.program).toBe(1);
    row.model = null;
  });

  it('says why one cannot be had', async () => {
    const { model, channel } = begin(plain);
    const error = 'vmap needs an array to map over.';
    channel.answer = () =>
      Promise.resolve(
        answered({
          ...plain,
          transforms: [{ kind: 'vmap', of: 0, words: '', error, parts: [] }]
        })
      );
    const row = new TransformRow(trans);
    row.model = model;
    button(row.node, 'vmap').click();
    await new Promise(resolve => setTimeout(resolve));
    expect(row.node.querySelector('[role=status]')?.textContent).toBe(error);
    expect(model.program).toBe(0);
    row.model = null;
  });

  it('asks nothing of a kernel that is gone', () => {
    const { model, channel } = begin(plain);
    channel.turns({ kind: 'lost', loss: 'dead' });
    const row = new TransformRow(trans);
    row.model = model;
    button(row.node, 'grad').click();
    expect(button(row.node, 'grad').getAttribute('aria-disabled')).toBe('true');
    expect(channel.asked).toEqual([]);
    row.model = null;
  });
});
