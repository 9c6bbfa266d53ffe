/** Proposes a call for a sweep: like a call that ran, with one size as a free name; the user can change it. */
import type { SweepDraft, SweepField } from '../../model/timings';
import { EvaluableText } from '../../protocol/evaluable';
import { Argument, Snapshot, Sweep } from '../../protocol/snapshot';

/** The texts of the form fields that fit a run; they are only shown, never evaluated. */
export type FittingSweep = Readonly<Record<SweepField, string>>;

/** Matches an array of numbers, such as f32[64,8]; a shape with a symbolic axis has no size to vary. */
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

/** Matches a name that Python can call. */
const NAME = /^[A-Za-z_]\w*$/;

/** The name of the varied size. */
const SIZE = 'n';

/** The texts with which the form is filled in, from a run that the kernel has sent; none for a saved run. */
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

/**
 * The texts of the sweep that the run has for this program. Without such a sweep, the texts of a proposed sweep: a call
 * like the program's own, with the largest size of its arrays as a free name. Null if no such call can be written.
 */
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

/** The values of a sweep in the notation that the user types. */
export function sweptValues(sweep: Sweep): string {
  const values = [...new Set(sweep.points.map(({ value }) => value))];
  return `${sweep.name}=${values.join(',')}`;
}

/** The sizes of an array; empty for a static value; null for any other argument. */
function shapeOf(argument: Argument): number[] | null {
  if (argument.static) {
    return [];
  }
  const arrayType = ARRAY.exec(argument.type);
  return arrayType === null
    ? null
    : arrayType[2].split(',').filter(Boolean).map(Number);
}

function written(argument: Argument, shape: number[], size: number): string {
  if (argument.static) {
    return `${argument.name}=${argument.type}`;
  }
  const dtype = DTYPES[argument.type.split('[')[0]];
  const sizes = shape.map(dimension =>
    dimension === size ? SIZE : String(dimension)
  );
  const tuple = sizes.length === 1 ? sizes[0] : `(${sizes.join(', ')})`;
  return `jnp.ones(${[tuple, ...(dtype === '' ? [] : [dtype])].join(', ')})`;
}

/** Four sizes up to a size, each a multiple of the previous size. */
function sizesUpTo(size: number): number[] {
  const step = Number.isInteger(Math.log10(size)) && size >= 1000 ? 10 : 4;
  const sizes: number[] = [];
  for (let next = size; next >= 2 && sizes.length < 4; next = next / step) {
    sizes.unshift(Math.round(next));
  }
  return [...new Set(sizes)];
}
