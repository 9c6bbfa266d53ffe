"""Tests facts that recorded steps add: the number of steps of a while loop in its cost, and the index of a switch."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from stepping import card, column, record, snapshot_of

from jupyter_jaxpr.build.steps.recording_of_steps import construct_of, recording_document
from jupyter_jaxpr.exports.control_flow_tables import control_flow_text

UNKNOWN_STEPS = "The total counts one step of each loop with an unknown number of steps: "


def halved(x):
    return lax.while_loop(lambda c: c[0] > 0.1, lambda c: (c[0] * 0.5, c[1] + 1), (x, 0))


def summed(limits):
    def body(total, limit):
        return lax.while_loop(lambda t: t < limit, lambda t: t + 1.0, total), None

    return lax.scan(body, 0.0, limits)


def stepped(function, *arguments, kind):
    """Record the steps of a construct, and return the sources with the recording."""
    snapshot = snapshot_of(function, *arguments)
    sources = snapshot._sources
    control = card(snapshot, kind)
    sources.cost(0)
    sources.merge("recordings", recording_document(sources.document, control, construct_of(sources, control).run()))
    return sources


def lead(document):
    return [text.replace("\xa0", " ") for text in document.costs[0].lead]


def test_the_steps_of_a_while_are_known_after_it_was_stepped_through():
    before = snapshot_of(halved, 3.0).document
    [cost] = before.costs
    assert lead(before)[-1].startswith(UNKNOWN_STEPS)
    assert control_flow_text(before).rows[0][3] == "unknown"

    document = stepped(halved, 3.0, kind="while_loop").document
    [second_cost] = document.costs
    # Each of the 5 steps has a product and a sum; the comparison runs before each step and after the last one.
    assert (cost.flops, second_cost.flops) == (3, 5 * 2 + 6)
    assert lead(document)[0] == "16 operations per call."
    assert lead(document)[-1].startswith(
        "For a loop with an unknown number of steps, the total counts the steps that the stepper recorded: while_loop, "
        "line "
    )
    assert lead(document)[-1].endswith(" (5 steps).")
    assert (second_cost.per_trip, second_cost.recordings, second_cost.exact) == ([], [0], False)
    assert control_flow_text(document).rows[0][3] == "5 steps in the recorded run"
    # The card still has no number of steps, because it describes the program, not a run.
    assert document.control_flow[0].trips is None


def test_executions_of_different_steps_are_told_and_not_multiplied():
    document = stepped(summed, jnp.array([3.0, 4.0, 4.0]), kind="while_loop").document
    assert [row[3] for row in control_flow_text(document).rows] == ["3", "0 to 3 steps in the recorded run"]
    assert document.costs[0].recordings == [1]
    assert lead(document)[-1].startswith(UNKNOWN_STEPS)


@pytest.mark.parametrize(
    ("passed", "index_text", "branch"),
    [(7, "7, clamped to 2", "2"), (-4, "-4, clamped to 0", "0"), (1, "1", "1"), (np.uint8(9), "9, clamped to 2", "2")],
)
def test_a_switch_shows_the_index_that_was_passed(passed, index_text, branch):
    recording = record(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), passed, 2.0, kind="switch")
    assert column(recording, "index") == [index_text]
    assert recording.branch_taken == [branch]


def test_a_switch_in_a_loop_shows_each_index_that_was_passed():
    def walked(indices):
        return lax.scan(lambda c, i: (lax.switch(i, [jnp.sin, jnp.cos], c), None), 1.0, indices)

    recording = record(walked, jnp.array([0, 5, -1]), kind="switch")
    assert column(recording, "index") == ["0", "5, clamped to 1", "-1, clamped to 0"]
    assert recording.leaves[0].numbers == [0.0, 5.0, -1.0]
    assert recording.branch_taken == ["0", "1", "0"]


def test_a_cond_has_a_predicate_and_no_index():
    recording = record(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), True, 2.0, kind="cond")
    assert column(recording, "predicate") == ["True"]
    assert [leaf.role for leaf in recording.leaves] == ["predicate", "operand", "result"]
