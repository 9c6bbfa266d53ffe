"""Tests that `%unload_ext` restores the state before `%load_ext`, also beside other tools of `sys.monitoring`."""

from __future__ import annotations

import builtins
import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import comm
import pytest
from conftest import Kernel, Notebook, contents
from jax._src import monitoring, pjit, util  # noqa: TID251  # looks at what the door has let in

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

Make = Callable[..., Notebook]

SETUP = (
    "import jax, jax.numpy as jnp\nfrom jupyter_jaxpr import observe\nx = jnp.arange(3.0)\nf = jax.jit(lambda y: y + 1)"
)

STATE = """\
def state():
    import builtins, gc, sys, threading
    from jax._src import api, monitoring, pjit, util
    import comm
    shell = get_ipython()
    tools = vars(sys).get("monitoring")
    return {
        "builtins": sorted(set(vars(builtins)) - {"get_ipython"}),
        "events": {event: list(found) for event, found in shell.events.callbacks.items()},
        "transforms": list(shell.input_transformer_manager.cleanup_transforms),
        "trees": list(shell.ast_transformers),
        "magics": {kind: sorted(found) for kind, found in shell.magics_manager.magics.items()},
        "registry": "JaxprMagics" in shell.magics_manager.registry,
        "settings": [each for each in shell.configurables if type(each).__name__ == "JaxprMagics"],
        "hooks": (pjit._infer_params, pjit.get_ctx_mesh, pjit._get_fastpath_data, util.test_event),
        "posthook": (api._post_hook_state.get_local(), api._post_hook_state.get_global()),
        "listeners": (
            list(monitoring.get_event_listeners()),
            list(monitoring.get_event_duration_listeners()),
            list(monitoring.get_scalar_listeners()),
        ),
        "finders": list(sys.meta_path),
        "gc": list(gc.callbacks),
        "threads": sorted(each.name for each in threading.enumerate()),
        "tools": [tools and tools.get_tool(number) for number in range(6)],
        "events of tools": [tools.get_events(n) for n in range(6) if tools.get_tool(n)] if tools else [],
        "targets": sorted(comm.get_comm_manager().targets),
        "write": getattr(sys.stdout.write, "__module__", None),
    }
"""

AGAIN = "get_ipython().run_line_magic('unload_ext', 'jupyter_jaxpr')"

WHERE = {
    "a plain cell": AGAIN,
    "a cell under the magic": f"%%jaxpr\nf(x)\n{AGAIN}\nf(x)",
    "a loop under the magic": f"%%jaxpr\nfor i in range(3):\n    f(x)\n    if i == 1:\n        {AGAIN}\nf(x)",
    "the last call of a cell under the magic": f"%%jaxpr\nf(x)\nmax({AGAIN} or 1, *[2], key=abs)",
    "a line magic under the magic": "%%jaxpr\nf(x)\n%unload_ext jupyter_jaxpr\nf(x)",
    "a cell within a cell": f"%%jaxpr\nf(x)\nget_ipython().run_cell({AGAIN!r})\nf(x)",
    "a magic within a magic": f"%%time\n%%jaxpr\nf(x)\n{AGAIN}\nf(x)",
    "a block": f"with observe() as ledger:\n    f(x)\n    {AGAIN}\n    f(x)",
    "a block under the magic": f"%%jaxpr\nwith observe() as ledger:\n    f(x)\n    {AGAIN}\n    f(x)",
    "a trace under the magic": f"%%jaxpr\n@jax.jit\ndef h(y):\n    print('traced')\n    {AGAIN}\n    return y\nh(x)",
    "twice": f"%%jaxpr\nf(x)\n{AGAIN}\n{AGAIN}\nf(x)",
    "a cell that raises": f"%%jaxpr\nf(x)\ntry:\n    {AGAIN}\n    1 / 0\nfinally:\n    f(x)",
    "a cell that loads it again": (
        f"%%jaxpr\nf(x)\n{AGAIN}\n{AGAIN.replace('unload', 'load')}\nf(x)\n{AGAIN}\nstate_within = state()"
    ),
    "a cell that reloads it": f"%%jaxpr\nf(x)\n{AGAIN.replace('unload', 'reload')}\nf(x)\n{AGAIN}",
}


@pytest.mark.parametrize("place", WHERE)
def test_everything_is_as_before(make_notebook: Make, place: str) -> None:
    notebook = make_notebook(False)
    notebook.run(SETUP + "\nf(x)\n" + STATE)
    notebook.run("before = state()")
    assert notebook.run("%load_ext jupyter_jaxpr").result.success
    ran = notebook.run(WHERE[place])
    assert repr(ran.result.error_in_exec) == ("ZeroDivisionError('division by zero')" if "raises" in place else "None")
    assert "jupyter_jaxpr could not" not in ran.stdout + ran.stderr
    assert ran.shown == []
    notebook.run("after = state()")
    assert notebook["after"] == notebook["before"]
    notebook.run("%load_ext jupyter_jaxpr")
    second_run = notebook.run("%%jaxpr\njax.jit(lambda y: y * 2)(x)")
    assert second_run.programs == ["ran <lambda>(y: f32[3]) -> f32[3]: mul"]
    notebook.run("%unload_ext jupyter_jaxpr")
    notebook.run("after = state()")
    assert notebook["after"] == notebook["before"]


@pytest.mark.parametrize("place", ["a cell under the magic", "a block under the magic", "a loop under the magic"])
def test_everything_is_as_before_within_the_cell_too(make_notebook: Make, place: str) -> None:
    notebook = make_notebook(False)
    notebook.run(SETUP + "\nf(x)\n" + STATE)
    notebook.run("before = state()")
    notebook.run("%load_ext jupyter_jaxpr")
    notebook.run(WHERE[place] + "\nafter = state()")
    assert notebook["after"] == notebook["before"]


def test_a_block_says_that_it_was_ended(make_notebook: Make) -> None:
    notebook = make_notebook()
    notebook.run(SETUP + "\nf(x)")
    notebook.run(WHERE["a block"])
    ledger = notebook["ledger"]
    assert ledger.note == (
        "The numbers of calls are lower bounds: %unload_ext jupyter_jaxpr ended the observation early."
    )
    (record,) = ledger.functions
    assert (record.calls, record.calls_exact) == (1 if HAS_MONITORING else None, False)


def test_a_reloaded_extension_sees_the_rest_of_its_kernel(make_notebook: Make) -> None:
    notebook = make_notebook()
    notebook.run(SETUP)
    notebook.run("%%jaxpr\nf(x)\n%reload_ext jupyter_jaxpr\nf(x)")
    assert notebook.run("%%jaxpr\nf(jnp.ones(4))").programs == ["ran <lambda>(y: f32[4]) -> f32[4]: add"]


def test_in_a_kernel() -> None:
    kernel = Kernel()
    try:
        kernel.run(SETUP + "\nf(x)\n" + STATE)
        kernel.run("%load_ext jupyter_jaxpr")
        kernel.run("%unload_ext jupyter_jaxpr")
        kernel.run("before = state()")  # read only now, because the first program of a kernel makes JAX start threads
        for cell in ("a cell under the magic", "a line magic under the magic", "a block under the magic"):
            kernel.run("%load_ext jupyter_jaxpr")
            assert contents(kernel.run(WHERE[cell]), "error") == []
            kernel.run("after = state()")
            (messages_sent,) = contents(
                kernel.run("[name for name in after if after[name] != before[name]]"), "execute_result"
            )
            assert messages_sent["data"]["text/plain"] == "[]"
    finally:
        kernel.stop()


# --- other tools of sys.monitoring ---------------------------------------------------------------

needs_monitoring = pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 has no sys.monitoring")


@pytest.fixture
def tools() -> Iterator[Any]:
    monitor = vars(sys)["monitoring"]
    yield monitor
    for number in range(6):
        if monitor.get_tool(number) == "another":
            monitor.set_events(number, 0)
            for event in (monitor.events.CALL, monitor.events.LINE, monitor.events.C_RAISE):
                monitor.register_callback(number, event, None)
            monitor.free_tool_id(number)


TAKE = """\
mon = __import__("sys").monitoring
taken = [n for n in range(6) if (mon.get_tool(n) or "").startswith("jupyter_jaxpr")]
for n in taken:
    mon.free_tool_id(n)
"""

TAKE_OVER = (
    TAKE
    + """\
    mon.use_tool_id(n, "another")
    mon.register_callback(n, mon.events.CALL, another)
    mon.set_events(n, mon.events.CALL)
"""
)


@needs_monitoring
@pytest.mark.parametrize("taking", [TAKE, TAKE_OVER])
@pytest.mark.parametrize(
    "before", ["f(x)\n", "@jax.jit\ndef h(y):\n    if y.ndim > 5:\n        return 0\n    return y\nh(x)\n"]
)
def test_a_tool_id_that_is_taken_away_is_not_ours_any_more(
    notebook: Notebook, tools: Any, taking: str, before: str
) -> None:
    notebook.run("f = jax.jit(lambda y: y + 1)\nf(x)\nseen = []\ndef another(*event):\n    seen.append(event)")
    ran = notebook.run(f"%%jaxpr\n{before}{taking}f(x)\nf(x)")
    assert ran.result.success
    assert notebook["taken"]
    ledger = ran.document["ledger"]
    assert ledger["calls_note"] == (
        "The numbers of calls are lower bounds: another tool took the place of the counter in sys.monitoring."
    )
    assert {function["run"]["calls_exact"] for function in ledger["functions"] if function["run"]["calls"]} == {False}
    assert [tools.get_tool(number) for number in notebook["taken"]] == [
        "another" if taking is TAKE_OVER else None for _ in notebook["taken"]
    ]
    if taking is TAKE_OVER:
        assert [tools.get_events(number) for number in notebook["taken"]] == [
            tools.events.CALL for _ in notebook["taken"]
        ]
        for number in notebook["taken"]:
            callback = tools.register_callback(number, tools.events.CALL, None)
            assert callback is notebook["another"]
    assert notebook.run("%%jaxpr\njax.jit(lambda y: y - 1)(x)").document["ledger"]["calls_note"] is None


@needs_monitoring
def test_where_no_tool_id_is_free(notebook: Notebook, tools: Any) -> None:
    notebook.run("f = jax.jit(lambda y: y + 1)\nf(x)")
    ids = [number for number in range(6) if tools.get_tool(number) is None]
    for number in ids:
        tools.use_tool_id(number, "another")
    ran = notebook.run("%%jaxpr\nf(x)\nf(jnp.ones(4))")
    assert ran.programs == ["ran <lambda>(y: f32[4]) -> f32[4]: add"]
    assert ran.document["ledger"]["calls_note"] == (
        "The number of calls is unknown: a debugger, a profiler or another observed thread uses the counter of calls."
    )
    assert [tools.get_tool(number) for number in ids] == ["another"] * len(ids)


NAN_CHECK = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.InteractiveTB.set_mode("Minimal")  # IPython takes seconds to print another traceback of JAX
shell.run_line_magic("load_ext", "jupyter_jaxpr")
shell.run_cell("import jax, jax.numpy as jnp\\nx = jnp.arange(8.0)\\nf = jax.jit(lambda y: y / y)\\ny = f(x + 1)")
on = "jax.config.update('jax_debug_nans', True)"
raised = shell.run_cell(f"%%jaxpr\\ny = f(x + 1)\\n{on}\\ny = f(x + 1)\\ny = f(x + 1)\\ny = f(x)")
print("raised", type(raised.error_in_exec).__name__)
shell.run_cell("jax.config.update('jax_debug_nans', False)")
print("then", shell.run_cell("%%jaxpr\\ny = f(x + 1)\\ny = f(x + 2)").success)
"""


def test_a_hook_of_jaxs_that_is_put_over_ours_stays() -> None:
    """The NaN check of JAX stays installed after `%unload_ext`.

    The test runs in its own process: whether JAX checks a hit depends on earlier compiles.
    """
    ran = subprocess.run([sys.executable, "-c", NAN_CHECK], capture_output=True, text=True)
    assert [line for line in ran.stdout.splitlines() if line.startswith(("raised", "then"))] == [
        "raised FloatingPointError",
        "then True",
    ], ran.stderr


def test_a_block_leaves_the_state_of_a_script_as_it_was() -> None:
    with observe():  # the hooks stay
        pass

    def state() -> Any:
        return (
            set(vars(builtins)),
            list(gc.callbacks),
            [thread.name for thread in threading.enumerate()],
            (pjit.get_ctx_mesh, pjit._get_fastpath_data, util.test_event),
            list(monitoring.get_event_listeners()),
            sorted(comm.get_comm_manager().targets),
        )

    before = state()
    with observe():
        pass
    assert state() == before


@pytest.mark.skipif(HAS_MONITORING, reason="Python 3.12 and later count all calls")
def test_python_3_11_says_which_calls_are_not_seen_and_names_no_other_tool(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\nf = jax.jit(lambda y: y + 1)\nf(x), f(x)")
    assert ran.document["ledger"]["calls_note"] == (
        "The numbers of calls are lower bounds: on Python 3.11, jupyter_jaxpr does not see a call that raises before "
        "JAX looks for a cache entry. Use Python 3.12 or later to count all calls."
    )
