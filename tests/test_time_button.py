"""Tests the request to time a program of a cell that ran, and to measure the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import Notebook
from timed_calls import SINES, stages_of

import jupyter_jaxpr as jj
from jupyter_jaxpr.observe import advice_without_magics
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered, Refused, Reply

pytestmark = pytest.mark.any_jax

Ask = Callable[..., Reply]


@pytest.fixture
def ask_after(notebook: Notebook) -> Callable[[str], Ask]:
    """Return a function that runs a cell, and returns a function to request times of a program or of the machine."""
    from jupyter_jaxpr.magic.cell_observer import CellObserver

    runs = Runs()
    answers = Answers(runs)
    run_ids: list[str] = []

    def keep(built: Any) -> None:
        runs.keep(built)
        run_ids.append(built.document.id)

    def after(cell: str) -> Ask:
        CellObserver.of(notebook.shell).publisher.publish = keep  # type: ignore[method-assign]  # a shell has no front end
        notebook.run(cell)

        def ask(program: int = 0, *, confirmed: bool = False, kind: str = "time") -> Reply:
            request = {"type": kind, "id": 12, "snapshot": run_ids[-1], "confirmed": confirmed}
            if kind == "time":
                request["program"] = program
            reply = answers.answer(request)
            assert reply is not None
            return reply

        ask.runs = runs  # type: ignore[attr-defined]  # for the documents
        return ask

    return after


def test_the_button_times_a_program_of_a_cell_that_ran(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    with stages_of("f") as stages:
        reply = ask()
    assert stages == []
    assert isinstance(reply, Answered)
    assert (reply.result.notes, reply.result.stopped) == ([], None)
    (document,) = ask.runs.latest()  # type: ignore[attr-defined]
    assert document.timings == [reply.result]
    second_reply = ask()
    (document,) = ask.runs.latest()  # type: ignore[attr-defined]
    assert document.timings == [second_reply.result]


def test_effects_are_asked_about(ask_after: Callable[[str], Ask], notebook: Notebook) -> None:
    ask = ask_after(
        "%%jaxpr\nseen = []\n@jax.jit\ndef g(x):\n    jax.debug.callback(seen.append, 1)\n    return x\n"
        "g(x).block_until_ready()\njax.effects_barrier()"
    )
    assert ask().question == (
        "g has effects (Debug). Timing calls g many times, and each call repeats the effects. Time g?"
    )
    assert len(notebook["seen"]) == 1
    assert ask(confirmed=True).result is not None
    jax.effects_barrier()
    assert len(notebook["seen"]) > 2


def test_a_long_call_is_asked_about(ask_after: Callable[[str], Ask], monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.measure.times import timing_questions_and_remarks

    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    monkeypatch.setattr(timing_questions_and_remarks, "SLOW", 0.0)
    question = ask().question
    assert question is not None
    assert question.startswith("One call of f takes ")
    assert question.endswith("Timing makes 5 or more calls. Time f?")
    timing = ask(confirmed=True).result
    assert timing is not None
    assert timing.warm is not None
    assert timing.warm.runs > 1


def test_a_long_call_that_nobody_knew_of_is_made_once(
    ask_after: Callable[[str], Ask], notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyter_jaxpr.measure.times import program_timing, timing_questions_and_remarks

    notebook.run(SINES)
    ask = ask_after("%jaxpr f(x)")
    monkeypatch.setattr(program_timing, "SLOW", 0.0)
    timing = ask().result
    assert timing is not None
    assert timing.warm is not None
    assert timing.eager is not None
    assert (timing.warm.runs, timing.eager.runs) == (1, 1)
    assert [note.split(" takes ")[0] for note in timing.notes if "takes" in note] == [
        "One warm call",
        "One call without jit",
    ]
    monkeypatch.setattr(timing_questions_and_remarks, "SLOW", 0.0)
    question = ask().question
    assert question is not None
    assert question.startswith("One call of f takes ")


def test_values_that_are_gone(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}y = f(x + 1)")
    reply = ask()
    assert isinstance(reply, Refused)
    assert reply.reason == (
        "The recorded argument values of f are gone, so f cannot be called again. Run the cell again with "
        "%%jaxpr --time, which keeps the values, or keep the arguments in variables."
    )


def test_values_that_are_gone_in_a_host_without_magics(
    ask_after: Callable[[str], Ask], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}y = f(x + 1)")
    monkeypatch.setattr(advice_without_magics, "has_magics", lambda: False)
    reply = ask()
    assert isinstance(reply, Refused)
    assert reply.reason == (
        "The recorded argument values of f are gone, so f cannot be called again. Keep the arguments in variables, "
        "and inspect the call again."
    )


def test_there_is_no_such_program(ask_after: Callable[[str], Ask]) -> None:
    assert (
        ask_after(f"%%jaxpr\n{SINES}f(x)")(7).reason
        == "This run does not have the requested program. Run the cell again."
    )


def test_a_function_that_was_defined_anew_runs_as_its_executable(
    ask_after: Callable[[str], Ask], notebook: Notebook
) -> None:
    import gc

    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    notebook.run("del f")
    gc.collect()
    timing = ask().result
    assert timing is not None
    assert timing.warm is not None
    # The jitted function has ended. Whether its Python function has also ended depends on JAX.
    assert timing.notes[0] == (
        "The jitted function no longer exists: perhaps the function was defined again. The timing called the "
        "executable in place of the jitted function, so each call took some microseconds more."
    )


def test_stop_keeps_what_was_measured() -> None:
    from jupyter_jaxpr.measure.times.program_timing import time_program
    from jupyter_jaxpr.observe.process_observer import observer

    x = jnp.ones(8)
    snapshot = jj.inspect(jax.jit(lambda x: x + 1), x, stage="run")
    assert snapshot._sources is not None
    stops = iter([False] * 12)
    texts: list[str] = []
    times = time_program(
        observer(),
        "f",
        snapshot._sources.observed(0),
        report=lambda text, samples_done, total: texts.append(text),
        stop=lambda: next(stops, True),
    )
    assert times.stopped == "Timing was stopped. The times are of the calls that ended before the stop."
    assert times.warm is not None
    assert 0 < times.warm.runs
    assert texts[:3] == ["getting ready", "first call without jit", "timing"]


def test_other_settings_than_those_of_the_call(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    with jax.default_matmul_precision("float32"):
        timing = ask().result
    assert timing is not None
    assert timing.notes == [
        "JAX does not find the program of the call again, because the settings or the caches of JAX changed. The "
        "timing called the executable in place of the jitted function, so each call took some microseconds more.",
        "f was not timed without jit. The settings or the caches of JAX changed, so a call without jit might compute "
        "something else.",
    ]


def test_the_machine_is_measured_when_asked_and_in_later_documents(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    machine = ask(kind="machine").result
    assert machine is not None
    assert (machine.device, machine.dtype) == (jax.devices()[0].device_kind, "float32")
    assert machine.flops > 0
    assert machine.bandwidth > 0
    assert machine.how.startswith("The speeds of this machine come from the fastest of several calls of two programs: ")
    second_result = ask(kind="machine").result  # the button says “Measure it again”
    assert second_result is not None
    assert (second_result.device, second_result.seconds != machine.seconds) == (machine.device, True)
    machine = second_result
    (document,) = ask.runs.latest()  # type: ignore[attr-defined]
    assert document.machine == machine
    assert jj.inspect(jnp.sin, 1.0).document.machine == machine


def test_the_machine_is_the_device_that_jax_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.measure.times import machine_speeds

    monkeypatch.setattr(machine_speeds, "_measured_machines", {})
    assert machine_speeds.known_machine() is None
    with jax.default_device(jax.devices("cpu")[0]):
        measured = machine_speeds.measure_machine()
        assert machine_speeds.known_machine() == measured
    with jax.default_device("cpu"):
        assert machine_speeds.known_machine() == measured
    # The stored rates are those of another kind of device, so this device has none.
    monkeypatch.setattr(machine_speeds, "_measured_machines", {"NVIDIA H200": measured})
    assert machine_speeds.known_machine() is None
