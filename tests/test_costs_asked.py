"""Tests the ways to request costs: `Snapshot.cost` in scripts, and the panel's request."""

from __future__ import annotations

import json
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.document.check.validate import validate
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered

pytestmark = pytest.mark.any_jax

X = np.ones((8, 8), np.float32)


def step(x):
    for _ in range(3):
        x = lax.sin(x @ x)
    return lax.reduce_sum(x, (0, 1))


LINE = step.__code__.co_firstlineno


@pytest.mark.parametrize("stage", ["trace", "lower", "compile", "run"])
def test_the_cost_is_there_at_each_stage(stage):
    cost = jj.inspect(step, X, stage=stage).cost
    product = 2 * 64 * 8
    assert (cost.flops, cost.flops_min, cost.exact) == (3 * product + 63, 3 * product + 63, True)
    assert cost.transcendentals == 3 * 64
    assert [(row.line - LINE, row.equations, row.flops, row.transcendentals) for row in cost.by_line] == [
        (2, 6, 3 * product, 3 * 64),
        (3, 1, 63, 0),
    ]
    assert {row.file for row in cost.by_line} == {__file__}
    assert [(row.name, row.equations, row.line) for row in cost.by_primitive] == [
        ("sin", 3, None),
        ("dot_general", 3, None),
        ("reduce_sum", 1, None),
    ]
    assert cost.line(LINE + 3).flops == 63
    with pytest.raises(KeyError):
        cost.line(LINE)
    # Only a compiled program has counts of XLA.
    compiled = stage in ("compile", "run")
    assert (cost.xla_flops, cost.xla_transcendentals) == ((cost.flops, 192.0) if compiled else (None, None))
    assert cost.differences == ()
    assert cost.memory is not None
    assert cost.memory.arguments == (256 if compiled else None)


def test_a_snapshot_from_a_file_has_the_cost_that_was_saved():
    snapshot = jj.inspect(step, X)
    assert jj.Snapshot.from_json(snapshot.to_json()).cost == snapshot.cost


def many(x):
    for _ in range(2_001):
        x = x * 2
    return x


def test_a_large_program_is_counted_when_it_is_asked():
    snapshot = jj.inspect(many, X, stage="trace")
    assert snapshot.document.costs == []
    unasked = jj.Snapshot(snapshot.document)
    with pytest.raises(ValueError) as caught:
        _ = unasked.cost
    assert str(caught.value) == "This snapshot does not hold the cost of many. Inspect the function again."
    assert snapshot.cost.flops == 2_001 * 64
    assert jj.Snapshot.from_json(snapshot.to_json()).cost.flops == 2_001 * 64


def test_of_a_middling_program_xla_is_asked_later():
    def middling(x):
        for _ in range(301):
            x = x * 2
        return x

    snapshot = jj.inspect(middling, X)
    [counted] = snapshot.document.costs
    assert (counted.flops, counted.xla, counted.xla_asked) == (301 * 64, None, False)
    assert snapshot.cost.xla_flops is not None


def test_without_a_program_there_is_no_cost():
    document = jj.inspect(step, X, stage="trace").to_dict() | {
        "programs": [],
        "focus": -1,
        "costs": [],
        "control_flow": [],
        "notes": [],
    }
    with pytest.raises(ValueError, match="This snapshot holds no program"):
        _ = jj.Snapshot(jj.Snapshot.from_json(json.dumps(document)).document).cost


def test_exports_say_what_it_costs_and_why_xla_says_something_else(tmp_path):
    def loop(x):
        return lax.scan(lambda c, _: (c @ c, None), x, None, length=100)[0]

    snapshot = jj.inspect(loop, np.ones((64, 64), np.float32))
    line = loop.__code__.co_firstlineno + 1
    place = f"line {line} of {Path(__file__).name}"
    assert repr(snapshot).splitlines()[-1] == f"52.4 M operations per call. 100 % of the operations are on {place}."
    snapshot.save(tmp_path / "loop.md")
    text = (tmp_path / "loop.md").read_text().replace("\\", "").replace("\xa0", " ")
    assert "XLA counts 524,290 operations. jupyter_jaxpr counts 52,428,800 operations." in text
    sentence = (
        "XLA counts the body of a loop once, however many steps the loop has. The loop counter adds 2 operations to "
        "XLA's count."
    )
    assert sentence in text
    snapshot.save(tmp_path / "loop.html")
    html = (tmp_path / "loop.html").read_text().replace("\xa0", " ")
    assert "<td>52.4 Mop</td>" in html


# --- a request from the panel -------------------------------------------------------------------------------


def asked(built, **fields):
    runs = Runs()
    runs.keep(built)
    reply = Answers(runs).answer({"type": "cost", "id": 1, "snapshot": built.document.id, **fields})
    return reply, runs


def test_a_request_counts_a_large_program_and_keeps_it():
    snapshot = jj.inspect(many, X, stage="trace")
    reply, runs = asked(Built(snapshot.document, snapshot._sources), program=0)
    assert isinstance(reply, Answered)
    assert reply.result.flops == 2_001 * 64
    document = runs.get(snapshot.document.id).document
    assert document.costs == [reply.result]
    validate(document)


def test_a_program_that_is_not_there_gets_a_sentence():
    snapshot = jj.inspect(step, X, stage="trace")
    for number in (-1, 1):
        reply, _ = asked(Built(snapshot.document, snapshot._sources), program=number)
        assert reply.reason == "This run does not have the requested program. Run the cell again."


def test_what_is_compiled_on_request_is_asked_about_then():
    snapshot = jj.inspect(lambda x: jnp.tanh(x @ x), X, stage="trace")
    built = Built(snapshot.document, snapshot._sources)
    first, _ = asked(built, program=0)
    assert first.result.xla is None
    built.sources.make(0, "hlo")
    second, _ = asked(Built(built.sources.document, built.sources), program=0)
    assert second.result.xla.flops == second.result.flops == 2 * 64 * 8
