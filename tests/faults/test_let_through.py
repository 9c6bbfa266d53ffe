"""Tests that no `except` of the package catches an error that the user's signal handler raised."""

from __future__ import annotations

import ast
import functools
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import jax
import pytest

import jupyter_jaxpr
from jupyter_jaxpr.interruptions import is_of_a_signal, not_of_a_signal

PACKAGE = Path(jupyter_jaxpr.__file__).parent
# The classes of errors that signal handlers usually raise; this leaves out AttributeError, SyntaxError and the like.
RAISED_BY_HANDLERS = {
    "BaseException",
    "Exception",
    "FAILURES",
    "OSError",
    "RuntimeError",
    "TimeoutError",
    "ValueError",
}
TAKES_ALL = {
    "wire/answers_to_requests.py": 2,  # here an error becomes part of the answer to the panel; no cell runs meanwhile
    "observe/side_effects/saved_state.py": 1,  # here the error is raised again after the objects are restored
}
GIVES_ON = {
    "jax/hidden_events.py": 1,  # an `except BaseException` that ends with `raise`
    "magic/cell_observer.py": 1,  # an `except BaseException` that ends with `raise`
    "magic/cell_rewriter.py": 1,  # this `except` gives the error to the cell, which raises it
    "magic/reports_of_own_failures.py": 1,  # this `except` decides by `is_of_a_signal` and raises such errors again
    "observe/side_effects/refused_and_undone_traces.py": 1,  # an `except BaseException` that ends with `raise`
}


def takers(tree: ast.AST) -> Iterator[int]:
    """Yield the lines with `except` or `suppress` for a class of error that signal handlers usually raise."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            kinds = [node.type]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            kinds = list(node.args)
        else:
            continue
        for kind in kinds:
            if kind is None or (not isinstance(kind, ast.Call) and RAISED_BY_HANDLERS & names_in(kind)):
                yield node.lineno


def names_in(kind: ast.expr) -> set[str]:
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {ast.unparse(part).rpartition(".")[2] for part in parts}


@pytest.mark.any_jax
def test_no_except_takes_what_a_handler_raises() -> None:
    counts: dict[str, int] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        for _ in takers(ast.parse(file.read_text())):
            name = file.relative_to(PACKAGE).as_posix()
            counts[name] = counts.get(name, 0) + 1
    assert counts == {**TAKES_ALL, **GIVES_ON}


class Late(TimeoutError):
    pass


def of_a_function(number: int, frame: FrameType | None) -> None:
    raise Late


def of_any_arguments(*arguments: Any) -> None:
    raise Late


def once(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Late


def without_its_arguments(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Late


class Handler:
    def method(self, number: int, frame: FrameType | None) -> None:
        raise Late

    def __call__(self, number: int, frame: FrameType | None) -> None:
        raise Late


def three(word: str, number: int, frame: FrameType | None) -> None:
    raise Late


@pytest.mark.parametrize(
    "handler",
    [
        of_a_function,
        of_any_arguments,
        once,
        without_its_arguments,
        Handler().method,
        Handler(),
        functools.partial(three, "late"),
        lambda *arguments: of_any_arguments(),
    ],
)
def test_what_a_handler_raises_goes_on(handler: Callable[..., None]) -> None:
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Late):
            try:
                signal.raise_signal(signal.SIGALRM)
            except not_of_a_signal(OSError):
                pass
    finally:
        signal.signal(signal.SIGALRM, before)


class StruckKey:
    """A static argument that an alarm strikes while jaxlib's cache compares it."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        signal.raise_signal(signal.SIGALRM)
        return True


class OddKey:
    """A static argument that raises while jaxlib's cache compares it."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise KeyError("odd")


def test_an_error_that_jaxlib_makes_of_what_a_handler_raises_goes_on() -> None:
    jitted = jax.jit(lambda key: 1, static_argnums=0)
    jitted(StruckKey())
    before = signal.signal(signal.SIGALRM, of_a_function)
    try:
        with pytest.raises(ValueError, match=r"(?s)comparable using __eq__.*, in of_a_function\n.*Late"):
            try:
                jitted(StruckKey())
            except not_of_a_signal(ValueError):
                pass
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_error_that_jaxlib_makes_of_another_error_is_taken() -> None:
    jitted = jax.jit(lambda key: 1, static_argnums=0)
    jitted(OddKey())
    try:
        jitted(OddKey())
    except not_of_a_signal(ValueError) as error:
        assert "KeyError: 'odd'" in str(error)


def test_what_our_code_raises_is_taken() -> None:
    def ours(number: int, value: object) -> None:
        raise Late(f"{number} {value}")

    try:
        ours(14, None)
    except not_of_a_signal(KeyError, OSError) as error:
        assert not is_of_a_signal(error)
