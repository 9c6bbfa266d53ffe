/**
 * Tests that a search for plain text also finds text beside a line: its source, its scopes, and the names of its
 * results.
 */
import { Text } from '@codemirror/state';
import { nullTranslator } from '@jupyterlab/translation';

import { findMatches } from '../matches';
import { ILineFacts, readQuery } from '../query';

const trans = nullTranslator.load('jupyter_jaxpr');

const LINES = ['a = mul x 2', 'b = sin a', 'c = add b a', 'd = cos c'];
const FIRST = { key: 'first', text: 'pre = jnp.sin(x * 2) # twice' };
const LAST = { key: 'last', text: 'return jnp.cos(pre)' };
const INSIDE = ['layer'];
const OUTSIDE: string[] = [];

const FACTS: ILineFacts = {
  sourceLine: () => -1,
  scopes: index => (index === 1 || index === 2 ? INSIDE : OUTSIDE),
  heads: { of: index => (index < 3 ? FIRST : LAST) },
  named: () => [[1, 'pre_name']]
};

/** Lists the lines of the matches; a star marks a match of a whole line. */
function found(text: string): string[] {
  const query = readQuery({ text, caseSensitive: false, regexp: false }, trans);
  const document = Text.of(LINES);
  const { from, to } = findMatches(document, FACTS, query, 'jaxpr');
  return from.map((start, i) => {
    const line = document.lineAt(start);
    const isWhole = start === line.from && to[i] === line.to;
    return `${line.number}${isWhole ? '*' : ''}`;
  });
}

it('finds each line of source once, where the line begins', () => {
  expect(found('twice')).toEqual(['1*']);
  expect(found('jnp.')).toEqual(['1*', '4*']);
});

it('leaves out a line of source of which the program says the same', () => {
  expect(found('sin')).toEqual(['2']);
});

it('finds a scope where the scope begins, and a name where its value does', () => {
  expect(found('layer')).toEqual(['2*']);
  expect(found('pre_name')).toEqual(['2*']);
});

it('finds nothing beside a line for more than plain text', () => {
  expect(found('scope:layer twice')).toEqual([]);
});
