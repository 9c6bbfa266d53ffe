"""Tests StableHLO that is lowered for platforms without a device."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from observed import in_cell

from jupyter_jaxpr import inspect
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered

CELL = """\
@jax.jit
def f(x):
    return jax.lax.platform_dependent(x, cuda=jnp.sin, tpu=jnp.cos, default=jnp.tanh)
"""

OPERATION = {"cpu": "tanh", "cuda": "sine", "rocm": "tanh", "tpu": "cosine"}


@pytest.mark.parametrize("platform", OPERATION)
def test_a_program_is_lowered_for_a_platform(platform):
    def f(x):
        return jax.lax.platform_dependent(x, cuda=jnp.sin, tpu=jnp.cos, default=jnp.tanh)

    text = inspect(f, jnp.ones(3), stage="trace").text("stablehlo", platform=platform)
    assert f"stablehlo.{OPERATION[platform]}" in text
    assert [name for name in ("tanh", "sine", "cosine") if f"stablehlo.{name}" in text] == [OPERATION[platform]]


def test_the_text_that_ran_stays_the_one_without_a_platform():
    snapshot = inspect(lambda x: jnp.sin(x), jnp.ones(3))
    before = snapshot.text("stablehlo")
    snapshot.text("stablehlo", platform="tpu")
    assert snapshot.text("stablehlo") == before


def answered(run, **request):
    runs = Runs()
    runs.keep(run)
    fields = {"type": "text", "id": 1, "snapshot": run.document.id, "program": 0, "first_line": 0, "line_count": 99}
    return Answers(runs).answer({**fields, **request})


def test_the_panel_asks_for_a_platform_and_its_lines_are_linked():
    built_run, _ = in_cell(CELL, "f(jnp.ones(3))")
    reply = answered(built_run, level="stablehlo", platform="tpu")
    assert isinstance(reply, Answered)
    lines = reply.result.text.split("\n")
    (number,) = [number for number, line in enumerate(lines) if "stablehlo.cosine" in line]
    frames = reply.result.stacks[reply.result.line_stacks[number]].frames
    assert [reply.result.frames[frame].line for frame in frames] == [3]
    built_run.sources.make(0, "stablehlo")
    assert "cosine" not in answered(built_run, level="stablehlo").result.text


def test_an_unknown_platform_is_a_sentence():
    built_run, _ = in_cell(CELL, "f(jnp.ones(3))")
    reply = answered(built_run, level="stablehlo", platform="abacus")
    assert reply.reason == "JAX cannot lower a program for abacus. Choose one of cpu, cuda, rocm, tpu."


def test_a_program_that_cannot_be_lowered_says_so_in_a_sentence():
    from jax.experimental import pallas as pl

    def twice(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    def f(x):
        return pl.pallas_call(twice, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

    sentence = r"^JAX could not lower this program for cpu \(.*\)\. Choose another platform\.$"
    with pytest.raises(ValueError, match=sentence):
        inspect(f, np.ones(8, np.float32), stage="trace").text("stablehlo", platform="cpu")


def test_what_cannot_be_lowered_at_all_says_what_to_do():
    snapshot = inspect(lambda x: jnp.sin(x), 1.0)
    with pytest.raises(ValueError, match="JAX makes only the StableHLO for a chosen platform"):
        snapshot.text("hlo", platform="tpu")
    with pytest.raises(ValueError, match="Inspect the function again"):
        type(snapshot).from_json(snapshot.to_json()).text("stablehlo", platform="tpu")
