"""Explains an argument that is an object of a user class: JAX does not know which of its fields are arrays."""

from __future__ import annotations

import ast
import re
import sys
import types
from dataclasses import replace
from typing import Any

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from ..flax_modules.traced_modules import is_linen_module, module_outside
from .fields_of_classes import STATIC, class_of_earlier_cell, class_of_text, import_sentence, static_lines
from .pytree_nodes import node_by_hand
from .static_argument_edits import is_hashed

_NO_JAX_TYPE = re.compile(r"^Argument '.*' of type '?<class '(?:\w+\.)*(\w+)'>'? is not a valid JAX type", re.DOTALL)
_REGISTER = "jax.tree_util.register_dataclass"


def own_class_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of JAX with an object of a class that the user's code defines."""
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
    source = (
        " ".join(raised.source(matching_arguments[0]).split())
        if matching_arguments
        else f"An object of the class {kind}"
    )
    attributes = [part.value for part in ast.walk(call.func) if isinstance(part, ast.Attribute)]
    if any(type(value_of(raised, attribute)).__name__ == kind for attribute in attributes):
        return None  # in a call such as model.step(x), the object is the `self` of the method, not an argument
    title = f"{source} is not an array or a container that JAX knows: its type is {kind}"
    value = value_of(raised, matching_arguments[0]) if matching_arguments else None
    cures = registered(raised, kind, value)
    return Explained(None, title, "JAX traces arrays, numbers, and containers of arrays and numbers.", cures)


def can_be_static(value: Any) -> bool:
    """Return whether a value can be a static argument: it has a hash and contains no array."""
    if is_hashed(value) or issubclass(type(value), _FUNCTIONS):
        return True
    if _holds_arrays(value):
        # If the object were static, JAX would compile a program for each object, with its arrays as constants.
        return False
    # An object is hashed by identity or by its class's __hash__; lists, dicts and sets are not hashable.
    return getattr(type(value), "__hash__", None) is not None


_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def _holds_arrays(value: Any) -> bool:
    """Return whether a field of an object is an array, or a container of Python that holds an array."""
    import jax

    fields = list(instance_dict(value).values())
    return any(dtype_of(leaf) for leaf in jax.tree_util.tree_leaves(fields)[:1_000])


def own_hash(value: Any) -> Any:
    """Return the __hash__ that the class of an object defines; None if Python hashes the object by identity."""
    found = getattr(type(value), "__hash__", None)
    return None if found is object.__hash__ else found


def registered(
    raised: RaisedAt | None, kind: str, value: Any = None, function: str | None = None
) -> tuple[FoundCure, ...]:
    """Return the cure that registers a class as a pytree, so JAX finds the arrays in its objects.

    The cure has no edit: a trial would have to define the class and make its objects anew.

    Args:
        raised: Where the error was raised.
        kind: The name of the class.
        value: The object that the failing call got; None if unknown.
        function: The name of the jitted function; None for another function.
    """
    if is_linen_module(value):
        advice = module_outside("the module")
        return (replace(advice, text=f"{advice.text} A module of linen holds no arrays."),)
    words = f"register_dataclass tells JAX which fields of {kind} hold arrays. JAX then traces these fields."
    node = class_of_text(raised, kind) or class_of_earlier_cell(kind) if raised is not None else None
    if raised is not None and (changed := _changed_attributes(raised, node, function)):
        holders, owner = in_a_sentence(changed, 4), changed[0].partition(".")[0]
        words = (
            f"{function} assigns {holders}. If JAX traced {owner}, the assignment would be lost. "
            f"Pass {holders} to the jitted function as arguments, return the new values, and assign the values "
            "outside of the jitted function."
        )
        return (FoundCure("arguments and results", None, words),)
    if raised is not None and namespace(raised).get("jax") is sys.modules.get("jax"):
        lines = static_lines(raised, node, value)
        if node is not None and lines is not None and len(node.decorator_list) == 1:
            head = f"@{_REGISTER}\n@{ast.unparse(node.decorator_list[0])}\nclass {kind}:"
            code = "\n    ".join([head, *(["...", *lines] if lines else [])])
            words = f"{words} {STATIC} {import_sentence(raised)}".rstrip() if lines else words
            return (FoundCure(_REGISTER, code, words),)
    if (field := _field_without_array(node)) is not None:
        words += f" Mark {field} as static: {field} = dataclasses.field(metadata={{'static': True}})."
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list] if node is not None else []
    if node is None or any("dataclass" in decorator for decorator in decorators):
        return (FoundCure(_REGISTER, None, words),)
    if (statement := _registration(node, value)) is not None:
        return (FoundCure(_REGISTER, statement, f"{words} {_AFTER_CLASS.format(kind=kind)}"),)
    if (by_hand := node_by_hand(kind, value)) is not None and not _takes_its_fields(node):
        return (by_hand,)
    if fields := _fields_of_init(node):
        if statics := _static_fields(fields, value):
            words += f" Mark {in_a_sentence(list(statics))} as static, as in {next(iter(statics.values()))}."
        words = (
            f"Make {kind} a dataclass that declares {in_a_sentence(fields)}, and remove the __init__ of {kind}: "
            f"dataclass makes an __init__ that takes the values of the fields, as in {kind}({', '.join(fields)}). "
            f"Write @{_REGISTER} above @dataclasses.dataclass. {words}"
        )
        return (FoundCure(_REGISTER, _as_dataclass(kind, fields, value), words),)
    words = f"Make {kind} a dataclass, and write @{_REGISTER} above @dataclasses.dataclass. {words}"
    return (FoundCure(_REGISTER, None, words),)


_AFTER_CLASS = "Write this line below the class {kind}, and make the objects of {kind} anew."


def _registration(node: ast.ClassDef, value: Any) -> str | None:
    """Return the statement that registers a class whose __init__ stores each argument under its name.

    None if the fields of an object are unknown, or are neither arrays, numbers and containers of these, nor hashable.
    """
    import jax

    fields, held = _fields_of_init(node), instance_dict(value)
    init = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    if init is None or not fields or set(held) != set(fields) or init.args.vararg or init.args.kwarg:
        return None
    stored = {
        part.targets[0].attr: part.value.id
        for part in init.body
        if isinstance(part, ast.Assign)
        and isinstance(part.targets[0], ast.Attribute)
        and isinstance(part.value, ast.Name)
    }
    parameters = [part.arg for part in [*init.args.args[1:], *init.args.kwonlyargs]]
    if len(stored) != len(init.body) or stored != {name: name for name in parameters} or set(parameters) != set(fields):
        return None
    leaves = {name: jax.tree_util.tree_leaves(held[name])[:1_000] for name in fields}
    data = [
        name
        for name in fields
        if all(dtype_of(leaf) or type(leaf) in (bool, int, float, complex) for leaf in leaves[name])
        and any(dtype_of(leaf) or type(leaf) is float for leaf in leaves[name])
    ]
    others = [name for name in fields if name not in data]
    if not data or not all(is_hashed(held[name]) for name in others):
        return None
    listed, static = (", ".join(f'"{name}"' for name in names) for names in (data, others))
    return f"{_REGISTER}({node.name}, data_fields=[{listed}], meta_fields=[{static}])"


def _changed_attributes(raised: RaisedAt, node: ast.ClassDef | None, function: str | None) -> list[str]:
    """Return the attributes of its parameters that a function or a method of a class assigns, such as self.x."""
    found = [part for part in node.body if isinstance(part, ast.FunctionDef)] if node is not None else []
    methods = [part for part in found if part.name == function]
    definition = methods[0] if len(methods) == 1 else function_of_text(raised, function) if function else None
    if not isinstance(definition, ast.FunctionDef):
        return []
    parameters = {parameter.arg for parameter in definition.args.args}
    stores = [
        ast.unparse(part)
        for part in ast.walk(definition)
        if isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id in parameters
    ]
    return list(dict.fromkeys(stores))


def _takes_its_fields(node: ast.ClassDef) -> bool:
    """Return whether the __init__ of a class only stores its parameters, as the __init__ of a dataclass does."""
    inits = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    if len(inits) != 1:
        return False
    parameters = [parameter.arg for parameter in inits[0].args.args[1:]]
    return parameters == _fields_of_init(node)


def _fields_of_init(node: ast.ClassDef) -> list[str]:
    """Return the attributes that a class without base classes sets in its own __init__; empty without one."""
    inits = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    if len(inits) != 1 or not inits[0].args.args or node.bases:
        return []
    owner = inits[0].args.args[0].arg
    fields = [
        part.attr
        for part in ast.walk(inits[0])
        if isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == owner
    ]
    return list(dict.fromkeys(fields))


def _as_dataclass(kind: str, fields: list[str], value: Any) -> str | None:
    """Return the first lines of a class, rewritten as a registered dataclass.

    None unless all fields are known to be arrays or floats.
    """
    held = instance_dict(value)
    if set(held) != set(fields):
        return None
    lines = []
    for field in fields:
        if not dtype_of(held[field]) and type(held[field]) is not float:
            # The class is not rewritten: a string or a function needs a static field, and an integer may be a size.
            return None
        annotation = "jax.Array" if dtype_of(held[field]) else "float"
        lines.append(f"    {field}: {annotation}")
    return "\n".join([f"@{_REGISTER}", "@dataclasses.dataclass", f"class {kind}:", *lines])


def _static_fields(fields: list[str], value: Any) -> dict[str, str]:
    """Return the fields that need static=True: they hold no arrays or numbers, and have a hash.

    Each comes with its line in the dataclass.
    """
    import jax

    held = instance_dict(value)
    statics = {}
    for field in fields:
        leaves = jax.tree_util.tree_leaves(held.get(field))[:1_000]
        is_data = all(dtype_of(leaf) or isinstance(leaf, bool | int | float | complex) for leaf in leaves)
        if not is_data and getattr(type(held[field]), "__hash__", None) is not None:
            annotation = "str" if type(held[field]) is str else "object"
            statics[field] = f"{field}: {annotation} = dataclasses.field(metadata={{'static': True}})"
    return statics


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
