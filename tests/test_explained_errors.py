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


@dataclass
class Case:
    """A function f that cannot be traced, and what is said of it."""

    source: str
    arguments: tuple[object, ...]
    marked: str
    title: str
    cures: list[tuple[str, str | None]]


USES = "import jax.numpy as jnp\nfrom jax import lax\n"

CASES = {
    "an if that returns": Case(
        "@jax.jit\ndef f(x, rate):\n    if x > 0:\n        return x\n    return rate * (jnp.exp(x) - 1)\n",
        (ONE, ONE),
        "x > 0",
        "Python cannot know whether x > 0 is true while JAX traces",
        [
            ("jax.lax.cond", "return jax.lax.cond(x > 0, lambda: x, lambda: rate * (jnp.exp(x) - 1))"),
            ("jnp.where", "return jnp.where(x > 0, x, rate * (jnp.exp(x) - 1))"),
            ("static_argnames", '@partial(jax.jit, static_argnames="x")'),
        ],
    ),
    "an if and an else that assign": Case(
        "def f(x):\n    if x > 0 and x < 3:\n        y = x\n    else:\n        y = jnp.sin(x)\n    return y\n",
        (ONE,),
        "x > 0",
        "Python cannot know whether x > 0 is true while JAX traces",
        [
            ("jax.lax.cond", "y = jax.lax.cond((x > 0) & (x < 3), lambda: x, lambda: jnp.sin(x))"),
            ("jnp.where", "y = jnp.where((x > 0) & (x < 3), x, jnp.sin(x))"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="x")'),
        ],
    ),
    "an if of one side": Case(
        "def f(x):\n    if not x > 2:\n        x += jnp.sin(x)\n    return x\n",
        (ONE,),
        "x > 2",
        "Python cannot know whether x > 2 is true while JAX traces",
        [
            ("jax.lax.cond", "x = jax.lax.cond(~(x > 2), lambda: x + jnp.sin(x), lambda: x)"),
            ("jnp.where", "x = jnp.where(~(x > 2), x + jnp.sin(x), x)"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="x")'),
        ],
    ),
    "an if of a whole array": Case(
        "def f(xs):\n    if xs.sum() > 2:\n        return xs\n    return -xs\n",
        (ROW,),
        "xs.sum() > 2",
        "Python cannot know whether xs.sum() > 2 is true while JAX traces",
        [
            ("jax.lax.cond", "return jax.lax.cond(xs.sum() > 2, lambda: xs, lambda: -xs)"),
            ("jnp.where", "return jnp.where(xs.sum() > 2, xs, -xs)"),
        ],
    ),
    "a choice in an expression": Case(
        f"{USES}def f(x):\n    return x if 0 < x < 3 else -x\n",
        (ONE,),
        "0 < x < 3",
        "Python cannot know whether 0 < x < 3 is true while JAX traces",
        [
            ("lax.cond", "lax.cond((0 < x) & (x < 3), lambda: x, lambda: -x)"),
            ("jnp.where", "jnp.where((0 < x) & (x < 3), x, -x)"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="x")'),
        ],
    ),
    "a while": Case(
        f"{USES}def f(x, n):\n    i = 0\n    while i < n:\n        x = x * 2\n        i += 1\n    return x\n",
        (ONE, 3),
        "i < n",
        "Python cannot know whether i < n is true while JAX traces",
        [
            (
                "lax.while_loop",
                textwrap.dedent("""\
                    def condition(carry):
                        x, i = carry
                        return i < n

                    def body(carry):
                        x, i = carry
                        x = x * 2
                        i += 1
                        return x, i

                    x, i = lax.while_loop(condition, body, (x, i))"""),
            ),
            ("lax.fori_loop", "def body(i, x):\n    x = x * 2\n    return x\n\nx = lax.fori_loop(i, n, body, x)"),
            ("scan with a mask", "lax.scan(step, carry, jnp.arange(most))  # in step: jnp.where(i < n, new, old)"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="n")'),
        ],
    ),
    "a while that writes its sum out": Case(
        f"{USES}def f(x, n):\n    i = 0\n    while i < n:\n        x = x * 2\n        i = i + 1\n    return x\n",
        (ONE, 3),
        "i < n",
        "Python cannot know whether i < n is true while JAX traces",
        [
            (
                "lax.while_loop",
                textwrap.dedent("""\
                    def condition(carry):
                        x, i = carry
                        return i < n

                    def body(carry):
                        x, i = carry
                        x = x * 2
                        i = i + 1
                        return x, i

                    x, i = lax.while_loop(condition, body, (x, i))"""),
            ),
            ("lax.fori_loop", "def body(i, x):\n    x = x * 2\n    return x\n\nx = lax.fori_loop(i, n, body, x)"),
            ("scan with a mask", "lax.scan(step, carry, jnp.arange(most))  # in step: jnp.where(i < n, new, old)"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="n")'),
        ],
    ),
    "a for": Case(
        f"{USES}def f(x, n):\n    for i in range(n):\n        x = x * 2 + i\n    return x\n",
        (ONE, 3),
        "range(n)",
        "Python needs the value of range(n) while JAX traces",
        [
            ("lax.fori_loop", "x = lax.fori_loop(0, n, lambda i, x: x * 2 + i, x)"),
            ("scan with a mask", "lax.scan(step, carry, jnp.arange(most))  # in step: jnp.where(i < n, new, old)"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="n")'),
        ],
    ),
    "a scan of a traced length": Case(
        f"{USES}def f(n):\n    return lax.scan(lambda c, x: (c + 1, c), 0, None, length=n)\n",
        (3,),
        "lax.scan(lambda c, x: (c + 1, c), 0, None, length=n)",
        "JAX needs the length of a scan while JAX traces",
        [
            ("scan with a mask", "lax.scan(step, carry, jnp.arange(most))  # in step: jnp.where(i < n, new, old)"),
            ("lax.fori_loop", None),
            ("static_argnames", 'f = jax.jit(f, static_argnames="n")'),
        ],
    ),
    "a list at a traced place": Case(
        f"{USES}def f(i):\n    table = [1.0, 2.0, 4.0]\n    return table[i]\n",
        (1,),
        "table[i]",
        "Python needs the value of table[i] while JAX traces",
        [("jnp.asarray", "jnp.asarray(table)[i]"), ("static_argnames", 'f = jax.jit(f, static_argnames="i")')],
    ),
    "an assert": Case(
        "def f(x):\n    assert x > 0, 'positive'\n    return x\n",
        (ONE,),
        "x > 0",
        "Python cannot know whether x > 0 is true while JAX traces",
        [
            ("checkify", "checkify.check(x > 0, 'what is wrong')"),
            ("static_argnames", 'f = jax.jit(f, static_argnames="x")'),
        ],
    ),
    "a carry that becomes a float": Case(
        f"{USES}def f(xs):\n    def step(c, x):\n        return c + x, c\n\n"
        "    return lax.scan(step, jnp.int32(0), xs)\n",
        (ROW,),
        "lax.scan(step, jnp.int32(0), xs)",
        "The carry of scan changes its type: int32[] → float32[]",
        [
            ("start with float32", "lax.scan(step, jnp.float32(0), xs)"),
            ("stay int32", "return (c + x).astype('int32'), c"),
        ],
    ),
    "a leaf of a carry that becomes a float": Case(
        f"{USES}def f(xs):\n    def step(c, x):\n        return {{'n': c['n'] + x, 'm': c['m']}}, None\n\n"
        "    return lax.scan(step, {'n': jnp.int32(0), 'm': 0.0}, xs)\n",
        (ROW,),
        "lax.scan(step, {'n': jnp.int32(0), 'm': 0.0}, xs)",
        "The carry of scan changes its type: int32[] → float32[]",
        [("start with float32", None), ("stay int32", None)],
    ),
    "a carry of a fori_loop": Case(
        f"{USES}def f(s):\n    return lax.fori_loop(0, 3, lambda i, s: s + 0.5, s)\n",
        (jnp.int32(1),),
        "lax.fori_loop(0, 3, lambda i, s: s + 0.5, s)",
        "The carry of fori_loop changes its type: int32[] → float32[]",
        [
            ("start with float32", "lax.fori_loop(0, 3, lambda i, s: s + 0.5, jnp.asarray(s, jnp.float32))"),
            ("stay int32", "return (s + 0.5).astype('int32')"),
        ],
    ),
    "a carry that grows": Case(
        f"{USES}def f(xs):\n    return lax.scan(lambda c, x: (jnp.append(c, x), None), jnp.zeros(1), xs)\n",
        (ROW,),
        "lax.scan(lambda c, x: (jnp.append(c, x), None), jnp.zeros(1), xs)",
        "The carry of scan changes its type: float32[1] → float32[2]",
        [("same shape", None), ("ys", None)],
    ),
    "a carry of another structure": Case(
        f"{USES}def f(xs):\n    return lax.scan(lambda c, x: ((c, x), None), 0.0, xs)\n",
        (ROW,),
        "lax.scan(lambda c, x: ((c, x), None), 0.0, xs)",
        "The carry of scan changes its structure",
        [("same structure", None)],
    ),
    "a step that returns no pair": Case(
        f"{USES}def f(xs):\n    return lax.scan(lambda c, x: c + x, 0.0, xs)\n",
        (ROW,),
        "lax.scan(lambda c, x: c + x, 0.0, xs)",
        "The body of a scan must return a pair: the new carry and the step's output",
        [("a pair", "return c + x, None")],
    ),
    "branches of two types": Case(
        f"{USES}def f(x):\n    return lax.cond(x > 0, lambda x: x, lambda x: 1, x)\n",
        (ONE,),
        "lax.cond(x > 0, lambda x: x, lambda x: 1, x)",
        "The branches of cond return different types: float32[] and int32[]",
        [("return float32", "lax.cond(x > 0, lambda x: x, lambda x: jnp.asarray(1, jnp.float32), x)")],
    ),
    "branches of two structures": Case(
        f"{USES}def f(x):\n    return lax.cond(x > 0, lambda: x, lambda: (x, x))\n",
        (ONE,),
        "lax.cond(x > 0, lambda: x, lambda: (x, x))",
        "The branches of cond return different structures",
        [("same structure", None)],
    ),
    "a gradient of a while_loop": Case(
        f"{USES}def f(x):\n    return jax.grad(lambda y: lax.while_loop(lambda s: s < 9, lambda s: s * 2, y))(x)\n",
        (ONE,),
        "jax.grad(lambda y: lax.while_loop(lambda s: s < 9, lambda s: s * 2, y))(x)",
        "jax.grad does not work through a while_loop",
        [("jax.lax.fori_loop", None), ("scan with a mask", None), ("jax.jacfwd", None)],
    ),
    "xs of two lengths": Case(
        f"{USES}def f(xs):\n    return lax.scan(lambda c, x: (c, x), 0.0, (xs, jnp.ones(4)))\n",
        (ROW,),
        "lax.scan(lambda c, x: (c, x), 0.0, (xs, jnp.ones(4)))",
        "The arrays in the xs of a scan have different lengths: 3, 4",
        [("same length", None)],
    ),
    "a condition that is an array": Case(
        f"{USES}def f(xs):\n    return lax.while_loop(lambda s: s < 9, lambda s: s * 2, xs)\n",
        (ROW,),
        "lax.while_loop(lambda s: s < 9, lambda s: s * 2, xs)",
        "A condition must be a single boolean",
        [(".any() or .all()", None), ("jnp.where", None)],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_expression_is_marked_and_ways_out_are_listed(case: Case) -> None:
    finding = raised(case.source, *case.arguments)
    assert marked(case.source, finding) == case.marked
    assert finding.title == case.title
    assert [(cure.name, cure.code) for cure in finding.cures] == case.cures
    assert all(cure.text.endswith(".") for cure in finding.cures)


WRITTEN = {
    # What to put where the error was, and what f then gives.
    "an if that returns": ("    {0}\n", (ONE, ONE), 1.5),
    "an if and an else that assign": ("    {0}\n    return y\n", (ONE,), 1.5),
    "an if of one side": ("    {0}\n    return x\n", (ONE,), 1.5 + np.sin(1.5)),
    "a choice in an expression": ("    return {0}\n", (ONE,), 1.5),
    "a while": ("    i = 0\n{0}\n    return x\n", (ONE, 3), 12.0),
    "a for": ("{0}\n    return x\n", (ONE, 3), 16.0),
    "a list at a traced place": ("    table = [1.0, 2.0, 4.0]\n    return {0}\n", (1,), 2.0),
    "a carry that becomes a float": (
        "    def step(c, x):\n        return c + x, c\n    return {0}[0]\n",
        (ROW,),
        3.0,
    ),
    "a carry of a fori_loop": ("    return {0}\n", (jnp.int32(1),), 2.5),
    "branches of two types": ("    return {0}\n", (jnp.float32(-1.0),), 1.0),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_to_be_written_can_be_traced(name: str) -> None:
    case = CASES[name]
    rest, arguments, expected = WRITTEN[name]
    head = next(line for line in case.source.split("\n") if line.startswith("def f"))
    codes = [
        cure.code
        for cure in raised(case.source, *case.arguments).cures
        if cure.code and cure.name not in ("static_argnames", "scan with a mask") and not cure.name.startswith("stay")
    ]
    assert codes
    for code in codes:
        indented = textwrap.indent(code, "    ")
        body = rest.format(indented.lstrip() if "return {0}" in rest or "    {0}" in rest else indented)
        fun = jax.jit(space_of(f"{USES}{head}\n{body}")["f"])
        np.testing.assert_allclose(fun(*arguments), expected, rtol=1e-6)


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
