/**
 * Makes the entries of the list of programs, in groups; if many programs have the same name, some are folded into one
 * entry.
 */
import { originalOf, transformsOf } from '../model/transforms';
import type { Program, Snapshot } from '../protocol/snapshot';
import { IRun } from '../tokens';
import { shortArguments } from './summary';

export type Group = NonNullable<Program['group']> | 'libraries';

/** A program that can be chosen. */
export interface IChoice {
  run: IRun;
  program: number;
  /** The group of the program; null if all programs of the run are in the same group. */
  group: Group | null;
  /** How many programs are folded into this entry; 0 if the entry is a single program. */
  folded: number;
  /** The key by which the entry is unfolded; null if the entry is a single program. */
  fold: string | null;
  /** True if the folded programs have different names, false if all have the name of `program`. */
  byGroup: boolean;
  /** True if this entry stands for all programs of the group, because all of them are folded. */
  all: boolean;
}

/** A list of at least this many programs has a field that filters the list. */
const FILTERED_FROM = 12;

/** The list has at most this many entries; real notebooks have fewer. */
const MOST = 500;
/** If this many programs have the same name, the first ones are listed and the others folded. */
const MANY = 6;
const SHOWN = 3;
/** If a group has more entries, the first ones are listed and the others folded, whatever their names. */
const LONG = 20;
const SHOWN_OF_LONG = 8;

const GROUPS: readonly Group[] = ['jit', 'eager', 'traced', 'libraries'];

/**
 * The entries of the list.
 * @param runs - The runs in the order of the list.
 * @param unfolded - The keys of the unfolded entries, as `foldKey` gives them.
 * @param filter - The words that the listed programs have; then no entry is folded.
 */
export function choicesOf(
  runs: readonly IRun[],
  unfolded: ReadonlySet<string> = new Set(),
  filter = ''
): IChoice[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return runs
    .flatMap(run =>
      words.length === 0 ? choicesOfRun(run, unfolded) : choicesWith(words, run)
    )
    .slice(0, MOST);
}

/** The number of programs of all runs. */
export function countPrograms(runs: readonly IRun[]): number {
  return runs.reduce((sum, { snapshot }) => sum + snapshot.programs.length, 0);
}

/** True if the list has so many programs that it can be filtered. */
export function isFilterable(runs: readonly IRun[]): boolean {
  return countPrograms(runs) >= FILTERED_FROM;
}

/**
 * The key of the entry that stands for the folded programs of one name.
 * A derived program has the key of the program from which it was derived.
 */
export function foldKey({ snapshot }: IRun, program: number): string {
  const first = firstOf(snapshot, program);
  const { name } = snapshot.programs[first];
  return JSON.stringify([snapshot.id, groupOf(snapshot, first), name]);
}

/** The key of the entry that stands for the folded entries of a group. */
export function groupKey({ snapshot }: IRun, program: number): string {
  return JSON.stringify([
    snapshot.id,
    groupOf(snapshot, firstOf(snapshot, program))
  ]);
}

/**
 * Returns [position, count] of a program in the unfolded list of its run; positions count from 1. Programs of libraries
 * are counted separately, because there may be many. Without a program, the position is 0.
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

/** The programs of a run whose name, types, origin or cell have all these words. */
function choicesWith(words: readonly string[], run: IRun): IChoice[] {
  const { snapshot } = run;
  const groups = groupsOf(snapshot);
  return groups.flatMap(({ group, programs }) =>
    programs
      .flatMap(program => after(snapshot, program))
      .filter(program => {
        const text = wordsOf(snapshot, program).toLowerCase();
        return words.every(word => text.includes(word));
      })
      .map(program => ({
        run,
        program,
        group: groups.length > 1 ? group : null,
        folded: 0,
        fold: null,
        byGroup: false,
        all: false
      }))
  );
}

/** The words of a program that a filter finds. */
function wordsOf(snapshot: Snapshot, program: number): string {
  const { name, result, how } = snapshot.programs[program];
  const count = snapshot.cell?.execution_count ?? null;
  return [
    snapshot.title ?? '',
    count === null ? '' : `[${count}]`,
    name,
    shortArguments(snapshot.programs[program]),
    result?.summary ?? '',
    how ?? ''
  ].join(' ');
}

/**
 * The listed entries of a group. A long group has its first entries and one entry for the rest; the group of libraries
 * has only the entry for the rest.
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

/** The programs that are not derived from others, by group, without empty groups. */
function groupsOf(snapshot: Snapshot): { group: Group; programs: number[] }[] {
  const firsts = snapshot.programs
    .map((_, program) => program)
    .filter(program => firstOf(snapshot, program) === program);
  return GROUPS.map(group => ({
    group,
    programs: firsts.filter(program => groupOf(snapshot, program) === group)
  })).filter(({ programs }) => programs.length > 0);
}

/** How often each text occurs. */
function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** The first program of a chain of derived programs: the one that was not derived. */
function firstOf(snapshot: Snapshot, program: number): number {
  const original = originalOf(snapshot, program);
  return original === program ? program : firstOf(snapshot, original);
}

/** The indices of a program and, after the program, of all programs that were derived from it. */
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
