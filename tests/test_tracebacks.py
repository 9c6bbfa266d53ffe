"""Tests errors of the user's code with the extension and without: type, message, and frames."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import Notebook

import jupyter_jaxpr
from jupyter_jaxpr import observe

Make = Callable[..., Notebook]

OURS = os.path.dirname(jupyter_jaxpr.__file__)

SETUP = "import jax, jax.numpy as jnp\nx = jnp.arange(3.0)\ng = jax.jit(lambda y: y + 1)"

ENDLESS = {
    "Python": "def f(n):\n    return f(n + 1)\nf(0)",
    "Python that calls a jitted function": "def f(y):\n    return f(g(y))\nf(x)",
    "a jitted function": "@jax.jit\ndef f(y):\n    return f(y + 1)\nf(x)",
    "a jitted function of ever other types": "@jax.jit\ndef f(y):\n    return f(jnp.concatenate([y, y]))\nf(x)",
    "Python while tracing": "@jax.jit\ndef f(y):\n    def h(n):\n        return h(n + 1)\n    return h(0)\nf(x)",
    "printing while tracing": (
        "@jax.jit\ndef f(y):\n    def h(n):\n        print(n)\n        return h(n + 1)\n    return h(0)\nf(x)"
    ),
    "a jitted function under vmap": "@jax.jit\ndef f(y):\n    return jax.vmap(f)(y[None])\njax.vmap(f)(x)",
    "a jitted function under grad": "@jax.jit\ndef f(y):\n    return f(jnp.tile(y, 2)).sum()\njax.grad(f)(x)",
    "lowering": "@jax.jit\ndef f(y):\n    return f.lower(jnp.tile(y, 2))\nf(x)",
    "eager work while tracing": (
        "@jax.jit\ndef f(y):\n    with jax.ensure_compile_time_eval():\n        return f(jnp.ones(y.size + 1))\nf(x)"
    ),
    "values behind a star": "def values():\n    yield from values()\nmax(*values())",
}

OTHER = {
    "an error in a trace": "@jax.jit\ndef f(y):\n    return y.nothing\nf(x)",
    "an error in a trace under vmap": "@jax.jit\ndef f(y):\n    return y.nothing\njax.vmap(f)(x)",
    "an interrupt in a trace": "@jax.jit\ndef f(y):\n    raise KeyboardInterrupt\nf(x)",
    "an error while lowering": "f = jax.jit(lambda y: y.nothing)\nf.lower(x)",
    "an error in a jitted function that ran": "g(x)\ng(x, x)",
    "an error of a callback": (
        "def no(y):\n    raise ValueError('no')\n"
        "f = jax.jit(lambda y: jax.pure_callback(no, y, y))\nf(x).block_until_ready()"
    ),
    "an error of a custom rule": (
        "@jax.custom_jvp\ndef h(y):\n    return y\n@h.defjvp\ndef rule(p, t):\n    raise ValueError('no rule')\n"
        "jax.grad(lambda y: jax.jit(h)(y).sum())(x)"
    ),
    "a leaf that is no array": "g('a text')",
}


@pytest.fixture(autouse=True)
def low_stack() -> Iterator[None]:
    """Lower Python's recursion limit, because functions that JAX compiles at each level of a recursion take long."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    yield
    sys.setrecursionlimit(limit)


def errors(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def told(error: BaseException) -> tuple[str, str, int]:
    """Return an error's class, its message without addresses and line numbers, and its number of frames."""
    text = re.sub(r"0x[0-9a-f]+|line \d+|ipython-input-\S+", "…", str(error))
    return type(error).__name__, text, len(list(traceback.walk_tb(error.__traceback__)))


def of_ours(error: BaseException) -> list[str]:
    return [
        f"{frame.f_code.co_name} of {frame.f_code.co_filename}"
        for error in errors(error)
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename.startswith(OURS)
    ]


# On the older JAX line, these cases run only in `full`, because the recursion is Python's, and JAX hardly matters.
OF_PYTHON = {"Python", "Python while tracing", "printing while tracing", "values behind a star"}
# On both JAX lines, these cases run only in `full`, because JAX compiles many programs until the stack is full.
LONG = {"lowering", "eager work while tracing"}


def marks(name: str) -> Any:
    if name in LONG:
        return pytest.mark.slow
    return pytest.mark.any_jax if name in OF_PYTHON else ()


NAMES = [pytest.param(name, marks=marks(name)) for name in (*ENDLESS, *OTHER)]
ENDLESS_NAMES = [pytest.param(name, marks=marks(name)) for name in ENDLESS]


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_the_users_is_as_without_us(make_notebook: Make, name: str) -> None:
    cell = {**ENDLESS, **OTHER}[name]
    by_name = {}
    for way in ("first", "without", "loaded", "magic"):  # the run "first" only fills JAX's caches
        notebook = make_notebook(way in ("loaded", "magic"), tracebacks=True)
        # IPython takes seconds to print a traceback of hundreds of frames, and to store it in the history; so it does
        # neither.
        notebook.shell.showtraceback = lambda *_, **__: None
        notebook.shell._format_exception_for_storage = lambda *_, **__: []
        notebook.run(SETUP)
        ran = notebook.run(("%%jaxpr\n" if way == "magic" else "# a cell\n") + cell)
        error = ran.result.error_in_exec
        assert error is not None
        assert of_ours(error) == []
        by_name[way] = told(error)
        if way in ("loaded", "magic"):
            after = notebook.run("%%jaxpr\ng(jnp.ones(7))")
            assert after.programs == ["ran <lambda>(y: f32[7]) -> f32[7]: add"]
    assert by_name["loaded"] == by_name["without"]
    # Under the magic, counting a call may reach the recursion limit first; so only the class of the error is compared.
    assert by_name["magic"][0] == by_name["without"][0]
    if name in OTHER:
        assert by_name["magic"] == by_name["without"]


@pytest.mark.parametrize("name", ENDLESS_NAMES)
def test_an_endless_recursion_in_a_block(name: str) -> None:
    space: dict[str, Any] = {}
    exec(SETUP, space)
    with pytest.raises(RecursionError) as raised, observe():
        exec(ENDLESS[name], space)
    assert of_ours(raised.value) == []
    with observe() as ledger:
        jax.jit(lambda y: y * 3)(jnp.ones(5))
    (record,) = ledger.functions
    assert (record.compiles, [miss.outcome for miss in record.misses]) == (1, ["compiled"])


def test_a_stack_is_as_deep_as_without_us(make_notebook: Make) -> None:
    """A call that just fits below the recursion limit without the extension also fits with it."""
    depths = []
    for extension in (False, True):
        notebook = make_notebook(extension, tracebacks=True)
        notebook.run(
            SETUP
            + "\ndef at(depth):\n    return jax.jit(lambda y: jnp.sin(y) + 1)(x) if depth == 0 else at(depth - 1)\n"
            "def fits(depth):\n    try:\n        at(depth)\n    except RecursionError:\n        return False\n"
            "    return True\nat(0);"
        )
        notebook.run(
            "low, high = 0, 400\nwhile high - low > 1:\n    middle = (low + high) // 2\n"
            "    low, high = (middle, high) if fits(middle) else (low, middle)"
        )
        depths.append(notebook["low"])
    assert depths[0] == depths[1] > 100


def test_what_an_error_leaves_holds_no_array(notebook: Notebook) -> None:
    """After a call that raised, its frame and its arguments are not kept alive."""
    import gc
    import weakref

    notebook.run("@jax.jit\ndef f(y):\n    raise ValueError")
    with observe():
        pass  # the hooks stay
    array = jnp.ones(1000)
    reference = weakref.ref(array)
    with pytest.raises(ValueError):
        jax.vmap(notebook["f"])(array[None])
    del array
    gc.collect()
    assert reference() is None


def test_what_is_printed_after_a_trace_that_raised_was_not_printed_by_it(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(y):\n    print('within')\n    raise ValueError\n"
        "try:\n    f(x)\nexcept ValueError:\n    print('after')"
    )
    assert ran.stdout == "within\nafter\n"
    (note,) = [note for note in ran.document["notes"] if note["kind"] == "printed_while_tracing"]
    assert "within" in note["text"] + str(note.get("detail"))
    assert "after" not in note["text"] + str(note.get("detail"))
