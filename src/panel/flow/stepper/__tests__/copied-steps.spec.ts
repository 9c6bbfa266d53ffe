import { nullTranslator } from '@jupyterlab/translation';

import { recording } from '../../../../protocol/__tests__/documents';
import { stepsTabSeparated, stepsText } from '../copied-steps';
import { Walk } from '../places';
import { COND, WHILE, card, nested, threeCalls } from './recordings';

const trans = nullTranslator.load('jupyter_jaxpr');

describe('the steps as text', () => {
  it('stand below each other, with what came out and the verdict', () => {
    expect(stepsText(new Walk(card(), recording()), trans)).toBe(
      `step    total  xs  ys
1       0      1   2
2       1      2   6
3       3      3   12
4       6      4   20
5       10     5   30
at end  15

The recorded results equal the original function's results, bit for bit.
`
    );
  });

  it('name the branch of each call', () => {
    expect(stepsTabSeparated(new Walk(COND, threeCalls()), trans)).toBe(
      'execution\tbranch\tx > 0\tx\tresult\n' +
        '1\tTrue\tTrue\t3\t6\n' +
        '2\tFalse\tFalse\t-2\t4\n' +
        '3\tTrue\tTrue\t0.5\t1\n'
    );
  });

  it('name the outer step where a loop was entered more than once', () => {
    expect(stepsTabSeparated(new Walk(WHILE, nested()), trans)).toBe(
      'outer step\tstep\tv\n' +
        '1\t1\t12\n' +
        '1\t2\t6\n' +
        '1\tat end\t3\n' +
        '2\t1\t8\n' +
        '2\tat end\t4\n'
    );
  });
});
