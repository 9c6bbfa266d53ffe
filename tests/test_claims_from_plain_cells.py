"""Tests that the document of a tutorial's cell shows the tutorial's claim, even if the cell has no jit."""

from __future__ import annotations

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.any_jax


def primitives(ran: Ran, number: int = 0) -> list[str]:
    document = ran.document
    scope = document["scopes"][document["programs"][number]["scope"]]
    return [document["strings"][primitive] for primitive in scope["primitive"]]


def notes(ran: Ran) -> list[str]:
    return [kind for kind in ran.notes if kind != "eager_compiles"]


def test_a_trace_keeps_a_tracer_and_not_the_side_effect(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nseen = []\ndef ratio(v):\n    seen.append(v)\n    return jnp.log(v) / jnp.log(3.0)\n"
        "print(jax.make_jaxpr(ratio)(9.0))"
    )
    assert primitives(ran) == ["log", "log", "div"]
    assert [program["how"] for program in ran.document["programs"]] == ["traced by make_jaxpr, line 6"]
    assert notes(ran) == ["leaked_tracer"]
    note = ran.note("leaked_tracer")
    assert note["text"].startswith("1 tracer (f32[]) stayed in seen after the trace of ratio.")


def test_print_runs_while_jax_traces_and_shows_a_tracer(notebook: Notebook) -> None:
    cell = "%%jaxpr\nprint(jax.make_jaxpr(said)(9.0))\nprint('by the cell')"
    notebook.run("def said(v):\n    print('v is', v)\n    return v + 1")
    first, second = notebook.run(cell), notebook.run(cell)
    assert notes(first) == ["printed_while_tracing"]
    note = first.note("printed_while_tracing")
    assert note["text"].startswith("said printed while JAX traced said.")
    assert ("v is" in note["detail"], "by the cell" in note["detail"]) == (True, False)
    assert notes(second) == []  # in the second run, JAX used the trace of the first run


def test_what_is_printed_after_a_trace_that_raised_is_the_cells_own(notebook: Notebook) -> None:
    notebook.run("def bad(v):\n    print('within')\n    raise ValueError('no')\ndef good(v):\n    return v * 2")
    ran = notebook.run(
        "%%jaxpr\ntry:\n    jax.make_jaxpr(bad)(1.0)\nexcept ValueError:\n    print('by the cell')\n"
        "print(jax.make_jaxpr(good)(1.0))"
    )
    note = ran.note("printed_while_tracing")
    assert note["text"].startswith("bad printed while JAX traced bad.")
    assert ("within" in note["detail"], "by the cell" in note["detail"]) == (True, False)


def test_the_jaxpr_holds_only_the_branch_that_was_taken(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef half(v):\n    if v.ndim == 2:\n        return v / 2\n    return v\n"
        "print(jax.make_jaxpr(half)(jnp.arange(3)))"
    )
    assert primitives(ran) == []
    # Python 3.11 does not report which lines ran, so the list of lines that no trace reached is empty.
    assert ran.document["untraced_lines"] == ([4] if HAS_MONITORING else [])


def test_a_condition_that_python_reads_is_explained_without_jit(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run(
        "%%jaxpr\ndef goes_on(state):\n    return state['i'] < 9 and state['e'] > 1e-3\n"
        "def body(state):\n    return {'i': state['i'] + 1, 'e': state['e'] / 2}\n"
        "lax.while_loop(goes_on, body, {'i': 0, 'e': 1.0})"
    )
    (note,) = built[-1].document.notes
    assert note.kind == "trace_raised"
    assert note.text.startswith("goes_on could not be traced. Python's if, while, and, or and not need a value that is")
    assert [cure.name for cure in note.cures] != []


def test_an_error_that_is_no_traces_is_not_explained_as_one(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run("%%jaxpr\nlax.neg(x)\nraise ValueError('no')")
    assert [note.kind for note in built[-1].document.notes] == []
