"""Tests the messages between a real kernel and its pages, also while a cell runs."""

import sys

import pytest
from jupyter_client.manager import KernelManager
from kernel_pages import PATIENCE, Page, of_type, ours

pytestmark = pytest.mark.any_jax

MIME = "application/vnd.jupyter-jaxpr.v1+json"
HUB = "jupyter_jaxpr"


@pytest.fixture(scope="module")
def kernel():
    manager = KernelManager()
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.fixture
def pages(kernel):
    """Return a function that opens pages; the kernel has imported JAX and loaded the extension, but nothing ran yet."""
    opened = []

    def open_page():
        opened.append(Page(kernel))
        return opened[-1]

    first = open_page()
    first.run("%load_ext jupyter_jaxpr\nimport threading, jax, jax.numpy as jnp\nfrom jax import lax")
    yield open_page
    first.run("%unload_ext jupyter_jaxpr")
    for opened_page in opened:
        opened_page.close()


@pytest.fixture
def tab(pages):
    return pages()


def hub(tab):
    (comm,) = tab.comms(HUB)
    return comm


PLUS = "%%jaxpr\njax.jit(lambda x: x + 1)(1.0)"
MINUS = "%%jaxpr\njax.jit(lambda x: x - 1)(1.0)"


def test_a_first_cell(tab):
    heard = tab.run(
        """%%jaxpr
@jax.jit
def double(x):
    return x * 2

print("before")
double(jnp.arange(3.0))"""
    )
    # The display of the run comes after the cell's own outputs, and `Out[n]` has only the cell's value.
    outputs = [m for m in heard if m["msg_type"] in ("stream", "execute_result", "display_data", "error")]
    # The kernel may send one printed text in several messages.
    *printed, result, display = (m["content"] for m in outputs)
    assert [m["msg_type"] for m in outputs] == ["stream"] * len(printed) + ["execute_result", "display_data"]
    assert "".join(content["text"] for content in printed) == "before\n"
    assert result["data"] == {"text/plain": "Array([0., 2., 4.], dtype=float32)"}
    assert sorted(display["data"]) == [MIME, "text/html", "text/plain"]
    first, second, third = display["data"]["text/plain"].split("\n")
    assert first == "double (f32[3]) → f32[3]"
    # Before Python 3.12, not every call is counted.
    calls = "1 call" if sys.version_info >= (3, 12) else "≥1 calls"
    assert second.startswith(f"1 equation · {calls}, 1 compile · first call ")
    assert third.startswith("3 operations per call. 100 % of the operations are on line ")
    # The panel and the saved notebook get the same document.
    (message,) = filter(of_type("snapshot"), ours(heard))  # a slow cell also sends messages on its progress
    assert message["snapshot"] == display["data"][MIME]
    tab.run("assert Out[max(Out)].shape == (3,), Out")
    assert [m["content"] for m in tab.heard if m["msg_type"] == "error"] == []


def test_loading_opens_one_hub_which_a_page_hears_of(pages):
    tab = pages()
    tab.run("%unload_ext jupyter_jaxpr")
    assert tab.comms(HUB) == []
    heard = tab.run("%load_ext jupyter_jaxpr")
    (opened,) = (m["content"] for m in heard if m["msg_type"] == "comm_open")
    assert (opened["target_name"], opened["comm_id"]) == (HUB, hub(tab))
    (hello,) = ours(heard)
    assert (hello["type"], hello["protocol"]) == ("hello", 2)
    assert hello["environment"]["tier"] == "hooks"
    for cell in ("%load_ext jupyter_jaxpr", "%reload_ext jupyter_jaxpr"):
        tab.run(cell)
        assert len(tab.comms(HUB)) == 1


def test_a_page_that_is_loaded_later_is_told_everything(tab, pages):
    tab.run(PLUS)
    tab.run(MINUS)
    reloaded = pages()
    reloaded.say(hub(reloaded), {"type": "resend", "protocol": 2, "version": "0.1.0"})
    hello = reloaded.wait_for(of_type("hello"))
    first = reloaded.wait_for(of_type("snapshot"))
    second = reloaded.wait_for(of_type("snapshot"))
    assert [message["seq"] - hello["seq"] for message in (hello, first, second)] == [0, 1, 2]
    assert [message["snapshot"]["cell"]["source"] for message in (first, second)] == [PLUS, MINUS]


def test_two_pages_hear_the_same(tab, pages):
    second_page = pages()
    second_page.drain()
    tab.run(PLUS)
    first = ours(tab.heard)[-1]
    two = second_page.wait_for(of_type("snapshot"))
    assert first == two


def test_a_long_program_comes_in_one_buffer(tab):
    tab.run("def long(x):\n    for _ in range(6_000):\n        x = jnp.sin(x)\n    return x")
    heard = tab.run("%jaxpr long(f32[])")
    # Messages on the progress of a long trace are left out.
    collected = [m for m in heard if m["msg_type"] == "comm_msg" and m["content"]["data"].get("type") != "progress"]
    (raw,) = collected
    assert raw["content"]["data"] == {"type": "buffer"}
    assert len(raw["buffers"]) == 1
    assert ours([raw])[0]["snapshot"]["programs"][0]["equations"] == 6000


# This cell runs until the test sets the event `go`, so that the test can act meanwhile.
WAITS = "go = threading.Event()\nassert go.wait({patience})"


def test_requests_are_answered_while_a_cell_runs(tab):
    tab.run("%%jaxpr\n@jax.jit\ndef double(x):\n    return x * 2\ndouble(1.0)")
    snapshot = ours(tab.heard)[-1]["snapshot"]
    the_hub = hub(tab)
    subshell = tab.subshell()
    comm = tab.open_requests(subshell)
    running = tab.begin(WAITS.format(patience=PATIENCE))
    reply = tab.ask(
        comm,
        subshell,
        type="text",
        id=7,
        snapshot=snapshot["id"],
        program=0,
        level="stablehlo",
        first_line=0,
        line_count=1,
    )
    assert reply["result"]["text"].startswith("module @jit_double")
    # The hub also answers on the subshell, although its last message came with a cell.
    tab.say(the_hub, {"type": "resend"}, subshell)
    assert tab.wait_for(of_type("snapshot"), the_hub)["snapshot"] == snapshot
    assert not tab.has_ended(running)
    tab.begin("go.set()", subshell)
    tab.wait_until_idle(running)
    tab.run("assert go.is_set()")
    assert [m["content"] for m in tab.heard if m["msg_type"] == "error"] == []


def test_progress_comes_while_a_function_is_traced(tab):
    subshell = tab.subshell()
    running = tab.begin(
        f"""%%jaxpr
go = threading.Event()
@jax.jit
def slow(x):
    assert go.wait({PATIENCE})
    return x
slow(1.0)"""
    )
    beat = tab.wait_for(of_type("progress"))
    assert (beat["function"], beat["stage"], beat["finished"], beat["interruptible"]) == ("slow", "trace", [], True)
    assert 0 < beat["elapsed"] <= beat["total_elapsed"] < PATIENCE
    tab.begin("go.set()", subshell)
    snapshot = tab.wait_for(of_type("snapshot"))
    assert beat["run"] == snapshot["snapshot"]["id"]
    assert beat["seq"] < snapshot["seq"]
    tab.wait_until_idle(running)


def test_what_was_only_traced_is_compiled_on_request(tab):
    tab.run("%jaxpr jnp.sin(f32[3])")
    snapshot = ours(tab.heard)[-1]["snapshot"]
    assert [level["state"] for level in snapshot["programs"][0]["levels"]] == ["not_made", "not_made"]
    comm = tab.open_requests()
    reply = tab.ask(comm, type="make", id=1, snapshot=snapshot["id"], program=0, level="hlo")
    assert [level["state"] for level in reply["result"]["programs"][0]["levels"]] == ["on_request", "on_request"]
    request = {"type": "text", "snapshot": snapshot["id"], "program": 0, "level": "hlo", "first_line": 0}
    assert tab.ask(comm, id=2, line_count=1, **request)["result"]["text"].startswith("HloModule")


def test_a_request_that_nobody_knows_gets_a_sentence(tab):
    reply = tab.ask(tab.open_requests(), type="dance", id=3, snapshot="5f0c")
    assert reply["reason"].startswith(
        "The kernel's jupyter_jaxpr does not understand the request of the panel (Invalid"
    )


def test_a_burst_of_runs_leaves_the_last_one_in_the_panel(tab):
    heard = tab.run("for n in range(40):\n    get_ipython().run_line_magic('jaxpr', f'jnp.sin(f32[{n + 1}])')")
    last = ours(heard)[-1] if ours(heard) else None
    while last is None or last["snapshot"]["programs"][0]["arguments"][0]["type"] != "f32[40]":
        last = tab.wait_for(of_type("snapshot"))
    assert len([m for m in heard if m["msg_type"] == "display_data"]) == 40
    numbers = [message["seq"] for message in ours(tab.heard)]
    assert numbers == sorted(numbers)


def test_unloading_closes_the_comms_of_every_page(tab, pages):
    second_page = pages()
    comm = second_page.open_requests()
    second_page.ask(comm, type="make", id=1, snapshot="gone", program=0, level="hlo")
    hub_before = hub(tab)
    heard = tab.run("%unload_ext jupyter_jaxpr")
    assert sorted(m["content"]["comm_id"] for m in heard if m["msg_type"] == "comm_close") == sorted([hub_before, comm])
    assert tab.comms(HUB) == []
    # After `%unload_ext`, the kernel closes a newly opened request comm at once, so that the page does not wait.
    late = second_page.open_requests()
    while second_page.hear()["content"].get("comm_id") != late:
        pass
    assert second_page.heard[-1]["msg_type"] == "comm_close"


@pytest.mark.slow
def test_a_kernel_that_restarts_begins_anew():
    manager = KernelManager()
    manager.start_kernel()
    tab = Page(manager)
    try:
        tab.run("%load_ext jupyter_jaxpr")
        before = hub(tab)
        tab.run("%jaxpr jnp.sin(f32[3])")
        manager.restart_kernel(now=True)
        tab.close()
        tab = Page(manager)
        assert tab.comms(HUB) == []
        heard = tab.run("%load_ext jupyter_jaxpr")
        assert hub(tab) != before
        assert [(message["type"], message["seq"]) for message in ours(heard)] == [("hello", 1)]
        tab.say(hub(tab), {"type": "resend"})
        assert tab.wait_for(of_type("hello"))["seq"] == 2
    finally:
        tab.close()
        manager.shutdown_kernel(now=True)
