"""Explains a module of flax.linen that is an argument of a traced function: a module holds no arrays."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.facts import is_tracer_type
from ....jax.transform_and_inputs_of_tracer import raised_calls
from ....observe.observation import FoundCure
from ....plain_text import FAILURES, mro_of, own_name
from ..arguments.static_argument_edits import static_cure
from ..explanation import Explained
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

_TEXT = "A module of linen holds no arrays: the dict that init returns holds the parameters."


def is_linen_module(value: Any) -> bool:
    """Return whether a value is a module of flax.linen."""
    return any(
        own_name(kind, "__name__") == "Module" and own_name(kind, "__module__") == "flax.linen.module"
        for kind in mro_of(type(value))
    )


def module_outside(name: str) -> FoundCure:
    """Return the advice to leave a module out of the arguments.

    Args:
        name: The code of the module.
    """
    words = (
        f"Leave {name} out of the arguments: the function can read a module that the code around the function makes."
    )
    return FoundCure("a module from outside of the function", None, words)


def traced_module_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains m.apply where m is a traced array, because jax.jit traced a module of flax that the call passed."""
    node = raised.node if raised is not None else None
    attribute = node.func if isinstance(node, ast.Call) else node
    if raised is None or raised.frame is None or not isinstance(error, AttributeError):
        return None
    if not isinstance(attribute, ast.Attribute) or not isinstance(attribute.value, ast.Name):
        return None
    name = attribute.value.id
    if not is_tracer_type(type(value_of(raised, attribute.value))):
        return None
    for call in reversed(raised_calls(error)):
        try:
            arguments = inspect.signature(call.function).bind(*call.args, **call.kwargs).arguments
        except not_of_a_signal(*FAILURES):
            continue
        if is_linen_module(arguments.get(name)):
            static = static_cure(raised, error, function, [name])
            title = f"The argument {name} is a module of flax, but JAX traced it as an array"
            cures = (*([static] if static is not None else []), module_outside(name))
            return Explained(None, title, _TEXT, cures, traced=True)
    return None
