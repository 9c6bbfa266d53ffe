"""Tests lesson 3, "Branches": the panel shows claims B1 to B8 and the comparison."""

from __future__ import annotations

import re

import pytest
from lesson_reader import LessonReader
from playwright.sync_api import expect


@pytest.mark.slow
def test_every_claim_is_to_be_seen(notebook, subtests):
    lesson = LessonReader("03-branches", notebook, subtests)

    with lesson.claim("b1-if"):
        notes = lesson.view("Notes")
        expect(notes).to_contain_text(re.compile(r"Line 4.*x > 0.*argument x", re.DOTALL))
        for cure in ("lax.cond", "jnp.where", "static_argnames"):
            expect(notes).to_contain_text(cure)
    with lesson.claim("b2-while"):
        notes = lesson.view("Notes")
        expect(notes).to_contain_text(re.compile(r"Line 5.*i < n.*argument n", re.DOTALL))
        expect(notes).to_contain_text("lax.while_loop")
        expect(notes).to_contain_text("lax.fori_loop")
    with lesson.claim("b3-static"):
        cache = lesson.view("Cache")
        expect(cache).to_contain_text("2 compiles: tracing, lowering and compiling took")
        function = cache.get_by_role("row").nth(1)
        if function.get_attribute("aria-expanded") == "false":
            function.click()
        expect(cache).to_contain_text("20 → 30")
    with lesson.claim("b4-grad") as index:
        expect(lesson.nb.outputs(index).last).to_contain_text("1.")
    with lesson.claim("b4-jit-grad"):
        notes = lesson.view("Notes")
        expect(notes).to_contain_text("relu_or_decay_plain")
        expect(notes).to_contain_text(re.compile(r"x > 0.*argument x", re.DOTALL))
    with lesson.claim("b5-cond") as index:
        types = lesson.nb.typed_lines(index)
        for branch, shown in enumerate(["x: f32[]{weak}", "→ f32[]{weak}"] * 2):
            expect(types.nth(branch)).to_have_attribute("data-jaxpr-types", shown)
        expect(lesson.nb.outputs(index).first).to_contain_text("6.0 4.0")
        expect(lesson.nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(re.compile(r"2 calls, 1 compile"))
        flow = lesson.flow()
        expect(flow.get_by_role("group", name="Branch False of cond")).to_contain_text("index 0 in the jaxpr · square")
        expect(flow.get_by_role("group", name="Branch True of cond")).to_contain_text("index 1 in the jaxpr · double")
        expect(flow).to_contain_text("branch chosen by x > 0")
        expect(flow).to_contain_text("The jaxpr lists the False branch first")
        expect(lesson.steps(press=False).get_by_role("row", name="branch taken")).to_contain_text("False")
    with lesson.claim("b6-switch") as index:
        expect(lesson.nb.outputs(index).first).to_contain_text("0.46211717 0.5")
        flow = lesson.flow()
        expect(flow.get_by_role("group", name=re.compile("^Branch . of switch"))).to_have_count(3)
        expect(flow).to_contain_text(
            "JAX clamps the index: an index below 0 takes branch 0, an index above 2 takes branch 2."
        )
        expect(lesson.steps(press=False).get_by_role("row", name="branch taken")).to_contain_text("2")
    with lesson.claim("b7-vmap"):
        flow = lesson.flow()
        expect(flow).to_contain_text("Every branch runs for every element")
        expect(flow).to_contain_text("primitive select_n")
    with lesson.claim("b8-where"):
        expect(lesson.flow()).to_contain_text("This program has no control flow")
        lesson.view("Program")
        expect(lesson.nb.listing()).to_contain_text("jnp.where")
    with lesson.claim("b-compare"):
        compare = lesson.view("Compare")
        for words in ("by_cond", "by_where", "same bits"):
            expect(compare).to_contain_text(words)
    lesson.finish()
