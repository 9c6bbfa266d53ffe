"""A rewrite of an unrolled loop in, how sure the rewrite is out: the edited function is traced with the call's types.

The trial compiles the edited text, takes its code for copies of the user's functions, and traces the call of the
program with types in place of the arrays. Nothing is run.
"""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, Literal
from weakref import WeakKeyDictionary

from ...observe.observation import Edit, ObservedProgram, Place
from ...plain_text import FAILURES, file_of
from ...program.jaxpr.parameters import open_jaxpr
from ..errors.copies import copied
from ..errors.edits import edited
from ..result_types import ResultTypes, Untried, result_types, spec_of_aval
from .rewrites import Rewrite
from .statements import LoopStatement

Outcome = Literal["applies", "stacks", "fails", "untried"]


def edits_of(loop: LoopStatement, written: Rewrite, file: str) -> tuple[Edit, ...]:
    """The edits that put a rewrite in the place of its loop; empty where the rewrite is no edit.

    Args:
        loop: The statement.
        written: What stands in its place.
        file: The name that the code of the text carries.
    """
    node = loop.node
    if written.code is None:
        return ()
    if isinstance(node, ast.For | ast.While):
        return (_edit(file, node, _indented(written.code, node.col_offset)),)
    if written.replaced is None or written.expression is None:
        return ()
    edit = _edit(file, written.replaced, written.expression)
    if not written.before:
        return (edit,)
    around = [each for each in _statements(loop.module) if any(part is node for part in ast.walk(each))]
    inner = max(around, key=lambda each: (each.lineno, each.col_offset), default=None)
    if inner is None or isinstance(inner, ast.While) or loop.lines[inner.lineno - 1][: inner.col_offset].strip():
        return ()
    line, column = inner.lineno, inner.col_offset
    text = f"{_indented(chr(10).join(written.before), column)}\n{' ' * column}"
    return Edit(Place(file, line, "", column, line, column), text), edit


def _edit(file: str, node: ast.stmt | ast.expr, text: str) -> Edit:
    line, column = node.lineno, node.col_offset
    return Edit(Place(file, line, "", column, node.end_lineno or line, node.end_col_offset or column), text)


def _indented(code: str, column: int) -> str:
    return textwrap.indent(code, " " * column).lstrip(" ")


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a text that hold no other statement around a loop."""
    for node in ast.walk(module):
        if isinstance(node, ast.stmt):
            yield node


def tried(loop: LoopStatement, edits: Sequence[Edit], file: str, observed: ObservedProgram) -> Outcome:
    """What comes of a rewrite.

    Args:
        loop: The statement.
        edits: That put the rewrite in its place.
        file: The name that the code of the text carries.
        observed: A program that the loop left equations in.

    Returns:
        `applies`: the edited function gives results of the same types. `stacks`: it gives arrays that hold what was a
        list of arrays. `fails`: it cannot be traced, or gives other types. `untried`: it was not traced, or needs an
        import.
    """
    fun = None if observed.held is None else observed.held.fun
    if type(fun) is not FunctionType or not edits:
        return "untried"
    known = _OUTCOMES.setdefault(fun, {})
    types = tuple(str(variable.aval) for variable in _jaxpr(observed).invars)
    key = file, loop.line, loop.node.col_offset, tuple(edit.text for edit in edits), types
    if key not in known:  # a cell that runs again has the same programs
        known[key] = _outcome(loop, edits, file, observed)
    return known[key]


_OUTCOMES: WeakKeyDictionary[FunctionType, dict[Any, Outcome]] = WeakKeyDictionary()


def _outcome(loop: LoopStatement, edits: Sequence[Edit], file: str, observed: ObservedProgram) -> Outcome:
    try:
        before, after = _types(loop, edits, file, observed)
    except Untried:
        return "untried"
    except NameError as error:  # the file has to import what the rewrite needs
        return "untried" if error.name in ("jax", "jnp") else "fails"
    except FAILURES:
        return "fails"
    if before.leaves == after.leaves and (before.tree is None or before.tree == after.tree):
        return "applies"
    return "stacks" if _sizes(before) == _sizes(after) else "fails"


def _types(
    loop: LoopStatement, edits: Sequence[Edit], file: str, observed: ObservedProgram
) -> tuple[ResultTypes, ResultTypes]:
    """The types of the results of the program's call, as it is and with the edits."""
    import jax

    held = observed.held
    assert held is not None
    jaxpr = _jaxpr(observed)
    given = held.given([spec_of_aval(variable.aval) for variable in jaxpr.invars])
    if given is None:
        raise Untried
    outs = tuple((tuple(variable.aval.shape), variable.aval.dtype) for variable in jaxpr.outvars)
    tree = None if observed.result is None else jax.tree_util.tree_structure(observed.result)
    text = edited("\n".join(loop.lines), edits)
    codes = _codes(compile(text, file, "exec"), file)
    new = _NewCode(file, codes, loop.line, edits)
    # The copy is made here, so that it is known whether the function with the loop is among those that are copied.
    copy = copied(held.fun, {}, new)
    if not new.is_met:
        raise Untried
    return ResultTypes(tree, outs), result_types(held.fun, *given, copy=lambda _: copy, in_cell=True)


class _NewCode(Mapping[CodeType, CodeType]):
    """The edited code of each function of a text, by the code as it is."""

    def __init__(self, file: str, codes: Mapping[tuple[str, int], CodeType], line: int, edits: Sequence[Edit]) -> None:
        self._file = file
        self._codes = codes
        self._line = line
        self._edits = edits
        self.is_met = False

    def __getitem__(self, code: CodeType) -> CodeType:
        if file_of(code) != self._file:
            raise KeyError(code)
        first = code.co_firstlineno
        shift = sum(
            edit.text.count("\n") - (edit.place.end_line - edit.place.line)
            for edit in self._edits
            if edit.place.end_line < first
        )
        new = self._codes[code.co_qualname, first + shift]
        lines = [line for each in _all_codes(code) for *_, line in each.co_lines() if line is not None]
        self.is_met = self.is_met or first <= self._line <= max(lines)
        return new

    def __iter__(self) -> Iterator[CodeType]:
        return iter(())

    def __len__(self) -> int:
        return len(self._codes)


def _codes(module: CodeType, file: str) -> dict[tuple[str, int], CodeType]:
    return {(code.co_qualname, code.co_firstlineno): code for code in _all_codes(module)}


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_codes(constant)


def _jaxpr(observed: ObservedProgram) -> Any:
    return open_jaxpr(observed.jaxpr)


def _sizes(types: ResultTypes) -> Counter[Any]:
    """How many numbers of each dtype the results hold."""
    found: Counter[Any] = Counter()
    for shape, dtype in types.leaves:
        size = 1
        for length in shape:
            size *= length
        found[dtype] += size
    return found
