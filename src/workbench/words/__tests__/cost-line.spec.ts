/** Tests the line that states the cost of an equation. */
import { nullTranslator } from '@jupyterlab/translation';

import { rnnCost } from '../../../panel/cost/__tests__/costs';
import type { ProgramCost } from '../../../protocol/snapshot';
import { costLine } from '../cost-line';

const trans = nullTranslator.load('jupyter_jaxpr');

function line(cost: ProgramCost | null, scope: number, equation = 0): string {
  return costLine(cost, { scope, equation }, trans).replace(/\u00a0/g, ' ');
}

it('says the count of one run, the runs, the bytes and the share', () => {
  expect(line(rnnCost(), 0)).toBe(
    '143 op, 4 transc., 500 B, 0.2 % of the total cost'
  );
  expect(line(rnnCost(), 1)).toBe(
    '512 op × 100 executions = 51.2 kop, 115 kB, 46 % of the total cost'
  );
});

it('says what is a bound, and what is of one step', () => {
  const cost = rnnCost();
  cost.scopes[1] = { ...cost.scopes[1], runs_min: 0 };
  expect(line(cost, 1)).toBe(
    'at most 51.2 kop, 115 kB, 46 % of the total cost'
  );
  cost.scopes[1] = { ...cost.scopes[1], runs: 1, runs_min: 1, per_trip: true };
  expect(line(cost, 1)).toBe(
    '512 op, 1.1 kB in one step of the loop; the number of steps is unknown'
  );
});

it('says what was not counted', () => {
  const cost = rnnCost();
  cost.scopes[1] = { ...cost.scopes[1], flops: [-1] };
  expect(line(cost, 1)).toBe('Operations: not counted, bytes: 115 kB');
  cost.scopes[1] = { ...cost.scopes[1], bytes: [-1] };
  expect(line(cost, 1)).toBe('Operations and bytes: not counted');
  expect(line(cost, 7)).toBe('Operations and bytes: not counted');
  expect(line(null, 0)).toBe(
    'The cost is not counted yet: open the Cost tab to count the cost'
  );
});
