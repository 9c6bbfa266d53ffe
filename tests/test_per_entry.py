"""Tests `%%jaxpr --per-entry`: the number of hits of each cache entry."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Notebook

DEFINE = """\
import functools
@functools.partial(jax.jit, static_argnames="n")
def f(y, n=1):
    return y * n
@jax.jit
def dictionary(p):
    return p["w"] + 1
"""


def entries(ran: Any, name: str) -> list[tuple[str, int | None, int]]:
    """Return signature, hits and misses of each entry of a function."""
    (function,) = [
        function
        for function in ran.document["ledger"]["functions"]
        if function["name"] == name and function["run"]["calls"]
    ]
    return [
        (entry["signature"], entry["hits"], entry["misses"])
        for entry in function["entries"]
        if entry["this_run"] or entry["hits"] is not None
    ]


CALLS = """\
for _ in range(5):
    f(x)
for _ in range(3):
    f(x, n=2)
f(x[:4])
for _ in range(7):
    f(x[:4])
f(np.asarray(x))
"""


def test_the_hits_of_each_entry(notebook: Notebook) -> None:
    notebook.run("import numpy as np\n" + DEFINE)
    ran = notebook.run("%%jaxpr --per-entry\n" + CALLS)
    assert entries(ran, "f") == [
        ("y: f32[8]", 4, 1),
        ("y: f32[8], n=2", 2, 1),
        ("y: f32[4]", 7, 1),
        ("y: f32[8]", 1, 0),  # the call with a NumPy array is a slow hit, and made an entry of the fast path
    ]
    second_run = notebook.run("%%jaxpr --per-entry\nf(x)\nf(x)\ndictionary({'w': x})\ndictionary({'w': x})")
    assert entries(second_run, "f") == [("y: f32[8]", 2, 1)]
    assert entries(second_run, "dictionary") == [("p['w']: f32[8]", 1, 1)]


def test_without_the_option_the_hits_of_several_entries_are_unknown(notebook: Notebook) -> None:
    notebook.run("import numpy as np\n" + DEFINE)
    ran = notebook.run("%%jaxpr\n" + CALLS)
    assert [hits for _, hits, _ in entries(ran, "f")] == [None, None, None, None]


def test_the_cell_does_what_it_does_without_the_option(notebook: Notebook) -> None:
    notebook.run("import numpy as np\n" + DEFINE)
    plain = notebook.run("f(x[:2])\nprint(f._cache_size())\nf(x[:2])")
    counted = notebook.run("%%jaxpr --per-entry\nf(x[:2])\nprint(f._cache_size())\nf(x[:2])")
    assert counted.stdout.partition("Out[")[0] == plain.stdout.partition("Out[")[0] == "1\n"
    assert str(counted.result.result) == str(plain.result.result)
    last = notebook.run("from jax._src import api\nprint(api._post_hook_state.value)")
    assert last.stdout == "None\n"


def test_under_the_check_for_nan_the_hits_are_unknown(notebook: Notebook) -> None:
    notebook.run("import numpy as np\n" + DEFINE)
    ran = notebook.run("%%jaxpr --per-entry\nwith jax.debug_nans(True):\n    " + CALLS.replace("\n", "\n    "))
    assert {hits for _, hits, _ in entries(ran, "f")} == {None}


def test_a_target_has_no_calls_to_count(notebook: Notebook) -> None:
    ran = notebook.run("%jaxpr f(x) --per-entry")
    assert "--per-entry counts the calls of a cell" in ran.stderr + ran.stdout


@pytest.mark.parametrize("option", ["--per-entry", ""])
def test_no_hit_is_lost_or_counted_twice(notebook: Notebook, option: str) -> None:
    notebook.run("import numpy as np\n" + DEFINE)
    ran = notebook.run(f"%%jaxpr {option}\n" + CALLS)
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["run"]["calls"]]
    assert (function["run"]["calls"], function["run"]["hits"]) == (17, 14)
    if option:
        assert sum(entry["hits"] or 0 for entry in function["entries"]) == 14


def test_two_static_objects_that_print_alike_are_two_entries(notebook: Notebook) -> None:
    notebook.run(
        "import functools\nclass Mode:\n    def __repr__(self):\n        return 'mode'\n"
        "@functools.partial(jax.jit, static_argnums=1)\ndef moded(y, mode):\n    return y\none, two = Mode(), Mode()"
    )
    ran = notebook.run("%%jaxpr --per-entry\nfor mode in (one, two, one, one):\n    moded(x, mode)")
    assert entries(ran, "moded") == [("y: f32[8], mode=mode", 2, 1), ("y: f32[8], mode=mode", 0, 1)]


def test_an_argument_that_the_call_donates_is_no_failure_of_ours(notebook: Notebook) -> None:
    notebook.run(
        "import functools\n@functools.partial(jax.jit, donate_argnums=0)\ndef given(y):\n"
        "    return y + 1\ny = jnp.ones(3)"
    )
    ran = notebook.run("%%jaxpr --per-entry\nfor _ in range(4):\n    y = given(y)")
    assert entries(ran, "given") == [("y: f32[3]", 3, 1)]
    assert (ran.notes, ran.stderr) == ([], "")
