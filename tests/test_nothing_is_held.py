"""Tests that objects end with the user's last reference to them: within a block, after a cell, and in IPython."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import MIME, Notebook

from jupyter_jaxpr import observe
from jupyter_jaxpr.jax.missed_calls import JitCall
from jupyter_jaxpr.observe.cache.history_of_all_functions import GONE_KEPT, History
from jupyter_jaxpr.observe.cache.history_of_one_function import EVENTS_PER_FUNCTION, FunctionHistory, MissEvent
from jupyter_jaxpr.observe.process_observer import observer


def test_a_function_ends_within_the_block_that_called_it() -> None:
    """The same as JAX's own test test_jit_reference_dropping: the function ends without a garbage collection."""
    with observe() as ledger:
        x = jnp.ones(10)
        plain = (lambda x: lambda: x)(x)
        jitted = jax.jit(plain)
        alive = weakref.ref(x)
        del x
        jitted()
        jitted()
        del plain
        assert alive() is not None
        jitted()
        del jitted
        assert alive() is None
    (record,) = ledger.functions
    # the counts None are those of Python 3.11
    assert (record.calls, record.hits, record.compiles) in [(3, 2, 1), (None, None, 1)]


@pytest.mark.parametrize("magic", ["%%jaxpr", "# without"])
def test_of_a_call_that_raised_nothing_is_held(magic: str, notebook: Notebook) -> None:
    """IPython keeps the frames of the last error, and thus the function f, alive; but no record of the call stays."""
    ran = notebook.run(f"{magic}\n@jax.jit\ndef f(x):\n    raise ValueError\nf(x)")
    assert isinstance(ran.result.error_in_exec, ValueError)
    assert [get_referrer for get_referrer in gc.get_referrers(JitCall) if type(get_referrer) is JitCall] == []


def test_the_programs_of_a_function_that_is_gone_are_not_kept_for_its_derivatives(notebook: Notebook) -> None:
    notebook.run("# without\nf = jax.jit(lambda x: x * 2)\njax.grad(lambda x: f(x).sum())(x)\ndel f")
    gc.collect()
    notebook.run("0")
    assert [state.under_transforms for state in observer()._threads.values() if state.under_transforms] == []


def test_of_the_functions_that_are_gone_the_last_are_remembered() -> None:
    history = History()
    for number in range(GONE_KEPT + 10):
        function = history._functions[f"f{number}", "", 1] = FunctionHistory(f"f{number}", None)
        function.events.append(MissEvent(number, 0, 0, None, None))
    with_block = history.ledger(None, list, observer().begin().reading)
    assert len(history.functions) == GONE_KEPT
    assert {name for name, *_ in history.functions} == {f"f{number}" for number in range(10, GONE_KEPT + 10)}
    assert set(history.names()) == {f"f{number}" for number in range(GONE_KEPT + 10)}
    # While a block runs, no record is dropped, because the block reads the records at its end.
    history._functions["another", "", 1] = FunctionHistory("another", None)
    history.ledger(None, list, with_block._reading)
    assert len(history.functions) == GONE_KEPT + 1
    observer().end_all()


def test_the_keys_of_a_function_that_is_made_again_all_day_are_let_go_of() -> None:
    history = FunctionHistory("f", None, events=deque(maxlen=4), looked_through_at=8)
    key: Any = object()
    for number in range(10):  # misses of ten function objects, which no longer exist
        event = MissEvent(number, 0, number, key, None)
        history.events.append(event)
        history.entries.append(event)
        history.by_hash[number % 3] = [*history.by_hash.get(number % 3, []), number]
        history.forget_entries()
    history.live(7, alive := jax.jit(lambda x: x))
    # at eight entries, the keys of the four oldest were dropped, because only the four newest events are kept
    assert [event.key is key for event in history.entries] == [False] * 4 + [True] * 6
    assert history.by_hash == {0: [6, 9], 1: [4, 7], 2: [5, 8]}
    assert history.looked_through_at == 8 + EVENTS_PER_FUNCTION
    assert alive is not None


def test_the_outputs_that_ipython_keeps_are_whole_for_the_last_runs(
    make_notebook: Callable[..., Notebook], capsys: pytest.CaptureFixture[str]
) -> None:
    shell = make_notebook(tracebacks=True).shell
    outputs_of_ipython = getattr(shell.history_manager, "outputs", None)
    if outputs_of_ipython is None:
        pytest.skip("This IPython keeps no outputs.")
    outputs_of_ipython.clear()  # IPython has one list of outputs for all shells of a process
    shell.run_cell("import jax, jax.numpy as jnp\nx = jnp.arange(3.0)", store_history=True)
    for _ in range(10):
        shell.run_cell("%%jaxpr\njax.jit(lambda x: x * 2)(x)", store_history=True)
    displayed = [
        output for outputs in outputs_of_ipython.values() for output in outputs if output.output_type == "display_data"
    ]
    assert [MIME in output.bundle for output in displayed] == [*[False] * 8, True, True]
    assert all("<lambda>" in output.bundle["text/plain"] for output in displayed)
    # An output that `%%capture` has captured belongs to the user, so it stays complete.
    shell.run_cell("%%jaxpr\n%%capture captured\njax.jit(lambda x: x * 3)(x)", store_history=True)
    assert len(capsys.readouterr().out) > 0
