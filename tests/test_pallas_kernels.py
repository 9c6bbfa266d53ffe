"""Tests that a Pallas kernel outside of jit becomes a program under the kernel's name."""

from __future__ import annotations

from conftest import Notebook

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_text

KERNEL = """
from jax.experimental import pallas as pl

def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2

def doubled(x):
    return pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
"""


def test_a_kernel_outside_of_jit_goes_by_the_name_of_the_kernel(notebook: Notebook) -> None:
    notebook.run(KERNEL)
    ran = notebook.run("%%jaxpr\ny = doubled(x)")
    (program,) = ran.document["programs"]
    assert (program["name"], program["origin"], program["group"]) == ("pallas_call(double)", "ran", "jit")
    line = ran.document["frames"][program["definition"]][2]
    assert line == 3  # IPython removes leading blank lines
    text = program_text(read(ran.document), 0)
    assert "mul" in text and "pallas_call" in text
    notebook.run("%%jaxpr\ny = doubled(x)")
    second_run = notebook.run("%%jaxpr\ny = doubled(x)")
    (miss,) = [
        function for function in second_run.document["ledger"]["functions"] if function["name"] == "pallas_call(double)"
    ]
    assert miss["run"]["compiles"] == 1  # each call of pallas_call makes a new function object, so it compiles again
