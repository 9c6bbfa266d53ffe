import { nullTranslator } from '@jupyterlab/translation';

import { EquationHeat } from '../../../model/cost-shares';
import { linksOf } from '../../../model/links';
import { rnnCost, rnnSnapshot } from '../../../panel/cost/__tests__/costs';
import { JaxprListing } from '../../levels/jaxpr-listing';

const trans = nullTranslator.load('jupyter_jaxpr');

/** The lines of a listing, each with its heat. */
function lines(listing: JaxprListing): string[] {
  const document = listing.document();
  return Array.from({ length: document.lines }, (_, index) => {
    const heat = listing.heat(index, index);
    const text = document.line(index + 1).text;
    return heat === null
      ? text
      : `${text} | ${heat.title.replace(/\u00a0/g, ' ')}`;
  });
}

describe('heat in the listing', () => {
  it('is what an equation costs with all that is inside it, in all its runs', () => {
    const snapshot = rnnSnapshot();
    const listing = new JaxprListing(linksOf(snapshot, 0), trans);
    expect(lines(listing).filter(line => line.includes('|'))).toEqual([]);
    listing.equationHeat = new EquationHeat(rnnCost(), trans);
    const heated = lines(listing).filter(line => line.includes('|'));
    expect(
      heated.map(line => line.replace(/^.* = (\w+).* \| /, '$1 | '))
    ).toEqual([
      'add | 143 op, 4 transc., 0.2 % of the total cost',
      'scan | 80.0 kop, 1.6 k transc., 100 % of the total cost',
      'sin | 51.2 kop, 46 % of the total cost'
    ]);
  });

  it('counts what is shown as one line once', () => {
    const snapshot = rnnSnapshot();
    const listing = new JaxprListing(linksOf(snapshot, 0), trans);
    listing.equationHeat = new EquationHeat(rnnCost(), trans);
    const first = lines(listing).findIndex(line => line.includes('143 op'));
    const last = listing.document().lines - 1;
    expect(listing.heat(first, last)?.amount).toBe(80_143 + 20 * 1604);
  });

  it('is nothing where a primitive has no rule', () => {
    const snapshot = rnnSnapshot();
    const cost = rnnCost();
    cost.scopes[1].flops = [-1];
    const listing = new JaxprListing(linksOf(snapshot, 0), trans);
    listing.equationHeat = new EquationHeat(cost, trans);
    expect(lines(listing).filter(line => line.includes('|'))).toHaveLength(2);
  });
});
