/** Tests the names beside the results of equations, which the user's assignments gave them. */
import { nullTranslator } from '@jupyterlab/translation';

import { linksOf } from '../../../model/links';
import { programText } from '../../../parts/program-as-text';
import { golden } from '../../../program-text/__tests__/documents';
import { isUnreadable, readSnapshot } from '../../../protocol/document';
import type { NamedValue, Snapshot } from '../../../protocol/snapshot';
import { describeEquation, describeVariable } from '../../words/describe';
import { VariableUses } from '../../listing/variable-uses';
import { JaxprListing } from '../jaxpr-listing';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Makes a document in which the user's assignments give names to variables of the program. */
function named(
  ...values: [
    name: string,
    kind: NamedValue['kind'],
    variables: number[] | undefined
  ][]
): Snapshot {
  const document = golden('selu-0.12');
  const strings = [...document.strings];
  const { scope } = document.programs[0];
  const named_values = values.map(([name, kind, variables]) => ({
    frame: 0,
    name: strings.push(name) - 1,
    kind,
    scope,
    types: [0],
    ...(variables && { variables })
  }));
  return { ...document, strings, named_values };
}

function listed(document: Snapshot): string[] {
  const listing = new JaxprListing(linksOf(document, 0), trans);
  return listing.rows.rows.flatMap((row, index) => {
    const text = listing.document().line(index + 1).text;
    return row.kind !== 'equation'
      ? []
      : (listing.line(index).tags ?? [])
          .filter(({ kind }) => kind === 'name')
          .map(({ at, text: word }) => `${text.slice(0, at)} ${word}`);
  });
}

describe('the result of an equation', () => {
  it('has the names of all assignments that stored it, and no others', () => {
    const document = named(
      ['pre', 'assigned', [1]],
      ['again', 'assigned', [1]],
      ['pre', 'assigned', [1]],
      ['q', 'parameter', [1]],
      ['', 'returned', [1]],
      ['tree', 'assigned', undefined],
      ['x', 'assigned', [0]]
    );
    expect(isUnreadable(readSnapshot(document))).toBe(false);
    expect(listed(document)).toEqual(['b:f32[5] pre, again']);
  });

  it('shows two of many names, and the beginning of a long one', () => {
    const long = 'the_sum_of_all_that_was_seen';
    const document = named(
      [long, 'assigned', [1]],
      ['b', 'assigned', [1]],
      ['c', 'assigned', [1]]
    );
    expect(listed(document)).toEqual([
      'b:f32[5] the_sum_of_all_that_was…, b, …'
    ]);
  });

  it('has its names in the details and in a copy', () => {
    const document = named(['pre', 'assigned', [1]]);
    const links = linksOf(document, 0);
    const listing = new JaxprListing(links, trans);
    const index = listing.rows.rows.findIndex(
      ({ kind }) => kind === 'equation'
    );
    const row = listing.rows.rows[index];
    const { described } = listing;
    expect(
      describeEquation(described, row, false).querySelector(
        '.jp-JaxprProgram-types'
      )?.textContent
    ).toMatch(/→ b:f32\[5\]pre$/);
    const [place] = listing
      .variablesIn(index)
      .filter(({ variable }) => variable === 1);
    const uses = new VariableUses(listing.rows);
    expect(describeVariable(described, uses, place).textContent).toContain(
      'defined by equation 1pre in the Python function'
    );
    expect(programText(document, 0).split('\n')[row.number]).toMatch(
      /^ {2}b:f32\[5\] = .* {2}# pre$/
    );
  });
});
