import * as React from 'react';

import { Figures } from '../bold-amounts';
import { render, words } from './render';

/** Draws a text, and lists its parts that are drawn in bold: the amounts. */
function bold(text: string): string[] {
  const { node } = render(<Figures text={text} />);
  expect(node.textContent).toBe(text);
  return [...node.querySelectorAll('b')].map(words);
}

describe('the first sentence of a view', () => {
  it('has its amounts in bold, and no number of a line', () => {
    expect(
      bold(
        "2 compiles: tracing, lowering and compiling took 314\u00a0ms of the cell's 1.2\u00a0s."
      )
    ).toEqual(['2 compiles', '314 ms', '1.2 s']);
    expect(
      bold(
        '52.4\u00a0M operations and 4,096 transcendental operations per call. 64\u00a0% of the operations are on line\u00a06.'
      )
    ).toEqual(['52.4 M operations', '64 %']);
    expect(bold('256 operations per call.')).toEqual(['256 operations']);
    expect(bold('One call reads and writes 1.5\u00a0kB.')).toEqual(['1.5 kB']);
  });

  it('is plain where it has no amount', () => {
    expect(bold('No call of a jitted function of yours was seen.')).toEqual([]);
    expect(bold('A transcendental operation counts as 10 operations.')).toEqual(
      []
    );
  });
});
