"""An error out of a trace becomes a note: the expression, the argument, and ways out in the user's own names."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jupyter_jaxpr.explain.errors.explained import trace_error
from jupyter_jaxpr.observe.observation import Finding

FILE = "/tmp/ipykernel_1/errors.py"
ONE = jnp.float32(1.5)
ROW = jnp.arange(3.0)


def space_of(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"jax": jax, "jnp": jnp, "lax": jax.lax, "np": np}
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    exec(compile(source, FILE, "exec"), space)
    return space


def raised(source: str, *arguments: object) -> Finding:
    """What is found of the error that f, jitted, raises."""
    fun = jax.jit(space_of(source)["f"])
    with pytest.raises(Exception) as caught:
        fun(*arguments)
    return trace_error(caught.value, "f")


def marked(source: str, finding: Finding) -> str:
    """The expression that is marked."""
    place = finding.place
    assert place is not None
    line = source.split("\n")[place.line - 1].encode()
    return line[place.column : place.end_column].decode()


def test_the_argument_and_its_type_are_named() -> None:
    finding = raised(CASES["an if of a whole array"].source, ROW)
    assert finding.text == (
        "f could not be traced. Python's if, while, and, or and not need a value that is true or false. This value "
        "depends on the argument xs. While JAX traces, arguments have shapes but no values. xs.sum() > 2 reads traced "
        "values: xs (f32[3])."
    )
    assert finding.cure is None
    assert finding.detail is not None and "TracerBoolConversionError" in finding.detail


def test_the_leaf_of_a_carry_is_named() -> None:
    finding = raised(CASES["a leaf of a carry that becomes a float"].source, ROW)
    assert finding.text.endswith(
        "A carry must have the same type at each step. This step receives c['n'] as int32[] and returns c['n'] as "
        "float32[]."
    )


def test_grad_alone_runs_what_jit_of_grad_cannot() -> None:
    source = "def g(x):\n    if x > 0:\n        return x * x\n    return -x\ndef f(x):\n    return jax.grad(g)(x)\n"
    assert space_of(source)["f"](1.5) == 3.0
    finding = raised(source, 1.5)
    assert finding.text.endswith(
        "jax.grad without jax.jit can run this line, because jax.grad calls the function with values. Under jax.jit, "
        "arrays have no values."
    )
    assert [cure.name for cure in finding.cures] == ["jax.lax.cond", "jax.numpy.where"]


def test_an_error_that_is_none_of_jaxs_has_its_line_and_no_advice() -> None:
    source = "def f(x):\n    return {}['missing'] + x\n"
    finding = raised(source, ONE)
    assert (finding.title, finding.cures) == (None, ())
    assert finding.text == "f could not be traced. The trace raised KeyError: 'missing'."
    assert marked(source, finding) == "{}['missing']"


def test_an_error_of_a_file_that_is_gone_has_its_line() -> None:
    source = "def f(x):\n    return x if x > 0 else -x\n"
    fun = jax.jit(space_of(source)["f"])
    linecache.cache.pop(FILE)
    with pytest.raises(Exception) as caught:
        fun(ONE)
    finding = trace_error(caught.value, "f")
    assert finding.place is not None and finding.place.line == 2
    assert finding.title == "Python cannot know whether a traced array is true while JAX traces"


CELL = """\
%%jaxpr
@jax.jit
def clip(x, low):
    if x < low:
        return low
    return x

clip(x[0], x[1])"""


def test_in_a_cell_the_note_marks_the_expression(kernel_documents: Callable[[str], list[dict[str, Any]]]) -> None:
    (document,) = kernel_documents(CELL)
    (note,) = [note for note in document["notes"] if note["kind"] == "trace_raised"]
    _, _, *span = document["frames"][note["frame"]]
    assert span == [4, 7, 4, 14]
    assert note["title"] == "Python cannot know whether x < low is true while JAX traces"
    assert [(cure["name"], cure["code"]) for cure in note["cures"]] == [
        ("jax.lax.cond", "return jax.lax.cond(x < low, lambda: low, lambda: x)"),
        ("jax.numpy.where", "return jax.numpy.where(x < low, low, x)"),
        ("static_argnames", '@partial(jax.jit, static_argnames=("x", "low"))'),
    ]


def test_a_plain_function_that_cannot_be_traced_has_ways_out_too(
    kernel_documents: Callable[[str], list[dict[str, Any]]],
) -> None:
    (document,) = kernel_documents("%%jaxpr\ndef g(x):\n    if x[0] >= 0:\n        return x\n    return -x\ng(x)")
    (note,) = [note for note in document["notes"] if note["kind"] == "untraceable"]
    assert note["title"] == "Python cannot know whether x[0] >= 0 is true while JAX traces"
    assert note["cures"][0]["code"] == "return jax.lax.cond(x[0] >= 0, lambda: x, lambda: -x)"


def found(source: str, *arguments: object) -> tuple[str | None, str, str | None, list[tuple[str, str | None]]]:
    """Title, text, cure and cures of what f raises."""
    finding = raised(source, *arguments)
    return finding.title, finding.text, finding.cure, [(each.name, each.code) for each in finding.cures]


def test_a_shape_that_is_traced() -> None:
    source = "import jax.numpy as jnp\ndef f(x, n):\n    return x.reshape(n, -1)\n"
    assert found(source, jnp.arange(4.0), 2) == (
        "JAX needs the sizes of a shape while JAX traces",
        "f could not be traced. The trace raised TypeError: Shapes must be 1D sequences of concrete values of integer "
        "type, got (JitTracer(~int32[]), -1). x.reshape(n, -1) reads traced values: n (i32[]), x (f32[4]).",
        None,
        [("static_argnames", 'f = jax.jit(f, static_argnames="n")'), (".shape", None)],
    )


def test_an_axis_that_is_traced() -> None:
    title, text, cure, cures = found("def f(x, axis):\n    return x.min(axis)\n", ROW, 0)
    assert (title, cure) == ("Python needs the value of x.min(axis) while JAX traces", None)
    assert text == (
        "f could not be traced. Python needs the value of an array, for example for an axis or a length. This value "
        "depends on the argument axis. While JAX traces, arguments have shapes but no values. x.min(axis) reads traced "
        "values: axis (i32[]), x (f32[3])."
    )
    assert cures == [("static_argnames", 'f = jax.jit(f, static_argnames="axis")')]


def test_a_mask_as_an_index_keeps_no_shape() -> None:
    _, _, cure, cures = found("def f(x, mask):\n    return x[mask]\n", ROW, ROW > 1)
    assert (cure, cures) == ("Write jnp.where(mask, x, 0), which keeps the shape.", [])


def test_an_argument_that_is_no_array() -> None:
    title, _, cure, cures = found("def f(x, mode):\n    return x\n", ROW, "same")
    assert (title, cure) == ("The argument mode is not an array: its type is str", None)
    assert cures == [("static_argnames", 'f = jax.jit(f, static_argnames="mode")')]


def test_a_method_under_jit_without_static_self() -> None:
    class Model:
        @jax.jit
        def predict(self, x: Any) -> Any:
            return x

    with pytest.raises(TypeError) as caught:
        Model().predict(ROW)
    finding = trace_error(caught.value, "predict")
    assert finding.title == "The argument self is not an array: its type is Model"
    assert [(each.name, each.code) for each in finding.cures] == [
        ("static_argnames", '@partial(jax.jit, static_argnames="self")'),
        ("jax.tree_util.register_dataclass", None),
    ]
