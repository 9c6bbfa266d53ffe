"""Runs cells with unusual objects, such as objects whose methods raise, and checks their documents."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from conftest import Notebook, Ran

from jupyter_jaxpr.document.check.validate import read

SETUP = """
import collections, dataclasses, enum, functools, threading
import jax, jax.numpy as jnp, numpy as np
from functools import partial
x = jnp.ones(3)
class Text(str): pass
class Hostile(str):
    def __getitem__(self, key): raise RuntimeError("asked")
    def __len__(self): raise RuntimeError("asked")
    def __format__(self, spec): raise RuntimeError("asked")
    def __str__(self): raise RuntimeError("asked")
"""
_numbers = itertools.count()


def set_up(make_notebook: Callable[..., Notebook]) -> Notebook:
    """Return a notebook in which the imports and classes that the odd cells need are defined."""
    new_notebook = make_notebook()
    new_notebook.run(SETUP)
    return new_notebook


def clean() -> tuple[str, list[str]]:
    """Return an ordinary cell with a new function, and the result expected of it."""
    name = f"clean_{next(_numbers)}"
    cell = f"%%jaxpr\n@jax.jit\ndef {name}(x):\n    return x * 2\n{name}(x)"
    return cell, [
        f"ran {name}(x: f32[3]) -> f32[3]: mul",
        f"{name}(x: f32[3]) compiled: This is the first call of {name}.",
    ]


def told(ran: Ran) -> list[str]:
    """Return a cell's programs, a line for each miss of its run, and the failures of this package."""
    texts = list(ran.programs)
    for function in ran.document["ledger"]["functions"]:
        for miss in function["misses"]:
            if miss["this_run"]:
                reasons = "; ".join(reason["text"] for reason in miss["reasons"])
                texts.append(f"{function['name']}({miss['signature']}) {miss['outcome']}: {reasons}")
    return texts + [note["text"] for note in ran.document["notes"] if note["kind"] == "failed"]


def check(ran: Ran) -> None:
    """Check that the cell raised nothing, that this package did not fail, and that its document is valid."""
    assert ran.result.success, ran.result.error_in_exec
    assert ran.stderr == ""
    read(ran.document)
