import { byRole } from '../../../../parts/__tests__/render';
import { shown } from './drawn-stepper';
import { COND, threeCalls } from './recordings';

afterEach(() => {
  document.body.replaceChildren();
});

describe('the calls of the cell', () => {
  const calls = (node: HTMLElement): string[] =>
    [
      ...node.querySelectorAll<HTMLElement>(
        '[aria-label="Calls of the cell and their branches"] tr'
      )
    ].map(row => [...row.children].map(cell => cell.textContent).join(' | '));

  it('are listed with the branches that each call took', () => {
    const row = {
      call: 0,
      values: ['', ''],
      taken: [] as string[],
      times: [] as number[],
      unknown: null
    };
    const { node } = shown(COND, {
      ...threeCalls(),
      calls: {
        columns: ['x', 'result'],
        calls: [
          { ...row, call: 1, values: ['3', '6'], taken: ['True'], times: [1] },
          { ...row, call: 2, unknown: 'The values of the call are gone.' },
          { ...row, taken: ['False', 'True'], times: [1, 9] },
          row
        ],
        others:
          'It is unknown which branches ran in 3 other calls of f in the cell.'
      }
    });
    expect(calls(node)).toEqual([
      'call | branch | x | result',
      '1 | True | 3 | 6',
      '2 | unknown branch |  | ',
      'unknown call | False (1 time), True (9 times) |  | ',
      'unknown call | construct not reached |  | '
    ]);
    expect(node.textContent).toContain(
      'It is unknown which branches ran in 3 other calls of f in the cell.'
    );
    // In a narrow panel the columns stay wide enough to read, and the keyboard scrolls the table.
    const [scroller] = byRole(node, 'group', 'Calls of the cell');
    expect(scroller.tabIndex).toBe(0);
    expect(scroller.querySelector('table')?.style.minWidth).toBe('33ch');
  });
});
