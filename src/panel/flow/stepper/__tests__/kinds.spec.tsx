import { steppingOf } from '../../../../model/stepping';
import { leaf, recording } from '../../../../protocol/__tests__/documents';
import { act, byRole, click, words } from '../../../../parts/__tests__/render';
import { heading, shown, slide, slider, values } from './drawn-stepper';
import { COND, WHILE, nested, newton, threeCalls } from './recordings';

afterEach(() => {
  document.body.replaceChildren();
});

describe('a while', () => {
  it('has its residual on a logarithmic axis, with the tolerance, and its last condition', () => {
    const { node } = shown(WHILE, newton());
    slide(node, 2);
    expect(heading(node)).toBe('Step 3 of 3');
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The plot shows jnp.abs(x * x - a) at each step. Smallest value 6.01e-6, largest value 2. The axis of the values is logarithmic. The dashed line shows the limit 1e-5.'
    );
    expect(words(node.querySelector('.jp-JaxprStepper-limit'))).toBe('1e-5');
    expect(values(node, 0)).toEqual([
      'leaf | before step 3 | after step 3',
      'n i32[] | 2 | 3',
      'x f32[] | 1.416667 | 1.414216',
      'jnp.abs(x * x - a) compared value f32[] | 0.006945 | 6.007e-06',
      'condition bool[] | True | False'
    ]);
  });

  it('that never ran a step says so', () => {
    const { node } = shown(
      WHILE,
      recording({
        step: [],
        branch_taken: [],
        visits: [
          { first_point: 0, points: 0, trips: 0, outer: [], finished: true }
        ],
        leaves: [leaf({ texts: ['7'], numbers: [7] })]
      })
    );
    expect(heading(node)).toBe('The loop ran no step');
    expect(words(node)).toContain('The loop returned its inputs unchanged.');
    expect(values(node, 0)).toEqual([
      'leaf | value before and after the loop',
      'total i32[] | 7'
    ]);
    expect(slider(node)).toBeNull();
  });

  it('that was stopped and thinned says so, and between which steps a value changed', () => {
    const { node } = shown(
      WHILE,
      recording({
        step: [0, 2, 4, 6, 8],
        visits: [
          { first_point: 0, points: 5, trips: 10, outer: [], finished: false }
        ],
        stopped: 'Stopped by you after 10 steps.',
        thinned: 'Every second step was kept.',
        comparisons: [],
        verdict: 'Not compared, because it was stopped.'
      })
    );
    click(byRole(node, 'button', 'Next step')[0]);
    expect(heading(node)).toBe('Step 3 of 10');
    expect(words(node.querySelector('h3 + span'))).toBe('recording stopped');
    expect(values(node, 0)[0]).toBe('leaf | before step 3 | after step 4');
    expect(words(node.querySelector('.jp-JaxprStepper-verdict'))).toBe(
      'Stopped by you after 10 steps.Every second step was kept.Not compared, because it was stopped.The recorded run took 210 ms, including its own compilation.'
    );
  });

  it('inside a scan is chosen by the outer step, and walked over their bounds', () => {
    const { node } = shown(WHILE, nested());
    const select = node.querySelector(
      'select[aria-label="Choose an entry into the loop"]'
    ) as HTMLSelectElement;
    expect([...select.options].map(words)).toEqual([
      'outer step 1 · 2 steps',
      'outer step 2 · 1 step'
    ]);
    const next = byRole(node, 'button', 'Next step')[0];
    click(next);
    expect(values(node, 0)[1]).toBe('v i32[] | 6 | 3');
    click(next);
    expect(heading(node)).toBe('Step 1 of 1');
    expect(select.value).toBe('1');
    expect(values(node, 0)[1]).toBe('v i32[] | 8 | 4');
    expect(next.getAttribute('aria-disabled')).toBe('true');
    act(() => {
      select.value = '0';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(heading(node)).toBe('Step 1 of 2');
  });
});

describe('a cond', () => {
  it('says which branch was taken, of each of its calls', () => {
    const { node, model, document } = shown(COND, threeCalls());
    expect(heading(node)).toBe('Execution 1 of 3 of this construct');
    slide(node, 1);
    expect(heading(node)).toBe('Execution 2 of 3 of this construct');
    expect(values(node, 0)).toEqual([
      'leaf | value in execution 2',
      'branch taken | False',
      'x > 0 predicate bool[] | False',
      'x operand f32[] | -2',
      'result f32[] | 4'
    ]);
    const stepping = steppingOf(model);
    expect(stepping.branchTaken(document, 0)).toBe('False');
    expect([...stepping.branchCounts(document, 0)]).toEqual([
      ['True', 2],
      ['False', 1]
    ]);
  });
});
