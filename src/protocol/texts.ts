/** Checks StableHLO and HLO: the levels of a program, and their pages. */
import {
  Mismatch,
  count,
  checkEach,
  fields,
  withDefault,
  indices,
  integer,
  list,
  oneOf,
  orNull,
  sameLength,
  text
} from './structure';
import { TextPage } from './snapshot';
import { IPools, checkPools } from './interned-pools';

const LEVELS = ['stablehlo', 'hlo'] as const;

const LEVEL_STATES = ['held', 'on_request', 'not_made', 'absent'] as const;

export function checkLevel(value: unknown, pools: IPools): void {
  const level = fields(value, 'levels');
  oneOf(level.name, 'levels.name', LEVELS);
  const state = oneOf(level.state, 'levels.state', LEVEL_STATES);
  orNull(level.reason, 'levels.reason', text);
  orNull(level.characters, 'levels.characters', count);
  orNull(level.lines, 'levels.lines', count);
  orNull(level.sha256, 'levels.sha256', text);
  const content = orNull(level.text, 'levels.text', text);
  const lines = content?.split('\n').length ?? 0;
  if (state === 'held' && content === null) {
    throw new Mismatch('levels.text', 'a text, because its state is held');
  }
  orNull(level.line_stacks, 'levels.line_stacks', (stacks, field) =>
    indices(stacks, field, -1, pools.stacks)
  );
  if (state === 'held') {
    const stacks = list(level.line_stacks, 'levels.line_stacks');
    sameLength(stacks, 'levels.line_stacks', lines);
  }
  checkLines(level, 'levels', lines, pools);
}

/** Checks the further facts about lines of a text; documents of older versions have none. */
function checkLines(
  value: Record<string, unknown>,
  name: string,
  lines: number,
  pools: IPools
): void {
  indices(
    withDefault(value.inferred_lines, []),
    `${name}.inferred_lines`,
    0,
    lines
  );
  checkEach(
    withDefault(value.other_stacks, []),
    `${name}.other_stacks`,
    (row, field) => {
      const [line, ...stacks] = indices(row, field, 0, Infinity);
      indices([line ?? -1], field, 0, lines);
      indices(stacks, field, 0, pools.stacks);
    }
  );
  checkEach(
    withDefault(value.named_equations, []),
    `${name}.named_equations`,
    (row, field) => {
      const numbers = indices(row, field, 0, Number.MAX_SAFE_INTEGER);
      if (numbers.length !== 3) {
        throw new Mismatch(field, 'a line, a scope and an equation');
      }
      indices(numbers.slice(0, 1), field, 0, lines);
    }
  );
}

/** A page of StableHLO or HLO, with pools of its own. */
export function checkTextPage(
  value: unknown,
  scopes: readonly number[] = []
): TextPage {
  const page = fields(value, 'text');
  oneOf(page.level, 'text.level', LEVELS);
  count(page.characters, 'text.characters');
  count(page.lines, 'text.lines');
  text(page.sha256, 'text.sha256');
  count(page.first_line, 'text.first_line');
  text(page.text, 'text.text');
  const pools = checkPools(page, 0);
  indices(page.line_stacks, 'text.line_stacks', -1, pools.stacks);
  checkLines(page, 'text', page.lines as number, pools);
  checkLineEquations(page.line_equations ?? null, page.lines as number, scopes);
  return page as unknown as TextPage;
}

/**
 * Checks, for a twin (a tagged copy of a program), the equations that its lines come from, ascending; `scopes` has the
 * number of equations of each scope.
 */
function checkLineEquations(
  value: unknown,
  lines: number,
  scopes: readonly number[]
): void {
  if (value === null) {
    return;
  }
  let before = -1;
  checkEach(value, 'text.line_equations', (item, where) => {
    const numbers = indices(item, where, 0, Number.MAX_SAFE_INTEGER);
    if (numbers.length < 3 || numbers.length % 2 !== 1) {
      throw new Mismatch(where, 'a line, then scopes and equations');
    }
    before = integer(numbers[0], `${where}.line`, before + 1, lines);
    for (let i = 1; i < numbers.length; i += 2) {
      integer(numbers[i], `${where}.scope`, 0, scopes.length);
      integer(numbers[i + 1], `${where}.equation`, 0, scopes[numbers[i]]);
    }
  });
}
