import { nullTranslator } from '@jupyterlab/translation';

import { program, snapshot } from '../../protocol/__tests__/documents';
import { programMarkdown } from '../program-as-markdown';
import { programText } from '../program-as-text';

const trans = nullTranslator.load('jupyter_jaxpr');

const TEXT = `{ lambda ; a:f32[]. let
  b:f32[] = add a 1.0:f32[]
  c:f32[] = scan[
    jaxpr={ lambda ; d:f32[]. let
      e:f32[] = sin d
    in (e,) }
    length=100
  ] b
in (c,) }`;

describe('a copy of a program', () => {
  it('is the whole text, nothing folded', () => {
    expect(programText(snapshot(), 0)).toBe(TEXT);
  });

  it('as Markdown has its signature, its facts, its source and its origin around it', () => {
    jest.useFakeTimers({ now: new Date(2026, 7, 17, 3, 0) });
    try {
      const created = new Date(2026, 7, 17, 2, 34).getTime() / 1000;
      const copy = programMarkdown(
        snapshot({ created, programs: [program({ name: '`rnn`' })] }),
        0,
        trans
      );
      expect(copy.replace(/\u00a0/g, ' ')).toBe(
        [
          '## `` `rnn`(p: {b: f32[16], wh: f32[16,16]}, xs: f32[100,8]) → (f32[4], f32[100,16]) ``',
          '3 equations · 1 scan ×100 · 4 calls, 1 compile · first call 142 ms',
          'The text of cell [7] when the cell ran:',
          '```python\n%%jaxpr\n@jax.jit\ndef rnn(p, xs): ...\nrnn(p, xs)\n```',
          `\`\`\`text\n${TEXT}\n\`\`\``,
          'Cell [7] · 02:34 · jax 0.10.2 on cpu, jupyter_jaxpr 0.1.0',
          ''
        ].join('\n\n')
      );
    } finally {
      jest.useRealTimers();
    }
  });
});
