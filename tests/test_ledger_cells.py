"""Tests the ledger of cells that are run again, edited or run without the magic, and after `%unload_ext`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Notebook
from ipykernel.compiler import XCachingCompiler

from jupyter_jaxpr.observe.cache.reason import Reason


def misses(notebook: Notebook, name: str) -> list[tuple[str, tuple[Reason, ...]]]:
    """Return outcome and reasons of each miss of the newest function with this name."""
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    functions = CellObserver.of(notebook.shell).observer.history.full_ledger(50).functions
    record = [function for function in functions if function.name == name][-1]
    return [(miss.outcome, miss.reasons) for miss in record.misses]


FIRST = ("compiled", (Reason("first_call", "This is the first call of f."),))
AGAIN = (
    "compiled",
    (
        Reason(
            "cell_rerun",
            "The cell that defines f was run again, so f is a new function object.",
            cure="Put the definition of f in a cell of its own, and run that cell once.",
        ),
    ),
)


def test_a_cell_that_is_run_again_with_and_without_the_magic(notebook: Notebook) -> None:
    """The magic's line moves the def down by one line, but the ledger recognises a cell that is run again."""
    cell = "@jax.jit\ndef f(y):\n    return y + 1\nf(x)"
    collected = []
    for text in (cell, cell, "%%jaxpr\n" + cell, "%%jaxpr\n" + cell):
        notebook.shell.run_cell(text, store_history=True, cell_id="two")
        collected.append(misses(notebook, "f")[-1])
    assert collected == [FIRST, AGAIN, AGAIN, AGAIN]


def test_a_cell_that_is_run_again_where_only_the_call_is_elsewhere(notebook: Notebook) -> None:
    define = "@jax.jit\ndef f(y):\n    return y + 1"
    for cell in (define, "f(x)", "f(x)", define, "f(x)"):
        notebook.run(cell)
    assert misses(notebook, "f") == [FIRST, AGAIN]


def test_a_loop_in_a_cell_that_is_run_again(notebook: Notebook) -> None:
    cell = "# a loop\nfor k in range(2):\n    @jax.jit\n    def f(y):\n        return y + 1\n    f(x)"
    notebook.run(cell)
    notebook.run(cell)
    expected_text = "Make the function once, before the loop: JAX caches by function object, not by code."
    second = Reason(
        "new_function",
        ("This is the second function object of f from line 3. Move the jit out of the loop."),
        cure=expected_text,
    )
    fourth = Reason(
        "new_function",
        ("This is the fourth function object of f from line 3. Move the jit out of the loop."),
        cure=expected_text,
    )
    assert misses(notebook, "f") == [FIRST, ("compiled", (second,)), AGAIN, ("compiled", (fourth,))]


def test_a_cell_with_an_id_that_is_edited_and_run_again(notebook: Notebook) -> None:
    for body in ("y + 1", "y + 2"):
        notebook.shell.run_cell(f"@jax.jit\ndef f(y):\n    return {body}\nf(x)", store_history=True, cell_id="one")
    text = "The cell that defines f was run again, so f is a new function object. The code of f changed."
    edited = Reason("cell_rerun", text, cure="Expect one compile for each change of the code of f.")
    assert misses(notebook, "f") == [FIRST, ("compiled", (edited,))]


def test_a_cell_that_is_run_again_after_an_edit_of_a_value_outside_of_the_function(notebook: Notebook) -> None:
    """The cure does not say to define f once: f would go on to compute with the earlier value."""
    for scale in (2.0, 3.0):
        cell = f"scale = {scale}\n@jax.jit\ndef f(y):\n    return y * scale\nf(x)"
        notebook.shell.run_cell(cell, store_history=True, cell_id="scaled")
    text = (
        "The cell that defines f was run again, so f is a new function object. f reads scale from outside, and scale "
        "changed from 2.0 to 3.0."
    )
    cure = "Pass scale to f as an argument, and make f once. Make scale static if f needs a Python value."
    assert misses(notebook, "f") == [FIRST, ("compiled", (Reason("cell_rerun", text, cure=cure),))]


PAD = "Pad the array to one shape, or expect one compile for each shape."
SMALLER = Reason("shape", "The type of y changed from f32[8] to f32[4].", "y", "f32[8]", "f32[4]", PAD)


@pytest.mark.parametrize(
    ("later", "expected_text", "cure", "further"),
    [
        (
            "@jax.jit\ndef f(y, n=2):\n    return y * n + k\nf(x[:4])",
            "Line 1 defines f again, with the same code as line 2 of cell [2], so f is a new function object.",
            "Define f once: JAX caches by function object, not by code.",
            (SMALLER,),
        ),
        (
            "@jax.jit\ndef f(y, n=2):\n    return y * n - k\nf(x[:4])",
            "Line 1 defines f again, with other code than line 2 of cell [2], so f is a new function object.",
            "Expect one compile for each change of the code of f.",
            (),
        ),
        (
            "@jax.jit\ndef f(y, n=3):\n    return y * n + k\nf(x)",
            "Line 1 defines f again, with the same code as line 2 of cell [2], so f is a new function object. The "
            "default value of n changed from 2 to 3.",
            "Define f once, and pass n to f in each call.",
            (),
        ),
        (
            "k = 2\n@jax.jit\ndef f(y, n=2):\n    return y * n + k\nf(x)",
            "Line 2 defines f again, with the same code as line 2 of cell [2], so f is a new function object. f reads "
            "k from outside, and k changed from 1 to 2.",
            "Pass k to f as an argument, and make f once. Make k static if f needs a Python value.",
            (),
        ),
        (
            "import functools\n@functools.partial(jax.jit, static_argnames='n')\ndef f(y, n=2):\n    "
            "return y * n + k\nf(x)",
            "Line 2 defines f again, with the same code as line 2 of cell [2], so f is a new function object. The "
            "options of jit changed.",
            None,
            (),
        ),
    ],
)
def test_a_function_that_another_cell_defines_again(
    notebook: Notebook, later: str, expected_text: str, cure: str | None, further: tuple[Reason, ...]
) -> None:
    notebook.run("k = 1\n@jax.jit\ndef f(y, n=2):\n    return y * n + k\nf(x)")
    assert notebook.shell.execution_count == 3
    notebook.run(later)
    assert misses(notebook, "f") == [("compiled", (Reason("redefined", expected_text, cure=cure), *further))]


def test_a_function_that_another_cell_of_the_same_text_defines_again(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The kernel of a notebook names the file of a cell by the cell's text alone.
    monkeypatch.setattr(notebook.shell, "compile", XCachingCompiler())
    for cell_id in ("one", "two"):
        notebook.shell.run_cell("@jax.jit\ndef up(y):\n    return y + 1\nup(x)", store_history=True, cell_id=cell_id)
    text = "Line 1 defines up again, with the same code as line 1 of cell [2], so up is a new function object."
    cure = "Define up once: JAX caches by function object, not by code."
    assert misses(notebook, "up") == [("compiled", (Reason("redefined", text, cure=cure),))]


def test_a_function_that_a_later_line_of_the_cell_defines_again(notebook: Notebook) -> None:
    define = "@jax.jit\ndef f(y):\n    return y + 1\n"
    notebook.run(f"{define}f(x)\n{define}f(x)")
    text = "Line 5 defines f again, with the same code as line 1, so f is a new function object."
    cure = "Define f once: JAX caches by function object, not by code."
    assert misses(notebook, "f") == [("compiled", (Reason("redefined", text, cure=cure),))]


def test_an_earlier_definition_that_is_called_late_is_not_defined_again(notebook: Notebook) -> None:
    """The first cell's f was defined before the second cell's f, whose call came first."""
    notebook.run("@jax.jit\ndef f(y):\n    return y + 1\nearly = f")
    notebook.run("@jax.jit\ndef f(y):\n    return y + 2\nf(x)")
    notebook.run("early(x)")
    assert misses(notebook, "f") == [FIRST]


@pytest.mark.parametrize(
    ("later", "reason"),
    [
        (
            "def body(c, v):\n    return c + k * v, c\njax.lax.scan(body, 0.0, x)",
            Reason(
                "redefined",
                "Line 1 defines body again, with the same code as line 2 of cell [2], so JAX traced and compiled the "
                "scan again.",
                cure="Define body once: JAX caches by function object.",
            ),
        ),
        (
            "def body(c, v):\n    return c - k * v, c\njax.lax.scan(body, 0.0, x)",
            Reason(
                "redefined",
                "Line 1 defines body again, with other code than line 2 of cell [2], so JAX traced and compiled the "
                "scan again.",
                cure="Expect one compile for each change of the code of body.",
            ),
        ),
        (
            "k = 3\ndef body(c, v):\n    return c + k * v, c\njax.lax.scan(body, 0.0, x)",
            Reason(
                "new_function",
                "JAX traced and compiled the scan again: body is a new function object that reads k from outside, and "
                "k changed from 2 to 3.",
                "k",
                "2",
                "3",
                "Pass k as a part of the carry, and define body once.",
            ),
        ),
    ],
)
def test_a_body_that_another_cell_defines_again(notebook: Notebook, later: str, reason: Reason) -> None:
    notebook.run("k = 2\ndef body(c, v):\n    return c + k * v, c\njax.lax.scan(body, 0.0, x)")
    notebook.run(later)
    assert misses(notebook, "scan(body)") == [("compiled", (reason,))]


def test_a_body_of_a_cell_that_is_run_again_with_another_value(notebook: Notebook) -> None:
    """The cure does not say to define the body once: the body would go on to compute with the earlier value."""
    for k in (2, 3):
        cell = f"k = {k}\ndef body(c, v):\n    return c + k * v, c\njax.lax.scan(body, 0.0, x)"
        notebook.shell.run_cell(cell, store_history=True, cell_id="loop")
    text = (
        "JAX traced and compiled the scan again: body is a new function object that reads k from outside, and k "
        "changed from 2 to 3."
    )
    cure = "Pass k as a part of the carry, and define body once."
    assert misses(notebook, "scan(body)")[-1] == ("compiled", (Reason("new_function", text, "k", "2", "3", cure),))


def test_functions_of_one_name_within_functions_are_not_one_function(notebook: Notebook) -> None:
    for sign in "+-":
        notebook.run(f"def train{sign == '-'}():\n    def f(y):\n        return y {sign} 1\n    jax.jit(f)(x)")
    notebook.run("trainFalse()")
    notebook.run("trainTrue()")
    assert misses(notebook, "f") == [FIRST]


def test_a_miss_is_compared_with_that_of_an_earlier_cell_without_the_magic(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef twice_seen(y):\n    return y + 1\ntwice_seen(x)")
    ran = notebook.run("%%jaxpr\ntwice_seen(x[:4])")
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["run"]["misses"]]
    (miss,) = [miss for miss in function["misses"] if miss["this_run"]]
    assert [reason["text"] for reason in miss["reasons"]] == ["The type of y changed from f32[8] to f32[4]."]
    assert function["run"]["compiles"] == 1 and function["kernel"]["compiles"] == 2
    assert miss["outcome_text"] == "compiled"
    assert ran.document["ledger"]["lead"].startswith("1 compile: tracing, lowering and compiling took ")


def test_what_jax_held_before_the_extension_was_loaded(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook(extension=False)
    notebook.run("import jax, jax.numpy as jnp\n@jax.jit\ndef f(y):\n    return y + 1\nx = jnp.arange(8.0)\nf(x)")
    notebook.run("%load_ext jupyter_jaxpr")
    notebook.run("f(x)")
    notebook.run("f(x[:4])")
    notebook.run("f(x[:5])")
    pad = "Pad the array to one shape, or expect one compile for each shape."
    assert misses(notebook, "f") == [
        ("compiled", (Reason("first_observed", "This is the first observed call of f. JAX had compiled f before."),)),
        ("compiled", (Reason("shape", "The type of y changed from f32[4] to f32[5].", "y", "f32[4]", "f32[5]", pad),)),
    ]


def test_an_entry_that_is_gone_was_made_in_another_cell_which_is_named(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef kept(y):\n    return y + 1")
    cell_number = notebook.shell.execution_count
    notebook.run("y = 1\nkept(x)")
    notebook.run("jax.clear_caches()\nkept(x)")
    _, (reason,) = misses(notebook, "kept")[-1]
    assert reason.text == (
        f"The cache entry made from line 2 of cell [{cell_number}] is gone: jax.clear_caches() cleared the caches."
    )


def state() -> tuple[Any, ...]:
    """Return the two functions of JAX that the hooks replace, and all listeners."""
    from jax._src import monitoring, pjit  # noqa: TID251  # what must be as it was

    kinds = ("event_duration", "event", "scalar")
    listeners = [list(getattr(monitoring, f"get_{kind}_listeners")()) for kind in kinds]
    return pjit._infer_params, pjit._get_fastpath_data, listeners


def test_nothing_is_left_after_unload(make_notebook: Callable[..., Notebook]) -> None:
    from jupyter_jaxpr.observe.process_observer import observer

    observer().hooks.remove()
    notebook = make_notebook(extension=False)
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(8.0)\nf = jax.jit(lambda y: y + 1)")
    before = state()
    notebook.run("%load_ext jupyter_jaxpr")
    assert state() != before
    notebook.run("%%jaxpr\nf(x)")
    notebook.run("import jupyter_jaxpr\nwith jupyter_jaxpr.observe() as ledger:\n    f(x[:4])")
    notebook.run("%unload_ext jupyter_jaxpr")
    assert state() == before
    assert notebook["ledger"]["<lambda>"].compiles == 1
    assert notebook.run("f(x[:5])").result.success


def test_observe_in_an_observed_cell(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nimport jupyter_jaxpr\n@jax.jit\ndef f(y):\n    return y + 1\nf(x)\n"
        "with jupyter_jaxpr.observe(max_compiles={'f': 1}) as ledger:\n    for _ in range(3):\n        f(x[:4])\nf(x)"
    )
    record = notebook["ledger"]["f"]
    assert (record.calls, record.hits, record.compiles) == (3, 2, 1)
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["run"]["misses"]]
    assert (function["run"]["calls"], function["run"]["hits"], function["run"]["compiles"]) == (5, 3, 2)


def test_a_recompile_error_in_a_cell(notebook: Notebook) -> None:
    ran = notebook.run(
        "import jupyter_jaxpr\nf = jax.jit(lambda y: y + 1)\n"
        "with jupyter_jaxpr.observe(max_compiles={'<lambda>': 0}):\n    f(x)"
    )
    assert "RecompileError: <lambda>: 1 compile, limit 0.\n  line 4: This is the first call of <lambda>." in ran.stdout


CHOICE = "def cold(t):\n    return t - 1\ndef warm(t):\n    return t + 1\n"


@pytest.mark.parametrize(
    ("later", "reason"),
    [
        (
            "def warm(t):\n    return t + 5\n",
            Reason(
                "redefined",
                "JAX traced and compiled the cond again: warm is a new function object. The code of warm changed.",
                cure="Expect one compile for each change of the code of warm.",
            ),
        ),
        (
            "def warm(t):\n    return t + 1\n",
            Reason(
                "new_function",
                "JAX traced and compiled the cond again: warm is a new function object.",
                cure="Define warm once, outside of the code that calls cond: JAX caches by function object.",
            ),
        ),
        (
            "def cold(t):\n    return t - 5\ndef warm(t):\n    return t + 5\n",
            Reason(
                "redefined",
                "Line 1 defines cold again, with other code than line 1 of cell [2], so JAX traced and compiled the "
                "cond again. The code of warm changed, too.",
                cure="Expect one compile for each change of the code of warm and cold.",
            ),
        ),
        (
            CHOICE,
            Reason(
                "redefined",
                "Line 1 defines cold again, with the same code as line 1 of cell [2], so JAX traced and compiled the "
                "cond again.",
                cure="Define cold and warm once: JAX caches by function object.",
            ),
        ),
        (
            "def cold(t):\n    return t - 1\n",
            Reason(
                "redefined",
                "Line 1 defines cold again, with the same code as line 1 of cell [2], so JAX traced and compiled the "
                "cond again.",
                cure="Define cold once: JAX caches by function object.",
            ),
        ),
        (
            "def cold(t):\n    return t - 1\ndef warm(t):\n    return t + 5\n",
            Reason(
                "redefined",
                "Line 1 defines cold again, with the same code as line 1 of cell [2], so JAX traced and compiled the "
                "cond again. The code of warm changed, too.",
                cure="Expect one compile for each change of the code of warm.",
            ),
        ),
    ],
)
def test_a_branch_that_another_cell_defines_again(notebook: Notebook, later: str, reason: Reason) -> None:
    call = "jax.lax.cond(True, cold, warm, 20.0)"
    notebook.run(CHOICE + call)
    notebook.run(f"{later}{call}  # another cell")
    assert misses(notebook, "cond(cold, warm)")[-1] == ("compiled", (reason,))


def test_a_condition_or_a_body_of_a_while_loop_that_another_cell_defines_again(notebook: Notebook) -> None:
    call = "jax.lax.while_loop(more, grow, 1)"
    notebook.run(f"def more(n):\n    return n < 9\ndef grow(n):\n    return n * 2\n{call}")
    notebook.run(f"def more(n):\n    return n < 5\n{call}")
    assert misses(notebook, "while_loop(grow)")[-1] == (
        "compiled",
        (
            Reason(
                "redefined",
                "JAX traced and compiled the while_loop again: the condition more is a new function object. The code "
                "of more changed.",
                cure="Expect one compile for each change of the code of more.",
            ),
        ),
    )
    notebook.run(f"def grow(n):\n    return n * 3\n{call}")
    assert misses(notebook, "while_loop(grow)")[-1] == (
        "compiled",
        (
            Reason(
                "redefined",
                "Line 1 defines grow again, with other code than line 3 of cell [2], so JAX traced and compiled the "
                "while_loop again.",
                cure="Expect one compile for each change of the code of grow.",
            ),
        ),
    )


def test_a_cell_with_branches_that_is_edited_and_run_again(notebook: Notebook) -> None:
    call = "jax.lax.cond(True, cold, warm, 20.0)"
    for branches in (CHOICE, CHOICE, CHOICE.replace("t - 1", "t - 2")):
        notebook.shell.run_cell(branches + call, store_history=True, cell_id="branches")
    again = (
        "JAX compiled the cond again, because the cell that defines cold and warm was run again: cold and warm are new "
        "function objects."
    )
    assert misses(notebook, "cond(cold, warm)")[1:] == [
        (
            "compiled",
            (Reason("cell_rerun", again, cure="Define cold and warm in a cell of their own, and run that cell once."),),
        ),
        (
            "compiled",
            (
                Reason(
                    "cell_rerun",
                    f"{again} The code of cold changed.",
                    cure="Expect one compile for each change of the code of cold.",
                ),
            ),
        ),
    ]


def test_a_called_function_that_another_cell_defines_with_other_code(notebook: Notebook) -> None:
    notebook.run("import jax, jax.numpy as jnp\ndef scaled(x):\n    return x * 2")
    cell = "%%jaxpr\njax.jit(lambda x: scaled(x))(jnp.ones(3))"
    notebook.run(cell)
    notebook.run("def scaled(x):\n    return x * 3")
    functions = notebook.run(cell).document["ledger"]["functions"]
    reasons = [
        (reason["text"], reason["cure"])
        for function in functions
        for miss in function["misses"]
        for reason in miss["reasons"]
        if miss["this_run"]
    ]
    assert reasons == [
        (
            "The cell that defines <lambda> was run again, so <lambda> is a new function object. <lambda> reads scaled "
            "from outside, and scaled is another function object.",
            "Expect one compile for each change of the code of scaled.",
        )
    ]
