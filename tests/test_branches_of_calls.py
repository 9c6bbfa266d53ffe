"""Tests the table of a cell's calls with the branches that the calls took."""

from __future__ import annotations

import gc
import time
import weakref
from typing import Any
from unittest.mock import Mock

import pytest
from conftest import Notebook

from jupyter_jaxpr.build.steps.branches_of_calls import _run
from jupyter_jaxpr.build.steps.recording_of_steps import record_focus

pytestmark = pytest.mark.any_jax

COND = """
@jax.jit
def f(x):
    return jax.lax.cond(x > 0, lambda x: x * 2, lambda x: x**2, x)
"""
AT_MOST = (
    "%%jaxpr --steps keeps the arguments of at most 8 calls. The arguments of a call may take at most 8 MB, and "
    "must have types that the code cannot change after the call, such as JAX arrays."
)
KEEP = (
    "Run the cell with %%jaxpr --steps, which keeps the arguments of at most 8 calls: of the first calls and of the "
    "last call."
)


def table(ran: Any, recording: int = 0) -> tuple[list[str], list[tuple[Any, ...]], str | None]:
    """Return the table's columns, its rows, and the sentence on the other calls."""
    calls = ran.document["recordings"][recording]["calls"]
    rows: list[tuple[Any, ...]] = []
    for row in calls["calls"]:
        branches = [f"{label} x {times}" for label, times in zip(row["taken"], row["times"], strict=True)]
        rows.append((row["call"], *row["values"], row["unknown"] or ", ".join(branches)))
    return calls["columns"], rows, calls["others"]


def test_each_call_has_its_branch(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --steps" + COND + "for x in [3.0, -2.0, 0.5, -1.5, 4.0]:\n    y = f(x)")
    columns, rows, more_calls = table(ran)
    assert columns == ["x", "result"]
    assert rows == [
        (1, "3.0", "6.0", "True x 1"),
        (2, "-2.0", "4.0", "False x 1"),
        (3, "0.5", "1.0", "True x 1"),
        (4, "-1.5", "2.25", "False x 1"),
        (5, "4.0", "8.0", "True x 1"),
    ]
    # On Python 3.11, calls from C code are not seen, and a sentence says so.
    assert more_calls in (None, "Calls of f that Python code did not make are not counted, so there may be more calls.")


def test_of_many_calls_the_first_seven_and_the_last_one_are_known(notebook: Notebook) -> None:
    notebook.run("%%jaxpr" + COND + "f(1.0)")
    ran = notebook.run("%%jaxpr --steps\nfor x in range(20):\n    y = f(x - 10.0)")
    _, rows, more_calls = table(ran)
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 6, 7, 20]
    assert rows[-1] == (20, "9.0", "18.0", "True x 1")
    assert more_calls in (
        f"It is unknown which branches ran in 12 other calls of f in the cell. {AT_MOST}",
        f"It is unknown which branches ran in at least 12 other calls of f in the cell. {AT_MOST}",
    )


def test_a_switch_in_a_loop_says_how_often_each_branch_ran(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --steps\n@jax.jit\ndef g(x, i):\n    def body(k, x):\n"
        "        return jax.lax.switch(i + k, [lambda x: x, lambda x: x + 1, lambda x: x * 2], x)\n"
        "    return jax.lax.fori_loop(0, 10, body, x)\nfor i in range(3):\n    y = g(1.0, i)"
    )
    assert [recording.get("calls") is not None for recording in ran.document["recordings"]] == [False, True]
    columns, rows, _ = table(ran, 1)
    assert columns == []
    assert rows == [(1, "0 x 1, 1 x 1, 2 x 8"), (2, "1 x 1, 2 x 9"), (3, "2 x 10")]


def test_arguments_that_the_cell_changes_are_those_of_their_call_or_unknown(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --steps\nimport numpy as np\n@jax.jit\ndef h(p):\n"
        "    return jax.lax.cond(p['x'][0] > 0, lambda x: x[0] * 2, lambda x: x[0], p['x'])\n"
        "for size in (2_000, 2):\n    p = {'x': np.ones(size)}\n"
        "    for _ in range(4):\n        y = h(p)\n        p['x'][0] -= 1\n"
    )
    # Calls 1 to 4 ran the program of the large array. Their arrays are not in the table, because a large array is not
    # copied at each call.
    assert table(ran)[:2] == (
        ["p['x']", "result"],
        [
            (5, "[1.0 1.0]", "2.0", "True x 1"),
            (6, "[0.0 1.0]", "0.0", "False x 1"),
            (7, "[-1.0 1.0]", "-1.0", "False x 1"),
        ],
    )
    ran = notebook.run(
        "%%jaxpr --steps\np = {'x': np.ones(2_000)}\nfor _ in range(4):\n    y = h(p)\n    p['x'][0] -= 1\n"
    )
    columns, rows, more_calls = table(ran)
    assert (columns, rows) == ([], [])
    assert more_calls in (
        f"It is unknown which branches ran in 4 calls of h in the cell. {AT_MOST}",
        f"It is unknown which branches ran in at least 4 calls of h in the cell. {AT_MOST}",
    )


def test_without_the_option_the_table_says_how_to_get_the_calls(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run("%%jaxpr" + COND + "for x in [3.0, -2.0]:\n    y = f(x)")
    (recording,) = record_focus(built[-1].sources).recordings
    assert recording.calls is not None
    assert (recording.calls.columns, recording.calls.calls) == ([], [])
    assert recording.calls.others in (
        f"It is unknown which branches ran in 2 calls of f in the cell. {KEEP}",
        f"It is unknown which branches ran in at least 2 calls of f in the cell. {KEEP}",
    )


def test_an_error_of_a_call_is_one_line_that_any_error_gives() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise ValueError

    def raises(values: Any, stopped: Any) -> Any:
        raise errors.pop(0)

    errors = [ValueError("no such\naxis"), Silent()]
    texts = [_run(Mock(run_call=raises), Mock(), time.perf_counter(), lambda: False)[1] for _ in range(2)]
    assert texts == [
        "The stepper could not run the call (ValueError: no such axis).",
        "The stepper could not run the call (Silent).",
    ]


def test_the_arguments_of_earlier_calls_are_freed_after_the_cell(notebook: Notebook) -> None:
    notebook.run(
        "%%jaxpr --steps\n@jax.jit\ndef k(x):\n    return jax.lax.cond(x[0] > 0, lambda x: x, lambda x: -x, x)\n"
        "xs = [jnp.ones(3) * i for i in range(4)]\nfor x in xs:\n    y = k(x)"
    )
    arrays = [weakref.ref(array) for array in notebook["xs"]]
    notebook.run("del xs, x, y")
    gc.collect()
    assert [array() for array in arrays] == [None] * 4
