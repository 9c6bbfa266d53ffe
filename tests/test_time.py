"""Tests `--time`: the calls that are timed with a cell, their values, and the sentence if no call is timed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jax
import pytest
import stable_sample
from conftest import Notebook
from timed_calls import SINES, stages_of

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.exports.terminal_text import plain

pytestmark = pytest.mark.any_jax


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
    # These are the stages of the cell's own call; the timing ran no further stage.
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
        "Call a jitted function in the cell, or write a call after the option --time, such as %%jaxpr --time f(x)."
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


CALLS = [
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
]


@pytest.mark.parametrize(
    ("cell", "name"), [pytest.param(*call, marks=stable_sample.marks(call, newest=3)) for call in CALLS]
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
    assert len(compiles) <= 1  # the cell itself may compile once


def test_arguments_that_are_given_away_are_copied(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\nimport functools\n@functools.partial(jax.jit, donate_argnums=0)\n"
        "def g(s, x):\n    return s + x\ns = jnp.ones(8)\nfor _ in range(2):\n    s = g(s, x)"
    )
    timing = timing_of(ran)
    assert timing["notes"] == []
    assert (timing["warm"]["runs"] > 1, timing["eager"]["runs"] > 1) == (True, True)
    assert notebook["s"].tolist() == [1 + 2 * number for number in range(8)]


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
        "JAX derived this program from g, under a transform such as grad. The timing called the executable "
        "in place of the jitted function, so each call took some microseconds more.",
        "g was not timed without jit. jupyter_jaxpr recorded no call of g itself.",
    ]


def test_a_plain_function_is_compiled_for_it(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --time\ndef g(x, how):\n    print(how)\n    return jnp.sin(x)\ny = g(x, 'so')\ng(x, 'so')"
    )
    assert ran.stdout.count("so\n") == 2  # only the cell's own two calls print
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
        "jupyter_jaxpr recorded no call of f itself. The timing called the executable in place of the jitted "
        "function, so each call took some microseconds more.",
        "f was not timed without jit. jupyter_jaxpr recorded no call of f itself.",
    ]
    ran = notebook.run("%%jaxpr --time\ny = g(x)")
    assert timing_of(ran)["notes"] == [
        "g was not timed without jit. flax jits g with its own wrapper, so jupyter_jaxpr cannot call g without jit."
    ]
    ran = notebook.run("%jaxpr --time f(x, 2)")
    assert timing_of(ran)["notes"] == [
        "f was not timed without jit. equinox jits f with its own wrapper, so jupyter_jaxpr cannot call f without jit."
    ]


def test_a_target(notebook: Notebook) -> None:
    notebook.run(SINES)
    with stages_of("f") as stages:
        ran = notebook.run("%jaxpr --time f(x)")
    assert stages.count("backend_compile_duration") == 1
    assert timing_of(ran)["sentence"].startswith("The first call ")
    assert (
        ran.document["programs"][0]["origin_note"]
        == "jupyter_jaxpr traced, compiled and ran this program for %jaxpr f(x) --time."
    )


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
            "g has effects (Debug), and each timed call would repeat the effects. To time g anyway, press “Time the "
            "calls” in the Time tab.",
        )
    ]


def test_a_call_of_over_a_second_is_left_to_the_panel(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_jaxpr.measure.times import timing_questions_and_remarks

    monkeypatch.setattr(timing_questions_and_remarks, "SLOW", 0.0)
    ran = notebook.run(f"%%jaxpr --time\n{SINES}f(x)")
    assert "timings" not in ran.document
    ((text, cure),) = notes_on_time(ran)
    assert text == "f was not timed."
    assert cure.startswith("One call takes ")
    assert cure.endswith(". To time f anyway, press “Time the calls” in the Time tab.")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--time --compare f,g f(x)", "--compare and --time exclude each other: --compare times each function."),
        ("--time --sweep n=1,2 f(jnp.ones(n))", "--sweep and --time exclude each other: --sweep times each call."),
        ("--time --stage lower f(x)", "--time and --stage lower exclude each other: --time always runs the function."),
        ("--time f(f32[3])", "--time calls the function and needs values, but the arguments of 'f(f32[3])' are types."),
    ],
)
def test_a_mistake_in_the_line_is_told_before_the_cell_runs(notebook: Notebook, line: str, message: str) -> None:
    ran = notebook.run(f"%%jaxpr {line}\nran = True")
    assert message in ran.stderr + ran.stdout + str(ran.result.error_in_exec)
    assert "ran" not in notebook.shell.user_ns


def test_the_option_is_documented(notebook: Notebook) -> None:
    assert "--time" in notebook.shell.magics_manager.magics["cell"]["jaxpr"].__doc__


def test_a_call_without_jit_that_compiles_its_scan_again_is_compared_with_nothing(notebook: Notebook) -> None:
    """If a call without jit compiles its scan again each time, a ratio to the warm call would say little."""
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
    cell = """%%jaxpr --time
def step(carry, x):
    return carry + x, carry
@jax.jit
def total(xs):
    return lax.scan(step, 0.0, xs)[0]
total(x)"""
    assert timing_of(notebook.run(cell))["ratio"] is not None
