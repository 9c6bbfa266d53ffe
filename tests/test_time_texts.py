"""Tests the sentences on times, and the times in scripts, sweeps and exports."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from timed_calls import warm

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.times.times_of_calls import timing_document
from jupyter_jaxpr.document.types.timing import Sweep, SweepFit, SweepPoint, WarmTime
from jupyter_jaxpr.exports.growth_sentence import growth_sentence
from jupyter_jaxpr.exports.html_of_saved_output import fragment
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.terminal_text import plain
from jupyter_jaxpr.measure.times.program_timing import ProgramTimes
from jupyter_jaxpr.observe.observation import StageTimes

pytestmark = pytest.mark.any_jax


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
            # The cell did not wait for the first call's result, so the total does not include the work.
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
            # The medians differ, but the middle halves of the samples overlap.
            StageTimes(compile=0.2, total=0.3),
            ProgramTimes(warm(0.167, 0.15, 0.2), warm(0.249, 0.19, 0.3)),
            "The first call took 300 ms (compile 200 ms). A warm call takes 167 ms. A call without jit takes 249 ms. "
            "The times with and without jit show no difference.",
        ),
        (
            # Only one call without jit was timed, because it took more than a second.
            StageTimes(compile=0.2, total=0.3),
            ProgramTimes(warm(1e-3), warm(1.5, samples=(1.5,), runs=1)),
            "The first call took 300 ms (compile 200 ms). A warm call takes 1.0 ms. A call without jit takes 1.5 s. "
            "Fewer than 5 warm calls, or fewer than 5 calls without jit, were timed: too few to show a difference.",
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
    # With jit, 9 calls take 99 + 8 x 2 = 115, without jit 9 x 12 = 108; 10 calls take 117 with jit and 120 without.
    assert timing.pays_after == 10
    assert timing_document(0, StageTimes(total=99.0), ProgramTimes(warm(2.0), warm(1.0))).pays_after is None
    assert timing_document(0, None, times).pays_after is None
    # If nothing waited for the first call, the time of its work is added: 97 + 2 in place of 97 + 0.1.
    unawaited = timing_document(3, StageTimes(compile=80.0, first_run=0.1, total=97.1), times)
    assert unawaited.pays_after == 10


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
    timed_document = msgspec.structs.replace(document, timings=[timing])
    sentence = (
        "The first call took 99 ms (trace 10 ms, compile 80 ms). A warm call takes 2.0 ms. A call without jit takes "
        "12 ms, 2.0 to 16 times as long as a warm call. With the first call included, jit saves time from 10 calls on."
    )
    text = markdown(timed_document).replace("\u00a0", " ").replace("\\", "")
    assert text[text.index("## Time") :].startswith(
        "## Time\n\n"
        f"`f`: {sentence}\n\n"
        "|  | median | quartiles | fastest call | time until the call returns |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| eager | 12 ms | 8.0 to 16 ms | 8.0 ms | 6.0 ms |\n"
        "| warm | 2.0 ms | 1.0 to 4.0 ms | 1.0 ms | 1.0 ms |\n\n"
        "- 1,200 eager calls were timed in batches of 12. In the fastest batch, a call took 8.0 ms.\n"
        "- 100 warm calls were timed. The fastest call took 1.0 ms.\n"
        "- A remark.\n"
    )
    html = fragment(timed_document, characters=10_000).replace("\u00a0", " ")
    assert f"<code>f</code>: {sentence}</p>" in html
    assert "<tr><td>warm</td><td>2.0 ms</td><td>1.0 to 4.0 ms</td><td>1.0 ms</td><td>1.0 ms</td></tr>" in html
    assert plain(timed_document).splitlines()[-1] == f"f: {sentence}"


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
    swept_document = msgspec.structs.replace(document, sweep=sweep)
    text = markdown(swept_document).replace("\u00a0", " ").replace("\\", "")
    assert text[text.index("## Time") :].startswith(
        "## Time\n\n"
        "### Sweep of f(make(n)) over n\n\n"
        "| n | eager | first call | warm | eager / warm | compile |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| 64 | 70 µs | 46 ms | 9.0 µs | 7.8× | 30 ms |\n"
        "| 256 | 4.2 ms | 33 ms | 0.43 ms | 9.8× | 7.0 ms from disk |\n"
        "| 300 | 4.3 ms | 40 ms | 4.2 ms | – | 10 ms |\n"
        "| 0 | the call raised ValueError: too small |  |  |  |  |\n\n"
        "- Stopped before n=1024.\n"
        "- From n = 64 on, the warm time of f scales as n^2.8 ± 0.1.\n"
    )
    assert "<caption>Sweep of f(make(n)) over n</caption>" in fragment(swept_document, characters=10_000)
