"""Tests `--time` and its button in a real kernel: with the cell, on a subshell, with progress and a stop."""

import pytest
from jupyter_client.manager import KernelManager
from kernel_pages import LAST, Page, ours

pytestmark = pytest.mark.any_jax

CELL = """%%jaxpr --time
import jax, jax.numpy as jnp
x = jnp.ones((64, 64))

@jax.jit
def f(x):
    return jnp.tanh(x @ x).sum()

y = f(x)"""
SLOW = """%%jaxpr
import jax
from jax import lax
@jax.jit
def slow(x):
    return lax.fori_loop(0, 2_000_000, lambda i, s: s + 1e-9, x)
y = slow(1.0)"""


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


def last_reply(tab, comm, identifier):
    return tab.wait_for(lambda message: message["type"] in LAST and message["id"] == identifier, comm)


def test_the_times_come_with_the_cell(tab):
    snapshot = ours(tab.run(CELL))[-1]["snapshot"]
    (timing,) = snapshot["timings"]
    assert (timing["program"], timing["notes"], timing["stopped"]) == (0, [], None)
    assert timing["sentence"].startswith("The first call ")
    assert timing["warm"]["runs"] > 1
    assert timing["eager"]["runs"] > 1


@pytest.mark.slow
def test_the_button_and_the_machine_are_answered_on_a_subshell(tab):
    snapshot = ours(tab.run(CELL))[-1]["snapshot"]
    subshell = tab.subshell()
    comm = tab.open_requests(subshell)
    tab.say(comm, {"type": "time", "id": 12, "snapshot": snapshot["id"], "program": 0, "confirmed": False}, subshell)
    timing = last_reply(tab, comm, 12)["result"]
    assert (timing["notes"], timing["stopped"]) == ([], None)
    tab.say(comm, {"type": "machine", "id": 13, "snapshot": snapshot["id"], "confirmed": False}, subshell)
    machine = last_reply(tab, comm, 13)["result"]
    assert machine["dtype"] == "float32"
    assert ours(tab.run(CELL))[-1]["snapshot"]["machine"] == machine


def test_stop_keeps_what_was_measured(tab):
    snapshot = ours(tab.run(SLOW))[-1]["snapshot"]
    subshell = tab.subshell()
    comm = tab.open_requests(subshell)
    tab.say(comm, {"type": "time", "id": 14, "snapshot": snapshot["id"], "program": 0, "confirmed": True}, subshell)
    first = tab.wait_for(lambda message: message["type"] in ("working", *LAST), comm)
    assert first["type"] == "working", first
    tab.say(comm, {"type": "stop", "id": 14}, subshell)
    reply = last_reply(tab, comm, 14)
    assert reply["result"]["stopped"] == "Timing was stopped. The times are of the calls that ended before the stop."
