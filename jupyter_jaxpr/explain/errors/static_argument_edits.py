"""Makes the edit that marks arguments as static, if the call passes hashable Python values for them."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.tracer_origins import RaisedCall, raised_calls
from ...observe.code_of_callables import code_of
from ...observe.observation import Edit, FoundCure, Place
from ...plain_text import FAILURES, file_of, function_of
from ..loops.statements import parsed
from .raised import RaisedAt
from .trial import Outcome, traced_with

_HASHED = (bool, int, float, complex, str, bytes, type(None))


def static_cure(raised: RaisedAt, error: BaseException, function: str, names: Sequence[str]) -> FoundCure | None:
    """The cure static_argnames; None if an argument has no hash, or is no argument of the jitted function.

    Args:
        raised: Where the error was raised.
        error: The exception, whose traceback still has the frames of JAX.
        function: The name of the traced function.
        names: The names of the arguments.
    """
    call = next((raised_call for raised_call in reversed(raised_calls(error)) if _name(raised_call) == function), None)
    values = _values_by_parameter(call) if call is not None else None
    if values is None or not names or not all(name in values and is_hashed(values[name]) for name in names):
        return None
    text = (
        f"JAX compiles once for each value of {' and '.join(names)}. Use a static argument for a setting that seldom "
        "changes."
    )
    cure = jit_with(raised, function, _keyword(names), "static_argnames", text)
    if cure.code is None or call is None or traced_with(call, values, names) != "traced":
        return None
    return cure


def static_outcome(error: BaseException, function: str, name: str) -> Outcome:
    """The outcome of a trial trace of the failing call with one static argument."""
    call = next((raised_call for raised_call in reversed(raised_calls(error)) if _name(raised_call) == function), None)
    values = _values_by_parameter(call) if call is not None else None
    if call is None or values is None or name not in values:
        return "untried"
    return traced_with(call, values, [name])


def jit_with(raised: RaisedAt, function: str, keyword: str, name: str, text: str) -> FoundCure:
    """A cure that adds an option to the jit of a function; without code if the jit is not in the user's code.

    Args:
        raised: Where the error was raised.
        function: The name of the jitted function.
        keyword: The code of the option, such as static_argnames="n".
        name: The name of the cure.
        text: The sentence of the cure.
    """
    option = keyword.partition("=")[0]
    jits = list(_jits(raised, function))
    if len(jits) != 1:
        return FoundCure(name, None, text)
    file, scope, node, source = jits[0]
    if isinstance(node, ast.Call):
        if any(keyword.arg in (option, "static_argnums") for keyword in node.keywords):
            return FoundCure(name, None, text)
        code = f"{source[:-1].rstrip().rstrip(',')}, {keyword})"
        if not node.args and not node.keywords:
            code = f"{source[:-1]}{keyword})"
    else:
        code = f"{source}({keyword})"
    assert node.end_lineno is not None and node.end_col_offset is not None
    place = Place(file, node.lineno, scope, node.col_offset, node.end_lineno, node.end_col_offset)
    shown_code = f"@{code}" if _is_decorator(source, node) else code
    return FoundCure(name, shown_code, text, "applies", (Edit(place, code),))


def is_differentiated(raised: RaisedAt, error: BaseException) -> bool:
    """Whether jax.grad or jax.vjp started the trace; they cannot differentiate a loop of unknown length."""
    import jax

    values = [value for frame in (*raised.callers, raised.frame) if frame is not None for value in _local(frame)]
    for call in raised_calls(error):
        values += jax.tree_util.tree_leaves((call.args, call.kwargs))
    return any(type(value).__name__ in ("JVPTracer", "LinearizeTracer") for value in values)


def _local(frame: FrameType) -> list[Any]:
    return list(frame.f_locals.values()) if frame.f_code.co_name != "<module>" else []


def _is_decorator(source: str, node: ast.expr) -> bool:
    return not isinstance(node, ast.Call) or not node.args or ast.unparse(node.func).endswith("partial")


def _keyword(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"static_argnames={quoted[0] if len(quoted) == 1 else '(' + ', '.join(quoted) + ')'}"


def _jits(raised: RaisedAt, function: str) -> Iterator[tuple[str, str, ast.expr, str]]:
    """Each place that jits a function: the file, the function around the place, the jit expression and its code."""
    files = {raised.place.file: raised.place.function}
    for frame in raised.callers:
        files.setdefault(file_of(frame.f_code), function_of(frame.f_code))
    for file, scope in files.items():
        loops = parsed("".join(linecache.getlines(file)))
        if loops is None:
            continue
        text = "\n".join(loops.lines)
        for node in ast.walk(loops.module):
            if isinstance(node, ast.FunctionDef) and node.name == function:
                for decorator in node.decorator_list:
                    if _is_jit(decorator) or (isinstance(decorator, ast.Call) and _makes_jit(decorator)):
                        yield file, scope, decorator, ast.get_source_segment(text, decorator) or ""
            elif isinstance(node, ast.Call) and _is_jit(node.func) and node.args:
                if isinstance(node.args[0], ast.Name) and node.args[0].id == function:
                    yield file, scope, node, ast.get_source_segment(text, node) or ""


def _is_jit(node: ast.expr) -> bool:
    return ast.unparse(node) in ("jax.jit", "jit")


def _makes_jit(node: ast.Call) -> bool:
    is_partial = ast.unparse(node.func) in ("partial", "functools.partial") and node.args and _is_jit(node.args[0])
    return bool(is_partial) or (_is_jit(node.func) and not node.args)


def _name(call: RaisedCall) -> str | None:
    return getattr(call.function, "__name__", None)


def _values_by_parameter(call: RaisedCall) -> dict[str, Any] | None:
    """The argument of a call for each parameter; None if Python cannot bind the arguments."""
    if code_of(call.function) is None:
        return None
    try:
        bound = inspect.signature(call.function).bind(*call.args, **call.kwargs)
    except not_of_a_signal(*FAILURES):
        return None
    bound.apply_defaults()
    return dict(bound.arguments)


def is_hashed(value: Any) -> bool:
    """Whether the hash of a value certainly depends only on its contents."""
    if type(value) is tuple:
        return all(map(is_hashed, value))
    return type(value) in _HASHED


def argument_values(error: BaseException, function: str) -> dict[str, Any]:
    """The arguments of the failing call of a jitted function, by parameter; empty if unknown."""
    call = next((raised_call for raised_call in reversed(raised_calls(error)) if _name(raised_call) == function), None)
    return {} if call is None else _values_by_parameter(call) or {}
