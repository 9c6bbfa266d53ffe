"""Tests `--time`, its button and `inspect(..., time=True)`: the calls, their values, questions and sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import Notebook

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.timing import timing_document
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.types.timing import Sweep, SweepFit, SweepPoint, WarmTime
from jupyter_jaxpr.exports.html import fragment
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.terminal_text import plain
from jupyter_jaxpr.exports.time import growth_sentence
from jupyter_jaxpr.measure.times.program_timing import ProgramTimes
from jupyter_jaxpr.measure.times.repeated_calls import Warm
from jupyter_jaxpr.observe.observation import StageTimes
from jupyter_jaxpr.wire.answers import Answers
from jupyter_jaxpr.wire.messages import Answered, Refused, Reply
from jupyter_jaxpr.wire.runs import Runs

pytestmark = pytest.mark.any_jax

SINES = "@jax.jit\ndef f(x):\n    for _ in range(3):\n        x = jnp.sin(x)\n    return x\n"


def warm(median: float, lower: float | None = None, upper: float | None = None, **fields: Any) -> Warm:
    samples = (lower or median, median, upper or median)
    return Warm(
        **{
            "samples": tuple(sorted(samples * 10)),
            "median": median,
            "minimum": lower or median,
            "lower": lower or median,
            "upper": upper or median,
            "runs": 100,
            "batch": 1,
            "dispatch": median / 2,
            "calls": 106,
            **fields,
        }
    )


# --- the words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stages", "times", "sentence"),
    [
        (
            StageTimes(trace=0.012, lower=0.0094, compile=0.19, total=0.214),
            ProgramTimes(warm(0.15e-3), warm(2.055e-3)),
            "The first call took 214 ms (trace 12 ms, lower 9.4 ms, compile 190 ms). A warm call takes 0.15 ms. "
            "A call without jit takes 2.1 ms, 14 times as long as a warm call. "
            "With the first call included, jit saves time from 113 calls on.",
        ),
        (
            StageTimes(trace=0.012, lower=0.009, compile=0.0068, from_disk=True, total=0.03),
            ProgramTimes(warm(0.15e-3)),
            "The first call took 30 ms (trace 12 ms, lower 9.0 ms, from disk 6.8 ms). A warm call takes 0.15 ms.",
        ),
        (
            StageTimes(trace=0.1, lower=0.05, compile=1.1, total=1.3),
            ProgramTimes(warm(0.5), warm(0.25)),
            "The first call took 1.3 s (trace 100 ms, lower 50 ms, compile 1.1 s). A warm call takes 500 ms. "
            "A call without jit takes 250 ms, 0.50 times as long as a warm call. "
            "jit saves no time: a call without jit is not slower than a warm call.",
        ),
        (
            # Nothing waited for the result of the first call: its time leaves its work out.
            StageTimes(trace=0.017, lower=0.03, compile=0.106, first_run=0.004, total=0.166),
            ProgramTimes(warm(4.7), warm(5.64)),
            "The first call returned after 166 ms (trace 17 ms, lower 30 ms, compile 106 ms), before its work "
            "was done. A warm call takes 4.7 s. A call without jit takes 5.6 s, 1.2 times as long as a warm call. "
            "jit saves time from the first call on.",
        ),
        (
            None,
            ProgramTimes(warm(5e-6), warm(1e-3)),
            "A warm call takes 5.0 µs. A call without jit takes 1.0 ms, 200 times as long as a warm call.",
        ),
        (None, ProgramTimes(None, warm(1e-3)), "A call without jit takes 1.0 ms."),
        (
            # The middle halves overlap, although the medians are far apart.
            StageTimes(compile=0.2, total=0.3),
            ProgramTimes(warm(0.167, 0.15, 0.2), warm(0.249, 0.19, 0.3)),
            "The first call took 300 ms (compile 200 ms). A warm call takes 167 ms. A call without jit takes 249 ms. "
            "The two times show no difference.",
        ),
        (
            # One call without jit was timed, because it takes long.
            StageTimes(compile=0.2, total=0.3),
            ProgramTimes(warm(1e-3), warm(1.5, samples=(1.5,), runs=1)),
            "The first call took 300 ms (compile 200 ms). A warm call takes 1.0 ms. A call without jit takes 1.5 s. "
            "Fewer than 5 calls of each kind were timed, too few to show a difference.",
        ),
        (None, ProgramTimes(), "Nothing was timed."),
    ],
)
def test_the_sentence(stages: StageTimes | None, times: ProgramTimes, sentence: str) -> None:
    assert timing_document(0, stages, times).sentence.replace("\u00a0", " ") == sentence


def test_the_ratio_sets_the_middle_halves_against_each_other_and_the_first_call_pays_for_itself() -> None:
    times = ProgramTimes(warm(2.0, 1.0, 4.0), warm(12.0, 8.0, 16.0))
    timing = timing_document(3, StageTimes(compile=80.0, total=99.0), times)
    assert (timing.program, timing.ratio) == (3, (2.0, 16.0))
    # 9 calls take 99 + 8 x 2 = 115 against 108; 10 calls take 117 against 120.
    assert timing.pays_after == 10
    assert timing_document(0, StageTimes(total=99.0), ProgramTimes(warm(2.0), warm(1.0))).pays_after is None
    assert timing_document(0, None, times).pays_after is None
    # For a call without a wait, the work counts as well: 97 + 2 instead of 97 + 0.1.
    unawaited = timing_document(3, StageTimes(compile=80.0, first_run=0.1, total=97.1), times)
    assert unawaited.pays_after == 10


# --- with the cell -------------------------------------------------------------------------------------------


@contextmanager
def stages_of(name: str) -> Iterator[list[str]]:
    """Yield the stages that JAX ran under a name."""
    seen: list[str] = []

    def listen(event: str, seconds: float, **facts: Any) -> None:
        if str(facts.get("fun_name", "")).removeprefix("jit(").removesuffix(")") == name:
            seen.append(event.rpartition("/")[2])

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield seen
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def timing_of(ran: Any) -> dict[str, Any]:
    (timing,) = ran.document["timings"]
    return timing


def notes_on_time(ran: Any) -> list[tuple[str, str]]:
    return [(note["text"], note["cure"]) for note in ran.document["notes"] if note["kind"] == "time"]


def test_the_program_in_focus_is_timed_after_the_cell(notebook: Notebook) -> None:
    with stages_of("f") as stages:
        ran = notebook.run(f"%%jaxpr --time\n{SINES}f(x)")
    timing = timing_of(ran)
    assert (timing["program"], timing["notes"], timing["stopped"]) == (0, [], None)
    assert timing["warm"]["runs"] > 1
    assert timing["eager"]["runs"] > 1
    assert 0 < timing["warm"]["minimum"] <= timing["warm"]["lower"] <= timing["warm"]["median"]
    assert timing["sentence"].startswith("The first call ")
    # This is the call of the cell, once; JAX traced and compiled nothing again.
    assert stages == ["jaxpr_trace_duration", "jaxpr_to_mlir_module_duration", "backend_compile_duration"]
    assert plain_lines(ran)[-1].startswith("f: The first call ")


def plain_lines(ran: Any) -> list[str]:

    return plain(read(json.dumps(ran.document))).splitlines()


def test_a_function_that_only_hit_is_timed_on_its_last_call(notebook: Notebook) -> None:
    notebook.run(f"%%jaxpr\n{SINES}f(x)")
    with stages_of("f") as stages:
        ran = notebook.run("%%jaxpr --time\nfor i in range(3):\n    y = f(x + i)")
    assert timing_of(ran)["warm"]["runs"] > 1
    assert stages == []


def test_programs_that_grad_or_vmap_derived_since_are_not_taken_for_the_one_that_hit(notebook: Notebook) -> None:
    notebook.run(f"%%jaxpr\n{SINES}f(x)")
    notebook.run("%%jaxpr\njax.grad(lambda a: f(a).sum())(x)\njax.vmap(f)(x)")
    ran = notebook.run("%%jaxpr --time\nfor i in range(3):\n    y = f(x)")
    assert ran.programs == ["seen_before f(x: f32[8]) -> f32[8]: sin sin sin"]
    timing = timing_of(ran)
    assert timing["notes"] == []
    assert timing["eager"]["runs"] > 1


def test_the_program_of_the_last_call_is_timed_not_the_newest(notebook: Notebook) -> None:
    notebook.run(
        "%%jaxpr\nimport functools\n@functools.partial(jax.jit, static_argnums=1)\ndef power(x, n):\n    return x**n\n"
        "power(x, 2)\npower(x, 3)\npower(x[:2], 2)"
    )
    ran = notebook.run("%%jaxpr --time\nfor _ in range(3):\n    y = power(x, 2)")
    assert ran.programs == ["seen_before power(x: f32[8], n: 2) -> f32[8]: integer_pow"]
    assert timing_of(ran)["notes"] == []


@pytest.mark.parametrize("cell", ["1 + 1", "compiled(x)", "y = x"])
def test_a_cell_in_which_nothing_could_be_timed_says_so(notebook: Notebook, cell: str) -> None:
    notebook.run(f"%%jaxpr\n{SINES}\ncompiled = f.lower(x).compile()")
    ran = notebook.run(f"%%jaxpr --time\n{cell}")
    [note] = [note for note in ran.document["notes"] if note["kind"] == "time"]
    assert note["text"] == "Nothing was timed: no call of a jitted function was recorded."
    assert note["cure"] == (
        "Call a jitted function in the cell, or write any call after the option, such as %%jaxpr --time f(x)."
    )


def test_an_executable_from_the_persistent_cache_says_so(notebook: Notebook, tmp_path: Path) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    settings = {
        "jax_compilation_cache_dir": str(tmp_path),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in settings}
    try:
        for name, value in settings.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        compiled = timing_of(notebook.run(f"%%jaxpr --time\n{SINES}f(x)"))["sentence"]
        jax.clear_caches()
        retrieved = notebook.run(f"%%jaxpr --time\n{SINES}f(x)")
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
    assert ", from disk " not in compiled
    assert ", from disk " in timing_of(retrieved)["sentence"]
    assert retrieved.document["programs"][0]["stages"]["from_disk"]
    assert timing_of(retrieved)["notes"] == []


def test_other_options_and_a_title_go_with_it(notebook: Notebook) -> None:
    ran = notebook.run(f"%%jaxpr --time --steps --title 'Sines'\n{SINES}f(x)")
    assert ran.document["title"] == "Sines"
    assert timing_of(ran)["notes"] == []


def test_it_holds_no_array_afterwards(notebook: Notebook) -> None:
    import gc
    import weakref

    notebook.run(f"%%jaxpr --time\n{SINES}y = x + 1\nf(y)")
    alive = weakref.ref(notebook["y"])
    notebook.run("del y")
    notebook.shell.reset(new_session=False)
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("@functools.partial(jax.jit, static_argnames=('n',))\ndef g(x, *, n):\n    return x * n\ng(x, n=3)", "g"),
        ("@functools.partial(jax.jit, static_argnums=(1,))\ndef g(x, how):\n    return x.sum(how)\ng(x, (0,))", "g"),
        ("@jax.jit\ndef g(key):\n    return jax.random.normal(key, (3,))\ng(jax.random.key(0))", "g"),
        ("@jax.jit\ndef g(p, *, s):\n    return p['w'] * s\ng({'w': x}, s=2.0)", "g"),
        (
            "class Model:\n    @functools.partial(jax.jit, static_argnums=0)\n"
            "    def step(self, x):\n        return x + 1\n"
            "model = Model()\nmodel.step(x)",
            "step",
        ),
        ("def make(k):\n    @jax.jit\n    def g(x):\n        return x * k\n    return g\ng = make(x)\ng(x)", "g"),
        ("g = jax.jit(lambda x: x + 1)\ng(x)", "<lambda>"),
        ("g = jax.jit(jax.grad(lambda x: (x * x).sum()))\ng(x)", "<lambda>"),
        ("class M:\n    def act(self, x):\n        return x + 1\nm = M()\ng = jax.jit(m.act)\ng(x)", "act"),
    ],
)
def test_every_kind_of_call_is_made_again_as_it_was(notebook: Notebook, cell: str, name: str) -> None:
    with stages_of(name) as stages:
        ran = notebook.run(f"import functools\n{cell}", store_history=False)
        before = list(stages)
        ran = notebook.run(f"%%jaxpr --time\nimport functools\n{cell}")
    timing = timing_of(ran)
    assert timing["notes"] == []
    assert timing["warm"] is not None
    assert timing["eager"] is not None
    compiles = [stage for stage in stages[len(before) :] if stage == "backend_compile_duration"]
    assert len(compiles) <= 1  # the compile of the cell itself


def test_arguments_that_are_given_away_are_copied(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\nimport functools\n@functools.partial(jax.jit, donate_argnums=0)\n"
        "def g(s, x):\n    return s + x\ns = jnp.ones(8)\nfor _ in range(2):\n    s = g(s, x)"
    )
    timing = timing_of(ran)
    assert timing["notes"] == []
    assert (timing["warm"]["runs"] > 1, timing["eager"]["runs"] > 1) == (True, True)
    assert notebook["s"].tolist() == [1 + 2 * each for each in range(8)]


def test_an_inner_jit_stays_and_is_named(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\n@jax.jit\ndef inner(x):\n    return x + 1\n@jax.jit\ndef g(x):\n    return inner(x) * 2\ng(x)"
    )
    assert timing_of(ran)["notes"] == ["The call of g without jit still calls functions that are jitted: inner."]


def test_what_cannot_run_without_jit_says_so_in_the_words_of_jax(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\n@jax.jit\ndef g(x):\n    if not isinstance(x, jax.core.Tracer):\n"
        "        raise TypeError('add got incompatible shapes')\n    return x\ng(x)"
    )
    timing = timing_of(ran)
    assert timing["notes"] == [
        "g was not timed without jit. The call without jit raised TypeError: add got incompatible shapes"
    ]
    assert (timing["eager"], timing["ratio"], timing["warm"] is not None) == (None, None, True)


def test_a_program_that_jax_derived_runs_as_its_executable(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --time --no-trace\n@jax.jit\ndef g(x):\n    return (x * x).sum()\ny = jax.grad(g)(x)")
    timing = timing_of(ran)
    assert timing["warm"] is not None
    assert timing["notes"] == [
        "JAX derived this program from g, under a transform such as grad. The timing called the executable instead, "
        "which takes some microseconds more than the jitted function.",
        "g was not timed without jit. The call of g itself was not recorded.",
    ]


def test_a_plain_function_is_compiled_for_it(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\ndef g(x, how):\n    print(how)\n    return jnp.sin(x)\ny = g(x, 'so')\ng(x, 'so')"
    )
    assert ran.stdout.count("so\n") == 2  # the cell's own two calls
    assert timing_of(ran)["notes"] == [
        "JAX compiled g for the timing: g was only traced before.",
        "What g printed during the timing is not shown.",
    ]


def test_jits_of_libraries_run_warm_and_say_why_there_is_no_eager_time(notebook: Notebook) -> None:
    notebook.run(
        "import equinox\nfrom flax import nnx\n@equinox.filter_jit\ndef f(x, n):\n    return x * n\n"
        "@nnx.jit\ndef g(x):\n    return x + 1"
    )
    ran = notebook.run("%%jaxpr --time\ny = f(x, 2)")
    assert timing_of(ran)["notes"] == [
        "The call of f itself was not recorded. The timing called the executable instead, which takes some "
        "microseconds more than the jitted function.",
        "f was not timed without jit. The call of f itself was not recorded.",
    ]
    ran = notebook.run("%%jaxpr --time\ny = g(x)")
    assert timing_of(ran)["notes"] == ["g was not timed without jit. flax jits g and calls g in its own way."]
    ran = notebook.run("%jaxpr --time f(x, 2)")
    assert timing_of(ran)["notes"] == ["f was not timed without jit. equinox jits f and calls f in its own way."]


def test_a_target(notebook: Notebook) -> None:
    notebook.run(SINES)
    with stages_of("f") as stages:
        ran = notebook.run("%jaxpr --time f(x)")
    assert stages.count("backend_compile_duration") == 1
    assert timing_of(ran)["sentence"].startswith("The first call ")
    assert ran.document["programs"][0]["origin_note"] == "Traced, compiled and run for %jaxpr f(x) --time."


def test_effects_are_left_to_the_panel(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\nseen = []\n@jax.jit\ndef g(x):\n    jax.debug.callback(seen.append, x[0])\n    return x\n"
        "g(x).block_until_ready()\njax.effects_barrier()"
    )
    assert len(notebook["seen"]) == 1
    assert "timings" not in ran.document
    assert notes_on_time(ran) == [
        (
            "g was not timed.",
            "g has effects (Debug), and each timed call would repeat the effects. To time g anyway, press “Run it "
            "again” in the Time view.",
        )
    ]


def test_a_call_of_over_a_second_is_left_to_the_panel(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.measure.times import program_timing

    monkeypatch.setattr(program_timing, "SLOW", 0.0)
    ran = notebook.run(f"%%jaxpr --time\n{SINES}f(x)")
    assert "timings" not in ran.document
    ((text, cure),) = notes_on_time(ran)
    assert text == "f was not timed."
    assert cure.startswith("One call takes ")
    assert cure.endswith(". To time f anyway, press “Run it again” in the Time view.")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--time --compare f,g f(x)", "--compare and --time exclude each other: --compare times each function."),
        ("--time --sweep n=1,2 f(jnp.ones(n))", "--sweep and --time exclude each other: --sweep times each call."),
        ("--time --stage lower f(x)", "--time and --stage lower exclude each other: --time always runs the function."),
        ("--time f(f32[3])", "--time calls the function and needs values, but the arguments of 'f(f32[3])' are types."),
    ],
)
def test_a_mistake_in_the_line_is_told_before_the_cell_runs(notebook: Notebook, line: str, says: str) -> None:
    ran = notebook.run(f"%%jaxpr {line}\nran = True")
    assert says in ran.stderr + ran.stdout + str(ran.result.error_in_exec)
    assert "ran" not in notebook.shell.user_ns


def test_the_option_is_documented(notebook: Notebook) -> None:
    assert "--time" in notebook.shell.magics_manager.magics["cell"]["jaxpr"].__doc__


# --- the button ----------------------------------------------------------------------------------------------

Ask = Callable[..., Reply]


@pytest.fixture
def ask_after(notebook: Notebook) -> Callable[[str], Ask]:
    """Return a function that runs a cell and returns a function that asks to time a program or the machine."""
    from jupyter_jaxpr.magic.session import Session

    runs = Runs()
    answers = Answers(runs)
    kept: list[str] = []

    def keep(built: Any) -> None:
        runs.keep(built)
        kept.append(built.document.id)

    def after(cell: str) -> Ask:
        Session.of(notebook.shell).publisher.publish = keep  # type: ignore[method-assign]  # a shell has no front end
        notebook.run(cell)

        def ask(program: int = 0, *, confirmed: bool = False, kind: str = "time") -> Reply:
            request = {"type": kind, "id": 12, "snapshot": kept[-1], "confirmed": confirmed}
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
    again = ask()
    (document,) = ask.runs.latest()  # type: ignore[attr-defined]
    assert document.timings == [again.result]


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
    from jupyter_jaxpr.measure.times import program_timing

    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    monkeypatch.setattr(program_timing, "SLOW", 0.0)
    asked = ask().question
    assert asked is not None
    assert asked.startswith("One call of f takes ")
    assert asked.endswith("Timing makes 5 or more calls. Time f?")
    timing = ask(confirmed=True).result
    assert timing is not None
    assert timing.warm is not None
    assert timing.warm.runs > 1


def test_a_long_call_that_nobody_knew_of_is_made_once(
    ask_after: Callable[[str], Ask], notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyter_jaxpr.measure.times import program_timing

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
    asked = ask().question
    assert asked is not None
    assert asked.startswith("One call of f takes ")


def test_values_that_are_gone(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}y = f(x + 1)")
    reply = ask()
    assert isinstance(reply, Refused)
    assert reply.reason == (
        "The recorded argument values of f are gone, so f cannot be called again. Run the cell again with "
        "%%jaxpr --time, which keeps the values, or keep the arguments in variables."
    )


def test_there_is_no_such_program(ask_after: Callable[[str], Ask]) -> None:
    assert ask_after(f"%%jaxpr\n{SINES}f(x)")(7).reason == "This run has no such program. Run the cell again."


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
    # JAX decides whether the Python of the function is gone, too.
    assert timing.notes[0] == (
        "The jitted function is gone: perhaps the function was defined again. The timing called the executable "
        "instead, which takes some microseconds more than the jitted function."
    )


def test_stop_keeps_what_was_measured() -> None:
    from jupyter_jaxpr.measure.times.program_timing import time_program
    from jupyter_jaxpr.observe.process_observer import observer

    x = jnp.ones(8)
    snapshot = jj.inspect(jax.jit(lambda x: x + 1), x, stage="run")
    assert snapshot._sources is not None
    asked = iter([False] * 12)
    texts: list[str] = []
    times = time_program(
        observer(),
        "f",
        snapshot._sources.observed(0),
        report=lambda text, done, total: texts.append(text),
        stop=lambda: next(asked, True),
    )
    assert times.stopped == "Timing was stopped. The times are of the calls made until then."
    assert times.warm is not None
    assert 0 < times.warm.runs
    assert texts[:3] == ["getting ready", "first call without jit", "timing"]


def test_other_settings_than_those_of_the_call(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    with jax.default_matmul_precision("float32"):
        timing = ask().result
    assert timing is not None
    assert timing.notes == [
        "JAX does not find the program of the call again, because its settings or its caches changed. The timing "
        "called the executable instead, which takes some microseconds more than the jitted function.",
        "f was not timed without jit. The settings or the caches of JAX changed, so a call without jit might compute "
        "something else.",
    ]


# --- the machine ---------------------------------------------------------------------------------------------


def test_the_machine_is_measured_when_asked_and_in_later_documents(ask_after: Callable[[str], Ask]) -> None:
    ask = ask_after(f"%%jaxpr\n{SINES}f(x)")
    machine = ask(kind="machine").result
    assert machine is not None
    assert (machine.device, machine.dtype) == (jax.devices()[0].device_kind, "float32")
    assert machine.flops > 0
    assert machine.bandwidth > 0
    assert machine.how.startswith("The best of several calls, measured in ")
    again = ask(kind="machine").result  # the button says “Measure it again”
    assert again is not None
    assert (again.device, again.seconds != machine.seconds) == (machine.device, True)
    machine = again
    (document,) = ask.runs.latest()  # type: ignore[attr-defined]
    assert document.machine == machine
    assert jj.inspect(jnp.sin, 1.0).document.machine == machine


def test_the_machine_is_the_device_that_jax_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.measure.times import machine

    monkeypatch.setattr(machine, "_known", {})
    assert machine.known_machine() is None
    with jax.default_device(jax.devices("cpu")[0]):
        measured = machine.measure_machine()
        assert machine.known_machine() == measured
    with jax.default_device("cpu"):
        assert machine.known_machine() == measured
    # Another kind of device has no rates yet.
    monkeypatch.setattr(machine, "_known", {"NVIDIA H200": measured})
    assert machine.known_machine() is None


# --- scripts and exports ------------------------------------------------------------------------------


def f(x):
    return jnp.sin(x) * 2


def test_a_script_has_the_timings() -> None:
    snapshot = jj.inspect(jax.jit(f), jnp.ones(8), stage="run", time=True)
    (timing,) = snapshot.timings
    assert (timing.program, timing.notes) == (0, [])
    assert timing.sentence.startswith("The first call ")
    assert jj.Snapshot.from_json(snapshot.to_json()).timings == (timing,)
    assert jj.inspect(f, jnp.ones(8)).timings == ()
    with pytest.raises(ValueError, match="time=True runs the function. Pass stage='run' too"):
        jj.inspect(f, jnp.ones(8), time=True)


def test_the_times_are_in_the_static_outputs() -> None:
    import msgspec

    document = jj.inspect(f, jnp.ones(8), stage="trace").document
    times = ProgramTimes(warm(2e-3, 1e-3, 4e-3), warm(12e-3, 8e-3, 16e-3, runs=1_200, batch=12), ["A remark."])
    timing = timing_document(0, StageTimes(trace=0.01, compile=0.08, total=0.099), times)
    whole = msgspec.structs.replace(document, timings=[timing])
    sentence = (
        "The first call took 99 ms (trace 10 ms, compile 80 ms). A warm call takes 2.0 ms. A call without jit takes "
        "12 ms, 2.0 to 16 times as long as a warm call. With the first call included, jit saves time from 10 calls on."
    )
    text = markdown(whole).replace("\u00a0", " ").replace("\\", "")
    assert text[text.index("## Time") :].startswith(
        "## Time\n\n"
        f"`f`: {sentence}\n\n"
        "|  | median | quartiles | fastest | call returns after |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| eager | 12 ms | 8.0 to 16 ms | 8.0 ms | 6.0 ms |\n"
        "| warm | 2.0 ms | 1.0 to 4.0 ms | 1.0 ms | 1.0 ms |\n\n"
        "- 1,200 eager calls were timed in batches of 12. In the fastest batch, a call took 8.0 ms.\n"
        "- 100 warm calls were timed. The fastest took 1.0 ms.\n"
        "- A remark.\n"
    )
    shown = fragment(whole, characters=10_000).replace("\u00a0", " ")
    assert f"<code>f</code>: {sentence}</p>" in shown
    assert "<tr><td>warm</td><td>2.0 ms</td><td>1.0 to 4.0 ms</td><td>1.0 ms</td><td>1.0 ms</td></tr>" in shown
    assert plain(whole).splitlines()[-1] == f"f: {sentence}"


@pytest.mark.parametrize(
    ("exponent", "error", "first_number", "sentence"),
    [
        (0.1, 0.2, 64.0, "The number of equations of f hardly depends on n."),
        (-1.02, None, 64.0, "The number of equations of f scales as n^-1.0."),
        (2.94, 0.04, 1024.0, "From n = 1,024 on, the number of equations of f scales as n^2.9."),
    ],
)
def test_how_a_series_grows(exponent: float, error: float | None, first_number: float, sentence: str) -> None:
    fit = SweepFit(
        function="f", series="equations", exponent=exponent, factor=1.0, error=error, first_number=first_number
    )
    nothing = dict.fromkeys(("eager", "warm", "first", "trace", "lower", "compile", "equations", "bytes", "flops"))
    point = SweepPoint(function="f", value="64", number=64.0, from_disk=False, error=None, **nothing)
    swept = Sweep(
        name="n",
        call="f(n)",
        functions=["f"],
        points=[point],
        fits=[fit],
        total=1,
        stopped=None,
        notes=[],
        seconds=1.0,
    )
    assert growth_sentence(swept, fit) == sentence


def test_a_sweep_is_in_the_static_outputs() -> None:
    import msgspec

    document = jj.inspect(f, jnp.ones(8), stage="trace").document

    def took(median: float) -> WarmTime:
        return WarmTime(median=median, minimum=median, lower=median, upper=median, runs=9, dispatch=median)

    def point(value: str, **fields: Any) -> SweepPoint:
        nothing = dict.fromkeys(("eager", "warm", "first", "trace", "lower", "compile", "equations", "bytes", "flops"))
        named = {"function": "f", "value": value, "number": float(value), "from_disk": False, "error": None}
        return SweepPoint(**{**nothing, **named, **fields})

    points = [
        point("64", eager=took(70e-6), first=0.046, warm=took(9e-6), compile=0.03, ratio=7.78),
        point("256", eager=took(4.2e-3), first=0.033, warm=took(0.43e-3), compile=0.007, from_disk=True, ratio=9.77),
        point("300", eager=took(4.3e-3), first=0.04, warm=took(4.2e-3), compile=0.01),
        point("0", error="ValueError: too small"),
    ]
    fit = SweepFit(function="f", series="warm", exponent=2.789, factor=1e-11, error=0.123, first_number=64.0)
    sweep = Sweep(
        name="n",
        call="f(make(n))",
        functions=["f"],
        points=points,
        fits=[fit],
        total=4,
        stopped="Stopped before n=1024.",
        notes=[],
        seconds=1.0,
    )
    whole = msgspec.structs.replace(document, sweep=sweep)
    text = markdown(whole).replace("\u00a0", " ").replace("\\", "")
    assert text[text.index("## Time") :].startswith(
        "## Time\n\n"
        "### Sweep of f(make(n)) over n\n\n"
        "| n | eager | first call | warm | eager / warm | compile |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| 64 | 70 µs | 46 ms | 9.0 µs | 7.8× | 30 ms |\n"
        "| 256 | 4.2 ms | 33 ms | 0.43 ms | 9.8× | 7.0 ms from disk |\n"
        "| 300 | 4.3 ms | 40 ms | 4.2 ms | – | 10 ms |\n"
        "| 0 | raised ValueError: too small |  |  |  |  |\n\n"
        "- Stopped before n=1024.\n"
        "- From n = 64 on, the warm time of f scales as n^2.8 ± 0.1.\n"
    )
    assert "<caption>Sweep of f(make(n)) over n</caption>" in fragment(whole, characters=10_000)


def test_a_call_without_jit_that_compiles_its_scan_again_is_compared_with_nothing(notebook: Notebook) -> None:
    """A speed-up over a call that compiles each time would count the compiles."""
    notebook.run("from jax import lax")
    anew = """%%jaxpr --time
@jax.jit
def total(xs):
    def step(carry, x):
        return carry + x, carry
    return lax.scan(step, 0.0, xs)[0]
total(x)"""
    timing = timing_of(notebook.run(anew))
    assert (timing["ratio"], timing["pays_after"]) == (None, None)
    match = re.search(r"A call without jit takes .*", timing["sentence"].replace("\u00a0", " "))
    assert match is not None
    assert re.fullmatch(
        r"A call without jit takes [\d.]+ m?s\. For about [\d.]+ m?s of that time, JAX traces and compiles again in "
        r"each call\. The usual cause is a function, such as the body of a scan, that each call defines anew\. "
        r"Define the function once, outside of the call\.",
        match[0],
    )
    once = """%%jaxpr --time
def step(carry, x):
    return carry + x, carry
@jax.jit
def total(xs):
    return lax.scan(step, 0.0, xs)[0]
total(x)"""
    assert timing_of(notebook.run(once))["ratio"] is not None
