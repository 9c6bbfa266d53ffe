"""Tests that the exports name an equation's result after the variable to which the user's code assigns it."""

from __future__ import annotations

import jax
import pytest
from conftest import Notebook

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_lines, program_text
from jupyter_jaxpr.exports.html_of_saved_output import fragment
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not show the lines that run")

STORY = """\
%%jaxpr
def layer(w, h):
    pre = h * w
    out = jnp.tanh(pre)
    return out

@jax.jit
def f(w, x):
    same = x
    h = layer(w, x)
    def step(c, row):
        new = c + row
        return new, c * row
    total, ys = jax.lax.scan(step, 0.0, h)
    a = b = total * 2
    return a, ys.sum() + 1
f(x, x)"""

STORY_LINES = """\
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = mul b a  # pre
  d:f32[8] = tanh c  # h, out
  e:f32[] f:f32[8] = scan[  # e: total, f: ys
    ft_in=((), (None,), (None,)) ft_out=((None,), (RightsOnly(Right(None)),))
    jaxpr={ lambda ; g:f32[] h:f32[]. let
      i:f32[] = convert_element_type[new_dtype=float32 weak_type=False] g
      j:f32[] = add i h  # new
      k:f32[] = convert_element_type[new_dtype=float32 weak_type=False] g
      l:f32[] = mul k h
    in (j, l) }
    length=8 reverse=False unroll=1
  ] 0.0:f32[] d
  m:f32[] = mul e 2.0:f32[]  # a, b
  n:f32[] = reduce_sum[axes=(0,) out_sharding=None] f
  o:f32[] = add n 1.0:f32[]
in (m, o) }"""


def test_the_result_of_an_assignment_has_its_name_and_no_other_result_has_one(notebook: Notebook) -> None:
    """Inputs get no new name, and neither do results that no assignment stores."""
    document = read(notebook.run(STORY).document)
    lines = program_lines(document, document.focus).commented()
    assert "\n".join(lines) == STORY_LINES


def test_the_exports_have_the_names_and_the_text_for_scripts_is_as_jax_prints_it(notebook: Notebook) -> None:
    document = read(notebook.run(STORY).document)
    assert "tanh c  # h, out\n" in markdown(document)
    assert "tanh c  # h, out\n" in fragment(document, characters=100_000)
    assert "tanh c  # h, out" in page(document)
    assert "#" not in program_text(document, document.focus)


def test_each_round_of_an_unrolled_loop_has_the_name() -> None:
    @jax.jit
    def f(x: jax.Array) -> jax.Array:
        for _ in range(3):
            x = jax.numpy.sin(x)
        return x

    snapshot = jj.inspect(f, jax.numpy.ones(2), stage="trace")
    assert [line.strip() for line in program_lines(snapshot.document, 0).commented()[1:-1]] == [
        "b:f32[2] = sin a  # x",
        "c:f32[2] = sin b  # x",
        "d:f32[2] = sin c  # x",
    ]
