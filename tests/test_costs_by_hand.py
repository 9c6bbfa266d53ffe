"""Tests the costs of programs against counts by hand, which comments explain by the rules in `Cost`'s docstring."""

from __future__ import annotations

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jupyter_jaxpr as jj

pytestmark = pytest.mark.any_jax


def array(*shape):
    return np.ones(shape, np.float32)


def scanned(body, length):
    return lambda x: lax.scan(lambda c, _: (body(c), None), x, None, length=length)[0]


def counting(body, trips, *, begin=0, step=1, goes_on=lambda i, n: i < n):
    """Return a function with a while loop whose carry has a counter, from `begin` in increments of `step`."""
    return lambda x: lax.while_loop(lambda c: goes_on(c[0], trips), lambda c: (c[0] + step, body(c[1])), (begin, x))[1]


def conv(x, k, strides=(1, 1), padding="VALID", **options):
    return lax.conv_general_dilated(x, k, strides, padding, **options)


def scatter(combine, indices, **options):
    rows = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    return lambda x, updates: combine(x, np.array(indices, np.int32)[:, None], updates, rows, **options)


V, M, IMAGE, KERNEL = array(12), array(64, 64), array(2, 3, 10, 10), array(6, 3, 3, 3)
MATMUL = 524_288  # 2 * 64 * 64 * 64

# name of the case: (function, arguments, operations, transcendental operations)
COUNTS = {
    # Elementwise primitives: one operation for each element.
    "arithmetic": (lambda x: (x + x) * x - x / 2, [V], 4 * 12, 0),
    "comparison, selection, conversion": (
        lambda x: lax.convert_element_type(lax.select(x > 0, x, -x), np.int32),
        [V],
        4 * 12,
        0,
    ),
    "clamp, floor, sign, reduce_precision": (
        lambda x: lax.reduce_precision(lax.sign(lax.floor(lax.clamp(np.float32(0), x, np.float32(1)))), 8, 7),
        [V],
        4 * 12,
        0,
    ),
    "integers, logical shifts and population counts": (
        lambda i: lax.population_count(lax.shift_right_logical(i, i)) | i,
        [np.arange(6, dtype=np.int32)],
        3 * 6,
        0,
    ),
    # Transcendental operations (sin, exp, tanh) are counted separately; 2 * x is an ordinary operation.
    "functions": (lambda x: lax.sin(2 * x) + lax.exp(x) * lax.tanh(x), [V], 3 * 12, 3 * 12),
    # For each element, logistic counts 3 operations and 1 transcendental operation, and exp2 counts 1 of each.
    "logistic and exp2": (lambda x: lax.exp2(lax.logistic(x)), [V], (3 + 1) * 12, (1 + 1) * 12),
    # x^7 as x * x^2 * x^4 needs 4 products; x^-3 needs 2 products and a division; and the sum is one operation.
    "integer powers": (lambda x: lax.integer_pow(x, 7) + lax.integer_pow(x, -3), [V], (4 + 3 + 1) * 12, 0),
    # a x^3 + b x^2 + c x + d needs 3 products and 3 sums.
    "polynomials": (
        lambda x: (
            lax.polynomial(x, [1.0, 2.0, 3.0, 4.0]) if hasattr(lax, "polynomial") else ((4 * x + 3) * x + 2) * x + 1
        ),
        [V],
        2 * 3 * 12,
        0,
    ),
    "what only moves data": (lambda x: lax.rev(lax.transpose(x[1:3].reshape(4, 32), (1, 0)), (0,)), [M], 0, 0),
    # dot_general: 2 operations for each pair of an element of the result and a contracted element.
    "matrix product": (lambda a, b: a @ b, [array(8, 16), array(16, 4)], 2 * (8 * 4) * 16, 0),
    "inner product": (lambda a: a @ a, [V], 2 * 1 * 12, 0),
    "outer product": (lambda a: lax.dot_general(a, a, (((), ()), ((), ()))), [V], 2 * (12 * 12) * 1, 0),
    "batched product": (
        lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))),
        [array(3, 4, 5), array(3, 5, 6)],
        2 * (3 * 4 * 6) * 5,
        0,
    ),
    "two axes contracted, two of a batch": (
        lambda a, b: lax.dot_general(a, b, (((3, 4), (2, 3)), ((0, 1), (0, 1)))),
        [array(2, 3, 7, 4, 5), array(2, 3, 4, 5, 8)],
        2 * (2 * 3 * 7 * 8) * (4 * 5),
        0,
    ),
    "product under vmap": (jax.vmap(lambda a, b: a @ b), [array(3, 8, 16), array(3, 16, 4)], 3 * 2 * (8 * 4) * 16, 0),
    # The forward product; its sum (32 - 1 additions); in the backward pass the product of the (8, 4) cotangent with b.
    "product under grad": (
        jax.grad(lambda a, b: (a @ b).sum()),
        [array(8, 16), array(16, 4)],
        2 * (8 * 4) * 16 + 31 + 2 * (8 * 16) * 4,
        0,
    ),
    # Convolutions: 2 * input features * output features * batch * the number of pairs (output, kernel element) that do
    # not fall on the padding; the last factor is squared, because both axes are alike.
    "convolution": (conv, [IMAGE, KERNEL], 2 * (3 * 6 * 2) * (3 * 8) ** 2, 0),
    # Along an axis there are 10 outputs and 3 kernel elements, so 30 pairs; 2 of them fall on the padding.
    "padded": (lambda x, k: conv(x, k, padding="SAME"), [IMAGE, KERNEL], 2 * (3 * 6 * 2) * 28**2, 0),
    # SAME with strides of 2 gives 5 outputs, which begin at 0, 2, ..., 8. Of the 15 pairs along an axis, one falls on
    # the padding at the end.
    "strided": (lambda x, k: conv(x, k, (2, 2), "SAME"), [IMAGE, KERNEL], 2 * (3 * 6 * 2) * 14**2, 0),
    # In each of the 3 groups, the kernel has 1 input feature.
    "grouped": (
        lambda x, k: conv(x, k, feature_group_count=3),
        [IMAGE, array(6, 1, 3, 3)],
        2 * (1 * 6 * 2) * (3 * 8) ** 2,
        0,
    ),
    # With rhs_dilation=2, a kernel of 3 elements covers 5, which fits into 10 at 6 positions.
    "spread kernel": (
        lambda x, k: conv(x, k, rhs_dilation=(2, 2)),
        [IMAGE, KERNEL],
        2 * (3 * 6 * 2) * (3 * 6) ** 2,
        0,
    ),
    # With lhs_dilation=2, an input of 10 is 19 long, with a hole after each element, and gives 17 outputs. The first
    # and the third kernel element meet an input element at the 9 even outputs, the second at the 8 odd outputs.
    "input with holes": (
        lambda x, k: conv(x, k, padding=((0, 0), (0, 0)), lhs_dilation=(2, 2)),
        [IMAGE, KERNEL],
        2 * (3 * 6 * 2) * (9 + 8 + 9) ** 2,
        0,
    ),
    # Each of the two groups has a batch of 1.
    "batch groups": (
        lambda x, k: conv(x, k, batch_group_count=2),
        [IMAGE, KERNEL],
        2 * (3 * 6 * 1) * (3 * 8) ** 2,
        0,
    ),
    # vmap with a batch of kernels makes one grouped convolution, which counts as two convolutions.
    "convolution under vmap": (
        jax.vmap(conv),
        [array(2, 2, 3, 10, 10), array(2, 6, 3, 3, 3)],
        2 * (2 * (3 * 6 * 2) * (3 * 8) ** 2),
        0,
    ),
    # The forward convolution; two backward convolutions, which count the same; the sum of 2 * 6 * 10 * 10 elements.
    "convolution under grad": (
        jax.grad(lambda x, k: conv(x, k, padding="SAME").sum(), argnums=(0, 1)),
        [IMAGE, KERNEL],
        3 * (2 * (3 * 6 * 2) * 28**2) + 1_199,
        0,
    ),
    # Reductions: reducing n elements to one takes n - 1 calls of the reducing function.
    "sum": (lambda x: lax.reduce_sum(x, (0,)), [V], 11, 0),
    "sum over nothing": (lambda x: lax.reduce_sum(x, (0,)), [array(0, 4)], 0, 0),
    "maximum of an axis": (lambda x: lax.reduce_max(x, (1,)), [array(6, 8)], 6 * 8 - 6, 0),
    "argmax": (lambda x: lax.argmax(x, 1, np.int32), [array(6, 8)], 9 * (6 * 8 - 6), 0),
    # The reducing function a * b + a has two operations.
    "reduce with a combiner": (
        lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * b + a, (1,)),
        [array(6, 8)],
        2 * (6 * 8 - 6),
        0,
    ),
    # There are 3 * 4 windows of 2 * 2 elements, and each needs 3 comparisons.
    "largest of each window": (
        lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID"),
        [array(6, 8)],
        (3 * 4) * 3,
        0,
    ),
    # Forward: 36 comparisons, and 12 - 1 additions for the sum. Backward: 3 selections and an addition for each of 12
    # windows.
    "largest of each window, under grad": (
        jax.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID").sum()),
        [array(6, 8)],
        36 + 11 + 12 * 4,
        0,
    ),
    "sum under vmap": (jax.vmap(lambda x: lax.reduce_sum(x, (0,))), [array(6, 8)], 6 * 7, 0),
    # Scatters: the combining function runs once for each element of the updates, which are 3 rows of 8.
    "scatter-add": (scatter(lax.scatter_add, [0, 2, 4]), [array(6, 8), array(3, 8)], 3 * 8, 0),
    "scatter": (scatter(lax.scatter, [0, 2, 4]), [array(6, 8), array(3, 8)], 0, 0),
    # In addition, each of the 3 indices is clamped.
    "scatter-max, clipped": (
        scatter(lax.scatter_max, [0, 2, 4], mode="clip"),
        [array(6, 8), array(3, 8)],
        3 * 8 + 3,
        0,
    ),
    "scatter-add under vmap": (
        jax.vmap(scatter(lax.scatter_add, [0, 2, 4])),
        [array(5, 6, 8), array(5, 3, 8)],
        5 * 3 * 8,
        0,
    ),
    # Cumulative primitives: one operation for each element of a line except its first (here 3 lines of 10, 10 lines of
    # 3); cumlogsumexp counts 8 operations and 2 transcendental operations instead of one.
    "cumsum": (lambda x: lax.cumsum(x, 1), [array(3, 10)], 3 * 9, 0),
    "cummax backwards": (lambda x: lax.cummax(x, 0, reverse=True), [array(3, 10)], 10 * 2, 0),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), [array(3, 10)], 8 * 3 * 9, 2 * 3 * 9),
    # A sort of n elements counts n * ceil(log2(n)); log2(48) is between 5 and 6.
    "sort": (lambda x: lax.sort(x), [array(6, 8)], 48 * 6, 0),
    "top_k": (lambda x: lax.top_k(x, 3)[0], [V], 12 * 4, 0),
    # An FFT counts 8 * n * floor(log2(length)); log2(16) is 4, and log2(12) is between 3 and 4.
    "fft": (lambda x: lax.fft(x, "FFT", (16,)), [array(3, 16).astype(np.complex64)], 8 * (3 * 16) * 4, 0),
    "real fft": (lambda x: lax.fft(x, "RFFT", (12,)), [array(3, 12)], 8 * (3 * 12) * 3, 0),
    # A Cholesky decomposition counts 5^3 / 3, rounded down. Then JAX sets the part above the diagonal to zero: an
    # addition, a comparison and a selection for each of 25 elements.
    "cholesky": (
        lambda x: lax.linalg.cholesky(x, symmetrize_input=False),
        [np.eye(5, dtype=np.float32)],
        41 + 3 * 25,
        0,
    ),
    # The counter has 10 numbers; threefry counts 117 operations for each.
    "threefry": (
        lambda key, x: jax.extend.random.threefry2x32_p.bind(key[0], key[1], x, x)[0],
        [np.zeros(2, np.uint32), np.arange(10, dtype=np.uint32)],
        117 * 10,
        0,
    ),
    # loops
    "scan of 1": (scanned(lambda x: x @ x, 1), [M], MATMUL, 0),
    "scan of 10": (scanned(lambda x: x @ x, 10), [M], 10 * MATMUL, 0),
    "scan of 100": (scanned(lambda x: x @ x, 100), [M], 100 * MATMUL, 0),
    "scan of none": (scanned(lambda x: x @ x, 0), [M], 0, 0),
    "scan of scans": (scanned(scanned(lambda x: x @ x, 7), 5), [M], 5 * 7 * MATMUL, 0),
    "scan of scans of scans": (
        scanned(lambda x: scanned(scanned(lambda x: lax.sin(x) * x, 3), 4)(x) + x, 5),
        [V],
        5 * (4 * 3 * 12 + 12),
        5 * 4 * 3 * 12,
    ),
    "scan under vmap": (jax.vmap(scanned(lambda x: x * x, 10)), [array(3, 4)], 10 * 12, 0),
    # Each step counts two transcendental operations: sin, and the cosine that is kept for the backward pass. Backward,
    # each step has a product; in addition, the loss is a sum.
    "scan under grad": (
        jax.grad(lambda x: scanned(lax.sin, 5)(x).sum()),
        [V],
        11 + 5 * 12,
        5 * 2 * 12,
    ),
    # fori_loop with known bounds: each step adds one to the index.
    "fori_loop": (lambda x: lax.fori_loop(2, 12, lambda i, x: x * 2, x), [V], 10 * (1 + 12), 0),
    # The condition runs once more than the body.
    "while that counts": (counting(lambda x: x @ x, 10), [M], 10 * (MATMUL + 1) + 11, 0),
    # The counter is 3, 7, 11, 15, 19, so there are five steps.
    "while that counts by four": (counting(lambda x: x * 2, 20, begin=3, step=4), [V], 5 * (12 + 1) + 6, 0),
    # The counter is 10, 8, ..., 2, 0, so there are six steps.
    "while that counts down": (
        counting(lambda x: x * 2, 0, begin=10, step=-2, goes_on=lambda i, n: i >= n),
        [V],
        6 * (12 + 1) + 7,
        0,
    ),
    "while that is never entered": (counting(lambda x: x * 2, 0), [V], 1, 0),
    "while that counts, under vmap": (jax.vmap(counting(lambda x: x * 2, 10)), [array(3, 4)], 10 * (12 + 1) + 11, 0),
    # In forward mode, each step computes x and its tangent.
    "while that counts, under jvp": (
        lambda x: jax.jvp(counting(lambda x: x * 2, 10), (x,), (x,))[1],
        [V],
        10 * (2 * 12 + 1) + 11,
        0,
    ),
    "while in a scan": (scanned(counting(lambda x: x * 2, 3), 5), [V], 5 * (3 * (12 + 1) + 4), 0),
    # jit, checkpoint and custom_jvp add no operations to the program inside.
    "jit, remat and custom rules": (
        lambda x: jax.jit(lambda x: x * 2)(jax.checkpoint(lambda x: x + 1)(jax.nn.relu(x))),
        [V],
        12 + 12 + 12,
        0,
    ),
    # The operations of a jitted function count at each of its two calls.
    "the same jit twice": (lambda x: TWICE(TWICE(x)), [V], 2 * 2 * 12, 0),
    "map": (lambda x: lax.map(lambda row: row * 2 + 1, x), [array(6, 8)], 6 * 2 * 8, 0),
    # The platform decides the branch: only the branch for the CPU is compiled.
    "a branch for the platform": (
        lambda x: lax.platform_dependent(x, cpu=lambda x: x + 1, default=lambda x: x @ x),
        [M],
        64 * 64,
        0,
    ),
    # Only the branch for a TPU reads the product.
    "a product for another platform": (
        lambda x: jax.jit(lambda x, y: lax.platform_dependent(x, y, tpu=lax.add, default=lambda x, y: x * 2))(x, x @ x),
        [M],
        64 * 64,
        0,
    ),
    # The branch for the CPU normalises two index arrays (a comparison, an addition, a selection), and reads elements.
    "a diagonal": (lambda x: jnp.diag(x) * 2, [M], 2 * 3 * 64 + 64, 0),
}
TWICE = jax.jit(lambda x: x * 2 + x)


def cost(function, *arguments):
    return jj.inspect(function, *arguments, stage="trace").cost


@pytest.mark.parametrize("name", COUNTS)
def test_the_count_is_the_one_by_hand(name):
    function, arguments, operations, functions = COUNTS[name]
    total = cost(function, *arguments)
    assert (total.flops, total.transcendentals) == (operations, functions)
    assert total.flops_min == operations
    assert total.exact
    assert (total.unknown, total.per_trip) == ((), ())


@pytest.mark.parametrize("name", COUNTS)
def test_the_lines_and_the_primitives_add_up(name):
    function, arguments, _, _ = COUNTS[name]
    total = cost(function, *arguments)
    for rows in (total.by_line, total.by_primitive):
        assert sum(row.flops for row in rows) == total.flops
        assert sum(row.transcendentals for row in rows) == total.transcendentals
        assert sum(row.bytes_read for row in rows) == total.bytes_read
        assert sum(row.bytes_written for row in rows) == total.bytes_written


# --- costs that depend on the data ---------------------------------------------------------------------------


def test_a_cond_is_a_range_of_its_branches():
    def f(x):
        return lax.cond(x.sum() > 0, lambda x: x * 2 + 1, lambda x: x, x)

    total = cost(f, V)
    # Besides the branch: the sum (11), the comparison and the conversion of the predicate to an index. The branch has
    # 24 operations or none.
    assert (total.flops, total.flops_min) == (11 + 1 + 1 + 24, 11 + 1 + 1)
    assert not total.exact


def test_a_switch_is_a_range_of_its_branches_however_deep():
    def f(i, x):
        inner = lambda x: lax.cond(x[0] > 0, lambda x: x * x, lambda x: x * x * x, x)  # noqa: E731  # a branch
        return lax.switch(i, [lambda x: x, inner, lambda x: lax.sin(x)], x)

    total = cost(f, np.int32(1), V)
    # One operation clamps the index. The most expensive branch has 12 sines, which weigh more than the operations of
    # the branch with the cond: a comparison, a conversion and two products of 12. The cheapest branch does nothing.
    assert (total.flops, total.transcendentals) == (1, 12)
    assert (total.flops_min, total.flops_most) == (1, 1 + 2 + 24)
    assert (total.transcendentals_min, total.transcendentals_most) == (0, 12)


def test_branches_of_one_cost_are_exact():
    total = cost(lambda p, x: lax.cond(p, lambda x: x * 2, lambda x: x + 1, x), True, V)
    assert (total.flops, total.flops_min, total.exact) == (1 + 12, 1 + 12, True)


def test_a_cond_in_a_loop_takes_its_dearest_branch_each_turn():
    def f(x):
        return scanned(lambda x: lax.cond(x[0] > 0, lambda x: x * 2, lambda x: x, x), 10)(x)

    total = cost(f, V)
    assert (total.flops, total.flops_min) == (10 * (2 + 12), 10 * 2)


def test_a_while_of_unknown_trips_counts_one_and_says_where():
    def f(x):
        return lax.while_loop(lambda x: x[0] < 10, lambda x: x * 2, x)

    total = cost(f, V)
    line = f.__code__.co_firstlineno + 1
    assert (total.flops, total.flops_min, total.exact) == (12 + 1, 12 + 1, False)
    assert total.per_trip == (f"while_loop, line {line}",)
    assert [(row.line, row.flops, row.per_trip) for row in total.by_line] == [(line, 13, True)]


def test_a_loop_to_a_bound_that_is_an_argument_is_of_unknown_trips():
    total = cost(lambda n, x: lax.fori_loop(0, n, lambda i, x: x * 2, x), 5, V)
    assert not total.exact
    assert len(total.per_trip) == 1


def test_what_has_no_rule_is_named_and_counts_nothing():
    def f(x):
        y = jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((12,), jnp.float32), x)
        return jnp.linalg.eigh(jnp.outer(x, y))[0] * 2

    total = cost(f, V)
    assert not total.exact
    assert sorted(total.unknown) == ["eigh (1)", "pure_callback (1)"]


# --- the bytes that a program reads and writes ------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "read", "written"),
    [
        # A float32 has 4 bytes. Literals are not read from memory.
        (lambda x, y: x + y, [V, V], 2 * 48, 48),
        (lambda x: x * 2, [V], 48, 48),
        (lambda a, b: a @ b, [array(8, 16), array(16, 4)], 4 * (8 * 16 + 16 * 4), 4 * 8 * 4),
        (lambda x: x.astype(jnp.bfloat16), [V], 48, 24),
        (lambda x: x > 0, [V], 48, 12),
        # A reshape is only a view and moves no bytes; a transpose or a broadcast moves bytes.
        (lambda x: x.reshape(3, 4), [V], 0, 0),
        (lambda x: lax.transpose(x, (1, 0)), [M], 4 * 64 * 64, 4 * 64 * 64),
        (lambda x: lax.broadcast_in_dim(x, (5, 12), (1,)), [V], 48, 5 * 48),
        # A slice reads only the elements that it returns.
        (lambda x: lax.slice(x, (0, 0), (2, 64)), [M], 4 * 128, 4 * 128),
        # A dynamic_slice also reads its two indices (8 bytes). Before that, for each index JAX compares with 0 (reads
        # 4, writes 1), adds the size (4, 4) and selects (9, 4).
        (
            lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 64)),
            [M, np.int32(0), np.int32(0)],
            4 * 128 + 8 + 2 * (4 + 4 + 9),
            4 * 128 + 2 * (1 + 4 + 4),
        ),
        # A scatter reads the updates, the indices and the updated elements, and writes the updated elements.
        (scatter(lax.scatter_add, [0, 2, 4]), [array(6, 8), array(3, 8)], 2 * 4 * 24 + 12, 4 * 24),
        # Each of the 10 steps reads two operands and writes a result.
        (scanned(lambda x: x * x, 10), [V], 10 * 2 * 48, 10 * 48),
    ],
)
def test_bytes_are_those_of_each_equation_by_itself(function, arguments, read, written):
    total = cost(function, *arguments)
    assert (total.bytes_read, total.bytes_written) == (read, written)
