/** Finds the types that the user's Python names had while JAX traced a program, for each file and line. */
import { TranslationBundle } from '@jupyterlab/translation';

import { NamedValue, Snapshot } from '../protocol/snapshot';

/** The types of the names of a line. */
export interface ILineTypes {
  line: number;
  /** The types in short, such as `h: f32[16]`. */
  text: string;
  /** The types in whole sentences, with all types of each name. */
  title: string;
  /** The type of each name and the column after the name; the column -1 means the end of the line. */
  names: { column: number; text: string; title: string }[];
}

/** The most characters of a type beside a line; the tooltip has all that the document contains. */
const LONGEST = 48;

/** The types of names in a program: path of a file -> line -> types. */
export function typesOfLines(
  snapshot: Snapshot,
  program: number,
  trans: TranslationBundle
): Map<string, ILineTypes[]> {
  const lines = namesOfFiles(snapshot, program);
  return new Map(
    [...lines].map(([path, ofFile]) => [
      path,
      [...ofFile].map(([line, ofLine]) => {
        ofLine.sort((a, b) => a.column - b.column);
        return {
          line,
          text: ofLine.map(name => shortText(name, trans)).join('  '),
          title: ofLine.map(name => typeSentence(name, trans)).join('\n'),
          names: ofLine.map(name => ({
            column: name.end,
            text:
              name.kind === 'returned'
                ? shortText(name, trans)
                : `: ${typesOf(name, trans)}`,
            title: typeSentence(name, trans)
          }))
        };
      })
    ])
  );
}

/**
 * The types of names in a run: path of a file -> line -> types. If several programs have types for a line, the types
 * are those of the program in view, or else of the first of these programs.
 */
export function typesOfRun(
  snapshot: Snapshot,
  program: number,
  trans: TranslationBundle
): Map<string, ILineTypes[]> {
  const types = new Map<string, ILineTypes[]>();
  if ((snapshot.named_values ?? []).length === 0) {
    return types;
  }
  const programs = new Set([program, ...snapshot.programs.keys()]);
  for (const index of programs) {
    for (const [path, lines] of typesOfLines(snapshot, index, trans)) {
      const typesOfFile = types.get(path) ?? [];
      const taken = new Set(typesOfFile.map(({ line }) => line));
      types.set(path, [
        ...typesOfFile,
        ...lines.filter(({ line }) => !taken.has(line))
      ]);
    }
  }
  return types;
}

/** The sentence for a run whose Python (before 3.12) cannot show the types of names; null for a later Python. */
export function noNamesSentence(
  { environment: { python } }: Snapshot,
  trans: TranslationBundle
): string | null {
  const [, minor] = /^3\.(\d+)/.exec(python) ?? [];
  return minor !== undefined && Number(minor) < 12
    ? trans.__(
        'Types of names beside the code need Python 3.12 or newer; the kernel has Python %1. Expressions are linked to their equations, and each equation shows its types.',
        python
      )
    : null;
}

/** A name at one place, with its types in all scopes of the program. */
export interface INamedType {
  name: string;
  kind: NamedValue['kind'];
  column: number;
  /** The column after the name; -1 if the value has no name. */
  end: number;
  types: string[];
  /**
   * The role in a JAX loop that all values of the name have, such as carry; null if the values have no role or
   * different roles.
   */
  role: NonNullable<NamedValue['role']> | null;
  /** The number of steps of the loop; null if unknown before the loop runs. */
  steps: number | null;
  /** The dtype of an operand that JAX promoted although the code names no dtype; null if JAX promoted none. */
  promoted: string | null;
}

/** The names of a program with their types: path of a file -> line -> names. */
export function namesOfFiles(
  snapshot: Snapshot,
  program: number
): Map<string, Map<number, INamedType[]>> {
  const scopes = scopesOf(snapshot, program);
  const lines = new Map<string, Map<number, INamedType[]>>();
  for (const value of snapshot.named_values ?? []) {
    if (!scopes.has(value.scope)) {
      continue;
    }
    const [file, , line, column, endLine, endColumn] =
      snapshot.frames[value.frame];
    const { path } = snapshot.files[file];
    const ofFile = lines.get(path) ?? new Map<number, INamedType[]>();
    lines.set(path, ofFile);
    const ofLine = ofFile.get(line) ?? [];
    ofFile.set(line, ofLine);
    const isName = value.kind !== 'returned' && endLine === line;
    take(ofLine, snapshot, value, column, isName ? endColumn : -1);
  }
  return lines;
}

function take(
  names: INamedType[],
  { strings }: Snapshot,
  value: NamedValue,
  column: number,
  end: number
): void {
  const types = value.types.map(text => strings[text]);
  const name = strings[value.name];
  const promoted = strings[value.promoted ?? -1] ?? null;
  const { role = null, steps = null } = value;
  const namedType = names.find(
    entry =>
      entry.column === column &&
      entry.kind === value.kind &&
      entry.name === name
  );
  if (namedType) {
    namedType.types.push(
      ...types.filter(type => !namedType.types.includes(type))
    );
    namedType.steps = namedType.steps === steps ? steps : null;
    namedType.role = namedType.role === role ? role : null;
    namedType.promoted = namedType.promoted === promoted ? promoted : null;
  } else {
    const { kind } = value;
    names.push({ name, kind, column, end, types, role, steps, promoted });
  }
}

function shortText(name: INamedType, trans: TranslationBundle): string {
  const types = typesOf(name, trans);
  return name.kind === 'returned' ? `→ ${types}` : `${name.name}: ${types}`;
}

/** The first type and, if different, the last type, with marks: `f32[] · carry, 10 steps`. */
function typesOf(name: INamedType, trans: TranslationBundle): string {
  const { types } = name;
  const shown = types.length > 1 ? [types[0], types[types.length - 1]] : types;
  const texts = shown
    .map(type => shortened(type, trans))
    .join(types.length > 2 ? ' … ' : ', ');
  return [texts, ...marksOf(name, trans)].join(' · ');
}

function marksOf(
  { role, steps, promoted }: INamedType,
  trans: TranslationBundle
): string[] {
  const marks: string[] = [];
  if (role !== null) {
    marks.push(
      steps === null
        ? role
        : trans._n('%2, %1 step', '%2, %1 steps', steps, role)
    );
  }
  if (promoted !== null) {
    marks.push(trans.__('promoted from %1', promoted));
  }
  return marks;
}

/** Shortens a type: a long container becomes its number of arrays; other types are cut. */
function shortened(type: string, trans: TranslationBundle): string {
  if (type.length <= LONGEST) {
    return type;
  }
  const head = /^\w*[[({]/.exec(type)?.[0];
  const count = type.match(/\b\w+\[[^\]]*\]/g)?.length ?? 0;
  if (head === undefined || count === 0) {
    return `${type.slice(0, LONGEST - 1)}…`;
  }
  const container = `${head}…${CLOSING[head.slice(-1)]}`;
  // the kernel has already cut the longest types
  return type.endsWith('…')
    ? trans.__('%1 with more than %2 arrays', container, count)
    : trans._n('%2 with %1 array', '%2 with %1 arrays', count, container);
}

const CLOSING: Readonly<Record<string, string>> = {
  '[': ']',
  '(': ')',
  '{': '}'
};

/** Describes in sentences all types that a name had at a place. */
export function typeSentence(
  name: INamedType,
  trans: TranslationBundle
): string {
  const sentences = [hadSentence(name, trans)];
  if (name.role !== null) {
    sentences.push(roleSentence(name.role, name.steps, trans));
  }
  if (name.promoted !== null) {
    sentences.push(
      trans.__(
        'To compute the value, JAX promoted an operand from the dtype %1.',
        name.promoted
      )
    );
  }
  return sentences.join(' ');
}

function hadSentence(
  { name, kind, types }: INamedType,
  trans: TranslationBundle
): string {
  const list = types.join(', ');
  if (kind === 'returned') {
    return trans._n(
      'While JAX traced, this line returned a value of the type %2.',
      'While JAX traced, this line returned values of %1 types: %2.',
      types.length,
      list
    );
  }
  return trans._n(
    'While JAX traced, %2 had the type %3 at this place.',
    'While JAX traced, %2 had %1 types at this place: %3.',
    types.length,
    name,
    list
  );
}

function roleSentence(
  role: NonNullable<INamedType['role']>,
  steps: number | null,
  trans: TranslationBundle
): string {
  switch (role) {
    case 'carry':
      return steps === null
        ? trans.__('The value comes from the carry of a loop.')
        : trans._n(
            'The value comes from the carry of a loop of %1 step.',
            'The value comes from the carry of a loop of %1 steps.',
            steps
          );
    case 'xs':
      return steps === null
        ? trans.__('The value comes from the inputs of one step of a loop.')
        : trans._n(
            'The value comes from the inputs of one step of a loop of %1 step.',
            'The value comes from the inputs of one step of a loop of %1 steps.',
            steps
          );
    case 'ys':
      return steps === null
        ? trans.__('The value comes from the outputs of all steps of a loop.')
        : trans._n(
            'The value comes from the outputs of a loop of %1 step.',
            'The value comes from the outputs of all steps of a loop of %1 steps.',
            steps
          );
  }
}

/** The scope of a program and all scopes inside that scope. */
function scopesOf(snapshot: Snapshot, program: number): ReadonlySet<number> {
  const scopes = new Set<number>();
  const waiting = program < 0 ? [] : [snapshot.programs[program].scope];
  for (let scope = waiting.pop(); scope !== undefined; scope = waiting.pop()) {
    if (!scopes.has(scope)) {
      scopes.add(scope);
      waiting.push(
        ...snapshot.scopes[scope].children.map(([, , , inside]) => inside)
      );
    }
  }
  return scopes;
}
