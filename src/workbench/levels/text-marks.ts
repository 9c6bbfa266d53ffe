/**
 * Writes the tags beside a line of StableHLO or HLO, such as the size of a fusion or the number of a loop's steps, and
 * the link to the line that calls, or is called.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { listOf } from '../../parts/list-of';
import { HloStructure, calledBy } from './hlo-structure';
import type { IListedLine, ITag } from '../listing/listing';

/**
 * Matches an instruction that exchanges data between devices; an asynchronous exchange has a start and a done
 * instruction.
 */
const COLLECTIVE =
  /^(?:all-reduce|all-gather|all-to-all|ragged-all-to-all|reduce-scatter|collective-permute|collective-broadcast|all_reduce|all_gather|all_to_all|reduce_scatter|collective_permute|collective_broadcast)(?:-start|-done)?$/;
const CUSTOM_CALL = /^custom[-_]call$/;
const TARGET = /\bcustom_call_target="([^"]*)"|custom_call @([\w.$]+)/;
const KIND = /\bkind=(k\w+)/;
const TRIPS = /"?known_trip_count"?:\{"?n"?:"?(\d+)/;

/** The sentence that says for what XLA uses a kind of fusion, such as `kLoop`. */
function kindWords(kind: string, trans: TranslationBundle): string {
  switch (kind) {
    case 'kLoop':
      return trans.__(
        'kLoop: the fusion is one loop over the elements of its result.'
      );
    case 'kInput':
      return trans.__(
        'kInput: the fusion is a reduction and the instructions that compute its operands.'
      );
    case 'kOutput':
      return trans.__(
        'kOutput: the fusion is a product and the instructions that use its result.'
      );
    case 'kCustom':
      return trans.__(
        'kCustom: a library or the backend provides the code of the fusion.'
      );
    default:
      return trans.__('The kind of this fusion is %1.', kind);
  }
}

/** The library that a custom call calls, if the name of its target shows the library. */
function targetWords(target: string, trans: TranslationBundle): string {
  if (/python.*callback/.test(target)) {
    return trans.__(
      'The program calls a Python function here, such as the function of pure_callback, io_callback or debug.print. XLA does not look inside the function.'
    );
  }
  if (
    /^(?:Sharding|SPMD\w+|annotate_device_placement|xla\.sdy\..+)$/.test(target)
  ) {
    return trans.__(
      'An annotation for XLA: the device or the sharding of an array. The program calls nothing here.'
    );
  }
  return trans.__(
    'The program calls code of a library or of the backend here. XLA does not look inside the code.'
  );
}

/** The number of equations that some lines come from. */
export interface IEquationCount {
  /** The number of equations; 0 if unknown. */
  count: number;
  /**
   * True if the lines come from all of these equations; false if they come from some of them, which XLA does not
   * distinguish.
   */
  isExact: boolean;
}

/** The facts from which the tags are written. */
export interface ITextMarks {
  structure: HloStructure;
  /** The number of equations that the lines from first to last come from. */
  equations(first: number, last: number): IEquationCount;
  trans: TranslationBundle;
}

/** The tags beside an instruction; `at` is the position where its operands end, `operation` the instruction's name. */
export function tagsOf(
  line: string,
  operation: string,
  at: number,
  marks: ITextMarks
): ITag[] {
  const { trans, structure } = marks;
  const tags: ITag[] = [];
  const say = (text: string, title: string): void => {
    tags.push({ at, text, title, kind: 'fact' });
  };
  const name = operation.replace(/^"|"$/g, '').replace(/^stablehlo\./, '');
  if (name === 'fusion') {
    const kind = KIND.exec(line)?.[1];
    if (kind) {
      say(kind, kindWords(kind, trans));
    }
  }
  if (name === 'fusion' || name === 'call') {
    const body = structure.computation(calledBy(line)[0] ?? '');
    if (body) {
      say(...size(body.first, body.last, body.instructions, marks));
    }
  }
  const trips = name === 'while' ? TRIPS.exec(line) : null;
  if (trips) {
    const steps = Number(trips[1]);
    const count = steps.toLocaleString('en');
    say(
      trans.__('× %1', count),
      trans._n(
        'XLA knows that this loop runs %2 step.',
        'XLA knows that this loop runs %2 steps.',
        steps,
        count
      )
    );
  }
  if (COLLECTIVE.test(name)) {
    say(
      trans.__('collective'),
      trans.__('%1 exchanges data between devices.', name)
    );
  }
  if (CUSTOM_CALL.test(name)) {
    const match = TARGET.exec(line);
    const target = match?.[1] ?? match?.[2] ?? null;
    say(
      target === null
        ? trans.__('custom call')
        : trans.__('custom call: %1', target),
      targetWords(target ?? '', trans)
    );
  }
  return tags;
}

function size(
  first: number,
  last: number,
  instructions: number,
  { equations, trans }: ITextMarks
): [string, string] {
  const { count, isExact } = equations(first, last);
  const members = trans._n(
    '%1 instruction',
    '%1 instructions',
    instructions,
    instructions.toLocaleString('en')
  );
  const whole = trans._n(
    'The called computation has %2 instruction.',
    'The called computation has %2 instructions.',
    instructions,
    instructions.toLocaleString('en')
  );
  const equationCount = count.toLocaleString('en');
  if (count === 0) {
    return [members, whole];
  }
  if (!isExact) {
    const some = trans._n(
      'The instructions come from some of %2 equation at one source position. XLA does not distinguish these equations. Exact links distinguish the equations.',
      'The instructions come from some of %2 equations at one source position. XLA does not distinguish these equations. Exact links distinguish the equations.',
      count,
      equationCount
    );
    return [members, `${whole} ${some}`];
  }
  const made = trans._n('%2 equation', '%2 equations', count, equationCount);
  const all = trans._n(
    'The instructions come from %2 equation.',
    'The instructions come from %2 equations.',
    count,
    equationCount
  );
  return [listOf([members, made], trans), `${whole} ${all}`];
}

/**
 * The line to which a line of HLO links: from a call to the called computation, from a computation to its caller, from
 * the module to its entry.
 */
export function referenceOf(
  line: string,
  { structure, trans }: ITextMarks
): IListedLine['reference'] {
  const { entry } = structure;
  if (line.startsWith('HloModule')) {
    return (
      entry && {
        text: trans.__('→ entry'),
        title: trans.__('Go to the entry computation'),
        line: entry.first
      }
    );
  }
  const here = line.endsWith('{') ? structure.startingAt(line) : null;
  if (here) {
    const callers = structure.callers(here.name);
    return callers.length === 1
      ? {
          text: trans.__('← caller'),
          title: trans.__('Go to the instruction that calls %1', here.name),
          line: callers[0]
        }
      : null;
  }
  const called = structure.computation(calledBy(line)[0] ?? '');
  return (
    called && {
      text: trans.__('→ %1', called.name),
      title: trans.__(
        'Go to the HLO computation %1, which this instruction calls',
        called.name
      ),
      line: called.first
    }
  );
}
