"""Tests each outcome of a call: the stages that JAX ran for the call, and the counts in the ledger."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from conftest import Notebook

from jupyter_jaxpr import observe
from jupyter_jaxpr.document.types.document import Snapshot
from jupyter_jaxpr.exports.ledger_tables import cache_text
from jupyter_jaxpr.observe.cache.ledger_rows import FunctionRecord
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

CALLS = None if not HAS_MONITORING else 0
"""The count of calls on Python 3.11 outside of a cell, where calls cannot be counted."""


def counted(record: FunctionRecord) -> dict[str, Any]:
    """Return the counts of a function, without those that are zero."""
    names = ("calls", "hits", "traces", "lowerings", "compiles", "from_disk", "inlined", "raised")
    counts = {name: getattr(record, name) for name in names}
    return {name: count for name, count in counts.items() if count}


def calls(number: int, hits: int) -> dict[str, int]:
    """Return the counts of calls and hits; {} on Python 3.11, where they cannot be counted."""
    return {} if CALLS is None else {name: n for name, n in (("calls", number), ("hits", hits)) if n}


def test_fast_hits_are_the_calls_that_did_not_miss() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    with observe() as ledger:
        for _ in range(5):
            f(x)
    record = ledger["f"]
    assert counted(record) == calls(5, 4) | {"traces": 1, "lowerings": 1, "compiles": 1}
    assert [miss.outcome for miss in record.misses] == ["compiled"]
    (entry,) = record.entries
    assert (entry.signature, entry.hits, entry.misses, entry.fast_path, entry.made_here) == (
        "x: f32[3]",
        4 if HAS_MONITORING else None,
        1,
        True,
        True,
    )
    (miss,) = record.misses
    assert miss.trace_s is not None and miss.lower_s is not None and miss.compile_s is not None
    assert miss.seconds == miss.trace_s + miss.lower_s + miss.compile_s <= (miss.total_s or 0)


def test_dispatch_only_is_a_hit_that_compiles_nothing() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    f(jnp.ones(3))
    with observe() as ledger:
        f(np.ones(3, np.float32))
        f(np.ones(3, np.float32))
    record = ledger["f"]
    assert counted(record) == calls(2, 2)
    (miss,) = record.misses
    assert (miss.outcome, miss.trace_s, miss.lower_s, miss.compile_s) == ("dispatch_only", None, None, None)


def test_what_was_compiled_ahead_of_a_call_is_reused_by_it() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f.lower(jnp.ones(3)).compile()
        ahead = ledger["f"]
        f(jnp.ones(3))
    one_of_each = {"traces": 1, "lowerings": 1, "compiles": 1}
    assert (counted(ahead), ahead.misses) == (calls(0, 0) | one_of_each, ())  # `f.lower` traced f, but f was not called
    assert ahead.seconds > 0
    assert [(miss.outcome, str(miss.reasons[0])) for miss in ledger["f"].misses] == [
        ("dispatch_only", "This is the first call of f."),
    ]
    assert counted(ledger["f"]) == calls(1, 1) | one_of_each


def test_what_is_made_ahead_of_a_call_is_counted_where_it_is_asked_for() -> None:
    """The stages count in the block in which they run: traces, lowerings, and the compile in a later block.

    Functions with the same name and line count together.
    """

    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f.trace(jnp.ones(2))
        lowered = f.lower(jnp.ones(3))
    assert counted(ledger["f"]) == calls(0, 0) | {"traces": 2, "lowerings": 1}
    with observe() as ledger:
        lowered.compile()
        jax.eval_shape(f, jnp.ones(2))  # JAX reuses the trace of the first block
    assert counted(ledger["f"]) == calls(0, 0) | {"compiles": 1}
    with observe() as ledger:
        for number in range(2):
            jax.jit(lambda x, number=number: x + number).lower(jnp.ones(2)).compile()
    assert counted(ledger["<lambda>"]) == calls(0, 0) | {"traces": 2, "lowerings": 2, "compiles": 2}


def test_what_jax_jits_to_learn_a_shape_is_no_jitted_function_of_the_users() -> None:
    def init(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        jax.eval_shape(init, jnp.ones(2))
        jax.make_jaxpr(init)(jnp.ones(2))
    assert list(ledger) == []


def test_of_two_functions_of_one_name_it_is_told_which_was_compiled_ahead() -> None:
    first = jax.jit(lambda x: x + 1)
    second = jax.jit(lambda x: x + 2)
    with observe() as ledger:
        lowered = [first.lower(jnp.ones(2)), second.lower(jnp.ones(2))]
        lowered[0].compile()
    assert [(record.traces, record.lowerings, record.compiles) for record in ledger.functions] == [(1, 1, 1), (1, 1, 0)]


def test_lowered() -> None:
    """In present versions of JAX, no call lowers without compiling, so the test makes such a call's events itself."""
    from jupyter_jaxpr.jax.facts import LOWER_EVENT
    from jupyter_jaxpr.observe.cache.history_of_all_functions import History
    from jupyter_jaxpr.observe.cache.key_of_call import key_of
    from jupyter_jaxpr.observe.functions.jitted_functions import FunctionRecord as Function
    from jupyter_jaxpr.observe.stage_times_of_call import CallStages

    def f(x: Any) -> Any:
        return x

    history, function, stages = History(), Function("f", "f", None, library=False), CallStages()
    event = history.begin(function, f, key_of(None, (1.0,), {}), None)
    stages.add(LOWER_EVENT, 0.25, from_disk=False)
    history.end(function, event, stages, raised=False, total=0.5)
    (record,) = history.full_ledger(1).functions
    assert [(m.outcome, m.lower_s, m.compile_s, str(m.reasons[0])) for m in record.misses] == [
        ("lowered", 0.25, None, "This is the first call of f."),
    ]


def test_inlined() -> None:
    @jax.jit
    def inner(x: Any) -> Any:
        return x * 2

    @jax.jit
    def outer(x: Any) -> Any:
        return inner(inner(x))

    with observe() as ledger:
        outer(jnp.ones(3))
    assert [miss.outcome for miss in ledger["inner"].misses] == ["inlined", "inlined"]
    assert counted(ledger["inner"]) == calls(2, 0) | {"inlined": 2}
    assert counted(ledger["outer"]) == calls(1, 0) | {"traces": 1, "lowerings": 1, "compiles": 1}


def test_raised_while_tracing() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    with observe() as ledger:
        for _ in range(2):
            with pytest.raises(jax.errors.TracerBoolConversionError):
                f(1.0)
    assert [(miss.outcome, miss.reasons, miss.entry) for miss in ledger["f"].misses] == [("raised", (), -1)] * 2
    assert counted(ledger["f"]) == calls(2, 0) | {"traces": ledger["f"].traces, "raised": 2}
    assert ledger["f"].entries == ()


def test_raised_by_a_static_argument_that_cannot_be_hashed() -> None:
    """JAX raises before it looks for a cache entry, so the call is neither a miss nor a hit."""

    @functools.partial(jax.jit, static_argnames="n")
    def f(x: Any, n: Any) -> Any:
        return x

    with observe() as ledger:
        f(1.0, n=1)
        with pytest.raises(ValueError, match="Non-hashable static arguments"):
            f(1.0, n=[1])
        f(1.0, n=1)
    assert [str(reason) for miss in ledger["f"].misses for reason in miss.reasons] == ["This is the first call of f."]
    raised = {"raised": 1} if HAS_MONITORING else {}
    assert counted(ledger["f"]) == calls(3, 1) | raised | {"traces": 1, "lowerings": 1, "compiles": 1}


def test_raised_while_running() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        def refuse(_: Any) -> None:
            raise ValueError("refused")

        jax.debug.callback(refuse, x)
        return x

    with observe() as ledger:
        try:
            f(1.0).block_until_ready()
            jax.effects_barrier()
        except Exception as error:
            assert "refused" in str(error)
    assert ledger["f"].compiles == 1


DISK = """
import sys, jax, jax.numpy as jnp
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
from jupyter_jaxpr import observe
with observe() as ledger:
    def f(x): return jnp.sin(x) @ x
    jax.jit(f)(jnp.ones((4, 4)))
record = ledger["f"]
print(record.misses[0].outcome, record.compiles, record.from_disk, record.misses[0].reasons[0], sep=" | ")
"""


def test_compiled_then_compiled_from_disk(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(DISK)

    def run() -> str:
        process = subprocess.run(
            [sys.executable, str(script), str(tmp_path / "cache")], capture_output=True, text=True, check=True
        )
        return process.stdout.strip()

    assert run() == "compiled | 1 | 0 | This is the first call of f."
    assert run() == "compiled_from_disk | 0 | 1 | This is the first call of f."


def test_work_without_a_call_stands_in_the_text_of_the_cell(notebook: Notebook) -> None:
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.ones(3)\n@jax.jit\ndef f(x):\n    return jnp.sin(x) * 2")
    ran = notebook.run("%%jaxpr\ncompiled = f.lower(x).compile()\ny = compiled(x)")
    text = cache_text(msgspec.convert(ran.document, Snapshot))
    assert text is not None
    calls = "0" if HAS_MONITORING else "unknown"
    assert [row[:5] for row in text.rows] == [("f", calls, calls, "0", "1")]
    assert text.sentence.startswith("1 compile: tracing, lowering and compiling took")

    lowered = notebook.run("%%jaxpr\nlowered = f.lower(jnp.arange(4.0))")
    assert lowered.document["ledger"]["lead"].startswith("No jitted function of yours compiled. Tracing and lowering")
