"""Tests the request to compare two programs: the reply has the rows, or a sentence with a cure."""

from __future__ import annotations

import json
from typing import Any

import jax.numpy as jnp
import msgspec
import pytest
from diff_edits import X, first, with_a_term

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.document.copies.saved_copy import saved_copy
from jupyter_jaxpr.document.copies.without_values import without_values
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.types.diff import ProgramDiff
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered, Refused

pytestmark = pytest.mark.any_jax


def held(runs: Runs, snapshot: jj.Snapshot) -> str:
    assert snapshot._sources is not None
    runs.keep(Built(snapshot.document, snapshot._sources))
    return snapshot.document.id


def ask(answers: Answers, before: str, after: str, level: str = "jaxpr", program: int = 0) -> Any:
    reply = answers.answer(
        {
            "type": "diff",
            "id": 3,
            "snapshot": after,
            "program": program,
            "before": before,
            "before_program": 0,
            "level": level,
        }
    )
    if not isinstance(reply, Answered):
        return reply
    # encodes and decodes the result, as between kernel and browser
    return Answered(id=3, result=msgspec.json.decode(encode(reply.result), type=ProgramDiff))


def test_the_panel_gets_the_rows_of_both_programs() -> None:
    runs = Runs()
    before, after = (held(runs, jj.inspect(fun, X, X, stage="lower")) for fun in (first, with_a_term))
    reply = ask(Answers(runs), before, after)
    assert isinstance(reply, Answered)
    assert (reply.result.before.name, reply.result.after.name) == ("first", "with_a_term")
    assert (reply.result.added, reply.result.removed, reply.result.changed, reply.result.moved) == (2, 0, 0, 0)
    assert [row.after.text for row in reply.result.rows if row.sign == "added" and row.after] == [
        "g:f32[8] = tanh b",
        "h:f32[8] = add f g",
    ]
    text = ask(Answers(runs), before, after, "stablehlo")
    assert text.result.added == 2
    # The later run's document stores the diffs, so a page that is loaded later has them.
    held_before, held_after = runs.get(before), runs.get(after)
    assert held_before is not None and held_after is not None
    assert (held_before.document.diffs, held_after.document.diffs) == ([], [reply.result, text.result])
    assert without_values(held_after.document).diffs == []
    small = saved_copy(held_after.document, len(encode(held_after.document)) - 1)
    assert small.diffs == [] and small.cut is not None and "this saved copy leaves out diffs." in small.cut


def test_of_a_large_program_the_rows_around_the_differences_are_sent() -> None:
    def many(x, last):
        for number in range(10_000):
            x = (jnp.sin if number % 7 else jnp.cos)(x)
        return last(x)

    runs = Runs()
    before, after = (
        held(runs, jj.inspect(lambda x, last=last: many(x, last), X, stage="trace")) for last in (jnp.exp, jnp.log)
    )
    diff = ask(Answers(runs), before, after).result
    assert diff is not None
    assert [(row.sign, row.primitive) for row in diff.rows] == [
        *[("same", "sin")] * 3,
        ("changed", "log"),
        ("same", ""),
    ]
    assert diff.rows[0].skipped == 10_000 - 3 + 1


def test_a_run_of_another_kernel_comes_with_the_question() -> None:
    runs = Runs()
    saved = json.loads(jj.inspect(first, X, X, stage="trace").to_json())
    after = held(runs, jj.inspect(with_a_term, X, X, stage="trace"))
    question = {
        "type": "diff",
        "id": 3,
        "snapshot": after,
        "program": 0,
        "before": saved["id"],
        "before_program": 0,
        "level": "jaxpr",
    }
    reply = Answers(runs).answer(question | {"before_document": saved})
    assert isinstance(reply, Answered)
    assert (reply.result.added, reply.result.removed, reply.result.changed) == (2, 0, 0)
    broken = saved | {"focus": 7}
    reply = Answers(runs).answer(question | {"before_document": broken})
    assert isinstance(reply, Refused) and "Run the cell again" in reply.reason


def test_the_program_that_live_traced_last_is_compared_with_a_run() -> None:
    runs = Runs()
    before = held(runs, jj.inspect(first, X, X, stage="trace"))
    runs.written = jj.inspect(with_a_term, X, X, stage="trace").document
    question = {
        "type": "live_diff",
        "id": 3,
        "snapshot": "",
        "program": 0,
        "created": runs.written.created,
        "before": before,
        "before_program": 0,
        "level": "jaxpr",
    }
    reply = Answers(runs).answer(question)
    assert isinstance(reply, Answered)
    assert (reply.result.before.snapshot, reply.result.after.snapshot) == (before, runs.written.id)
    assert (reply.result.summary, reply.result.added) == (
        "2 equations were added. 1 argument or result was changed.",
        2,
    )

    # Live has meanwhile traced another text of the cell
    for other in ({"created": runs.written.created - 1.0}, {"program": 1}, {"before_program": 1}, {"before": "gone"}):
        assert isinstance(Answers(runs).answer(question | other), Refused), other
    runs.clear()
    assert isinstance(Answers(runs).answer(question), Refused)


def test_a_document_from_a_file_is_not_taken_for_the_run_whose_id_it_has() -> None:
    runs = Runs()
    after = held(runs, jj.inspect(with_a_term, X, X, stage="trace"))
    saved = json.loads(jj.inspect(first, X, X, stage="trace").to_json()) | {"id": after}
    question = {
        "type": "diff",
        "id": 3,
        "snapshot": after,
        "program": 0,
        "before": after,
        "before_program": 0,
        "level": "jaxpr",
    }
    reply = Answers(runs).answer(question | {"before_document": saved})
    assert isinstance(reply, Answered)
    assert (reply.result.before.name, reply.result.after.name) == ("first", "with_a_term")
    assert (reply.result.added, reply.result.removed, reply.result.changed) == (2, 0, 0)


def test_a_run_that_is_gone_and_a_text_that_was_not_made_are_said() -> None:
    runs = Runs()
    before, after = (held(runs, jj.inspect(fun, X, X, stage="trace")) for fun in (first, with_a_term))
    assert ask(Answers(runs), "gone", after).reason == (
        "The kernel no longer holds the earlier run: the kernel keeps the last 8 runs. Choose another run."
    )
    assert (
        ask(Answers(runs), before, after, program=4).reason
        == "This run does not have the requested program. Run the cell again."
    )
    error = ask(Answers(runs), before, after, "hlo").reason
    assert error is not None and error.startswith("The HLO of first is missing in this run. ")
