"""Explains an object of the user's class as an argument: JAX does not know which of its fields hold arrays."""

from __future__ import annotations

import ast
import re

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .constructs import called
from .edits import applied, edit_of, over
from .explanation import Explained
from .names import namespace
from .origins import value_of
from .raised import RaisedAt
from .trial_of_cure import passed

_NO_JAX_TYPE = re.compile(r"^Argument '.*' of type '?<class '(?:\w+\.)*(\w+)'>'? is not a valid JAX type", re.DOTALL)
_REGISTER = "jax.tree_util.register_dataclass"


def own_class_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of JAX that gets an object of a class from the cell."""
    match = _NO_JAX_TYPE.search(message_of(error).strip()) if isinstance(error, TypeError | ValueError) else None
    call = raised.node if raised is not None else None
    if match is None or raised is None or class_of_text(raised, match[1]) is None or not isinstance(call, ast.Call):
        return None
    kind = match[1]
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    matching_arguments = [
        argument
        for argument in arguments
        if called(argument) == kind or type(value_of(raised, argument)).__name__ == kind
    ]
    source = " ".join(raised.source(matching_arguments[0]).split()) if matching_arguments else f"An object of {kind}"
    attributes = [part.value for part in ast.walk(call.func) if isinstance(part, ast.Attribute)]
    if any(type(value_of(raised, attribute)).__name__ == kind for attribute in attributes):
        return None  # the function is a bound method, whose object is no argument
    title = f"{source} is no array and no container that JAX knows: its type is {kind}"
    return Explained(None, title, "JAX traces arrays, numbers, and containers of them.", registered(raised, kind))


def class_of_text(raised: RaisedAt, kind: str) -> ast.ClassDef | None:
    """Return the only class in the code that has the name."""
    if raised.loops is None:
        return None
    classes = [part for part in ast.walk(raised.loops.module) if isinstance(part, ast.ClassDef) and part.name == kind]
    return classes[0] if len(classes) == 1 else None


def registered(raised: RaisedAt | None, kind: str) -> tuple[FoundCure, ...]:
    """Return the cure that registers a class as a pytree, so JAX finds the arrays in its objects."""
    words = f"register_dataclass tells JAX which fields of {kind} hold arrays. JAX then traces these fields."
    node = class_of_text(raised, kind) if raised is not None else None
    if (field := _field_without_array(node)) is not None:
        words += f" Mark {field} as static: {field} = dataclasses.field(metadata={{'static': True}})."
    cure = FoundCure(_REGISTER, None, words)
    if raised is None or node is None:
        return (cure,)
    decorators = [decorator for decorator in node.decorator_list if "dataclass" in ast.unparse(decorator)]
    if not decorators:
        words = f"Make {kind} a dataclass, and write @{_REGISTER} above @dataclasses.dataclass. {words}"
        return (FoundCure(_REGISTER, None, words),)
    import jax

    if namespace(raised).get("jax") is not jax or len(decorators) != 1 or len(node.decorator_list) != 1:
        return (cure,)
    code = f"{_REGISTER}\n@{raised.source(decorators[0])}"
    cure = applied(FoundCure(_REGISTER, code, words), [edit_of(raised, over(decorators[0], code))])
    return tuple(passed(raised, [cure])) or (FoundCure(_REGISTER, None, words),)


def _field_without_array(node: ast.ClassDef | None) -> str | None:
    """Return the first field of a class whose annotation names a type that holds no array."""
    for part in node.body if node is not None else ():
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            if ast.unparse(part.annotation).partition("[")[0].rpartition(".")[2] in (
                "str",
                "bool",
                "bytes",
                "Callable",
            ):
                return part.target.id
    return None
