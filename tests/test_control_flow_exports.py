"""Tests the exports of control flow: tables in HTML and Markdown, and counts in the two lines of text."""

from __future__ import annotations

import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jax import lax
from observed import built, in_cell, program, traced

from jupyter_jaxpr.exports.html_of_saved_output import fragment
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.terminal_text import plain

sys.path.insert(0, str(Path(__file__).parent / "control_flow"))

import golden  # this module is in the folder of the golden files

SOURCE = """\
def loud(x):
    return x * 2

@jax.jit
def f(xs):
    def step(h, x):
        h = lax.cond(x > h, loud, lambda x: x, h)
        return h, {"out": h}
    h, track = lax.scan(step, 0., xs)
    return h, track
"""


def section(text, start, end):
    return text[text.index(start) : text.index(end, text.index(start))].replace("\xa0", " ")


def test_markdown_has_a_row_for_each_construct_and_its_values_by_path():
    built_run, _ = in_cell(SOURCE, "f(jnp.zeros(5))")
    assert section(markdown(built_run.document), "## Control flow", "\n\n## Cost").rstrip() == (
        r"""
## Control flow

| construct | line | inside | steps | decided by |
| --- | --- | --- | --- | --- |
| scan step | 9 |  | 5 |  |
| cond | 7 | body of scan step |  | x \> h |

### scan step, line 9

| role | leaf | type in one step | type in all steps |
| --- | --- | --- | --- |
| carry | h | f32\[\] | same |
| xs | xs | f32\[\] | f32\[5\] |
| ys | track\['out'\] | f32\[\] | f32\[5\] |

### cond, line 7

| role | leaf | type |
| --- | --- | --- |
| operand | h | f32\[\] |
| result | h | f32\[\] |

- False · \<lambda\> · 0 equations
- True · loud · 1 equation

The jaxpr lists the False branch first: branch 0 is False, branch 1 is True\.
""".strip()
    )


def test_html_has_the_same_tables_and_no_markup_of_the_documents():
    html = fragment(built(program(traced(evil, np.float32(1)))).document, characters=1_000)
    assert "<caption>Control-flow constructs in the order of the source</caption>" in html
    assert "<td>&lt;b&gt; is no name</td>" not in html
    assert "x &gt; 0" in html and "x > 0" not in section(html, "jjx-flow", "jjx-costs")
    assert "<td>cond</td>" in html


def evil(x):
    return lax.cond(x > 0, lambda x: x, lambda x: -x, x)


def test_loops_of_a_library_have_a_row_and_no_table_of_their_own():
    html = fragment(golden.document_of("diffrax_solve").document, characters=1_000)
    assert "<td>while_loop by diffrax.diffeqsolve</td>" in html
    assert "jjx-card" not in html


def test_the_two_lines_count_it():
    def f(x):
        y = lax.scan(lambda c, _: (c * 2, None), x, None, length=3)[0]
        z = lax.scan(lambda c, _: (jnp.sin(c), None), y, None, length=3)[0]
        return lax.cond(z > 0, lambda x: x, lambda x: -x, z)

    assert "2 scans ×3 · 1 cond" in plain(built(program(traced(f, np.float32(1)))).document)


def test_very_many_constructs_are_cut_and_counted():
    def f(x):
        for _ in range(50):
            x = lax.scan(lambda c, _: (c * 2, None), x, None, length=3)[0]
        return x

    text = markdown(built(program(traced(f, np.float32(1)))).document)
    assert text.count("### scan") == 40
    assert "\n\nThe list leaves out 10 more constructs of the program\\.\n" in text
