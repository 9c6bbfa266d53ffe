"""Tests lesson 5, "scan": the panel shows claims C1 to C10."""

from __future__ import annotations

import re

import pytest
from lesson_reader import LessonReader
from playwright.sync_api import expect


@pytest.mark.slow
def test_every_claim_is_to_be_seen(notebook, subtests):
    lesson = LessonReader("05-scan", notebook, subtests)

    def every_step(steps):
        return steps.get_by_role("group", name="All steps").get_by_role("row")

    with lesson.claim("c1-step") as index:
        expect(lesson.nb.typed_lines(index).first).to_have_attribute(
            "data-jaxpr-types", "carry: f32[]{weak} · carry, 5 steps  x: f32[] · xs, 5 steps"
        )
        steps = lesson.steps()
        rows = [
            "stepcarryxsstep output",
            "10.01.02.0",
            "21.02.06.0",
            "33.03.012.0",
            "46.04.020.0",
            "510.05.030.0",
            "at end15.0",
        ]
        expect(every_step(steps)).to_have_text(rows)
        expect(steps).to_contain_text("The recorded results equal the original function's results, bit for bit.")
    with lesson.claim("c2-compare"):
        compare = lesson.view("Compare")
        for words in ("by_scan", "by_loop", "same bits"):
            expect(compare).to_contain_text(words)
    with lesson.claim("c3-100") as index:
        expect(lesson.nb.outputs(index).last).to_contain_text("4 equations")
        expect(lesson.flow()).to_contain_text("100 steps")
    with lesson.claim("c3-10000") as index:
        expect(lesson.nb.outputs(index).last).to_contain_text("4 equations")
        expect(lesson.flow()).to_contain_text("10,000 steps")
    with lesson.claim("c4-rnn"):
        values = lesson.flow().get_by_role("table", name=re.compile("^Values of scan"))
        rows = [
            "roleleaftype in one steptype in all steps",
            "carryhf32[16]f32[16]",
            "xsxsf32[8]f32[100,8]",
            "yshf32[16]f32[100,16]",
            "constp['wx']f32[8,16]same type",
            "constp['wh']f32[16,16]same type",
            "constp['b']f32[16]same type",
        ]
        expect(values.get_by_role("row")).to_have_text(rows)
    with lesson.claim("c5-epoch"):
        cache = lesson.view("Cache")
        expect(cache.get_by_role("row").filter(has_text="train_step")).to_contain_text(re.compile("1 ?compile|1"))
        expect(lesson.flow()).to_contain_text("100 steps")
        again = lesson.view("Time").get_by_role("table", name="Times of eager and warm calls")
        expect(again.get_by_role("rowheader")).to_have_text(["eager", "warm"])
    for identifier in ("c5-loop-time", "c5-scan-time"):
        with lesson.claim(identifier) as index:
            expect(lesson.nb.outputs(index).last).to_contain_text("per loop")
    with lesson.claim("c6-cumsum"):
        totals = every_step(lesson.steps())
        expect(totals.last).to_have_text("at end36.0")
    with lesson.claim("c6-average"):
        expect(every_step(lesson.steps()).nth(3)).to_contain_text("1.4")
    with lesson.claim("c8-types"):
        notes = lesson.view("Notes")
        expect(notes).to_contain_text(re.compile(r"Line 4"))
        expect(notes).to_contain_text("int32[]")
        expect(notes).to_contain_text("float32[]")
    with lesson.claim("c8-cure"):
        expect(lesson.flow()).to_contain_text("5 steps")
    with lesson.claim("c9-length"):
        notes = lesson.view("Notes")
        expect(notes).to_contain_text(re.compile(r"Line 4.*length", re.DOTALL))
        expect(notes).to_contain_text("while_loop")
    with lesson.claim("c9-compare"):
        compare = lesson.view("Compare")
        for words in ("padded", "open_ended", "same bits"):
            expect(compare).to_contain_text(words)
    with lesson.claim("c10-cost"):
        expect(lesson.flow()).to_contain_text("80.0 kop")
    lesson.finish()
