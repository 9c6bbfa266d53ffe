import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { leaf } from '../../../../protocol/__tests__/documents';
import { Leaf } from '../../../../protocol/snapshot';
import { byRole, render, words } from '../../../../parts/__tests__/render';
import { ArrayPicture, isDrawn } from '../array-picture';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => document.body.replaceChildren());

function array(type: string, pictures: string[] | null): Leaf {
  return leaf({ type, elements: 10, texts: pictures ?? ['[0 …]'], pictures });
}

function drawn(one: Leaf, index = 0): HTMLElement {
  return render(<ArrayPicture leaf={one} index={index} trans={trans} />).node;
}

const numbers = (node: HTMLElement): string[] =>
  [...node.querySelectorAll('title')].map(words);

describe('the picture of an array', () => {
  it('is a line for one axis, with each number under the pointer', () => {
    const one = array('f32[5]', ['0 1 2 1 0', '0 0 0 0 4']);
    expect(isDrawn(one)).toBe(true);
    const node = drawn(one);
    // Both steps are drawn on the range from 0 to 4.
    expect(node.querySelector('.jp-mod-line')?.getAttribute('d')).toBe(
      'M10.0 21.0L30.0 16.5L50.0 12.0L70.0 16.5L90.0 21.0'
    );
    expect(numbers(node)).toEqual([
      '[0] = 0',
      '[1] = 1',
      '[2] = 2',
      '[3] = 1',
      '[4] = 0'
    ]);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The picture shows 5 elements. Smallest value 0, largest value 2.'
    );
  });

  it('is of tiles for two axes', () => {
    const node = drawn(array('f32[2,3]', ['0 1 2 3 4 5']));
    expect(
      [...node.querySelectorAll('.jp-mod-tile')].map(tile =>
        Number(tile.getAttribute('fill-opacity')).toFixed(2)
      )
    ).toEqual(['0.08', '0.26', '0.45', '0.63', '0.82', '1.00']);
    expect(numbers(node)[5]).toBe('[1, 2] = 5');
  });

  it('has signs for what is not finite', () => {
    const node = drawn(array('f32[5]', ['0 nan 1 inf -inf']));
    expect(node.querySelector('.jp-mod-line')?.getAttribute('d')).toBe(
      'M10.0 21.0h1M50.0 3.0h1'
    );
    expect(
      node.querySelector('.jp-mod-notFinite')?.getAttribute('d')?.match(/M/g)
        ?.length
    ).toBe(4);
    expect(numbers(node).slice(1)).toEqual([
      '[1] = NaN',
      '[2] = 1',
      '[3] = inf',
      '[4] = -inf'
    ]);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The picture shows 5 elements. Smallest value 0, largest value 1. 1 element is NaN, drawn as a cross. 2 elements are infinite, drawn as arrows up or down.'
    );
  });

  it.each(['', '0 one 2', Array(65).fill('1').join(' ')])(
    'is not drawn of the text %j',
    text => {
      expect(drawn(array('f32[5]', [text])).childElementCount).toBe(0);
    }
  );
});
