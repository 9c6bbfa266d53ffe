import { runScopeHandlers } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { Unanswered } from '../../../kernel/channel-interface';
import { screenStateOf } from '../../../model/screen-state';
import { JaxprModel } from '../../../model/model';
import {
  AnyReply,
  FakeChannel,
  answered
} from '../../../model/__tests__/fake-channel';
import { golden, goldenPage } from '../../../program-text/__tests__/documents';
import type { Snapshot, TextPage } from '../../../protocol/snapshot';
import { textBetween } from '../../../workbench/listing/copied-text';
import type { ListingView } from '../../../workbench/listing/listing-view';
import { Detail } from '../../../workbench/words/detail';
import type { Noise } from '../../../workbench/reading/noise-rules';
import { ProgramView } from '..';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so all measures of a text are 0.
const nowhere = (): DOMRectList => [] as unknown as DOMRectList;
Range.prototype.getClientRects = nowhere;
Range.prototype.getBoundingClientRect = () => new DOMRect();

/** Makes a panel on a snapshot, with a kernel that gives the test's answers. */
function open(
  snapshot: Snapshot,
  hidden: readonly Noise[] = [],
  openFlow?: () => void
): {
  model: JaxprModel;
  view: ProgramView;
  channel: FakeChannel;
} {
  const channel = new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(snapshot);
  const view = new ProgramView({ trans, hidden, openFlow });
  Widget.attach(view, document.body);
  view.model = model;
  opened.push(view);
  return { model, view, channel };
}

let opened: ProgramView[] = [];

afterEach(() => {
  for (const view of opened) {
    view.dispose();
  }
  opened = [];
});

function lines(view: ProgramView): HTMLElement[] {
  return [
    ...view.node.querySelectorAll<HTMLElement>(
      '.jp-JaxprProgram-listing:not([hidden]) .jp-JaxprProgram-line'
    )
  ];
}

/** Lists what a reader sees of each line: number, text, line of the cell. */
function shown(view: ProgramView): string[] {
  return lines(view).map(line =>
    [line.dataset.number, line.textContent, line.dataset.cellLine]
      .filter(text => text)
      .join(' | ')
  );
}

function linked(view: ProgramView): string[] {
  return lines(view)
    .filter(line => line.dataset.linked === 'true')
    .map(line => `${line.dataset.number} | ${line.textContent}`);
}

function line(view: ProgramView, number: number): HTMLElement {
  const found = lines(view).find(one => one.dataset.number === `${number}`);
  if (!found) {
    throw new Error(`no line ${number}`);
  }
  return found;
}

function click(node: Element): void {
  node.dispatchEvent(new MouseEvent('click', { bubbles: true }));
}

function hover(node: Element): void {
  node.dispatchEvent(new MouseEvent('mousemove', { bubbles: true }));
}

function press(view: ProgramView, key: string): void {
  const editor = view.view?.view;
  if (editor) {
    runScopeHandlers(editor, new KeyboardEvent('keydown', { key }), 'editor');
  }
}

function button(view: ProgramView, name: string): HTMLButtonElement {
  const found = [...view.node.querySelectorAll('button')].find(
    one => (one.getAttribute('aria-label') ?? one.textContent) === name
  );
  if (!found) {
    throw new Error(`no button ${name}`);
  }
  return found;
}

function messages(view: ProgramView): string {
  return (
    view.node.querySelector('.jp-JaxprProgram-messages')?.textContent ?? ''
  );
}

function detail(view: ProgramView): string {
  return view.node.querySelector('.jp-JaxprProgram-pointed')?.textContent ?? '';
}

/** Waits until arrived answers are handled. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}

/** Makes a document whose StableHLO and HLO are only in the kernel, which sends them on request. */
function onRequest(snapshot: Snapshot, state = 'on_request'): Snapshot {
  return {
    ...snapshot,
    programs: snapshot.programs.map(program => ({
      ...program,
      levels: program.levels.map(level => ({
        ...level,
        state: state as 'on_request',
        reason: 'JAX was not asked to lower it.',
        text: null,
        line_stacks: null
      }))
    }))
  };
}

function page(total: number, firstLine: number, count: number): TextPage {
  return {
    level: 'hlo',
    characters: 20 * total,
    lines: total,
    sha256: '0',
    first_line: firstLine,
    text: Array.from(
      { length: Math.min(count, total - firstLine) },
      (_, i) => `  %add.${firstLine + i} = f32[] add(a, b)`
    ).join('\n'),
    line_stacks: new Array<number>(Math.min(count, total - firstLine)).fill(-1),
    strings: [],
    files: [],
    frames: [],
    stacks: []
  };
}

describe('a program in the panel', () => {
  it('is listed with its numbers and the lines of the cell', () => {
    const { view } = open(golden('rnn-0.12'));
    expect(shown(view)).toEqual([
      `{ lambda ; a:f32[16]p['b'] b:f32[16,16]p['wh'] c:f32[16,4]p['wo'] d:f32[8,16]p['wx'] e:f32[100,8]xs. let`,
      '1 | f:f32[16] = broadcast_in_dim 0.0:f32[] | 10',
      '2 | g:f32[16] h:f32[100,16] = scanlength=100 … d b a f e | 10',
      `{ lambda ; i:f32[8,16]p['wx'] j:f32[16,16]p['wh'] k:f32[16]p['b'] l:f32[16]h m:f32[8]xs. let`,
      '3 | n:f32[16] = dot_general… m i | 5',
      '4 | o:f32[16] = dot_general… l j | 6',
      '5 | p:f32[16] = add n o | 7',
      '6 | q:f32[16] = add p k | 7',
      '7 | r:f32[16] = tanh q | 7',
      'in (r, r) }',
      '8 | s:f32[4] = dot_general… g c | 11',
      '9 | jax.nn.softmax · 9 to 17 s → bb:f32[4] | 11',
      'in (bb, h) }'
    ]);
    expect(view.node.querySelector('.jp-JaxprProgram-count')?.textContent).toBe(
      '17 eq'
    );
  });

  it('describes only the new program when a run arrives', () => {
    const { model, view, channel } = open(golden('rnn-0.12'));
    click(line(view, 4));
    expect(detail(view)).toContain('dot_general');
    const described = jest.spyOn(Detail.prototype, 'show');
    channel.sends({ ...golden('rnn-0.12'), id: 'the next run' });
    expect(model.selection).toBeNull();
    // The detail strip is emptied first; then it shows the hint that tells the user to point at an equation.
    expect(
      described.mock.calls.map(([content]) => content?.textContent)
    ).toEqual([undefined, detail(view)]);
    expect(detail(view)).not.toContain('dot_general');
    described.mockRestore();
  });

  it('keeps the elements of the lines that the next program has, and each button acts on the next program', () => {
    const { view, channel } = open(golden('rnn-0.12'));
    click(line(view, 4));
    const before = lines(view);
    const editor = view.view?.view;
    const next = golden('rnn-0.12');
    const strings = next.strings.map(text => (text === '0.0' ? '2.0' : text));
    channel.sends({ ...next, strings, id: 'the next run' });

    expect(view.view?.view).toBe(editor);
    expect(view.node.querySelectorAll('.cm-editor').length).toBe(1);
    expect(shown(view)[1]).toBe(
      '1 | f:f32[16] = broadcast_in_dim 2.0:f32[] | 10'
    );
    // Line 4 was marked, so its element has changed too.
    for (const number of [3, 5, 6, 7, 8]) {
      expect(before).toContain(line(view, number));
    }
    expect(linked(view)).toEqual([]);

    const chip = line(view, 3).querySelector('.jp-JaxprProgram-chip');
    chip?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    expect(shown(view)[4]).toContain('dimension_numbers=');
    const marker = line(view, 2).querySelector('.jp-JaxprProgram-marker');
    marker?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    expect(shown(view).length).toBe(6);
  });

  it('leaves the keyboard focus in the cell if the next program arrives while the search is open', () => {
    const { view, channel } = open(golden('rnn-0.12'));
    const field = (): HTMLInputElement | null =>
      view.node.querySelector('.jp-JaxprProgram-sought');
    view.view?.find();
    expect(document.activeElement).toBe(field());

    const cell = document.body.appendChild(document.createElement('textarea'));
    cell.focus();
    channel.sends({ ...golden('rnn-0.12'), id: 'the next run' });
    expect(field()).not.toBeNull();
    expect(document.activeElement).toBe(cell);

    field()?.focus();
    channel.sends({ ...golden('rnn-0.12'), id: 'the run after' });
    expect(document.activeElement).toBe(field());
    cell.remove();
  });

  it('marks an equation that is pointed at, its uses and what it is', () => {
    const { model, view } = open(golden('rnn-0.12'));
    hover(line(view, 4));
    expect(model.hover).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    expect(linked(view)).toEqual(['4 | o:f32[16] = dot_general… l j']);
    expect(
      [...view.node.querySelectorAll('.jp-JaxprProgram-used')].map(
        use => use.textContent
      )
    ).toEqual(['o']);
    expect(detail(view)).toContain('6dot_generalmatrix producth @ p["wh"]');
    expect(detail(view)).toContain('l:f32[16], j:f32[16,16] → o:f32[16]');
  });

  it('pins what is clicked, and previews what the mouse is over', () => {
    const { model, view } = open(golden('rnn-0.12'));
    click(line(view, 4));
    hover(line(view, 7));
    expect(linked(view)).toEqual(['7 | r:f32[16] = tanh q']);
    model.setHover(null);
    expect(linked(view)).toEqual(['4 | o:f32[16] = dot_general… l j']);
  });

  it('marks what the caret in the cell is on', () => {
    const { model, view } = open(golden('rnn-0.12'));
    model.setSelection({
      kind: 'caret',
      cellId: 'cell-rnn',
      line: 7,
      column: 2
    });
    expect(linked(view)).toEqual([
      '5 | p:f32[16] = add n o',
      '6 | q:f32[16] = add p k',
      '7 | r:f32[16] = tanh q'
    ]);
    expect(detail(view)).toBe(
      '73 equations5 to 7The whole line is selected. Put the caret into an expression to select the expression alone.'
    );
  });

  it('stands for all equations of a folded call', () => {
    const { model, view } = open(golden('rnn-0.12'));
    click(line(view, 9));
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: Array.from({ length: 9 }, (_, i) => ({
        scope: 0,
        equation: i + 3
      }))
    });
    expect(linked(view)).toEqual([
      '9 | jax.nn.softmax · 9 to 17 s → bb:f32[4]'
    ]);
  });

  it('is read with the keyboard: lines, folds, parameters', () => {
    const { model, view } = open(golden('rnn-0.12'));
    view.view?.goTo(1);
    press(view, 'ArrowDown');
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 0, equation: 1 }]
    });

    press(view, 'ArrowLeft');
    expect(shown(view)[2]).toBe(
      '2 | g:f32[16] h:f32[100,16] = scanlength=100 … d b a f e5 equations | 10'
    );
    press(view, 'ArrowDown');
    expect(linked(view)).toEqual(['8 | s:f32[4] = dot_general… g c']);
    press(view, 'ArrowRight');
    expect(linked(view)).toEqual([
      '8 | s:f32[4] = dot_general[dimension_numbers=(([0], [0]), ([], [])) preferred_element_type=float32] g c'
    ]);
    press(view, 'ArrowLeft');
    expect(linked(view)).toEqual(['8 | s:f32[4] = dot_general… g c']);

    press(view, 'ArrowUp');
    press(view, 'ArrowRight');
    expect(shown(view)[3]).toContain('{ lambda ; i:f32[8,16]');
    press(view, 'End');
    press(view, 'ArrowUp');
    press(view, 'ArrowRight');
    expect(shown(view).slice(11, 13)).toEqual([
      '9 | t:f32[] = reduce_maxaxes=(0,) … s | 11',
      '10 | u:f32[] = max -inf:f32[] t | 11'
    ]);
    press(view, 'Escape');
    expect(model.selection).toBe(null);
  });

  it('goes from an equation to its place in the cell', () => {
    const { model, view } = open(golden('rnn-0.12'));
    const wanted: string[] = [];
    screenStateOf(model).cellWanted.connect((_, span) => {
      wanted.push(`${span.line}:${span.column}`);
    });
    view.view?.goTo(5);
    press(view, 'Enter');
    expect(wanted).toEqual(['6:12']);
  });

  it('folds and unfolds all of it', () => {
    const { view } = open(golden('rnn-0.12'));
    click(button(view, 'Unfold all'));
    expect(lines(view).length).toBe(21);
    click(button(view, 'Fold all'));
    expect(shown(view)).toEqual([
      `{ lambda ; a:f32[16]p['b'] b:f32[16,16]p['wh'] c:f32[16,4]p['wo'] d:f32[8,16]p['wx'] e:f32[100,8]xs. let`,
      '1 | f:f32[16] = broadcast_in_dim 0.0:f32[] | 10',
      '2 | g:f32[16] h:f32[100,16] = scanlength=100 … d b a f e5 equations | 10',
      '8 | s:f32[4] = dot_general… g c | 11',
      '9 | jax.nn.softmax · 9 to 17 s → bb:f32[4] | 11',
      'in (bb, h) }'
    ]);
  });

  it('records the steps of a loop and shows them, by its button and by a key', () => {
    const openFlow = jest.fn();
    const { view, channel, model } = open(golden('rnn-0.12'), [], openFlow);
    const steps = view.node.querySelector('.jp-JaxprProgram-steps');
    expect(steps?.textContent).toBe('steps');
    expect(steps?.getAttribute('aria-label')).toBe(
      'Record the steps of scan step and show the values of each step'
    );
    steps?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    expect(openFlow).toHaveBeenCalledTimes(1);
    expect(channel.asked).toMatchObject([
      { type: 'steps', control: 0, confirmed: false }
    ]);
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 0, equation: 1 }]
    });
    // While the kernel records the steps, the key shows them again and does not request them again.
    press(view, 'ArrowDown');
    press(view, 'r');
    expect(openFlow).toHaveBeenCalledTimes(1);
    press(view, 'ArrowDown');
    press(view, 'r');
    expect(openFlow).toHaveBeenCalledTimes(2);
    expect(channel.asked).toHaveLength(1);
  });

  it('has no button for steps where no view shows steps', () => {
    const { view } = open(golden('rnn-0.12'));
    expect(view.node.querySelector('.jp-JaxprProgram-steps')).toBeNull();
  });

  it('shows in a tooltip what a chip hides', () => {
    const { view } = open(golden('rnn-0.12'));
    const chip = view.node.querySelector<HTMLElement>(
      '[aria-label="length=100 …: show all"]'
    );
    expect(chip?.title).toBe(
      '[ft_in=((None, None, None), (None,), (None,)) ft_out=((None,), (RightsOnly(Right(None)),)) length=100 reverse=False unroll=1]'
    );
  });

  it('leads from the second use of a program to the first', () => {
    const { view } = open(golden('shared-0.12'));
    const reference = view.node.querySelector('.jp-JaxprProgram-reference');
    expect(reference?.textContent).toBe('same program as equation 1');
    reference?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    expect(linked(view)).toEqual(['1 | r:f32[4] = jitname=g q']);
  });

  it('is copied as JAX prints it when all of it is, and with its depth when lines are', () => {
    const { view } = open(golden('rnn-0.12'));
    const { listing, view: editor } = view.view as ListingView;
    const { doc } = editor.state;
    expect(listing.wholeText()?.split('\n')).toContain(
      '    jaxpr={ lambda ; i:f32[8,16] j:f32[16,16] k:f32[16] l:f32[16] m:f32[8]. let'
    );
    const { from } = doc.line(5);
    expect(textBetween(listing, doc, from, doc.line(7).to)).toBe(
      '      n:f32[16] = dot_general[dimension_numbers=(([0], [0]), ([], [])) preferred_element_type=float32] m i\n' +
        '      o:f32[16] = dot_general[dimension_numbers=(([0], [0]), ([], [])) preferred_element_type=float32] l j\n' +
        '      p:f32[16] = add n o'
    );
    expect(textBetween(listing, doc, from + 2, from + 9)).toBe('f32[16]');
  });

  it('belongs to the shadow tree that a host draws it in', () => {
    const host = document.body.appendChild(document.createElement('div'));
    const tree = host.attachShadow({ mode: 'open' });
    const inside = tree.appendChild(document.createElement('div'));
    const { model } = open(golden('rnn-0.12'));
    const view = new ProgramView({ trans });
    Widget.attach(view, inside);
    view.model = model;
    expect(view.view?.view.root).toBe(tree);
    view.dispose();
    host.remove();
  });

  it('hides at first what the settings say, and shows it again', () => {
    const converts = (view: ProgramView): string[] =>
      shown(view).filter(text => text.includes('convert_element_type'));
    const snapshot = golden('noisy-0.12');
    expect(converts(open(snapshot).view)).not.toEqual([]);
    const { view } = open(snapshot, ['convert']);
    expect(converts(view)).toEqual([]);
    press(view, 'c');
    expect(converts(view)).not.toEqual([]);
  });

  it('does nothing while it is hidden', () => {
    const { model, view, channel } = open(golden('rnn-0.12'));
    expect(screenStateOf(model).inView).toBe(true);
    view.hide();
    expect(screenStateOf(model).inView).toBe(false);
    const before = view.view;
    channel.sends({ ...golden('cond-0.12'), created: 1780000000 });
    expect(view.view).toBe(before);
    view.show();
    expect(shown(view)[1]).toBe('1 | b:bool[] = lt a 3.0:f32[] | 4');
    expect(screenStateOf(model).inView).toBe(true);
  });

  it('shows nothing where there is no program', () => {
    const { view } = open(golden('nothing-0.12'));
    expect(view.view).toBe(null);
    expect(view.node.querySelector('.cm-editor')).toBe(null);
  });
});

describe('a program that is too large to be sent whole', () => {
  it('asks for what is seen, and puts it in its place', async () => {
    const channelAnswers: ((answer: AnyReply) => void)[] = [];
    const { view, channel } = open(golden('cut-0.12'));
    channel.answer = () => new Promise(resolve => channelAnswers.push(resolve));
    await settled();
    expect(channel.asked).toEqual([
      {
        type: 'scope',
        snapshot: 'cut-0.12',
        scope: 0,
        first_equation: 10,
        equation_count: 5000
      }
    ]);
    expect(shown(view)[11]).toBe('… 53 more equations');
  });

  it('shows the page when it has come', async () => {
    const snapshot = golden('cut-0.12');
    const channel = new FakeChannel();
    const model = new JaxprModel(trans);
    model.setChannel(channel);
    channel.greets();
    let isAnswered = false;
    channel.answer = () => {
      const first = !isAnswered;
      isAnswered = true;
      return first
        ? Promise.resolve(answered(goldenPage('cut-0.12')))
        : new Promise<AnyReply>(() => undefined);
    };
    channel.sends(snapshot);
    const view = new ProgramView({ trans, model });
    opened.push(view);
    Widget.attach(view, document.body);
    await settled();
    expect(shown(view).slice(10, 13)).toEqual([
      '10 | y:f32[3] = mul x 0.5:f32[] | 11',
      '11 | z:f32[3] = sin y | 11',
      '12 | ba:f32[3] = mul z 0.5:f32[] | 11'
    ]);
    expect(shown(view)[21]).toBe('… 43 more equations');
    expect(channel.asked.length).toBe(2);
    view.view?.goTo(11);
    expect(linked(view)).toEqual(['11 | z:f32[3] = sin y']);
  });

  it('says so where the kernel cannot be asked', async () => {
    const model = new JaxprModel(trans);
    model.show(golden('cut-0.12'), true);
    const view = new ProgramView({ trans, model });
    opened.push(view);
    Widget.attach(view, document.body);
    await settled();
    expect(messages(view)).toBe(
      'Only the kernel holds the other equations, and the kernel is not available. Run the cell again to see all equations.'
    );
  });
});

describe('the other levels of a program', () => {
  it('are shown as JAX and XLA print them, linked by line', () => {
    const { model, view } = open(golden('rnn-0.12'));
    click(button(view, 'StableHLO'));
    expect(shown(view)[0]).toBe('1 | module @jit_rnn … {');
    model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 4 }]
    });
    expect(linked(view).map(text => text.replace(/^\d+ \| /, ''))).toEqual([
      '%19 = stablehlo.tanh %18 : tensor<16xf32>'
    ]);
  });

  it('come from the kernel page by page, and all of them for a search', async () => {
    const { view, channel } = open(onRequest(golden('rnn-0.12')));
    const total = 2500;
    channel.answer = () => {
      const question = channel.asked[channel.asked.length - 1];
      return question.type === 'text'
        ? Promise.resolve(
            answered(page(total, question.first_line, question.line_count))
          )
        : Promise.reject(new Unanswered({ kernel: 'unexpected' }));
    };
    click(button(view, 'HLO'));
    expect(messages(view)).toBe('Loading HLO …');
    await settled();
    expect(messages(view)).toBe('');
    expect(shown(view)[0]).toBe('1 | %add.0 = f32[] add(a, b)');
    expect(view.view?.view.state.doc.lines).toBe(2001);
    expect(view.view?.view.state.doc.line(2001).text).toBe('… 500 more lines');

    click(button(view, 'Find in program'));
    await settled();
    expect(view.view?.view.state.doc.lines).toBe(2500);
    expect(
      channel.asked.map(question =>
        question.type === 'text'
          ? [question.first_line, question.line_count]
          : null
      )
    ).toEqual([
      [0, 2000],
      [2000, 5000]
    ]);
  });

  it('say why they cannot be had, and offer to try again', async () => {
    const { view, channel } = open(onRequest(golden('rnn-0.12')));
    channel.answer = () => Promise.resolve(answered(page(3, 0, 3)));
    const first = channel.answer;
    channel.answer = () => Promise.reject(new Error('gone'));
    click(button(view, 'HLO'));
    await settled();
    expect(messages(view)).not.toBe('');
    channel.answer = first;
    click(button(view, 'Load the text again'));
    await settled();
    expect(shown(view).length).toBe(3);
    expect(messages(view)).toBe('');
  });

  it('are made when the button is pressed', async () => {
    const { model, view, channel } = open(
      onRequest(golden('rnn-0.12'), 'not_made')
    );
    channel.answer = () => Promise.resolve(answered(golden('rnn-0.12')));
    click(button(view, 'StableHLO'));
    expect(
      view.node.querySelector('.jp-JaxprProgram-absent p')?.textContent
    ).toBe('JAX was not asked to lower it.');
    click(button(view, 'Lower the program'));
    expect(messages(view)).toBe('Lowering …');
    await settled();
    expect(channel.asked).toEqual([
      { type: 'make', snapshot: 'rnn-0.12', program: 0, level: 'stablehlo' }
    ]);
    expect(model.snapshot?.programs[0].levels[0].state).toBe('held');
    expect(shown(view)[0]).toBe('1 | module @jit_rnn … {');
  });

  it('are not offered where they cannot be had', () => {
    const { view } = open(onRequest(golden('rnn-0.12'), 'absent'));
    click(button(view, 'HLO'));
    expect(
      view.node.querySelector('.jp-JaxprProgram-absent')?.textContent
    ).toBe('JAX was not asked to lower it.');
    expect(button(view, 'Find in program').getAttribute('aria-disabled')).toBe(
      'true'
    );
  });
});
