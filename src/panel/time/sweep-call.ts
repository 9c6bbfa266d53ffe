/** Proposes a call with one free size for a sweep, like a call that ran; the user may change it. */
import type { SweepDraft, SweepField } from '../../model/timings';
import { EvaluableText } from '../../protocol/evaluable';
import { Argument, Snapshot, Sweep } from '../../protocol/snapshot';

/** The fields of the form as they fit a run: texts to read, which nothing evaluates. */
export type FittingSweep = Readonly<Record<SweepField, string>>;

/** An array of numbers, such as f32[64,8]; a shape with anything else in it has no size to vary. */
const ARRAY =
  /^(f16|bf16|f32|f64|i8|i16|i32|i64|u8|u16|u32|u64|bool)\[([\d,]*)\]$/;

const DTYPES: Readonly<Record<string, string>> = {
  f16: 'jnp.float16',
  bf16: 'jnp.bfloat16',
  f32: '',
  f64: 'jnp.float64',
  i8: 'jnp.int8',
  i16: 'jnp.int16',
  i32: 'int',
  i64: 'jnp.int64',
  u8: 'jnp.uint8',
  u16: 'jnp.uint16',
  u32: 'jnp.uint32',
  u64: 'jnp.uint64',
  bool: 'bool'
};

/** A name that Python can call as it stands. */
const NAME = /^[A-Za-z_]\w*$/;

/** The size that varies is called so. */
const SIZE = 'n';

/** What the form is filled in with: the fitting texts of a run that the kernel has sent; of a saved one, nothing. */
export function filledIn(snapshot: Snapshot, program: number): SweepDraft {
  const field = (name: SweepField): SweepDraft => {
    const text = EvaluableText.sent(
      snapshot,
      run => fittingSweep(run, program)?.[name] ?? null
    );
    return text === null ? {} : { [name]: text };
  };
  return { ...field('sweep'), ...field('call'), ...field('functions') };
}

/** The whole sweep that a run has, if not of another program; else a call with its largest size free, if it has one. */
export function fittingSweep(
  snapshot: Snapshot,
  index: number
): FittingSweep | null {
  const program = snapshot.programs[index];
  const { sweep } = snapshot;
  if (program === undefined) {
    return null;
  }
  const isSwept = ({ name }: { name: string }): boolean =>
    sweep?.functions.includes(name) === true;
  const isOfAnother = !isSwept(program) && snapshot.programs.some(isSwept);
  if (sweep && sweep.stopped === null && !isOfAnother) {
    return {
      sweep: sweptValues(sweep),
      call: sweep.call,
      functions: sweep.functions.length > 1 ? sweep.functions.join(', ') : ''
    };
  }
  if (!NAME.test(program.name)) {
    return null;
  }
  const shapes = program.arguments.map(shapeOf);
  const size = Math.max(0, ...shapes.flatMap(shape => shape ?? []));
  const values = sizesUpTo(size);
  if (values.length < 2 || shapes.includes(null)) {
    return null;
  }
  const call = program.arguments.map((argument, at) =>
    written(argument, shapes[at] ?? [], size)
  );
  return {
    sweep: `${SIZE}=${values.join(',')}`,
    call: `${program.name}(${call.join(', ')})`,
    functions: ''
  };
}

/** The values of a sweep as the user types them. */
export function sweptValues(sweep: Sweep): string {
  const values = [...new Set(sweep.points.map(({ value }) => value))];
  return `${sweep.name}=${values.join(',')}`;
}

/** The sizes of an array; empty for a static value; null for what is neither. */
function shapeOf(argument: Argument): number[] | null {
  if (argument.static) {
    return [];
  }
  const found = ARRAY.exec(argument.type);
  return found === null
    ? null
    : found[2].split(',').filter(Boolean).map(Number);
}

function written(argument: Argument, shape: number[], size: number): string {
  if (argument.static) {
    return `${argument.name}=${argument.type}`;
  }
  const dtype = DTYPES[argument.type.split('[')[0]];
  const sizes = shape.map(one => (one === size ? SIZE : String(one)));
  const tuple = sizes.length === 1 ? sizes[0] : `(${sizes.join(', ')})`;
  return `jnp.ones(${[tuple, ...(dtype === '' ? [] : [dtype])].join(', ')})`;
}

/** Four sizes up to this one, each some times the one before. */
function sizesUpTo(size: number): number[] {
  const step = Number.isInteger(Math.log10(size)) && size >= 1000 ? 10 : 4;
  const sizes: number[] = [];
  for (let one = size; one >= 2 && sizes.length < 4; one = one / step) {
    sizes.unshift(Math.round(one));
  }
  return [...new Set(sizes)];
}
