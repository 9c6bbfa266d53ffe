/** Makes cards and recordings for tests, as the kernel makes them from small programs. */
import { Control, Leaf, Recording } from '../../../../protocol/snapshot';
import { leaf, recording } from '../../../../protocol/__tests__/documents';

export function card(changes: Partial<Control> = {}): Control {
  return {
    kind: 'scan',
    primitive: 'scan',
    title: 'step',
    program: 0,
    scope: 0,
    equation: 1,
    equations: 1,
    parent: -1,
    parent_part: '',
    depth: 0,
    frame: 0,
    library: null,
    name_stack: '',
    slots: [],
    no_operand: -1_000,
    branches: [],
    predicate: -1_000,
    predicate_text: null,
    predicate_equation: -1,
    body: 1,
    body_frame: -1,
    condition: -1,
    condition_text: null,
    trips: 5,
    trips_from: 'length',
    lower: null,
    upper: null,
    reverse: false,
    unroll: 1,
    step_flops: null,
    facts: [],
    choice: null,
    choice_reason: null,
    effects: [],
    steppable: null,
    ...changes
  };
}

export const WHILE = card({
  kind: 'while_loop',
  primitive: 'while',
  title: 'improve',
  condition_text: 'jnp.abs(x * x - a) > 1e-5',
  trips: null,
  trips_from: null
});

/** The recording of Newton's iteration for the square root of 2, from 2 until |x² − 2| is at most 1e-5. */
export function newton(changes: Partial<Recording> = {}): Recording {
  return recording({
    visits: [
      { first_point: 0, points: 3, trips: 3, outer: [], finished: true }
    ],
    step: [0, 1, 2],
    branch_taken: [],
    leaves: [
      leaf({
        role: 'condition',
        path: '',
        type: 'bool[]',
        texts: ['True', 'True', 'True', 'False'],
        numbers: null
      }),
      leaf({
        role: 'compared',
        path: '',
        type: 'f32[]',
        texts: ['2', '0.25', '0.006945', '6.007e-06'],
        numbers: [2, 0.25, 0.006945, 6.007e-6],
        threshold: 1e-5
      }),
      leaf({
        path: 'n',
        texts: ['0', '1', '2', '3'],
        numbers: [0, 1, 2, 3]
      }),
      leaf({
        path: 'x',
        type: 'f32[]',
        texts: ['2', '1.5', '1.416667', '1.414216'],
        numbers: [2, 1.5, 1.416667, 1.414216]
      })
    ],
    ...changes
  });
}

export const COND = card({
  kind: 'cond',
  primitive: 'cond',
  title: '',
  trips: null,
  trips_from: null
});

/** The recording of a cond in a scan of three steps: one visit of the cond in each step. */
export function threeCalls(): Recording {
  return recording({
    visits: [0, 1, 2].map(step => ({
      first_point: step,
      points: 1,
      trips: 1,
      outer: [step],
      finished: true
    })),
    visits_total: 3,
    step: [0, 0, 0],
    branch_taken: ['True', 'False', 'True'],
    leaves: [
      leaf({
        role: 'predicate',
        path: 'x > 0',
        type: 'bool[]',
        texts: ['True', 'False', 'True'],
        numbers: null
      }),
      leaf({
        role: 'operand',
        path: 'x',
        type: 'f32[]',
        texts: ['3', '-2', '0.5'],
        numbers: [3, -2, 0.5]
      }),
      leaf({
        role: 'result',
        path: '',
        type: 'f32[]',
        texts: ['6', '4', '1'],
        numbers: [6, 4, 1]
      })
    ]
  });
}

/** The recording of a while in a scan: two visits, the first of two steps, the second of one step. */
export function nested(): Recording {
  return recording({
    visits: [
      { first_point: 0, points: 2, trips: 2, outer: [0], finished: true },
      { first_point: 2, points: 1, trips: 1, outer: [1], finished: true }
    ],
    visits_total: 2,
    step: [0, 1, 0],
    branch_taken: [],
    leaves: [
      leaf({
        path: 'v',
        texts: ['12', '6', '3', '8', '4'],
        numbers: [12, 6, 3, 8, 4]
      })
    ]
  });
}

/**
 * The recording of a carry of 16 numbers over `steps` steps; its values are shortened; the card has `count` such
 * carries.
 */
export function long(steps: number, count = 1): Recording {
  const numbers = Array.from({ length: steps + 1 }, (_, at) => Math.sin(at));
  const one = (at: number): Leaf =>
    leaf({
      path: `h${at}`,
      type: 'f32[16]',
      elements: 16,
      texts: numbers.map(number => `[${number.toFixed(2)} 0.51 … +14]`),
      numbers,
      number_name: `‖h${at}‖`,
      minimum: numbers.map(number => number - 1),
      mean: numbers,
      maximum: numbers.map(number => number + 1),
      nans: numbers.map((_, at) => (at === steps ? 2 : 0)),
      infinities: []
    });
  return recording({
    visits: [
      { first_point: 0, points: steps, trips: steps, outer: [], finished: true }
    ],
    step: Array.from({ length: steps }, (_, at) => at),
    branch_taken: [],
    leaves: Array.from({ length: count }, (_, at) => one(at))
  });
}
