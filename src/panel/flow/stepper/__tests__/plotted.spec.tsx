import { leaf, recording } from '../../../../protocol/__tests__/documents';
import { act, byRole, words } from '../../../../parts/__tests__/render';
import { axis, shown, slide, values } from './drawn-stepper';
import { card, long } from './recordings';

afterEach(() => {
  document.body.replaceChildren();
});

describe('a line of numbers', () => {
  it('is of the carry, read at the step, and described', () => {
    const { node } = shown(card(), recording());
    slide(node, 2);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The plot shows total at each step. Smallest value 0, largest value 15.'
    );
    expect(axis(node)).toEqual(['0', 'carry total', '= 6', '5']);
    expect(node.querySelector('.jp-JaxprStepper-line')?.getAttribute('d')).toBe(
      'M0.0 100.0L200.0 93.3L400.0 80.0L600.0 60.0L800.0 33.3L1000.0 0.0'
    );
  });

  it('may be of another leaf', () => {
    const { node } = shown(card(), recording());
    const select = node.querySelector(
      'select[aria-label="Plotted value"]'
    ) as HTMLSelectElement;
    expect([...select.options].map(words)).toEqual([
      'carry total',
      'step input xs',
      'step output ys'
    ]);
    act(() => {
      select.value = '2';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(axis(node)).toEqual(['0', 'step output ys', '= 2', '5']);
  });

  it('is broken where a number is not finite', () => {
    const carry = leaf({
      texts: ['1', '2', 'nan', '4', 'inf', '6'],
      numbers: [1, 2, null, 4, null, 6]
    });
    const { node } = shown(card(), recording({ leaves: [carry] }));
    expect(node.querySelector('.jp-JaxprStepper-line')?.getAttribute('d')).toBe(
      'M0.0 100.0L200.0 80.0M600.0 40.0M1000.0 0.0'
    );
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The plot shows total at each step. Smallest value 1, largest value 6. 2 values are not finite, so the plot leaves the values out.'
    );
    slide(node, 1);
    expect(words(node.querySelector('.jp-JaxprStepper-reading'))).toBe(
      'total = nan'
    );
    expect(node.querySelector('.jp-JaxprStepper-dot')).toBeNull();
  });

  it('is of the norm for arrays, whose values are summed up', () => {
    const { node } = shown(card(), long(100));
    slide(node, 99);
    expect(words(node.querySelector('.jp-JaxprStepper-reading'))).toBe(
      '‖h0‖ = -0.506'
    );
    expect(values(node, 0)).toEqual([
      'leaf | before step 100 | after step 100',
      'h0 f32[16] | [-1 0.51 … +14]min -2 · mean -0.999 · max 0.000793 | [-0.51 0.51 … +14]min -1.51 · mean -0.506 · max 0.494 · 2 NaN'.replace(
        '0.000793',
        '7.93e-4'
      )
    ]);
  });
});
