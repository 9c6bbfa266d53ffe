"""Tests the panel's requests for steps: progress, stop, and the question before effects."""

import threading

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from stepping import snapshot_of

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered, Confirm, Working

pytestmark = pytest.mark.any_jax

PATIENCE = 120.0
XS = jnp.array([1.0, 2.0, 3.0])


class Panel:
    """A page that sends requests for steps, and receives the replies."""

    def __init__(self):
        self.runs = Runs()
        self.answers = Answers(self.runs)
        self.replies = []
        self._came = threading.Condition()

    def show(self, snapshot):
        self.runs.keep(Built(snapshot.document, snapshot._sources))
        return snapshot.document.id

    def ask(self, run, control=0, confirmed=False, identifier=1):
        request = {
            "type": "steps",
            "id": identifier,
            "snapshot": run,
            "control": control,
            "confirmed": confirmed,
        }
        reply = self.answers.answer(request, "page", self._hear)
        if reply is not None:  # without a worker, the reply is returned at once
            self._hear(reply)

    def stop(self, identifier=1):
        assert self.answers.answer({"type": "stop", "id": identifier}, "page", self._hear) is None

    def _hear(self, reply):
        with self._came:
            self.replies.append(reply)
            self._came.notify_all()

    def last(self, identifier=1):
        def found():
            return [reply for reply in self.replies if reply.id == identifier and not isinstance(reply, Working)]

        with self._came:
            assert self._came.wait_for(found, PATIENCE)
        (reply,) = found()
        return reply

    def hears_steps(self):
        with self._came:
            assert self._came.wait_for(
                lambda: any(isinstance(reply, Working) and reply.done for reply in self.replies), PATIENCE
            )


@pytest.fixture
def panel():
    return Panel()


def running(x, xs):
    return lax.scan(lambda h, t: (h * t, h), x, xs)


def slow(h):
    return lax.fori_loop(0, 20_000, lambda i, s: s + 1e-9, h) + 1


def test_steps_are_asked_for_and_come(panel):
    run = panel.show(snapshot_of(running, 2.0, XS))
    panel.ask(run)
    reply = panel.last()
    assert isinstance(reply, Answered)
    assert (reply.result.snapshot, reply.result.control) == (run, 0)
    assert reply.result.leaves[0].texts == ["2.0", "2.0", "4.0", "12.0"]
    # The document has the steps, for a page that is loaded later.
    (document,) = panel.runs.latest()
    assert document.recordings == [reply.result]


def test_words_of_progress_come_before_the_last_reply(panel):
    run = panel.show(snapshot_of(running, 2.0, XS))
    panel.ask(run)
    panel.last()
    working = [reply for reply in panel.replies if isinstance(reply, Working)]
    assert working[0].text in ("Compiling", "Running the equations before and after the loop")
    assert isinstance(panel.replies[-1], Answered)


def test_stop_ends_a_loop_that_does_not_and_keeps_its_steps(panel):
    run = panel.show(snapshot_of(lambda x: lax.while_loop(lambda h: h >= 0, slow, x), 1.0, stage="trace"))
    panel.ask(run)
    panel.hears_steps()
    panel.stop()
    recording = panel.last().result
    assert recording.stopped.startswith("You stopped the stepper after ")
    assert recording.stopped.endswith(" Press “Record the steps again” to start over.")
    assert recording.step[0] == 0
    assert recording.step[-1] == recording.visits[0].trips - 1
    assert recording.visits[0].finished is False
    assert recording.comparisons == []


def test_effects_are_asked_about_first(panel, capfd):
    def speaks(x):
        def body(i, h):
            jax.debug.print("step {}", i)
            return h * 2

        return lax.fori_loop(0, 2, body, x)

    run = panel.show(snapshot_of(speaks, 1.0, stage="compile"))
    panel.ask(run)
    reply = panel.last()
    jax.effects_barrier()
    assert capfd.readouterr().out == ""
    assert isinstance(reply, Confirm)
    assert reply.question == (
        "The function has effects (Debug). The stepper runs the function twice: once step by step, and once "
        "unchanged. Both runs repeat the prints and callbacks of the function. Run the function?"
    )
    panel.ask(run, confirmed=True, identifier=2)
    recording = panel.last(2).result
    jax.effects_barrier()
    assert recording.verdict == "The recorded results equal the original function's results, bit for bit."
    assert capfd.readouterr().out == "step 0\nstep 1\n" * 2


def test_a_call_back_is_an_effect_too_and_happens_twice(panel):
    calls = []

    def counts(x):
        def body(h, t):
            jax.experimental.io_callback(lambda t: calls.append(float(t)), None, t)
            return h + t, h

        return lax.scan(body, x, jnp.arange(2.0))

    run = panel.show(snapshot_of(counts, 1.0, stage="compile"))
    panel.ask(run)
    assert panel.last().question is not None
    assert calls == []
    panel.ask(run, confirmed=True, identifier=2)
    assert isinstance(panel.last(2), Answered)
    jax.effects_barrier()
    assert calls == [0.0, 1.0] * 2


def test_nothing_is_run_or_compiled_before_the_panel_asks():
    calls = []

    def counts(x):
        jax.debug.callback(lambda: calls.append("run"))
        return running(x, XS)

    function = jax.jit(counts)
    with jj.observe():
        function(1.0)
    jax.effects_barrier()
    compiles = []
    jax.monitoring.register_event_duration_secs_listener(
        listener := lambda name, seconds, **facts: compiles.append(name) if "backend_compile" in name else None
    )
    try:
        snapshot = snapshot_of(function, 1.0, stage="trace")
        assert [card.kind for card in snapshot.document.control_flow] == ["scan"]
        Panel().show(snapshot)
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    jax.effects_barrier()
    assert calls == ["run"]
    assert compiles == []


def test_a_card_that_cannot_be_stepped_through_says_why(panel):
    run = panel.show(snapshot_of(lambda xs: lax.associative_scan(jnp.add, xs), XS))
    panel.ask(run)
    assert panel.last().reason == ("associative_scan leaves no loop to step through. Write a scan to see its steps.")


def test_values_that_are_gone_are_an_error_with_its_cure(panel):
    run = panel.show(snapshot_of(running, 2.0, jnp.arange(4.0)))
    panel.ask(run)
    assert panel.last().reason == (
        "The values of the call are gone: nothing holds xs any more. Keep the arguments in variables, or run the cell "
        "again with %%jaxpr --steps, which runs the steps with the cell."
    )


def test_a_card_that_is_not_there(panel):
    run = panel.show(snapshot_of(running, 2.0, XS))
    panel.ask(run, control=5)
    assert panel.last().reason == "This run does not have the requested construct. Run the cell again."


def test_what_the_stepper_calls_is_none_of_the_users(panel):
    run = panel.show(snapshot_of(running, 2.0, XS))
    with jj.observe() as ledger:
        panel.ask(run)
        panel.last()
    assert list(ledger.functions) == []
