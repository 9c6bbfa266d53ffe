/**
 * A snapshot comes in, the few words that sum it up go out: signature, counts, stages, where and when.
 *
 * The same facts in the same words as jupyter_jaxpr/exports/summary.py, through the translator.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { ISourceSpan } from '../program-text/source-spans';
import {
  Activity,
  Argument,
  Note,
  Program,
  Snapshot
} from '../protocol/snapshot';
import { clock, duration, grouped } from '../quantities';

/** Longer names and types are cut: a saved notebook may hold anything. */
const LONGEST = 400;

export function shortened(text: string, longest: number = LONGEST): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The program in focus; null where there is none. */
export function shownFirst(snapshot: Snapshot): Program | null {
  return snapshot.programs[snapshot.focus] ?? null;
}

/** The arguments in few letters: `({b, w}, f32[8])`. */
export function shortArguments(program: Program): string {
  return shortened(
    `(${program.arguments.map(each => each.summary).join(', ')})`
  );
}

/** An argument with its name, before its type: `xs: ` or, for a static one, `n=`. */
export function argumentName(argument: Argument): string {
  if (argument.name === '') {
    return '';
  }
  return `${shortened(argument.name)}${argument.static ? '=' : ': '}`;
}

/** The whole signature as one text, for a screen reader and for a tooltip. */
export function fullSignature(program: Program): string {
  const parts = program.arguments.map(
    each => `${argumentName(each)}${each.type}`
  );
  const result = program.result === null ? '' : ` → ${program.result.type}`;
  return `(${parts.join(', ')})${result}`;
}

// In a plural text %1 is the bare number; what is shown of it comes as %2.
export function equations(count: number, trans: TranslationBundle): string {
  return trans._n('%2 equation', '%2 equations', count, grouped(count));
}

/** What the run did with the function: `4 calls, 1 compile`, `≥4 calls, reused`. */
export function activityWords(
  activity: Activity,
  trans: TranslationBundle
): string {
  const words: string[] = [];
  const { calls, compiles } = activity;
  if (calls === null) {
    words.push(trans.__('calls unknown'));
  } else if (activity.calls_exact) {
    words.push(trans._n('%2 call', '%2 calls', calls, grouped(calls)));
  } else {
    words.push(trans.__('≥%1 calls', grouped(calls)));
  }
  if (compiles === null) {
    words.push(trans.__('compiles unknown'));
  } else if (compiles > 0) {
    words.push(
      trans._n('%2 compile', '%2 compiles', compiles, grouped(compiles))
    );
  } else if (!activity.from_disk && calls !== null && calls > 0) {
    words.push(trans.__('reused'));
  }
  if (activity.from_disk) {
    words.push(trans.__('%1 from disk', grouped(activity.from_disk)));
  }
  if (activity.inlined) {
    words.push(trans.__('%1 inlined', grouped(activity.inlined)));
  }
  if (activity.raised) {
    words.push(trans.__('%1 raised', grouped(activity.raised)));
  }
  return words.join(', ');
}

/** How large a program is: `17 equations`, `1 scan ×100`. */
export function counts(
  snapshot: Snapshot,
  program: Program,
  trans: TranslationBundle
): string[] {
  return [
    equations(program.equations, trans),
    ...controlFlow(snapshot, program, trans)
  ];
}

/** How long the first call took; null where this run did not make the program. */
export function firstCall(program: Program): string | null {
  const total = program.stages?.total ?? null;
  const made = program.origin === 'ran' || program.origin === 'derived';
  return made && total !== null ? duration(total) : null;
}

/** Where a program comes from, where this run did not simply make it. */
export function originWords(
  program: Program,
  trans: TranslationBundle
): string | null {
  switch (program.origin) {
    case 'ran':
      return null;
    case 'seen_before':
      return trans.__('made in an earlier run');
    case 'derived':
      return trans.__('made by a transform');
    case 'traced': {
      const made = program.levels
        .filter(one => one.state === 'held' || one.state === 'on_request')
        .map(one => one.name);
      return made.includes('hlo')
        ? trans.__('compiled, not run')
        : made.includes('stablehlo')
          ? trans.__('lowered, not run')
          : trans.__('traced only');
    }
  }
}

/** What a primitive of control flow is called where no card says what the user called. */
const PRIMITIVES = new Map([
  ['scan', 'scan'],
  ['while', 'while_loop'],
  ['cond', 'cond']
]);

const KINDS = ['scan', 'map', 'fori_loop', 'while_loop', 'cond', 'switch'];

/** The control flow, such as `1 fori_loop ×100`, `2 while loops`; each program inside is looked at once. */
function controlFlow(
  snapshot: Snapshot,
  program: Program,
  trans: TranslationBundle
): string[] {
  const called = new Map(
    (snapshot.control_flow ?? []).map(({ scope, equation, kind }) => [
      `${scope} ${equation}`,
      kind
    ])
  );
  const found = new Map<string, { kind: string; length: string; n: number }>();
  const reached = new Set([program.scope]);
  for (const index of reached) {
    const scope = snapshot.scopes[index];
    scope.primitive.forEach((primitive, i) => {
      const own = PRIMITIVES.get(snapshot.strings[primitive]);
      if (own !== undefined) {
        const card: string = called.get(`${index} ${i}`) ?? own;
        const kind = KINDS.includes(card) ? card : own;
        const length = parameter(snapshot, scope.parameters[i], 'length');
        const key = `${kind} ${length}`;
        const entry = found.get(key) ?? { kind, length, n: 0 };
        entry.n++;
        found.set(key, entry);
      }
    });
    for (const child of scope.children) {
      reached.add(child[3]);
    }
  }
  const least = program.complete ? '' : '≥';
  return [...found.values()]
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .map(({ kind, length, n }) => {
      const number = `${least}${grouped(n)}`;
      const times = length === '' ? '' : ` ×${shortened(length, 20)}`;
      switch (kind) {
        case 'scan':
          return trans._n('%2 scan%3', '%2 scans%3', n, number, times);
        case 'map':
          return trans._n('%2 map%3', '%2 maps%3', n, number, times);
        case 'fori_loop':
          return trans._n(
            '%2 fori_loop%3',
            '%2 fori_loops%3',
            n,
            number,
            times
          );
        case 'while_loop':
          return trans._n('%2 while loop', '%2 while loops', n, number);
        case 'switch':
          return trans._n('%2 switch', '%2 switches', n, number);
        default:
          return trans._n('%2 cond', '%2 conds', n, number);
      }
    });
}

function parameter(snapshot: Snapshot, list: number, name: string): string {
  const parameters = list < 0 ? [] : snapshot.parameter_lists[list];
  const found = parameters.find(each => snapshot.strings[each[0]] === name);
  return found === undefined || found[1] < 0 ? '' : snapshot.strings[found[1]];
}

/** Which cell, and when: `Cell [7] · 02:34`. */
export function whereAndWhen(
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  const time = clock(new Date(snapshot.created * 1000));
  const number = snapshot.cell?.execution_count ?? null;
  return number === null
    ? trans.__('Run · %1', time)
    : trans.__('Cell [%1] · %2', number, time);
}

/** Where a note is about. */
export interface INotePlace {
  /** `Line 4`, `Line 4 of cell [3]`, `Line 12 of model.py`. */
  label: string;
  /** The cell to go to; null where the line is in no cell. */
  cellId: string | null;
  span: ISourceSpan;
}

export function notePlace(
  snapshot: Snapshot,
  note: Note,
  trans: TranslationBundle
): INotePlace | null {
  return framePlace(snapshot, note.frame, trans);
}

/** The place that a frame is; null for the frame -1. */
export function framePlace(
  snapshot: Snapshot,
  frame: number,
  trans: TranslationBundle
): INotePlace | null {
  if (frame < 0) {
    return null;
  }
  const [fileIndex, name, line, column, endLine, endColumn] =
    snapshot.frames[frame];
  const file = snapshot.files[fileIndex];
  const span = {
    file,
    function: snapshot.strings[name],
    line,
    column,
    endLine,
    endColumn
  };
  if (file.kind !== 'cell') {
    const path = shortened(file.path.split(/[\\/]/).pop() ?? file.path, 60);
    const label = trans.__('Line %1 of %2', line, path);
    return { label, cellId: null, span };
  }
  const own = snapshot.cell !== null && snapshot.cell.file === file.path;
  const cellId = file.cell_id ?? (own ? (snapshot.cell?.id ?? null) : null);
  const label =
    own || file.execution_count === null
      ? trans.__('Line %1', line)
      : trans.__('Line %1 of cell [%2]', line, file.execution_count);
  return { label, cellId, span };
}
