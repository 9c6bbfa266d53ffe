"""Costs of programs against counts by hand: each number is worked out beside it, by the rules in `Cost`'s docstring."""

from __future__ import annotations

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jupyter_jaxpr as jj


def array(*shape):
    return np.ones(shape, np.float32)


def scanned(body, length):
    return lambda x: lax.scan(lambda c, _: (body(c), None), x, None, length=length)[0]


def counting(body, trips, *, begin=0, step=1, goes_on=lambda i, n: i < n):
    """Return a while loop that counts its steps in its carry."""
    return lambda x: lax.while_loop(lambda c: goes_on(c[0], trips), lambda c: (c[0] + step, body(c[1])), (begin, x))[1]


def conv(x, k, strides=(1, 1), padding="VALID", **options):
    return lax.conv_general_dilated(x, k, strides, padding, **options)


def scatter(combine, indices, **options):
    rows = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    return lambda x, updates: combine(x, np.array(indices, np.int32)[:, None], updates, rows, **options)


V, M, IMAGE, KERNEL = array(12), array(64, 64), array(2, 3, 10, 10), array(6, 3, 3, 3)
MATMUL = 524_288  # 2 * 64 * 64 * 64

# name: (function, arguments, operations, transcendental functions)
COUNTS = {
    # elementwise: one operation for each element
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
    # functions are counted apart; 2 * x is an operation
    "functions": (lambda x: lax.sin(2 * x) + lax.exp(x) * lax.tanh(x), [V], 3 * 12, 3 * 12),
    # 3 operations and 1 function, and 1 + 1
    "logistic and exp2": (lambda x: lax.exp2(lax.logistic(x)), [V], (3 + 1) * 12, (1 + 1) * 12),
    # x^7 = x x^2 x^4 is 4 products; x^-3 is 2 and a division
    "integer powers": (lambda x: lax.integer_pow(x, 7) + lax.integer_pow(x, -3), [V], (4 + 3 + 1) * 12, 0),
    # a x^3 + b x^2 + c x + d is 3 products and 3 sums
    "polynomials": (
        lambda x: (
            lax.polynomial(x, [1.0, 2.0, 3.0, 4.0]) if hasattr(lax, "polynomial") else ((4 * x + 3) * x + 2) * x + 1
        ),
        [V],
        2 * 3 * 12,
        0,
    ),
    "what only moves data": (lambda x: lax.rev(lax.transpose(x[1:3].reshape(4, 32), (1, 0)), (0,)), [M], 0, 0),
    # dot_general: 2 for each element of the result and each contracted element
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
    # the product, its sum (32 - 1), and the product of its gradient (8, 4) with b
    "product under grad": (
        jax.grad(lambda a, b: (a @ b).sum()),
        [array(8, 16), array(16, 4)],
        2 * (8 * 4) * 16 + 31 + 2 * (8 * 16) * 4,
        0,
    ),
    # convolutions: 2 * input features * output features * batch * pairs of kernel and output that meet the input
    "convolution": (conv, [IMAGE, KERNEL], 2 * (3 * 6 * 2) * (3 * 8) ** 2, 0),
    # of the 3 * 10 pairs along an axis, 2 fall on the padding
    "padded": (lambda x, k: conv(x, k, padding="SAME"), [IMAGE, KERNEL], 2 * (3 * 6 * 2) * 28**2, 0),
    # 5 outputs begin at 0, 2, ..., 8: SAME adds one element at the end, which the last output uses once
    "strided": (lambda x, k: conv(x, k, (2, 2), "SAME"), [IMAGE, KERNEL], 2 * (3 * 6 * 2) * 14**2, 0),
    # each of 3 groups has 1 input feature
    "grouped": (
        lambda x, k: conv(x, k, feature_group_count=3),
        [IMAGE, array(6, 1, 3, 3)],
        2 * (1 * 6 * 2) * (3 * 8) ** 2,
        0,
    ),
    # a kernel of 3 spread over 5 fits 6 times into 10
    "spread kernel": (
        lambda x, k: conv(x, k, rhs_dilation=(2, 2)),
        [IMAGE, KERNEL],
        2 * (3 * 6 * 2) * (3 * 6) ** 2,
        0,
    ),
    # an input of 10 with holes is 19 long and has 17 outputs; each of 3 kernel elements falls on 17 / 2 elements of it:
    # the even ones (9), the odd ones (8), the even ones (9)
    "input with holes": (
        lambda x, k: conv(x, k, padding=((0, 0), (0, 0)), lhs_dilation=(2, 2)),
        [IMAGE, KERNEL],
        2 * (3 * 6 * 2) * (9 + 8 + 9) ** 2,
        0,
    ),
    # a batch of 1 in each of two groups
    "batch groups": (
        lambda x, k: conv(x, k, batch_group_count=2),
        [IMAGE, KERNEL],
        2 * (3 * 6 * 1) * (3 * 8) ** 2,
        0,
    ),
    # vmap over the kernel makes a grouped convolution, with the pairs of two convolutions
    "convolution under vmap": (
        jax.vmap(conv),
        [array(2, 2, 3, 10, 10), array(2, 6, 3, 3, 3)],
        2 * (2 * (3 * 6 * 2) * (3 * 8) ** 2),
        0,
    ),
    # the forward convolution, and two backward convolutions with the same pairs; the sum of 2 * 6 * 10 * 10
    "convolution under grad": (
        jax.grad(lambda x, k: conv(x, k, padding="SAME").sum(), argnums=(0, 1)),
        [IMAGE, KERNEL],
        3 * (2 * (3 * 6 * 2) * 28**2) + 1_199,
        0,
    ),
    # reductions: the combiner once for each element that disappears
    "sum": (lambda x: lax.reduce_sum(x, (0,)), [V], 11, 0),
    "sum over nothing": (lambda x: lax.reduce_sum(x, (0,)), [array(0, 4)], 0, 0),
    "maximum of an axis": (lambda x: lax.reduce_max(x, (1,)), [array(6, 8)], 6 * 8 - 6, 0),
    "argmax": (lambda x: lax.argmax(x, 1, np.int32), [array(6, 8)], 9 * (6 * 8 - 6), 0),
    # a * b + a is two operations
    "reduce with a combiner": (
        lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * b + a, (1,)),
        [array(6, 8)],
        2 * (6 * 8 - 6),
        0,
    ),
    # 3 * 4 windows of 2 * 2
    "largest of each window": (
        lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID"),
        [array(6, 8)],
        (3 * 4) * 3,
        0,
    ),
    # 36 forward, 12 - 1 for the sum; backward 3 selections and an addition for each of 12 windows
    "largest of each window, under grad": (
        jax.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID").sum()),
        [array(6, 8)],
        36 + 11 + 12 * 4,
        0,
    ),
    "sum under vmap": (jax.vmap(lambda x: lax.reduce_sum(x, (0,))), [array(6, 8)], 6 * 7, 0),
    # scatters: the combiner once for each element of the updates, 3 rows of 8
    "scatter-add": (scatter(lax.scatter_add, [0, 2, 4]), [array(6, 8), array(3, 8)], 3 * 8, 0),
    "scatter": (scatter(lax.scatter, [0, 2, 4]), [array(6, 8), array(3, 8)], 0, 0),
    # and a clamp for each index
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
    # cumulative: one for each element of a line but the first (3 lines of 10, 10 lines of 3); logsumexp: 8 and 2 each
    "cumsum": (lambda x: lax.cumsum(x, 1), [array(3, 10)], 3 * 9, 0),
    "cummax backwards": (lambda x: lax.cummax(x, 0, reverse=True), [array(3, 10)], 10 * 2, 0),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), [array(3, 10)], 8 * 3 * 9, 2 * 3 * 9),
    # log2(48) is between 5 and 6
    "sort": (lambda x: lax.sort(x), [array(6, 8)], 48 * 6, 0),
    "top_k": (lambda x: lax.top_k(x, 3)[0], [V], 12 * 4, 0),
    # log2(16) = 4, log2(12) is between 3 and 4
    "fft": (lambda x: lax.fft(x, "FFT", (16,)), [array(3, 16).astype(np.complex64)], 8 * (3 * 16) * 4, 0),
    "real fft": (lambda x: lax.fft(x, "RFFT", (12,)), [array(3, 12)], 8 * (3 * 12) * 3, 0),
    # 5^3 / 3, rounded down; then the part above the diagonal is set to zero: an addition, a comparison, a selection
    "cholesky": (
        lambda x: lax.linalg.cholesky(x, symmetrize_input=False),
        [np.eye(5, dtype=np.float32)],
        41 + 3 * 25,
        0,
    ),
    # 10 keys of two words; another operation makes the numbers of the counter
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
    # forward: sin, and the cosine that is kept; backward: a product; the sum
    "scan under grad": (
        jax.grad(lambda x: scanned(lax.sin, 5)(x).sum()),
        [V],
        11 + 5 * 12,
        5 * 2 * 12,
    ),
    # fori_loop with known bounds: the index increases by one in each step
    "fori_loop": (lambda x: lax.fori_loop(2, 12, lambda i, x: x * 2, x), [V], 10 * (1 + 12), 0),
    # the condition runs once more than the body
    "while that counts": (counting(lambda x: x @ x, 10), [M], 10 * (MATMUL + 1) + 11, 0),
    # 3, 7, 11, 15, 19: five steps
    "while that counts by four": (counting(lambda x: x * 2, 20, begin=3, step=4), [V], 5 * (12 + 1) + 6, 0),
    # 10, 8, ..., 2, 0: six steps
    "while that counts down": (
        counting(lambda x: x * 2, 0, begin=10, step=-2, goes_on=lambda i, n: i >= n),
        [V],
        6 * (12 + 1) + 7,
        0,
    ),
    "while that is never entered": (counting(lambda x: x * 2, 0), [V], 1, 0),
    "while that counts, under vmap": (jax.vmap(counting(lambda x: x * 2, 10)), [array(3, 4)], 10 * (12 + 1) + 11, 0),
    # forward mode: x and its tangent
    "while that counts, under jvp": (
        lambda x: jax.jvp(counting(lambda x: x * 2, 10), (x,), (x,))[1],
        [V],
        10 * (2 * 12 + 1) + 11,
        0,
    ),
    "while in a scan": (scanned(counting(lambda x: x * 2, 3), 5), [V], 5 * (3 * (12 + 1) + 4), 0),
    # a wrapper around a program adds nothing
    "jit, remat and custom rules": (
        lambda x: jax.jit(lambda x: x * 2)(jax.checkpoint(lambda x: x + 1)(jax.nn.relu(x))),
        [V],
        12 + 12 + 12,
        0,
    ),
    # a jit that is called twice counts twice
    "the same jit twice": (lambda x: TWICE(TWICE(x)), [V], 2 * 2 * 12, 0),
    "map": (lambda x: lax.map(lambda row: row * 2 + 1, x), [array(6, 8)], 6 * 2 * 8, 0),
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
    # The sum, the comparison and the conversion of the predicate to an index; then 24 or nothing.
    assert (total.flops, total.flops_min) == (11 + 1 + 1 + 24, 11 + 1 + 1)
    assert not total.exact


def test_a_switch_is_a_range_of_its_branches_however_deep():
    def f(i, x):
        inner = lambda x: lax.cond(x[0] > 0, lambda x: x * x, lambda x: x * x * x, x)  # noqa: E731  # a branch
        return lax.switch(i, [lambda x: x, inner, lambda x: lax.sin(x)], x)

    total = cost(f, np.int32(1), V)
    # The index is clamped. The most expensive branch computes 12 sines, which weigh more than the branch with the most
    # operations: that branch compares, converts and multiplies twice. The cheapest branch does nothing.
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


# --- bytes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "read", "written"),
    [
        # float32 has 4 bytes; a constant of the program is not read
        (lambda x, y: x + y, [V, V], 2 * 48, 48),
        (lambda x: x * 2, [V], 48, 48),
        (lambda a, b: a @ b, [array(8, 16), array(16, 4)], 4 * (8 * 16 + 16 * 4), 4 * 8 * 4),
        (lambda x: x.astype(jnp.bfloat16), [V], 48, 24),
        (lambda x: x > 0, [V], 48, 12),
        # a view, then the operation that moves bytes
        (lambda x: x.reshape(3, 4), [V], 0, 0),
        (lambda x: lax.transpose(x, (1, 0)), [M], 4 * 64 * 64, 4 * 64 * 64),
        (lambda x: lax.broadcast_in_dim(x, (5, 12), (1,)), [V], 48, 5 * 48),
        # the bytes of the arguments
        (lambda x: lax.slice(x, (0, 0), (2, 64)), [M], 4 * 128, 4 * 128),
        # and two indices, each compared with 0 (4, 1), made positive (4, 4) and selected (9, 4) before
        (
            lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 64)),
            [M, np.int32(0), np.int32(0)],
            4 * 128 + 8 + 2 * (4 + 4 + 9),
            4 * 128 + 2 * (1 + 4 + 4),
        ),
        # the update and its indices, and the updated elements
        (scatter(lax.scatter_add, [0, 2, 4]), [array(6, 8), array(3, 8)], 2 * 4 * 24 + 12, 4 * 24),
        # the bytes of each step
        (scanned(lambda x: x * x, 10), [V], 10 * 2 * 48, 10 * 48),
    ],
)
def test_bytes_are_those_of_each_equation_by_itself(function, arguments, read, written):
    total = cost(function, *arguments)
    assert (total.bytes_read, total.bytes_written) == (read, written)
