"""Finds the source code of a jitted function's call, and the code around it."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...jax.facts import is_jitted
from ...observe.observation import Edit, Place
from ...observe.user_or_library.library_functions import is_of_jax
from ..loops.kinds_of_python_loops import Loops, parsed

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, eq=False)
class Text:
    """The source code of a cell or a file, and its syntax tree.

    Attributes:
        file: The `co_filename` of the code.
        loops: The syntax tree and the lines of the source code.
        parents: For the id of each syntax node: its parent.
    """

    file: str
    loops: Loops
    parents: Mapping[int, ast.AST] = field(repr=False)

    @property
    def module(self) -> ast.Module:
        """The syntax tree of the whole source code."""
        return self.loops.module

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the syntax nodes that contain a node, the innermost first."""
        above = self.parents.get(id(node))
        while above is not None:
            yield above
            above = self.parents.get(id(above))

    def function_around(self, node: ast.AST) -> ast.AST:
        """Return the innermost function that contains a node, or the module."""
        return next(
            (node_around for node_around in self.around(node) if isinstance(node_around, _FUNCTIONS)), self.module
        )

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement that contains a node."""
        if isinstance(node, ast.stmt):
            return node
        return next((node_around for node_around in self.around(node) if isinstance(node_around, ast.stmt)), None)

    def written(self, node: ast.AST) -> str:
        """Return the user's source code of a node."""
        text = ast.get_source_segment("\n".join(self.loops.lines), node)
        return ast.unparse(node) if text is None else text

    def replaced(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that replaces a node by new code."""
        line, column = node.lineno, node.col_offset
        return Edit(Place(self.file, line, "", column, node.end_lineno or line, node.end_col_offset or column), text)

    def removed(self, statement: ast.stmt, until: ast.stmt) -> Edit:
        """Return the edit that removes a statement with the lines up to the next statement."""
        begin, end = first_line(statement), first_line(until)
        return Edit(Place(self.file, begin, "", statement.col_offset, end, until.col_offset), "")

    def before(self, statement: ast.stmt, code: str) -> Edit:
        """Return the edit that inserts lines before a statement, with the indentation of the statement."""
        line, column = first_line(statement), statement.col_offset
        indent = " " * column
        text = "\n".join(
            f"{indent}{text_line}" if text_line and number else text_line
            for number, text_line in enumerate(code.split("\n"))
        )
        return Edit(Place(self.file, line, "", column, line, column), f"{text}\n{indent}")


def first_line(statement: ast.stmt | ast.expr) -> int:
    """Return the first line of a statement or an expression: the line of its first decorator, if it has one."""
    lines: list[int] = [statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", []))]
    return min(lines)


def text_of(file: str) -> Text | None:
    """Return the source code of a cell or a file, by its file name.

    None if the code is unknown or is not valid Python.
    """
    loops = parsed("".join(linecache.getlines(file)))
    return None if loops is None else _text(file, loops)


@functools.lru_cache(maxsize=8)
def _read(file: str, module: ast.Module) -> Mapping[int, ast.AST]:
    return {id(child): node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}


def _text(file: str, loops: Loops) -> Text:
    return Text(file, loops, _read(file, loops.module))


def call_at(text: Text, place: Place, name: str, names: Mapping[str, Any]) -> ast.Call | None:
    """Return the call of a function on a line. None if there is none, or if several calls on the line may be that call.

    Args:
        text: The source code with the line.
        place: The line.
        name: The name of the called function.
        names: The present values of the global names in the source code.
    """
    calls = [node for node in ast.walk(text.module) if isinstance(node, ast.Call) and node.lineno == place.line]
    answers = [(node, _is_call_of(text, node, name, names)) for node in calls]
    if any(sure is None for _, sure in answers):
        return None
    sure_calls = [node for node, sure in answers if sure]
    return sure_calls[0] if len(sure_calls) == 1 else None


def calls_of(text: Text, name: str, names: Mapping[str, Any]) -> list[ast.Call]:
    """Return the calls in source code that are, or may be, calls of the jitted function of this name."""
    calls = [node for node in ast.walk(text.module) if isinstance(node, ast.Call)]
    return [node for node in calls if _is_call_of(text, node, name, names) is not False]


def _is_call_of(text: Text, node: ast.Call, name: str, names: Mapping[str, Any]) -> bool | None:
    """Return whether a call calls the jitted function of this name. None if the source code does not show it."""
    called = node.func
    if isinstance(called, ast.Call):
        if is_jit(called.func, names):
            return bool(called.args) and _may_be(called.args[0], name)
        return False if is_of_jax(value_of(called.func, names)) else None
    if isinstance(called, ast.Attribute):
        return None if called.attr == name and value_of(called, names) is None else False
    if not isinstance(called, ast.Name):
        return None
    jitted = jitted_here(text, node, called.id, names)
    if isinstance(jitted, ast.FunctionDef):
        return jitted.name == name
    if isinstance(jitted, ast.Assign):
        assert isinstance(jitted.value, ast.Call)
        return _may_be(jitted.value.args[0], name)
    if is_bound_around(text, node, called.id) or _is_loop_variable(text, called.id):
        return None
    value = names.get(called.id)
    return is_jitted(value) and getattr(getattr(value, "__wrapped__", None), "__name__", None) == name


def is_bound_around(text: Text, node: ast.AST, name: str) -> bool:
    """Return whether a name is local at a node: a function, class or comprehension around the node binds the name."""
    for around in text.around(node):
        if isinstance(around, COMPREHENSIONS):
            targets = [target_part for generator in around.generators for target_part in ast.walk(generator.target)]
            if any(_binds(target, name) for target in targets):
                return True
        elif isinstance(around, (*_FUNCTIONS, ast.ClassDef)) and any(
            _binds(binder, name) and not isinstance(text.function_around(binder), ast.Module)
            for binder in ast.walk(around)
        ):
            return True
    return False


def _is_loop_variable(text: Text, name: str) -> bool:
    """Return whether a name is assigned in another way than by `name = ...`, for example as the variable of a loop."""
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and not isinstance(text.parents[id(node)], ast.Assign)
        for node in ast.walk(text.module)
    )


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=bound, ctx=ast.Store() | ast.Del()) | ast.arg(arg=bound):
            return bound == name
        case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
            return bound == name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return any((alias.asname or alias.name).partition(".")[0] == name for alias in aliases)
    return False


def is_repeated(text: Text, node: ast.AST) -> bool:
    """Return whether a node may run several times, because it is in a function, a loop or a comprehension."""
    return text.function_around(node) is not text.module or bool(is_in_loop(text, node, text.module))


def _may_be(node: ast.expr, name: str) -> bool:
    """Return whether an expression may be the function of this name, or the result of a transform of the function."""
    if isinstance(node, ast.Lambda):
        return name == "<lambda>"
    return any(
        (isinstance(part, ast.Name) and part.id == name) or (isinstance(part, ast.Lambda) and name == "<lambda>")
        for part in ast.walk(node)
    ) or isinstance(node, ast.Name)


def jitted_here(text: Text, call: ast.Call, name: str, names: Mapping[str, Any]) -> ast.FunctionDef | ast.Assign | None:
    """Return the statement that makes a jitted function, if there is only one in the function around a call.

    Args:
        text: The source code with the call.
        call: The call of the jitted function.
        name: The name of the jitted function.
        names: The present values of the global names in the source code.
    """
    around = text.function_around(call)
    definitions: list[ast.AST] = []
    for node in ast.walk(around):
        if node is around or text.function_around(node) is not around:
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            definitions.append(node)
        elif isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            definitions.append(text.parents[id(node)])
    if len(definitions) != 1:
        return None
    match definitions[0]:
        case ast.FunctionDef(decorator_list=[decorator]) as definition if is_jit_decorator(decorator, names):
            return definition
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=called, args=[_, *_])) as assigned:
            return assigned if is_jit(called, names) else None
    return None


def value_of(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the value of a name or of an attribute of a module; None for any other expression."""
    import types

    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = value_of(node.value, names)
        return getattr(owner, node.attr, None) if type(owner) is types.ModuleType else None
    return None


def is_jit(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Return whether an expression is `jax.jit`."""
    import jax

    return value_of(node, names) is jax.jit


def is_jit_decorator(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Return whether an expression is `jax.jit`, alone or with options: `partial(jax.jit, ...)`, `jax.jit(...)`."""
    if isinstance(node, ast.Call):
        if value_of(node.func, names) is functools.partial:
            return bool(node.args) and is_jit(node.args[0], names)
        return is_jit(node.func, names) and not node.args
    return is_jit(node, names)


def is_in_loop(text: Text, node: ast.AST, around: ast.AST) -> list[ast.stmt | ast.expr]:
    """Return the loops and comprehensions between a node and the function `around`, the outermost last."""
    nodes: list[ast.stmt | ast.expr] = []
    child: ast.AST = node
    for above in text.around(node):
        if above is around:
            break
        if isinstance(above, _LOOPS) and child not in above.orelse and child is not getattr(above, "iter", None):
            nodes.append(above)
        elif isinstance(above, COMPREHENSIONS):
            nodes.append(above)
        child = above
    return nodes
