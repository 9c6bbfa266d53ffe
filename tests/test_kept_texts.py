"""Tests that a text which user code puts into `linecache`, and which no file has, stays there."""

from __future__ import annotations

import linecache

from conftest import Notebook

GENERATED = '''\
import linecache
text = """def run(x):
    for i in range(2):
        f = jax.jit(lambda v: v * 2)
        f(x)
"""
linecache.cache["<generated>"] = (len(text), 0.0, text.splitlines(True), "<generated>")
exec(compile(text, "<generated>", "exec"))'''


def test_the_text_of_generated_code_stays(notebook: Notebook) -> None:
    notebook.run(GENERATED)
    document = notebook.run("%%jaxpr\nrun(jnp.ones(3))").document
    assert linecache.getline("<generated>", 3) == "        f = jax.jit(lambda v: v * 2)\n"
    (miss,) = [miss for function in document["ledger"]["functions"] for miss in function["misses"][1:]]
    assert "Move the jit out of the loop" in miss["reasons"][0]["text"]
    linecache.cache.pop("<generated>")
