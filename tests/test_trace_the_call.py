"""Tests the button *Trace the call* in a kernel: the panel's message, and the new document."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import signature
from jupyter_client.manager import start_new_kernel
from kernel_pages import Page, ours

pytestmark = pytest.mark.slow

TRAINER = """\
%%jaxpr
class Trainer:
    def __init__(self):
        self.params = {"w": jnp.ones(3)}

    def step(self, x):
        self.params = {"w": self.params["w"] * x}
        return self.params["w"]

trainer = Trainer()
trainer.step(jnp.arange(3.0))"""
RECORDED = "recorded step(x: f32[3]) -> f32[3]: jit"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    manager, client = start_new_kernel()
    client.stop_channels()
    page = Page(manager)
    page.run("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp")
    yield page
    page.close()
    manager.shutdown_kernel(now=True)


def test_the_call_is_traced_and_the_document_comes_anew(page: Page) -> None:
    (message,) = [message for message in ours(page.run(TRAINER)) if message["type"] == "snapshot"]
    snapshot = message["snapshot"]
    assert [signature(snapshot, program) for program in snapshot["programs"] if not program.get("library")] == [
        RECORDED
    ]
    assert [note["kind"] for note in snapshot["notes"] if note["kind"] != "eager_compiles"] == ["not_traced"]
    assert snapshot["retrace"]["call"] == "trainer.step(jnp.arange(3.0))"

    (hub,) = page.comms("jupyter_jaxpr")
    page.say(hub, {"type": "trace", "snapshot": snapshot["id"]})
    renewed = page.wait_for(lambda message: message["type"] == "snapshot")["snapshot"]
    assert renewed["id"] == snapshot["id"]
    assert [signature(renewed, program) for program in renewed["programs"] if not program.get("library")] == [
        RECORDED,
        "traced step(x: f32[3]) -> f32[3]: mul",
    ]
    assert renewed["focus"] == 1
    assert [note["kind"] for note in renewed["notes"] if note["kind"] != "eager_compiles"] == []
    assert renewed.get("retrace") is None


def test_a_call_that_is_gone_is_told(page: Page) -> None:
    (message,) = [message for message in ours(page.run(TRAINER)) if message["type"] == "snapshot"]
    page.run("del trainer")
    (hub,) = page.comms("jupyter_jaxpr")
    page.say(hub, {"type": "trace", "snapshot": message["snapshot"]["id"]})
    renewed = page.wait_for(lambda message: message["type"] == "snapshot")["snapshot"]
    assert [signature(renewed, program) for program in renewed["programs"] if not program.get("library")] == [RECORDED]
    assert renewed["message"] is None
    (note,) = [note for note in renewed["notes"] if note["kind"] != "eager_compiles"]
    assert (note["kind"], note["text"]) == (
        "not_traced",
        "step or one of its arguments no longer exists. Run the cell again.",
    )
