"""Prints the reasons, the advice and the cures of a cell with misses, and tries each cure by machine."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import numpy as np
from error_table.cards import FIRST, edited
from jax._src import monitoring as _monitoring  # noqa: TID251  # jax.monitoring cannot take a listener out

from jupyter_jaxpr.build.cures.cure_trials import try_cures
from jupyter_jaxpr.document.types.document import Snapshot
from jupyter_jaxpr.observe.process_observer import observer

FOLDER = Path(__file__).parent
_COMPILED = "/jax/core/compile/backend_compile_duration"
_NOT_TOLD = ("first_call", "first_observed")


class Cells:
    """A notebook that runs cells and returns their misses."""

    def __init__(self, notebook: Any) -> None:
        self._notebook = notebook
        self._built = notebook.builds()
        notebook.run(FIRST)
        self._names = set(notebook.shell.user_ns)

    def card(self, source: str) -> str:
        """Return the misses of a cell, with a trial of each cure."""
        names = self._notebook.shell.user_ns
        for name in set(names) - self._names:  # removes the variables of earlier rows, which no row needs
            del names[name]
        cell = f"%%jaxpr\n{source}"
        result, compiles = self._run(cell)
        if isinstance(result, Exception):
            return f"{type(result).__name__}: {result}"
        sources = self._built[-1].sources
        document = try_cures(observer(), sources, names)
        misses = _misses(document)
        lines = []
        tried: dict[str, str] = {}
        for function in document.ledger.functions:
            for miss in function.misses:
                reasons = [reason for reason in miss.reasons if reason.kind not in _NOT_TOLD]
                if not miss.this_run or not reasons:
                    continue
                line = document.frames[miss.frame].line if miss.frame >= 0 else 0
                lines.append(f"{function.name}, line {line}: {miss.outcome}")
                for reason in reasons:
                    lines += _wrapped(f"    {reason.kind}: ", reason.text)
                    lines += _wrapped("    advice: ", reason.cure) if reason.cure else []
                for cure in miss.cures:
                    text = edited(cell, document, cure)
                    if text in tried:
                        lines.append(f"    cure: {cure.name} ({cure.level}), as above")
                        continue
                    tried[text] = cure.name
                    lines.append(f"    cure: {cure.name} ({cure.level})")
                    lines += [f"        {changed_line}" for changed_line in _changed(cell, text)]
                    lines += _wrapped("        ", cure.text)
                    lines.append(f"        {self._tried(text, result, compiles, misses)}")
        return "\n".join(lines) or "no miss"

    def _tried(self, text: str, result: Any, compiles: dict[str, int], misses: int) -> str:
        """Return the result of the edited cell, compared with the result of the original cell."""
        outcome, compiles_now = self._run(text)
        if isinstance(outcome, Exception):
            return f"{type(outcome).__name__}: {outcome}"
        fewer = sum(compiles.values()), sum(compiles_now.values())
        verdict = "equal values" if _is_equal(result, outcome) else f"other values: {outcome}"
        return f"compiles: {fewer[0]} -> {fewer[1]}, misses: {misses} -> {_misses(self._built[-1].document)}, {verdict}"

    def _run(self, cell: str) -> tuple[Any, dict[str, int]]:
        """Return the value of a cell and the compiles of each user function; after an error, the error alone."""
        self._built.clear()
        with _compiles() as compiles:
            ran = self._notebook.run(cell)
        error = ran.result.error_in_exec or ran.result.error_before_exec
        if error is not None:
            return error, {}
        names = {function.name.strip("<>") for function in self._built[-1].document.ledger.functions}
        users_compiles = {name: times for name, times in compiles.items() if _plain(name) in names}
        return ran.result.result, users_compiles


def _plain(name: str) -> str:
    """Return the name of a function from the name in JAX's event, such as jit(f) or jit__lambda."""
    inside = re.fullmatch(r"jit\((.*)\)", name)
    return (inside[1] if inside else name).strip("<>")


@contextmanager
def _compiles() -> Iterator[dict[str, int]]:
    """Count compiles by JAX's own events, by the name of the function."""
    compiles_by_name: dict[str, int] = {}

    def listen(event: str, duration: float, **facts: Any) -> None:
        if event == _COMPILED:
            name = str(facts.get("fun_name", ""))
            compiles_by_name[name] = compiles_by_name.get(name, 0) + 1

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield compiles_by_name
    finally:
        _monitoring.unregister_event_duration_listener(listen)


def _misses(document: Snapshot) -> int:
    return sum(miss.this_run for function in document.ledger.functions for miss in function.misses)


def _changed(cell: str, text: str) -> list[str]:
    """Return the lines that an edit removes (with -) and adds (with +)."""
    lines = difflib.ndiff(cell.split("\n"), text.split("\n"))
    return [line.rstrip() for line in lines if line[0] in "+-"]


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, 116, initial_indent=first, subsequent_indent=" " * (len(first) - len(first.lstrip()) + 4)
    )


def _is_equal(value: Any, expected: Any) -> bool:
    leaves, expected_leaves = jax.tree_util.tree_leaves(value), jax.tree_util.tree_leaves(expected)
    return bool(leaves) and len(leaves) == len(expected_leaves) and all(map(np.allclose, leaves, expected_leaves))


def names_of_cures(card: str) -> set[str]:
    """Return the kinds of cure in a card."""
    return set(re.findall(r"^    cure: (.*) \(applies\)", card, re.MULTILINE))
