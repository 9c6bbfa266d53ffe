"""Tests `--sweep` on the magic's line: its document, and every mistake that is known in advance."""

from __future__ import annotations

import json
import math

import pytest
from conftest import Notebook

import jupyter_jaxpr as jj
from jupyter_jaxpr.measure.times import sweep_point, sweep_time_limit

pytestmark = pytest.mark.any_jax

FUNCTIONS = """
@jax.jit
def product(a):
    return a @ a

def activated(a):
    return jnp.tanh(a) * 2
"""


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    # seconds for the runs of one call; short, because the times need not be exact
    monkeypatch.setattr(sweep_point, "BUDGET", 0.01)
    # no call is left out, however long it takes on a busy machine
    monkeypatch.setattr(sweep_time_limit, "TOO_LONG", math.inf)


@pytest.fixture
def prepared(notebook: Notebook) -> Notebook:
    notebook.run(FUNCTIONS)
    return notebook


def points(sweep: dict) -> list[tuple[str, str, int, int]]:
    return [(point["function"], point["value"], point["equations"], point["flops"]) for point in sweep["points"]]


def test_one_function(prepared: Notebook) -> None:
    ran = prepared.run("%%jaxpr --sweep n=4,8,16 product(jnp.ones((n, n)))\n'as always'")
    assert ran.result.result == "as always"
    sweep = ran.document["sweep"]
    assert (sweep["name"], sweep["call"], sweep["functions"]) == ("n", "product(jnp.ones((n, n)))", ["product"])
    assert points(sweep) == [
        ("product", "4", 1, 128),
        ("product", "8", 1, 1024),
        ("product", "16", 1, 8192),
    ]
    assert (sweep["total"], sweep["stopped"]) == (3, None)
    # It depends on the machine which times have a fit; if any has none, a note says so.
    times = {fit["series"] for fit in sweep["fits"]} & {"eager", "first", "warm"}
    assert [note[:31] for note in sweep["notes"]] == ["The points of the sweep do not "] * (len(times) < 3)
    assert "equations" in {fit["series"] for fit in sweep["fits"]}
    assert ran.programs == ["traced product(a: f32[4,4]) -> f32[4,4]: dot_general"]
    assert ran.document["programs"][0]["origin_note"] == (
        "jupyter_jaxpr traced this program for %%jaxpr product(jnp.ones((n, n))) with n = 4. The arguments were "
        "evaluated; the function was not executed."
    )
    assert "n" not in prepared.shell.user_ns


def test_the_cell_runs_first_and_may_define_the_function(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --sweep n=4,8 doubled(jnp.ones(n))\ndef doubled(x):\n    return x * 2\n")
    assert points(ran.document["sweep"]) == [("doubled", "4", 1, 4), ("doubled", "8", 1, 8)]


def test_the_line_magic(prepared: Notebook) -> None:
    ran = prepared.run("%jaxpr --sweep n=4,8 activated(jnp.ones(n))")
    assert points(ran.document["sweep"]) == [("activated", "4", 2, 4), ("activated", "8", 2, 8)]


def test_several_functions_with_their_recompiles(prepared: Notebook) -> None:
    ran = prepared.run("%%jaxpr --compare product,activated --sweep n=4,8 product(jnp.ones((n, n)))\n1")
    assert points(ran.document["sweep"]) == [
        ("product", "4", 1, 128),
        ("activated", "4", 2, 16),
        ("product", "8", 1, 1024),
        ("activated", "8", 2, 64),
    ]
    comparison = ran.document["comparison"]
    assert [(variant["name"], variant["recompiles"]) for variant in comparison["variants"]] == [
        ("product", 2),
        ("activated", 2),
    ]
    assert comparison["sweep"] == "n = 4, 8"


def test_a_saved_notebook_keeps_the_sweep(prepared: Notebook) -> None:
    ran = prepared.run("%%jaxpr --sweep n=4,8 product(jnp.ones((n, n)))\n1")
    read_again = jj.Snapshot.from_json(json.dumps(ran.document)).to_dict()
    assert read_again["sweep"] == ran.document["sweep"]


def test_a_function_that_is_not_there(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --sweep n=1,2 nothing(jnp.ones(n))\n'as always'")
    assert ran.result.result == "as always"
    assert "sweep" not in ran.document
    assert ran.document["message"] == (
        "--sweep: nothing is not defined. Define nothing in this cell or in an earlier cell."
    )


def test_a_cell_that_raises_is_not_swept_over(prepared: Notebook) -> None:
    ran = prepared.run("%%jaxpr --sweep n=1,2 product(jnp.ones((n, n)))\n1 / 0")
    assert isinstance(ran.result.error_in_exec, ZeroDivisionError)
    assert not ran.shown or "sweep" not in ran.document


def test_arguments_that_raise_at_every_value(prepared: Notebook) -> None:
    ran = prepared.run("%%jaxpr --sweep n=1,2 product(make(n))\n1")
    assert [point["error"] for point in ran.document["sweep"]["points"]] == [
        "NameError: name 'make' is not defined (in the arguments)"
    ] * 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "--sweep n f(n)",
            "--sweep n: a sweep needs a name and its values. Write, for example, n=8,16,32 and a call that uses n, "
            "such as f(jnp.ones(n)).",
        ),
        (
            "--sweep 2n=1,2 f(n)",
            "--sweep 2n=1,2: a sweep needs a name and its values. Write, for example, n=8,16,32 and a call that uses "
            "n, such as f(jnp.ones(n)).",
        ),
        (
            "--sweep n=1,,2 f(n)",
            "--sweep n=1,,2: a sweep needs a name and its values. Write, for example, n=8,16,32 and a call that uses "
            "n, such as f(jnp.ones(n)).",
        ),
        (
            "--sweep n=1 f(n)",
            "--sweep n=1: a sweep needs two or more values. Write, for example, n=8,16,32 and a call that uses n, such "
            "as f(jnp.ones(n)).",
        ),
        (
            "--sweep n=1,2",
            "--sweep n=1,2: the line names no call that uses n. Write the call after the values, such as "
            "--sweep n=1,2 f(jnp.ones(n)).",
        ),
        (
            "--sweep n=1,2 f(x)",
            "--sweep n=1,2: the arguments of 'f(x)' do not use n. Write, for example, n=8,16,32 and a call that uses "
            "n, such as f(jnp.ones(n)).",
        ),
        (
            "--sweep n=1,2 f(f32[8], n)",
            "--sweep calls the function and needs values, but the arguments of 'f(f32[8], n)' are types. Write arrays, "
            "such as f(jnp.ones(n)).",
        ),
        (
            "--sweep n=1,2 --steps f(n)",
            "--sweep and --steps exclude each other: --steps records one call. Leave out one of the two options.",
        ),
        (
            "--sweep n=1,2 --stage compile f(n)",
            "--sweep and --stage exclude each other: --sweep always runs the function. Leave out one of the two "
            "options.",
        ),
    ],
)
def test_a_mistake_in_the_line_is_told_before_the_cell_runs(notebook: Notebook, line: str, message: str) -> None:
    ran = notebook.run(f"%%jaxpr {line}\nran = True")
    assert str(ran.result.error_in_exec or ran.result.error_before_exec) == message
    assert "ran" not in notebook.shell.user_ns
