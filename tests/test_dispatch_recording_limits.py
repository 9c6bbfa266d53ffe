"""Tests where a recording ends: too many dispatches, too long, objects and failures it cannot follow."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from conftest import Notebook
from dispatch_recordings import RAN, TOO_MANY, program, recorded

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.observe.outside_jit import dispatch_recording, recorded_calls
from jupyter_jaxpr.observe.process_observer import observer


def test_a_recording_has_two_thousand_dispatches_at_most_and_the_hook_is_gone_afterwards(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run(
        "%%jaxpr --no-trace\nfrom jax._src import api\n"
        "def f(v):\n    for _ in range(2_003):\n        v = lax.neg(v)\n"
        "    global hook\n    hook = api._post_hook_state.get_local()\n    return v\n"
        "y = f(x)"
    )
    (shown_program,) = built[-1].document.programs
    assert (
        shown_program.origin_note
        == f"{RAN.format(call='f(x)', ran='2,000 dispatches')} {TOO_MANY.format(count='2,000')}"
    )
    scope = built[-1].document.scopes[shown_program.scope]
    assert (scope.count, scope.outputs) == (2_000, [])
    # On Python 3.11, the counter of calls still has its own hook.
    assert getattr(notebook["hook"], "__qualname__", "no hook") in ("no hook", "Hits.start.<locals>.hook")
    assert observer().hooks.ran is None


def test_a_recording_that_takes_too_long_ends(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_calls, "Recording", partial(dispatch_recording.Recording, seconds=0.0))
    ran = notebook.run("%%jaxpr --no-trace\ndef f(v):\n    return lax.sin(lax.neg(v))\ny = f(x)")
    expected = """
{ lambda ; a:f32[8]. let
  _:f32[8] = neg a
in () }
"""
    assert recorded(ran) == expected
    assert program(ran)["origin_note"] == RAN.format(call="f(x)", ran="1 dispatch") + (
        " The recording covers the first dispatch and added 0\N{NO-BREAK SPACE}\N{MICRO SIGN}s to the run; JAX ran the "
        "other dispatches at full speed, unrecorded."
    )


def test_a_recording_that_takes_too_long_at_its_last_dispatch_is_whole(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_calls, "Recording", partial(dispatch_recording.Recording, seconds=0.0))
    ran = notebook.run("%%jaxpr --no-trace\ndef f(v):\n    return lax.neg(v)\ny = f(x)")
    assert program(ran)["origin_note"] == RAN.format(call="f(x)", ran="1 dispatch")


PAIR = (
    "class Pair:\n    def __init__(self, a):\n        self.a = a\n"
    "jax.tree_util.register_pytree_node(Pair, lambda p: (flattened.append(1) or (p.a,), None), lambda _, c: Pair(*c))\n"
    "@jax.jit\ndef double(p):\n    return p.a * 2\n"
)


def test_a_recording_ends_at_an_object_of_a_class_of_the_users(notebook: Notebook) -> None:
    notebook.run("flattened = []\n" + PAIR + "def f(v):\n    return lax.sin(double(Pair(lax.neg(v))))\nf(x)")
    ran = notebook.run("%%jaxpr --no-trace\ny = f(x)")
    text = program_text(read(ran.document), len(ran.document["programs"]) - 1)
    expected = """\
{ lambda ; a:f32[8]. let
  _:f32[8] = neg a
in () }"""
    assert text == expected
    assert program(ran)["origin_note"] == RAN.format(call="f(x)", ran="1 dispatch") + (
        " The recording ends after 1 dispatch: to read the next call, jupyter_jaxpr would run code of your class Pair."
    )


def test_a_failure_of_ours_ends_the_recording_and_not_the_call(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, dispatches_told = dispatch_recording.dispatch_types.equation, []

    def equation(*parts: Any) -> Any:
        dispatches_told.append(1)
        if len(dispatches_told) == 2:
            raise ZeroDivisionError("ours")
        return real(*parts)

    monkeypatch.setattr(dispatch_recording.dispatch_types, "equation", equation)
    notebook.run("def f(v):\n    return lax.sin(lax.neg(lax.sin(v)))\nf(x)")
    ran = notebook.run("%%jaxpr --no-trace\ny = f(x)")
    expected = """
{ lambda ; a:f32[8]. let
  _:f32[8] = sin a
in () }
"""
    assert recorded(ran) == expected
    assert program(ran)["origin_note"].endswith(
        " The recording ends after 1 dispatch: what JAX ran next could not be read."
    )
    assert "ZeroDivisionError: ours" in str(ran.document["notes"])
    assert notebook["y"].shape == (8,)
