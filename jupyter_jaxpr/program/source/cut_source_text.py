"""Returns the source text of a file, after checking that it is the text that ran.

A module may have been edited after its import; then its lines are not those that JAX recorded. Therefore the present
file is compiled (not run), and each function that ran must be found in the result, on the same lines.
"""

from __future__ import annotations

import ast
import os
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType

from ...document.limits import Listed
from ...interruptions import not_of_a_signal

AROUND = 3
#: A file of more than this many bytes is not read.
LARGEST = 4_000_000

_UNKNOWN = "It is unknown which code of {name} ran, so the panel does not show the text."
_NOT_KEPT = "{name} is not a file, and Python did not keep the text of its code."
_OTHER_TEXT = "Python has another text of {name} than the text that ran. Run the code again."


class NoText(Exception):
    """Raised if the text of a file cannot be shown; the message says why and what to do."""


@dataclass(frozen=True)
class Stretch:
    """A range of lines of a file; `first_line` counts from 1."""

    first_line: int
    lines: list[str]


@dataclass(frozen=True)
class SourceText:
    """The lines of a file that are shown, and the number of lines in the file."""

    lines: int
    stretches: list[Stretch]


def source_text(
    name: str,
    codes: Iterable[CodeType],
    whole: int = Listed.SOURCE_LINES,
    *,
    unfiled: str | None = None,
    lines_only: bool = False,
) -> SourceText:
    """Return the text of a file; of a long file, the functions that ran.

    Args:
        name: The file name in the code objects.
        codes: The code objects that ran from the file; if there are none, the text cannot be checked.
        whole: A file with at most this many lines is returned completely; of a longer one, ranges of lines.
        unfiled: The source of code that was never in a file; None for a file.
        lines_only: True for a notebook of marimo, whose cells are the bodies of functions.

    Raises:
        NoText: The file cannot be read, or its text is not the text that ran.
    """
    ran = list(codes)
    short = os.path.basename(name)
    text = _read(name, short) if unfiled is None else unfiled
    if not ran:
        raise NoText(_UNKNOWN.format(name=short) + (" Open the file in an editor." if unfiled is None else ""))
    is_what_ran = _cells_are_what_ran if lines_only else _is_what_ran
    if not is_what_ran(text, name, ran, unfiled=unfiled is not None):
        if unfiled is not None:
            raise NoText(_OTHER_TEXT.format(name=short))
        raise NoText(
            f"{short} has changed since its import, so its lines are not the lines that ran. Restart the kernel or "
            "import the module again, then run the cell again."
        )
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if len(lines) <= whole:
        return SourceText(len(lines), [Stretch(1, lines)])
    return SourceText(len(lines), _stretches(lines, ran))


def _read(name: str, short: str) -> str:
    if name.startswith("<"):
        raise NoText(_NOT_KEPT.format(name=name))
    try:
        if os.path.getsize(name) > LARGEST:
            raise NoText(
                f"The panel does not show {short}: the file is larger than {LARGEST // 1_000_000} MB. Open the file in "
                "an editor."
            )
        with tokenize.open(name) as file:
            return file.read()
    except not_of_a_signal(OSError, SyntaxError, UnicodeDecodeError):
        raise NoText(f"The kernel cannot read {short}. The file may have moved since the run.") from None


def _is_what_ran(text: str, name: str, ran: list[CodeType], *, unfiled: bool = False) -> bool:
    left = ran
    try:
        for compiled in _compiled(text, name, unfiled=unfiled):
            by_line: dict[int, list[CodeType]] = {}
            for code in _all(compiled):
                by_line.setdefault(code.co_firstlineno, []).append(code)
            left = [code for code in left if not any(_same(code, c) for c in by_line.get(code.co_firstlineno, ()))]
            if not left:
                return True
    except not_of_a_signal(SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return False


def _compiled(text: str, name: str, *, unfiled: bool) -> Iterator[CodeType]:
    """Yield the code objects of a source text.

    A cell is compiled a second time, as by hosts that run the last statement separately.
    """
    if not unfiled:
        yield compile(text, name, "exec", dont_inherit=True)
        return
    yield compile(text, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    yield from _compiled_apart(ast.parse(text, name).body, name)


def _compiled_apart(cell: list[ast.stmt], name: str) -> Iterator[CodeType]:
    """Yield the code objects of a cell's statements, as compiled by hosts that run the last statement separately."""
    if not cell:
        return
    *body, last = cell
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    yield compile(ast.Interactive([last]), name, "single", flags, dont_inherit=True)
    if isinstance(last, ast.Expr):
        yield compile(ast.Module(body, []), name, "exec", flags, dont_inherit=True)
        yield compile(ast.Expression(last.value), name, "eval", flags, dont_inherit=True)


def _cells_are_what_ran(text: str, name: str, ran: list[CodeType], *, unfiled: bool) -> bool:
    """Return whether the cells of a marimo notebook are the code that ran, ignoring columns."""
    compiled: set[tuple[object, ...]] = set()
    try:
        module = ast.parse(text, name)
        compiled.update(map(_without_columns, _all(compile(text, name, "exec", dont_inherit=True))))
        for statement in module.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.With):
                cell = [inner for inner in statement.body if not isinstance(inner, ast.Return)]
                whole = compile(ast.Module(cell, []), name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
                for code in (whole, *_compiled_apart(cell, name)):
                    compiled.update(map(_without_columns, _all(code)))
    except not_of_a_signal(SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(_without_columns(code) in compiled for code in ran)


def _without_columns(code: CodeType) -> tuple[object, ...]:
    """Return a key that is equal for two code objects which differ only in columns."""
    constants = tuple(
        _without_columns(constant) if isinstance(constant, CodeType) else (type(constant).__name__, repr(constant))
        for constant in code.co_consts
    )
    lines = tuple(line for line, *_ in code.co_positions())
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return code.co_name, code.co_code, constants, names, lines, code.co_argcount, code.co_kwonlyargcount


def _all(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all(constant)


def _same(code: CodeType, later: CodeType) -> bool:
    # The positions are compared, too: up to Python 3.11, code objects on different lines may compare equal.
    return code == later and list(code.co_positions()) == list(later.co_positions())


def _stretches(lines: list[str], ran: list[CodeType]) -> list[Stretch]:
    """Return the line ranges of the functions that ran, with some lines around each.

    The ranges ascend; overlapping ranges are joined.
    """
    spans = sorted(
        (max(min(first, code.co_firstlineno) - AROUND, 1), min(last + AROUND, len(lines)))
        for code in ran
        if code.co_name != "<module>"
        for first, last in [_extent(code)]
    )
    joined: list[tuple[int, int]] = []
    for first, last in spans:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    stretches, left = list[Stretch](), Listed.CUT_SOURCE_LINES
    for first, last in joined:
        last = min(last, first + left - 1)
        if last >= first:
            stretches.append(Stretch(first, lines[first - 1 : last]))
            left -= last - first + 1
    return stretches or [Stretch(1, lines[: Listed.SOURCE_LINES])]


def _extent(code: CodeType) -> tuple[int, int]:
    """Return (first line, last line) of a function, nested functions included."""
    numbers = [line for inner in _all(code) for _, _, line in inner.co_lines() if line]
    return (min(numbers), max(numbers)) if numbers else (code.co_firstlineno, code.co_firstlineno)
