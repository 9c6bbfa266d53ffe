"""Finds the expression at a position of source code, and the syntax around the expression."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...interruptions import not_of_a_signal
from ...observe.observation import Edit, FoundCure, Place
from ..errors.failing_code.edits import edited, shown
from ..loops.kinds_of_python_loops import COMPREHENSIONS, Function, Loops, Span, node_span

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
_NEW_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)


@dataclass(frozen=True)
class Sketch:
    """The edit of a note's cure, before the trial of the edit.

    Attributes:
        cure: The cure, as it is if the trial passes.
        file: The `co_filename` of the code.
        lines: The lines of the source code to which the edits refer.
        line: The line that the note is about.
        kind: The kind of the note.
        at_top: True if the edit changes statements of a cell that are outside of functions.
    """

    cure: FoundCure
    file: str
    lines: tuple[str, ...]
    line: int
    kind: str
    at_top: bool


class Text:
    """The user's source code and its syntax tree."""

    def __init__(self, loops: Loops, file: str) -> None:
        self.module = loops.module
        self.lines = loops.lines
        self.file = file
        self._parents: dict[int, ast.AST] = {}
        for node in ast.walk(loops.module):
            for child in ast.iter_child_nodes(node):
                self._parents[id(child)] = node

    def expression(self, span: Span) -> ast.expr | None:
        """Return the outermost expression with exactly this span; None if there is none."""
        for node in ast.walk(self.module):
            if isinstance(node, ast.expr) and node_span(node) == span:
                return node
        return None

    def calls_on(self, line: int, name: str) -> list[ast.Call]:
        """Return the calls on a line that call a function by this name, without a module."""
        return [
            node
            for node in ast.walk(self.module)
            if isinstance(node, ast.Call)
            and node.lineno == line
            and isinstance(node.func, ast.Name)
            and node.func.id == name
        ]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that contain a node, the innermost first."""
        parent = self._parents.get(id(node))
        while parent is not None:
            yield parent
            parent = self._parents.get(id(parent))

    def function(self, node: ast.AST) -> Function | None:
        """Return the innermost def, or the module, that contains a node.

        None if a lambda, class or comprehension is in between.
        """
        for outer in self.around(node):
            if isinstance(outer, ast.FunctionDef | ast.Module):
                return outer
            if isinstance(outer, _NEW_SCOPES):
                return None
        return None

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the simple statement that contains a node.

        None if a new line cannot be inserted before the statement.
        """
        for outer in (node, *self.around(node)):
            if isinstance(outer, ast.stmt):
                alone = not self.lines[outer.lineno - 1].encode()[: outer.col_offset].strip()
                return outer if alone and isinstance(outer, _SIMPLE) else None
        return None

    def is_local(self, name: str, function: Function) -> bool:
        """Return whether a name is local to a function. For a module, the answer is always True."""
        if isinstance(function, ast.Module):
            return True
        assert isinstance(function, ast.FunctionDef)
        parameters_node = function.args
        parameters = [
            *parameters_node.posonlyargs,
            *parameters_node.args,
            *parameters_node.kwonlyargs,
            parameters_node.vararg,
            parameters_node.kwarg,
        ]
        nodes = list(self.own(function))
        if any(isinstance(node, ast.Global | ast.Nonlocal) and name in node.names for node in nodes):
            return False
        stores = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        return any(parameter is not None and parameter.arg == name for parameter in parameters) or any(
            n.id == name for n in stores
        )

    def own(self, function: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes of a function, without the nodes of inner functions, classes and comprehensions."""
        for child in ast.iter_child_nodes(function):
            yield child
            if not isinstance(child, _NEW_SCOPES):
                yield from self.own(child)

    def names(self) -> set[str]:
        """Return all names in the source code."""
        return {node.id for node in ast.walk(self.module) if isinstance(node, ast.Name)} | {
            node.arg for node in ast.walk(self.module) if isinstance(node, ast.arg)
        }

    def free(self, name: str) -> str:
        """Return a name that the source code does not use yet: the given name, or with a number, such as key_2."""
        names, number, free_name = self.names(), 2, name
        while free_name in names:
            free_name, number = f"{name}_{number}", number + 1
        return free_name

    def numpy_name(self) -> str | None:
        """Return the name under which the source code imports `jax.numpy`; None if it does not."""
        names = self.names()
        return "jnp" if "jnp" in names else "jax.numpy" if "jax" in names else None

    def over(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that replaces a node by new code."""
        end = node.end_lineno or node.lineno
        column = node.end_col_offset or node.col_offset
        return Edit(Place(self.file, node.lineno, "", node.col_offset, end, column), text)

    def before(self, statement: ast.stmt, line: str) -> Edit:
        """Return the edit that adds a line before a statement."""
        place = Place(self.file, statement.lineno, "", statement.col_offset, statement.lineno, statement.col_offset)
        return Edit(place, f"{line}\n{' ' * statement.col_offset}")

    def segment(self, node: ast.AST) -> str:
        """Return the source code of a node."""
        return ast.get_source_segment("\n".join(self.lines), node) or ast.unparse(node)

    def sketch(self, kind: str, node: ast.expr, name: str, text: str, edits: Sequence[Edit]) -> Sketch | None:
        """Return a cure with its edits, before the trial. None if the edited source code is not valid Python.

        Args:
            kind: The kind of the note.
            node: The expression that the note is about.
            name: The name of the cure.
            text: The sentence of the cure.
            edits: The edits, which are applied together.
        """
        try:
            ast.parse(edited("\n".join(self.lines), edits))
        except not_of_a_signal(SyntaxError, ValueError):
            return None
        cure = shown(FoundCure(name, None, text, "applies", tuple(edits)), self.lines)
        at_top = isinstance(self.function(node), ast.Module)
        return None if cure.code is None else Sketch(cure, self.file, tuple(self.lines), node.lineno, kind, at_top)
