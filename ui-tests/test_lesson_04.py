"""Tests lesson 4, "Loops": the panel shows claims B9 to B13 and C7."""

from __future__ import annotations

import re

import pytest
from lesson_reader import LessonReader
from playwright.sync_api import expect


@pytest.mark.slow
def test_every_claim_is_to_be_seen(notebook, subtests):
    lesson = LessonReader("04-loops", notebook, subtests)
    program = lesson.nb.panel.get_by_role("tab", name="Program")

    with lesson.claim("b9-unrolled") as index:
        expect(lesson.nb.outputs(index).last).to_contain_text("100 equations")
        notes = lesson.view("Notes")
        expect(notes).to_contain_text(re.compile(r"Line 4.*100 iterations", re.DOTALL))
        expect(notes).to_contain_text("100 of the program's 100 equations")
        expect(notes).to_contain_text("fori_loop")
        expect(notes.get_by_role("button", name="Copy rewrite")).to_be_visible()
    with lesson.claim("b9-scan") as index:
        expect(lesson.nb.outputs(index).last).to_contain_text("3 equations")
        expect(lesson.flow()).to_contain_text("100 steps")
        stages = lesson.view("Time").get_by_role("table", name="Stages of the first call")
        expect(stages.get_by_role("row", name="compile")).to_contain_text(re.compile(r"[\d.,]+\s(µs|ms|s)"))
    with lesson.claim("b10-ten") as index:
        expect(lesson.nb.outputs(index).last).to_contain_text("10 equations")
        notes = lesson.view("Notes")
        expect(notes.get_by_role("button", name="Copy rewrite")).to_have_count(0)
    with lesson.claim("b10-compare"):
        compare = lesson.view("Compare")
        expect(compare).to_contain_text("unrolled")
        expect(compare).to_contain_text("by_fori")
        expect(compare.get_by_role("list", name="Result of the comparison")).to_contain_text("compile")
    with lesson.claim("b11-constant"):
        flow = lesson.flow()
        expect(flow).to_contain_text("10 steps")
        expect(flow).to_contain_text("are known when JAX traces, so fori_loop became a scan of length 10")
    with lesson.claim("b11-traced"):
        flow = lesson.flow()
        expect(flow).to_contain_text("unknown number of steps")
        expect(flow).to_contain_text("The upper bound n is known only at run time, so fori_loop became a while loop")
    with lesson.claim("b12-newton"):
        flow = lesson.flow()
        values = flow.get_by_role("table", name=re.compile("^Values of while_loop"))
        expect(values.get_by_role("row", name="s['n']")).to_contain_text("i32[]")
        expect(values.get_by_role("row", name="s['x']")).to_contain_text("f32[]")
        steps = lesson.steps()
        expect(steps.get_by_role("heading", level=3)).to_have_text("Step 1 of 3")
        expect(steps).to_contain_text("The recorded results equal the original function's results, bit for bit.")
    with lesson.claim("c7-fori"):
        expect(lesson.flow()).to_contain_text("5 steps")
        expect(lesson.steps().get_by_role("heading", level=3)).to_have_text("Step 1 of 5")
        # Claim B13: a button of the card opens the decision table, in which the row of `fori_loop` is marked.
        lesson.nb.panel.get_by_role("button", name="Which control-flow function to choose").click()
        table = lesson.nb.panel.get_by_role("table", name="Decision table")
        expect(table).to_be_visible()
        expect(table.locator('[aria-current="true"]')).to_have_count(1)
    expect(program).to_be_visible()
    lesson.finish()
