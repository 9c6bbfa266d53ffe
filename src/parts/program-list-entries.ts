/** Makes the entries of the list of programs, by group; many programs of one name are folded. */
import { originalOf, transformsOf } from '../model/transforms';
import type { Program, Snapshot } from '../protocol/snapshot';
import { IRun } from '../tokens';

export type Group = NonNullable<Program['group']> | 'libraries';

/** A program that can be chosen. */
export interface IChoice {
  run: IRun;
  program: number;
  /** The group of the program; null if all programs of the run are in one group. */
  group: Group | null;
  /** The number of programs that are folded into this entry; 0 for an entry of one program. */
  folded: number;
  /** The key that unfolds the entry; null for an entry of one program. */
  fold: string | null;
  /** True if the folded programs have different names; false if all have the name of `program`. */
  byGroup: boolean;
  /** True if the folded programs are all programs of their group. */
  all: boolean;
}

/** The list has at most this many entries; real notebooks have fewer. */
const MOST = 500;
/** If this many programs share a name, the list shows the first programs and folds the others. */
const MANY = 6;
const SHOWN = 3;
/** A group with more entries shows the first entries and folds the others, whatever their names are. */
const LONG = 20;
const SHOWN_OF_LONG = 8;

const GROUPS: readonly Group[] = ['jit', 'eager', 'traced', 'libraries'];

/**
 * The entries of the list.
 * @param runs - The runs in the order of the list.
 * @param unfolded - The keys of the unfolded entries, as `foldKey` gives them.
 */
export function choicesOf(
  runs: readonly IRun[],
  unfolded: ReadonlySet<string> = new Set()
): IChoice[] {
  return runs.flatMap(run => choicesOfRun(run, unfolded)).slice(0, MOST);
}

/** The key of a folded entry; a derived program has the key of the program that it was derived from. */
export function foldKey({ snapshot }: IRun, program: number): string {
  const first = firstOf(snapshot, program);
  const { name } = snapshot.programs[first];
  return JSON.stringify([snapshot.id, groupOf(snapshot, first), name]);
}

/** The key of a folded group. */
export function groupKey({ snapshot }: IRun, program: number): string {
  return JSON.stringify([
    snapshot.id,
    groupOf(snapshot, firstOf(snapshot, program))
  ]);
}

/**
 * The position of a program among the programs of its run in the unfolded list, from 1, and the number of programs.
 * Programs of libraries are counted separately, because a run may have many library programs. Without a program, the
 * position is 0.
 */
export function placeOf(
  snapshot: Snapshot,
  program: number
): { at: number; of: number } {
  const ofLibraries = snapshot.programs[program]?.library === true;
  const all = groupsOf(snapshot)
    .filter(({ group }) => (group === 'libraries') === ofLibraries)
    .flatMap(({ programs }) => programs)
    .flatMap(programIndex => after(snapshot, programIndex));
  return { at: all.indexOf(program) + 1, of: all.length };
}

function choicesOfRun(run: IRun, unfolded: ReadonlySet<string>): IChoice[] {
  const { snapshot } = run;
  const groups = groupsOf(snapshot);
  const firsts = groups.flatMap(({ programs }) => programs);
  const same = counted(firsts.map(program => foldKey(run, program)));
  const met = new Map<string, number>();
  const all: IChoice[] = [];
  for (const { group, programs } of groups) {
    const choices: IChoice[] = [];
    const shared = {
      run,
      group: groups.length > 1 ? group : null,
      folded: 0,
      fold: null,
      byGroup: false,
      all: false
    };
    for (const program of programs) {
      const key = foldKey(run, program);
      const many = same.get(key) ?? 0;
      const before = met.get(key) ?? 0;
      met.set(key, before + 1);
      if (many < MANY || before < SHOWN || unfolded.has(key)) {
        for (const programIndex of after(snapshot, program)) {
          choices.push({ ...shared, program: programIndex });
        }
      } else if (before === SHOWN) {
        choices.push({ ...shared, program, folded: many - SHOWN, fold: key });
      }
    }
    all.push(...shortOf(choices, unfolded));
  }
  return all;
}

/**
 * The entries of a group. A long group has its first entries and an entry for the rest; the group of libraries has only
 * the entry for the rest.
 */
function shortOf(choices: IChoice[], unfolded: ReadonlySet<string>): IChoice[] {
  const all = choices[0]?.group === 'libraries';
  if (!all && choices.length <= LONG) {
    return choices;
  }
  const most = all ? 0 : SHOWN_OF_LONG;
  const next = choices[most];
  const fold = groupKey(next.run, next.program);
  if (unfolded.has(fold)) {
    return choices;
  }
  const folded = choices
    .slice(most)
    .reduce((sum, choice) => sum + Math.max(choice.folded, 1), 0);
  const entry = { ...next, folded, fold, byGroup: true, all };
  return [...choices.slice(0, most), entry];
}

/** The programs that were not derived from other programs, by group; empty groups are left out. */
function groupsOf(snapshot: Snapshot): { group: Group; programs: number[] }[] {
  const firsts = snapshot.programs
    .map((_, program) => program)
    .filter(program => firstOf(snapshot, program) === program);
  return GROUPS.map(group => ({
    group,
    programs: firsts.filter(program => groupOf(snapshot, program) === group)
  })).filter(({ programs }) => programs.length > 0);
}

/** The number of occurrences of each text. */
function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** The program at the root of a chain of derived programs, or the program itself. */
function firstOf(snapshot: Snapshot, program: number): number {
  const original = originalOf(snapshot, program);
  return original === program ? program : firstOf(snapshot, original);
}

/** A program, followed by the programs that were derived from it. */
function after(snapshot: Snapshot, program: number): number[] {
  return [
    program,
    ...transformsOf(snapshot, program).flatMap(({ parts }) =>
      parts.flatMap(part => after(snapshot, part.program))
    )
  ];
}

function groupOf(snapshot: Snapshot, program: number): Group {
  const { group, library } = snapshot.programs[program];
  return library === true ? 'libraries' : (group ?? 'jit');
}
