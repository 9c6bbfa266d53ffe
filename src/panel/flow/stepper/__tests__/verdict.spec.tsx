import { recording } from '../../../../protocol/__tests__/documents';
import { words } from '../../../../parts/__tests__/render';
import { shown, values } from './drawn-stepper';
import { card } from './recordings';

afterEach(() => {
  document.body.replaceChildren();
});

describe('results that part', () => {
  it('are shown both', () => {
    const { node } = shown(
      card(),
      recording({
        comparisons: [
          ...recording().comparisons,
          {
            path: 'result[2]',
            equal: false,
            recorded: '0.1',
            real: '0.10000001',
            largest_difference: 7.45e-9
          }
        ],
        verdict: "1 of 3 results differs from the function's."
      })
    );
    expect(words(node.querySelector('.jp-JaxprStepper-verdict p'))).toBe(
      "1 of 3 results differs from the function's."
    );
    expect(values(node, 1)).toEqual([
      'result | recorded run | original call | largest difference',
      'result[2] | 0.1 | 0.10000001 | 7.45e-9'
    ]);
  });
});
