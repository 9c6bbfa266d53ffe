"""Tests Live in a real kernel: while another cell runs, but not while one is measured, and only after a first run."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from kernel_pages import Page

pytestmark = pytest.mark.slow

WRITTEN = "def f(x):\n    return jnp.sin(x)\nf(x)\n"


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3")
    client.stop_channels()
    opened = Page(manager)
    # Loads the extension as a startup file does: no cell with `%load_ext` has run.
    opened.run("get_ipython().extension_manager.load_extension('jupyter_jaxpr')")
    opened.run("import time, jax, jax.numpy as jnp\nx = jnp.arange(8.0)")
    yield opened
    opened.close()
    manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def requests(tab: Page) -> tuple[str, str]:
    """Run the cell "cell-9" once, so that Live may trace it; return a comm for requests and its subshell."""
    tab.wait_until_idle(begin(tab, "y = 1", "cell-9"))
    subshell = tab.subshell()
    return tab.open_requests(subshell), subshell


def ask(
    tab: Page, requests: tuple[str, str], number: int, source: str = WRITTEN, cell_id: str = "cell-9"
) -> dict[str, Any]:
    comm, subshell = requests
    return tab.ask(
        comm,
        subshell,
        type="live",
        id=number,
        snapshot="",
        source=source,
        cell_id=cell_id,
        line=2,
        in_view=None,
        specs=None,
    )


def begin(tab: Page, code: str, cell_id: str) -> str:
    """Start a cell with an id, as the cells of a notebook have one."""
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    message = tab.client.session.msg("execute_request", content, metadata={"cellId": cell_id})
    tab.client.shell_channel.send(message)
    return str(message["header"]["msg_id"])


def test_a_cell_is_traced_only_after_the_user_ran_it(tab: Page, requests: tuple[str, str]) -> None:
    reply = ask(tab, requests, 1, cell_id="cell-8")
    assert (reply["type"], reply["reason"]) == (
        "refused",
        "Live traces a cell after you have run the cell, or %load_ext jupyter_jaxpr, in this kernel.",
    )
    tab.wait_until_idle(begin(tab, "y = 2", "cell-8"))
    reply = ask(tab, requests, 2, cell_id="cell-8")
    assert (reply["type"], reply["result"]["state"]) == ("answered", "traced")


def test_while_a_cell_runs(tab: Page, requests: tuple[str, str]) -> None:
    running = begin(tab, "while 'stop' not in globals():\n    time.sleep(0.01)", "cell-1")
    reply = ask(tab, requests, 3)
    assert reply["result"]["state"] == "traced"
    assert not tab.has_ended(running)
    # A cell on another subshell lets the running cell end.
    tab.begin("stop = True", tab.subshell())
    tab.wait_until_idle(running)


@pytest.mark.parametrize("first", ["%timeit -n 1 -r 1 wait()", "%%jaxpr --time\nwait()", "%%time\nwait()"])
def test_not_while_something_is_measured(tab: Page, requests: tuple[str, str], first: str) -> None:
    tab.run("go = []\ndef wait():\n    while not go:\n        time.sleep(0.01)")
    running = begin(tab, first, f"cell {uuid.uuid4()}")
    number = 100
    while (reply := ask(tab, requests, number))["result"]["state"] == "traced":
        number += 1  # the measuring cell has not begun yet
    assert reply["result"]["state"] == "waiting"
    tab.begin("go.append(1)", tab.subshell())
    tab.wait_until_idle(running)
    while (reply := ask(tab, requests, number))["result"]["state"] == "waiting":
        number += 1
    assert reply["result"]["state"] == "traced"


def test_what_is_traced_live_prints_nothing_and_leaves_nothing(tab: Page, requests: tuple[str, str]) -> None:
    start = len(tab.heard)
    reply = ask(tab, requests, 9, "z = 1\nprint('above')\ndef f(x):\n    print('within')\n    return x\nf(x)\n")
    assert reply["result"]["state"] == "traced"
    notes = reply["result"]["snapshot"]["notes"]
    printed = [note["detail"] for note in notes if note["kind"] == "printed_while_tracing"]
    assert printed == ["within"]
    tab.run("print('z' in globals(), 'f' in globals())")
    collected = [message["content"]["text"] for message in tab.heard[start:] if message["msg_type"] == "stream"]
    # A stream may come in several messages.
    assert "".join(collected) == "False False\n"


@pytest.mark.parametrize("error", ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit", "BaseException('no')"])
def test_an_error_that_would_end_the_thread_is_shown_and_the_next_text_is_traced(
    tab: Page, requests: tuple[str, str], error: str
) -> None:
    reply = ask(tab, requests, 12, f"def f(x):\n    y = x + 1\n    raise {error}\nf(x)\n")
    shown = error.removesuffix("(3)").removesuffix("('no')")
    assert (reply["result"]["state"], reply["result"]["line"]) == ("raised", 3)
    assert reply["result"]["text"].startswith(f"f could not be traced. The trace raised {shown}")
    assert ask(tab, requests, 13)["result"]["state"] == "traced"
    tab.run("print('the cells run on')")


def test_the_answer_compares_the_cost_with_the_cost_of_the_last_run(tab: Page, requests: tuple[str, str]) -> None:
    cell = "%%jaxpr\n@jax.jit\ndef h(x):\n    return jnp.sin(x)\nh(x)"
    tab.run(cell)
    result = ask(tab, requests, 21, cell.replace("sin(x)", "sin(x) * 2"))["result"]
    cost = re.sub(r"run \[\d+\]", "run [n]", result["cost"]).replace("\N{NO-BREAK SPACE}", " ")
    assert cost == (
        "One call takes 8 operations and 8 transcendental operations and moves 128 B. "
        "In run [n], one call took 8 transcendental operations and moved 64 B."
    )
