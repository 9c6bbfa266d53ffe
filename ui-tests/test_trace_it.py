"""Tests a call without jit that changes Python objects: only a button traces the call, and then restores them."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"

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

LOOK = "print(type(trainer.params['w']).__name__, trainer.params['w'].tolist())"


def test_the_panel_names_the_line_and_traces_the_call_on_request(notebook):
    nb = notebook(LOAD, TRAINER, LOOK)
    nb.run_all()
    expect(nb.outputs(2)).to_contain_text("ArrayImpl [0.0, 1.0, 2.0]")
    note = nb.panel.get_by_role("article").filter(has_text="step ran without jit and was not traced")
    nb.panel.get_by_role("tab", name="Notes").click()
    expect(note).to_contain_text(
        "step ran without jit and was not traced, because a trace runs the Python of step a second time. Line 7 "
        "changes self.params, part of an object that existed before the call. To see the program, call step under "
        "jax.jit, or write %jaxpr trainer.step(jnp.arange(3.0))."
    )
    # Every tab has the button "Trace the call"; here it is beside the recording.
    nb.panel.get_by_role("tab", name="Program").click()
    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(re.compile("recorded as it ran$"))
    expect(nb.listing()).to_contain_text("jit")
    button = nb.panel.get_by_role("button", name="Trace the call")
    expect(button).to_have_accessible_description(
        "The trace runs the Python of trainer.step(jnp.arange(3.0)) a second time, with tracers in place of arrays. "
        "Afterwards jupyter_jaxpr restores the Python objects that the call changes."
    )
    button.click()
    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(re.compile("traced only$"))
    expect(nb.equation(1)).to_have_text(re.compile(r"^c:f32\[3\] = mul a b$"))
    expect(nb.panel.get_by_role("button", name="Trace the call")).to_have_count(0)
    nb.run(2)
    expect(nb.outputs(2)).to_contain_text("ArrayImpl [0.0, 1.0, 2.0]")
