"""Tests the contents of recordings: values at every step, parts left out, endless loops, refusals."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from stepping import card, column, record, snapshot_of

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.steps.recording_of_steps import construct_of
from jupyter_jaxpr.measure.steps.jaxpr_evaluation import Unsteppable
from jupyter_jaxpr.measure.steps.step_limits import Bounds
from jupyter_jaxpr.observe import advice_without_magics
from jupyter_jaxpr.observe.calls.held_or_gone_values import ValuesGone

pytestmark = pytest.mark.any_jax

XS = jnp.array([1.0, 2.0, 3.0])


def running(x, xs):
    def step(h, t):
        h = h * t
        return h, h + 0.5

    return lax.scan(step, x, xs)


def newton(a):
    def condition(state):
        x, _ = state
        return jnp.abs(x * x - a) > 1e-5

    return lax.while_loop(condition, lambda state: (0.5 * (state[0] + a / state[0]), state[1] + 1), (a, 0))


def pick(i, x):
    return lax.switch(i, [lambda x: x + 1, lambda x: x * 2, jnp.negative], x)


def test_a_scan_step_by_step():
    recording = record(running, 2.0, XS, kind="scan")
    assert recording.step == [0, 1, 2]
    (visit,) = recording.visits
    assert (visit.first_point, visit.points, visit.trips, visit.outer, visit.finished) == (0, 3, 3, [], True)
    # The column of a carry has its value before each step, and its final value.
    assert column(recording, "carry", "h") == ["2.0", "2.0", "4.0", "12.0"]
    assert column(recording, "x", "xs") == ["1.0", "2.0", "3.0"]
    assert column(recording, "y") == ["2.5", "4.5", "12.5"]
    carry = recording.leaves[0]
    assert (carry.type, carry.elements, carry.numbers) == ("f32[]", 1, [2.0, 2.0, 4.0, 12.0])
    assert (carry.number_name, carry.minimum, carry.nans, carry.infinities) == ("value", None, [], [])
    assert recording.verdict == "The recorded results equal the original function's results, bit for bit."
    assert [
        (comparison.path, comparison.equal, comparison.recorded, comparison.real)
        for comparison in recording.comparisons
    ] == [
        ("result[0]", True, "12.0", "12.0"),
        ("result[1]", True, "[2.5 4.5 12.5]", "[2.5 4.5 12.5]"),
    ]
    assert (recording.stopped, recording.thinned, recording.notes, recording.branch_taken) == (None, None, [], [])


def test_a_reverse_scan_runs_from_the_last_x():
    recording = record(lambda xs: lax.scan(lambda h, t: (h + t, h), 0.0, xs, reverse=True), XS, kind="scan")
    assert column(recording, "x") == ["3.0", "2.0", "1.0"]
    assert column(recording, "carry") == ["0.0", "3.0", "5.0", "6.0"]
    assert column(recording, "y") == ["0.0", "3.0", "5.0"]


def test_a_while_tells_what_its_condition_compares():
    recording = record(newton, 2.0, kind="while_loop")
    assert column(recording, "condition") == ["True", "True", "True", "False"]
    assert column(recording, "compared") == ["2.0", "0.25", "0.0069446694", "6.0006937e-06"]
    assert column(recording, "carry", "state[0]") == ["2.0", "1.5", "1.4166667", "1.4142157"]
    (compared,) = [leaf for leaf in recording.leaves if leaf.role == "compared"]
    assert compared.threshold == 1e-5
    assert recording.verdict == (
        "The recorded results equal the original function's results, bit for bit. "
        "The recorded run and the original function both took 3 steps."
    )


def test_a_while_that_never_ends_is_left_with_a_note():
    snapshot = snapshot_of(newton, 612.0, stage="trace")
    rerun = construct_of(snapshot._sources, card(snapshot, "while_loop")).run()
    assert rerun.steps.stopped == (
        "The stepper stopped after 16 steps. The state of the loop no longer changes, so the loop never ends."
    )
    assert rerun.notes == [
        "The value that the condition of the loop compares stopped changing after 8 steps, at 1.7603572e-05. The "
        "compared value stays > 1e-05. Choose a bound that the compared value can reach, or also end the loop after a "
        "fixed number of steps."
    ]
    assert rerun.verdict == (
        "The recorded run stopped before its end, so jupyter_jaxpr did not run the original function to compare "
        "the results."
    )
    assert rerun.pairs == []
    assert [visit.finished for visit in rerun.steps.visits] == [False]


def test_a_while_whose_state_goes_in_a_circle_never_ends():
    recording = record(
        lambda x: lax.while_loop(lambda x: x != 5.0, lambda x: 3.0 - x, x), 1.0, kind="while_loop", stopped=bool
    )
    assert recording.stopped is not None
    assert "The state of the loop repeats every 2 steps, so the loop never ends." in recording.stopped


def test_a_while_that_never_ends_inside_a_scan():
    def step(h, t):
        return lax.while_loop(lambda s: s > t, lambda s: jnp.maximum(s - 1.0, 0.0), h), None

    recording = record(
        lambda x: lax.scan(step, x, jnp.array([3.0, 1.0, -1.0, 0.0]))[0], 5.0, kind="while_loop", stopped=bool
    )
    assert [(visit.outer, visit.trips, visit.finished) for visit in recording.visits] == [
        ([0], 2, True),
        ([1], 2, True),
        ([2], 2, False),
    ]
    assert recording.stopped.endswith("The state of the loop no longer changes, so the loop never ends.")
    assert recording.comparisons == []


def test_the_branch_that_was_taken_each_time():
    def step(h, i):
        return pick(i, h), None

    recording = record(lambda x: lax.scan(step, x, jnp.array([0, 1, 2, 7]))[0], 3.0, kind="switch")
    assert recording.branch_taken == ["0", "1", "2", "2"]
    assert column(recording, "index") == ["0", "1", "2", "7, clamped to 2"]
    assert column(recording, "operand") == ["3.0", "4.0", "8.0", "-8.0"]
    assert column(recording, "result") == ["4.0", "8.0", "-8.0", "8.0"]
    assert [visit.outer for visit in recording.visits] == [[0], [1], [2], [3]]


def test_a_cond_says_true_and_false():
    recording = record(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x), -1.0, kind="cond")
    assert column(recording, "predicate") == ["False"]
    assert recording.branch_taken == ["False"]


def test_a_loop_in_a_branch_that_is_not_taken_has_no_visit():
    recording = record(
        lambda x: lax.cond(x > 0, lambda x: lax.fori_loop(0, 3, lambda i, h: h * 2, x), lambda x: x, x),
        -1.0,
        kind="fori_loop",
    )
    assert (recording.visits, recording.visits_total, recording.step) == ([], 0, [])
    assert column(recording, "carry", "h") == []
    assert recording.verdict == "The recorded results equal the original function's results, bit for bit."


def test_a_loop_without_a_step_has_its_carry_only():
    recording = record(lambda x: lax.while_loop(lambda h: h < 0, lambda h: h + 1, x), 1.0, kind="while_loop")
    assert recording.step == []
    assert column(recording, "carry") == ["1.0"]
    assert column(recording, "condition") == ["False"]
    assert recording.visits[0].trips == 0


def test_each_visit_of_an_inner_loop():
    def step(h, n):
        return lax.fori_loop(0, n, lambda i, s: s + 1.0, h), None

    recording = record(lambda x: lax.scan(step, x, jnp.array([2, 0, 1]))[0], 0.0, kind="fori_loop")
    assert [(visit.first_point, visit.points, visit.trips, visit.outer) for visit in recording.visits] == [
        (0, 2, 2, [0]),
        (2, 0, 0, [1]),
        (2, 1, 1, [2]),
    ]
    # The values of the first visit: two steps and the end; of the second: only the end; of the third: one step and the
    # end.
    assert [leaf.texts for leaf in recording.leaves if leaf.role == "carry"][-1] == [
        "0.0",
        "1.0",
        "2.0",
        "2.0",
        "2.0",
        "3.0",
    ]


def test_large_arrays_are_summarised_with_their_nan():
    def step(i, h):
        return h.at[i].set(jnp.where(i == 1, jnp.nan, jnp.inf)) * 2

    for size in (20, 200):  # the array of 20 is kept completely; of the array of 200, a summary is computed in the loop
        recording = record(lambda x: lax.fori_loop(0, 2, step, x), jnp.arange(float(size)), kind="fori_loop")
        (leaf,) = [leaf for leaf in recording.leaves if leaf.role == "carry" and leaf.elements == size]
        assert leaf.texts == [f"[0.0 1.0 … +{size - 2}]", f"[inf 2.0 … +{size - 2}]", f"[inf NaN … +{size - 2}]"]
        assert leaf.minimum == [0.0, 2.0, 8.0]
        assert leaf.maximum == [size - 1, 2 * (size - 1), 4 * (size - 1)]
        assert leaf.mean == pytest.approx(
            [(size - 1) / 2, 2 * sum(range(1, size)) / (size - 1), 4 * sum(range(2, size)) / (size - 2)]
        )
        assert leaf.nans == [0, 0, 1]
        assert leaf.infinities == [0, 1, 1]
        assert leaf.number_name == "‖h‖"
        assert leaf.numbers == pytest.approx(
            [float(np.linalg.norm(np.arange(size) * f)) for f in (1, 2)]
            + [float(np.linalg.norm(np.arange(2, size) * 4.0))]
        )


def test_an_array_of_up_to_64_elements_has_its_elements_for_a_picture(monkeypatch):
    def double(h, _):
        return jax.tree.map(lambda leaf: leaf * 2, h), None

    def run(h):
        return lax.scan(double, h, None, length=1)[0]

    h = {
        "full": jnp.arange(8.0),
        "grid": jnp.arange(10.0).reshape(2, 5) / 3,
        "large": jnp.zeros(65),
        "odd": jnp.array([0, 1, 2, 3, 4, 5, jnp.nan, jnp.inf, -jnp.inf]),
    }
    recording = record(run, h, kind="scan")
    assert {leaf.path: leaf.pictures for leaf in recording.leaves} == {
        "h['full']": None,  # no picture, because the text has all elements
        "h['grid']": [
            "0 0.3333 0.6667 1 1.333 1.667 2 2.333 2.667 3",
            "0 0.6667 1.333 2 2.667 3.333 4 4.667 5.333 6",
        ],
        "h['large']": None,  # no picture, because only a summary of the array is kept
        "h['odd']": ["0 1 2 3 4 5 nan inf -inf", "0 2 4 6 8 10 nan inf -inf"],
    }
    assert recording.notes == []

    monkeypatch.setattr("jupyter_jaxpr.document.limits.Sent.CHARACTERS_OF_PICTURES", 120)
    recording = record(run, h, kind="scan")
    assert [leaf.path for leaf in recording.leaves if leaf.pictures is not None] == ["h['grid']"]
    assert recording.notes == ["The values of 1 leaf have no pictures: the pictures of a recording take at most 1 MB."]


def test_values_of_every_type_read_as_jax_prints_them():
    def step(state, t):
        key, flag, n, z, half = state
        return (jax.random.fold_in(key, 1), ~flag, n + 100, z * 1j, half / 3), t

    recording = record(
        lambda key: lax.scan(step, (key, True, jnp.int8(100), 1 + 2j, jnp.bfloat16(1)), None, length=2),
        jax.random.key(0),
        kind="scan",
    )
    texts = [leaf.texts for leaf in recording.leaves]
    assert texts[0][0] == "key[0 0]"
    assert texts[1] == ["True", "False", "True"]
    assert texts[2] == ["100", "-56", "44"]
    assert texts[3] == ["(1+2j)", "(-2+1j)", "(-1-2j)"]
    assert texts[4][:2] == ["1", "0.333984"]


# --- bounds ---


def steps_of(function, *arguments, kind, **bounds):
    snapshot = snapshot_of(function, *arguments)
    construct = construct_of(snapshot._sources, card(snapshot, kind))
    construct.stepper._bounds = Bounds(**bounds)
    return construct


def test_a_long_loop_is_thinned_and_keeps_its_first_and_last_step():
    recording = record(lambda x: lax.fori_loop(0, 5000, lambda i, h: h + 1.0, x), 0.0, kind="fori_loop")
    assert len(recording.step) == 626
    assert recording.step[:3] == [0, 8, 16]
    assert recording.step[-2:] == [4992, 4999]
    assert recording.thinned == ("The stepper keeps one of every 8 steps. The stepper keeps at most 1,000 steps.")
    assert column(recording, "carry", "h")[-2:] == ["4999.0", "5000.0"]
    assert recording.visits[0].trips == 5000
    assert recording.verdict == "The recorded results equal the original function's results, bit for bit."


def test_a_thousand_steps_are_all_there():
    recording = record(lambda x: lax.fori_loop(0, 1000, lambda i, h: h + 1.0, x), 0.0, kind="fori_loop")
    assert (recording.step, recording.thinned) == (list(range(1000)), None)


def test_many_visits_are_thinned():
    def step(h, _):
        return lax.fori_loop(0, 10, lambda i, s: s + 1.0, h), None

    recording = record(lambda x: lax.scan(step, x, length=600)[0], 0.0, kind="fori_loop")
    assert recording.visits_total == 600
    assert recording.thinned == (
        "The stepper keeps one of every 8 executions of the construct. The stepper keeps at most 1,000 steps."
    )
    assert [visit.outer for visit in recording.visits] == [[step] for step in range(0, 600, 8)]
    assert {visit.points for visit in recording.visits} == {10}


def test_steps_of_one_long_inner_loop_are_thinned():
    def step(h, _):
        return lax.while_loop(lambda s: s % 3000 != 2999, lambda s: s + 1, h) + 1, None

    recording = record(lambda n: lax.scan(step, n, length=3)[0], 0, kind="while_loop")
    assert [visit.trips for visit in recording.visits] == [2999, 2999, 2999]
    assert len(recording.step) <= 1000
    assert recording.thinned.endswith("The stepper keeps at most 1,000 steps.")
    assert recording.verdict == (
        "The recorded results equal the original function's results, bit for bit. "
        "The recorded run and the original function both took 8,997 steps."
    )


@pytest.mark.parametrize("kind", ["fori_loop", "while_loop"])
def test_a_run_ends_at_its_cap_of_steps(kind):
    def inner(h):
        return lax.while_loop(lambda s: s[1] < 100_000, lambda s: (s[0] * 0.5, s[1] + 1), (h, 0))[0]

    def loops(x):
        return lax.fori_loop(0, 20, lambda i, h: inner(h) + 1, x)

    snapshot = snapshot_of(loops, 1.0, stage="trace")
    construct = construct_of(snapshot._sources, card(snapshot, kind))
    construct.stepper._bounds = Bounds(trips=15)
    steps = construct.stepper.run([jnp.float32(1.0)])
    assert steps.stopped == "The stepper stopped after 15 steps, because the stepper runs at most this many steps."
    assert steps.results is None
    assert len(steps.step) == 15


def test_stop_keeps_what_was_recorded():
    snapshot = snapshot_of(lambda x: lax.while_loop(lambda h: h >= 0, lambda h: h + 1, x), 0, stage="trace")
    construct = construct_of(snapshot._sources, card(snapshot, "while_loop"))
    rows = []
    rerun = construct.run(
        tell=lambda text, steps_done, total: rows.append((text, steps_done)), stopped=lambda: len(rows) > 4
    )
    assert rerun.steps.stopped.startswith("You stopped the stepper after ")
    assert rerun.steps.stopped.endswith(" steps. Press “Record the steps again” to start over.")
    trips = rerun.steps.visits[0].trips
    assert (rerun.steps.step[0], rerun.steps.step[-1]) == (0, trips - 1)
    assert (
        rerun.verdict
        == "The recorded run stopped before its end, so jupyter_jaxpr did not run the original function to compare "
        "the results."
    )


def test_a_run_ends_after_some_seconds():
    snapshot = snapshot_of(lambda x: lax.while_loop(lambda h: h >= 0, lambda h: h + 1, x), 0, stage="trace")
    construct = construct_of(snapshot._sources, card(snapshot, "while_loop"))
    construct.stepper._bounds = Bounds(seconds=0.0)
    steps = construct.stepper.run([jnp.int32(0)])
    assert steps.stopped == ("The stepper stopped after 16 steps, because the stepper runs for at most 0 seconds.")


# --- values ---


def test_a_second_run_gives_the_same_and_compiles_nothing():
    snapshot = snapshot_of(running, 2.0, XS)
    construct = construct_of(snapshot._sources, card(snapshot, "scan"))
    first = construct.run()
    compiles = []
    jax.monitoring.register_event_duration_secs_listener(
        listener := lambda name, seconds, **facts: compiles.append(name) if "backend_compile" in name else None
    )
    try:
        second = construct.run()
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert compiles == []
    assert [leaf.seen for leaf in second.steps.leaves] == [leaf.seen for leaf in first.steps.leaves]
    assert second.verdict == first.verdict


def test_values_that_are_gone_say_so():
    snapshot = snapshot_of(running, 2.0, jnp.arange(4.0))
    with pytest.raises(ValuesGone) as raised:
        construct_of(snapshot._sources, card(snapshot, "scan")).run()
    assert str(raised.value) == (
        "The values of the call are gone: nothing holds xs any more. Keep the arguments in variables, or run the cell "
        "again with %%jaxpr --steps, which runs the steps with the cell."
    )


def test_a_host_without_magics_is_offered_none(monkeypatch):
    monkeypatch.setattr(advice_without_magics, "has_magics", lambda: False)
    gone = snapshot_of(running, 2.0, jnp.arange(4.0))
    with pytest.raises(ValuesGone) as raised:
        construct_of(gone._sources, card(gone, "scan")).run()
    assert str(raised.value) == (
        "The values of the call are gone: nothing holds xs any more. Keep the arguments in variables, and inspect the "
        "call again."
    )
    xs = jnp.arange(4.0)
    given_away = snapshot_of(jax.jit(running, donate_argnums=1), 2.0, xs)
    with pytest.raises(ValuesGone) as raised:
        construct_of(given_away._sources, card(given_away, "scan")).run()
    assert str(raised.value) == (
        "The values of the call are gone: the call donated xs. Keep the arguments in variables, and inspect the call "
        "with stage='compile', which donates nothing."
    )
    xs = jnp.arange(4.0)
    compiled = snapshot_of(jax.jit(running), 2.0, xs, stage="run")
    construct = construct_of(compiled._sources, card(compiled, "scan"))
    construct._observed.values.which = "compiled"
    rerun = construct.run(calls_after=True)
    assert rerun.notes == [
        "The steps use the values of the call that compiled, not of the last call. To record the steps of the last "
        "call, pass its function and its arguments to jupyter_jaxpr.inspect."
    ]


def test_values_that_were_given_away_say_so():
    xs = jnp.arange(4.0)
    snapshot = snapshot_of(jax.jit(running, donate_argnums=1), 2.0, xs)
    with pytest.raises(ValuesGone) as raised:
        construct_of(snapshot._sources, card(snapshot, "scan")).run()
    assert str(raised.value) == (
        "The values of the call are gone: the call donated xs. Run the cell again with %%jaxpr --steps, which copies "
        "donated arguments first."
    )


def test_stepping_gives_no_argument_away():
    xs = jnp.arange(4.0)
    snapshot = snapshot_of(jax.jit(running, donate_argnums=1), 2.0, xs, stage="compile")
    rerun = construct_of(snapshot._sources, card(snapshot, "scan")).run()
    assert rerun.verdict == "The recorded results equal the original function's results, bit for bit."
    assert not xs.is_deleted()


def test_types_have_no_values():
    snapshot = snapshot_of(running, 2.0, jax.ShapeDtypeStruct((3,), jnp.float32), stage="trace")
    with pytest.raises(ValuesGone) as raised:
        construct_of(snapshot._sources, card(snapshot, "scan")).run()
    assert str(raised.value) == (
        "The program was traced from types, so there are no values. Call the function, or trace the function with "
        "values."
    )


def test_double_precision_stays_double():
    with jax.enable_x64(True):
        snapshot = snapshot_of(running, np.float64(0.1), np.linspace(0.0, 1.0, 3), stage="compile")
    # Here the setting is off again; the stepper still uses double precision.
    rerun = construct_of(snapshot._sources, card(snapshot, "scan")).run()
    assert rerun.verdict == "The recorded results equal the original function's results, bit for bit."
    assert rerun.steps.leaves[0].type == "f64[]"


def test_a_loop_in_the_condition_of_a_while_cannot_be_stepped_through():
    def condition(x):
        return lax.fori_loop(0, 3, lambda i, h: h * 2, x) < 100

    snapshot = snapshot_of(lambda x: lax.while_loop(condition, lambda x: x + 1, x), 0.0)
    with pytest.raises(Unsteppable) as raised:
        construct_of(snapshot._sources, card(snapshot, "fori_loop"))
    assert str(raised.value) == (
        "The construct is in the condition of a while loop, which the stepper does not enter. "
        "Step through the loop itself."
    )


def test_what_rounds_otherwise_shows_both():
    from jupyter_jaxpr.measure.steps.recorded_and_original_run import pair
    from jupyter_jaxpr.measure.steps.sentences_on_recorded_steps import verdict

    compared = pair("result[0]", jnp.array([1.0, 2.0]), jnp.array([1.0, 2.0000002]))
    assert (compared.equal, compared.recorded, compared.real) == (False, "[1.0 2.0]", "[1.0 2.0000002]")
    assert verdict([compared]) == (
        "One result differs from the original function's result by at most 2.4e-07. The stepper compiles the loop in "
        "pieces, and the pieces round differently than the whole loop. The table shows both values."
    )


# --- from Python ---


def test_a_script_asks_a_snapshot_for_the_steps_of_a_card():
    snapshot = jj.inspect(running, 2.0, XS, stage="trace")
    assert snapshot.control_flow[0].kind == "scan"
    assert column(snapshot.steps(0), "carry", "h") == ["2.0", "2.0", "4.0", "12.0"]


def test_a_card_of_a_script_is_the_one_of_the_same_place_in_its_control_flow():
    @jax.custom_jvp
    def twice(x):  # the panel has a card for this loop, but `Snapshot.control_flow` has none
        return lax.fori_loop(0, 2, lambda i, h: h * x, 1.0)

    twice.defjvp(lambda primals, tangents: (twice(*primals), tangents[0]))

    def both(x):
        y = twice(x)
        return lax.fori_loop(0, 3, lambda i, h: h + x, y)

    snapshot = jj.inspect(both, 2.0, stage="trace")
    assert [(card.kind, card.trips) for card in snapshot.control_flow] == [("fori_loop", 2), ("fori_loop", 3)]
    assert [snapshot.steps(card).step for card in (0, 1)] == [[0, 1], [0, 1, 2]]


def test_a_script_is_told_what_cannot_be_run():
    def speaks(x):
        return lax.fori_loop(0, 2, lambda i, h: jax.debug.print("{}", i) or h, x)

    snapshot = jj.inspect(speaks, 2.0, stage="trace")
    with pytest.raises(ValueError, match=r"Run the function\? To run the function, pass repeat_effects=True\.$"):
        snapshot.steps(0)
    assert snapshot.steps(0, repeat_effects=True).step == [0, 1]
    with pytest.raises(IndexError, match=r"^There is no card 4: this snapshot has 1 card\.$"):
        snapshot.steps(4)
    with pytest.raises(ValueError, match=r"^A snapshot that was read from a file cannot be run"):
        jj.Snapshot.from_json(snapshot.to_json()).steps(0)
    with pytest.raises(ValueError, match=r"^The values of the call are gone: nothing holds xs any more\."):
        jj.inspect(running, 2.0, jnp.arange(3.0)).steps(0)


SEVERAL_DEVICES = """
import jax, jax.numpy as jnp
from jax import lax, shard_map
from jax.sharding import NamedSharding, PartitionSpec as P
import jupyter_jaxpr as jj

mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
xs = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("d")))

def cumulative(xs):
    return lax.scan(lambda h, x: (h + x, h), jnp.zeros_like(xs[0]), xs)[1]

def in_parts(xs):
    return shard_map(cumulative, mesh=mesh, in_specs=P("d"), out_specs=P("d"))(xs)

for function in (cumulative, in_parts):
    try:
        jj.inspect(function, xs, stage="run").steps(0)
    except ValueError as error:
        print(error)
"""


@pytest.mark.slow
def test_arrays_of_several_devices_are_not_stepped_through():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    ran = subprocess.run(
        [sys.executable, "-c", SEVERAL_DEVICES], env=os.environ | flags, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [
        "The arrays of the function are split over 4 devices, which the stepper does not support. Call the function "
        "with arrays of one device.",
        "The construct is inside shard_map, which the stepper does not enter. Step through a copy of the construct "
        "outside shard_map.",
    ]


def test_a_switch_of_two_branches_has_an_index():
    def one_of(x, i):
        return lax.switch(i, [jnp.negative, jnp.sin], x)

    x = jnp.ones(2)
    snapshot = jj.inspect(one_of, x, 1, stage="trace")
    (card,) = snapshot.control_flow
    assert (card.kind, [branch.label for branch in card.branches]) == ("switch", ["0", "1"])
    assert [branch.name for branch in card.branches] == ["jnp.negative", "sin"]
    recording = snapshot.steps()
    assert column(recording, "index") == ["1"]
    assert recording.branch_taken == ["1"]


def test_a_choice_of_the_platform_names_the_platforms():
    def by_platform(x):
        return lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos)

    x = jnp.ones(2)
    snapshot = jj.inspect(by_platform, x, stage="trace")
    (card,) = snapshot.control_flow
    assert (card.kind, [branch.label for branch in card.branches]) == ("switch", ["cpu", "other platforms"])
    assert card.facts == (
        "The platform that the program is compiled for decides which branch runs. The other branches are dropped.",
    )
    assert snapshot.steps().branch_taken == ["cpu"]
