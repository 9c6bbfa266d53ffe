"""Tests cells that end with a call of JAX or a package outside of jit: the program and the source place of the call."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook, Ran

import jupyter_jaxpr as jj

pytestmark = pytest.mark.any_jax

# last line of a cell -> the shown program; axes, shapes, bounds and functions are static in it
LAST_LINES = {
    "jnp.reshape(x, (2, 4))": "traced reshape(a: f32[8], shape: (2, 4)) -> f32[2,4]: reshape",
    "x.sum(0)": "traced _sum(axis: 0) -> f32[]: reduce_sum",
    "jnp.concatenate([x, x], axis=0)": "traced concatenate(arrays: [f32[8], f32[8]], axis: 0) -> f32[16]: concatenate",
    "jnp.zeros((3, 3))": "traced zeros(shape: (3, 3)) -> f32[3,3]: broadcast_in_dim",
    "jnp.arange(10)": "traced arange(start: 10) -> i32[10]: iota",
    "jnp.arange(0.0, 1.0, 0.25)": "traced arange(start: 0.0, stop: 1.0, step: 0.25) -> f32[4]: iota mul add",
    "jnp.full((2,), 3.0)": "traced full(shape: (2,), fill_value: f32[] weak) -> f32[2] weak: broadcast_in_dim",
    "jnp.expand_dims(x, 0)": "traced expand_dims(a: f32[8], axis: 0) -> f32[1,8]: broadcast_in_dim",
    "jnp.einsum('i,i', x, x)": (
        "traced einsum(subscripts: 'i,i', operands[0]: f32[8], operands[1]: f32[8]) -> f32[]: dot_general"
    ),
    "jax.nn.one_hot(jnp.array([1, 2]), 4)": "traced one_hot(x: i32[2], num_classes: 4) -> f32[2,4]: jit",
    "jax.random.normal(jax.random.key(0), (3,))": "traced normal(key: key<fry>[], shape: (3,)) -> f32[3]: jit",
    "lax.top_k(x, 3)": "traced top_k(operand: f32[8], k: 3) -> [f32[3], i32[3]]: top_k",
    "lax.fori_loop(0, 10, lambda i, c: c + i, x)": (
        "ran fori_loop(<lambda>)(carry[0]: i32[] weak, carry[1]: f32[8]) -> [i32[] weak, f32[8]]: scan"
    ),
    "lax.cond(True, jnp.sin, jnp.cos, x)": ("ran cond(sin, cos)(predicate: i32[], operand: f32[8]) -> [f32[8]]: cond"),
    "lax.switch(1, [jnp.sin, jnp.cos], x)": ("ran switch(sin, cos)(index: i32[], operand: f32[8]) -> [f32[8]]: cond"),
    "lax.map(lambda v: v * 2, x, batch_size=4)": ("ran map(<lambda>)(xs: f32[2,4]) -> [f32[2,4]]: scan"),
    # The number at which the user differentiates a function of JAX is an argument of the program.
    "jax.grad(jnp.tanh)(2.0)": "traced tanh(x: f32[] weak) -> f32[] weak: tanh one_minus_square mul",
}


@pytest.mark.parametrize("line", LAST_LINES)
def test_a_cell_that_ends_with_a_call_of_a_library(notebook: Notebook, line: str) -> None:
    ran = notebook.run(f"%%jaxpr\nn = 1\n{line}")
    if line.startswith("jax.grad"):  # JAX 0.10 has no primitive one_minus_square, so its equations differ
        assert ran.programs[0].startswith("traced tanh(x: f32[] weak) -> f32[] weak: tanh ")
    else:
        assert ran.programs == [LAST_LINES[line]]
    assert "untraceable" not in ran.notes
    assert lines_of(ran) <= {(3, 0, 3, len(line))}


def lines_of(ran: Ran) -> set[tuple[int, int, int, int]]:
    """Return the places of the equations in the outermost scope: for each, its innermost frame of user code."""
    document = ran.document
    scope = document["scopes"][document["programs"][document["focus"]]["scope"]]
    frames = [document["frames"][document["stacks"][stack][0][0]] for stack in scope["stack"]]
    assert {document["files"][frame[0]]["kind"] for frame in frames} <= {"cell"}
    return {tuple(frame[2:]) for frame in frames}


def test_its_control_flow_is_the_users(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef body(i, c):\n    return c + i\n\nlax.fori_loop(0, 10, body, x)")
    (card,) = ran.document["control_flow"]
    assert (card["kind"], card["primitive"], card["title"], card["library"]) == ("fori_loop", "scan", "body", None)
    assert (card["lower"], card["upper"], card["trips"]) == ("0", "10", 10)
    assert ran.document["frames"][card["frame"]][2:] == [5, 0, 5, 29]
    program = ran.document["programs"][0]
    assert ran.document["frames"][program["call"]][2] == 5


def test_a_plain_function_has_the_line_of_its_call(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(x):\n    return jnp.sin(x)\n\njax.vmap(f)(x)")
    assert ran.programs == ["traced f(x: f32[8]) -> f32[8]: sin", "recorded f(x: f32[8]) -> f32[8]: jit"]
    assert lines_of(ran) == {(3, 11, 3, 21)}
    assert [ran.document["frames"][program["call"]][2] for program in ran.document["programs"]] == [5, 5]


def test_numbers_of_a_users_function_are_traced_as_jit_would_and_fixed_where_jit_would_raise(
    notebook: Notebook,
) -> None:
    ran = notebook.run("%%jaxpr\ndef f(x, n):\n    return x * n\n\nf(x, 3)")
    assert ran.programs == [
        "traced f(x: f32[8], n: i32[] weak) -> f32[8]: convert_element_type mul",
        "recorded f(x: f32[8], n: 3) -> f32[8]: jit",
    ]
    ran = notebook.run("%%jaxpr\ndef f(x, n):\n    return x.reshape(n, -1)\n\nf(x, 2)")
    assert ran.programs == [
        "traced f(x: f32[8], n: 2) -> f32[2,4]: reshape",
        "recorded f(x: f32[8], n: 2) -> f32[2,4]: reshape",
    ]
    assert ran.document["programs"][0]["origin_note"].endswith(
        " The trace kept these arguments of the call fixed: n=2."
    )
    assert ran.notes == []


def test_flax_gets_its_flags(notebook: Notebook) -> None:
    pytest.importorskip("flax")
    notebook.run(
        "import flax.linen as nn\n"
        "class Net(nn.Module):\n"
        "    @nn.compact\n"
        "    def __call__(self, x, train):\n"
        "        return nn.Dense(2)(x) if train else x\n"
        "net = Net()\n"
        "variables = net.init(jax.random.key(0), x, train=True)"
    )
    ran = notebook.run("%%jaxpr\nnet.apply(variables, x, train=True)")
    assert ran.notes.count("untraceable") == 0
    (program,) = ran.document["programs"]
    assert [(argument["name"], argument["type"], argument["static"]) for argument in program["arguments"]] == [
        ("variables", "{params: {Dense_0: {bias: f32[2], kernel: f32[8,2]}}}", False),
        ("args[0]", "f32[8]", False),
        ("train", "True", True),
    ]


def test_inspect_and_the_line_magic_do_the_same(notebook: Notebook) -> None:
    x = np.ones(8, np.float32)
    snapshot = jj.inspect(jnp.reshape, x, (2, 4), stage="run")
    assert "reshape" in snapshot.text("hlo")
    assert jj.inspect(jnp.sum, x, axis=0, stage="run").text() == (
        "{ lambda ; a:f32[8]. let\n  b:f32[] = reduce_sum[axes=(0,) out_sharding=None] a\nin (b,) }"
    )
    ran = notebook.run("%jaxpr jnp.reshape(f32[8], (2, 4))")
    assert ran.programs == ["traced reshape(a: f32[8], shape: (2, 4)) -> f32[2,4]: reshape"]


def test_it_runs_again_on_the_values_of_the_call() -> None:
    def add(c: Any, x: Any) -> Any:
        return c + x, c

    xs = jnp.arange(3)
    snapshot = jj.inspect(jax.lax.scan, add, 0, xs, stage="run", time=True)
    (timing,) = snapshot.timings
    assert timing.warm is not None and timing.eager is not None
    recording = jj.inspect(jax.lax.scan, add, 0, xs).steps()
    assert list(recording.step) == [0, 1, 2]
    assert recording.verdict == "The recorded results equal the original function's results, bit for bit."


# An operator of an array calls jitted functions of JAX, some of them directly from the user's line.
@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("-x", "f32[8]: jit"),
        ("+x", "f32[8]: jit"),
        ("abs(x)", "f32[8]: jit"),
        ("~(x > 2)", "bool[8]: jit jit"),
        ("x @ x", "f32[]: jit"),
        ("x % 3", "f32[8]: jit"),
        ("jnp.negative(x)", "f32[8]: jit"),
        ("x.sum()", "f32[]: jit"),
    ],
)
def test_an_operator_is_no_function_of_the_users(notebook: Notebook, line: str, result: str) -> None:
    ran = notebook.run(f"%%jaxpr --no-trace\ny = {line}")
    assert ran.programs == [f"recorded cell [2]() -> {result}"]
    # the list has functions of earlier tests, too, which were not called in this run
    functions = ran.document["ledger"]["functions"]
    assert [function["name"] for function in functions if function["run"]["misses"] or function["run"]["traces"]] == []


def test_a_function_of_jax_that_the_user_jits_is(notebook: Notebook) -> None:
    notebook.run("jax.clear_caches()")  # an earlier test of this process may have compiled the function of JAX
    ran = notebook.run("%%jaxpr\na = jax.jit(jnp.negative)(x)\nb = jax.jit(jax.vmap(jnp.negative))(x)")
    assert ran.programs == [
        "ran negative(args[0]: f32[8]) -> f32[8]: neg",
        "ran negative(args[0]: f32[8]) -> f32[8]: neg",
    ]
