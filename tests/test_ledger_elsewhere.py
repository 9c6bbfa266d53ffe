"""Tests how the ledger names lines in other files and cells, and its entries for functions without a miss."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Notebook

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

counts_calls = pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 counts calls in cells alone")

MODEL = """\
import jax


@jax.jit
def step(x):
    return x + 1


@jax.jit
def another_step_with_a_long_name(x):
    return x * 2


def train(x):
    return step(x), another_step_with_a_long_name(x)
"""


@pytest.fixture
def ready(notebook: Notebook, tmp_path: Path) -> Notebook:
    (tmp_path / "far_model.py").write_text(MODEL)
    notebook.run(f"import sys\nsys.modules.pop('far_model', None)\nsys.path.insert(0, {str(tmp_path)!r})")
    ran = notebook.run("import far_model, jupyter_jaxpr as jj\n@jax.jit\ndef own(x):\n    return x")
    assert ran.result.success
    return notebook


def without_times(text: str) -> list[str]:
    lines = [re.sub(r" · [\d.]+ (ms|s|us|µs)", "", line) for line in text.splitlines()]
    return [re.sub(r"  +[\d.]+ (ms|s|us|µs)$", "", line) for line in lines if line]


@counts_calls
def test_lines_of_another_file_carry_it(ready: Notebook) -> None:
    ran = ready.run("with jj.observe() as ledger:\n    y = far_model.train(jnp.ones(3))\nprint(ledger)")
    assert without_times(ran.stdout)[2:] == [
        "step (line 4 of far_model.py)        1       0        1         1",
        "    line 15 of far_model.py · compiled",
        "        This is the first call of step.",
        "another_step_with_a_long_name (line 9 of far_model.py)",
        "                                     1       0        1         1",
        "    line 15 of far_model.py · compiled",
        "        This is the first call of another_step_with_a_long_name.",
    ]


@counts_calls
def test_lines_of_the_block_carry_nothing_and_those_of_another_cell_its_number(ready: Notebook) -> None:
    number = ready.shell.execution_count - 1
    ran = ready.run("with jj.observe() as ledger:\n    y = own(jnp.ones(3))\nprint(ledger)")
    assert without_times(ran.stdout)[2:] == [
        f"{f'own (line 2 of cell [{number}])':30}       1       0        1         1",
        "    line 2 · compiled",
        "        This is the first call of own.",
    ]
    ran = ready.run(
        "@jax.jit\ndef near(x):\n    return x\nwith jj.observe() as ledger:\n    y = near(jnp.ones(3))\nprint(ledger)"
    )
    assert without_times(ran.stdout)[2:] == [
        "near (line 1)                        1       0        1         1",
        "    line 5 · compiled",
        "        This is the first call of near.",
    ]


def test_the_error_of_a_limit_carries_the_file(ready: Notebook) -> None:
    ran = ready.run("with jj.observe(max_compiles={'step': 0}):\n    y = far_model.train(jnp.ones(3))")
    assert str(ran.result.error_in_exec) == (
        "step: 1 compile, limit 0.\n  line 15 of far_model.py: This is the first call of step."
    )


@counts_calls
def test_entries_of_a_function_that_only_hits(ready: Notebook) -> None:
    ready.run("@jax.jit\ndef hit_only(x):\n    return x\nfor size in (2, 3):\n    y = hit_only(jnp.ones(size))")
    ran = ready.run(
        "with jj.observe() as ledger:\n    for _ in range(3):\n        y = hit_only(jnp.ones(2))\n"
        "entries = ledger['hit_only'].entries\nprint([(e.signature, e.hits, e.misses, e.made_here) for e in entries])"
    )
    assert ran.stdout == "[('x: f32[2]', None, 0, False), ('x: f32[3]', None, 0, False)]\n"
    ready.run("hit_only.clear_cache()\ny = hit_only(jnp.ones(2))")
    ready.run("%%jaxpr\nfor _ in range(3):\n    y = hit_only(jnp.ones(2))\nprint(1)")
    ran = ready.run("print([e.signature for e in jj.last().ledger['hit_only'].entries])")
    assert ran.stdout == "['x: f32[2]']\n"


@counts_calls
def test_code_that_exec_runs_is_no_cell(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nsource = '@jax.jit\\ndef halve(x):\\n    return x / 2'\n"
        "exec(source)\ny = halve(x)\nexec(source)\ny = halve(x)"
    )
    (function,) = (function for function in ran.document["ledger"]["functions"] if function["name"] == "halve")
    assert [reason["text"] for miss in function["misses"] for reason in miss["reasons"]] == [
        "This is the first call of halve.",
        "This is the second function object of halve from line 1 of <string>. Make the function once.",
    ]


def test_the_note_on_small_programs_names_the_cell_of_a_line(notebook: Notebook) -> None:
    defined = notebook.run("def spread(v):\n    return jnp.sinh(v) * jnp.arccosh(v + 2) - jnp.arctan(v)")
    ran = notebook.run("%%jaxpr --no-trace\njax.clear_caches()\ny = spread(x)")
    number = defined.result.execution_count
    assert ran.note("eager_compiles")["detail"] == (
        f"line 2 of cell [{number}]: sinh, add, arccosh, multiply, arctan, subtract"
    )
