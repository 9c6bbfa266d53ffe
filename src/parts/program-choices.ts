/**
 * The runs of a notebook come in; the entries of the list of programs go out, by group, the many of one name folded.
 */
import { derivedBy, transformsOf } from '../model/transforms';
import type { Program, Snapshot } from '../protocol/snapshot';
import { IRun } from '../tokens';

export type Group = NonNullable<Program['group']>;

/** A program that can be chosen. */
export interface IChoice {
  run: IRun;
  program: number;
  /** The group that begins here, where the run has programs of several groups; null for others. */
  begins: Group | null;
  /** How many programs of the same name are folded into this entry; 0: the entry is one program. */
  folded: number;
}

/** Honest notebooks have fewer. */
const MOST = 500;
/** From so many programs of one name on, the list shows the first ones and folds the others. */
const MANY = 6;
const SHOWN = 3;

const GROUPS: readonly Group[] = ['jit', 'eager', 'traced'];

/**
 * The entries of the list.
 *
 * @param runs - In the order of the list.
 * @param unfolded - Keys of what was unfolded, as `foldKey` gives them.
 */
export function choicesOf(
  runs: readonly IRun[],
  unfolded: ReadonlySet<string> = new Set()
): IChoice[] {
  return runs.flatMap(run => choicesOfRun(run, unfolded)).slice(0, MOST);
}

/** What is kept of an entry that was unfolded. */
export function foldKey(choice: IChoice): string {
  const { snapshot } = choice.run;
  const { name } = snapshot.programs[choice.program];
  return JSON.stringify([snapshot.id, groupOf(snapshot, choice.program), name]);
}

function choicesOfRun(run: IRun, unfolded: ReadonlySet<string>): IChoice[] {
  const { snapshot } = run;
  const grouped = GROUPS.map(group => ({
    group,
    programs: firsts(snapshot).filter(
      program => groupOf(snapshot, program) === group
    )
  })).filter(({ programs }) => programs.length > 0);
  return grouped.flatMap(({ group, programs }) => {
    const found: IChoice[] = [];
    const shown = new Map<string, number>();
    for (const program of programs) {
      const { name } = snapshot.programs[program];
      const same = programs.filter(
        other => snapshot.programs[other].name === name
      );
      const before = shown.get(name) ?? 0;
      shown.set(name, before + 1);
      const choice = { run, program, begins: null, folded: 0 };
      if (
        same.length < MANY ||
        before < SHOWN ||
        unfolded.has(foldKey(choice))
      ) {
        found.push(
          ...after(snapshot, program).map(each => ({
            ...choice,
            program: each
          }))
        );
      } else if (before === SHOWN) {
        found.push({ ...choice, folded: same.length - SHOWN });
      }
    }
    return found.map((choice, index) =>
      index === 0 && grouped.length > 1 ? { ...choice, begins: group } : choice
    );
  });
}

/** The programs that were not derived from others. */
function firsts(snapshot: Snapshot): number[] {
  return snapshot.programs
    .map((_, program) => program)
    .filter(program => derivedBy(snapshot, program) === null);
}

/** A program, followed by what was derived from it. */
function after(snapshot: Snapshot, program: number): number[] {
  return [
    program,
    ...transformsOf(snapshot, program).flatMap(({ parts }) =>
      parts.flatMap(part => after(snapshot, part.program))
    )
  ];
}

function groupOf(snapshot: Snapshot, program: number): Group {
  return snapshot.programs[program].group ?? 'jit';
}
