"""Tests `inspect` and `Snapshot` as scripts and tests use them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.types.cures import Cure, Edit

X = np.ones(4, np.float32)
RUNS = []


def plain(x, scale=2.0):
    return jnp.sin(x) * scale


@jax.jit
def jitted(x):
    return jnp.cos(x)


def test_a_plain_function():
    snapshot = jj.inspect(plain, X)
    assert snapshot.text() == "{ lambda ; a:f32[4]. let\n  b:f32[4] = sin a\n  c:f32[4] = mul b 2.0:f32[]\nin (c,) }"
    assert snapshot.equations == 2
    assert [program.name for program in snapshot.programs] == ["plain"]
    assert snapshot.notes == ()


def test_a_jitted_function():
    snapshot = jj.inspect(jitted, X)
    assert "cos a" in snapshot.text("jaxpr")
    assert "stablehlo.cosine" in snapshot.text("stablehlo")
    assert snapshot.text("hlo").startswith("HloModule jit_jitted")


def test_types_are_enough():
    snapshot = jj.inspect(plain, jax.ShapeDtypeStruct((3, 5), jnp.bfloat16), scale=3.0, stage="trace")
    assert "a:bf16[3,5]" in snapshot.text()


def test_static_arguments():
    @jax.jit
    def f(x):
        return x

    power = jax.jit(lambda x, n: x**n, static_argnames="n")
    snapshot = jj.inspect(power, X, stage="trace", n=3)
    assert "integer_pow[y=3] a" in snapshot.text()
    assert [(argument.name, argument.type, argument.static) for argument in snapshot.programs[0].arguments] == [
        ("x", "f32[4]", False),
        ("n", "3", True),
    ]


@pytest.mark.parametrize(
    ("stage", "expected_levels"),
    [("trace", ["jaxpr"]), ("lower", ["jaxpr", "stablehlo"]), ("compile", ["jaxpr", "stablehlo", "hlo"])],
)
def test_no_further_than_asked(stage, expected_levels):
    snapshot = jj.inspect(lambda x: jnp.tan(x), X, stage=stage)
    levels = []
    for level in ("jaxpr", "stablehlo", "hlo"):
        try:
            snapshot.text(level)
        except ValueError as error:
            assert re.fullmatch(
                r"This snapshot does not hold the (StableHLO|HLO)\. "
                r"JAX has not made the text. Inspect with stage='(lower|compile)'\.",
                str(error),
            )
        else:
            levels.append(level)
    assert levels == expected_levels


def test_a_jitted_function_that_was_never_called_is_not_compiled_for_its_trace():
    fresh = jax.jit(lambda x: jnp.sin(x) * 2)
    levels = jj.inspect(fresh, jnp.ones(3), stage="trace").programs[0].levels
    assert [(level.name, level.state) for level in levels] == [("stablehlo", "not_made"), ("hlo", "not_made")]


def test_nothing_is_executed_but_at_run():
    def f(x):
        jax.debug.callback(lambda value: RUNS.append(float(value)), x)
        return x

    RUNS.clear()
    jj.inspect(f, 1.0)
    jax.effects_barrier()
    assert RUNS == []
    snapshot = jj.inspect(f, 1.0, stage="run")
    jax.effects_barrier()
    assert RUNS == [1.0]
    assert snapshot.programs[0].origin == "ran"


def test_run_needs_values():
    with pytest.raises(ValueError) as caught:
        jj.inspect(plain, jax.ShapeDtypeStruct((3,), jnp.float32), stage="run")
    assert str(caught.value) == (
        "stage='run' executes the function and needs values, not jax.ShapeDtypeStruct. "
        "Give arrays, or take stage='compile'."
    )


def test_a_stage_that_is_none():
    with pytest.raises(ValueError) as caught:
        jj.inspect(plain, X, stage="optimise")
    assert str(caught.value) == "stage='optimise' is not a stage. Take one of 'trace', 'lower', 'compile', 'run'."


def test_a_level_that_is_none():
    with pytest.raises(ValueError, match="There is no level 'ptx'. Take one of 'jaxpr', 'stablehlo', 'hlo'."):
        jj.inspect(plain, X, stage="trace").text("ptx")


def test_the_errors_of_the_function_are_its_own():
    def f(x):
        return 1 if x > 0 else 2

    with pytest.raises(jax.errors.TracerBoolConversionError):
        jj.inspect(f, jnp.ones(()))


def test_notes_have_lines_and_cures():
    table = np.ones(1000, np.float32)

    def f(x):
        print("x is", x)
        return x + table

    snapshot = jj.inspect(f, table)
    first = f.__code__.co_firstlineno
    rows = {note.kind: (note.line, note.cure, note.bytes) for note in snapshot.notes}
    assert rows == {
        "captured_constant": (first + 2, "Pass the array as an argument.", 4000),
        "printed_while_tracing": (first + 1, "To print values at every call, use jax.debug.print.", None),
    }


def test_notes_have_their_cures_with_edits():
    def f(x):
        for _ in range(12):
            x = jnp.sin(x) * 2
        return x

    snapshot = jj.inspect(f, jnp.ones(3), stage="trace")
    first = f.__code__.co_firstlineno
    (note,) = snapshot.notes
    assert (note.kind, note.line, note.cures) == ("unrolled_loop", first + 1, ())
    document = snapshot.document
    place = document.notes[0].frame
    frame = document.frames[place]
    cures = [
        Cure("jnp.where", "jnp.where(c, x, y)", "It chooses.", "choice", [Edit(place, "jnp.where(c, x, FILL)")]),
        Cure("static_argnames", None, "It compiles once for each value."),
    ]
    document.notes[0] = msgspec.structs.replace(document.notes[0], cures=cures)
    file = document.files[frame.file].path
    for read in (snapshot, jj.Snapshot.from_json(snapshot.to_json())):
        chosen, advice = read.notes[0].cures
        assert (chosen.name, chosen.level, chosen.text) == ("jnp.where", "choice", "It chooses.")
        assert chosen.code == "jnp.where(c, x, y)"
        (edit,) = chosen.edits
        assert (edit.file, edit.line, edit.column) == (file, first + 1, frame.column)
        assert (edit.end_line, edit.end_column) == (frame.end_line, frame.end_column)
        assert edit.text == "jnp.where(c, x, FILL)"
        assert (advice.name, advice.level, advice.code, advice.edits) == ("static_argnames", "advice", None, ())


def test_json_and_back():
    snapshot = jj.inspect(plain, X)
    read_again = jj.Snapshot.from_json(snapshot.to_json())
    assert read_again.to_dict() == snapshot.to_dict()
    for level in ("jaxpr", "stablehlo", "hlo"):
        assert read_again.text(level) == snapshot.text(level)
    assert read_again.equations == 2


def test_json_holds_the_texts_of_a_program_that_is_too_long_for_the_panel():
    def f(x):
        for i in range(300):
            x = jnp.sin(x) + i
        return x

    snapshot = jj.inspect(f, X)
    assert snapshot.programs[0].levels[1].state == "on_request"
    assert jj.Snapshot.from_json(snapshot.to_json()).text("hlo") == snapshot.text("hlo")


def test_a_level_that_a_file_does_not_hold():
    read_again = jj.Snapshot.from_json(jj.inspect(plain, X, stage="trace").to_json())
    with pytest.raises(ValueError) as caught:
        read_again.text("hlo")
    assert str(caught.value) == (
        "This snapshot does not hold the HLO. JAX has not compiled this function. "
        "Compile the function to see its HLO. The compile takes about as long as a first call."
    )


@pytest.mark.parametrize("suffix", ["json", "html", "md"])
def test_files(tmp_path, suffix):
    path = tmp_path / f"f.{suffix}"
    snapshot = jj.inspect(plain, X)
    snapshot.save(path)
    text = path.read_text(encoding="utf-8")
    assert "sin" in text
    if suffix == "json":
        assert json.loads(text) == snapshot.to_dict()


def test_a_file_of_another_kind():
    with pytest.raises(ValueError, match=r"f.pdf cannot be written: a snapshot is saved as .jaxpr.json, .json"):
        jj.inspect(plain, X, stage="trace").save("f.pdf")


def test_without_a_front_end_it_is_two_lines():
    assert repr(jj.inspect(plain, X)).split("\n")[0] == "plain (f32[4]) → f32[4]"


def test_in_a_notebook_it_is_a_bundle():
    bundle = jj.inspect(plain, X)._repr_mimebundle_()
    assert sorted(bundle) == ["application/vnd.jupyter-jaxpr.v1+json", "text/html", "text/plain"]
    assert bundle["application/vnd.jupyter-jaxpr.v1+json"]["version"] == 1


def test_importing_imports_no_jax():
    subprocess.run([sys.executable, "-c", "import jupyter_jaxpr, sys; assert 'jax' not in sys.modules"], check=True)


@pytest.mark.parametrize("method", ["text", "cost_of", "shardings", "transform", "exact_links", "diff"])
@pytest.mark.parametrize("index", [1, -1])
def test_a_program_that_is_not_there(method, index):
    snapshot = jj.inspect(plain, X, stage="trace")
    calls = {
        "text": lambda: snapshot.text("jaxpr", index),
        "cost_of": lambda: snapshot.cost_of(index),
        "shardings": lambda: snapshot.shardings(index),
        "transform": lambda: snapshot.transform("grad", index),
        "exact_links": lambda: snapshot.exact_links(index),
        "diff": lambda: snapshot.diff(snapshot, index),
    }
    with pytest.raises(IndexError, match=rf"^There is no program {index}: this snapshot has 1 program\.$"):
        calls[method]()


def test_shardings_of_arguments_and_results_that_hold_none():
    @jax.jit
    def f(p, q):
        return {"a": None, "b": p["b"] * 2, "c": q}

    spread = jj.inspect(f, {"a": None, "b": X}, (None, X)).shardings()
    assert [(array.role, array.name) for array in spread.arrays] == [
        ("argument", "p['b']"),
        ("argument", "q[1]"),
        ("result", "result['b']"),
        ("result", "result['c'][1]"),
    ]
