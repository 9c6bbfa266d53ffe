"""Tests lesson 6, "time and cost": the panel shows claims A5, A6, A13, A17, B8, B10, C3, C5 and C10."""

from __future__ import annotations

import re

import pytest
from lesson_reader import LessonReader
from playwright.sync_api import Locator, expect

# `\s` also matches the no-break space between a number and its unit.
DURATION = r"[\d.,]+\s(?:µs|ms|s)"


@pytest.fixture
def lesson(notebook, subtests):
    return LessonReader("06-time-and-cost", notebook, subtests)


@pytest.mark.slow
def test_every_claim_is_to_be_seen(lesson):
    def again() -> Locator:
        table = lesson.view("Time").get_by_role("table", name="Times of eager and warm calls")
        expect(table.get_by_role("rowheader")).to_have_text(["eager", "warm"])
        return table

    def sweep() -> Locator:
        """Return the entries of the sweep's list, one for each size; a wider panel would show a table."""
        return lesson.view("Time").get_by_role("list", name="Sweep over n").get_by_role("listitem")

    with lesson.claim("a5-selu"):
        for row in again().get_by_role("row").all()[1:]:
            expect(row.get_by_role("cell").first).to_have_text(re.compile(rf"^{DURATION}$"))
        expect(lesson.view("Time")).to_contain_text(  # on a busy machine, the times may show no difference
            re.compile("times as long as a warm call|The times with and without jit show no difference")
        )
        expect(lesson.view("Time")).to_contain_text(re.compile(rf"A warm call returns after {DURATION}"))
    with lesson.claim("a6-asked"):
        expect(lesson.view("Notes")).to_contain_text("Line 2: The clock stops before the work is done")
        expect(lesson.view("Notes")).to_contain_text("block_until_ready()")
    with lesson.claim("a6-done"):
        expect(lesson.view("Notes")).to_contain_text("No notes on this run.")
    with lesson.claim("a13-count"):
        again()
        expect(lesson.view("Time")).to_contain_text(
            re.compile(
                "jit saves no time: a call without jit is not slower|The times with and without jit show no difference"
            )
        )
    with lesson.claim("b8-where"):
        expect(lesson.view("Cost")).to_contain_text("8.3\u00a0k operations")
    with lesson.claim("b8-cond"):
        expect(lesson.view("Cost")).to_contain_text(re.compile(r"2\soperations to 8\.2\sk operations"))
    with lesson.claim("c10-scan"):
        cost = lesson.view("Cost")
        expect(cost).to_contain_text("52.4\u00a0M operations per call")
        expect(cost).to_contain_text("XLA counts 524,290 operations. jupyter_jaxpr counts 52,428,800 operations.")
        expect(cost).to_contain_text("XLA counts the body of a loop once, however many steps the loop has.")
    with lesson.claim("memory-kept"):
        expect(lesson.view("Cost")).to_contain_text(re.compile(r"229\skB"))
    with lesson.claim("memory-checkpoint"):
        expect(lesson.view("Cost")).not_to_contain_text(re.compile(r"229\skB"))
    with lesson.claim("a17-matmul"):
        expect(sweep()).to_contain_text(["n = 64", "n = 256", "n = 1,024", "n = 2,048"])
        plot = lesson.view("Time").get_by_role("img", name=re.compile("^Plot of "))
        expect(plot).to_be_visible()
        # For each series, the panel states the growth or that the points do not show it; this differs from run to run.
        for series in ("eager time", "first-call time", "warm time"):
            expect(lesson.view("Time")).to_contain_text(f"{series} of matmul")
    with lesson.claim("b10-unroll"):
        expect(sweep()).to_have_count(8)
        expect(lesson.view("Compare")).to_contain_text("JAX compiled rolled 4 times")
        points = lesson.nb.save()["cells"]  # the saved notebook contains the sweep that the panel shows
        sizes = {
            (point["function"], point["value"]): point["equations"]
            for cell in points
            for output in cell.get("outputs", [])
            if (saved := output.get("data", {}).get("application/vnd.jupyter-jaxpr.v1+json"))
            for point in (saved.get("sweep") or {"points": []})["points"]
            if point["function"] in ("unrolled", "rolled")
        }
        assert [sizes["unrolled", n] for n in ("3", "10", "100", "1000")] == [3, 10, 100, 1000]
        assert [sizes["rolled", n] for n in ("3", "10", "100", "1000")] == [3, 3, 3, 3]
    with lesson.claim("c3-lengths"):
        expect(sweep()).to_contain_text(["n = 100", "n = 1,000", "n = 10,000"])
        expect(lesson.flow()).to_contain_text("100 steps")
    with lesson.claim("c5-epoch"):
        again()
        expect(lesson.flow()).to_contain_text("100 steps")
    with lesson.claim("c5-step"):
        again()
    lesson.finish()
