/**
 * Explains the operations of StableHLO and HLO: for each, a gloss and its section in the specification.
 *
 * Both texts share the names; the `-` in a name of HLO is written `_` here. tests/test_glosses.py compares the table
 * with the operations that JAX and XLA print.
 */
import { TranslationBundle } from '@jupyterlab/translation';

/** The words of a gloss, and true if the specification of StableHLO has a section with the operation's name. */
type OperationGloss = readonly [words: string, isSpecified: boolean];

/** The page of the specification; its sections have the names of the operations. */
const STABLEHLO = 'https://openxla.org/stablehlo/spec';
const HLO = 'https://openxla.org/xla/operation_semantics';

/** The words that describe an operation's result, the name of the operation, and the address of its specification. */
export interface IOperationWords {
  words: string;
  name: string;
  address: string;
}

/**
 * The gloss of an operation; null for an operation that the table does not have.
 * @param printed - The operation as the text prints it: `stablehlo.add`, `"stablehlo.all_reduce"`, `get-tuple-element`.
 */
export function operationGloss(
  printed: string,
  level: 'stablehlo' | 'hlo',
  trans: TranslationBundle
): IOperationWords | null {
  let table = made.get(trans);
  if (!table) {
    table = new Map(Object.entries(operationTable(trans)));
    made.set(trans, table);
  }
  const name = printed
    .replace(/^"|"$/g, '')
    .replace(/^(?:stablehlo|chlo|func)\./, '')
    .replace(/-/g, '_');
  const row = table.get(name);
  if (!row) {
    return null;
  }
  const [words, isSpecified] = row;
  return level === 'stablehlo' && isSpecified
    ? {
        words,
        name: trans.__('StableHLO: %1', name),
        address: `${STABLEHLO}#${name}`
      }
    : level === 'hlo'
      ? { words, name: trans.__('XLA documentation: operations'), address: HLO }
      : {
          words,
          name: trans.__('StableHLO specification'),
          address: STABLEHLO
        };
}

const made = new WeakMap<
  TranslationBundle,
  ReadonlyMap<string, OperationGloss>
>();

/** The table of operations, one per line. */
function operationTable(
  trans: TranslationBundle
): Record<string, OperationGloss> {
  // prettier-ignore
  return {
    abs: [trans.__('absolute value'), true],
    acosh: [trans.__('inverse hyperbolic cosine'), false],
    acos: [trans.__('arc cosine'), false],
    add_dependency: [trans.__('the first operand, after the second operand is ready'), false],
    add: [trans.__('sum, element by element'), true],
    after_all: [trans.__('a token that is ready when all tokens given are ready'), true],
    all_gather_done: [trans.__('end of an all-gather that began earlier'), false],
    all_gather_start: [trans.__('start of an all-gather that runs beside other instructions'), false],
    all_gather: [trans.__('the parts of all devices, put together on each device'), true],
    all_reduce_done: [trans.__('end of an all-reduce that began earlier'), false],
    all_reduce_start: [trans.__('start of an all-reduce that runs beside other instructions'), false],
    all_reduce: [trans.__('the sum or another reduction over devices, on each device'), true],
    all_to_all: [trans.__('each device sends a part of its array to each other device'), true],
    and: [trans.__('bitwise AND; logical AND of booleans'), true],
    asinh: [trans.__('inverse hyperbolic sine'), false],
    asin: [trans.__('arc sine'), false],
    async_done: [trans.__('end of an instruction that began earlier, with its result'), false],
    async_start: [trans.__('start of an instruction that runs beside other instructions'), false],
    async_update: [trans.__('a step of an instruction that runs beside other instructions'), false],
    atan2: [trans.__('angle of the point with coordinates x and y'), true],
    atanh: [trans.__('inverse hyperbolic tangent'), false],
    atan: [trans.__('arc tangent'), false],
    batch_norm_grad: [trans.__('gradient of a batch normalisation'), true],
    batch_norm_inference: [trans.__('batch normalisation with given mean and variance'), true],
    batch_norm_training: [trans.__('batch normalisation with the mean and variance of the batch'), true],
    bitcast_convert: [trans.__('the same bits, interpreted as another dtype'), true],
    bitcast: [trans.__('the same bytes with another shape or layout; nothing is copied'), false],
    broadcast_in_dim: [trans.__('copies of an array along new axes or axes of size 1'), true],
    broadcast: [trans.__('copies of an array along new axes'), false],
    call: [trans.__('call of another function of the module'), false],
    case: [trans.__('runs one of several branches, chosen by an index'), true],
    cbrt: [trans.__('cube root'), true],
    ceil: [trans.__('rounded up to an integer'), true],
    cholesky: [trans.__('Cholesky factor of a positive definite matrix'), true],
    clamp: [trans.__('values limited to the range from min to max'), true],
    collective_broadcast: [trans.__('the array of one device, copied to all devices of its group'), true],
    collective_permute_done: [trans.__('end of a collective-permute that began earlier'), false],
    collective_permute_start: [trans.__('start of a collective-permute that runs beside other instructions'), false],
    collective_permute: [trans.__('each device sends its array to one other device'), true],
    compare: [trans.__('comparison, element by element; the result is boolean'), true],
    complex: [trans.__('complex number from a real and an imaginary part'), true],
    composite: [trans.__('an operation that is made of other operations'), true],
    concatenate: [trans.__('arrays put one after the other along an axis'), true],
    conditional: [trans.__('runs one of several computations, chosen by an operand'), false],
    constant: [trans.__('a value that is part of the program'), true],
    convert: [trans.__('conversion to another dtype'), true],
    convolution: [trans.__('convolution, with strides, padding and groups'), true],
    copy_done: [trans.__('end of a copy that began earlier'), false],
    copy_start: [trans.__('start of a copy that runs beside other instructions'), false],
    copy: [trans.__('a copy of an array, often in another layout'), false],
    cosh: [trans.__('hyperbolic cosine'), false],
    cosine: [trans.__('cosine'), true],
    count_leading_zeros: [trans.__('number of leading zero bits'), true],
    create_token: [trans.__('a token that orders effects'), false],
    custom_call: [trans.__('code of a library or of the backend'), true],
    digamma: [trans.__('digamma function, the derivative of lgamma'), false],
    divide: [trans.__('quotient, element by element; integers round toward zero'), true],
    dot_general: [trans.__('product of arrays, summed over contracting axes'), true],
    dot: [trans.__('product of matrices or vectors'), false],
    dynamic_broadcast_in_dim: [trans.__('broadcast_in_dim whose shape is known only at run time'), true],
    dynamic_iota: [trans.__('iota whose shape is known only at run time'), true],
    dynamic_reshape: [trans.__('reshape whose shape is known only at run time'), true],
    dynamic_slice: [trans.__('part of an array; an operand gives the start, the size is fixed'), true],
    dynamic_update_slice: [trans.__('the array with one part replaced; an operand gives the start of the part'), true],
    erf_inv: [trans.__('inverse of the error function'), false],
    erfc: [trans.__('complementary error function, 1 - erf(x)'), false],
    erf: [trans.__('error function'), false],
    exponential_minus_one: [trans.__('exp(x) - 1, exact near 0'), true],
    exponential: [trans.__('exponential function'), true],
    fft: [trans.__('fast Fourier transform'), true],
    floor: [trans.__('rounded down to an integer'), true],
    fusion: [trans.__('several instructions that XLA runs as one, without storing intermediate values'), false],
    gather: [trans.__('parts of an array at given indices, such as x[i]'), true],
    get_dimension_size: [trans.__('the size of an axis'), true],
    get_tuple_element: [trans.__('one element of a tuple; nothing is copied'), true],
    if: [trans.__('runs one of two branches'), true],
    imag: [trans.__('imaginary part'), true],
    infeed: [trans.__('data that the host sends to the device'), true],
    iota: [trans.__('the numbers 0, 1, 2, ... along an axis'), true],
    is_finite: [trans.__('whether a value is neither infinite nor NaN'), true],
    is_inf: [trans.__('whether a value is infinite'), false],
    lgamma: [trans.__('logarithm of the absolute value of the gamma function'), false],
    log_plus_one: [trans.__('log(1 + x), exact near 0'), true],
    logistic: [trans.__('1 / (1 + exp(-x))'), true],
    log: [trans.__('natural logarithm'), true],
    map: [trans.__('a computation applied to each element'), true],
    maximum: [trans.__('the larger of two values, element by element'), true],
    minimum: [trans.__('the smaller of two values, element by element'), true],
    multiply: [trans.__('product, element by element'), true],
    negate: [trans.__('the value with the opposite sign'), true],
    next_after: [trans.__('the next floating-point number after x toward y'), false],
    not: [trans.__('bitwise NOT; logical NOT of booleans'), true],
    opt_barrier: [trans.__('the operands, unchanged; the compiler moves no operation across this line'), false],
    optimization_barrier: [trans.__('the operands, unchanged; the compiler moves no operation across this line'), true],
    or: [trans.__('bitwise OR; logical OR of booleans'), true],
    outfeed: [trans.__('data that the device sends to the host'), true],
    pad: [trans.__('an array with padding values at the edges or between elements'), true],
    parameter: [trans.__('an input of the computation'), false],
    partition_id: [trans.__('the number of the partition that runs the program'), true],
    polygamma: [trans.__('polygamma function'), false],
    popcnt: [trans.__('number of bits that are 1'), true],
    population_count: [trans.__('number of bits that are 1'), false],
    power: [trans.__('x to the power of y, element by element'), true],
    ragged_all_to_all: [trans.__('all-to-all with parts of different sizes'), false],
    ragged_dot: [trans.__('product of matrices in groups of different sizes'), false],
    real: [trans.__('real part'), true],
    recv_done: [trans.__('end of a recv that began earlier'), false],
    recv: [trans.__('data that another device or the host sends'), true],
    reduce_precision: [trans.__('the value rounded to fewer bits of exponent and mantissa'), true],
    reduce_scatter: [trans.__('a reduction over devices; each device keeps one part of the result'), true],
    reduce_window: [trans.__('a reduction over windows of an array'), true],
    reduce: [trans.__('an axis reduced by a computation, such as a sum or a maximum'), true],
    remainder: [trans.__('remainder of x / y, with the sign of x'), true],
    replica_id: [trans.__('the number of the replica that runs the program'), true],
    reshape: [trans.__('the same elements in the same order with another shape'), true],
    return: [trans.__('end of a function or region, with its results'), false],
    reverse: [trans.__('the elements of an axis in the opposite order'), true],
    rng_bit_generator: [trans.__('random bits, and the next state of the generator, from a state'), true],
    rng_get_and_update_state: [trans.__('the state of the random generator of the program, which then advances'), false],
    rng: [trans.__('random numbers from the generator of the backend'), true],
    round_nearest_afz: [trans.__('rounded to the nearest integer, halves away from zero'), true],
    round_nearest_even: [trans.__('rounded to the nearest integer, halves to even'), true],
    rsqrt: [trans.__('1 / square root'), true],
    scatter: [trans.__('an array with parts replaced or combined at given indices, such as x.at[i].set(v)'), true],
    select_and_scatter: [trans.__('values combined at the element that each window selects'), true],
    select: [trans.__('x where the condition holds, else y'), true],
    send_done: [trans.__('wait for the end of a send that began earlier'), false],
    send: [trans.__('data sent to another device or the host'), true],
    set_dimension_size: [trans.__('the array, with the size of one axis set by an operand'), false],
    shift_left: [trans.__('bits shifted to the left'), true],
    shift_right_arithmetic: [trans.__('bits shifted to the right; the sign stays'), true],
    shift_right_logical: [trans.__('bits shifted to the right; zeros come in'), true],
    sign: [trans.__('-1, 0 or 1, as the sign of the value'), true],
    sine: [trans.__('sine'), true],
    sinh: [trans.__('hyperbolic sine'), false],
    slice: [trans.__('part of an array with fixed bounds'), true],
    sort: [trans.__('elements along an axis, in sorted order'), true],
    sqrt: [trans.__('square root'), true],
    square: [trans.__('x * x'), false],
    stochastic_convert: [trans.__('conversion to another dtype with random rounding'), false],
    subtract: [trans.__('difference, element by element'), true],
    tanh: [trans.__('hyperbolic tangent'), true],
    tan: [trans.__('tangent function, tan(x)'), true],
    top_k: [trans.__('the k largest elements and their indices'), false],
    topk: [trans.__('the k largest elements and their indices'), false],
    transpose: [trans.__('the array with its axes in another order'), true],
    triangular_solve: [trans.__('solution of a triangular linear system'), true],
    tuple: [trans.__('several values as one tuple; nothing is copied'), true],
    while: [trans.__('repeats a body as long as a condition holds'), true],
    xor: [trans.__('bitwise exclusive OR'), true],
    zeta: [trans.__('Hurwitz zeta function'), false],
  };
}
