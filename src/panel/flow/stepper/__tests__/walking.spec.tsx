import * as React from 'react';

import { steppingOf } from '../../../../model/stepping';
import { recording } from '../../../../protocol/__tests__/documents';
import {
  byRole,
  click,
  render,
  words
} from '../../../../parts/__tests__/render';
import { Stepper } from '..';
import {
  heading,
  rows,
  announced,
  shown,
  slide,
  slider,
  trans,
  values
} from './drawn-stepper';
import { card, long } from './recordings';

afterEach(() => {
  document.body.replaceChildren();
});

describe('a recording that came with the document', () => {
  it('is shown at once: the first step, its values, all steps, the verdict', () => {
    const { node } = shown(card(), recording());
    expect(heading(node)).toBe('Step 1 of 5');
    expect(values(node, 0)).toEqual([
      'leaf | before step 1 | after step 1',
      'total i32[] | 0 | 1',
      'xs[0] step input i32[] | 1',
      'ys[0] step output i32[] | 2'
    ]);
    expect(
      rows(node.querySelector('.jp-JaxprStepper-scroller') ?? undefined)
    ).toEqual(
      [
        'step | total | xs | ys',
        '1 | 0 | 1 | 2',
        '2 | 1 | 2 | 6',
        '3 | 3 | 3 | 12',
        '4 | 6 | 4 | 20',
        '5 | 10 | 5 | 30',
        'at end | 15 | |'
      ].map(row => row.replace('15 | |', '15 |  | '))
    );
    expect(words(node.querySelector('.jp-JaxprStepper-verdict'))).toBe(
      "The recorded results equal the original function's results, bit for bit. The recorded run took 210 ms, including its own compilation.".replace(
        'bit. The',
        'bit.The'
      )
    );
  });

  it('is walked by buttons, which say where one is', () => {
    const { node } = shown(card(), recording());
    const back = byRole(node, 'button', 'Previous step')[0];
    expect(back.getAttribute('aria-disabled')).toBe('true');
    click(byRole(node, 'button', 'Next step')[0]);
    expect(heading(node)).toBe('Step 2 of 5');
    expect(announced(node)).toBe('Step 2 of 5, total: 3, xs[1]: 2, ys[1]: 6');
    click(back);
    expect(announced(node)).toBe('Step 1 of 5, total: 1, xs[0]: 1, ys[0]: 2');
  });

  it('is walked by the slider, which says so itself', () => {
    const { node } = shown(card(), recording());
    slide(node, 4);
    expect(heading(node)).toBe('Step 5 of 5');
    expect(slider(node).getAttribute('aria-valuetext')).toBe(
      'Step 5 of 5, total: 15, xs[4]: 5, ys[4]: 30'
    );
    expect(announced(node)).toBe('');
    expect(
      byRole(node, 'button', 'Next step')[0].getAttribute('aria-disabled')
    ).toBe('true');
  });

  it('is walked by a click on a row', () => {
    const { node } = shown(card(), recording());
    click(node.querySelectorAll('.jp-JaxprStepper-scroller tbody tr')[2]);
    expect(heading(node)).toBe('Step 3 of 5');
    expect(words(node.querySelector('[aria-current=step]'))).toBe('33312');
  });

  it('stays where it was when the view is drawn anew', () => {
    const { node, model } = shown(card(), recording());
    slide(node, 3);
    const again = render(
      <Stepper model={model} card={card()} index={0} trans={trans} />
    );
    expect(heading(again.node)).toBe('Step 4 of 5');
  });

  it('of a scan from the last x to the first counts so', () => {
    const { node } = shown(card({ reverse: true }), recording());
    expect(values(node, 0)[2]).toBe('xs[4] step input i32[] | 1');
  });
});

describe('the step that the cell shows', () => {
  it('is the one that the user walked to, until the stepper is gone', () => {
    const { node, model, redraw } = shown(card(), recording());
    const stepping = steppingOf(model);
    // A recording that was saved with the notebook marks no line until the user moves in it.
    expect(stepping.shown).toBe(null);
    slide(node, 1);
    expect(stepping.shown?.before).toEqual({
      text: 'total = 1, xs[1] = 2',
      title: 'Values before step 2: total = 1, xs[1] = 2'
    });
    expect(stepping.shown?.after).toEqual({
      text: 'total = 3, ys[1] = 6',
      title: 'Values after step 2: total = 3, ys[1] = 6'
    });
    redraw(<></>);
    expect(stepping.shown).toBe(null);
  });
});

describe('a thousand steps', () => {
  it('are in a table of which only the rows in view are drawn', () => {
    const { node } = shown(card(), long(1000, 10));
    const details = node.querySelector('details') as HTMLDetailsElement;
    expect(details.open).toBe(false);
    click(details.querySelector('summary'));
    const drawn = node.querySelectorAll('.jp-JaxprStepper-scroller tbody tr');
    expect(drawn.length).toBeLessThan(40);
    expect(
      node
        .querySelector('.jp-JaxprStepper-scroller table')
        ?.getAttribute('aria-rowcount')
    ).toBe('1002');
  });
});
