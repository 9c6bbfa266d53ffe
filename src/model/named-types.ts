/**
 * A program comes in; what the names of the user's Python had while JAX traced the program goes out, by file and line.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { NamedValue, Snapshot } from '../protocol/snapshot';

/** The types of the names of a line. */
export interface ILineTypes {
  line: number;
  /** Such as `h: f32[16]`. */
  text: string;
  /** The same in whole sentences, with all types. */
  title: string;
}

/** So many characters of a type are shown beside a line; the title has the whole type. */
const LONGEST = 48;

/** The types of names in a program, by the path of the file. */
export function typesOfLines(
  snapshot: Snapshot,
  program: number,
  trans: TranslationBundle
): Map<string, ILineTypes[]> {
  const scopes = scopesOf(snapshot, program);
  const names = (snapshot.named_values ?? []).filter(({ scope }) =>
    scopes.has(scope)
  );
  const lines = new Map<string, Map<number, IName[]>>();
  for (const value of names) {
    const [file, , line, column] = snapshot.frames[value.frame];
    const { path } = snapshot.files[file];
    const ofFile = lines.get(path) ?? new Map<number, IName[]>();
    lines.set(path, ofFile);
    const ofLine = ofFile.get(line) ?? [];
    ofFile.set(line, ofLine);
    take(ofLine, snapshot, value, column);
  }
  return new Map(
    [...lines].map(([path, ofFile]) => [
      path,
      [...ofFile].map(([line, ofLine]) => {
        ofLine.sort((a, b) => a.column - b.column);
        return {
          line,
          text: ofLine.map(shortText).join('  '),
          title: ofLine.map(name => sentence(name, trans)).join('\n')
        };
      })
    ])
  );
}

/** A name at one place, with its types in all scopes of the program. */
interface IName {
  name: string;
  kind: NamedValue['kind'];
  column: number;
  types: string[];
}

function take(
  names: IName[],
  { strings }: Snapshot,
  value: NamedValue,
  column: number
): void {
  const types = value.types.map(text => strings[text]);
  const name = strings[value.name];
  const known = names.find(
    each =>
      each.column === column && each.kind === value.kind && each.name === name
  );
  if (known) {
    known.types.push(...types.filter(type => !known.types.includes(type)));
  } else {
    names.push({ name, kind: value.kind, column, types });
  }
}

/** The first type and, if it differs, the last one. */
function shortText({ name, kind, types }: IName): string {
  const shown = types.length > 1 ? [types[0], types[types.length - 1]] : types;
  const text = shown.map(shortened).join(types.length > 2 ? ' … ' : ', ');
  return kind === 'returned' ? `→ ${text}` : `${name}: ${text}`;
}

function shortened(type: string): string {
  return type.length > LONGEST ? `${type.slice(0, LONGEST - 1)}…` : type;
}

function sentence(
  { name, kind, types }: IName,
  trans: TranslationBundle
): string {
  const list = types.join(', ');
  if (kind === 'returned') {
    return trans._n(
      'While JAX traced, this line returned the type %2.',
      'While JAX traced, this line returned %1 types: %2.',
      types.length,
      list
    );
  }
  return trans._n(
    'While JAX traced, %2 had the type %3 here.',
    'While JAX traced, %2 had %1 types here: %3.',
    types.length,
    name,
    list
  );
}

/** The scope of a program and all scopes inside. */
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
