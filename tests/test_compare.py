"""Tests `--compare`: which functions are called, and how often, the measurements, and the sentences on them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.measure.compare.agreement_of_results import Agreement
from jupyter_jaxpr.measure.compare.compared_functions import Comparison, Variant
from jupyter_jaxpr.measure.compare.differentiation import Differentiable
from jupyter_jaxpr.measure.compare.verdict_sentences import verdict
from jupyter_jaxpr.measure.times.repeated_calls import Warm
from jupyter_jaxpr.measure.times.sweep_point import Point
from jupyter_jaxpr.measure.times.sweep_run import Sweep

pytestmark = pytest.mark.any_jax

LOOPS = """
def unrolled(x):
    for _ in range(60):
        x = jnp.sin(x)
    return x

@jax.jit
def scanned(x):
    return lax.scan(lambda c, _: (jnp.sin(c), None), x, length=60)[0]

@jax.jit
def fori(x):
    return lax.fori_loop(0, 60, lambda i, c: jnp.sin(c), x)

@jax.jit
def whiled(x):
    return lax.while_loop(lambda c: c[1] < 60, lambda c: (jnp.sin(c[0]), c[1] + 1), (x, 0))[0]
"""


def compared(ran: Ran) -> dict[str, dict[str, Any]]:
    """Return the variants of a run's comparison: name -> variant."""
    return {variant["name"]: variant for variant in ran.document["comparison"]["variants"]}


def told(ran: Ran, *fields: str) -> list[tuple[Any, ...]]:
    """Return, for each variant in the order of the document, its name and these fields."""
    return [tuple(variant[field] for field in ("name", *fields)) for variant in ran.document["comparison"]["variants"]]


# --- uses ---


def test_unroll_against_scan_against_fori_against_while(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --compare unrolled,scanned,fori,whiled\n" + LOOPS + "scanned(x)")
    assert told(ran, "mode", "equations", "differentiable", "agrees") == [
        ("unrolled", "jitted_here", 60, "reverse", "same_bits"),
        ("scanned", "jitted", 2, "reverse", "same_bits"),
        ("fori", "jitted", 3, "reverse", "same_bits"),
        ("whiled", "jitted", 4, "forward", "same_bits"),
    ]
    for variant in compared(ran).values():
        assert variant["trace"] > 0
        assert variant["lower"] > 0
        assert variant["compile"] > 0
        warm = variant["warm"]
        assert 0 < warm["minimum"] <= warm["lower"] <= warm["median"] <= warm["upper"]
        assert variant["calls"] > warm["runs"] > 1
        assert variant["error"] is None
    assert compared(ran)["whiled"]["differentiable_note"] == (
        "ValueError: Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic "
        "start/stop values. Try using lax.scan, or using fori_loop with static start/stop."
    )
    assert "jax.grad cannot differentiate whiled; jax.jvp can." in ran.document["comparison"]["verdict"]
    assert "All results have the same bits." in ran.document["comparison"]["verdict"]


def test_all_programs_are_in_the_run_and_the_first_one_is_in_view(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --compare unrolled,scanned\n" + LOOPS + "scanned(x)")
    names = [program["name"] for program in ran.document["programs"]]
    assert sorted(names) == ["scanned", "unrolled"]
    assert [names[variant["program"]] for variant in compared(ran).values()] == ["unrolled", "scanned"]
    assert names[ran.document["focus"]] == "unrolled"
    unrolled = ran.document["programs"][names.index("unrolled")]
    assert unrolled["origin"] == "ran"
    assert unrolled["origin_note"] == (
        "unrolled is not jitted. The comparison called unrolled under a jax.jit of its own."
    )
    assert [level["state"] for level in unrolled["levels"]] == ["held", "held"]
    assert unrolled["stages"]["total"] > unrolled["stages"]["compile"] > 0


def test_if_with_a_static_argument_against_cond_against_where(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare static,traced,where\n"
        "import functools\n"
        "@functools.partial(jax.jit, static_argnames='flag')\n"
        "def static(x, flag):\n    return x + 1 if flag else x - 1\n"
        "@jax.jit\n"
        "def traced(x, flag):\n    return lax.cond(flag, lambda x: x + 1, lambda x: x - 1, x)\n"
        "@jax.jit\n"
        "def where(x, flag):\n    return jnp.where(flag, x + 1, x - 1)\n"
        "static(x, flag=True)"
    )
    assert told(ran, "mode", "error", "agrees") == [
        ("static", "jitted", None, "same_bits"),
        ("traced", "jitted", None, "same_bits"),
        ("where", "jitted", None, "same_bits"),
    ]


@pytest.mark.slow
def test_recompiles_over_a_sweep(notebook: Notebook) -> None:
    notebook.run(
        "import functools\n"
        "@functools.partial(jax.jit, static_argnames='flag')\n"
        "def static(x, flag):\n    return x + 1 if flag else x - 1\n"
        "@jax.jit\n"
        "def where(x, flag):\n    return jnp.where(flag, x + 1, x - 1)\n"
    )
    ran = notebook.run("%jaxpr --compare static,where --sweep on=True,False static(x, flag=on)")
    assert told(ran, "recompiles") == [("static", 2), ("where", 1)]
    comparison = ran.document["comparison"]
    assert comparison["sweep"] == "on = True, False"
    assert comparison["call"] == "static(x, flag=on) with on = True"
    assert comparison["verdict"][-2:] == [
        "For on = True, False, JAX compiled static 2 times.",
        "For on = True, False, JAX compiled where 1 time.",
    ]


def test_a_padded_scan_against_a_while_loop(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare padded,whiled\n"
        "@jax.jit\n"
        "def padded(x):\n"
        "    step = lambda c, i: (jnp.where(i < 5, c * 2, c), None)\n"
        "    return lax.scan(step, x, jnp.arange(20))[0]\n"
        "@jax.jit\n"
        "def whiled(x):\n"
        "    return lax.while_loop(lambda c: c[1] < 5, lambda c: (c[0] * 2, c[1] + 1), (x, 0))[0]\n"
        "whiled(x)"
    )
    assert told(ran, "agrees", "differentiable") == [
        ("padded", "same_bits", "reverse"),
        ("whiled", "same_bits", "forward"),
    ]


# --- which functions are called, and how often ---


def test_the_cell_runs_once_and_what_it_shows_is_its_own(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --compare f,g\nruns = globals().get('runs', 0) + 1\nf = jnp.sin\ng = jnp.cos\nf(x)")
    assert notebook["runs"] == 1
    assert ran.result.success
    assert float(ran.result.result[0]) == 0.0


def test_a_plain_function_is_traced_and_not_called_with_values(notebook: Notebook) -> None:
    notebook.run("seen = []\ndef f(x):\n    seen.append(type(x).__name__)\n    return x + 1\ng = lambda x: 1 + x\n")
    ran = notebook.run("%jaxpr --compare f,g f(x)")
    assert set(notebook["seen"]) <= {"DynamicJaxprTracer", "JitTracer", "JVPTracer", "LinearizeTracer"}
    assert compared(ran)["f"]["calls"] > 10
    assert notebook.run("jax.jit(f)(x); f(x)").result.success


def test_what_jax_cannot_trace_is_called_without_jit(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare f,g\ndef f(x):\n    return x if x.sum() > 0 else -x\n@jax.jit\ndef g(x):\n"
        "    return jnp.where(x.sum() > 0, x, -x)\nf(x)"
    )
    assert told(ran, "mode", "program", "compile", "agrees", "differentiable")[0] == (
        "f", "eager", -1, None, "same_bits", "unknown",
    )  # fmt: skip
    assert compared(ran)["f"]["notes"] == [
        "JAX cannot trace f, so f was called without jit. TracerBoolConversionError: Attempted boolean conversion of "
        "traced array with shape bool[]."
    ]


def test_numbers_that_a_trace_needs_are_static(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare f,g\ndef f(x, n):\n    for _ in range(n):\n        x = x * 2\n    return x\n"
        "@jax.jit\ndef g(x, n):\n    return lax.fori_loop(0, n, lambda i, x: x * 2, x)\ng(x, 3)"
    )
    assert told(ran, "mode", "agrees") == [("f", "jitted_here", "same_bits"), ("g", "jitted", "same_bits")]
    assert compared(ran)["f"]["notes"] == ["f was called with static arguments (n): JAX cannot trace f otherwise."]


def test_effects_are_not_repeated(notebook: Notebook) -> None:
    notebook.run(
        "told = []\n@jax.jit\ndef f(x):\n    jax.debug.callback(lambda v: told.append(1), x[0])\n    return x\n"
        "g = jax.jit(lambda x: x)\n"
    )
    ran = notebook.run("%jaxpr --compare f,g f(x)")
    notebook.run("jax.effects_barrier()")
    assert notebook["told"] == [1]
    assert (compared(ran)["f"]["warm"], compared(ran)["f"]["calls"]) == (None, 1)
    assert compared(ran)["f"]["notes"] == [
        "f has effects (Debug), which each call repeats, so no warm call was timed. To time f anyway, use %timeit."
    ]


def test_a_function_that_prints_without_jit_is_called_once(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare f,g\ndef f(x):\n    print('called')\n    return x if x.sum() > 0 else -x\n"
        "g = jax.jit(lambda x: x)\ng(x)"
    )
    assert ran.stdout.count("called") == 0
    assert compared(ran)["f"]["notes"][-1] == (
        "f has effects (print), which each call repeats, so no warm call was timed. To time f anyway, use %timeit."
    )


def test_a_call_of_more_than_a_second_is_made_once(notebook: Notebook) -> None:
    notebook.run(
        "import time, numpy as np\ncalls = []\n"
        "def wait(v):\n    calls.append(1)\n    time.sleep(1.1)\n    return np.asarray(v)\n"
        "f = jax.jit(lambda x: jax.pure_callback(wait, x, x))\ng = jax.jit(lambda x: x)\n"
    )
    ran = notebook.run("%jaxpr --compare f,g f(x)")
    assert notebook["calls"] == [1]
    assert compared(ran)["f"]["warm"] is None
    assert compared(ran)["f"]["notes"][0].startswith("One call of f takes about 1.1\u00a0s, so no warm call was timed.")


def test_donated_arguments_stay_whole(notebook: Notebook) -> None:
    notebook.run(
        "import functools\n@functools.partial(jax.jit, donate_argnums=0)\ndef f(x):\n    return x + 1\n"
        "g = jax.jit(lambda x: x + 1)\n"
    )
    ran = notebook.run("%jaxpr --compare f,g f(x)")
    assert not notebook["x"].is_deleted()
    assert told(ran, "error", "agrees") == [("f", None, "same_bits"), ("g", None, "same_bits")]
    assert compared(ran)["f"]["warm"]["runs"] > 1


def test_arguments_that_the_cell_gave_away(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare f,g\nimport functools\n@functools.partial(jax.jit, donate_argnums=0)\ndef f(x):\n"
        "    return x + 1\ng = jax.jit(lambda x: x + 1)\nf(x.copy())"
    )
    assert ran.document.get("comparison") is None
    assert ran.note("compare")["text"] == (
        "f(x.copy()) donated an array, so --compare cannot use that array again. Write a call with new arrays: %%jaxpr "
        "--compare f,g f(make())."
    )


def test_what_jax_had_compiled_already(notebook: Notebook) -> None:
    notebook.run(LOOPS + "fori(x)")
    ran = notebook.run("%jaxpr --compare fori,scanned fori(x)")
    assert compared(ran)["fori"]["compile"] > 0
    assert compared(ran)["fori"]["notes"] == [
        "JAX compiled fori in an earlier call, and the stage times are of that call."
    ]
    assert compared(ran)["scanned"]["notes"] == []


def test_what_jax_had_compiled_before_the_extension_was_there(make_notebook: Any) -> None:
    notebook = make_notebook(False)
    # The functions are new: JAX keeps what another test of this process compiled of a function such as `jnp.cos`.
    notebook.run("import jax, jax.numpy as jnp\nx = jnp.arange(8.0)")
    notebook.run("f = jax.jit(lambda x: jnp.sin(x))\ng = jax.jit(lambda x: jnp.cos(x))\nf(x)")
    notebook.run("%load_ext jupyter_jaxpr")
    ran = notebook.run("%jaxpr --compare f,g f(x)")
    assert (compared(ran)["f"]["trace"], compared(ran)["f"]["compile"]) == (None, None)
    assert compared(ran)["f"]["notes"] == [
        "JAX compiled f before f was recorded, so the compile time is unknown. Run the cell that defines f again, then "
        "compare again."
    ]
    assert compared(ran)["g"]["compile"] > 0


# --- mistakes are reported ---


def test_names_that_are_missing_or_no_functions_are_lines(notebook: Notebook) -> None:
    notebook.run("f = jax.jit(jnp.sin)\ny = 3\n")
    ran = notebook.run("%jaxpr --compare f,nope,y,jnp.cos,jnp.nope f(x)")
    assert ran.result.success
    assert told(ran, "mode", "error") == [
        ("f", "jitted", None),
        ("nope", "missing", "nope is not defined. Define nope in this cell or in an earlier cell."),
        ("y", "missing", "y is not a function: its type is int. Name a function after --compare."),
        ("jnp.cos", "jitted", None),
        ("jnp.nope", "missing", compared(ran)["jnp.nope"]["error"]),
    ]
    assert "has no attribute 'nope'" in compared(ran)["jnp.nope"]["error"]


def test_a_function_that_raises_hides_no_other(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --compare f,g\ndef f(x):\n    raise ValueError('no')\ng = jax.jit(lambda x: x)\ng(x)")
    assert ran.result.success
    assert told(ran, "result", "error", "agrees")[0] == ("f", None, "ValueError: no", "unknown")
    assert compared(ran)["g"]["warm"] is not None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "--compare f",
            "--compare f names only one function. Write the names of two or more functions, separated by commas, such "
            "as --compare f,g,h.",
        ),
        (
            "--compare f,,g",
            "--compare f,,g: a function name is missing before or after a comma. Write the names of two or more "
            "functions, separated by commas, such as --compare f,g,h.",
        ),
        (
            "--compare f,2",
            "--compare f,2: '2' is not a function name. Write the names of two or more functions, separated by commas, "
            "such as --compare f,g,h.",
        ),
        (
            "--compare f,f",
            "--compare f,f names f twice. Write the names of two or more functions, separated by commas, such as "
            "--compare f,g,h.",
        ),
        (
            "--compare f,g f(f32[8])",
            "--compare calls the function and needs values, but the arguments of 'f(f32[8])' are types. Write arrays, "
            "such as f(jnp.ones(8)).",
        ),
        (
            "--compare f,g --stage run f(x)",
            "--compare and --stage exclude each other: --compare always runs the functions. Leave out one of the two "
            "options.",
        ),
        (
            "--compare f,g --sweep m=1,2 f(x)",
            "--sweep m=1,2: the arguments of 'f(x)' do not use m. Write, for example, n=8,16,32 and a call that uses "
            "n, such as f(jnp.ones(n)).",
        ),
    ],
)
def test_a_mistake_in_the_line_is_told_before_the_cell_runs(notebook: Notebook, line: str, message: str) -> None:
    ran = notebook.run(f"%%jaxpr {line}\nran = True")
    assert str(ran.result.error_in_exec or ran.result.error_before_exec) == message
    assert "ran" not in notebook.shell.user_ns


def test_without_a_call_there_are_no_arguments(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --compare f,g\nf = jax.jit(jnp.sin)\ng = jnp.cos\n")
    assert ran.result.success
    assert ran.document["message"] == (
        "--compare needs a call to take the arguments from. End the cell with a call, such as f(x), or write the call "
        "in the line of the magic: %%jaxpr --compare f,g f(x)."
    )


# --- results ---


def test_results_that_are_close_differ_or_have_other_types(notebook: Notebook) -> None:
    notebook.run(
        "f = jax.jit(lambda x: x)\nclose = jax.jit(lambda x: x.at[3].add(1e-5))\n"
        "differs = jax.jit(lambda x: x.at[3].add(0.5))\nother = jax.jit(lambda x: (x, 1))\n"
    )
    ran = notebook.run("%jaxpr --compare f,close,differs,other f(x)")
    assert told(ran, "agrees", "difference") == [
        ("f", "same_bits", None),
        (
            "close",
            "close",
            "The largest difference is 1e-05 at [3]. A difference of up to 1e-05 of the largest value counts as close.",
        ),
        ("differs", "differs", "The largest difference is at [3]: the result has 3.5, the reference has 3."),
        ("other", "other_types", "The type of the result is (f32[8], i32[]), the type of the reference is f32[8]."),
    ]
    assert ran.document["comparison"]["verdict"][-3:] == [
        "close's result is close to f's. The largest difference is 1e-05 at [3]. A difference of up to 1e-05 of the "
        "largest value counts as close.",
        "differs's result differs from f's. The largest difference is at [3]: the result has 3.5, the reference has 3.",
        "other returns another type than f. The result of f is the reference for the results of the other functions. "
        "The type of the result is (f32[8], i32[]), the type of the reference is f32[8].",
    ]


# --- the verdict ---


def variant(name: str, compile: float, warm: tuple[float, float, float] | None, **fields: Any) -> Variant:
    samples = [compile * factor for factor in (0.98, 0.99, 1.0, 1.01, 1.02)]
    new_variant = Variant(
        name,
        **{"compile": compile, "compile_samples": samples, "result": "1.0", **fields},
        agreement=Agreement("same_bits", None),
    )
    new_variant.differentiable = Differentiable("reverse")
    if warm is not None:
        lower, median, upper = warm
        new_variant.warm = Warm(median, lower, lower, upper, runs=100, batch=1, dispatch=lower, calls=102)
        new_variant.warm = replace(new_variant.warm, samples=tuple(sorted(warm * 10)))
    return new_variant


FAST, SLOWER, NEAR = (1.0e-6, 1.1e-6, 1.2e-6), (2.0e-6, 2.2e-6, 2.4e-6), (1.15e-6, 1.2e-6, 1.3e-6)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            variant("f", 0.8, FAST),
            variant("g", 0.1, SLOWER),
            "XLA compiles f 8.0× slower than g in repeated compiles. f runs 2.0× faster than g.",
        ),
        (
            variant("f", 0.1, SLOWER),
            variant("g", 0.8, FAST),
            "XLA compiles f 8.0× faster than g in repeated compiles. f runs 2.0× slower than g.",
        ),
        (
            variant("f", 0.8, SLOWER),
            variant("g", 0.1, FAST),
            "XLA compiles f 8.0× slower than g in repeated compiles. f runs 2.0× slower than g.",
        ),
        (
            variant("f", 0.1, FAST),
            variant("g", 0.102, NEAR),
            "The times of repeated compiles of f and g show no difference. "
            "The warm times of f and g show no difference.",
        ),
        (
            variant("f", 0.1, (1.00e-6, 1.01e-6, 1.02e-6)),
            variant("g", 0.1, (1.03e-6, 1.04e-6, 1.05e-6)),
            "The times of repeated compiles of f and g show no difference. "
            "The warm times of f and g show no difference.",
        ),
        (
            # The first compiles of two equal functions took 27 ms and 10 ms; the repeated compiles show no difference.
            variant("f", 0.027, None, compile_samples=[0.0102, 0.0101, 0.0134, 0.0099, 0.0100]),
            variant("g", 0.010, None, compile_samples=[0.0100, 0.0101, 0.0099, 0.0098, 0.0102]),
            "The times of repeated compiles of f and g show no difference.",
        ),
        (
            variant("f", 8.0, (0.249, 0.249, 0.249), compile_samples=[]),
            variant("g", 0.1, (0.167, 0.167, 0.167)),
            "f and g were not compiled repeatedly: no difference in compile time is shown. f runs 1.5× slower than g.",
        ),
        (
            variant("f", 0.1, FAST, from_disk=True),
            variant("g", 0.8, SLOWER, mode="eager"),
            "f runs 2.0× faster than g without jit.",
        ),
    ],
)
def test_only_what_is_larger_than_the_noise_is_said(first: Variant, second: Variant, message: str) -> None:
    assert verdict(Comparison("f(x)", [first, second])) == [message, "All results have the same bits."]


def test_few_warm_calls_show_no_difference() -> None:
    long, short = (
        variant(name, 0.1, (duration, duration, duration)) for name, duration in (("f", 0.249), ("g", 0.167))
    )
    for measured in (long, short):
        assert measured.warm is not None
        measured.warm = replace(measured.warm, samples=measured.warm.samples[:3])
    assert verdict(Comparison("f(x)", [long, short]))[0] == (
        "The times of repeated compiles of f and g show no difference. "
        "Too few warm calls of f or g were timed: no difference in warm time is shown."
    )


def test_two_equal_functions_have_the_same_bits(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --compare f,g\nf = jax.jit(lambda x: jnp.sin(x) * 2)\ng = jax.jit(lambda x: jnp.sin(x) * 2)\nf(x)"
    )
    times, *remaining = ran.document["comparison"]["verdict"]
    # The executables are equal, but on a busy machine all runs of one of them may be slower.
    assert re.fullmatch(
        r"(The times of repeated compiles of f and g show no difference"
        r"|XLA compiles f [\d.]+× (slower|faster) than g in repeated compiles)\. "
        r"(The warm times of f and g show no difference|f runs [\d.]+× (slower|faster) than g)\.",
        times,
    )
    assert remaining == ["All results have the same bits."]


def test_a_compared_sweep_begins_with_its_largest_value() -> None:
    def at(name: str, value: str, warm: tuple[float, float, float]) -> Point:
        return Point(name, value, float(value), warm=variant(name, 0.1, warm).warm)

    points = [at("f", "8", FAST), at("g", "8", FAST), at("f", "4096", FAST), at("g", "4096", SLOWER)]
    points += [at("f", "8192", FAST), Point("g", "8192", 8192.0, error="MemoryError: no")]
    first, two = variant("f", 0.1, FAST), variant("g", 0.1, FAST)
    assert verdict(Comparison("f(x)", [first, two]), Sweep("n", "f(x)", ["f", "g"], points)) == [
        "At n = 4096: f runs 2.0× faster than g.",
        "At n = 8: The times of repeated compiles of f and g show no difference. "
        "The warm times of f and g show no difference.",
        "All results have the same bits.",
    ]


def test_of_one_function_that_ran_there_is_nothing_to_say() -> None:
    assert verdict(Comparison("f(x)", [variant("f", 0.1, FAST), Variant("g", error="ValueError: no")])) == []


# --- exports ---


def test_the_comparison_is_in_every_export(notebook: Notebook) -> None:
    from IPython.utils.capture import capture_output

    notebook.run("f = jax.jit(lambda x: x)\ng = jax.jit(lambda x: -x)\n")
    with capture_output() as captured:
        notebook.shell.run_cell("%jaxpr --compare f,g,nope f(x)")
    (output,) = captured.outputs
    html, plain = output.data["text/html"], output.data["text/plain"]
    assert "<h4>Compare</h4>" in html
    (result,) = re.findall(r'<tr><th scope="row">Result</th>.*?</tr>', html)
    assert [cell.partition(":")[0] for cell in re.findall("<td>(.*?)</td>", result)] == [
        "reference result",
        "differs from the reference",
        "–",
    ]
    assert "<li>nope: nope is not defined. Define nope in this cell or in an earlier cell.</li>" in html
    assert (
        "g's result differs from f's. The largest difference is at [7]: the result has -7, the reference has 7."
        in plain
    )
    from jupyter_jaxpr import Snapshot
    from jupyter_jaxpr.exports.markdown import markdown

    (document,) = (output.data[name] for name in output.data if name.startswith("application/"))
    import json

    text = markdown(Snapshot.from_json(json.dumps(document)).document)
    assert "## Compare" in text
    assert "|  | f | g | nope \\(no function has this name\\) |\n| --- | --- | --- | --- |" in text
    assert "| Derivative | grad and jvp | grad and jvp | – |" in text
