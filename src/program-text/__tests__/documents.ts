/** Reads the golden documents for tests, and makes random valid documents. */
import * as fc from 'fast-check';
import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';

import type { Scope, ScopePage, Snapshot } from '../../protocol/snapshot';

const FIXTURES = join(__dirname, '..', '..', '..', 'tests', 'fixtures');

/** Names of the golden documents, such as rnn-0.12. */
export const GOLDEN: readonly string[] = readdirSync(FIXTURES)
  .filter(name => name.endsWith('.json') && !name.endsWith('.page.json'))
  .map(name => name.slice(0, -'.json'.length));

export function golden(name: string): Snapshot {
  return JSON.parse(goldenText(`${name}.json`)) as Snapshot;
}

export function goldenPage(name: string): ScopePage {
  return JSON.parse(goldenText(`${name}.page.json`)) as ScopePage;
}

export function goldenText(file: string): string {
  return readFileSync(join(FIXTURES, file), 'utf8');
}

/** The numbers from which a random scope is made; each number is used modulo the number of possible values. */
interface IRandomScope {
  name: number;
  constants: number;
  inputs: number;
  outputs: number[];
  equations: {
    primitive: number;
    operands: number[];
    outputs: number;
    dropped: boolean;
    parameters: number;
    stack: number;
    /** Numbers that choose the inner programs of the equation among the scopes with greater indices. */
    children: number[];
    tuple: boolean;
  }[];
}

const STRINGS = [
  'add',
  'jit',
  'scan',
  'dot_general',
  'jaxpr',
  'branches',
  'f32[3]',
  '1.0',
  'f',
  '<lambda>',
  '',
  'solve(x=\uFFFC)',
  'step',
  'scatter-add',
  'update_jaxpr'
];
const JAXPR = 4;
const PRIMITIVES = [0, 1, 2, 3, 13];

/** Makes random documents, each valid and complete, with one program. */
export const anyDocument: fc.Arbitrary<Snapshot> = fc
  .tuple(
    fc.array(
      fc.record({
        name: fc.nat(20),
        constants: fc.nat(2),
        inputs: fc.nat(3),
        outputs: fc.array(fc.nat(30), { maxLength: 3 }),
        equations: fc.array(
          fc.record({
            primitive: fc.nat(20),
            operands: fc.array(fc.nat(40), { maxLength: 4 }),
            outputs: fc.nat(3),
            dropped: fc.boolean(),
            parameters: fc.nat(4),
            stack: fc.nat(6),
            children: fc.oneof(
              { arbitrary: fc.constant([]), weight: 3 },
              { arbitrary: fc.array(fc.nat(8), { maxLength: 3 }), weight: 1 }
            ),
            tuple: fc.boolean()
          }),
          { maxLength: 14 }
        )
      }),
      { minLength: 1, maxLength: 7 }
    ),
    fc.record({ share_jit_names: fc.boolean(), hoist_above: fc.nat(6) })
  )
  .map(([scopes, naming]) => assemble(scopes, naming));

function assemble(
  scopes: readonly IRandomScope[],
  naming: Snapshot['naming']
): Snapshot {
  const parameterLists: [number, number][][] = [
    [[8, 7]],
    [[JAXPR, -1]],
    [
      [8, 7],
      [JAXPR, -1]
    ],
    [[JAXPR, 11]],
    [[14, -1]]
  ];
  return {
    version: 1,
    id: 'any',
    created: 0,
    title: null,
    pinned: false,
    environment: golden('rnn-0.12').environment,
    cell: { id: 'cell', execution_count: 1, file: 'cell.py', source: SOURCE },
    programs: [
      {
        ...golden('rnn-0.12').programs[0],
        scope: 0,
        complete: true,
        lets: null,
        levels: [],
        equations: 0
      }
    ],
    focus: 0,
    message: null,
    notes: [],
    untraced_lines: [],
    cut: null,
    naming,
    strings: STRINGS,
    avals: [
      {
        text: 'f32[3]',
        shape: [3],
        dtype: 'float32',
        weak: false,
        sharding: null
      },
      { text: 'token', shape: [], dtype: '', weak: false, sharding: null }
    ],
    literals: [
      [7, 0],
      [7, 1]
    ],
    parameter_lists: parameterLists,
    files: [
      {
        path: 'cell.py',
        kind: 'cell',
        cell_id: 'cell',
        execution_count: 1,
        source: null
      },
      {
        path: 'jax/numpy.py',
        kind: 'library',
        cell_id: null,
        execution_count: null,
        source: null
      }
    ],
    frames: [
      [0, 8, 1, 4, 1, 12],
      [0, 8, 2, 0, 2, 9],
      [0, 8, 1, 0, 2, 3],
      [1, 0, 90, -1, 90, -1]
    ],
    stacks: [
      [[0], [3]],
      [[1, 2], []],
      [[0, 2], [3]],
      [[], [3]],
      [[2], [3]]
    ],
    scopes: scopes.map((scope, i) => column(scope, i, scopes.length))
  };
}

const SOURCE = 'y = jnp.sin(x + 1)\nf(helper(x))\n';

/**
 * Makes a scope. Operands refer to earlier variables and inner programs to later scopes, so no scope contains itself.
 */
function column(random: IRandomScope, index: number, count: number): Scope {
  const scope: Scope = {
    name: random.name % 3 === 0 ? -1 : 8 + (random.name % 2),
    constants: random.constants,
    inputs: random.inputs,
    outputs: [],
    count: random.equations.length,
    total: random.equations.length,
    first_equation: 0,
    first_variable: 0,
    variable_avals: [],
    dropped: [],
    names: null,
    primitive: [],
    operands: [],
    output_counts: [],
    parameters: [],
    stack: [],
    name_stack: [],
    children: [],
    effects: []
  };
  let variables = random.constants + random.inputs;
  random.equations.forEach((equation, i) => {
    scope.primitive.push(PRIMITIVES[equation.primitive % PRIMITIVES.length]);
    scope.operands.push(
      equation.operands.map(operand => atom(operand, variables))
    );
    const inner = count - index - 1;
    const children = inner > 0 ? equation.children : [];
    for (const [place, child] of children.entries()) {
      scope.children.push([
        i,
        JAXPR,
        equation.tuple || children.length > 1 ? place : -1,
        index + 1 + (child % inner)
      ]);
    }
    scope.parameters.push(
      children.length > 0
        ? 1 + (equation.parameters % 3)
        : equation.parameters % 2 === 0
          ? -1
          : 0
    );
    scope.output_counts.push(equation.outputs);
    if (equation.dropped && equation.outputs > 0) {
      scope.dropped.push(variables);
    }
    variables += equation.outputs;
    scope.stack.push((equation.stack % 6) - 1);
    scope.name_stack.push(10);
  });
  scope.variable_avals = new Array<number>(variables).fill(0);
  scope.outputs = random.outputs.map(output => atom(output, variables));
  return scope;
}

function atom(number: number, variables: number): number {
  return variables === 0 || number % 7 === 6
    ? -1 - (number % 2)
    : number % variables;
}
