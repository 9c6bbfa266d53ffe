/** Nothing comes in but the language; what primitives with programs, effects, devices or random bits do goes out. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Glosses } from './glosses';

export function programGlosses(trans: TranslationBundle): Glosses {
  return {
    CustomJVPTraced: [
      trans.__('a function with a derivative of its own'),
      'custom_jvp',
      'arguments …'
    ],
    CustomRoot: [
      trans.__('a root, with a derivative that does not go through the solver'),
      'lax.custom_root',
      'arguments …'
    ],
    CustomVJPTraced: [
      trans.__('a function with a gradient of its own'),
      'custom_vjp',
      'arguments …'
    ],
    Einsum: [
      trans.__('a sum of products along named axes'),
      'numpy.einsum',
      'arrays …'
    ],
    Frexp: [trans.__('mantissa and exponent'), 'numpy.frexp', 'x'],
    Ldexp: [trans.__('x times two to a power'), 'numpy.ldexp', 'x, power'],
    Nonzero: [trans.__('the places of what is not zero'), 'numpy.nonzero', 'x'],
    RematTraced: [
      trans.__('computed again for the gradient'),
      'checkpoint',
      'arguments …'
    ],
    SearchSorted: [
      trans.__('where a value goes in a sorted array'),
      'numpy.searchsorted',
      'sorted, x'
    ],
    _RootLinearMap: [
      trans.__("the linear equation of a root's derivative"),
      'lax.custom_root',
      'arguments …'
    ],
    accum_grad_in_ref: [
      trans.__('a gradient added up in a reference'),
      null,
      'x'
    ],
    addupdate: [
      trans.__('a value added to a place of a reference'),
      null,
      'ref, value, index …'
    ],
    after_all: [trans.__('order between effects joined'), null, 'tokens …'],
    all_gather: [
      trans.__('the parts of all devices, on each device'),
      'lax.all_gather',
      'x'
    ],
    all_gather_invariant: [
      trans.__('the parts of all devices, the same on each'),
      null,
      'x'
    ],
    all_gather_reduced: [
      trans.__('the parts of all devices, for a sum that is made later'),
      null,
      'x'
    ],
    all_to_all: [
      trans.__('each device sends a part to each other one'),
      'lax.all_to_all',
      'x'
    ],
    axis_index: [
      trans.__('place of this device along an axis'),
      'lax.axis_index',
      ''
    ],
    call: [trans.__('call'), null, 'arguments …'],
    call_exported: [
      trans.__('a call of an exported program'),
      'export.deserialize',
      'arguments …'
    ],
    check: [
      trans.__('an error of checkify, where a condition fails'),
      null,
      'error'
    ],
    checkpoint: [
      trans.__('computed again for the gradient'),
      'checkpoint',
      'arguments …'
    ],
    closed_call: [trans.__('call'), null, 'arguments …'],
    composite: [
      trans.__('a named operation with its decomposition'),
      'lax.composite',
      'arguments …'
    ],
    cond: [
      trans.__('one of several branches, chosen when it runs'),
      'lax.cond',
      'index, operands …'
    ],
    core_call: [trans.__('call'), null, 'arguments …'],
    core_map: [trans.__('a program run on each core'), null, 'references …'],
    create_token: [trans.__('a start for the order of effects'), null, ''],
    cudnn_fusion: [
      trans.__('a part that cuDNN compiles as one'),
      null,
      'arguments …'
    ],
    custom_jvp_call: [
      trans.__('function with its own derivative'),
      'custom_jvp',
      'arguments …'
    ],
    custom_lin: [
      trans.__('linear part of a custom_vjp, on its way to the gradient'),
      null,
      'residuals …, tangents …'
    ],
    custom_linear_solve: [
      trans.__('linear solve with its own gradient'),
      'lax.custom_linear_solve',
      'constants …, b …'
    ],
    custom_partitioning: [
      trans.__('function that says itself how it is cut over devices'),
      null,
      'arguments …'
    ],
    custom_vjp_call: [
      trans.__('function with its own gradient'),
      'custom_vjp',
      'arguments …'
    ],
    custom_vjp_call_jaxpr: [
      trans.__('function with its own gradient'),
      'custom_vjp',
      'arguments …'
    ],
    custom_vmap_call: [
      trans.__('function with its own rule for vmap'),
      'custom_batching.custom_vmap',
      'arguments …'
    ],
    dce_sink: [
      trans.__('keeps a value from being removed as unused'),
      null,
      'x'
    ],
    debug_callback: [
      trans.__('calls Python while it runs, for its effect'),
      'debug.callback',
      'arguments …'
    ],
    debug_print: [
      trans.__('prints while it runs'),
      'debug.print',
      'arguments …'
    ],
    device_put: [
      trans.__('moved to a device or a sharding'),
      'device_put',
      'x …'
    ],
    dim_as_value: [trans.__('a symbolic dimension as a number'), null, ''],
    dimension_size: [trans.__('size of an axis as a number'), null, 'x'],
    dma_start: [
      trans.__('a copy between memories begun'),
      null,
      'source, target …'
    ],
    dma_wait: [
      trans.__('waiting for a copy between memories'),
      null,
      'source, target …'
    ],
    empty_ref: [trans.__('a reference to memory that is not set'), null, ''],
    eval_jaxpr: [trans.__('runs a program'), null, 'arguments …'],
    ffi_call: [
      trans.__('calls a compiled function of another language'),
      'ffi.ffi_call',
      'arguments …'
    ],
    free_ref: [trans.__('a reference that is not used any more'), null, 'ref'],
    freeze: [trans.__('the last value of a reference'), null, 'ref'],
    get: [trans.__('a value read from a reference'), null, 'ref, index …'],
    inspect_sharding: [
      trans.__('tells Python the sharding, when it is compiled'),
      'debug.inspect_array_sharding',
      'x'
    ],
    io_callback: [
      trans.__('calls Python while it runs, in order if asked'),
      'experimental.io_callback',
      'arguments …'
    ],
    jit: [trans.__('call of a jitted function'), 'jit', 'arguments …'],
    layout_constraint: [
      trans.__('a layout in memory that XLA is to keep'),
      null,
      'x'
    ],
    linear_call: [
      trans.__('linear function with its own transpose'),
      null,
      'residuals …, arguments …'
    ],
    masked_load: [
      trans.__('values read from a reference, where a mask says so'),
      null,
      'ref, mask …'
    ],
    masked_swap: [
      trans.__('values written to a reference, where a mask says so'),
      null,
      'ref, value, mask …'
    ],
    max_contiguous: [
      trans.__('what the compiler may take as contiguous'),
      null,
      'x'
    ],
    multiple_of: [
      trans.__('what the compiler may take as a multiple'),
      null,
      'x'
    ],
    name: [
      trans.__('a name for a value, for a policy of checkpoint'),
      null,
      'x'
    ],
    new_ref: [
      trans.__('a reference to memory that can be changed'),
      'new_ref',
      'x'
    ],
    num_programs: [
      trans.__('how many programs there are along an axis of the grid'),
      'experimental.pallas.num_programs',
      ''
    ],
    optimization_barrier: [
      trans.__('XLA moves nothing across it'),
      'lax.optimization_barrier',
      'x …'
    ],
    pallas_call: [
      trans.__('a Pallas kernel, run for each place of its grid'),
      'experimental.pallas.pallas_call',
      'arguments …'
    ],
    pbroadcast: [
      trans.__('one device sends its value to all'),
      'lax.pbroadcast',
      'x'
    ],
    philox2x32: [trans.__('random bits by Philox'), null, 'key, counts'],
    philox4x32: [trans.__('random bits by Philox'), null, 'key, counts'],
    pin: [trans.__('a value kept at one place in memory'), null, 'x'],
    pjit: [trans.__('call of a jitted function'), 'jit', 'arguments …'],
    platform_index: [
      trans.__('which of several platforms it runs on'),
      'lax.platform_dependent',
      ''
    ],
    pmax: [trans.__('maximum over devices'), 'lax.pmax', 'x'],
    pmin: [trans.__('minimum over devices'), 'lax.pmin', 'x'],
    ppermute: [
      trans.__('devices send their values along a permutation'),
      'lax.ppermute',
      'x'
    ],
    precv: [trans.__('a value received from another device'), null, 'token'],
    program_id: [
      trans.__('the place of this program along an axis of the grid'),
      'experimental.pallas.program_id',
      ''
    ],
    psend: [trans.__('a value sent to another device'), null, 'x, token'],
    psum: [trans.__('sum over devices'), 'lax.psum', 'x …'],
    psum2: [trans.__('sum over devices'), 'lax.psum', 'x …'],
    psum_invariant: [
      trans.__('sum over devices, the same on each'),
      'lax.psum',
      'x …'
    ],
    pure_callback: [
      trans.__('calls Python while it runs, for its value'),
      'pure_callback',
      'arguments …'
    ],
    pvary: [
      trans.__('marked as different on each device of an axis'),
      null,
      'x …'
    ],
    ragged_all_to_all: [
      trans.__('parts of several sizes between all devices'),
      'lax.ragged_all_to_all',
      'operand, output, offsets and sizes …'
    ],
    random_bits: [trans.__('random bits'), 'random.bits', 'key'],
    random_clone: [
      trans.__('a copy of a key that counts as unused'),
      'random.clone',
      'key'
    ],
    random_fold_in: [
      trans.__('a new key from a key and a number'),
      'random.fold_in',
      'key, number'
    ],
    random_gamma: [
      trans.__('random numbers of a gamma distribution'),
      'random.gamma',
      'key, a'
    ],
    random_seed: [trans.__('a key from a seed'), 'random.key', 'seed'],
    random_split: [trans.__('several keys from one'), 'random.split', 'key'],
    random_unwrap: [trans.__('the numbers of a key'), 'random.key_data', 'key'],
    random_wrap: [
      trans.__('a key from its numbers'),
      'random.wrap_key_data',
      'numbers'
    ],
    reduce_scatter: [
      trans.__('sum over devices, each keeps a part'),
      'lax.psum_scatter',
      'x'
    ],
    remat2: [
      trans.__('computed again for the gradient'),
      'checkpoint',
      'arguments …'
    ],
    remat_opt: [
      trans.__('a custom_vjp that keeps only what its gradient uses'),
      null,
      'arguments …'
    ],
    reshard: [trans.__('the same array with another sharding'), null, 'x'],
    rng_bit_generator: [
      trans.__('random bits by XLA, and the next state'),
      'lax.rng_bit_generator',
      'state'
    ],
    rng_uniform: [
      trans.__('random numbers by XLA, between two bounds'),
      'lax.rng_uniform',
      'from, to'
    ],
    run_scoped: [
      trans.__('a program with memory that lasts as long as it runs'),
      'experimental.pallas.run_scoped',
      'arguments …'
    ],
    run_state: [
      trans.__('a program with references as its values'),
      null,
      'arguments …'
    ],
    scan: [
      trans.__('loop of a fixed length'),
      'lax.scan',
      'constants …, carry …, xs …'
    ],
    semaphore_read: [trans.__('the count of a semaphore'), null, 'semaphore'],
    semaphore_signal: [
      trans.__('a semaphore counted up'),
      null,
      'semaphore, value …'
    ],
    semaphore_wait: [
      trans.__('waiting until a semaphore has counted up'),
      null,
      'semaphore, value'
    ],
    shape_assertion: [
      trans.__('an error where a symbolic shape does not fit'),
      null,
      'condition, values …'
    ],
    shard_map: [
      trans.__('the same function on every device'),
      'shard_map',
      'arguments …'
    ],
    sharding_constraint: [
      trans.__('a sharding that XLA is to keep'),
      'lax.with_sharding_constraint',
      'x'
    ],
    stage: [
      trans.__('a part that is compiled on its own'),
      null,
      'arguments …'
    ],
    stop_gradient: [
      trans.__('no gradient from here'),
      'lax.stop_gradient',
      'x'
    ],
    swap: [
      trans.__('a value written to a reference; the old one comes out'),
      null,
      'ref, value, index …'
    ],
    threefry2x32: [trans.__('random bits'), null, 'key, key, counts, counts'],
    threefry4x32: [trans.__('random bits'), null, 'key …, counts …'],
    tie: [trans.__('one value that waits for another'), null, 'x, y'],
    unpin: [trans.__('a pinned value that may move again'), null, 'x'],
    while: [
      trans.__('loop as long as a condition holds'),
      'lax.while_loop',
      'constants …, carry …'
    ],
    with_memory_space_constraint: [
      trans.__('a memory that XLA is to keep it in'),
      null,
      'x'
    ]
  };
}
