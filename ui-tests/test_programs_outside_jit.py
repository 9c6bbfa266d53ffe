"""Tests programs of cells without jit: a scan outside of jit, a trace by `jax.make_jaxpr`, and a recorded call."""

from __future__ import annotations

import re

import pytest
from page_checks import cut, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax\nxs = jnp.arange(1.0, 6.0)"

SCAN = """\
%%jaxpr
def step(carry, x):
    new_carry = carry + x
    return new_carry, new_carry * 2

print(jax.make_jaxpr(step)(1.0, 2.0))
final, ys = lax.scan(step, 0.0, xs)"""

ANEW = """\
%%jaxpr
def total(xs):
    def add(c, x):
        return c + x, None

    return lax.scan(add, 0.0, xs)[0]

for _ in range(3):
    y = total(xs)
print(total(xs))"""


def test_a_scan_outside_of_jit_is_read_and_stepped(notebook):
    nb = notebook(LOAD, SCAN)
    nb.run_all()
    expect(nb.listing()).to_contain_text("scan")
    expect(nb.panel).to_contain_text("1 call, 1 compile · ran as an eager scan")
    nb.listing().locator(".cm-line", has_text="scan").first.hover()
    nb.expect_linked(1, "lax.scan(step, 0.0, xs)")

    nb.panel.get_by_role("button", name="scan(step)").click()
    programs = nb.panel.get_by_role("listbox", name="Programs").get_by_role("option")
    expect(programs).to_have_text(
        [
            "scan(step) (f32[] weak, f32[5]) → [f32[], f32[5]] · ran as an eager scan",
            "step (f32[] weak, f32[] weak) → (f32[] weak, f32[] weak) · traced by make_jaxpr, line 6",
        ]
    )
    nb.page.keyboard.press("Escape")

    nb.panel.get_by_role("tab", name="Control flow").click()
    steps = nb.panel.get_by_role("group", name=re.compile("^Steps of "))
    steps.get_by_role("button", name="Record the steps").click()
    expect(steps.get_by_role("heading", level=3)).to_have_text("Step 1 of 5")


@pytest.mark.slow
def test_a_body_made_anew_is_the_reason_of_each_compile(notebook):
    nb = notebook(LOAD, ANEW)
    nb.run_all()
    nb.panel.get_by_role("tab", name=re.compile("^Cache")).click()
    cache = nb.panel.get_by_role("tabpanel", name=re.compile("^Cache"))
    expect(cache).to_contain_text("4 compiles: tracing, lowering and compiling took")
    expect(cache).to_contain_text("JAX traced and compiled the scan again: add is a new function object")
    expect(cache).to_contain_text(
        "Define add once, outside of the code that calls scan: JAX caches by function object."
    )
    for width in (320, 560):
        nb.set_panel_width(width)
        assert cut(nb.panel, ".jp-JaxprCache *") == []
        assert violations(nb.page) == []
