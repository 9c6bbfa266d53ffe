/** Checks the scopes of a document and the pages of their equations: every index in range, no scope within itself. */
import {
  Mismatch,
  checkEach,
  fields,
  withDefault,
  indices,
  integer,
  list,
  orNull,
  row,
  sameLength,
  text
} from './structure';
import { LIMITS } from './limits';
import { Scope, ScopePage } from './snapshot';
import { IPools, checkPools } from './interned-pools';

/**
 * Checks a scope of a document: its equations begin with the first equation; the equations of a page may begin later.
 */
export function checkDocumentScope(value: unknown, pools: IPools): Scope {
  const scope = checkScope(value, pools);
  integer(scope.first_equation, 'scopes.first_equation', 0, 1);
  integer(scope.first_variable, 'scopes.first_variable', 0, 1);
  return scope;
}

function checkScope(value: unknown, pools: IPools): Scope {
  const scope = fields(value, 'scopes');
  integer(scope.name, 'scopes.name', -1, pools.strings);
  const constants = integer(scope.constants, 'scopes.constants', 0);
  const inputs = integer(scope.inputs, 'scopes.inputs', 0);
  const count = integer(scope.count, 'scopes.count', 0, LIMITS.EQUATIONS + 1);
  integer(scope.total, 'scopes.total', count);
  const firstEquation = integer(
    scope.first_equation,
    'scopes.first_equation',
    0,
    count + 1
  );
  const firstVariable = integer(
    scope.first_variable,
    'scopes.first_variable',
    0
  );

  const primitives = indices(
    scope.primitive,
    'scopes.primitive',
    0,
    pools.strings
  ).length;
  if (firstEquation + primitives > count) {
    throw new Mismatch('scopes.primitive', `at most ${count} equations`);
  }
  const whole = firstEquation === 0 && primitives === count;
  const outputCounts = list(scope.output_counts, 'scopes.output_counts');
  let bound = 0;
  for (let i = 0; i < outputCounts.length; i++) {
    bound += integer(outputCounts[i], 'scopes.output_counts', 0);
  }
  sameLength(outputCounts, 'scopes.output_counts', primitives);

  const here = indices(
    scope.variable_avals,
    'scopes.variable_avals',
    0,
    pools.avals
  ).length;
  // The first page also holds the constants and inputs; a later page holds only the variables that its equations bind.
  const expected = firstEquation === 0 ? constants + inputs + bound : bound;
  if (here !== expected) {
    throw new Mismatch('scopes.variable_avals', `${expected} variables`);
  }
  const variables = firstVariable + here;
  const lowest = -pools.literals;

  const operands = list(scope.operands, 'scopes.operands');
  sameLength(operands, 'scopes.operands', primitives);
  // An equation reads only variables that are bound before it.
  bound = firstEquation === 0 ? constants + inputs : firstVariable;
  for (let i = 0; i < operands.length; i++) {
    indices(operands[i], 'scopes.operands', lowest, bound);
    bound += outputCounts[i] as number;
  }
  indices(
    scope.outputs,
    'scopes.outputs',
    lowest,
    whole ? variables : Number.MAX_SAFE_INTEGER
  );
  indices(scope.dropped, 'scopes.dropped', firstVariable, variables);
  const names = orNull(scope.names, 'scopes.names', (value, field) =>
    checkEach(value, field, text)
  );
  if (names) {
    sameLength(names, 'scopes.names', here);
  }
  sameLength(
    indices(scope.parameters, 'scopes.parameters', -1, pools.parameterLists),
    'scopes.parameters',
    primitives
  );
  sameLength(
    indices(scope.stack, 'scopes.stack', -1, pools.stacks),
    'scopes.stack',
    primitives
  );
  sameLength(
    indices(scope.name_stack, 'scopes.name_stack', 0, pools.strings),
    'scopes.name_stack',
    primitives
  );

  const afterLast = firstEquation + primitives;
  let before = firstEquation;
  checkEach(scope.children, 'scopes.children', value => {
    const child = row(value, 'scopes.children', 4);
    before = integer(child[0], 'scopes.children.equation', before, afterLast);
    integer(child[1], 'scopes.children.parameter', 0, pools.strings);
    integer(child[2], 'scopes.children.position', -1);
    integer(child[3], 'scopes.children.scope', 0, pools.scopes);
  });
  checkEach(scope.effects, 'scopes.effects', value => {
    const effects = row(value, 'scopes.effects', 2);
    integer(effects[0], 'scopes.effects.equation', firstEquation, afterLast);
    indices(effects[1], 'scopes.effects', 0, pools.strings);
  });
  return scope as unknown as Scope;
}

/** Refuses a scope that contains itself, and scopes that nest more deeply than a printer can print. */
export function refuseCycles(scopes: readonly Scope[]): void {
  const OPEN = -1;
  /** For each scope, the depth of the scopes inside it; 0 while unknown. */
  const depth = new Int32Array(scopes.length);
  // A list takes the place of recursion, because scopes may nest more deeply than JavaScript's call stack allows.
  const path: { scope: number; next: number; inside: number }[] = [];
  const enter = (scope: number): void => {
    depth[scope] = OPEN;
    path.push({ scope, next: 0, inside: 0 });
  };
  for (let start = 0; start < scopes.length; start++) {
    if (depth[start] === 0) {
      enter(start);
    }
    while (path.length > 0) {
      const top = path[path.length - 1];
      const { children } = scopes[top.scope];
      if (top.next === children.length) {
        depth[top.scope] = top.inside + 1;
        if (depth[top.scope] > LIMITS.DEPTH) {
          throw new Mismatch(
            'scopes.children',
            `at most ${LIMITS.DEPTH} programs inside each other`
          );
        }
        path.pop();
        continue;
      }
      const child = children[top.next][3];
      if (depth[child] === OPEN) {
        throw new Mismatch(
          'scopes.children',
          'scopes that do not hold themselves'
        );
      }
      if (depth[child] === 0) {
        enter(child);
        continue;
      }
      top.next++;
      top.inside = Math.max(top.inside, depth[child]);
    }
  }
}

/** Checks a page of equations; `scopes` is the number of scopes in the snapshot, to which the equations may refer. */
export function checkScopePage(value: unknown, scopes: number): ScopePage {
  const page = fields(value, 'scope');
  const pools = checkPools(page, scopes);
  checkScopeEquations(page, 'scope', pools);
  checkEach(withDefault(page.inner, []), 'scope.inner', (item, where) => {
    const inner = fields(item, where);
    integer(inner.number, `${where}.number`, 0, scopes);
    checkScopeEquations(inner, where, pools);
  });
  return page as unknown as ScopePage;
}

function checkScopeEquations(
  value: Record<string, unknown>,
  where: string,
  pools: ReturnType<typeof checkPools>
): void {
  checkScope(value.scope, pools);
  // Operands may be variables of other pages, and results of the scope may be bound on a later page, so the indices of
  // variables have no upper limit here.
  const operands = indices(
    value.operands,
    `${where}.operands`,
    0,
    Number.MAX_SAFE_INTEGER
  );
  sameLength(
    checkEach(value.operand_names, `${where}.operand_names`, text),
    `${where}.operand_names`,
    operands.length
  );
}
