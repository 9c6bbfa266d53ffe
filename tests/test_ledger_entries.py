"""Tests which entries the ledger marks as held by JAX: dropped entries are not held, and some are unknown."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger_for_scripts import Ledger
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

ROW = np.arange(3, dtype=np.float32)
LONG = np.arange(4, dtype=np.float32)


def held(ledger: Ledger, name: str) -> list[tuple[str, bool | None]]:
    return [(entry.signature, entry.held) for entry in ledger[name].entries]


def test_the_entries_of_function_objects_that_are_gone() -> None:
    with observe() as ledger:
        for i in range(12):
            living = jax.jit(lambda x: x + i)  # noqa: B023
            living(ROW)
    record = ledger["<lambda>"]
    assert record.compiles == 12
    assert held(ledger, "<lambda>") == [("x: f32[3]", True)]
    assert [miss.entry for miss in record.misses] == [-1] * 11 + [0]


@pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not count calls outside of a cell")
def test_without_a_hit_each_entry_has_0_hits() -> None:
    f = jax.jit(lambda x: x + 1)
    with observe() as ledger:
        for size in (2, 3):
            f(jnp.ones(size))
    assert [entry.hits for entry in ledger["<lambda>"].entries] == [0, 0]
    with observe() as ledger:
        for size in (2, 3):
            f(jnp.ones(size))
    assert [entry.hits for entry in ledger["<lambda>"].entries] == [None, None]


@pytest.mark.skipif(not HAS_MONITORING, reason="on Python 3.11 the number of calls is a lower bound")
def test_a_static_method_is_called_by_the_cell_alone(notebook: Notebook) -> None:
    """Applying `staticmethod` to a function does not call the function, so it is not counted as a call."""
    cell = (
        "class Model:\n    @staticmethod\n    @jax.jit\n    def f(x):\n        return x + 1\nModel.f(1.0), Model.f(2.0)"
    )
    ran = notebook.run(f"%%jaxpr\n{cell}")
    (function,) = [each for each in ran.document["ledger"]["functions"] if each["run"]["calls"]]
    assert (function["run"]["calls"], function["run"]["calls_exact"], function["run"]["hits"]) == (2, True, 1)


def test_clear_caches() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(ROW)
        f(LONG)
        jax.clear_caches()
        f(ROW)
    assert held(ledger, "f") == [("x: f32[3]", True)]
    with observe() as ledger:
        f(LONG)
        jax.clear_caches()
    assert held(ledger, "f") == []


def test_clear_cache_of_the_function_itself(notebook: Notebook) -> None:
    """JAX reports only the number of entries; this package infers from the order of calls which entries remain."""
    notebook.run("@jax.jit\ndef f(x):\n    return x + 1\ny = jnp.ones(4)")
    ran = notebook.run("%%jaxpr\nf(y)\nf(y[:3])\nf.clear_cache()\nf(y[:3])\nf(y[:2])")
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["run"]["misses"]]
    expected = [("x: f32[3]", True), ("x: f32[2]", True)]
    assert [(entry["signature"], entry["held"]) for entry in function["entries"]] == expected


RAISES = """\
@jax.jit
def f(x):
    if x.shape == (2,):
        raise ValueError("two")
    return x + 1
y = jnp.ones(4)"""

CALLS_AFTER_A_CLEAR = """\
%%jaxpr
f(y)
f(y[:3])
f.clear_cache()
try:
    f(y[:2])
except ValueError:
    pass
f(y[:1])
f(y[:3])
print(f._cache_size())"""


def test_after_a_call_that_raised_it_is_unknown_which_entries_are_left(notebook: Notebook) -> None:
    """JAX may have made an entry for the call that raised, so it is unknown which three entries remain."""
    notebook.run(RAISES)
    ran = notebook.run(CALLS_AFTER_A_CLEAR)
    function = next(function for function in ran.document["ledger"]["functions"] if function["name"] == "f")
    assert (ran.stdout, [(entry["signature"], entry["held"]) for entry in function["entries"]]) == (
        "3\n",
        [("x: f32[4]", None), ("x: f32[3]", None), ("x: f32[1]", None)],
    )


RAISES_FOR_ROWS = """%%jaxpr
@jax.jit
def f(x):
    if x.ndim == 2:
        raise ValueError("one axis")
    return x * 2
y = jnp.ones(5)
def call(x):
    try:
        f(x)
    except ValueError:
        pass
f(y); call(y[:, None]); f(y[:3])"""


def test_calls_that_raised_with_one_key_leave_one_entry_without_a_program(notebook: Notebook) -> None:
    rows = [("x: f32[5]", True), ("x: f32[3]", True)]
    for cell in (
        RAISES_FOR_ROWS,
        "%%jaxpr\ncall(y[:, None])\nf(y)",
        "%%jaxpr\ncall(y[:, None])\ncall(y[:, None])\nf(y)",
    ):
        ran = notebook.run(cell)
        function = next(function for function in ran.document["ledger"]["functions"] if function["name"] == "f")
        assert [(entry["signature"], entry["held"]) for entry in function["entries"]] == rows
        assert notebook["f"]._cache_size() == 3
    ran = notebook.run("%%jaxpr\nf.clear_cache(); call(y[:, None]); call(y[:2, None]); f(y[:1])")
    function = next(function for function in ran.document["ledger"]["functions"] if function["name"] == "f")
    assert {entry["held"] for entry in function["entries"]} == {None}


def test_a_call_that_raised_once_and_then_made_a_program(notebook: Notebook) -> None:
    notebook.run("%%jaxpr\nfails = True\n@jax.jit\ndef f(x):\n    if fails: raise ValueError\n    return x * 2")
    ran = notebook.run(
        "%%jaxpr\ny = jnp.ones(5)\ntry:\n    f(y)\nexcept ValueError:\n    fails = False\nf(y)\nf(y[:3])"
    )
    function = next(function for function in ran.document["ledger"]["functions"] if function["name"] == "f")
    assert [(entry["signature"], entry["held"]) for entry in function["entries"]] == [
        ("x: f32[5]", True),
        ("x: f32[3]", True),
    ]
    assert notebook["f"]._cache_size() == 2


def test_a_function_without_a_fast_path_has_one_entry_and_slow_hits() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        jax.debug.callback(lambda: None)
        return x

    with observe() as ledger:
        for _ in range(4):
            f(jnp.ones(2))
    (entry,) = ledger["f"].entries
    assert (entry.held, entry.misses, entry.fast_path) == (True, 1, False)
    assert entry.hits == (3 if HAS_MONITORING else None)
    assert [miss.outcome for miss in ledger["f"].misses] == ["compiled", *["dispatch_only"] * 3]


IMPORTED_WITHIN = """
import jax, jax.numpy as jnp
from jax._src import config
from jupyter_jaxpr import observe
before = set(config.trace_context_names())

@jax.jit
def f(x):
    from jax.experimental import pallas
    return x + 1

with observe() as ledger:
    f(jnp.ones(3))
    f(jnp.ones(3))
added = [name for name in config.trace_context_names() if name not in before]
print(len(ledger["f"].misses) == 1 + bool(added))
if added:
    (reason,) = ledger["f"].misses[1].reasons
    assert reason.text == (
        f"The cache key now holds {len(added)} more settings, which an import added: {', '.join(added)}."
    )
    assert (reason.kind, reason.argument) == ("config", added[0])
    assert reason.cure == "Import jax.experimental.pallas before the first call.", reason.cure
"""


def test_an_import_within_a_trace_adds_settings_that_jax_compares() -> None:
    process = subprocess.run([sys.executable, "-c", IMPORTED_WITHIN], capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ("True\n", "")


NO_FAST_PATH = """\
@jax.jit
def {name}(x):
    jax.debug.callback(lambda: None)
    return x
f = {name}
y = jnp.ones(4)"""


@pytest.mark.parametrize(
    ("name", "calls", "expected"),
    [
        ("kept", "f(y)\nf(y[:3])\nf(y[:3])", [("x: f32[4]", True), ("x: f32[3]", True)]),
        ("cleared", "f(y)\nf.clear_cache()", []),
        ("called_with_less", "f(y)\nf(y[:3])\nf.clear_cache()\nf(y[:2])", [("x: f32[2]", True)]),
        ("called_again", "f(y)\nf(y[:3])\nf.clear_cache()\nf(y)\nf(y)", [("x: f32[4]", True)]),
        ("lowered", "f(y)\nf.clear_cache()\nf.lower(y[:2])", [("x: f32[4]", True)]),
    ],
)
def test_entries_without_a_fast_path_go_with_their_traces(
    notebook: Notebook, name: str, calls: str, expected: list[tuple[str, bool]]
) -> None:
    """Entries without a fast path are dropped when JAX drops their traces; JAX does not count these entries.

    The last row shows a limit: because `lower` has made another trace, the dropped entry still counts as held.
    """
    notebook.run(NO_FAST_PATH.format(name=name))
    ran = notebook.run(f"%%jaxpr\n{calls}")
    (function,) = [function for function in ran.document["ledger"]["functions"] if function["name"] == name]
    assert [(entry["signature"], entry["held"]) for entry in function["entries"]] == expected


def test_a_block_that_missed_and_hit_has_the_entries_that_a_hit_may_have_used() -> None:
    @jax.jit
    def scaled(v: Any) -> Any:
        return v * 3

    with observe():
        scaled(jnp.ones(3))
        scaled(jnp.ones(4))
    with observe() as only_missed:
        scaled(jnp.ones(5))
    with observe() as missed_and_hit:
        for size in (6, 6, 3):
            scaled(jnp.ones(size))
    assert [entry.signature for entry in only_missed["scaled"].entries] == ["v: f32[5]"]
    rows = [(entry.signature, entry.hits, entry.misses) for entry in missed_and_hit["scaled"].entries]
    assert rows[-1] == ("v: f32[6]", None, 1)
    if HAS_MONITORING:  # on Python 3.11, hits are not seen, so entries that only hit are missing
        assert [signature for signature, *_ in rows] == ["v: f32[3]", "v: f32[4]", "v: f32[5]", "v: f32[6]"]
        assert {hits for _, hits, _ in rows} == {None}


@pytest.mark.parametrize(
    "call", ["jax.jit(lambda x: x * 2)(ROW)", "jax.jit(net.double)(ROW)", "jax.jit(partial(double))(ROW)"]
)
def test_the_last_call_of_a_cell_keeps_no_function_alive(notebook: Notebook, call: str) -> None:
    notebook.run(
        "import jax, numpy as np\nfrom functools import partial\nROW = np.arange(3.0)\n"
        "def double(x):\n    return x * 2\n"
        "class Net:\n    def double(self, x):\n        return x * 2\n"
        "net = Net()"
    )
    functions = notebook.run(f"%%jaxpr\n{call}").document["ledger"]["functions"]
    called = [function for function in functions if function["run"].get("calls")]
    assert [(function["run"]["misses"], function.get("entries", [])) for function in called] == [(1, [])]


@pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not count calls outside of a cell")
def test_an_entry_that_was_made_again_has_no_hits_of_the_earlier_entry() -> None:
    f = jax.jit(lambda x: x + 1)
    with observe() as ledger:
        for _ in range(6):
            f(ROW)
        jax.clear_caches()
        f(ROW)
    record = ledger["<lambda>"]
    assert [(entry.hits, entry.misses, entry.made_here) for entry in record.entries] == [(None, 1, True)]
    assert (record.calls, record.hits, len(record.misses)) == (7, 5, 2)
