"""Tests the stepper in a real kernel: requests on a subshell, progress, and a stop while a cell runs."""

import pytest
from jupyter_client.manager import KernelManager
from kernel_pages import LAST, PATIENCE, Page, ours

pytestmark = pytest.mark.any_jax

CELL = """%%jaxpr
import jax
from jax import lax

@jax.jit
def turn(x):
    return lax.while_loop(lambda h: h[1] < h[2], step, (x, 0, 3))

def step(h):
    return lax.fori_loop(0, 20_000, lambda i, s: s + 1e-9, h[0]) + 1, h[1] + 1, h[2]

turn(1.0)"""
FOREVER = """%%jaxpr --no-trace
@jax.jit
def forever(x):
    return lax.while_loop(lambda h: h >= 0, lambda h: step((h, 0, 0))[0], x)"""
WAITS = f"import threading\ngo = threading.Event()\nassert go.wait({PATIENCE})"


@pytest.fixture(scope="module")
def kernel():
    manager = KernelManager()
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.fixture
def tab(kernel):
    page = Page(kernel)
    page.run("%load_ext jupyter_jaxpr")
    yield page
    page.close()


def ask_for_steps(tab, snapshot, identifier):
    subshell = tab.subshell()
    comm = tab.open_requests(subshell)
    kinds = [card["kind"] for card in snapshot["control_flow"]]
    tab.say(
        comm,
        {
            "type": "steps",
            "id": identifier,
            "snapshot": snapshot["id"],
            "control": kinds.index("while_loop"),
            "confirmed": False,
        },
        subshell,
    )
    return comm, subshell


def last_reply(tab, comm, identifier):
    return tab.wait_for(lambda message: message["type"] in LAST and message["id"] == identifier, comm)


def test_steps_come_while_a_cell_runs(tab):
    snapshot = ours(tab.run(CELL))[-1]["snapshot"]
    running = tab.begin(WAITS)
    comm, subshell = ask_for_steps(tab, snapshot, 3)
    recording = last_reply(tab, comm, 3)["result"]
    assert recording["step"] == [0, 1, 2]
    assert recording["verdict"] == (
        "The recorded results equal the original function's results, bit for bit. "
        "The recorded run and the original function both took 3 steps."
    )
    tab.begin("go.set()", subshell)
    tab.wait_until_idle(running)


def test_stop_and_other_requests_are_answered_meanwhile(tab):
    tab.run(CELL)
    tab.run(FOREVER)
    snapshot = ours(tab.run("%jaxpr forever(1.0)"))[-1]["snapshot"]
    comm, subshell = ask_for_steps(tab, snapshot, 4)
    tab.wait_for(lambda message: message["type"] == "working" and message["done"] is not None, comm)
    text = tab.ask(
        comm,
        subshell,
        type="text",
        id=5,
        snapshot=snapshot["id"],
        program=0,
        level="stablehlo",
        first_line=0,
        line_count=1,
    )
    assert text["reason"] == "JAX has only traced this function. Lower the function to see its StableHLO."
    tab.say(comm, {"type": "stop", "id": 4}, subshell)
    recording = last_reply(tab, comm, 4)["result"]
    assert recording["stopped"].endswith(" Press “Record the steps again” to start over.")
    assert recording["step"][0] == 0
    assert recording["visits"][0]["finished"] is False
    # After the stop, the kernel answers the next request.
    comm, subshell = ask_for_steps(tab, snapshot, 6)
    tab.wait_for(lambda message: message["type"] == "working" and message["done"] is not None, comm)
    tab.say(comm, {"type": "stop", "id": 6}, subshell)
    last_reply(tab, comm, 6)
