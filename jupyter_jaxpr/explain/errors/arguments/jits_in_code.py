"""Finds the expressions in the user's code that jit a function, or that transform the function in another way."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType

from ....plain_text import file_of, function_of
from ...loops.kinds_of_python_loops import parsed
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

#: The names of jax.jit in code.
JIT = frozenset({"jax.jit", "jit"})
#: The transforms whose result takes the arguments of the function that they get.
_TRANSFORMS = frozenset({"jax.vmap", "jax.grad", "jax.value_and_grad", "jax.jacfwd", "jax.jacrev", "jax.hessian"})


def jits_of(
    raised: RaisedAt, function: str, transforms: frozenset[str] = JIT, code: CodeType | None = None
) -> Iterator[tuple[str, str, ast.expr, str]]:
    """Yield each jit of a function: (file, function of the frame, expression, code).

    The jits stand in the files of the traceback, or in the file of the function.

    Args:
        raised: The place where the error was raised.
        function: The name of the jitted function.
        transforms: The names by which the user's code may call the transform; by default, those of jax.jit.
        code: The code of the function, which finds the jit of a lambda; None if unknown.
    """
    files = {raised.place.file: raised.place.function}
    for frame in raised.callers:
        files.setdefault(file_of(frame.f_code), function_of(frame.f_code))
    if code is not None:
        files.setdefault(file_of(code), function_of(code))
    for file, scope in files.items():
        loops = parsed("".join(linecache.getlines(file)))
        if loops is None:
            continue
        text = "\n".join(loops.lines)
        for node in ast.walk(loops.module):
            if isinstance(node, ast.FunctionDef) and node.name == function:
                for decorator in node.decorator_list:
                    is_maker = isinstance(decorator, ast.Call) and _makes_transform(raised, decorator, transforms)
                    if is_maker or _is_transform(raised, decorator, transforms):
                        yield file, scope, decorator, ast.get_source_segment(text, decorator) or ""
            elif isinstance(node, ast.Call) and node.args and _is_transform(raised, node.func, transforms):
                jitted = _inside_transforms(raised, node.args[0])
                jitted_name = jitted.attr if isinstance(jitted, ast.Attribute) else getattr(jitted, "id", None)
                if jitted_name == function or _is_code(raised, jitted, code, file, loops.module):
                    yield file, scope, node, ast.get_source_segment(text, node) or ""


def jitted_beside(raised: RaisedAt, code: CodeType | None) -> list[str]:
    """Return the other methods with the decorator @jax.jit in the class whose method has this code."""
    loops = parsed("".join(linecache.getlines(file_of(code)))) if code is not None else None
    if loops is None or code is None:
        return []
    for users_class in ast.walk(loops.module):
        if not isinstance(users_class, ast.ClassDef):
            continue
        methods = [node for node in users_class.body if isinstance(node, ast.FunctionDef)]
        lines = [min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) for node in methods]
        if code.co_firstlineno in lines:
            return [
                node.name
                for node, line in zip(methods, lines, strict=True)
                if line != code.co_firstlineno and any(_is_bare_jit(raised, part) for part in node.decorator_list)
            ]
    return []


def _is_bare_jit(raised: RaisedAt, decorator: ast.expr) -> bool:
    return not isinstance(decorator, ast.Call) and _is_transform(raised, decorator, JIT)


def _inside_transforms(raised: RaisedAt, node: ast.expr) -> ast.expr:
    """Return the function f of an expression such as partial(f, 2), jax.vmap(f) or jax.vmap(jax.grad(f))."""
    while isinstance(node, ast.Call) and node.args:
        is_partial = value_of(raised, node.func) is functools.partial
        if not is_partial and not _is_transform(raised, node.func, _TRANSFORMS):
            break
        node = node.args[0]
    return node


def _is_code(raised: RaisedAt, node: ast.expr, code: CodeType | None, file: str, module: ast.Module) -> bool:
    """Return whether an expression stands for the function of a code object.

    The expression is the lambda itself, the only name of the lambda, or another name of the function.
    """
    if code is None:
        return False
    made = only_value(module, node.id) if isinstance(node, ast.Name) else node
    if isinstance(made, ast.Lambda):
        return made is _lambda_of(code, file, module)
    value = value_of(raised, node) if isinstance(node, ast.Name | ast.Attribute) else None
    return type(value) is FunctionType and value.__code__ is code


def _lambda_of(code: CodeType | None, file: str, module: ast.Module) -> ast.Lambda | None:
    """Return the lambda with a code object; None for another function, or beside another lambda on the same line."""
    if code is None or code.co_name != "<lambda>" or file_of(code) != file:
        return None
    lambdas = [node for node in ast.walk(module) if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno]
    return lambdas[0] if len(lambdas) == 1 else None


def _is_transform(raised: RaisedAt, node: ast.expr, transforms: frozenset[str]) -> bool:
    """Return whether an expression refers to one of the transforms, even through an alias such as jx.jit."""
    import jax

    if ast.unparse(node) in transforms:
        return True
    if not isinstance(node, ast.Name | ast.Attribute) or raised.frame is None:
        return False
    named = value_of(raised, node)
    return any(named is getattr(jax, name.rpartition(".")[2], raised) for name in transforms)


def _makes_transform(raised: RaisedAt, node: ast.Call, transforms: frozenset[str]) -> bool:
    """Return whether a call makes a decorator: partial(jax.jit, ...) or jax.jit(...) without a function."""
    if ast.unparse(node.func) in ("partial", "functools.partial"):
        return bool(node.args) and _is_transform(raised, node.args[0], transforms)
    return not node.args and _is_transform(raised, node.func, transforms)
