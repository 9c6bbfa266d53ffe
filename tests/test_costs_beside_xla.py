"""Tests our counts against XLA's counts of the executable: within 5 % without loops, and why others differ."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jupyter_jaxpr as jj
from jupyter_jaxpr.program.costs import difference_from_xla
from jupyter_jaxpr.program.costs.difference_from_xla import analysis

pytestmark = pytest.mark.any_jax


def array(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(np.float32(q.shape[-1]))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def network(p, x):
    for w, b in p:
        x = jnp.tanh(x @ w + b)
    return x


def convolutions(x, k1, k2):
    x = jax.nn.relu(lax.conv(x, k1, (1, 1), "SAME"))
    x = lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return lax.conv(x, k2, (2, 2), "SAME").mean(axis=(2, 3))


def cross_entropy(logits, labels):
    return -(jax.nn.log_softmax(logits) * labels).sum(-1).mean()


LAYERS = [(array(64, 128), array(128)), (array(128, 128), array(128)), (array(128, 10), array(10))]
LOOP_FREE = {
    "a product": (lambda a, b: a @ b, [array(256, 128), array(128, 64)]),
    "a chain of products": (lambda a: a @ a @ a @ a, [array(64, 64)]),
    "products of a batch": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), [array(8, 32, 16), array(8, 16, 24)]),
    "arithmetic": (lambda x, y: (x * y + 2 * x - y) / (x * x + 1), [array(1000), array(1000)]),
    "selu": (lambda x: 1.05 * jnp.where(x > 0, x, 1.67 * jnp.expm1(x)), [array(100_000)]),
    "gelu": (lambda x: jax.nn.gelu(x), [array(100, 100)]),
    "exact gelu": (lambda x: jax.nn.gelu(x, approximate=False), [array(100, 100)]),
    "sigmoid and silu": (lambda x: jax.nn.sigmoid(x) + 2, [array(100, 100)]),
    "layer norm": (layer_norm, [array(64, 256), array(256), array(256)]),
    "sums and extremes": (lambda x: x.sum(0) + x.max(0) - x.min(0), [array(64, 100)]),
    "variance": (lambda x: x.var(), [array(1000)]),
    "argmax": (lambda x: x.argmax(-1), [array(64, 100)]),
    "a network": (network, [LAYERS, array(32, 64)]),
    "attention": (attention, [array(2, 4, 32, 16)] * 3),
    "convolution": (lambda x, k: lax.conv(x, k, (1, 1), "SAME"), [array(2, 3, 16, 16), array(8, 3, 3, 3)]),
    "convolution with strides and dilation": (
        lambda x, k: lax.conv_general_dilated(x, k, (2, 1), ((1, 2), (0, 3)), rhs_dilation=(1, 2)),
        [array(2, 3, 16, 16), array(8, 3, 3, 3)],
    ),
    "transposed convolution": (
        lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"),
        [array(2, 16, 16, 3), array(3, 3, 3, 8)],
    ),
    "a convolutional network": (convolutions, [array(2, 3, 16, 16), array(8, 3, 3, 3), array(16, 8, 3, 3)]),
    "depthwise convolution": (
        lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", feature_group_count=8),
        [array(2, 8, 16, 16), array(8, 1, 3, 3)],
    ),
    "gradient of a product": (jax.grad(lambda w, x: ((x @ w) ** 2).sum()), [array(64, 32), array(128, 64)]),
    "value and gradient of a network": (
        jax.value_and_grad(lambda p, x: (network(p, x) ** 2).mean()),
        [LAYERS, array(32, 64)],
    ),
    "value and gradient of a convolution": (
        jax.value_and_grad(lambda k, x: (lax.conv(x, k, (1, 1), "SAME") ** 2).sum()),
        [array(8, 3, 3, 3), array(2, 3, 16, 16)],
    ),
    "cross entropy": (cross_entropy, [array(64, 100), np.eye(100, dtype=np.float32)[:64]]),
    "under vmap": (jax.vmap(lambda w, x: jnp.tanh(x @ w), (None, 0)), [array(32, 16), array(10, 8, 32)]),
}


@pytest.mark.parametrize("name", LOOP_FREE)
def test_loop_free_programs_are_within_five_percent_of_xla(name):
    function, arguments = LOOP_FREE[name]
    total = jj.inspect(function, *arguments).cost
    assert total.exact
    assert total.xla_flops == pytest.approx(total.flops, rel=0.05)
    assert total.xla_transcendentals == pytest.approx(total.transcendentals, rel=0.05)


def test_numbers_of_differences_add_up_to_the_difference():
    def f(x, key):
        x = lax.scan(lambda x, _: (lax.sin(x) * x, None), x, None, length=10)[0]
        x = lax.fori_loop(0, 7, lambda i, x: lax.scan(lambda x, _: (x @ x, None), x, None, length=3)[0], x)
        x = jnp.cumsum(x, axis=0) + jax.random.uniform(key, (16, 16))
        return lax.cond(x[0, 0] > 0, lambda x: x * 2, lambda x: x, jnp.linalg.inv(x))

    total = jj.inspect(f, array(16, 16), jax.random.key(0)).cost
    explained = sum(
        difference.ours - difference.xla
        for difference in total.differences
        if difference.ours is not None and difference.xla is not None
    )
    assert explained == total.flops - round(total.xla_flops)
    kinds = [difference.kind for difference in total.differences]
    assert kinds[:2] == ["loop_once", "loop_once"]
    assert "branches" in kinds


def told(function, *arguments):
    """Return the reasons for differences as (kind, our count, XLA's count, runs, sentence)."""
    total = jj.inspect(function, *arguments).cost
    return [
        (difference.kind, difference.ours, difference.xla, difference.runs, difference.text.replace("\xa0", " "))
        for difference in total.differences
    ]


MATMUL = 524_288


def matmuls(length):
    return lambda x: lax.scan(lambda c, _: (c @ c, None), x, None, length=length)[0]


@pytest.mark.parametrize("length", [1, 10, 100])
def test_xla_counts_a_matmul_once_however_often_it_is_scanned(length):
    total = jj.inspect(matmuls(length), array(64, 64)).cost
    assert total.flops == length * MATMUL
    # XLA inlines a loop of one step; in a longer loop, XLA also counts the two operations of the loop counter.
    assert total.xla_flops == (MATMUL if length == 1 else MATMUL + 2)
    reason = (
        "XLA counts the body of a loop once, however many steps the loop has. The loop counter adds 2 operations to "
        "XLA's count."
    )
    expected = [] if length == 1 else [("loop_once", length * MATMUL, MATMUL + 2, length, reason)]
    assert told(matmuls(length), array(64, 64)) == expected


def test_loops_inside_loops_are_one_reason():
    def f(x):
        return lax.scan(lambda x, _: (matmuls(7)(x), None), x, None, length=5)[0]

    reason = (
        "XLA counts the body of a loop once, however many steps the loop has, and likewise the body of each inner "
        "loop. Loop counters add 4 operations to XLA's count."
    )
    assert told(f, array(64, 64)) == [("loop_once", 35 * MATMUL, MATMUL + 4, 5, reason)]


def test_a_while_of_known_trips_is_told_by_the_jaxpr():
    def f(x):
        return lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] @ c[1]), (0, x))[1]

    # In this loop the counter is part of the jaxpr: 10 additions; and the condition runs 11 times.
    our_flops = 10 * (MATMUL + 1) + 11
    assert told(f, array(64, 64)) == [
        ("loop_once", our_flops, MATMUL + 2, 10, "XLA counts the body of a loop once, however many steps the loop has.")
    ]


def test_xla_tells_the_trips_that_the_jaxpr_does_not():
    # The loop's start value is the result of a jit, so only XLA, which inlines the jit, knows the number of steps.
    start = jax.jit(lambda: jnp.int32(0))

    def f(x):
        return lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] @ c[1]), (start(), x))[1]

    assert jj.inspect(f, array(64, 64), stage="trace").cost.flops == MATMUL + 2
    assert jj.inspect(f, array(64, 64)).cost.flops == 10 * (MATMUL + 1) + 11


def test_a_loop_of_unknown_trips_counts_one_turn_on_both_sides():
    def f(x):
        return lax.scan(
            lambda x, _: (lax.while_loop(lambda x: x[0] < 10, lambda x: x * 2, x), None), x, None, length=3
        )[0]

    reasons = told(f, array(12))
    assert [(kind, our_flops, xla, runs) for kind, our_flops, xla, runs, _ in reasons] == [("loop_once", 39, 15, 3)]
    g = jj.inspect(lambda x: lax.while_loop(lambda x: x[0] < 10, lambda x: x * 2, x), array(12)).cost
    assert (g.flops, g.xla_flops, g.differences) == (13, 13, ())


def test_what_nobody_reads_is_removed_by_xla():
    # The gradient uses neither the product of the forward pass nor its sum, so XLA removes both.
    product, total = 2 * (32 * 16) * 8, 32 * 16 - 1
    function = jax.grad(lambda w, x: (x @ w).sum())
    assert jj.inspect(function, array(8, 16), array(32, 8)).cost.flops == 2 * product + total
    [(kind, ours, xla, _, text)] = told(function, array(8, 16), array(32, 8))
    assert (kind, ours, xla, without_lines(text)) == (
        "fused_away",
        product + total,
        0,
        "JAX or XLA removed 8.7 k operations, because nothing uses the results: dot_general and reduce_sum.",
    )


def test_callbacks_lower_the_count_of_xla():
    def f(x):
        jax.debug.print("{}", x)
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x) * 2 + 1

    def loop(x):
        def body(i, c):
            jax.debug.callback(lambda value: None, c)
            return c + 1.0

        return lax.fori_loop(0, 5, body, x)

    sentence = "XLA does not know the operations of a callback, and subtracts 1 operation for each callback: {}."
    assert ("custom_call", 2, 0, None, sentence.format("2 callbacks")) in told(f, array(4))
    assert not [row for row in told(f, array(4)) if row[0] == "fused_away"]
    assert [row[0] for row in told(loop, array(7))] == ["loop_once", "custom_call"]


def without_lines(text):
    return re.sub(r" on line \d+", "", text)


def test_a_repeated_product_is_named_with_both_lines(notebook):
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(a, d):\n    e = (a @ d).sum()\n    return e + d @ (a @ d)\n"
        "f(jnp.ones((16, 16)), jnp.ones(16))"
    )
    [cost] = ran.document["costs"]
    assert cost["xla"]["differences"][0]["text"] == (
        "XLA merged 512 operations with equal earlier operations: dot_general on line 5 (as on line 4)."
    )


def test_repeated_calls_and_unused_results_are_told_apart():
    def f(x):
        jnp.exp(x) @ x
        return jnp.linalg.norm(x) + jnp.linalg.norm(x)

    texts = [without_lines(text) for *_, text in told(f, array(16, 16))]
    assert texts == [
        "JAX or XLA removed 8.2 k operations, because nothing uses the results: dot_general.",
        "XLA merged 511 operations with equal earlier operations: norm (repeated).",
    ]


def test_a_repeated_product_in_the_body_of_a_loop_is_told_beside_the_loop_counter():
    def step(c, _):
        return jnp.tanh(c @ c) + jnp.tanh(c @ c) * 0.5, None

    rows = told(lambda x: lax.scan(step, x, None, length=7)[0], array(8, 8))
    assert [(kind, ours, xla, without_lines(text)) for kind, ours, xla, _, text in rows] == [
        ("loop_once", 15_232, 2_178, f"{ONCE} The loop counter adds 2 operations to XLA's count."),
        ("fused_away", 1_024, 0, "XLA merged 1.0 k operations with equal earlier operations: dot_general (repeated)."),
    ]


def test_equal_operations_with_other_parameters_or_operands_are_no_repetition():
    def f(x, y):
        return jnp.sum(x, axis=0) + jnp.sum(x, axis=1) + jnp.sum(y, axis=0) + x[0] * 2 + x[0] * 3

    assert told(f, array(16, 16), array(16, 16)) == []


def test_what_xla_computes_again_is_told_apart():
    [(kind, our_flops, difference, runs, text)] = told(lambda x: lax.associative_scan(lax.mul, x), array(64))
    assert (kind, our_flops, runs) == ("fused_away", 0, None)
    assert difference > 0
    expected_text = "and may compute one operation of the jaxpr with several simpler operations."
    assert text.endswith(expected_text)


def test_libraries_and_other_formulas_are_named():
    texts = [text for *_, text in told(lambda x: jnp.linalg.inv(x), np.eye(5, dtype=np.float32))]
    assert texts[0] == ("XLA calls a library for lu, triangular_solve and counts only the operations around the calls.")
    text = "XLA computes cumsum with sliding windows as long as the axis, and counts each window whole."
    assert told(lambda x: lax.cumsum(x), array(12)) == [("rest", 11, 12 * 11, None, text)]
    assert told(lambda x: jnp.linalg.eigh(x, symmetrize_input=False)[0], np.eye(5, dtype=np.float32))[0][4] == (
        "jupyter_jaxpr counts no operations for primitives without a cost rule: eigh (1)."
    )


FILLED_UP = "XLA pads the reduced axes of reduce_or to a multiple of 32, and counts the padding."


def test_a_function_that_is_called_twice_counts_twice():
    """Both calls have one jaxpr, and XLA's program has the operations of each call."""
    has_nan = jax.jit(lambda t: (t != t).any(0))
    # For each call, XLA pads 300 rows of 10 elements to 320.
    assert told(lambda a, b: (has_nan(a), has_nan(b)), array(300, 10), array(300, 10)) == [
        ("rest", 0, 2 * 200, None, FILLED_UP)
    ]

    def step(c, a):
        return c + has_nan(a) + has_nan(a * 2), None

    *_, in_loop = told(lambda c, a: lax.scan(step, c, a)[0], array(10), array(3, 300, 10))
    assert in_loop == ("rest", 0, 2 * 200, None, FILLED_UP)
    text = "XLA computes cumsum with sliding windows as long as the axis, and counts each window whole."
    sums = told(lambda a, b: (jnp.cumsum(a), jnp.cumsum(b)), array(12), array(12))
    assert sums == [("rest", 2 * 11, 2 * 12 * 11, None, text)]


def test_a_library_that_a_function_calls_is_called_for_each_call_of_the_function():
    def solved(*matrices):
        return [jnp.linalg.solve(matrix, np.eye(20, dtype=np.float32)) for matrix in matrices]

    matrix = np.eye(20, dtype=np.float32) + array(20, 20) / 100
    [(kind, ours, xla, _, text)] = told(solved, matrix)
    assert (kind, text) == (
        "custom_call",
        "XLA calls a library for lu, triangular_solve and counts only the operations around the calls.",
    )
    assert told(solved, matrix, matrix * 2) == [(kind, 2 * ours, 2 * xla, None, text)]


def test_a_repeated_call_is_not_padded_again():
    """XLA merges the second call of the same function with the same operand."""
    has_nan = jax.jit(lambda t: (t != t).any(0))
    row, *_ = told(lambda a, x: (has_nan(a), has_nan(a), lax.associative_scan(lax.mul, x)), array(300, 10), array(8192))
    assert row == ("rest", 0, 200, None, FILLED_UP)


def test_a_scan_that_jax_unrolls_is_counted_as_xla_has_it():
    def unrolled(length, unroll):
        return lambda x: lax.scan(lambda c, _: (c @ c, None), x, None, length=length, unroll=unroll)[0]

    reason = (
        "XLA counts the body of a loop once, however many steps the loop has. JAX unrolls the loop: one body holds "
        "several steps, and the remaining steps are outside of the loop. The loop counter adds 2 operations to XLA's "
        "count."
    )
    # With unroll=2, 7 steps are three iterations of two steps, and one step outside of the loop.
    reasons_told = told(unrolled(7, 2), array(64, 64))
    assert reasons_told == [("loop_once", 7 * MATMUL, 3 * MATMUL + 2, 7, reason)]
    assert told(unrolled(7, True), array(64, 64)) == []
    assert told(unrolled(7, 0), array(64, 64)) == []
    # With unroll=4, 7 steps are one iteration of four steps, which XLA inlines, and three steps outside of the loop.
    assert told(unrolled(7, 4), array(64, 64)) == []


def test_the_counter_of_a_fori_loop_is_shared_with_its_body():
    # Each step has the product, the increment i + 1, and the conversion of i; XLA counts one step and the test i < 7.
    reasons_told = told(lambda x: lax.fori_loop(0, 7, lambda i, x: (x @ x) * i, x), array(64, 64))
    turn = MATMUL + 64 * 64 + 2
    reason = (
        "XLA counts the body of a loop once, however many steps the loop has. The loop counter adds 1 operation to "
        "XLA's count."
    )
    assert reasons_told == [("loop_once", 7 * turn, turn + 1, 7, reason)]


def test_only_a_scan_needs_a_counter():
    def five(x):
        return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, lax.sin(c[1])), (0, x))[1]

    reasons_told = told(lambda x: lax.scan(lambda x, _: (five(x), None), x, None, length=4)[0], array(16))
    reason = (
        "XLA counts the body of a loop once, however many steps the loop has, and likewise the body of each inner "
        "loop. The loop counter adds 2 operations to XLA's count."
    )
    assert reasons_told == [("loop_once", 4 * (5 + 6), 2 + 2, 4, reason)]


def test_a_scan_with_a_random_key_in_its_carry():
    def step(carry, _):
        key, x = carry
        key, at = jax.random.split(key)
        return (key, x + jax.random.uniform(at)), None

    reasons_told = told(lambda key, x: lax.scan(step, (key, x), None, length=3)[0][1], jax.random.key(0), 1.0)
    assert [(kind, text) for kind, *_, text in reasons_told] == [
        ("loop_once", "XLA counts the body of a loop once, however many steps the loop has."),
        (
            "loop_once",
            "XLA compiles random_split, random_bits to a loop, counts the body of the loop once, and merges some "
            "operations.",
        ),
    ]


def test_the_counters_and_the_reverse_index_of_the_gradient_of_a_scan():
    def rollout(a):
        return lax.scan(lambda x, _: (jnp.sin(a * x), None), 1.0, None, length=8)[0]

    assert told(jax.grad(rollout), 0.7) == [
        (
            "loop_once",
            8 * (1 + 4),
            1 + 4 + 6,
            8,
            "XLA counts the body of a loop once, however many steps the loop has. Loop counters and the indices of "
            "reverse scans add 6 operations to XLA's count.",
        ),
        (
            "fused_away",
            0,
            2,
            None,
            "XLA counts 2 operations more than the jaxpr has. XLA may compute a value again in each fusion that needs "
            "the value, and may compute one operation of the jaxpr with several simpler operations.",
        ),
    ]


def test_counters_where_xla_removes_other_operations():
    """The counters add more operations than XLA counts more than this package."""

    def loss(w, xs):
        def step(c, x):
            c = jnp.tanh(w * c + x)
            return c, c

        return lax.scan(step, 0.0, xs)[1].sum()

    [loops, removed] = told(jax.grad(loss), 0.5, array(8))
    assert loops[4] == (
        "XLA counts the body of a loop once, however many steps the loop has. Loop counters and the indices of reverse "
        "scans add 6 operations to XLA's count."
    )
    kind, ours, xla, _, text = removed
    assert (kind, xla) == ("fused_away", 0)
    assert text == f"JAX or XLA removed, merged or simplified {ours} operations of the jaxpr."


def test_the_index_of_a_reverse_scan():
    reasons_told = told(lambda c, xs: lax.scan(lambda c, x: (c * x, c * 2), c, xs, reverse=True), 1.0, array(8))
    reason = (
        "XLA counts the body of a loop once, however many steps the loop has. The loop counter and the index of the "
        "reverse scan add 4 operations to XLA's count."
    )
    assert reasons_told == [("loop_once", 16, 2 + 4, 8, reason)]


def scanned(*, reads, stacks, reverse):
    """Return a function with a scan of products, which reads an array along its steps, stacks one, or neither."""

    def step(c, x):
        c = c @ x if reads else c @ c
        return c, c if stacks else None

    return lambda c, xs: lax.scan(step, c, xs if reads else None, length=11, reverse=reverse)


@pytest.mark.parametrize(
    ("reads", "stacks", "reverse", "added", "what"),
    [
        (False, False, False, 2, "The loop counter adds"),
        (False, True, False, 2, "The loop counter adds"),
        (True, False, False, 2, "The loop counter adds"),
        (True, True, False, 2, "The loop counter adds"),
        (False, False, True, 2, "The loop counter adds"),
        # One fusion needs the index.
        (False, True, True, 3, "The loop counter and the index of the reverse scan add"),
        (True, False, True, 3, "The loop counter and the index of the reverse scan add"),
        # Two fusions need the index, and each computes it.
        (True, True, True, 4, "The loop counter and the index of the reverse scan add"),
    ],
)
def test_the_index_of_a_reverse_scan_is_counted_as_the_executable_has_it(reads, stacks, reverse, added, what):
    text = f"{ONCE} {what} {added} operations to XLA's count."
    rows = told(scanned(reads=reads, stacks=stacks, reverse=reverse), array(4, 4), array(11, 4, 4))
    assert rows == [("loop_once", 11 * 128, 128 + added, 11, text)]


def test_the_index_of_the_backward_pass_is_needed_once():
    def reach(v, wind):
        def fly(carry, w):
            x, v = carry
            v = v + 0.1 * (w - 0.3 * v**2)
            return (x + 0.1 * v, v), x

        return (lax.scan(fly, (0.0, v), wind)[0][0] - 2.0) ** 2

    loops, *_ = told(jax.grad(reach), 1.0, array(12))
    text = f"{ONCE} Loop counters and the indices of reverse scans add 5 operations to XLA's count."
    assert (loops[1], loops[2], loops[4]) == (180, 15 + 5, text)


def test_the_indices_of_reverse_scans_on_several_lines_are_one_reason():
    def f(c, xs):
        first = lax.scan(lambda c, x: (c * x, None), c, xs, reverse=True)[0]
        return lax.scan(lambda c, x: (jnp.sin(c) * x, c), first, xs, reverse=True)

    text = "Loop counters and the indices of reverse scans add 7 operations to XLA's count."
    assert told(f, 1.0, array(8)) == [
        ("loop_once", 8, 1, 8, ONCE),
        ("loop_once", 8, 1, 8, ONCE),
        ("rest", 0, 3 + 4, None, text),
    ]


def test_no_number_for_the_index_where_the_body_counts_the_steps_too():
    def function(x):
        return lax.fori_loop(0, 9, lambda i, c: jnp.sin(c) * x, x)

    [loops, more] = told(jax.grad(function), 1.2)
    assert (loops[4], more[0], more[1]) == (ONCE, "fused_away", 0)


ONCE = "XLA counts the body of a loop once, however many steps the loop has."
OF_INNER = (
    "XLA counts the body of a loop once, however many steps the loop has, and likewise the body of each inner loop. "
    "The loop counter adds 2 operations to XLA's count."
)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        # a test without a body for this package; one test and one body for XLA
        ("lambda x: lax.while_loop(lambda s: s > 1e3, lambda s: jnp.sin(s) * x, x)", (1, 2, 0, ONCE)),
        (
            "lambda x: lax.scan(lambda c, _: (halved(c) * 2, None), x, length=8)[0]",
            (8 * (1 + 1), 1 + 1 + 1 + 2, 8, OF_INNER),
        ),
        ("lambda x: jax.jit(halved)(x)", (1, 2, 0, ONCE)),
    ],
)
def test_a_while_loop_without_a_step_in_the_recorded_call(notebook, function, reason):
    """XLA compiles the body also for calls that have steps, so XLA counts the body once."""
    notebook.run("def halved(x):\n    return lax.while_loop(lambda s: s > 1e3, lambda s: s * 0.5, x)")
    ran = notebook.run(f"%%jaxpr --steps\nf = jax.jit({function})\nf(1.0)")
    [cost] = ran.document["costs"]
    differences = [
        (reason["ours"], reason["xla"], reason["runs"], reason["text"]) for reason in cost["xla"]["differences"]
    ]
    assert differences == [reason]


@pytest.mark.parametrize(
    "function",
    [
        "lambda x: lax.fori_loop(4, 4, lambda i, v: v * 2, x) * 3 * x",
        "lambda x: lax.scan(lambda c, _: (c * 2, c), x, length=0)[0] * 3 * x",
    ],
)
def test_a_loop_that_has_a_step_in_no_call_is_counted_by_nobody(notebook, function):
    ran = notebook.run(f"%%jaxpr --steps\nf = jax.jit({function})\nf(1.0)")
    [cost] = ran.document["costs"]
    assert (cost["flops"], cost["xla"]["flops"], cost["xla"]["differences"]) == (2, 2.0, [])


def narrow(*shape):
    return jnp.asarray(array(*shape), jnp.float16)


WRITTEN_OUT = {
    # XLA converts 32 x 16, 16 x 8 and 32 x 8 numbers to or from float32
    "numbers of half the width": (
        lambda a, b: a @ b,
        [narrow(32, 16), narrow(16, 8)],
        896,
        "This device cannot compute dot_general in the dtype of the program. XLA converts the operands and the "
        "results, and counts the conversions as operations.",
    ),
    # XLA's additional operations: the condition (16), the test whether any element continues (15), the selection (16)
    "a while under vmap": (
        jax.vmap(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2, x)),
        [array(16)],
        47,
        "Under vmap, a while loop runs until every batch element has ended. JAX adds a test for this, and a select "
        "that keeps the values of ended elements.",
    ),
    "a short sum": (
        lambda x: lax.reduce_prod(x, (0,)),
        [array(100)],
        28,
        "XLA pads the reduced axes of reduce_prod to a multiple of 32, and counts the padding.",
    ),
    "functions of complex numbers": (
        lambda z: lax.exp(z),
        [array(100).astype(np.complex64)],
        None,
        "XLA computes exp of complex numbers with several operations on the real and imaginary parts.",
    ),
    "products of groups": (
        lambda a, b, g: lax.ragged_dot(a, b, g),
        [array(16, 8), array(3, 8, 4), np.array([4, 8, 4], np.int32)],
        None,
        "XLA computes all groups of ragged_dot_general as one masked matrix product. Most elements of the masked "
        "operand are zero.",
    ),
    "random bits of another kind of key": (
        lambda key: jax.random.bits(key, (100,)),
        [jax.random.key(0, impl="rbg")],
        None,
        "XLA computes random_bits with rounds of integer operations. jupyter_jaxpr counts one transcendental "
        "operation per element instead.",
    ),
}


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_what_xla_writes_out_is_named(name):
    function, arguments, expected, text = WRITTEN_OUT[name]
    *_, (kind, our_flops, xla_flops, _, sentence) = told(function, *arguments)
    assert (kind, our_flops, sentence) == ("rest", 0, text)
    assert xla_flops == expected if expected is not None else xla_flops > 0
    total = jj.inspect(function, *arguments).cost
    added = sum(
        difference.xla - difference.ours
        for difference in total.differences
        if difference.xla is not None and difference.ours is not None
    )
    assert added == round(total.xla_flops) - total.flops


OTHER_BRANCH = (
    "XLA counts the body of a loop once, however many steps the loop has. XLA then counts another branch than "
    "jupyter_jaxpr as the most expensive branch."
)


def looping(x):
    return lax.fori_loop(0, 100, lambda i, c: jnp.sin(c) * 2, x)


def straight(x):
    return x * 3 + 1 - x * x * x + x * 2 - 5 / x


def test_xla_counts_another_branch_where_the_loop_of_our_branch_counts_once():
    rows = told(lambda x, flag: lax.cond(flag, looping, straight, x), array(3), True)
    assert rows == [
        ("loop_once", 400, 27, None, OTHER_BRANCH),
        (
            "branches",
            None,
            None,
            None,
            "jupyter_jaxpr counts the most expensive branches. With the cheapest branches, the program has 28 "
            "operations.",
        ),
    ]


def test_xla_counts_another_branch_in_the_body_of_a_loop():
    def step(c, _):
        return lax.cond(c[0] > 0, looping, straight, c), None

    rows = told(lambda x: lax.scan(step, x, None, length=5)[0], array(3))
    assert [row[0] for row in rows] == ["loop_once", "branches"]
    assert rows[1][-1].startswith("jupyter_jaxpr counts the most expensive branches. ")


def of_platform(x, flag):
    x = lax.platform_dependent(x, tpu=lambda x: x @ x, default=lambda x: x * 2)
    return lax.cond(flag, lambda x: x + 1, lambda x: x, x)


def test_xla_has_only_the_branch_of_the_platform():
    """Only the branch that a value chooses is one of several branches in XLA's program."""
    total = jj.inspect(of_platform, array(8, 8), True).cost
    # The conversion of the flag is 1 operation.
    assert (total.flops, total.flops_min, total.xla_flops) == (1 + 2 * 64, 1 + 64, 1 + 2 * 64)
    assert total.differences == ()
    total = jj.inspect(lambda x: jnp.diag(x) * 2.0, array(100, 100)).cost
    assert (total.flops, total.flops_min, total.xla_flops) == (700, 700, 100)
    assert [difference.kind for difference in total.differences] == ["fused_away", "fused_away"]


def test_an_unknown_platform_has_no_known_branch(monkeypatch):
    monkeypatch.setattr("jupyter_jaxpr.build.costs_of_programs.devices_of", lambda executable: (1, None))
    monkeypatch.setattr("jupyter_jaxpr.program.costs.costs_of_equations.only_platform", lambda: None)
    rows = told(of_platform, array(8, 8), True)
    assert [row for row in rows if row[0] == "branches"] == [
        (
            "branches",
            None,
            None,
            None,
            "jupyter_jaxpr counts the most expensive branches. With the cheapest branches, the program has 65 "
            "operations.",
        )
    ]


def test_a_library_is_named_though_xla_removed_something_as_well():
    rows = told(lambda a: jax.scipy.linalg.lu(a), np.eye(16, dtype=np.float32))
    assert rows[0][:3] == ("custom_call", 2730, 0)
    assert [row[0] for row in rows] == ["custom_call", "fused_away"]


def test_a_long_cumsum_is_several_windows():
    [(kind, our_flops, xla_flops, _, text)] = told(lambda x: lax.cumsum(x), array(64))
    assert (kind, our_flops, text) == (
        "rest",
        63,
        "XLA computes cumsum with sliding windows, and counts each window whole.",
    )
    assert 63 < xla_flops < 64 * 63


def test_what_was_seen_on_a_cpu_is_not_said_of_another_device(monkeypatch):
    monkeypatch.setattr(difference_from_xla, "devices_of", lambda executable: (1, "gpu"))
    sentence = (
        "XLA counts 121 operations more than the jaxpr has. XLA may compute a value again in each fusion that needs "
        "the value, and may compute one operation of the jaxpr with several simpler operations."
    )
    assert told(lambda x: lax.cumsum(x), array(12)) == [("fused_away", 0, 121, None, sentence)]
    fewer = "XLA counts 8 operations fewer than the jaxpr has. XLA may remove or merge operations, or call a library."
    assert told(lambda x: (x + x, x * 2.0)[1], array(8)) == [("fused_away", 8, 0, None, fewer)]


# --- all forms in which JAX returns XLA's own analysis -----------------------------------------------


class Executable:
    def __init__(self, reply):
        self._said = reply

    def cost_analysis(self):
        if isinstance(self._said, Exception):
            raise self._said
        return self._said


@pytest.mark.parametrize("reply", [None, {}, [], [None], NotImplementedError("no"), "flops"])
def test_where_xla_gives_no_analysis_there_is_none(reply):
    assert analysis(Executable(reply)) is None
    assert analysis(None) is None


@pytest.mark.parametrize("reply", [{"flops": 3.0, "bytes accessed": 8.0}, [{"flops": 3.0, "bytes accessed": 8.0}]])
def test_a_dictionary_or_a_list_of_one(reply):
    numbers = analysis(Executable(reply))
    assert (numbers.flops, numbers.transcendentals, numbers.bytes) == (3.0, 0.0, 8.0)


def test_a_number_below_zero_is_none():
    numbers = analysis(Executable({"flops": -1.0, "bytes accessed": float("nan")}))
    assert (numbers.flops, numbers.bytes) == (None, None)
