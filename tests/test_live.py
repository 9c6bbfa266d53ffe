"""Tests Live, which traces the functions of a cell while the user edits it, and changes no object of the user."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import jax
import pytest
from conftest import Notebook

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.types.live import LiveProgram
from jupyter_jaxpr.live import live_program as room
from jupyter_jaxpr.live.live_program import Live
from jupyter_jaxpr.live.trace_request import CellToTrace
from jupyter_jaxpr.wire.requests.live_request import _observed

pytestmark = pytest.mark.any_jax

Trace = Callable[..., LiveProgram]


@pytest.fixture
def trace(notebook: Notebook) -> Trace:
    """Return a function that traces a cell live, as the kernel does for the page's request."""
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    live = Live()
    names = notebook.shell.user_ns
    runs = CellObserver.of(notebook.shell).publisher._runs

    def trace(source: str, line: int | None = None, seconds: float = 60.0, **options: Any) -> LiveProgram:
        cell_to_trace = CellToTrace(source, "cell-1", line, **options)
        return live.trace(cell_to_trace, names, lambda name: _observed(name, names, runs), {}, seconds)

    return trace


def text_of(answer: LiveProgram) -> str:
    assert answer.snapshot is not None, answer
    return jj.Snapshot(answer.snapshot).text()


SINE = "{ lambda ; a:f32[8]. let b:f32[8] = sin a in (b,) }"


def on_one_line(text: str) -> str:
    return " ".join(text.split())


# --- traced functions ---


def test_a_cell_is_traced_as_it_is_written(trace: Trace) -> None:
    answer = trace("def f(x):\n    y = jnp.sin(x)\n    return y\nf(x)\n")
    assert (answer.state, answer.function, answer.line, answer.text) == ("traced", "f", 1, None)
    assert on_one_line(text_of(answer)) == SINE
    assert answer.snapshot is not None
    (program,) = answer.snapshot.programs
    assert (program.origin, program.origin_note) == (
        "traced",
        "Live traced this program with the argument types from the call in line 4.",
    )
    cell = answer.snapshot.cell
    assert cell is not None
    assert (cell.id, cell.execution_count, cell.source) == (
        "cell-1",
        None,
        "def f(x):\n    y = jnp.sin(x)\n    return y\nf(x)\n",
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 does not tell of lines")
def test_the_names_of_the_function_have_their_types(trace: Trace) -> None:
    answer = trace("def f(x):\n    y = jnp.sin(x)\n    return y\nf(x)\n")
    assert answer.snapshot is not None
    types = [(name.line, name.name, name.types) for name in jj.Snapshot(answer.snapshot).types()]
    assert types == [(1, "x", ("f32[8]",)), (2, "y", ("f32[8]",)), (3, "return", ("f32[8]",))]


NO_MORE = (
    "The setting “Last level of Live” is {}, so Live does not make the later levels. To see this level, run the "
    "cell, or choose a later level of Live in the View menu."
)


def test_no_kernel_stands_behind_the_document(trace: Trace) -> None:
    answer = trace("def f(x):\n    return lax.fori_loop(0, 3, lambda i, y: y + i, x)\nf(x)\n")
    assert answer.snapshot is not None
    assert [(level.name, level.state, level.reason) for level in answer.snapshot.programs[0].levels] == [
        ("stablehlo", "absent", NO_MORE.format("jaxpr")),
        ("hlo", "absent", NO_MORE.format("jaxpr")),
    ]
    assert [card.steppable for card in answer.snapshot.control_flow] == [
        "The cell has not run with its present text. Run the cell to step through the construct."
    ]


def test_the_code_for_a_python_loop_comes_with_the_run(trace: Trace, notebook: Notebook) -> None:
    source = "def f(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\nf(x)\n"
    answer = trace(source)
    assert answer.snapshot is not None
    (note,) = answer.snapshot.notes
    assert (note.kind, note.title, note.code) == (
        "unrolled_loop",
        "The for loop was unrolled into 30 equations",
        None,
    )
    assert note.cure == (
        "Run the cell: the note then shows this loop with jax.lax, or the reason why there is no such code."
    )
    (code,) = (note["code"] for note in notebook.run("%%jaxpr\n" + source).document["notes"])
    assert code == "x = jax.lax.fori_loop(0, 30, lambda _, x: jnp.sin(x), x)"


TWO = "def f(x):\n    return jnp.sin(x)\n\n@jax.jit\ndef g(x):\n    return jnp.cos(x)\n\nf(x)\ng(x)\nz = 1\n"


@pytest.mark.parametrize(
    ("line", "in_view", "function"),
    [(1, None, "f"), (2, "g", "f"), (4, "f", "g"), (6, "f", "g"), (3, "f", "f"), (None, "f", "f"), (None, "h", "g")],
)
def test_the_function_under_the_caret_else_the_one_in_view_else_the_one_called_last(
    trace: Trace, line: int | None, in_view: str | None, function: str
) -> None:
    assert trace(TWO, line, in_view=in_view).function == function


def test_of_two_definitions_of_a_name_the_one_under_the_caret(trace: Trace) -> None:
    source = "def f(x):\n    return jnp.sin(x)\n\ndef f(x):\n    return jnp.cos(x)\n\nf(x)\n"
    assert "sin" in text_of(trace(source, 1))
    assert "cos" in text_of(trace(source, 5))


def test_a_magic_line_above_and_magics_between_are_not_run(trace: Trace, notebook: Notebook) -> None:
    answer = trace("\n%%jaxpr\n%matplotlib inline\n!touch never\nn = 2\ndef f(x):\n    return x * n\nf(x)\n")
    assert (answer.state, answer.line) == ("traced", 6)
    assert "n" not in notebook.shell.user_ns


# --- the source of the argument types ---


def test_the_target_of_the_magic_comes_first(trace: Trace) -> None:
    answer = trace("%%jaxpr f(f32[2,3], 'a') --time\ndef f(x, name):\n    return jnp.sin(x)\nf(x)\n")
    assert on_one_line(text_of(answer)).startswith("{ lambda ; a:f32[2,3].")


def test_then_the_last_observed_call(trace: Trace, notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(x, w):\n    return x * w\n\nf(x, jnp.ones((3, 8), jnp.float16))")
    answer = trace("@jax.jit\ndef f(x, w):\n    return x + w\n\nf(x, x)")
    assert "w:f16[3,8]" not in (answer.text or "")
    assert on_one_line(text_of(answer)).startswith("{ lambda ; a:f32[8] b:f16[3,8].")
    # The observed call gives types to parameters of the same name, also in another order.
    answer = trace("@jax.jit\ndef f(w, x):\n    return x + w\n")
    assert on_one_line(text_of(answer)).startswith("{ lambda ; a:f16[3,8] b:f32[8].")


def test_static_arguments_of_the_observed_call_are_what_they_were(trace: Trace, notebook: Notebook) -> None:
    head = "from functools import partial\n@partial(jax.jit, static_argnames=('n', 'kind'))\ndef f(x, n, kind):\n"
    notebook.run(head + "    return x * n if kind == 'times' else x\nf(x, 3, kind='times')")
    answer = trace(head + "    return x + n if kind == 'times' else x\n")
    assert on_one_line(text_of(answer)) == "{ lambda ; a:f32[8]. let b:f32[8] = add a 3.0:f32[] in (b,) }"


def test_a_plain_function_of_an_observed_cell(trace: Trace, notebook: Notebook) -> None:
    notebook.run("%%jaxpr\ndef f(a):\n    return jnp.sin(a)\nf(x)")
    answer = trace("def f(a):\n    return jnp.cos(a)\n")
    # No argument types are known: the program of a recorded call has no parameter names, and the new cell has no call.
    assert answer.state in ("traced", "needs_arguments")


@pytest.mark.parametrize(
    ("call", "types"),
    [
        ("f(x, -2.5)", "a:f32[8] b:f32[]"),
        ("f(p['w'], q.size)", "a:f32[3] b:i32[]"),
        ("y = f(pair[0], w=True)", "a:f32[8] b:bool[]"),
        ("print(f(x, [1, x]).sum())", "a:f32[8] b:i32[] c:f32[8]"),
    ],
)
def test_then_the_last_call_whose_arguments_have_values(
    trace: Trace, notebook: Notebook, call: str, types: str
) -> None:
    notebook.run(
        "import typing\nclass Q(typing.NamedTuple):\n    size: int\np = {'w': jnp.ones(3)}\nq = Q(4)\npair = [x, 2]"
    )
    answer = trace(f"def f(x, w):\n    return x\n{call}\n")
    assert on_one_line(text_of(answer)).startswith(f"{{ lambda ; {types}. let")


@pytest.mark.parametrize("call", ["f(jnp.ones(3))", "f(x[0])", "f(x + 1)", "f(*xs)", "f(unknown)", "f(x.T)", "f(o.p)"])
def test_what_would_have_to_be_computed_is_asked_for(trace: Trace, notebook: Notebook, call: str) -> None:
    notebook.run(
        "seen = []\nclass O:\n    @property\n    def p(self):\n        seen.append(1)\n        return x\n"
        "o = O()\nxs = [x]"
    )
    answer = trace(f"def f(x):\n    return jnp.sin(x)\n{call}\n")
    assert (answer.state, answer.function) == ("needs_arguments", "f")
    assert answer.text == (
        "Live does not know the argument types of f. Type the types here, such as f32[8], or run the cell."
    )
    assert notebook["seen"] == []


def test_the_types_that_the_user_types(trace: Trace) -> None:
    source = "def f(x, n):\n    return x * n\n"
    for specs in ("f32[2,3], 4", "f(f32[2,3], n=4)"):
        assert on_one_line(text_of(trace(source, specs=specs))).startswith("{ lambda ; a:f32[2,3] b:i32[].")
    answer = trace(source, specs="f23[2], 4")
    assert (answer.state, answer.text) == (
        "needs_arguments",
        "'f23[2]': there is no dtype f23. Did you mean f32? Write, for example, f32, bf16, i32 or bool.",
    )
    answer = trace(source, specs="jnp.ones(3), 4")
    assert (answer.state, answer.text) == (
        "needs_arguments",
        "Live does not run the code jnp.ones(3). Type a type, such as f32[8], or a name that has a value.",
    )


def test_a_function_without_known_arguments_is_traced_within_the_one_that_calls_it(trace: Trace) -> None:
    source = """\
def step(carry, x):
    return carry + x, jnp.sin(carry)

def around(xs):
    return lax.scan(step, 0.0, xs)

def other(x):
    return step

around(x)
"""
    answer = trace(source, 2)
    assert (answer.state, answer.function, answer.line) == ("traced", "around", 4)
    assert "sin" in text_of(answer)
    assert trace(source.replace("lax.scan(step, 0.0, xs)", "xs"), 2).state == "needs_arguments"


def test_a_function_without_parameters_needs_no_arguments(trace: Trace) -> None:
    assert trace("def f():\n    return jnp.sin(1.0)\n").state == "traced"


# --- functions that are not traced ---

REFUSED = [
    (
        "def log(f):\n    seen.append(f)\n    return f\n\n@log\ndef f(x):\n    return x\nf(x)\n",
        6,
        "Live does not execute log in line 6, so f is not traced. Run the cell.",
    ),
    (
        "def f(x, y=jnp.ones(3)):\n    return x\nf(x)\n",
        1,
        "Live does not execute jnp.ones(3) in line 1, so f is not traced. Run the cell.",
    ),
    (
        "def f(x, y=seen.append(1)):\n    return x\nf(x)\n",
        1,
        "Live does not execute seen.append(1) in line 1, so f is not traced. Run the cell.",
    ),
    (
        "def f(x):\n    seen.append(x)\n    return x\nf(x)\n",
        2,
        "f is not traced live. Line 2 calls seen.append, which changes an object that existed before the call. "
        "Run the cell to see the program.",
    ),
    (
        "def f(x):\n    open('never', 'w')\n    return x\nf(x)\n",
        2,
        "f is not traced live. Line 2 calls open, which may change files, processes, connections, queues or threads. "
        "Run the cell to see the program.",
    ),
    (
        "y = jnp.zeros(3)\ndef f(x):\n    return x + y\nf(x)\n",
        1,
        "Live does not execute line 1, so y has no value yet. Run the cell.",
    ),
    (
        "import wave\ndef f(x):\n    return wave.open('never')\nf(x)\n",
        1,
        "wave is not imported in the kernel. Run the cell, or import wave in another cell.",
    ),
    (
        "later = open\n@later\ndef f(x):\n    return x\n",
        3,
        "Live does not execute later in line 3, so f is not traced. Run the cell.",
    ),
    (
        "later = print()\n@later\ndef f(x):\n    return x\n",
        3,
        "Live does not execute line 3, so later has no value yet. Run the cell.",
    ),
]


@pytest.mark.parametrize(("source", "line", "text"), REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_what_is_refused_is_named(trace: Trace, notebook: Notebook, source: str, line: int, text: str) -> None:
    sys.modules.pop("wave", None)
    notebook.run("seen = []")
    answer = trace(source)
    assert (answer.state, answer.line) == ("not_traced", line)
    assert answer.text == text
    assert notebook["seen"] == []
    assert "wave" not in sys.modules


MISSPELT = [
    (
        "def f(x):\n    y = jnp.sinn(x)\n    return y\nf(x)\n",
        2,
        "f could not be traced.",
        "AttributeError: module 'jax.numpy' has no attribute 'sinn'",
    ),
    (
        "def f(x):\n    return foo(x)\nf(x)\n",
        2,
        "f could not be traced. The trace raised NameError: name 'foo' is not defined.",
        "NameError: name 'foo' is not defined",
    ),
    (
        "@jax.jit\ndef g(x):\n    return {'a': jax.lax.tahn(x)}\ndef f(x):\n    return g(x)\nf(x)\n",
        3,
        "The call raised AttributeError: module 'jax.lax' has no attribute 'tahn'.",
        "AttributeError: module 'jax.lax' has no attribute 'tahn'",
    ),
    (
        "@jax.jitt\ndef f(x):\n    return x\nf(x)\n",
        1,
        "Live could not define the functions of the cell. The cell raised AttributeError: module 'jax' has no "
        "attribute 'jitt'.",
        "AttributeError: module 'jax' has no attribute 'jitt'",
    ),
    (
        "@jittt\ndef f(x):\n    return x\nf(x)\n",
        1,
        "Live could not define the functions of the cell. The cell raised NameError: name 'jittt' is not defined.",
        "NameError: name 'jittt' is not defined",
    ),
]


@pytest.mark.parametrize(
    ("source", "line", "text", "error"), MISSPELT, ids=[str(number) for number in range(len(MISSPELT))]
)
def test_a_misspelt_name_is_an_error_at_its_place(trace: Trace, source: str, line: int, text: str, error: str) -> None:
    answer = trace(source)
    assert (answer.state, answer.line, answer.text) == ("raised", line, text)
    assert answer.snapshot is not None
    (note,) = answer.snapshot.notes
    assert error in (note.detail or "")
    assert answer.snapshot.frames[note.frame].line == line


UNKNOWN = [
    # Here the cell assigns the name in a function that Live does not call.
    (
        "install()\ndef f(x):\n    return foo(x)\nf(x)\ndef install():\n    global foo\n    foo = jnp.sin\n",
        "f is not traced live. Line 3 reads foo, which has no value. Run the cell to see the program.",
    ),
    (
        "jnp.sinn = jnp.sin\ndef f(x):\n    return jnp.sinn(x)\nf(x)\n",
        "f is not traced live. Line 3 reads the attribute sinn, which the module does not have. Run the cell to see "
        "the program.",
    ),
    # Here the import might add the attribute to the module.
    (
        "import wave\ndef f(x):\n    return jnp.sinn(x)\nf(x)\n",
        "f is not traced live. Line 3 reads the attribute sinn, which the module does not have. Run the cell to see "
        "the program.",
    ),
    # Here the magic might assign the name.
    (
        "%run names.py\ndef f(x):\n    return foo(x)\nf(x)\n",
        "f is not traced live. Line 3 reads foo, which has no value. Run the cell to see the program.",
    ),
    # Here `getattr` has a default value, so the missing attribute is no error.
    (
        "def f(x):\n    return getattr(jnp, 'sinn', seen.append)(x)\nf(x)\n",
        "f is not traced live. Line 2 calls getattr(jnp, 'sinn', seen.append), which changes an object that existed "
        "before the call. Run the cell to see the program.",
    ),
]


@pytest.mark.parametrize(("source", "text"), UNKNOWN, ids=[str(number) for number in range(len(UNKNOWN))])
def test_a_name_that_the_cell_may_make_is_no_error(trace: Trace, notebook: Notebook, source: str, text: str) -> None:
    sys.modules.pop("wave", None)
    notebook.run("seen = []")
    answer = trace(source, line=next(at for at, row in enumerate(source.split("\n"), 1) if row.startswith("def f")))
    assert (answer.state, answer.text) == ("not_traced", text)
    assert notebook["seen"] == []


def test_a_name_that_a_comprehension_assigns(trace: Trace) -> None:
    """The comprehension assigns the name in the function around it, and with `global` in the module."""
    source = "def f(x):\n    ys = [last := x * i for i in range(1, 3) for j in range(1)]\n    return last\nf(x)\n"
    assert on_one_line(text_of(trace(source))) == (
        "{ lambda ; a:f32[8]. let _:f32[8] = mul a 1.0:f32[] b:f32[8] = mul a 2.0:f32[] in (b,) }"
    )
    answer = trace("def f(x):\n    global last\n    ys = [last := x * i for i in range(3)]\n    return x\nf(x)\n")
    assert (answer.state, answer.text) == (
        "not_traced",
        "f is not traced live. Line 3 assigns last, a variable outside of the function. Run the cell to see the "
        "program.",
    )


def test_a_function_that_returns_no_arrays_is_an_error_only_where_jax_traces_the_function(trace: Trace) -> None:
    make = "def make(n):\n    def f(x):\n        return x * n\n    return f\nf = make(3)\nf(x)\n"
    answer = trace(make)
    assert (answer.state, answer.line, answer.text) == (
        "not_traced",
        1,
        "make is not traced live. The function returns an object of the class function, and a program of JAX returns "
        "arrays, numbers, and lists, tuples and dicts of arrays and numbers.",
    )
    source = "def f(x):\n    return {'a': {1}}\nf(x)\n"
    assert "of the class set," in (trace(source).text or "")
    assert trace(f"%%jaxpr f(x)\n{source}").state == "raised"
    assert trace(f"@jax.jit\n{source}").state == "raised"


def test_a_target_without_a_meaning_is_named(trace: Trace) -> None:
    """A broken target is only reported for the function that it names; for another function it is ignored."""
    cell = "%%jaxpr {}\ndef g(x):\n    return x\ndef f(x):\n    return g(x)\nf(x)\n"
    answer = trace(cell.format("--time f(f32[3, 4)"), line=4)
    assert (answer.state, answer.function, answer.text) == (
        "needs_arguments",
        "f",
        "Live cannot read the target in the line of the magic. 'f(f32[3, 4)' does not parse (closing parenthesis ')' "
        "does not match opening parenthesis '['). Write a call, such as f(x), f(f32[8,128], n=3) or "
        "f({'w': bf16[128,4]}).",
    )
    # g would be traced through its caller f, but the target of f cannot be read.
    assert trace(cell.format("f(f32[3, 4)"), line=2).text == answer.text
    assert trace(cell.format("f(f23[3])"), line=4).text == (
        "Live cannot read the target in the line of the magic. 'f23[3]': there is no dtype f23. Did you mean f32? "
        "Write, for example, f32, bf16, i32 or bool."
    )
    assert trace(cell.format("h(f32[3, 4)"), line=4).state == "traced"
    assert trace(cell.format("--time"), line=4).state == "traced"
    assert on_one_line(text_of(trace(cell.format("f(f32[3, 4)"), line=4, specs="f32[2]"))).startswith(
        "{ lambda ; a:f32[2]."
    )


def test_values_of_the_last_run_are_named(trace: Trace, notebook: Notebook) -> None:
    notebook.run("y = jnp.zeros(8)")
    answer = trace("y = jnp.zeros(3)\ndef f(x):\n    return x + y\nf(x)\n")
    assert (answer.state, answer.text) == (
        "traced",
        "Live does not execute line 1. y has the value of the last run.",
    )


def test_a_function_of_an_earlier_cell_that_calls_the_one_of_before(trace: Trace, notebook: Notebook) -> None:
    model = "def model(x):\n    return jnp.sin(x)\n"
    notebook.run(model + "model(x)")
    notebook.run("def loss(x):\n    return model(x).sum()")
    step = "def step(x):\n    return loss(x)\nstep(x)\n"
    answer = trace(model.replace("sin", "cos") + step, in_view="step")
    assert (answer.state, answer.function, answer.text) == (
        "traced",
        "step",
        "loss, of an earlier cell, calls model as the last run defined model, not as this cell defines model now.",
    )
    assert trace(model + step, in_view="step").text is None


@pytest.mark.parametrize("source", ["", "x = 3\n", "f = jax.jit(lambda x: x)\n", "class A:\n    pass\n"])
def test_a_cell_without_functions(trace: Trace, source: str) -> None:
    answer = trace(source)
    assert (answer.state, answer.text) == ("no_function", "This cell defines no function that Live could trace.")


@pytest.mark.parametrize(
    "source", ["def f(x:\n", "def f(x):\nreturn x", "%%bash\nls", "%%html\n<b>", "f(" * 500, "x = '\0'"]
)
def test_what_is_no_python_is_one_quiet_word(trace: Trace, source: str) -> None:
    answer = trace(source)
    assert (answer.state, answer.text, answer.snapshot) == ("no_python", None, None)


# --- definitions ---

DEFINED = [
    "@jax.custom_vjp\ndef f(x):\n    return x * 2\ndef forward(x):\n    return x * 2, ()\ndef backward(r, g):\n"
    "    return (g,)\nf.defvjp(forward, backward)\ndef h(x):\n    return jax.grad(lambda x: f(x).sum())(x)\nh(x)\n",
    "@jax.custom_jvp\ndef f(x):\n    return x * 2\n@f.defjvp\ndef rule(primals, tangents):\n    return f(*primals), "
    "tangents[0]\ndef h(x):\n    return jax.jvp(f, (x,), (x,))\nh(x)\n",
    "loss = lambda w: (w ** 2).sum()\ngradient = jax.grad(loss)\ndef h(x):\n    return gradient(x)\nh(x)\n",
    "import functools as ft\n@ft.partial(jax.vmap, in_axes=(0, None))\ndef h(x, n=2):\n    return x * n\nh(x, 2)\n",
    "N, M = 2, 3\nAXES: tuple = (0,)\nsin = jnp.sin\ndef h(x, n=N):\n    return sin(x).sum(AXES) * M\nh(x)\n",
    "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass C:\n    n: int = 3\n"
    "    w: list = field(default_factory=list)\n    def m(self, x):\n        return helper(x) * self.n\n"
    "def helper(x):\n    return x\ndef h(x):\n    return C().m(x)\nh(x)\n",
    "from jax import numpy as np2, lax\nimport jax.numpy as np3\ndef h(x):\n"
    "    return lax.sin(np2.cos(np3.exp(x)))\nh(x)\n",
]


@pytest.mark.parametrize("source", DEFINED, ids=[str(number) for number in range(len(DEFINED))])
def test_what_defines_is_executed(trace: Trace, notebook: Notebook, source: str) -> None:
    before = dict(notebook.shell.user_ns)
    answer = trace(source)
    assert (answer.state, answer.text) == ("traced", None)
    assert answer.function == "h"
    assert notebook.shell.user_ns == before
    assert notebook.run(source).result.success


def test_annotations_are_not_evaluated(trace: Trace) -> None:
    assert trace("def h(x: later[3]) -> not_there():\n    return x\nh(x)\n").state == "traced"


def test_a_class_is_made_once_for_each_text(trace: Trace, notebook: Notebook) -> None:
    source = "class C:\n    def m(self, x):\n        return x * 2\ndef h(x):\n    return C().m(x)\nh(x)\n"
    original = room.DefinedClasses.keep
    texts: list[str] = []

    def keep(self: Any, cell: str, name: str, text: str, made_class: Any) -> None:
        texts.append(text)
        original(self, cell, name, text, made_class)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room.DefinedClasses, "keep", keep)
        assert "2.0" in text_of(trace(source))
        assert "2.0" in text_of(trace(source))
        assert "3.0" in text_of(trace(source.replace("2", "3")))
        assert len(texts) == 2
        notebook.run(source)
        trace(source)
    assert len(texts) == 2


def test_a_class_with_a_base_of_another_package_is_not_made(trace: Trace, notebook: Notebook) -> None:
    notebook.run("made = []\nclass Base:\n    def __init_subclass__(cls):\n        made.append(cls)")
    answer = trace("class C(Base):\n    pass\ndef h(x):\n    return C()\nh(x)\n")
    assert (answer.state, answer.text) == (
        "not_traced",
        "Live does not execute line 1, so C has no value yet. Run the cell.",
    )
    assert notebook["made"] == []


# --- errors ---


def test_an_error_is_a_card_at_its_expression(trace: Trace) -> None:
    answer = trace("def f(x):\n    y = jnp.sin(x)\n    return jnp.dot(y, x[:3])\nf(x)\n")
    assert (answer.state, answer.function, answer.line) == ("raised", "f", 3)
    assert answer.snapshot is not None
    assert answer.snapshot.programs == []
    (note,) = [note for note in answer.snapshot.notes if note.kind == "trace_raised"]
    assert note.title is not None
    frame = answer.snapshot.frames[note.frame]
    assert (frame.line, frame.column, frame.end_column) == (3, 11, 28)


def test_an_error_in_a_definition(trace: Trace) -> None:
    answer = trace("@jax.jit(static_argnums='n')\ndef f(x):\n    return x\nf(x)\n")
    assert answer.state == "raised"
    assert (answer.text or "").startswith("Live could not define the functions of the cell. The cell raised ")


def test_what_is_printed_is_shown_and_not_printed(trace: Trace, capsys: pytest.CaptureFixture[str]) -> None:
    answer = trace("def f(x):\n    print('A' * 10_000_000)\n    return x\nf(x)\n")
    assert answer.state == "traced"
    assert capsys.readouterr().out == ""
    assert answer.snapshot is not None
    (note,) = [note for note in answer.snapshot.notes if note.kind == "printed_while_tracing"]
    assert len(note.detail or "") <= 20_000


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        pass",
        "while True:\n        x = x + 1",
        "while True:\n        try:\n            x = jnp.sin(x)\n        except Exception:\n            pass",
    ],
)
def test_a_trace_without_end_is_stopped(trace: Trace, body: str) -> None:
    answer = trace(f"def f(x):\n    {body}\n    return x\nf(x)\n", seconds=0.3)
    assert (answer.state, answer.text) == (
        "stopped",
        "Live stopped the trace of f after 300\N{NO-BREAK SPACE}ms. Run the cell to see the program.",
    )
    assert on_one_line(text_of(trace("def f(x):\n    return jnp.sin(x)\nf(x)\n"))) == SINE
    assert jax.jit(lambda x: x + 1)(1) == 2


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("while True:\n        try:\n            x = jnp.sin(x)\n        except BaseException:\n            pass", 5),
        ("while True:\n        try:\n            x = jnp.sin(x)\n        except:\n            x = x + 1", 5),
        (
            "while True:\n        try:\n            x = x * 2\n        except (ValueError, BaseException):\n"
            "            pass",
            5,
        ),
        ("for i in range(9):\n        try:\n            x = x + 1\n        finally:\n            continue", 3),
    ],
)
def test_code_that_a_stop_cannot_end_is_not_traced(trace: Trace, body: str, line: int) -> None:
    answer = trace(f"def f(x):\n    {body}\n    return x\nf(x)\n", seconds=0.3)
    assert (answer.state, answer.line) == ("not_traced", line)
    assert "catches every exception, so that Live could not stop the trace" in (answer.text or "")


def test_code_that_raises_again_is_traced(trace: Trace) -> None:
    body = "try:\n        x = jnp.sin(x)\n    except BaseException:\n        raise"
    assert trace(f"def f(x):\n    {body}\n    return x\nf(x)\n").state == "traced"


# --- no harm ---


def test_a_helper_that_live_has_traced_is_traced_by_its_own_call(trace: Trace, notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef helper(x):\n    print('helper')\n    return jnp.sin(x)")
    assert trace("def f(x):\n    return helper(x)\nf(x)\n").state == "traced"
    ran = notebook.run("%%jaxpr\nhelper(x);")
    assert ran.stdout == "helper\n"
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["name"] == "helper"]
    assert (function["run"]["traces"], function["run"]["misses"]) == (1, 1)


def test_warnings_are_neither_shown_nor_used_up(trace: Trace, notebook: Notebook) -> None:
    filters = list(warnings.filters)
    source = "def f(x):\n    return x.astype(jnp.float64)\nf(x)\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        assert trace(source).state == "traced"
        assert caught == []
        warn = threading.Thread(target=lambda: warnings.warn("mine", stacklevel=1))
        warn.start()
        warn.join()
        assert [str(warning.message) for warning in caught] == ["mine"]
    assert list(warnings.filters) == filters
    with pytest.warns(UserWarning, match="float64"):
        notebook.run(source)


def test_no_array_lives_longer(trace: Trace, notebook: Notebook) -> None:
    notebook.run("w = jnp.ones(1000)")
    gc.collect()
    before = len(jax.live_arrays())
    answer = trace("def f(x):\n    return x + w.sum() + jnp.asarray([1.0, 2.0]).sum()\nf(x)\n")
    assert answer.state == "traced"
    gc.collect()
    assert len(jax.live_arrays()) == before
    del notebook.shell.user_ns["w"]
    gc.collect()
    assert len(jax.live_arrays()) == before - 1


def test_the_ledger_is_the_same(trace: Trace, notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(x):\n    return jnp.sin(x)\nf(x)")
    before = notebook["f"]._cache_size()
    for body in ("jnp.sin(x)", "jnp.cos(x)", "f(x)"):
        assert trace(f"@jax.jit\ndef g(x):\n    return {body}\ng(x)\n").state == "traced"
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    f(x)")
    (function,) = [
        function
        for function in ran.document["ledger"]["functions"]
        if function["name"] == "f" and function["run"]["calls"]
    ]
    assert (function["name"], function["run"]["calls"], function["run"]["misses"]) == ("f", 3, 0)
    assert notebook["f"]._cache_size() == before


def test_two_threads_print_and_only_one_is_recorded(trace: Trace, capsys: pytest.CaptureFixture[str]) -> None:
    stop = threading.Event()

    def go_on_printing() -> None:
        while not stop.is_set():
            print("mine")

    thread = threading.Thread(target=go_on_printing)
    thread.start()
    for _ in range(20):
        answer = trace("def f(x):\n    print('theirs')\n    return x\nf(x)\n")
        assert answer.state == "traced"
    stop.set()
    thread.join()
    assert "theirs" not in capsys.readouterr().out
    assert "write" not in vars(sys.stdout)


STOPPED_AND_TRACED = """
import sys, time
from jupyter_jaxpr.live.live_time_limit import TookTooLong, time_limit
for code in ("while True: pass", "time.sleep(0.05)"):
    try:
        with time_limit(0.01):
            exec(code)
    except TookTooLong:
        print("stopped")
calls = []
sys.settrace(lambda frame, event, argument: calls.append(frame.f_code.co_name))
def traced():
    return 1
traced()
sys.settrace(None)
print(calls)
"""


def test_a_stop_leaves_debuggers_usable() -> None:
    """Python 3.11 hangs under a trace function if an exception that was requested for a thread has been cancelled."""
    command = [sys.executable, "-c", STOPPED_AND_TRACED]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout.splitlines()[-1:], ran.stderr) == (["['traced']"], "")
