"""An exception out of a trace in, where in the user's code it was raised: line, expression, and what is traced in it.

Read are the traceback's frames, their local names and the text of their file. Nothing of the user's runs.
"""

from __future__ import annotations

import ast
import functools
import linecache
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from ...observe.functions import is_users_frame
from ...observe.observation import Place
from ...plain_text import FAILURES, exact, file_of, function_of
from ..loops.statements import Loops, LoopStatement, node_span, parsed

#: Names of JAX's tracers under grad and jvp: one outside of any jit has a value, and Python may look at it.
_UNDER_GRAD = frozenset({"JVPTracer", "LinearizeTracer"})


@dataclass(frozen=True)
class RaisedAt:
    """The innermost position of the user's in a traceback.

    Attributes:
        place: The line, and the expression's columns.
        node: The expression's or statement's syntax; None where the text is not known.
        text: The expression as written, on one line.
        parents: Of each node of the text, by its id, the one around it.
        loops: The text.
        tracers: Names of the expression that stand for traced values, with their types.
        under_grad: A traced value is one of grad's or jvp's.
    """

    place: Place
    node: ast.AST | None = None
    text: str | None = None
    parents: dict[int, ast.AST] = field(default_factory=dict)
    loops: Loops | None = None
    tracers: dict[str, str] = field(default_factory=dict)
    under_grad: bool = False

    @functools.cached_property
    def module_names(self) -> frozenset[str]:
        """All names of the text."""
        if self.loops is None:
            return frozenset()
        nodes = list(ast.walk(self.loops.module))
        read = {each.id for each in nodes if isinstance(each, ast.Name)}
        imports = [each for each in nodes if isinstance(each, ast.Import | ast.ImportFrom)]
        return frozenset(read | {name.asname or name.name for each in imports for name in each.names})

    def statement(self, node: ast.AST) -> LoopStatement | None:
        """A loop of the text by its syntax."""
        loops = self.loops.functions if self.loops is not None else []
        return next((loop for *_, inside in loops for loop in inside if loop.node is node), None)

    def is_decorated(self, function: str) -> bool:
        """Whether a function of the text is under @jax.jit."""
        module = self.loops.module if self.loops is not None else ast.Module([], [])
        return any(
            isinstance(each, ast.FunctionDef)
            and each.name == function
            and any(ast.unparse(decorator) in ("jax.jit", "jit") for decorator in each.decorator_list)
            for each in ast.walk(module)
        )

    def around(self, *kinds: type[ast.AST]) -> ast.AST | None:
        """The innermost node of some kinds that the expression is in, itself included."""
        node = self.node
        while node is not None and not isinstance(node, kinds):
            node = self.parents.get(id(node))
        return node


def raised_at(error: BaseException) -> RaisedAt | None:
    """Where an exception was raised in the user's code; None where no frame is the user's."""
    found: TracebackType | None = None
    traceback = error.__traceback__
    while traceback is not None:
        if is_users_frame(traceback.tb_frame):
            found = traceback
        traceback = traceback.tb_next
    if found is None:
        return None
    code = found.tb_frame.f_code
    place = Place(file_of(code), found.tb_lineno, function_of(code))
    try:
        return _expression(found, place)
    except Exception:  # what is known of the line is worth a note all the same
        return RaisedAt(place)


def _expression(traceback: TracebackType, place: Place) -> RaisedAt:
    code = traceback.tb_frame.f_code
    positions = list(code.co_positions())
    line, end_line, column, end_column = positions[traceback.tb_lasti // 2]
    if line is None or end_line is None or column is None or end_column is None:
        return RaisedAt(place)
    place = Place(place.file, line, place.function, column, end_line, end_column)
    loops = parsed("".join(linecache.getlines(place.file)))
    if loops is None:
        return RaisedAt(place)
    span = ((line, column), (end_line, end_column))
    parents: dict[int, ast.AST] = {}
    node: ast.AST | None = None
    for parent in ast.walk(loops.module):
        if isinstance(parent, ast.expr | ast.stmt) and node_span(parent) == span:
            # A statement that is an expression has its place; the expression is meant.
            node = parent if node is None or isinstance(node, ast.stmt) else node
        for child in ast.iter_child_nodes(parent):
            parents[id(child)] = parent
    if node is None:
        return RaisedAt(place, loops=loops)
    values = traceback.tb_frame.f_locals
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    tracers = {name: values[name] for name in sorted(read) if name in values and _is_tracer(values[name])}
    return RaisedAt(
        place,
        node=node,
        text=" ".join(ast.unparse(node).split()) if isinstance(node, ast.expr) else None,
        parents=parents,
        loops=loops,
        tracers={name: _type(value) for name, value in tracers.items()},
        under_grad=any(type(value).__name__ in _UNDER_GRAD for value in tracers.values()),
    )


def _is_tracer(value: Any) -> bool:
    import jax

    return issubclass(type(value), jax.core.Tracer)


def _type(tracer: Any) -> str:
    try:
        return exact(tracer.aval.str_short(short_dtypes=True))
    except FAILURES:  # a tracer of a library without an aval of JAX's
        return "array"
