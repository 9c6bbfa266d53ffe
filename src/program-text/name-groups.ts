/**
 * Finds consecutive equations under one name, such as those of a `jax.named_scope`, of `vmap` or `transpose(jvp(...))`,
 * in order to fold them to a line.
 */
import type { ProgramEquations } from './equations';
import type { IFold, IRow } from './row';

/** A group of consecutive equations; the group may grow with each row. */
interface IGroup {
  name: string;
  first: IRow;
  /** The number of equations, without those of inner scopes. */
  equations: number;
}

/** The names of a name stack, outer names first: `a/transpose(jvp(b/c))` has two. */
export function namesInStack(stack: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = '';
  for (const sign of stack) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (sign === '/' && depth === 0) {
      names.push(name);
      name = '';
    } else {
      name += sign;
    }
  }
  return [...names, name].filter(part => part !== '');
}

/** The groups of a program, ordered by their first row, outer groups before inner ones. */
export function nameGroups(
  rows: readonly IRow[],
  equations: ProgramEquations
): IFold[] {
  const folds: IFold[] = [];
  /** The open groups of each depth, outer groups first. */
  const open: IGroup[][] = [];
  const names = new Map<string, string[]>();
  const calls = callsAround(rows);
  const close = (depth: number, keep: number, last: IRow): void => {
    const groups = open[depth] ?? [];
    for (const group of groups.splice(keep)) {
      const { first } = group;
      if (group.equations > 1 && !crosses(calls, first, last, depth, rows)) {
        folds.push(foldOf(group, last, rows));
      }
    }
  };
  for (const row of rows) {
    const before = rows[row.index - 1];
    if (row.kind === 'open') {
      open[row.depth + 1] = [];
      continue;
    }
    if (row.kind === 'close') {
      close(row.depth + 1, 0, before);
      continue;
    }
    const part =
      row.kind === 'equation' ? equations.part(row.scope, row.equation) : null;
    const stack = part?.nameStack(row.equation) ?? '';
    let path = names.get(stack);
    if (!path) {
      names.set(stack, (path = namesInStack(stack)));
    }
    const groups = (open[row.depth] ??= []);
    let same = 0;
    while (same < groups.length && groups[same].name === path[same]) {
      groups[same++].equations++;
    }
    if (before) {
      close(row.depth, same, before);
    }
    for (const name of path.slice(same)) {
      groups.push({ name, first: row, equations: 1 });
    }
  }
  const last = rows[rows.length - 1];
  open.forEach((_, depth) => close(depth, 0, last));
  folds.sort(
    (a, b) => a.first.index - b.first.index || b.last.index - a.last.index
  );
  return joined(folds);
}

/** Joins groups that have the same rows to one group with the names of both. */
function joined(groups: readonly IFold[]): IFold[] {
  const kept: IFold[] = [];
  for (const group of groups) {
    const outer = kept[kept.length - 1];
    if (outer?.first === group.first && outer.last === group.last) {
      outer.name = `${outer.name}/${group.name}`;
    } else {
      kept.push(group);
    }
  }
  return kept;
}

function foldOf(
  { name, first }: IGroup,
  last: IRow,
  rows: readonly IRow[]
): IFold {
  let at = last.index;
  while (at > first.index && rows[at].number === 0) {
    at--;
  }
  return {
    kind: 'names',
    first,
    last,
    from: first.number,
    to: rows[at].number,
    name,
    closed: true
  };
}

/** For each row, the library call that made its equation. */
function callsAround(rows: readonly IRow[]): (IFold | undefined)[] {
  const calls: (IFold | undefined)[] = [];
  for (const row of rows) {
    for (const fold of row.folds ?? []) {
      if (fold.kind === 'call') {
        for (let i = fold.first.index; i <= fold.last.index; i++) {
          if (rows[i].depth === row.depth) {
            calls[i] = fold;
          }
        }
      }
    }
  }
  return calls;
}

/**
 * True if a group has the same rows as a library call, or begins or ends inside one: the call already folds these rows.
 */
function crosses(
  calls: readonly (IFold | undefined)[],
  first: IRow,
  last: IRow,
  depth: number,
  rows: readonly IRow[]
): boolean {
  let end = last.index;
  while (end > first.index && rows[end].depth !== depth) {
    end--;
  }
  const begun = calls[first.index];
  const ended = calls[end];
  if (begun !== undefined && begun === ended) {
    return begun.first === first && begun.last === last;
  }
  return (
    (begun !== undefined && begun.first !== first) ||
    (ended !== undefined && ended.last.index > last.index)
  );
}
