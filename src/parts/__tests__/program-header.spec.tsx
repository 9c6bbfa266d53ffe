import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../model/screen-state';
import { JaxprModel } from '../../model/model';
import { program, snapshot } from '../../protocol/__tests__/documents';
import { Program } from '../../protocol/snapshot';
import { EditedSince } from '../edited-since';
import { Header, runWords } from '../program-header';
import { Signature } from '../signature';
import { StageBar, stageSentence } from '../stage-bar';
import { act, byRole, click, press, render, words } from './render';

const trans = nullTranslator.load('jupyter_jaxpr');

const CREATED = new Date(2026, 7, 17, 2, 34).getTime() / 1000;

beforeEach(() => {
  jest.useFakeTimers({ now: new Date(2026, 7, 17, 3, 0) });
});
afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

/** A model with two runs in its list: `rnn` and `loss` of cell 7, then `step` of cell 9. */
function twoRuns(): JaxprModel {
  const model = new JaxprModel(trans);
  model.show(
    snapshot({
      created: CREATED,
      programs: [
        program(),
        program({ name: 'loss', result: null, how: 'ran as an eager scan' })
      ]
    }),
    false
  );
  model.show(
    snapshot({
      id: 'run-2',
      created: CREATED + 360,
      cell: { id: 'cell-9', execution_count: 9, file: 'f', source: '' },
      programs: [program({ name: 'step' })]
    }),
    false
  );
  return model;
}

function header(model: JaxprModel): {
  node: HTMLElement;
  asked: string[];
  redraw: () => void;
} {
  const asked: string[] = [];
  const make = (): JSX.Element => (
    <Header
      model={model}
      trans={trans}
      actions={{
        copy: () => asked.push('copy'),
        more: () => asked.push('more')
      }}
    />
  );
  const { node, redraw } = render(make());
  return { node, asked, redraw: () => redraw(make()) };
}

describe('the head of the panel', () => {
  it.each([
    ['in the panel, with Live', { live: () => undefined }],
    ['in a widget, without pin and pause', { follows: false }]
  ])('is one stop of the Tab key %s, at the last control', (_, more) => {
    const model = twoRuns();
    const actions = { copy: () => undefined, more: () => undefined, ...more };
    const { node } = render(
      <Header model={model} trans={trans} actions={actions} />
    );
    const [toolbar] = byRole(node, 'toolbar', 'Program');
    const controls = [...toolbar.querySelectorAll<HTMLElement>('[tabindex]')];
    for (const control of controls) {
      act(() => control.focus());
      expect(controls.filter(({ tabIndex }) => tabIndex === 0)).toEqual([
        control
      ]);
    }
    model.dispose();
  });

  it('says which program, its signature, its cell and what was done with it', () => {
    const model = new JaxprModel(trans);
    model.show(snapshot({ created: CREATED }), false);
    const { node } = header(model);
    expect(words(node)).toBe(
      'rnn' +
        'p: {b: f32[16], wh: f32[16,16]}, xs: f32[100,8] → (f32[4], f32[100,16])' +
        'Cell [7] · 02:34 · 4 calls, 1 compile'
    );
  });

  it('colours types and nothing else', () => {
    const model = new JaxprModel(trans);
    model.show(snapshot(), false);
    const { node } = header(model);
    expect(
      [...node.querySelectorAll('.jp-JaxprPanel-type')].map(words)
    ).toEqual(['f32[16]', 'f32[16,16]', 'f32[100,8]', 'f32[4]', 'f32[100,16]']);
  });

  it('is one stop of the Tab key, with arrows inside', () => {
    const { node } = header(twoRuns());
    const buttons = byRole(node, 'button');
    expect(buttons.map(button => button.tabIndex)).toEqual([0, -1, -1, -1, -1]);
    buttons[0].focus();
    press(buttons[0], 'ArrowRight');
    expect(document.activeElement).toBe(buttons[1]);
    expect(buttons.map(button => button.tabIndex)).toEqual([-1, 0, -1, -1, -1]);
    press(buttons[1], 'End');
    expect(document.activeElement).toBe(buttons[4]);
    press(buttons[4], 'ArrowRight');
    expect(document.activeElement).toBe(buttons[0]);
  });

  it('pins, pauses and copies', () => {
    const model = twoRuns();
    const { node, asked, redraw } = header(model);
    const pin = byRole(node, 'button', 'Pin this program')[0];
    expect(pin.getAttribute('aria-pressed')).toBe('false');
    click(pin);
    click(byRole(node, 'button', 'Pause updates')[0]);
    click(byRole(node, 'button', 'Copy the program')[0]);
    redraw();
    expect(model.pinned).toBe(true);
    expect(model.paused).toBe(true);
    expect(pin.getAttribute('aria-pressed')).toBe('true');
    expect(byRole(node, 'button', 'Resume updates')).toHaveLength(1);
    expect(asked).toEqual(['copy']);
  });
});

describe('the list of programs', () => {
  it('holds the programs of every run, newest run first', () => {
    const { node } = header(twoRuns());
    click(byRole(node, 'button')[0]);
    const list = byRole(node, 'listbox', 'Programs')[0];
    expect(words(list)).toBe(
      'Cell [9] · 02:40' +
        'step ({b, wh}, f32[100,8]) → (f32[4], f32[100,16])' +
        'Cell [7] · 02:34' +
        'rnn ({b, wh}, f32[100,8]) → (f32[4], f32[100,16])' +
        'loss ({b, wh}, f32[100,8]) · ran as an eager scan'
    );
    expect(
      byRole(list, 'option').map(one => one.getAttribute('aria-selected'))
    ).toEqual(['true', 'false', 'false']);
  });

  it('is chosen from by keyboard', () => {
    const model = twoRuns();
    const { node, redraw } = header(model);
    const button = byRole(node, 'button')[0];
    press(button, 'ArrowDown');
    const list = byRole(node, 'listbox')[0];
    expect(document.activeElement).toBe(list);
    press(list, 'ArrowDown');
    press(list, 'ArrowDown');
    press(list, 'Enter');
    redraw();
    expect(byRole(node, 'listbox')).toEqual([]);
    expect(document.activeElement).toBe(button);
    expect(words(node.querySelector('.jp-JaxprPanel-which'))).toBe(
      'loss2 of 2'
    );
    expect(model.snapshot?.id).toBe('run-1');
  });

  it('is found in by the first letters of a name, and left by Escape', () => {
    const model = twoRuns();
    const { node } = header(model);
    const button = byRole(node, 'button')[0];
    click(button);
    const list = byRole(node, 'listbox')[0];
    press(list, 'l');
    press(list, 'o');
    expect(
      words(
        document.getElementById(
          list.getAttribute('aria-activedescendant') ?? ''
        )
      )
    ).toBe('loss ({b, wh}, f32[100,8]) · ran as an eager scan');
    press(list, 'Escape');
    expect(document.activeElement).toBe(button);
    expect(model.snapshot?.id).toBe('run-2');
  });
});

describe('the filter of the list of programs', () => {
  function manyPrograms(count: number): JaxprModel {
    const model = new JaxprModel(trans);
    const programs = Array.from({ length: count }, (_, i) =>
      program({ name: i % 50 === 7 ? `loss_${i}` : `step_${i}` })
    );
    model.show(snapshot({ created: CREATED, programs }), false);
    return model;
  }
  const field = (node: HTMLElement): HTMLInputElement | undefined =>
    byRole(node, 'combobox', 'Filter the programs')[0] as HTMLInputElement;
  const write = (input: HTMLInputElement | undefined, text: string): void =>
    act(() => {
      const { set } = Object.getOwnPropertyDescriptor(
        HTMLInputElement.prototype,
        'value'
      ) as PropertyDescriptor;
      set?.call(input, text);
      input?.dispatchEvent(new Event('input', { bubbles: true }));
    });
  const shown = (node: HTMLElement): string[] =>
    byRole(node, 'option').map(option => words(option).split(' ')[0]);

  it('is there from twelve programs on, and leaves the focus with the list', () => {
    const few = header(manyPrograms(11)).node;
    click(byRole(few, 'button')[0]);
    expect(field(few)).toBeUndefined();
    const many = header(manyPrograms(12)).node;
    click(byRole(many, 'button')[0]);
    expect(field(many)).toBeDefined();
    expect(words(byRole(many, 'status')[0])).toBe('12 programs');
    expect(document.activeElement).toBe(byRole(many, 'listbox')[0]);
  });

  it('shows the programs that have all its words, none of them folded', () => {
    const model = manyPrograms(200);
    const { node, redraw } = header(model);
    click(byRole(node, 'button')[0]);
    const list = byRole(node, 'listbox')[0];
    press(list, '/');
    const input = field(node);
    expect(document.activeElement).toBe(input);
    write(input, 'LOSS f32[100,8]');
    expect(shown(node)).toEqual(['loss_7', 'loss_57', 'loss_107', 'loss_157']);
    expect(words(byRole(node, 'status')[0])).toBe('4 of 200 programs');
    press(input ?? null, 'ArrowDown');
    expect(input?.getAttribute('aria-activedescendant')).toBe(
      byRole(node, 'option')[1].id
    );
    press(input ?? null, 'Enter');
    redraw();
    expect(byRole(node, 'listbox')).toEqual([]);
    expect(model.program).toBe(57);
  });

  it('says that no program fits, is emptied by Escape, and is left by a second one', () => {
    const { node } = header(manyPrograms(20));
    const button = byRole(node, 'button')[0];
    click(button);
    press(byRole(node, 'listbox')[0], '/');
    const input = field(node) ?? null;
    write(field(node), 'none of them');
    expect(words(byRole(node, 'listbox')[0])).toBe(
      'No program matches the filter'
    );
    press(input, 'Enter');
    expect(byRole(node, 'listbox')).toHaveLength(1);
    press(input, 'Escape');
    expect(field(node)?.value).toBe('');
    expect(shown(node)).toHaveLength(20);
    press(input, 'Escape');
    expect(byRole(node, 'listbox')).toEqual([]);
    expect(document.activeElement).toBe(button);
  });

  it('is reached from the list by Shift+Tab, and leads back by Tab', () => {
    const { node } = header(manyPrograms(20));
    click(byRole(node, 'button')[0]);
    const list = byRole(node, 'listbox')[0];
    act(() => {
      list.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'Tab',
          shiftKey: true,
          bubbles: true,
          cancelable: true
        })
      );
    });
    expect(document.activeElement).toBe(field(node));
    press(field(node) ?? null, 'Tab');
    expect(document.activeElement).toBe(list);
  });
});

describe('what the run did with the function', () => {
  it('is said beside the title, the origin and the saved copy', () => {
    const model = new JaxprModel(trans);
    model.show(
      snapshot({
        created: CREATED,
        title: 'warm-up',
        programs: [
          program({
            summary: { size: [], activity: null, origin: 'compiled, not run' }
          })
        ]
      }),
      true
    );
    expect(runWords(model, trans)).toBe(
      'warm-up · Cell [7] · 02:34 · compiled, not run · saved copy'
    );
  });
});

it('says nothing of what an earlier version did not word', () => {
  const model = new JaxprModel(trans);
  const programs = [program({ summary: null })];
  model.show(snapshot({ created: CREATED, programs }), false);
  expect(runWords(model, trans)).toBe('Cell [7] · 02:34');
});

describe('a signature', () => {
  const shown = (changes: Partial<Program>): HTMLElement =>
    render(<Signature program={program(changes)} trans={trans} />).node;
  const argument = { static: false, donated: false, summary: '' };

  it('marks static and donated arguments, and weak types', () => {
    expect(
      words(
        shown({
          arguments: [
            { ...argument, name: 'n', type: "'x[0]'", static: true },
            { ...argument, name: 'x', type: 'f32[] weak', donated: true },
            { ...argument, name: '', type: 'key<fry>[]' }
          ],
          result: null
        })
      )
    ).toBe("n='x[0]' static, x: f32[] weak donated, key<fry>[]");
  });

  it('of nothing is a pair of brackets', () => {
    expect(words(shown({ arguments: [], result: null }))).toBe('()');
  });

  it('that is long is folded, and shown whole on demand', () => {
    const type = Array.from({ length: 100 }, (_, i) => `w${i}: f32[8]`).join(
      ', '
    );
    const node = shown({
      arguments: [{ ...argument, name: 'p', type: `{${type}}` }],
      result: null
    });
    expect(words(node).replace(/\u00a0/g, ' ')).toBe('p: 100 arrays, 800…');
    const button = byRole(node, 'button', 'Show the whole signature')[0];
    click(button);
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(words(node)).toContain('w99: f32[8]}');
  });

  it('is folded from its longest argument on, and counts arguments last', () => {
    const leaves = (count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `w${i}: f32[8,n]`).join(', ')}}`;
    const node = shown({
      arguments: [
        { ...argument, name: 'x', type: 'f32[8]' },
        { ...argument, name: 'p', type: leaves(30), donated: true },
        {
          ...argument,
          name: 'config',
          type: `${'a '.repeat(29)}a`,
          static: true
        }
      ],
      result: { ...argument, name: '', type: leaves(2) }
    });
    expect(words(node)).toBe(
      'x: f32[8], p: 30 arrays donated, config=' +
        `${'a '.repeat(29)}a static → {w0: f32[8,n], w1: f32[8,n]}…`
    );
    const many = shown({
      arguments: Array.from({ length: 60 }, (_, i) => ({
        ...argument,
        name: `a${i}`,
        type: 'f32[8]'
      })),
      result: null
    });
    expect(words(many)).toMatch(/^a0: f32\[8\], .* a23: f32\[8\], \+36…$/);
  });

  it('takes the number of arrays from the program where the kernel cut the type', () => {
    const cut = snapshot();
    const scope = cut.scopes[cut.programs[0].scope];
    Object.assign(scope, { inputs: 3, variable_avals: [0, 0, 0] });
    const { node } = render(
      <Signature
        program={program({
          scope: cut.programs[0].scope,
          input_names: ["p['w']", "p['b']", 'x'],
          arguments: [
            { ...argument, name: 'p', type: `{${'w: f32[8], '.repeat(90)}…` }
          ],
          result: null
        })}
        snapshot={cut}
        trans={trans}
      />
    );
    expect(words(node)).toMatch(/^p: 2 arrays, \d+…$/);
  });

  it('is text, whatever a saved notebook holds', () => {
    const node = shown({
      arguments: [
        {
          ...argument,
          name: '<img src=x onerror=alert(1)>',
          type: '<script>f32[8]</script>'
        }
      ],
      result: null
    });
    expect(node.querySelector('img, script')).toBeNull();
    expect(words(node)).toBe(
      '<img src=x onerror=alert(1)>: <script>f32[8]</script>'
    );
  });
});

describe('the stage bar', () => {
  const stages = {
    trace: 0.0054,
    lower: 0.0142,
    compile: 0.121,
    from_disk: false,
    first_run: 0.0007,
    rest: 0.0012,
    total: 0.1423
  };

  it('tells what a warm call takes, once that was measured', () => {
    const { node } = render(
      <StageBar stages={stages} warm={23e-6} trans={trans} />
    );
    expect([...node.querySelectorAll('dl > div')].slice(-2).map(words)).toEqual(
      ['warm call23 µs', 'total142 ms']
    );
  });

  it('has a button that measures the calls where a kernel can', () => {
    const measure = jest.fn();
    const { node } = render(
      <StageBar stages={stages} measure={measure} trans={trans} />
    );
    click(byRole(node, 'button', 'Time the calls')[0]);
    expect(measure).toHaveBeenCalledTimes(1);
    const { node: saved } = render(<StageBar stages={stages} trans={trans} />);
    expect(byRole(saved, 'button')).toEqual([]);
  });

  it('has its numbers beside it and a sentence for its label', () => {
    const { node } = render(<StageBar stages={stages} trans={trans} />);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The first call took 142 ms: trace 5.4 ms, lower 14 ms, compile 121 ms, first run 0.70 ms, rest 1.2 ms.'.replace(
        / (?=ms)/g,
        '\u00a0'
      )
    );
    expect(
      [...node.querySelectorAll('dl > div')].map(one => [
        words(one.querySelector('dt')),
        words(one.querySelector('dd'))
      ])
    ).toEqual([
      ['trace', '5.4 ms'],
      ['lower', '14 ms'],
      ['compile', '121 ms'],
      ['first run', '0.70 ms'],
      ['rest', '1.2 ms'],
      ['total', '142 ms']
    ]);
    const shares = [
      ...node.querySelectorAll<HTMLElement>('.jp-JaxprPanel-stage')
    ].map(one => Math.round(Number(one.style.flexGrow)));
    expect(shares).toEqual([4, 10, 85, 0, 1]);
  });

  it('says unknown for what JAX did not report', () => {
    const sentence = stageSentence(
      { ...stages, lower: null, compile: 0.002, from_disk: true, total: null },
      trans
    );
    expect(sentence.replace(/\u00a0/g, ' ')).toBe(
      'Stages of the first call: trace 5.4 ms, lower unknown, from disk 2.0 ms, first run 0.70 ms, rest 1.2 ms.'
    );
  });
});

describe('the word of what was edited since', () => {
  it('follows the cells, and says their numbers where they are not the one that ran', () => {
    const model = twoRuns();
    const { node } = render(<EditedSince model={model} trans={trans} />);
    const word = byRole(node, 'status')[0];
    expect(word.textContent).toBe('');
    const edited = { reason: 'edited' as const };
    act(() => {
      screenStateOf(model).unlinked = [
        { ...edited, executionCount: 9, isOwn: true },
        { ...edited, executionCount: 3, isOwn: false },
        { reason: 'missing', executionCount: 4, isOwn: false }
      ];
    });
    expect(word.textContent).toBe(
      'cell edited after the run, cell [3] edited after the run, cell [4] deleted'
    );
    expect(word.title.split('\n')[2]).toBe(
      'The notebook no longer has cell [4] of this run.'
    );
    act(() => {
      screenStateOf(model).unlinked = [];
    });
    expect(word.textContent).toBe('');
  });
});
