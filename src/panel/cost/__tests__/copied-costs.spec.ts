import { nullTranslator } from '@jupyterlab/translation';

import { costMarkdown, costText } from '../copied-costs';
import { readingOf } from '../cost-rows';
import { rnnCost, rnnSnapshot, row } from './costs';

const trans = nullTranslator.load('jupyter_jaxpr');

describe('the copied table', () => {
  it('has columns', () => {
    const reading = readingOf(rnnSnapshot(), 0, rnnCost());
    expect(costText(reading, 'line', null, 'flops', trans)).toBe(
      [
        '80.1 k operations per call. 64 % is on line 6.',
        '',
        'line  expression                              operations  transcendentals    bytes  share',
        '   5  a = x @ p["wx"]                           25.6 kop                0  61.0 kB   32 %',
        '   6  r = h @ p["wh"]                           51.2 kop                0   115 kB   64 %',
        '   7  h = jnp.tanh(a + r + p["b"])               3.2 kop            1.6 k  51.5 kB    4 %',
        '  11  return jax.nn.softmax(h @ p["wo"]), hs      143 op                4    500 B  0.2 %',
        '',
        'Transcendental operations are counted separately. In the shares, a transcendental operation counts as 20 operations.',
        'Bytes are counted for each equation alone. Fusion by XLA saves some of these bytes.',
        ''
      ].join('\n')
    );
  });

  it('steps in what is inside', () => {
    const reading = readingOf(rnnSnapshot(), 0, rnnCost());
    const lines = costText(reading, 'scope', null, 'flops', trans).split('\n');
    expect(lines.slice(2, 5)).toEqual([
      'line  scope         operations  transcendentals   bytes  share',
      '      rnn             80.1 kop            1.6 k  228 kB  100 %',
      '  10    scan × 100    80.0 kop            1.6 k  228 kB  100 %'
    ]);
  });

  it('has code that is never markup', () => {
    const cost = rnnCost({
      by_line: [row({ label: 'y = a | `b`', frame: 1, flops: 80_143 })]
    });
    const text = costMarkdown(
      readingOf(rnnSnapshot(), 0, cost),
      'line',
      { column: 'flops', descending: true },
      'flops',
      trans
    );
    expect(text.split('\n').slice(0, 5)).toEqual([
      '80.1 k operations per call. 64 % is on line 6.',
      '',
      '| line | expression | operations | transcendentals | bytes | share |',
      '| ---: | --- | ---: | ---: | ---: | ---: |',
      '| 6 | `` y = a \\| `b` `` | 80.1 kop | 0 | 0 B | 100 % |'
    ]);
  });
});
