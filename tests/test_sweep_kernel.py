"""Tests `--sweep` in a real kernel: its progress, and an interrupt that keeps the measured points."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Kernel, contents, sent

pytestmark = pytest.mark.any_jax

SETUP = "%load_ext jupyter_jaxpr\nimport os\nimport jax, jax.numpy as jnp\nx = jnp.arange(8.0)"
HELD = """
def held(x, n):
    while n == 3 and not os.path.exists({go_on!r}):
        pass
    return x * n
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    started = Kernel()
    started.run(SETUP)
    yield started
    started.stop()


def sweeps(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message["snapshot"]["sweep"] for message in sent(messages) if message["type"] == "snapshot"]


def waits_at_3(messages: list[dict[str, Any]]) -> list[str | None]:
    messages_sent = [message for message in sent(messages) if message["type"] == "progress"]
    return [message["function"] for message in messages_sent if message["function"] == "n=3: tracing (2 of 3)"]


def test_the_sweep_tells_how_far_it_is(kernel: Kernel, tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    kernel.run(HELD.format(go_on=str(go_on)))
    request = kernel.start("%%jaxpr --sweep n=2,3,4 held(x, n)\n'done'")
    before = kernel.until(lambda message: bool(waits_at_3([message])))
    go_on.touch()
    messages = before + kernel.finish(request)
    (result,) = contents(messages, "execute_result")
    assert result["data"]["text/plain"] == "'done'"
    (swept,) = sweeps(messages)
    assert [(point["value"], point["equations"], point["flops"], point["error"]) for point in swept["points"]] == [
        ("2", 1, 8, None),
        ("3", 1, 8, None),
        ("4", 1, 8, None),
    ]
    assert (swept["stopped"], swept["total"]) == (None, 3)


def test_an_interrupt_keeps_what_was_measured_and_ends_the_cell(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run(HELD.format(go_on=str(tmp_path / "never")))
    request = kernel.start("%%jaxpr --sweep n=2,3,4 held(x, n)\n1")
    kernel.until(lambda message: bool(waits_at_3([message])))
    messages = kernel.interrupt(request)
    (swept,) = sweeps(messages)
    assert [(point["value"], point["warm"] is not None) for point in swept["points"]] == [("2", True)]
    assert swept["stopped"] == "The sweep was interrupted after 1 of 3 points. Run the sweep again for all points."
    assert [error["ename"] for error in contents(messages, "error")] == ["KeyboardInterrupt"]
    assert status(kernel, request) == "error"
    (result,) = contents(kernel.run("1 + 1"), "execute_result")
    assert result["data"]["text/plain"] == "2"


def test_an_interrupt_of_the_line_magic(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run(HELD.format(go_on=str(tmp_path / "never")))
    request = kernel.start("%jaxpr --sweep n=2,3,4 held(x, n)\nprint('not reached')")
    kernel.until(lambda message: bool(waits_at_3([message])))
    messages = kernel.interrupt(request)
    (swept,) = sweeps(messages)
    assert swept["stopped"] == "The sweep was interrupted after 1 of 3 points. Run the sweep again for all points."
    assert [error["ename"] for error in contents(messages, "error")] == ["KeyboardInterrupt"]
    assert not any("not reached" in content["text"] for content in contents(messages, "stream"))


def status(kernel: Kernel, request: str) -> str:
    """Return the status in the kernel's reply to a cell, such as "ok" or "error"."""
    while True:
        reply = kernel.client.get_shell_msg(timeout=120)
        if reply["parent_header"].get("msg_id") == request:
            return str(reply["content"]["status"])
