/**
 * Explains the primitives of JAX: for each, a gloss, its operands, and the public function that documents it.
 *
 * tests/test_glosses.py compares the table with the primitives of both supported JAX versions.
 */
import { TranslationBundle } from '@jupyterlab/translation';

/**
 * A gloss: words for the computed value; the public function of `jax`, or null; the names of the operands, in order.
 */
export type Gloss = readonly [
  words: string,
  documented: string | null,
  operands: string
];

const DOCUMENTATION = 'https://docs.jax.dev/en/latest/_autosummary/jax.';

/** The entry of a primitive; null for a primitive that the table does not have. */
export function glossOf(
  primitive: string,
  trans: TranslationBundle
): Gloss | null {
  let glosses = made.get(trans);
  if (!glosses) {
    glosses = new Map(Object.entries(glossTable(trans)));
    made.set(trans, glosses);
  }
  return glosses.get(primitive) ?? null;
}

/** The words for the value that a primitive computes; null for a primitive that the table does not have. */
export function gloss(
  primitive: string,
  trans: TranslationBundle
): string | null {
  return glossOf(primitive, trans)?.[0] ?? null;
}

/** The page that documents a primitive; null if the primitive has no public function of `jax`. */
export function documentationOf(
  primitive: string,
  trans: TranslationBundle
): { name: string; address: string } | null {
  const documented = glossOf(primitive, trans)?.[1] ?? null;
  return documented === null
    ? null
    : {
        name: `jax.${documented}`,
        address: `${DOCUMENTATION}${documented}.html`
      };
}

const made = new WeakMap<TranslationBundle, ReadonlyMap<string, Gloss>>();

/**
 * For each primitive: what the primitive computes, the public function of `jax` that documents it, its operands in
 * order.
 */
function glossTable(trans: TranslationBundle): Record<string, Gloss> {
  // prettier-ignore
  return {
    // Elementwise primitives.
    abs: [trans.__('absolute value'), 'lax.abs', 'x'],
    acos: [trans.__('arc cosine'), 'lax.acos', 'x'],
    acosh: [trans.__('inverse hyperbolic cosine'), 'lax.acosh', 'x'],
    add: [trans.__('sum, element by element'), 'lax.add', 'x, y'],
    add_any: [trans.__('sum of two cotangents'), null, 'x, y'],
    and: [trans.__('bitwise AND'), 'lax.bitwise_and', 'x, y'],
    asin: [trans.__('arc sine'), 'lax.asin', 'x'],
    asinh: [trans.__('inverse hyperbolic sine'), 'lax.asinh', 'x'],
    atan: [trans.__('arc tangent'), 'lax.atan', 'x'],
    atan2: [trans.__('angle of the point with coordinates x and y'), 'lax.atan2', 'y, x'],
    atanh: [trans.__('inverse hyperbolic tangent'), 'lax.atanh', 'x'],
    bessel_i0e: [trans.__('exponentially scaled modified Bessel function of order 0'), 'lax.bessel_i0e', 'x'],
    bessel_i1e: [trans.__('exponentially scaled modified Bessel function of order 1'), 'lax.bessel_i1e', 'x'],
    bitcast_convert_type: [trans.__('the same bits, interpreted as another dtype'), 'lax.bitcast_convert_type', 'x'],
    cbrt: [trans.__('cube root'), 'lax.cbrt', 'x'],
    ceil: [trans.__('rounded up to an integer'), 'lax.ceil', 'x'],
    clamp: [trans.__('x limited to the range from min to max'), 'lax.clamp', 'min, x, max'],
    clz: [trans.__('number of leading zero bits'), 'lax.clz', 'x'],
    complex: [trans.__('complex number from a real and an imaginary part'), 'lax.complex', 'real, imag'],
    conj: [trans.__('complex conjugate'), 'lax.conj', 'x'],
    convert_element_type: [trans.__('conversion to another dtype'), 'lax.convert_element_type', 'x'],
    cos: [trans.__('cosine'), 'lax.cos', 'x'],
    cosh: [trans.__('hyperbolic cosine'), 'lax.cosh', 'x'],
    digamma: [trans.__('digamma function, the derivative of lgamma'), 'lax.digamma', 'x'],
    div: [trans.__('quotient; integers round toward zero'), 'lax.div', 'x, y'],
    eq: [trans.__('x == y'), 'lax.eq', 'x, y'],
    eq_to: [trans.__('x == y in the total order of floats, NaN and -0 included'), null, 'x, y'],
    erf: [trans.__('error function'), 'lax.erf', 'x'],
    erf_inv: [trans.__('inverse of the error function'), 'lax.erf_inv', 'x'],
    erfc: [trans.__('complementary error function, 1 - erf(x)'), 'lax.erfc', 'x'],
    exp: [trans.__('e to the power x'), 'lax.exp', 'x'],
    exp2: [trans.__('2 to the power x'), 'lax.exp2', 'x'],
    expm1: [trans.__('exp(x) - 1, accurate near zero'), 'lax.expm1', 'x'],
    floor: [trans.__('rounded down to an integer'), 'lax.floor', 'x'],
    ge: [trans.__('x >= y'), 'lax.ge', 'x, y'],
    gt: [trans.__('x > y'), 'lax.gt', 'x, y'],
    igamma: [trans.__('regularised lower incomplete gamma function'), 'lax.igamma', 'a, x'],
    igamma_grad_a: [trans.__('derivative of igamma with respect to a'), 'lax.igamma_grad_a', 'a, x'],
    igammac: [trans.__('regularised upper incomplete gamma function'), 'lax.igammac', 'a, x'],
    imag: [trans.__('imaginary part'), 'lax.imag', 'x'],
    integer_pow: [trans.__('x to a static integer power'), 'lax.integer_pow', 'x'],
    is_finite: [trans.__('whether x is neither infinite nor NaN'), 'lax.is_finite', 'x'],
    le: [trans.__('x <= y'), 'lax.le', 'x, y'],
    le_to: [trans.__('x <= y in the total order of floats, NaN and -0 included'), null, 'x, y'],
    lgamma: [trans.__('logarithm of the absolute value of the gamma function'), 'lax.lgamma', 'x'],
    log: [trans.__('natural logarithm'), 'lax.log', 'x'],
    log1p: [trans.__('log(1 + x), accurate near zero'), 'lax.log1p', 'x'],
    log2: [trans.__('logarithm to base 2'), 'numpy.log2', 'x'],
    logistic: [trans.__('sigmoid, 1 / (1 + exp(-x))'), 'lax.logistic', 'x'],
    lt: [trans.__('x < y'), 'lax.lt', 'x, y'],
    lt_to: [trans.__('x < y in the total order of floats, NaN and -0 included'), null, 'x, y'],
    max: [trans.__('maximum of x and y, element by element'), 'lax.max', 'x, y'],
    min: [trans.__('minimum of x and y, element by element'), 'lax.min', 'x, y'],
    mul: [trans.__('product, element by element'), 'lax.mul', 'x, y'],
    mulhi: [trans.__('upper half of the bits of an integer product'), null, 'x, y'],
    ne: [trans.__('x != y'), 'lax.ne', 'x, y'],
    neg: [trans.__('-x'), 'lax.neg', 'x'],
    nextafter: [trans.__('next representable number after x toward y'), 'lax.nextafter', 'x, y'],
    not: [trans.__('bitwise NOT'), 'lax.bitwise_not', 'x'],
    one_minus_square: [trans.__('1 - x², accurate near ±1'), null, 'x'],
    or: [trans.__('bitwise OR'), 'lax.bitwise_or', 'x, y'],
    polygamma: [trans.__('derivative of order m of the digamma function'), 'lax.polygamma', 'm, x'],
    polynomial: [trans.__("polynomial in x, by Horner's rule"), null, 'x, coefficients …'],
    population_count: [trans.__('number of bits that are 1'), 'lax.population_count', 'x'],
    pow: [trans.__('x to the power y'), 'lax.pow', 'x, y'],
    real: [trans.__('real part'), 'lax.real', 'x'],
    reduce_precision: [trans.__('rounded to fewer bits; the dtype stays the same'), 'lax.reduce_precision', 'x'],
    regularized_incomplete_beta: [trans.__('regularised incomplete beta function'), 'lax.betainc', 'a, b, x'],
    rem: [trans.__('remainder of x / y, with the sign of x'), 'lax.rem', 'x, y'],
    round: [trans.__('rounded to the nearest integer'), 'lax.round', 'x'],
    rsqrt: [trans.__('1 / sqrt(x)'), 'lax.rsqrt', 'x'],
    select_n: [trans.__('choice between the cases, element by element'), 'lax.select_n', 'which, case 0, case 1, …'],
    shift_left: [trans.__('bits of x shifted left by y'), 'lax.shift_left', 'x, y'],
    shift_right_arithmetic: [trans.__('bits of x shifted right by y; keeps the sign'), 'lax.shift_right_arithmetic', 'x, y'],
    shift_right_logical: [trans.__('bits of x shifted right by y; fills with zeros'), 'lax.shift_right_logical', 'x, y'],
    sign: [trans.__('sign of x: -1, 0 or 1; for complex x: x / |x|'), 'lax.sign', 'x'],
    sin: [trans.__('sine'), 'lax.sin', 'x'],
    sinh: [trans.__('hyperbolic sine'), 'lax.sinh', 'x'],
    sqrt: [trans.__('square root'), 'lax.sqrt', 'x'],
    square: [trans.__('x * x'), 'lax.square', 'x'],
    sub: [trans.__('difference, element by element'), 'lax.sub', 'x, y'],
    tan: [trans.__('tangent function, tan(x)'), 'lax.tan', 'x'],
    tanh: [trans.__('hyperbolic tangent'), 'lax.tanh', 'x'],
    xor: [trans.__('bitwise exclusive OR'), 'lax.bitwise_xor', 'x, y'],
    zeta: [trans.__('Hurwitz zeta function'), 'lax.zeta', 'x, q'],

    // Primitives on whole arrays: shapes, indexing, reductions, linear algebra.
    approx_top_k: [trans.__('k largest or smallest values, approximate, with indices'), 'lax.approx_max_k', 'operand'],
    argmax: [trans.__('index of the maximum'), 'lax.argmax', 'operand'],
    argmin: [trans.__('index of the minimum'), 'lax.argmin', 'operand'],
    broadcast_in_dim: [trans.__('broadcast to a larger shape'), 'lax.broadcast_in_dim', 'operand'],
    cholesky: [trans.__('Cholesky factor of a positive definite matrix'), 'lax.linalg.cholesky', 'x'],
    cholesky_update: [trans.__('rank-1 update of a Cholesky factor'), 'lax.linalg.cholesky_update', 'factor, vector'],
    concatenate: [trans.__('arrays joined along an existing axis'), 'lax.concatenate', 'operands …'],
    conv_general_dilated: [trans.__('convolution'), 'lax.conv_general_dilated', 'input, kernel'],
    copy: [trans.__('copy of x'), null, 'x'],
    cumlogsumexp: [trans.__('cumulative log-sum-exp along an axis'), 'lax.cumlogsumexp', 'operand'],
    cummax: [trans.__('cumulative maximum along an axis'), 'lax.cummax', 'operand'],
    cummin: [trans.__('cumulative minimum along an axis'), 'lax.cummin', 'operand'],
    cumprod: [trans.__('cumulative product along an axis'), 'lax.cumprod', 'operand'],
    cumsum: [trans.__('cumulative sum along an axis'), 'lax.cumsum', 'operand'],
    dot_general: [trans.__('matrix product'), 'lax.dot_general', 'lhs, rhs'],
    dynamic_slice: [trans.__('slice whose start is computed at run time'), 'lax.dynamic_slice', 'operand, start …'],
    dynamic_update_slice: [trans.__('copy of the operand with one slice replaced'), 'lax.dynamic_update_slice', 'operand, update, start …'],
    eig: [trans.__('eigenvalues and eigenvectors of a general matrix'), 'lax.linalg.eig', 'x'],
    eigh: [trans.__('eigenvectors and eigenvalues of a Hermitian matrix'), 'lax.linalg.eigh', 'x'],
    empty: [trans.__('array with uninitialised values'), null, ''],
    empty2: [trans.__('scalar with an uninitialised value'), null, ''],
    fft: [trans.__('discrete Fourier transform'), 'lax.fft', 'x'],
    gather: [trans.__('slices of the operand at given indices'), 'lax.gather', 'operand, indices'],
    geqp3: [trans.__('QR decomposition with column pivoting, packed'), null, 'x, pivots'],
    geqrf: [trans.__('QR decomposition, packed'), null, 'x'],
    hessenberg: [trans.__('Hessenberg form of a square matrix, packed'), 'lax.linalg.hessenberg', 'x'],
    householder_product: [trans.__('product of Householder reflectors'), 'lax.linalg.householder_product', 'reflectors, taus'],
    iota: [trans.__('0, 1, 2, … along an axis'), 'lax.iota', ''],
    lu: [trans.__('LU decomposition with partial pivoting'), 'lax.linalg.lu', 'x'],
    lu_pivots_to_permutation: [trans.__('row swaps of an LU decomposition as a permutation'), 'lax.linalg.lu_pivots_to_permutation', 'pivots'],
    ormqr: [trans.__('product with the orthogonal matrix Q of a packed QR'), null, 'reflectors, taus, x'],
    pad: [trans.__('copy of the operand with padding at the edges or between elements'), 'lax.pad', 'operand, value'],
    qr: [trans.__('QR decomposition'), 'lax.linalg.qr', 'x'],
    ragged_dot_general: [trans.__('one matrix product for each group of rows'), 'lax.ragged_dot_general', 'lhs, rhs, group sizes'],
    reduce: [trans.__('reduction along axes by a given function'), 'lax.reduce', 'operands …, initial values …'],
    reduce_and: [trans.__('bitwise AND along axes; for booleans: all'), 'lax.reduce_and', 'operand'],
    reduce_max: [trans.__('maximum along axes'), 'lax.reduce_max', 'operand'],
    reduce_min: [trans.__('minimum along axes'), 'lax.reduce_min', 'operand'],
    reduce_or: [trans.__('bitwise OR along axes; for booleans: any'), 'lax.reduce_or', 'operand'],
    reduce_prod: [trans.__('product along axes'), 'lax.reduce_prod', 'operand'],
    reduce_sum: [trans.__('sum along axes'), 'lax.reduce_sum', 'operand'],
    reduce_window: [trans.__('reduction of each window by a given function'), 'lax.reduce_window', 'operands …, initial values …'],
    reduce_window_max: [trans.__('maximum of each window'), 'lax.reduce_window', 'operand'],
    reduce_window_min: [trans.__('minimum of each window'), 'lax.reduce_window', 'operand'],
    reduce_window_sum: [trans.__('sum of each window'), 'lax.reduce_window', 'operand'],
    reduce_xor: [trans.__('bitwise exclusive OR along axes'), 'lax.reduce_xor', 'operand'],
    reshape: [trans.__('the same elements in the same order with another shape'), 'lax.reshape', 'operand'],
    rev: [trans.__('elements in reverse order along axes'), 'lax.rev', 'operand'],
    scaled_dot: [trans.__('matrix product of scaled operands'), null, 'lhs, rhs, scales …'],
    scatter: [trans.__('copy of the operand with elements at given indices replaced'), 'lax.scatter', 'operand, indices, updates'],
    'scatter-add': [trans.__('copy of the operand with updates added at given indices'), 'lax.scatter_add', 'operand, indices, updates'],
    'scatter-max': [trans.__('maximum of operand and updates at given indices'), 'lax.scatter_max', 'operand, indices, updates'],
    'scatter-min': [trans.__('minimum of operand and updates at given indices'), 'lax.scatter_min', 'operand, indices, updates'],
    'scatter-mul': [trans.__('operand multiplied by updates at given indices'), 'lax.scatter_mul', 'operand, indices, updates'],
    'scatter-sub': [trans.__('operand with updates subtracted at given indices'), 'lax.scatter_sub', 'operand, indices, updates'],
    schur: [trans.__('Schur decomposition'), 'lax.linalg.schur', 'x'],
    select_and_gather_add: [trans.__('tangent of the maximum or minimum element of each window'), null, 'tangents, operand'],
    select_and_scatter: [trans.__('updates combined at the element that each window selects'), null, 'operand, source, initial value'],
    select_and_scatter_add: [trans.__('updates added at the maximum or minimum of each window'), null, 'source, operand'],
    slice: [trans.__('slice of the operand with static bounds'), 'lax.slice', 'operand'],
    sort: [trans.__('elements in ascending order along an axis'), 'lax.sort', 'operands …'],
    split: [trans.__('operand split into several arrays along an axis'), 'lax.split', 'operand'],
    squeeze: [trans.__('operand without the given axes of size 1'), 'lax.squeeze', 'array'],
    stack: [trans.__('arrays joined along a new axis'), 'numpy.stack', 'operands …'],
    svd: [trans.__('singular value decomposition'), 'lax.linalg.svd', 'x'],
    symmetric_product: [trans.__('alpha · A Aᵀ + beta · C'), 'lax.linalg.symmetric_product', 'a, c'],
    tile: [trans.__('operand repeated along axes'), 'numpy.tile', 'operand'],
    top_k: [trans.__('the k largest elements and their indices'), 'lax.top_k', 'operand'],
    transpose: [trans.__('operand with its axes permuted'), 'lax.transpose', 'operand'],
    triangular_solve: [trans.__('solution of a triangular linear system'), 'lax.linalg.triangular_solve', 'a, b'],
    tridiagonal: [trans.__('tridiagonal form of a Hermitian matrix'), 'lax.linalg.tridiagonal', 'x'],
    tridiagonal_solve: [trans.__('solution of a tridiagonal linear system'), 'lax.linalg.tridiagonal_solve', 'lower, diagonal, upper, b'],
    unstack: [trans.__('operand split into arrays along an axis, without the axis'), 'numpy.unstack', 'operand'],

    // Primitives for calls, control flow and derivatives.
    CustomJVPTraced: [trans.__('call of a function with a custom JVP rule'), 'custom_jvp', 'arguments …'],
    CustomRoot: [trans.__('root of a function, with an implicit derivative'), 'lax.custom_root', 'arguments …'],
    CustomVJPTraced: [trans.__('call of a function with a custom VJP rule'), 'custom_vjp', 'arguments …'],
    Einsum: [trans.__('Einstein summation'), 'numpy.einsum', 'arrays …'],
    Frexp: [trans.__('mantissa and exponent of x'), 'numpy.frexp', 'x'],
    Ldexp: [trans.__('x times 2 to an integer power'), 'numpy.ldexp', 'x, power'],
    Nonzero: [trans.__('indices of the nonzero elements'), 'numpy.nonzero', 'x'],
    RematTraced: [trans.__('call that the backward part computes again (checkpoint)'), 'checkpoint', 'arguments …'],
    SearchSorted: [trans.__('index at which to insert each x into the sorted array'), 'numpy.searchsorted', 'sorted, x'],
    call: [trans.__('call of a jaxpr'), null, 'arguments …'],
    call_exported: [trans.__('call of an exported program'), 'export.deserialize', 'arguments …'],
    check: [trans.__('error of checkify, raised if a check failed'), null, 'error'],
    closed_call: [trans.__('call of a jaxpr'), null, 'arguments …'],
    composite: [trans.__('operation with a name, made of other operations'), 'lax.composite', 'arguments …'],
    cond: [trans.__('one of several branches; the index chooses at run time'), 'lax.cond', 'index, operands …'],
    custom_jvp_call: [trans.__('call of a function with a custom JVP rule'), 'custom_jvp', 'arguments …'],
    custom_lin: [trans.__('linear part of a custom VJP, before transposition'), null, 'residuals …, tangents …'],
    custom_linear_solve: [trans.__('linear solve with an implicit derivative'), 'lax.custom_linear_solve', 'constants …, b …'],
    custom_partitioning: [trans.__('call of a function with a custom partitioning rule'), null, 'arguments …'],
    custom_vjp_call: [trans.__('call of a function with a custom VJP rule'), 'custom_vjp', 'arguments …'],
    custom_vmap_call: [trans.__('call of a function with a custom vmap rule'), 'custom_batching.custom_vmap', 'arguments …'],
    dim_as_value: [trans.__('symbolic dimension as a number'), null, ''],
    eval_jaxpr: [trans.__('evaluation of a jaxpr'), null, 'arguments …'],
    ffi_call: [trans.__('call of a compiled foreign function (FFI)'), 'ffi.ffi_call', 'arguments …'],
    jit: [trans.__('call of a jitted function'), 'jit', 'arguments …'],
    linear_call: [trans.__('linear function with a custom transpose'), null, 'residuals …, arguments …'],
    name: [trans.__('value with a name for checkpoint policies'), null, 'x'],
    optimization_barrier: [trans.__('barrier across which XLA moves no operation'), 'lax.optimization_barrier', 'x …'],
    platform_index: [trans.__('index of the platform that the program runs on'), 'lax.platform_dependent', ''],
    remat2: [trans.__('call that the backward part computes again (checkpoint)'), 'checkpoint', 'arguments …'],
    remat_opt: [trans.__('forward rule of a custom VJP with optimize_remat'), null, 'arguments …'],
    scan: [trans.__('loop with a fixed number of steps'), 'lax.scan', 'constants …, carry …, xs …'],
    shape_assertion: [trans.__('error if a symbolic shape violates its constraints'), null, 'condition, values …'],
    stage: [trans.__('the value x, converted to an array'), null, 'x'],
    stop_gradient: [trans.__('the same x, with a derivative that counts as zero'), 'lax.stop_gradient', 'x'],
    while: [trans.__('loop that runs while a condition holds'), 'lax.while_loop', 'constants …, carry …'],

    // Primitives with effects, of references, of Pallas.
    addupdate: [trans.__('value added to elements of a reference'), null, 'ref, value, index …'],
    after_all: [trans.__('several tokens joined into one token'), null, 'tokens …'],
    core_map: [trans.__('Pallas program that runs on each core'), null, 'references …'],
    create_token: [trans.__('new token, which orders effects'), null, ''],
    dce_sink: [trans.__('keeps x from being removed as unused'), null, 'x'],
    debug_callback: [trans.__('call of a Python function for its side effect'), 'debug.callback', 'arguments …'],
    debug_print: [trans.__('print at run time'), 'debug.print', 'arguments …'],
    dma_start: [trans.__('start of an asynchronous copy between memories'), null, 'source, target …'],
    dma_wait: [trans.__('wait for an asynchronous copy between memories'), null, 'source, target …'],
    empty_ref: [trans.__('new reference with uninitialised values'), null, ''],
    free_ref: [trans.__('end of a reference, which becomes invalid'), null, 'ref'],
    freeze: [trans.__('last value of a reference, which ends the reference'), null, 'ref'],
    get: [trans.__('read from a reference'), null, 'ref, index …'],
    inspect_sharding: [trans.__('call of a Python function with the sharding, at compile time'), 'debug.inspect_array_sharding', 'x'],
    io_callback: [trans.__('call of a Python function with side effects'), 'experimental.io_callback', 'arguments …'],
    masked_load: [trans.__('read from a reference where a mask is true'), null, 'ref, mask …'],
    masked_swap: [trans.__('write to a reference where a mask is true'), null, 'ref, value, mask …'],
    multiple_of: [trans.__('hint for the compiler: x is a multiple of given numbers'), null, 'x'],
    new_ref: [trans.__('new mutable reference with an initial value'), 'new_ref', 'x'],
    num_programs: [trans.__('size of the grid of a Pallas kernel along an axis'), 'experimental.pallas.num_programs', ''],
    pallas_call: [trans.__('Pallas kernel, called once for each point of a grid'), 'experimental.pallas.pallas_call', 'arguments …'],
    program_id: [trans.__('index of this kernel call along an axis of the grid'), 'experimental.pallas.program_id', ''],
    pure_callback: [trans.__('call of a Python function for its result'), 'pure_callback', 'arguments …'],
    run_scoped: [trans.__('program with references that exist only while the program runs'), 'experimental.pallas.run_scoped', 'arguments …'],
    run_state: [trans.__('program that reads and writes its arguments as references'), null, 'arguments …'],
    semaphore_read: [trans.__('current value of a semaphore'), null, 'semaphore'],
    semaphore_signal: [trans.__('increment of a semaphore'), null, 'semaphore, value …'],
    semaphore_wait: [trans.__('wait until a semaphore reaches a value'), null, 'semaphore, value'],
    swap: [trans.__('write to a reference; the result is the old value'), null, 'ref, value, index …'],

    // Primitives over devices.
    all_gather: [trans.__('values of all devices, joined on each device'), 'lax.all_gather', 'x'],
    all_gather_invariant: [trans.__('values of all devices, joined; equal on each device'), null, 'x'],
    all_gather_reduced: [trans.__('values of all devices, joined; marked as reduced'), null, 'x'],
    all_to_all: [trans.__('each device sends one part to each other device'), 'lax.all_to_all', 'x'],
    axis_index: [trans.__('index of this device along a mesh axis'), 'lax.axis_index', ''],
    device_put: [trans.__('transfer to a device or a sharding'), 'device_put', 'x …'],
    layout_constraint: [trans.__('memory layout that XLA must use'), null, 'x'],
    pbroadcast: [trans.__('value of one device, sent to all devices'), 'lax.pbroadcast', 'x'],
    pmax: [trans.__('maximum over devices'), 'lax.pmax', 'x'],
    pmin: [trans.__('minimum over devices'), 'lax.pmin', 'x'],
    ppermute: [trans.__('devices exchange values along a permutation'), 'lax.ppermute', 'x'],
    precv: [trans.__('value received from another device'), null, 'token'],
    psend: [trans.__('value sent to another device'), null, 'x, token'],
    psum: [trans.__('sum over devices'), 'lax.psum', 'x …'],
    psum_invariant: [trans.__('sum over devices; equal on each device'), 'lax.psum', 'x …'],
    pvary: [trans.__('x, marked as varying over the devices of an axis'), null, 'x …'],
    ragged_all_to_all: [trans.__('devices exchange parts of different sizes'), 'lax.ragged_all_to_all', 'operand, output, offsets and sizes …'],
    reduce_scatter: [trans.__('sum over devices; each device keeps one part'), 'lax.psum_scatter', 'x'],
    reshard: [trans.__('the same array with another sharding'), null, 'x'],
    shard_map: [trans.__('function that runs on every device with its own shards'), 'shard_map', 'arguments …'],
    sharding_constraint: [trans.__('sharding that XLA must use'), 'lax.with_sharding_constraint', 'x'],
    with_memory_space_constraint: [trans.__('memory space that XLA must use'), null, 'x'],

    // Primitives for random numbers.
    random_bits: [trans.__('random bits'), 'random.bits', 'key'],
    random_clone: [trans.__('copy of a key that counts as unused'), 'random.clone', 'key'],
    random_fold_in: [trans.__('new key from a key and a number'), 'random.fold_in', 'key, number'],
    random_gamma: [trans.__('samples of a gamma distribution, or their logarithms'), 'random.gamma', 'key, a'],
    random_seed: [trans.__('key from a seed'), 'random.key', 'seed'],
    random_split: [trans.__('several new keys from one key'), 'random.split', 'key'],
    random_unwrap: [trans.__('data of a key as integers'), 'random.key_data', 'key'],
    random_wrap: [trans.__('key from integers'), 'random.wrap_key_data', 'numbers'],
    rng_bit_generator: [trans.__("random bits from XLA's generator, and its next state"), 'lax.rng_bit_generator', 'state'],
    rng_uniform: [trans.__("uniform random numbers from XLA's generator"), 'lax.rng_uniform', 'from, to'],
    threefry2x32: [trans.__('random bits by the Threefry hash'), null, 'key, key, counts, counts'],
  };
}
