"""Tests the noise of diffs: each row says for both programs whether a filter would hide its line."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.texts.diff_of_two_programs import diff_runs
from jupyter_jaxpr.document.types.diff import DiffSide

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"
sys.path.insert(0, str(FIXTURES))

import make  # noqa: E402  # it lies beside what it makes

X = jax.ShapeDtypeStruct((3,), "float32")
SIGNS = {"same": "=", "added": "+", "removed": "-", "changed": "~", "moved": ">"}


def listing(before, after, *arguments) -> str:
    """Return a diff as text, a line for each row: sign, text, noise before the edit, noise after the edit."""
    first, second = (jj.inspect(fun, *arguments, stage="trace") for fun in (before, after))
    lines = []
    for row in first.diff(second).document.rows:
        side = row.after or row.before
        assert side is not None
        noise = [_noise(side) for side in (row.before, row.after)]
        lines.append(f"{SIGNS[row.sign]} {'  ' * row.depth}{side.text}  | {noise[0]} | {noise[1]}")
    return "\n".join(lines)


def _noise(side: DiffSide | None) -> str:
    if side is None:
        return "none"
    return " ".join(sorted(side.noise)) + (f"({side.outside})" if side.outside else "") or "-"


def test_the_golden_programs_have_the_noise_that_the_panel_finds_too() -> None:
    """The test of the panel, `src/workbench/reading/__tests__/noise.spec.ts`, reads the same file."""
    assert make.noise() == (FIXTURES / "noise.txt").read_text(encoding="utf-8")


def test_a_convert_and_a_broadcast_are_noise_on_the_side_that_has_them() -> None:
    def before(x):
        return lax.broadcast_in_dim(jnp.sin(x), (2, 3), (1,)), jnp.cos(x).astype("float16")

    def after(x):
        return jnp.sin(x).astype("bfloat16"), jnp.cos(x).astype("bfloat16")

    assert (
        listing(before, after, X)
        == """\
= a:f32[3]  x  | - | -
= b:f32[3] = sin a  | - | -
- c:f32[2,3] = broadcast_in_dim[broadcast_dimensions=(1,)] b  | broadcast | none
+ c:bf16[3] = convert_element_type[new_dtype=bfloat16 weak_type=False] b  | none | convert
= d:f32[3] = cos a  | - | -
~ e:bf16[3] = convert_element_type[new_dtype=bfloat16 weak_type=False] d  | convert | convert
~ return c, e  | - | -"""
    )


def test_a_jit_around_one_equation_is_noise_but_for_the_equation() -> None:
    def before(x):
        return jnp.cos(jax.jit(lambda y: jnp.sin(y))(x))

    def after(x):
        return jnp.cos(jax.jit(lambda y: jnp.sin(y) + 1.0)(x))

    text = listing(before, before, X)
    assert (
        text
        == """\
= a:f32[3]  x  | - | -
= b:f32[3] = jit[name=<lambda>] a  | wrapper | wrapper
=   jaxpr: a:f32[3]  | wrapper | wrapper
=   b:f32[3] = sin a  | - | -
=   return b  | wrapper | wrapper
= c:f32[3] = cos b  | - | -
= return c  | - | -"""
    )
    # The jit is a wrapper before the edit; after the edit it has another equation, so it is no wrapper.
    assert (
        listing(before, after, X)
        == """\
= a:f32[3]  x  | - | -
= b:f32[3] = jit[name=<lambda>] a  | wrapper | -
=   jaxpr: a:f32[3]  | wrapper | -
=   c:f32[3] = sin a  | - | -
+   b:f32[3] = add c 1.0:f32[]  | none | -
~   return b  | wrapper | -
= d:f32[3] = cos b  | - | -
= return d  | - | -"""
    )


def test_the_names_in_a_jit_that_may_be_hidden_and_outside_are_told() -> None:
    double = jax.jit(lambda y: y * 2.0)

    def twice(x):
        return double(jnp.sin(x)) + double(jnp.cos(x))

    # The document has the body of the jitted function only at its first call, so only this call is marked as a wrapper.
    assert (
        listing(twice, twice, X)
        == """\
= c:f32[3]  x  | - | -
= d:f32[3] = sin c  | - | -
= e:f32[3] = jit[name=<lambda>] d  | wrapper | wrapper
=   jaxpr: a:f32[3]  | wrapper | wrapper
=   b:f32[3] = mul a 2.0:f32[]  | (a = d, b = e) | (a = d, b = e)
=   return b  | wrapper | wrapper
= f:f32[3] = cos c  | - | -
= g:f32[3] = jit[name=<lambda>] f  | - | -
= h:f32[3] = add e g  | - | -
= return h  | - | -"""
    )


def test_what_nothing_uses_is_noise_with_all_that_is_inside() -> None:
    @jax.jit
    def inner(y):
        return jnp.sin(y) * y

    def before(x):
        inner(x)
        return x + 1.0

    def after(x):
        jax.debug.callback(lambda: None)
        return x + 1.0 + inner(x)

    assert (
        listing(before, before, X)
        == """\
= a:f32[3]  x  | - | -
= _:f32[3] = jit[name=inner] a  | unused | unused
=   jaxpr: a:f32[3]  | unused | unused
=   b:f32[3] = sin a  | unused | unused
=   _:f32[3] = mul b a  | unused | unused
=   return _  | unused | unused
= c:f32[3] = add a 1.0:f32[]  | - | -
= return c  | - | -"""
    )
    rows = listing(before, after, X).split("\n")
    # A call with an effect is not unused. A moved equation has a row at each of its two places.
    assert [row for row in rows if "debug_callback" in row][0].endswith("| none | -")
    assert [row.split(" = ")[1] for row in rows if "jit[" in row] == [
        "jit[name=inner] a  | unused | none",
        "jit[name=inner] a  | none | -",
    ]


def test_of_a_large_program_the_rows_that_are_sent_are_marked_by_those_that_are_not() -> None:
    """In a large diff, rows in an unused call are marked as noise, even if the row of the call itself is not sent."""

    def made(last):
        @jax.jit
        def inner(y):
            for _ in range(3_000):
                y = jnp.sin(y)
            return last(y)

        def fun(x):
            inner(x)
            return x + 1.0

        return fun

    first, second = (jj.inspect(made(last), X, stage="trace") for last in (jnp.exp, jnp.log))
    assert first._sources is not None and second._sources is not None
    diff = diff_runs((first.document, first._sources), 0, (second.document, second._sources), 0)
    assert [(row.sign, row.what, row.primitive, row.after and row.after.noise) for row in diff.rows] == [
        *[("same", "equation", "sin", ["unused"])] * 3,
        ("changed", "equation", "log", ["unused"]),
        ("same", "result", "", ["unused"]),
        ("same", "equation", "add", []),
        ("same", "result", "", []),
    ]


def test_a_text_of_the_compiler_has_no_noise() -> None:
    def fun(x):
        return x.astype("bfloat16")

    snapshot = jj.inspect(fun, X, stage="lower")
    sides = [row.after for row in snapshot.diff(snapshot, level="stablehlo").document.rows]
    assert any(side is not None and "stablehlo.convert" in side.text for side in sides)
    assert all(side is not None and side.noise == [] for side in sides)
