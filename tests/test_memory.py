"""Tests the memory of a program: XLA's numbers, and, against counts by hand, the peak and the residuals of grad."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from observed import traced

from jupyter_jaxpr.program.costs.memory_of_program import MemoryUse, memory_of
from jupyter_jaxpr.program.jaxpr.walk import Walk

pytestmark = pytest.mark.any_jax

VECTOR = np.ones(256, np.float32)  # 1,024 bytes
MATRIX = np.ones((16, 16), np.float32)  # 1,024 bytes
ONE = 1024
# The primitive for the derivative of tanh, which differs between the JAX lines.
TANH = "one_minus_square" if hasattr(lax, "one_minus_square_p") or jax.__version_info__ >= (0, 11) else "sub"


def memory(function, *arguments, compiled=False, names=()) -> MemoryUse:
    trace = traced(function, *arguments)
    walk = Walk()
    scope = walk.program(trace.jaxpr)
    return memory_of(walk, scope, trace.lower().compile() if compiled else None, names)


def live(memory_use: MemoryUse) -> list[tuple[str, str, int]]:
    return [(buffer.name, buffer.type, buffer.bytes) for buffer in memory_use.live]


def kept(function, *arguments) -> list[tuple[str, str, int, int]]:
    """Return the residuals of a program: (equation that made them, type, how many, bytes of all)."""
    memory_found = memory(function, *arguments)
    assert memory_found.residual_bytes == sum(row.bytes for row in memory_found.residuals)
    return sorted((row.name, row.type, row.count, row.bytes) for row in memory_found.residuals)


# --- XLA's numbers ---------------------------------------------------------------------------------------


def test_xla_says_what_the_executable_needs():
    memory_found = memory(lambda x: jnp.tanh(x @ x) @ x, MATRIX, compiled=True)
    assert (memory_found.arguments, memory_found.results, memory_found.temporaries, memory_found.aliased) == (
        ONE,
        ONE,
        ONE,
        0,
    )


def test_code_of_no_bytes_is_unknown_and_not_0():
    assert jax.default_backend() == "cpu"
    assert memory(lambda x: x + 1, VECTOR, compiled=True).generated_code is None


def test_a_donated_argument_is_taken_by_a_result():
    memory_found = memory(jax.jit(lambda x: x + 1, donate_argnums=0), VECTOR, compiled=True)
    assert memory_found.aliased == ONE


def test_nothing_is_compiled_for_it():
    memory_found = memory(lambda x: x + 1, VECTOR)
    assert (
        memory_found.arguments,
        memory_found.results,
        memory_found.temporaries,
        memory_found.generated_code,
        memory_found.aliased,
    ) == (None,) * 5
    assert memory_found.peak == 2 * ONE


def test_an_executable_without_an_analysis_has_none():
    class Executable:
        def memory_analysis(self):
            raise NotImplementedError("not on this device")

    walk = Walk()
    memory_found = memory_of(walk, walk.program(traced(lambda x: x + 1, VECTOR).jaxpr), Executable())
    assert (memory_found.arguments, memory_found.results, memory_found.temporaries) == (None, None, None)


def test_captured_constants_count_once():
    big = jnp.ones(256)
    memory_found = memory(lambda x: jax.jit(lambda y: y * big)(x) + big, VECTOR)
    assert memory_found.constants == ONE


# --- the peak of a program's memory ----------------------------------------------------------------------


def test_a_chain_holds_two_arrays_beside_its_argument():
    memory_found = memory(lambda x: jnp.sin(jnp.cos(jnp.tan(x))), VECTOR, names=["x"])
    assert memory_found.peak == 3 * ONE  # alive at the equation cos: the argument x, the operand of cos, and its result
    assert live(memory_found) == [
        ("argument x", "f32[256]", ONE),
        ("result of tan", "f32[256]", ONE),
        ("result of cos", "f32[256]", ONE),
    ]


def test_what_is_read_later_stays_alive():
    def function(x):
        first, second = jnp.sin(x), jnp.cos(x)
        return jnp.tan(second) + first

    memory_found = memory(function, VECTOR, names=["x"])
    assert memory_found.peak == 4 * ONE  # alive at the equation tan: x, and the results of sin, cos and tan
    assert [name for name, *_ in live(memory_found)] == [
        "argument x",
        "result of sin",
        "result of cos",
        "result of tan",
    ]


def test_the_line_and_the_equation_of_a_buffer_are_known():
    def function(x):
        a = jnp.outer(x, x)
        return a.sum()

    trace = traced(function, VECTOR)
    walk = Walk()
    memory_found = memory_of(walk, walk.program(trace.jaxpr))
    line = function.__code__.co_firstlineno + 1
    largest = memory_found.live[0]
    assert largest.type == "f32[256,256]"
    assert walk.positions.frames[largest.frame][2] == line
    assert walk.strings.items[walk.scopes[largest.scope].primitive[largest.equation]] == "mul"


def test_a_call_has_its_peak_inside():
    @jax.jit
    def inner(x):
        return jnp.outer(x, x).sum()

    memory_found = memory(lambda x: inner(x) + 1, VECTOR)
    assert memory_found.peak is not None
    square = 256 * 256 * 4
    assert square < memory_found.peak < 4 * square
    assert max(memory_found.live, key=lambda buffer: buffer.bytes).bytes == square


def test_a_scan_has_its_results_and_one_step_of_its_body():
    xs = np.ones((10, 256), np.float32)

    def function(xs):
        return lax.scan(lambda carry, x: (jnp.sin(carry) + x, None), xs[0], xs)[0]

    memory_found = memory(function, xs, names=["xs"])
    carry, step, sine, add = ONE, ONE, ONE, ONE
    result = ONE
    assert memory_found.peak == 10 * ONE + carry + result + step + sine + add
    assert live(memory_found)[0] == ("argument xs", "f32[10,256]", 10 * ONE)
    assert ("slice that one step reads", "f32[256]", ONE) in live(memory_found)


def test_of_the_branches_the_largest_counts():
    def function(x):
        return lax.cond(x[0] > 0, lambda x: jnp.outer(x, x).sum(), lambda x: x.sum(), x)

    memory_found = memory(function, VECTOR)
    assert memory_found.peak is not None
    assert memory_found.peak > 256 * 256 * 4


def test_a_program_without_equations():
    memory_found = memory(lambda x: x, VECTOR)
    assert (memory_found.peak, live(memory_found)) == (ONE, [("argument", "f32[256]", ONE)])


def test_a_size_that_is_a_symbol_has_no_peak():
    from jax import export

    (size,) = export.symbolic_shape("n")
    memory_found = memory(lambda x: x + 1, jax.ShapeDtypeStruct((size,), np.float32))
    assert (memory_found.peak, memory_found.live) == (None, [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.ones(3, bool), 3),
        (np.ones(3, np.int8), 3),
        (jnp.ones(3, jnp.bfloat16), 6),
        (np.ones(3, np.complex64), 24),
        (jnp.ones(3, jnp.int4), 3),
        (jnp.ones(3, jnp.float8_e4m3fn), 3),
        (jax.random.key(0), 8),
    ],
    ids=str,
)
def test_the_bytes_of_every_kind_of_array(value, expected):
    assert memory(lambda x: x, value).peak == expected


# --- the residuals of grad -------------------------------------------------------------------------------------

WEIGHTS = [np.ones((4, 4), np.float32)] * 2
INPUTS = np.ones((3, 4), np.float32)  # 48 bytes


def mlp(weights, x):
    for weight in weights:
        x = jnp.tanh(x @ weight)
    return jnp.sum(x**2)


# Kept for the backward pass of each tanh(y): its result, for the next layer's weights (up to JAX 0.10 also for the
# derivative t * (1 - t) + (1 - t)); the derivative; and 2 x of the square.
MLP = {
    "one_minus_square": [
        ("mul", "f32[3,4]", 1, 48),
        ("one_minus_square", "f32[3,4]", 2, 96),
        ("tanh", "f32[3,4]", 1, 48),
    ],
    "sub": [("mul", "f32[3,4]", 1, 48), ("sub", "f32[3,4]", 2, 96), ("tanh", "f32[3,4]", 2, 96)],
}[TANH]


@pytest.mark.parametrize(
    "function",
    [jax.grad(mlp), jax.value_and_grad(mlp), jax.grad(jax.jit(mlp)), jax.value_and_grad(jax.jit(mlp))],
    ids=["grad", "value_and_grad", "grad of jit", "value_and_grad of jit"],
)
def test_residuals_of_a_network(function):
    assert kept(function, WEIGHTS, INPUTS) == MLP


def test_residuals_in_a_jitted_step():
    def step(weights, x):
        x = x - x.mean()
        return [weight - 0.1 * slope for weight, slope in zip(weights, jax.grad(mlp)(weights, x), strict=True)]

    assert kept(jax.jit(step), WEIGHTS, INPUTS) == MLP


def test_residuals_are_put_down_to_the_line_that_made_them():
    trace = traced(jax.grad(jax.jit(mlp)), WEIGHTS, INPUTS)
    walk = Walk()
    memory_found = memory_of(walk, walk.program(trace.jaxpr))
    first = mlp.__code__.co_firstlineno
    assert sorted((row.name, walk.positions.frames[row.frame][2] - first) for row in memory_found.residuals) == [
        (name, {"mul": 3}.get(name, 2)) for name, *_ in MLP
    ]


def test_remat_keeps_less():
    assert kept(jax.grad(jax.checkpoint(mlp)), WEIGHTS, INPUTS) == []


def test_a_policy_of_remat_keeps_the_products():
    saved = jax.checkpoint(mlp, policy=jax.checkpoint_policies.dots_saveable)
    assert kept(jax.grad(saved), WEIGHTS, INPUTS) == [("dot_general", "f32[3,4]", 2, 96)]


def rnn(weight, xs):
    def step(h, x):
        h = jnp.tanh(h @ weight + x)
        return h, h

    return jnp.sum(lax.scan(step, jnp.zeros(4), xs)[1])


STEPS = np.ones((5, 4), np.float32)  # 80 bytes


def test_a_scan_stacks_its_residuals():
    by_name = {
        "one_minus_square": [("one_minus_square", "f32[5,4]", 1, 80), ("scan", "f32[5,4]", 1, 80)],
        "sub": [("scan", "f32[5,4]", 1, 80), ("sub", "f32[5,4]", 1, 80), ("tanh", "f32[5,4]", 1, 80)],
    }[TANH]
    assert kept(jax.grad(rnn), WEIGHTS[0], STEPS) == by_name


def test_vmap_of_grad_keeps_one_for_each_example():
    assert kept(jax.vmap(jax.grad(lambda x: jnp.sin(jnp.sin(x)))), VECTOR) == [("cos", "f32[256]", 2, 2 * ONE)]


def test_grad_of_grad_keeps_for_both():
    # For x^3, 3 x^2 is kept for the backward pass of the inner grad, and 6 x for that of the outer grad.
    rows = kept(jax.grad(jax.grad(lambda x: x**3)), 1.0)
    assert sum(count for *_, count, _ in rows) == 2


def test_a_cond_keeps_what_its_branch_needs_and_which_it_was():
    def function(x):
        return lax.cond(x > 0, jnp.sin, lambda x: jnp.exp(x) * 2, x)

    assert [(kind, count) for _, kind, count, _ in kept(jax.grad(function), 1.0)] == [("f32[]", 1), ("i32[]", 1)]


def test_a_program_without_grad_keeps_nothing():
    assert kept(mlp, WEIGHTS, INPUTS) == []
    assert kept(rnn, WEIGHTS[0], STEPS) == []


def test_jvp_alone_keeps_nothing():
    assert kept(lambda x: jax.jvp(jnp.sin, (x,), (x,)), VECTOR) == []
