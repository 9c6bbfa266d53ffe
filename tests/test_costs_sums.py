"""Tests random programs: sums by line, primitive, scope and name stack equal a count that follows each call."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from observed import built, in_cell, program, traced

from jupyter_jaxpr.document.check.validate import validate
from jupyter_jaxpr.program.costs import equation_cost

pytestmark = pytest.mark.any_jax

X = np.linspace(0, 1, 6, dtype=np.float32)

# A random program is a list of operations on x in order; operations such as scan contain further lists.
LEAVES = st.sampled_from(["mul", "sin", "sum", "dot", "cumsum", "jnp"])


def _nested(inner):
    body = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.tuples(st.just("scan"), st.integers(0, 5), body),
        st.tuples(st.just("while"), st.integers(0, 4), body),
        st.tuples(st.just("cond"), body, body),
        st.tuples(st.just("jit"), body),
        st.tuples(st.just("twice"), body),
        st.tuples(st.just("scope"), st.sampled_from(["a", "b/c"]), body),
    )


PROGRAMS = st.lists(st.recursive(LEAVES, _nested, max_leaves=8), min_size=1, max_size=4)


def run(steps, x):
    for step in steps:
        x = _step(step, x)
    return x


def _step(step, x):
    match step:
        case "mul":
            return x * x
        case "sin":
            return lax.sin(x) + 1
        case "sum":
            return x + lax.reduce_sum(x, (0,))
        case "dot":
            return x * (x @ x)
        case "cumsum":
            return lax.cumsum(x)
        case "jnp":
            return jnp.where(x > 0, x, -x)
        case ("scan", length, body):
            return lax.scan(lambda c, _: (run(body, c), None), x, None, length=length)[0]
        case ("while", trips, body):
            return lax.while_loop(lambda c: c[0] < trips, lambda c: (c[0] + 1, run(body, c[1])), (0, x))[1]
        case ("cond", false, true):
            return lax.cond(x[0] > 0, lambda x: run(true, x), lambda x: run(false, x), x)
        case ("jit", body):
            return jax.jit(lambda x: run(body, x))(x)
        case ("twice", body):
            inner = jax.jit(lambda x: run(body, x))
            return inner(inner(x))
        case ("scope", name, body):
            with jax.named_scope(name):
                return run(body, x)


def by_calls(jaxpr, pick):
    """Return the operations of one run by following each call; `pick` (max or min) chooses between branches."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    total = 0
    for equation in jaxpr.eqns:
        parameters = equation.params
        match equation.primitive.name:
            case "jit" | "pjit":
                total += by_calls(parameters["jaxpr"], pick)
            case "scan":
                total += parameters["length"] * by_calls(parameters["jaxpr"], pick)
            case "cond":
                total += pick(by_calls(branch, pick) for branch in parameters["branches"])
            case "while":
                limit = next(e for e in getattr(parameters["cond_jaxpr"], "jaxpr", parameters["cond_jaxpr"]).eqns)
                trips = int(limit.invars[1].val)
                total += trips * by_calls(parameters["body_jaxpr"], pick)
                total += (trips + 1) * by_calls(parameters["cond_jaxpr"], pick)
            case _:
                cost = equation_cost(equation, [])
                assert cost.exact, equation.primitive.name
                total += cost.flops
    return total


@settings(max_examples=examples(150))
@given(PROGRAMS)
def test_every_sum_is_the_count_of_the_whole(steps):
    trace = traced(lambda x: run(steps, x), X)
    built_run = built(program(trace))
    assert [note.detail for note in built_run.document.notes if note.kind == "failed"] == []
    validate(built_run.document)
    [cost] = built_run.document.costs
    assert cost.unknown == cost.per_trip == []
    # `flops` counts the branch with the largest weight, and sines weigh more than products; `flops_most` counts the
    # branch with the most operations.
    assert max(cost.flops, cost.flops_most) == by_calls(trace.jaxpr, max)
    assert cost.flops_min == by_calls(trace.jaxpr, min)
    for rows in (cost.by_line, cost.by_primitive):
        assert sum(row.flops for row in rows) == cost.flops
        assert sum(row.flops_min for row in rows) == cost.flops_min
        assert sum(row.transcendentals for row in rows) == cost.transcendentals
        assert sum(row.bytes_read for row in rows) == cost.bytes_read
        assert sum(row.bytes_written for row in rows) == cost.bytes_written
        assert all(max(row.flops, row.flops_min) <= row.if_taken for row in rows)
    for nodes in (cost.by_scope, cost.by_name_stack):
        root = nodes[0]
        moved = cost.bytes_read + cost.bytes_written
        assert (root.flops, root.transcendentals, root.bytes) == (cost.flops, cost.transcendentals, moved)
        inside = [0] * len(nodes)
        for node in nodes[1:]:
            inside[node.parent] += node.flops
        assert all(total <= node.flops for total, node in zip(inside, nodes, strict=True))
    # Only one branch of a cond runs, but a line or a primitive may occur in several branches, so sums over all branches
    # are larger.
    children = {
        (scope.scope, child.equation)
        for scope in cost.scopes
        for child in built_run.document.scopes[scope.scope].children
    }
    leaves = sum(
        scope.runs * sum(flops for index, flops in enumerate(scope.flops) if (scope.scope, index) not in children)
        for scope in cost.scopes
    )
    assert cost.flops <= sum(row.if_taken for row in cost.by_line) <= leaves


SHARED = """
def half(x):
    return jnp.where(x > 0, x, -x)

@jax.jit
def f(x):
    y = half(x)
    for _ in range(3):
        y = y * 2
    return half(y)
"""


def test_an_equation_without_a_line_takes_that_of_the_call_around_it():
    # The function inside of jnp.where is jitted by JAX: its select has no line of the user's, and both calls share one
    # program.
    built_run, _ = in_cell(SHARED, "f(jnp.zeros(4))")
    [cost] = built_run.document.costs
    frames = built_run.document.frames
    assert [(frames[row.frame].line, row.label, row.flops) for row in cost.by_line] == [
        (3, "return jnp.where(x > 0, x, -x)", 2 * 3 * 4),
        (9, "y = y * 2", 3 * 4),
    ]


NAMED = """
@jax.jit
def f(w, x):
    def loss(w):
        with jax.named_scope("layer"):
            h = jnp.sin(x @ w)
        with jax.named_scope("head"):
            return (h * h).sum()
    return jax.grad(loss)(w)
"""


def test_the_name_stack_is_a_tree():
    built_run, _ = in_cell(NAMED, "f(jnp.zeros((3, 4)), jnp.zeros((5, 3)))")
    [cost] = built_run.document.costs
    assert [(node.label, node.parent, node.flops, node.transcendentals) for node in cost.by_name_stack] == [
        ("f0", -1, 359, 40),
        # Backward: the product with (3, 4) elements over 5, and for each of the 5 * 4 elements a product with the
        # derivative of sin.
        ("transpose(jvp(layer))", 0, 2 * 12 * 5 + 20, 0),
        # Forward: the product with (5, 4) elements over 3; sin, and the cosine that is kept for the backward pass.
        ("jvp(layer)", 0, 2 * 20 * 3, 2 * 20),
        # Backward, h * h needs two products and their sum for each of 20 elements; forward, a product for each and the
        # sum of all.
        ("transpose(jvp(head))", 0, 3 * 20, 0),
        ("jvp(head)", 0, 20 + 19, 0),
    ]


RNN = """
@jax.jit
def rnn(p, xs):
    def step(h, x):
        a = x @ p["wx"]
        r = h @ p["wh"]
        h = jnp.tanh(a + r + p["b"])
        return h, h
    h0 = jnp.zeros(16)
    h, hs = lax.scan(step, h0, xs)
    return jax.nn.softmax(h @ p["wo"]), hs
P = {"b": jnp.zeros(16), "wh": jnp.zeros((16, 16)), "wo": jnp.zeros((16, 4)), "wx": jnp.zeros((8, 16))}
"""


def test_the_tutorials_rnn():
    built_run, _ = in_cell(RNN, "rnn(P, jnp.zeros((100, 8)))")
    [cost] = built_run.document.costs
    assert (cost.flops, cost.transcendentals, cost.exact) == (80_143, 1_604, True)
    assert [(row.label, row.flops, row.bytes_read + row.bytes_written) for row in cost.by_line if row.flops] == [
        ('a = x @ p["wx"]', 100 * 256, 100 * 608),
        ('r = h @ p["wh"]', 100 * 512, 100 * 1_152),
        ('h = jnp.tanh(a + r + p["b"])', 100 * 32, 100 * 512),
        ('return jax.nn.softmax(h @ p["wo"]), hs', 143, 504),
    ]
    assert [(node.label, node.parent, node.runs, node.flops) for node in cost.by_scope] == [
        ("f0", -1, 1, 80_143),
        ("scan", 0, 100, 80_000),
    ]
    assert [(row.label, row.flops, row.transcendentals) for row in cost.by_primitive] == [
        ("dot_general", 100 * (256 + 512) + 128, 0),
        ("tanh", 0, 100 * 16),  # the weight is 32,000
        ("add", 100 * 2 * 16, 0),
        ("exp", 0, 4),
        # From here on, the rows are the softmax of 4 elements, to which `exp` above belongs, too.
        ("div", 4, 0),
        ("sub", 4, 0),
        ("reduce_max", 3, 0),
        ("reduce_sum", 3, 0),
        ("max", 1, 0),
        ("broadcast_in_dim", 0, 0),
        ("stop_gradient", 0, 0),
    ]


def test_trees_are_cut_at_their_dearest_nodes():
    def f(x):
        for number in range(500):
            with jax.named_scope(f"n{number}"):
                x = jax.jit(lambda x, number=number: x * float(number + 2))(x)
        return x

    cost = built(program(traced(f, X))).sources.cost(0)
    assert len(cost.by_name_stack) == len(cost.by_scope) == 400
    assert cost.by_scope[0].flops == cost.by_name_stack[0].flops == 500 * 6


def test_a_program_that_is_large_is_counted_on_request():
    def f(x):
        for _ in range(501):
            x = x * 2
        return x

    built_run = built(program(traced(f, X)))
    assert built_run.document.costs == []
    cost = built_run.sources.cost(0)
    assert cost.flops == 501 * 6
    assert built_run.sources.document.costs == [cost]
    validate(built_run.sources.document)


def test_what_fails_is_a_note_and_no_exception(monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("no")

    monkeypatch.setattr("jupyter_jaxpr.build.document_of_run.program_cost", broken)
    document = built(program(traced(lambda x: x * 2, X))).document
    assert document.costs == []
    assert [note.kind for note in document.notes] == ["failed"]
    assert len(document.programs) == 1


def test_numbers_beyond_what_json_holds_are_the_largest_there_is():
    def f(x):
        for _ in range(8):
            x = lax.scan(lambda c, _: (c, None), x, None, length=1)[0]

        def deeper(depth, x):
            if depth == 0:
                return x * 2
            return lax.scan(lambda c, _: (deeper(depth - 1, c), None), x, None, length=2_000_000)[0]

        return deeper(4, x)

    built_run = built(program(traced(f, X)))
    [cost] = built_run.document.costs
    assert cost.flops == 2**63 - 1
    validate(built_run.document)
