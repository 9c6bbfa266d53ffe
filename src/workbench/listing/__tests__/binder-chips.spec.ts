import { nullTranslator } from '@jupyterlab/translation';

import { IBinder, binderChips, hidesText } from '../binder-chips';
import type { IListedLine } from '../listing';

const trans = nullTranslator.load('jupyter_jaxpr');

/**
 * Makes a program's first line: each variable with the pytree that the variable is a leaf of, and its name in Python as
 * a tag.
 */
function lambda(...variables: [text: string, tree: string, path?: string][]): {
  text: string;
  line: IListedLine;
} {
  let text = '{ lambda ; ';
  const binders: IBinder[] = [];
  const tags: NonNullable<IListedLine['tags']>[number][] = [];
  for (const [variable, tree, path] of variables) {
    text += binders.length > 0 ? ' ' : '';
    const from = text.length;
    text += variable;
    const to = text.length;
    binders.push({ from, to, tree, numbers: 1000 });
    if (path !== undefined) {
      tags.push({ at: to, text: path, title: '', kind: 'name' });
    }
  }
  text += '. let';
  return {
    text,
    line: {
      kind: 'open',
      number: '',
      depth: 0,
      badge: null,
      parts: [],
      chips: [],
      binders,
      button: null,
      reference: null,
      tags
    }
  };
}

/** Prints the line as the reader sees it, with chips in ‹ ›. */
function shown(
  { text, line }: { text: string; line: IListedLine },
  columns: number | null
): string {
  let result = text;
  const chips = binderChips(line, text.length, columns, trans);
  for (const { from, to, label } of [...chips].reverse()) {
    result = `${result.slice(0, from)}‹${label}›${result.slice(to)}`;
  }
  return result.replace(/\u00a0/g, ' ');
}

const letters = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i));

describe('the variables of a program', () => {
  const leaf = (name: string, tree: string): [string, string, string] => [
    `${name}:f32[8]`,
    tree,
    `${tree}['${name}']`
  ];

  it('are shown where they take two lines', () => {
    const line = lambda(leaf('a', 'p'), leaf('b', 'p'), ['c:f32[8]', 'x', 'x']);
    expect(shown(line, 40)).toBe('{ lambda ; a:f32[8] b:f32[8] c:f32[8]. let');
  });

  it('are folded by pytree, the largest one first, until they take two lines', () => {
    const line = lambda(
      ...letters(4).map(name => leaf(name, 'p')),
      leaf('e', 'q'),
      leaf('f', 'q'),
      ['g:f32[8]', 'x', 'x']
    );
    expect(shown(line, 50)).toBe(
      '{ lambda ; ‹p: 4 arrays, 4.0 k› e:f32[8] f:f32[8] g:f32[8]. let'
    );
    expect(shown(line, 38)).toBe(
      '{ lambda ; ‹p: 4 arrays, 4.0 k› ‹q: 2 arrays, 2.0 k› g:f32[8]. let'
    );
  });

  it('are counted where their pytrees are not known', () => {
    const line = lambda(
      ...letters(20).map((name): [string, string] => [`${name}:f32[8]`, ''])
    );
    expect(shown(line, 32)).toBe(
      '{ lambda ; a:f32[8] b:f32[8] c:f32[8] d:f32[8] ‹+16›. let'
    );
    expect(shown(line, 400)).toBe(line.text);
  });

  it('are as many as a line may hold before the view has a width', () => {
    const line = lambda(
      ...letters(26).map((name): [string, string] => [`${name}:f32[8]`, ''])
    );
    expect(shown(line, null)).toMatch(/x:f32\[8\] ‹\+2›\. let$/);
  });

  it('may be hidden, which the search has to know', () => {
    const { line } = lambda(leaf('a', 'p'), leaf('b', 'p'));
    expect(hidesText(line)).toBe(true);
    expect(hidesText(line, 0)).toBe(false);
    expect(hidesText(line, 12)).toBe(true);
  });

  it('do not take long where there are very many', () => {
    const line = lambda(
      ...Array.from({ length: 20_000 }, (_, i): [string, string, string] => [
        `v${i}:f32[8]`,
        `tree${i >> 1}`,
        `tree${i >> 1}[${i & 1}]`
      ])
    );
    expect(shown(line, 40)).toMatch(
      /^\{ lambda ; ‹tree0: 2 arrays, 2\.0 k› .*‹\+\d+›\. let$/
    );
  });
});
