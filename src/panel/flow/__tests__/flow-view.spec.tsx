import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../../model/screen-state';
import { linksOf } from '../../../model/links';
import { JaxprModel } from '../../../model/model';
import { golden, goldenPage } from '../../../program-text/__tests__/documents';
import { Control, Snapshot } from '../../../protocol/snapshot';
import {
  act,
  byRole,
  click,
  press,
  render,
  words
} from '../../../parts/__tests__/render';
import { Flow } from '../flow-view';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
});

interface IShown {
  model: JaxprModel;
  node: HTMLElement;
  /** The view's calls to the panel, in order, such as `focus`. */
  opened: string[];
  redraw: () => void;
}

function shown(document: Snapshot): IShown {
  const model = new JaxprModel(trans);
  model.show(document, false);
  const opened: string[] = [];
  screenStateOf(model).programWanted.connect(() => opened.push('focus'));
  const flow = (): JSX.Element => (
    <Flow
      model={model}
      openProgram={() => opened.push('program')}
      trans={trans}
    />
  );
  const { node, redraw } = render(flow());
  // The view's widget draws again when the model has changed.
  model.changed.connect(() => redraw(flow()));
  return { model, node, opened, redraw: () => redraw(flow()) };
}

/** Makes a golden document whose first card is changed, with further cards after the first card. */
function withCards(
  name: string,
  changes: Partial<Control>,
  ...others: Partial<Control>[]
): Snapshot {
  const document = golden(name);
  const [first] = document.control_flow ?? [];
  return {
    ...document,
    control_flow: [changes, ...others].map(each => ({ ...first, ...each }))
  };
}

/** Lists the title and the cost of each card. */
const heads = (node: HTMLElement): string[] =>
  [...node.querySelectorAll('.jp-JaxprFlow-head')].map(head =>
    [...head.querySelectorAll('.jp-JaxprFlow-what, .jp-JaxprFlow-cost')]
      .map(words)
      .join(' | ')
  );

const table = (node: HTMLElement): string[] =>
  [...node.querySelectorAll('.jp-JaxprFlow-slots tr')].map(row =>
    [...row.children].map(words).join(' | ')
  );

const lines = (node: HTMLElement, name: string): string[] =>
  [
    ...byRole(node, 'listbox', name)[0].querySelectorAll<HTMLElement>(
      '.jp-JaxprFlow-code'
    )
  ].map(words);

describe('a card whose program has not arrived', () => {
  it('says so, and shows it when it has', () => {
    const document = golden('cut-0.12');
    const { node, redraw } = shown(document);
    const told =
      'These equations are not loaded yet. A search in the Program tab loads all equations.';
    expect(words(node).split(told).length - 1).toBe(1);
    expect(words(node)).not.toContain('convert_element_type');
    const { equations } = linksOf(document, document.focus);
    equations.addPage(equations.root, goldenPage('cut-0.12.rest'));
    redraw();
    expect(words(node)).not.toContain(told);
    expect(words(node)).toContain('convert_element_type');
  });
});

describe('the card of a scan', () => {
  it('says what it is, draws it, and lists its values', () => {
    const { node } = shown(golden('rnn-0.12'));
    expect(heads(node)).toEqual(['scan step line 10 | 100 steps · 80.0 kop']);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'Drawing of scan. The carry h passes through 100 steps. Each step takes a row of xs. Each step returns a row of hs.'
    );
    expect(table(node)).toEqual([
      'role | leaf | type in one step | type in all steps',
      'carry | h | f32[16] | f32[16]',
      'xs | xs | f32[8] | f32[100,8]',
      'ys | hs | f32[16] | f32[100,16]',
      "const | p['wx'] | f32[8,16] | same type",
      "const | p['wh'] | f32[16,16] | same type",
      "const | p['b'] | f32[16] | same type"
    ]);
  });

  it('has its body as the Program view has it', () => {
    const { node } = shown(golden('rnn-0.12'));
    expect(lines(node, 'Program of scan step, line 10')).toEqual([
      '{ lambda ; i:f32[8,16] j:f32[16,16] k:f32[16] l:f32[16] m:f32[8]. let',
      'n:f32[16] = dot_general… m i',
      'o:f32[16] = dot_general… l j',
      'p:f32[16] = add n o',
      'q:f32[16] = add p k',
      'r:f32[16] = tanh q',
      'in (r, r) }'
    ]);
  });

  it('marks a carry whose type changes, and says what is unknown', () => {
    const [first] = golden('rnn-0.12').control_flow ?? [];
    const slots = first.slots.map(slot =>
      slot.role === 'carry'
        ? { ...slot, out: slot.whole + 1, path: '', operand: -1 }
        : slot
    );
    const { node } = shown(
      withCards('rnn-0.12', {
        slots,
        trips: null,
        step_flops: null,
        frame: -1,
        library: 'jnp.median'
      })
    );
    expect(table(node)[1]).toBe(
      'carry | unknown | f32[16] | f32[16,16] type changed'
    );
    expect(heads(node)).toEqual([
      'scan step called by the library function jnp.median | unknown number of steps'
    ]);
  });
});

describe('the card of a while', () => {
  it('has its condition, and both programs', () => {
    const { node } = shown(golden('newton-0.12'));
    expect(heads(node)).toEqual([
      'while_loop step line 10 | unknown number of steps · 8 op per step'
    ]);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'Drawing of while_loop. The carry s[0], s[1] passes through an unknown number of steps. The loop continues while jnp.abs(s[0] ** 2 - x) > 1e-5.'
    );
    expect(
      byRole(node, 'listbox').map(
        each => each.ariaLabel ?? each.getAttribute('aria-label')
      )
    ).toEqual([
      'Condition of while_loop step, line 10',
      'Program of while_loop step, line 10'
    ]);
    expect(words(node.querySelector('.jp-JaxprFlow-facts'))).toContain(
      'reverse-mode grad does not'
    );
  });
});

describe('the card of a cond', () => {
  it('has a box for each branch, and what decides', () => {
    const { node, model } = shown(golden('cond-0.12'));
    expect(heads(node)).toEqual([
      'cond line 4, predicate x < 3 | 2 branches · at most 2 op per execution'
    ]);
    const sides = [...node.querySelectorAll<HTMLElement>('[data-branch]')];
    expect(sides.map(side => words(side.querySelector('header')))).toEqual([
      'Falsebranch index 0 in the jaxpr · <lambda> at line 6 · 1 op',
      'Truebranch index 1 in the jaxpr · <lambda> at line 5 · 2 op'
    ]);
    expect(lines(node, 'Branch True of cond, line 4')).toEqual([
      'h:f32[] = integer_powy=2 g',
      'i:f32[] = mul 3.0:f32[] h'
    ]);

    click(byRole(node, 'button', 'x < 3')[0]);
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 0, equation: 0 }]
    });
    click(byRole(node, 'button', 'Equation that decides the branch')[0]);
    expect(lines(node, 'Equation of the predicate of cond, line 4')).toEqual([
      'b:bool[] = lt a 3.0:f32[]'
    ]);
  });

  it('that became a select says so, and shows its equation', () => {
    const [first] = golden('cond-0.12').control_flow ?? [];
    const { node } = shown(
      withCards('cond-0.12', {
        primitive: 'select_n',
        branches: first.branches.map(branch => ({ ...branch, scope: -1 }))
      })
    );
    expect(heads(node)).toEqual([
      'cond line 4, primitive select_n, predicate x < 3 | 2 branches · 2 op'
    ]);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'Drawing of cond. All branches run: False (<lambda>), True (<lambda>). x < 3 selects the results.'
    );
    expect(byRole(node, 'listbox', 'Equations of cond, line 4').length).toBe(1);
  });
});

describe('pointing', () => {
  it('goes from a card to the model, and from a line of the cell to cards', () => {
    const { node, model } = shown(golden('rnn-0.12'));
    const card = node.querySelector<HTMLElement>('[data-card]');
    click(node.querySelector('.jp-JaxprFlow-head'));
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 0, equation: 1 }]
    });
    expect(card?.dataset.marked).toBe('true');
    act(() =>
      model.setSelection({
        kind: 'caret',
        cellId: 'cell-rnn',
        line: 11,
        column: 30
      })
    );
    expect(card?.dataset.marked).toBeUndefined();
    act(() =>
      model.setSelection({
        kind: 'caret',
        cellId: 'cell-rnn',
        line: 10,
        column: 15
      })
    );
    expect(card?.dataset.marked).toBe('true');
  });

  it('by the keyboard moves along a program, goes to the cell, and lets go', () => {
    const { node, model } = shown(golden('rnn-0.12'));
    const gone: number[] = [];
    screenStateOf(model).cellWanted.connect((_, span) => gone.push(span.line));
    const [program] = byRole(node, 'listbox');
    press(program, 'ArrowDown');
    press(program, 'ArrowDown');
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 1 }]
    });
    const current = document.getElementById(
      program.getAttribute('aria-activedescendant') ?? ''
    );
    expect(current?.getAttribute('aria-selected')).toBe('true');
    expect(words(current)).toBe('o:f32[16] = dot_general… l j6');
    press(program, 'Enter');
    expect(gone).toEqual([6]);
    press(program, 'ArrowRight');
    expect(words(current)).toContain('dimension_numbers=');
    press(program, 'ArrowLeft');
    expect(words(current)).toBe('o:f32[16] = dot_general… l j6');
    press(program, 'Escape');
    expect(model.selection).toBeNull();
  });

  it('shows a line in the whole program', () => {
    const { node, model, opened } = shown(golden('rnn-0.12'));
    press(byRole(node, 'listbox')[0], 'End');
    press(byRole(node, 'listbox')[0], 'ArrowUp');
    click(byRole(node, 'button', 'Show line in Program')[0]);
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 4 }]
    });
    expect(opened).toEqual(['program', 'focus']);
  });
});

describe('many cards', () => {
  it('nest, those inside by their heads, and all of them can be unfolded', () => {
    const { node } = shown(
      withCards(
        'rnn-0.12',
        {},
        { parent: 0, parent_part: 'body', depth: 1, title: 'a' },
        { parent: 1, parent_part: 'body', depth: 2, title: 'b', kind: 'map' },
        { title: 'c' }
      )
    );
    expect(heads(node)).toEqual([
      'scan step line 10 | 100 steps · 80.0 kop',
      'scan a line 10, in the body of the outer construct | 100 steps · 80.0 kop',
      'scan c line 10 | 100 steps · 80.0 kop'
    ]);
    click(byRole(node, 'button', 'Unfold all')[0]);
    expect(heads(node)[2]).toBe(
      'map b line 10, primitive scan, in the body of the outer construct | 100 steps · 80.0 kop'
    );
    expect(
      byRole(node, 'img')
        .map(each => words(each))
        .map(text => text.includes('×100scan'))
    ).toEqual([true, false, false, false]);
    click(byRole(node, 'button', 'Fold all')[0]);
    expect(heads(node).length).toBe(2);
    // A selection inside a folded card marks the card around it.
    click(byRole(node, 'button', 'scan step, line 10')[0]);
    expect(heads(node).length).toBe(3);
  });

  it('of more than twenty start as an outline', () => {
    const { node } = shown(
      withCards('rnn-0.12', {}, ...Array.from({ length: 20 }, () => ({})))
    );
    expect(heads(node).length).toBe(21);
    expect(byRole(node, 'img')).toEqual([]);
  });

  it('of another program are not shown', () => {
    const { node } = shown(withCards('rnn-0.12', { program: 1 }));
    expect(words(node.querySelector('h2'))).toBe(
      'This program has no control flow'
    );
    expect(byRole(node, 'button').map(words)).toEqual([
      'Which control-flow function to choose'
    ]);
  });

  it('that only have a name are slim, and their program is folded', () => {
    const { node } = shown(
      withCards('rnn-0.12', { kind: 'custom_jvp', title: 'relu' })
    );
    expect(heads(node)).toEqual([
      'custom_jvp relu line 10, 5 equations | 800 op'
    ]);
    click(byRole(node, 'button', 'custom_jvp relu, line 10')[0]);
    expect(byRole(node, 'img')).toEqual([]);
    expect(byRole(node, 'listbox')).toEqual([]);
    click(byRole(node, 'button', 'Program')[0]);
    expect(byRole(node, 'listbox').length).toBe(1);
  });
});

describe('the page of choices', () => {
  it('has the row that fits marked, and gives the focus back', () => {
    const { node } = shown(golden('newton-0.12'));
    click(byRole(node, 'button', 'Which control-flow function to choose')[0]);
    expect(words(document.activeElement)).toBe('Back to control flow');
    expect(words(node.querySelector('.jp-JaxprFlow-verdict'))).toBe(
      'For while_loop step, line 10, use jax.lax.while_loop. The number of steps depends on values that are known only at run time.'
    );
    const rows = [...node.querySelectorAll<HTMLElement>('[data-row]')];
    expect(rows.map(row => row.dataset.row)).toEqual([
      'flag',
      'branch',
      'elementwise',
      'short',
      'long',
      'open',
      'outputs'
    ]);
    expect(
      rows.filter(row => row.getAttribute('aria-current') === 'true').map(words)
    ).toEqual([
      'A loop that runs until a condition is metfits this constructjax.lax.while_loopThe values decide when the loop ends. Only forward-mode differentiation works through the loop: jvp, not grad.'
    ]);
    press(document.activeElement, 'Escape');
    expect(words(document.activeElement)).toBe(
      'Which control-flow function to choose'
    );
    expect(heads(node).length).toBe(1);
  });

  it('marks no row where none fits for sure', () => {
    const { node } = shown(
      withCards('rnn-0.12', { choice: null, choice_reason: null })
    );
    click(byRole(node, 'button', 'Which control-flow function to choose')[0]);
    expect(node.querySelector('[aria-current]')).toBeNull();
    expect(words(node.querySelector('.jp-JaxprFlow-verdict'))).toBe(
      'The panel cannot tell which construct to use for scan step, line 10. Compare the situations in the table.'
    );
  });
});

describe('long programs', () => {
  it('show their first lines, and the rest when asked', () => {
    const document = golden('mlp-0.12');
    const [card] = golden('rnn-0.12').control_flow ?? [];
    // A body of many lines is needed, so the card's body is scope 0, the whole program.
    const { node } = shown({
      ...document,
      control_flow: [
        { ...card, body: 0, equation: 0, slots: [], frame: -1, body_frame: -1 }
      ]
    });
    expect(lines(node, 'Program of scan step').length).toBe(8);
    click(byRole(node, 'button', 'Show all 23 lines')[0]);
    expect(lines(node, 'Program of scan step').length).toBe(23);
    click(byRole(node, 'button', 'Show fewer lines')[0]);
    expect(lines(node, 'Program of scan step').length).toBe(8);
  });
});
