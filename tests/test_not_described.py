"""Tests that a part of a document which cannot be described is named, and that all other parts are shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook
from odd_cells import check, set_up, told

from jupyter_jaxpr import observe
from jupyter_jaxpr.build import cache_ledger as ledger_build
from jupyter_jaxpr.build.notes import print_while_tracing_notes
from jupyter_jaxpr.build.programs.programs_of_run import ProgramBuilder
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.encoding import encode, refused
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.observe.cache import miss_reasons as causes

pytestmark = pytest.mark.any_jax


@pytest.fixture
def notebook(make_notebook: Callable[..., Notebook]) -> Notebook:
    return set_up(make_notebook)


def test_an_equation_that_cannot_be_read_says_why_and_hides_no_other(notebook: Notebook) -> None:
    ran = notebook.run(
        """%%jaxpr
from jax.extend.core import Primitive
class Raises:
    def __hash__(self): return 1
    def __eq__(self, other): return True
    @property
    def jaxpr(self): raise RuntimeError("no program")
    def __str__(self): raise RuntimeError("no text")
odd = Primitive(np.str_("odd"))
odd.def_abstract_eval(lambda x, **params: x)
odd.def_impl(lambda x, **params: x)
jax.interpreters.mlir.register_lowering(odd, lambda ctx, x, **params: [x])
@jax.jit
def f(x):
    y = odd.bind(x + 1, held=Raises(), **{"n" * 300: Text("t")})
    return y * 2
f(x)"""
    )
    check(ran)
    assert told(ran) == [
        "ran f(x: f32[3]) -> f32[3]: add odd mul",
        "f(x: f32[3]) compiled: This is the first call of f.",
    ]
    assert program_text(read(ran.document), 0).splitlines()[2] == (f"  c:f32[3] = odd[held=<Raises> {'n' * 300}=t] b")


def test_each_part_that_cannot_be_described_says_so(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part of the builder raises for the functions named "bad"; all other parts are shown."""

    def fails_on(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def guarded(*arguments: object, **named: object) -> object:
            if any(getattr(argument, "name", getattr(argument, "function", None)) == name for argument in arguments):
                raise RuntimeError(f"no {name}")
            return function(*arguments, **named)

        return guarded

    monkeypatch.setattr(ProgramBuilder, "program", fails_on("bad_program", ProgramBuilder.program))
    monkeypatch.setattr(ledger_build, "_function", fails_on("bad_ledger", ledger_build._function))
    monkeypatch.setattr(print_while_tracing_notes, "printed_notes", lambda walk, printed, programs: 1 / 0)
    ran = notebook.run(
        """%%jaxpr
@jax.jit
def bad_program(x):
    return x + 1
@jax.jit
def bad_ledger(x):
    return x + 2
@jax.jit
def bad_note(x):
    print("traced")
    return x + 3
bad_program(x), bad_ledger(x), bad_note(x)"""
    )
    ending = "The rest of the run is complete; the cell itself ran as always."
    assert told(ran) == [
        "ran bad_ledger(x: f32[3]) -> f32[3]: add",
        "ran bad_note(x: f32[3]) -> f32[3]: add",
        "bad_program(x: f32[3]) compiled: This is the first call of bad_program.",
        "bad_note(x: f32[3]) compiled: This is the first call of bad_note.",
        f"A program of bad_program could not be described, RuntimeError: no bad_program. {ending}",
        f"The cache entry of bad_ledger could not be described, RuntimeError: no bad_ledger. {ending}",
        f"A note could not be described, ZeroDivisionError: division by zero. {ending}",
    ]


def test_a_miss_that_cannot_be_compared_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*arguments: object) -> object:
        raise RuntimeError("no words")

    @jax.jit
    def f(x: object) -> object:
        return x

    with observe() as ledger:
        f(1.0)
        f(jnp.ones(2))
        monkeypatch.setattr(causes, "closest", raises)
        monkeypatch.setattr(sys.modules["jupyter_jaxpr.observe.cache.ledger_rows"], "signature_text", raises)
    assert [(miss.signature, *map(str, miss.reasons)) for miss in ledger["f"].misses] == [
        ("could not be described, RuntimeError: no words", "This is the first call of f."),
        (
            "could not be described, RuntimeError: no words",
            "The reason is unknown: the difference could not be described, RuntimeError: no words.",
        ),
    ]


def test_a_document_with_what_should_not_be_there_is_encoded_and_says_so() -> None:
    class Text(str):
        pass

    assert refused({"a": [1, 2.5, "x", None, "\ud800"]}) is None
    bad = {
        "text": Text("own"),
        "number": np.int64(3),
        "half": float("nan"),
        "object": object(),
        "cut": "\ud800",
        "flag": np.True_,
    }
    assert refused(bad) == "could not be described, TypeError: Encoding objects of type Text is unsupported"
    assert json.loads(encode(bad)) == {
        "text": "own",
        "number": 3,
        "half": None,
        "object": "<object: could not be described, TypeError: the value is not plain data>",
        "cut": "\ufffd",
        "flag": True,
    }
