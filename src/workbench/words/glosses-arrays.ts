/** Nothing comes in but the language; what primitives on whole arrays do goes out: shapes, indexing, sums, linear algebra. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Glosses } from './glosses';

export function arrayGlosses(trans: TranslationBundle): Glosses {
  return {
    approx_top_k: [
      trans.__('about the k greatest, fast on accelerators'),
      'lax.approx_max_k',
      'operand'
    ],
    argmax: [trans.__('index of the greatest'), 'lax.argmax', 'operand'],
    argmin: [trans.__('index of the least'), 'lax.argmin', 'operand'],
    bcoo_dot_general: [
      trans.__('product of a sparse and a dense array'),
      'experimental.sparse.bcoo_dot_general',
      'data, indices, y'
    ],
    bcoo_dot_general_sampled: [
      trans.__('products of dense arrays, at the places of a sparse one'),
      null,
      'x, y, indices'
    ],
    bcoo_extract: [
      trans.__('values of an array at the places of a sparse one'),
      'experimental.sparse.bcoo_extract',
      'indices, x'
    ],
    bcoo_fromdense: [
      trans.__('a dense array as a sparse one'),
      'experimental.sparse.bcoo_fromdense',
      'x'
    ],
    bcoo_sort_indices: [
      trans.__('places of a sparse array in order'),
      'experimental.sparse.bcoo_sort_indices',
      'data, indices'
    ],
    bcoo_spdot_general: [
      trans.__('product of two sparse arrays'),
      null,
      'data, indices, data, indices'
    ],
    bcoo_sum_duplicates: [
      trans.__('values of a sparse array added up by place'),
      'experimental.sparse.bcoo_sum_duplicates',
      'data, indices'
    ],
    bcoo_todense: [
      trans.__('a sparse array as a dense one'),
      'experimental.sparse.bcoo_todense',
      'data, indices'
    ],
    bcoo_transpose: [
      trans.__('a sparse array with its axes in another order'),
      'experimental.sparse.bcoo_transpose',
      'data, indices'
    ],
    bcsr_dot_general: [
      trans.__('product of a sparse and a dense array'),
      'experimental.sparse.bcsr_dot_general',
      'data, indices, starts, y'
    ],
    bcsr_extract: [
      trans.__('values of an array at the places of a sparse one'),
      'experimental.sparse.bcsr_extract',
      'indices, starts, x'
    ],
    bcsr_fromdense: [
      trans.__('a dense array as a sparse one'),
      'experimental.sparse.bcsr_fromdense',
      'x'
    ],
    bcsr_todense: [
      trans.__('a sparse array as a dense one'),
      'experimental.sparse.bcsr_todense',
      'data, indices, starts'
    ],
    broadcast_in_dim: [
      trans.__('repeat along new axes'),
      'lax.broadcast_in_dim',
      'operand'
    ],
    broadcast_to: [trans.__('repeat to a shape'), 'numpy.broadcast_to', 'x'],
    cholesky: [
      trans.__('triangular square root of a positive matrix'),
      'lax.linalg.cholesky',
      'x'
    ],
    cholesky_update: [
      trans.__('Cholesky factor after a matrix of rank 1 is added'),
      'lax.linalg.cholesky_update',
      'factor, vector'
    ],
    concatenate: [
      trans.__('arrays one after the other along an axis'),
      'lax.concatenate',
      'operands …'
    ],
    conv_general_dilated: [
      trans.__('convolution'),
      'lax.conv_general_dilated',
      'input, kernel'
    ],
    copy: [trans.__('copy'), null, 'x'],
    copy_p: [trans.__('copy'), null, 'x'],
    cumlogsumexp: [
      trans.__('running log of a sum of exponentials'),
      'lax.cumlogsumexp',
      'operand'
    ],
    cummax: [trans.__('running maximum'), 'lax.cummax', 'operand'],
    cummin: [trans.__('running minimum'), 'lax.cummin', 'operand'],
    cumprod: [trans.__('running product'), 'lax.cumprod', 'operand'],
    cumsum: [trans.__('running sum'), 'lax.cumsum', 'operand'],
    dot_general: [trans.__('matrix product'), 'lax.dot_general', 'lhs, rhs'],
    dynamic_slice: [
      trans.__('part of an array, its start known when it runs'),
      'lax.dynamic_slice',
      'operand, start …'
    ],
    dynamic_update_slice: [
      trans.__('array with a part replaced'),
      'lax.dynamic_update_slice',
      'operand, update, start …'
    ],
    eig: [
      trans.__('eigenvalues and eigenvectors of any matrix'),
      'lax.linalg.eig',
      'x'
    ],
    eigh: [
      trans.__('eigenvectors and eigenvalues of a symmetric matrix'),
      'lax.linalg.eigh',
      'x'
    ],
    empty: [trans.__('array whose values are not set'), null, ''],
    empty2: [trans.__('array whose values are not set'), null, ''],
    fft: [trans.__('Fourier transform'), 'lax.fft', 'x'],
    gather: [trans.__('indexing'), 'lax.gather', 'operand, indices'],
    geqp3: [
      trans.__('QR with pivoted columns, in packed form'),
      null,
      'x, pivots'
    ],
    geqrf: [trans.__('QR in packed form'), null, 'x'],
    hessenberg: [
      trans.__('Hessenberg form, in packed form'),
      'lax.linalg.hessenberg',
      'x'
    ],
    householder_product: [
      trans.__('orthogonal matrix from its reflections'),
      'lax.linalg.householder_product',
      'reflections, taus'
    ],
    iota: [trans.__('0, 1, 2, …'), 'lax.iota', ''],
    lu: [
      trans.__('lower times upper triangle, with swapped rows'),
      'lax.linalg.lu',
      'x'
    ],
    lu_pivots_to_permutation: [
      trans.__('row swaps of an LU as one permutation'),
      'lax.linalg.lu_pivots_to_permutation',
      'pivots'
    ],
    ormqr: [
      trans.__('product with the orthogonal matrix of a packed QR'),
      null,
      'reflections, taus, x'
    ],
    pad: [
      trans.__('edges and gaps filled with a value'),
      'lax.pad',
      'operand, value'
    ],
    polynomial: [trans.__('polynomial with fixed coefficients'), null, 'x'],
    qr: [trans.__('orthogonal times upper triangle'), 'lax.linalg.qr', 'x'],
    ragged_dot_general: [
      trans.__('matrix products of groups of rows'),
      'lax.ragged_dot_general',
      'lhs, rhs, group sizes'
    ],
    reduce: [
      trans.__('axes combined by a given function'),
      'lax.reduce',
      'operands …, initial values …'
    ],
    reduce_and: [
      trans.__('whether all, along axes'),
      'lax.reduce_and',
      'operand'
    ],
    reduce_max: [trans.__('maximum along axes'), 'lax.reduce_max', 'operand'],
    reduce_min: [trans.__('minimum along axes'), 'lax.reduce_min', 'operand'],
    reduce_or: [
      trans.__('whether any, along axes'),
      'lax.reduce_or',
      'operand'
    ],
    reduce_prod: [trans.__('product along axes'), 'lax.reduce_prod', 'operand'],
    reduce_sum: [trans.__('sum along axes'), 'lax.reduce_sum', 'operand'],
    reduce_window: [
      trans.__('each window combined by a given function'),
      'lax.reduce_window',
      'operands …, initial values …'
    ],
    reduce_window_max: [
      trans.__('maximum of each window'),
      'lax.reduce_window',
      'operand'
    ],
    reduce_window_min: [
      trans.__('minimum of each window'),
      'lax.reduce_window',
      'operand'
    ],
    reduce_window_sum: [
      trans.__('sum of each window'),
      'lax.reduce_window',
      'operand'
    ],
    reduce_xor: [
      trans.__('exclusive or along axes'),
      'lax.reduce_xor',
      'operand'
    ],
    reshape: [trans.__('same values, other shape'), 'lax.reshape', 'operand'],
    rev: [trans.__('reversed along axes'), 'lax.rev', 'operand'],
    scaled_dot: [
      trans.__('matrix product of numbers with scales'),
      null,
      'lhs, rhs, scales …'
    ],
    scatter: [
      trans.__('array with indexed places set'),
      'lax.scatter',
      'operand, indices, updates'
    ],
    'scatter-add': [
      trans.__('array with values added at indexed places'),
      'lax.scatter_add',
      'operand, indices, updates'
    ],
    'scatter-max': [
      trans.__('array with the greater value at indexed places'),
      'lax.scatter_max',
      'operand, indices, updates'
    ],
    'scatter-min': [
      trans.__('array with the lesser value at indexed places'),
      'lax.scatter_min',
      'operand, indices, updates'
    ],
    'scatter-mul': [
      trans.__('array multiplied at indexed places'),
      'lax.scatter_mul',
      'operand, indices, updates'
    ],
    'scatter-sub': [
      trans.__('array with values subtracted at indexed places'),
      'lax.scatter_sub',
      'operand, indices, updates'
    ],
    scatter_add: [
      trans.__('array with values added at indexed places'),
      'lax.scatter_add',
      'operand, indices, updates'
    ],
    schur: [
      trans.__('unitary times upper triangle times its inverse'),
      'lax.linalg.schur',
      'x'
    ],
    select_and_gather_add: [
      trans.__('the value beside the greatest or least of each window'),
      null,
      'tangents, operand'
    ],
    select_and_scatter: [
      trans.__('values added where each window was chosen from'),
      null,
      'operand, source, initial value'
    ],
    select_and_scatter_add: [
      trans.__('values added where each window has its greatest or least'),
      null,
      'source, operand'
    ],
    slice: [trans.__('part of an array'), 'lax.slice', 'operand'],
    sort: [
      trans.__('in ascending order along an axis'),
      'lax.sort',
      'operands …'
    ],
    split: [trans.__('parts along an axis'), 'lax.split', 'operand'],
    squeeze: [trans.__('without axes of size 1'), 'lax.squeeze', 'array'],
    stack: [
      trans.__('arrays side by side along a new axis'),
      'numpy.stack',
      'operands …'
    ],
    svd: [trans.__('singular values and vectors'), 'lax.linalg.svd', 'x'],
    symmetric_product: [
      trans.__('a matrix times its transpose, scaled and added'),
      'lax.linalg.symmetric_product',
      'a, c'
    ],
    tile: [trans.__('repeated side by side'), 'numpy.tile', 'operand'],
    top_k: [
      trans.__('the k greatest, and their indices'),
      'lax.top_k',
      'operand'
    ],
    transpose: [trans.__('axes in another order'), 'lax.transpose', 'operand'],
    triangular_solve: [
      trans.__('solution of a triangular system'),
      'lax.linalg.triangular_solve',
      'a, b'
    ],
    tridiagonal: [
      trans.__('tridiagonal form of a symmetric matrix'),
      'lax.linalg.tridiagonal',
      'x'
    ],
    tridiagonal_solve: [
      trans.__('solution of a tridiagonal system'),
      'lax.linalg.tridiagonal_solve',
      'lower, diagonal, upper, b'
    ],
    unstack: [
      trans.__('the arrays along an axis, one by one'),
      'numpy.unstack',
      'operand'
    ],
    zeros_like: [
      trans.__('zeros of the same shape and dtype'),
      'numpy.zeros_like',
      'x'
    ]
  };
}
