"""Explains a write into a NumPy array that shows the memory of a JAX array, and copies the array in the line before."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from ....interruptions import not_of_a_signal
from ....observe.observation import FoundCure
from ....observe.side_effects.harmless_functions import is_jitted
from ....plain_text import FAILURES, message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import module_of, namespace
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller

_READ_ONLY = re.compile(r"\bis read-only$|^cannot set WRITEABLE flag to True of this array$")
_TITLE = "{name} is a read-only view of a JAX array, so NumPy cannot write into {name}"
_TITLE_OF_EXPRESSION = "NumPy cannot write into a read-only view of a JAX array"
_REASON = "JAX arrays cannot change, so NumPy gets their memory only for reading."
_MADE = "Line {line} makes the view: {code}."
_COPY = "The copy can be written. The JAX array itself stays as it is."
_ADVICE = (
    "Write into a copy, such as np.array({name}), or change the JAX array with x.at[index].set(value), which makes a "
    "new array."
)
#: Functions whose result may show the memory of a JAX array, and the module that has each function.
_VIEWS = {"asarray": "numpy", "from_dlpack": "numpy", "asanyarray": "numpy", "device_get": "jax"}
_MOST_BASES = 20


class _Maker(NamedTuple):
    """The call that made the view, such as np.asarray(x), and the place from which the call can be read."""

    at: RaisedAt
    call: ast.Call


def read_only_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a write into the read-only result of np.asarray(x), jax.device_get(x) or np.from_dlpack(x)."""
    if raised is None or raised.frame is None or not isinstance(error, ValueError):
        return None
    if _READ_ONLY.search(message_of(error)) is None:
        return None
    node = _written(raised)
    array = value_of(raised, node) if node is not None else None
    if node is None or array is None:
        return None
    makers = list(_makers(raised, array))
    if not _is_of_jax(array) and not (makers and all(_is_view_of_jax(maker, array) for maker in makers)):
        return None
    name = " ".join(raised.source(node).split())
    title = _TITLE.format(name=name) if len(name) <= 40 else _TITLE_OF_EXPRESSION
    advice = FoundCure("a copy", None, _ADVICE.format(name=name))
    if len(makers) != 1:
        return Explained(None, title, _REASON, (advice,))
    (maker,) = makers
    code = " ".join(maker.at.source(maker.call).split())
    made = _MADE.format(line=maker.call.lineno, code=code if len(code) <= 60 else f"{code[:59]}…")
    return Explained(None, title, f"{_REASON} {made}", (_copy(raised, node, maker) or advice,))


def _written(raised: RaisedAt) -> ast.expr | None:
    """Return the expression of the array into which the failing code writes; None if unknown."""
    node = raised.node
    if isinstance(node, ast.Call):
        options = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        nodes = [*options, *owner, *node.args[:1]]
    else:
        statement = raised.statement_of(node)
        match statement:
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
                nodes = [target]
            case _:
                nodes = []
    for candidate in nodes:
        while isinstance(candidate, ast.Subscript | ast.Attribute):
            if _is_read_only(value_of(raised, candidate)):
                break
            candidate = candidate.value
        if _is_read_only(value_of(raised, candidate)):
            return candidate
    return None


def _is_read_only(value: Any) -> bool:
    import numpy as np

    return type(value) is np.ndarray and not value.flags.writeable


def _root(array: Any) -> Any:
    """Return the object that owns the memory of a NumPy array."""
    import numpy as np

    for _ in range(_MOST_BASES):
        if type(array) is not np.ndarray or array.base is None:
            break
        array = array.base
    return array


def _is_of_jax(array: Any) -> bool:
    """Return whether the memory of a NumPy array certainly belongs to a JAX array."""
    import jax

    root = _root(array)
    try:
        return isinstance(root.obj if type(root) is memoryview else root, jax.Array)
    except not_of_a_signal(*FAILURES):  # the memoryview was released
        return False


def _makers(raised: RaisedAt, array: Any) -> Iterator[_Maker]:
    """Yield the calls that may have made an array: in the failing function, or in the functions that called it."""
    places = [raised, *(at_caller(raised, frame) for frame in reversed(raised.callers))]
    for at in places:
        scope = at.function or (at.loops.module if at.loops is not None else None)
        calls = []
        for node in ast.walk(scope) if scope is not None and at.frame is not None else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name() as target], value=value)
                    | ast.NamedExpr(target=ast.Name() as target, value=value)
                ):
                    if _root(value_of(at, target)) is _root(array):
                        calls += _views_in(at, value)
        if at is not raised and not calls and isinstance(at.node, ast.Call):
            calls += [call for part in at.node.args for call in _views_in(at, part)]
        if calls:
            yield from (_Maker(at, call) for call in calls)
            return


def _views_in(at: RaisedAt, node: ast.expr) -> list[ast.Call]:
    """Return the calls in an expression whose result may show the memory of a JAX array."""
    return [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Name)
        and called(part) in _VIEWS
        and namespace(at).get(part.func.value.id) is sys.modules.get(_VIEWS[called(part)])
    ]


def _is_view_of_jax(maker: _Maker, array: Any) -> bool:
    """Return whether a call that may have made an array certainly got a JAX array."""
    import jax

    at, call = maker
    argument = call.args[0] if call.args else None
    if called(call) == "device_get" and type(_root(array)).__name__ == "PyCapsule":
        return True  # NumPy owns the memory of its own arrays
    if isinstance(argument, ast.Call):
        module = argument.func.value if isinstance(argument.func, ast.Attribute) else None
        is_of_jnp = isinstance(module, ast.Name) and module_of(at, module.id) == "jax.numpy"
        return is_of_jnp or is_jitted(value_of(at, argument.func))
    return argument is not None and isinstance(value_of(at, argument), jax.Array)


def _copy(raised: RaisedAt, array: ast.expr, maker: _Maker) -> FoundCure | None:
    """Return the cure that copies the array where the view is made; None unless a write into a copy passes its trial.

    Args:
        raised: Where the error was raised.
        array: The expression of the array.
        maker: The call that made the view.
    """
    statement = raised.statement_of(raised.node)
    if statement is None or not isinstance(array, ast.Name):
        return None
    copied_before = f"{array.id} = {array.id}.copy()\n{raised.source_of_statement(statement)}"
    trial = applied(FoundCure("a copy", copied_before, _COPY), [edit_of(raised, over(statement, copied_before))])
    if not any(tried.level == "applies" for tried in passed(raised, [trial])):
        return None
    at, call = maker
    change = over(call, f"{at.source(call)}.copy()")
    if called(call) in ("asarray", "asanyarray") and isinstance(call.func, ast.Attribute):
        change = over(call.func, f"{at.source(call.func.value)}.array")
    return applied(FoundCure("a copy", change[2], _COPY), [edit_of(at, change)])
