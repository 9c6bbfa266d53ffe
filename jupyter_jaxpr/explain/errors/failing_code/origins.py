"""Finds the arguments of the traced function on which the failing value depends, with their types."""

from __future__ import annotations

import ast
import re
from collections import ChainMap, namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.facts import is_tracer_type
from ....jax.hidden_events import unheard
from ....jax.transform_and_inputs_of_tracer import Input, inputs_of, maker_of, origin_of, type_of, under
from ....joined_names import in_a_sentence
from ....observe.side_effects.attribute_reads import instance_dict
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import FAILURES, file_of
from .paths_of_values import path_of
from .place_of_error import RaisedAt

_AT_MOST = 4  # a sentence names at most this many arguments
_CONSTRUCTS = frozenset({"scan", "while_body", "while_cond", "cond", "fori_loop", "switch", "map", "associative_scan"})


@dataclass(frozen=True)
class Culprits:
    """The arguments of the traced function on which a traced value depends.

    Attributes:
        function: The name of the function that has the arguments.
        inputs: The arguments with their types.
        is_inner: The function is the body, the condition or a branch of a loop or conditional of JAX.
        transform: "vmap" if vmap maps the function; otherwise None.
    """

    function: str | None
    inputs: tuple[Input, ...]
    is_inner: bool = False
    transform: str | None = None

    @property
    def names(self) -> list[str]:
        """The names of the arguments, without paths such as ['w']."""
        return list(dict.fromkeys(root_of(argument.path) for argument in self.inputs))

    @property
    def sentence(self) -> str:
        """The sentence that names the arguments; empty without arguments."""
        if not self.inputs:
            return ""
        arguments = listed(self.inputs)
        if self.is_inner and self.function:
            return f"This value depends on the {arguments} of {self.function}."
        return f"This value depends on the {arguments}."


def root_of(path: str) -> str:
    """Return the name of the argument in a path: p of p['w']."""
    for position, character in enumerate(path):
        if character in "[.":
            return path[:position]
    return path


def listed(inputs: Iterable[Input]) -> str:
    """Return the arguments with their types, joined for a sentence, such as "arguments x (f32[3]) and y (f32[])"."""
    texts = [f"{argument.path} ({argument.type})" for argument in inputs]
    return f"argument {texts[0]}" if len(texts) == 1 else f"arguments {in_a_sentence(texts, _AT_MOST)}"


def culprits(raised: RaisedAt | None, values: Iterable[Any] | None = None) -> Culprits:
    """Return the arguments on which traced values depend.

    Args:
        raised: The place where the error was raised; None if no frame is the user's.
        values: The traced values; None for the value that Python needed.
    """
    if raised is None or raised.frame is None:
        return Culprits(None, ())
    if values is None:
        values = [raised.wanted_tracer] if raised.wanted_tracer is not None else list(raised.tracers.values())
    tracers = [value for value in values if is_tracer_type(type(value))]
    function = construct = transform = None
    inputs: dict[str, Input] = {}
    for tracer in tracers:
        origin = origin_of(tracer)
        if origin is None:
            continue
        if origin.function is None:
            transform = "vmap" if type(tracer).__name__ == "BatchTracer" else transform
            inputs.update((argument.path, argument) for argument in _frame_arguments(raised, tracer))
            continue
        function, construct = origin.function, origin.construct
        inputs.update((argument.path, argument) for argument in _users_arguments(origin.inputs, raised))
    if function is None and inputs:
        function = raised.place.function.rpartition(".")[2]
    return Culprits(function, tuple(inputs.values()), construct in _CONSTRUCTS, transform)


def named_culprits(raised: RaisedAt | None, match: re.Match[str] | None) -> Culprits:
    """Return the arguments that the error message of JAX names, with their types.

    Args:
        raised: The place where the error was raised.
        match: Its first group is the list of names in the message, such as "x, y, and n"; None if the message lists
            none.
    """
    if raised is None or raised.frame is None or match is None:
        return Culprits(None, ())
    names = {name for name in re.split(r", and |, | and ", match[1]) if name}
    for frame in (raised.frame, *reversed(raised.callers)):
        for value in list(frame.f_locals.values()):
            for leaf in [value] if is_tracer_type(type(value)) else []:
                inputs = [argument for argument in inputs_of(leaf) if argument.path in names]
                if len(inputs) == len(names):
                    origin = origin_of(leaf)
                    function = origin.function if origin is not None else None
                    construct = origin.construct if origin is not None else None
                    return Culprits(function, tuple(_users_arguments(tuple(inputs), raised)), construct in _CONSTRUCTS)
    return Culprits(None, ())


def _users_arguments(inputs: tuple[Input, ...], raised: RaisedAt) -> list[Input]:
    """Return the arguments with the names that they have in the user's function, not in the wrapper of a library."""
    assert raised.frame is not None
    frames = [*raised.callers, raised.frame]
    parameters = {name for frame in frames for name in _parameters(frame)}
    if all(root_of(argument.path) in parameters for argument in inputs):
        return list(inputs)
    users_arguments: dict[str, Input] = {}
    for frame in frames:
        for path, leaf in argument_leaves(frame):
            origin = origin_of(leaf) if is_tracer_type(type(leaf)) else None
            if origin is not None and len(origin.inputs) == 1 and origin.inputs[0] in inputs:
                if getattr(under(leaf), "parent", None) is None:
                    users_arguments.setdefault(origin.inputs[0].path, Input(path, origin.inputs[0].type))
    return [users_arguments.get(argument.path, argument) for argument in inputs]


def _frame_arguments(raised: RaisedAt, tracer: Any) -> list[Input]:
    """Return the arguments of the user's function on which a tracer of vmap or grad depends, as the code shows."""
    frame = raised.frame
    assert frame is not None
    leaves = list(argument_leaves(frame))
    inputs = [Input(path, type_of(under(leaf))) for path, leaf in leaves if leaf is tracer]
    if inputs:
        return inputs
    traced = [(path, leaf) for path, leaf in leaves if is_tracer_type(type(leaf))]
    read = _names_behind(raised)
    return [Input(path, type_of(under(leaf))) for path, leaf in traced if root_of(path) in read]


def _names_behind(raised: RaisedAt) -> set[str]:
    """Return the names that the failing expression reads, and the names that were used to compute their values."""
    names = {part.id for part in ast.walk(raised.node) if isinstance(part, ast.Name)} if raised.node else set()
    function = raised.function
    if function is None:
        return names
    for _ in range(20):
        before = len(names)
        for node in ast.walk(function):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                written = {target.id for part in targets for target in ast.walk(part) if isinstance(target, ast.Name)}
                value = node.iter if isinstance(node, ast.For) else node.value
                if written & names and value is not None:
                    names |= {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        if len(names) == before:
            break
    return names


def _parameters(frame: FrameType) -> tuple[str, ...]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[:count]


def argument_leaves(frame: FrameType) -> list[tuple[str, Any]]:
    """Return the paths and the values of all argument leaves of a running function."""
    import jax

    named_leaves: list[tuple[str, Any]] = []
    for name in _parameters(frame):
        if name not in frame.f_locals:
            continue
        try:
            leaves = jax.tree_util.tree_flatten_with_path(frame.f_locals[name])[0]
        except not_of_a_signal(*FAILURES):
            continue
        named_leaves += [(name + jax.tree_util.keystr(path), leaf) for path, leaf in leaves[:1_000]]
    return named_leaves


# --- operands ---------------------------------------------------------------------------------------------------


def operands(
    raised: RaisedAt | None,
    nodes: Iterable[ast.expr],
    type_of_part: Callable[[RaisedAt, ast.expr], str] | None = None,
) -> str:
    """Return one sentence for each operand, with its type and its origin; empty if nothing is known.

    Args:
        raised: The place where the error was raised.
        nodes: The expressions of the operands.
        type_of_part: Returns the type of an expression whose value at the error is unknown; an empty string if unknown.
    """
    if raised is None or raised.frame is None:
        return ""
    sentences: dict[str, None] = {}  # in the order of the operands; two operands may have one sentence
    for node in nodes:
        sentence = _operand_sentence(raised, node)
        if sentence is None and type_of_part is not None and (type_ := type_of_part(raised, node)):
            sentence = f"{' '.join(raised.source(node).split())} is {type_}."
        if sentence is not None:
            sentences[sentence] = None
    return " ".join([*sentences][:_AT_MOST])


def value_of(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the value of a name, an item or an attribute at the error; None for expressions that would run code."""
    assert raised.frame is not None
    return value_in(ChainMap(raised.frame.f_locals, raised.frame.f_globals), node)


#: The class of the attribute that gives a field of a named tuple, such as `Point.x` of a class `Point`.
_FIELD_OF_TUPLE = type(vars(namedtuple("_One", "field"))["field"])


def value_in(names: Mapping[str, Any], node: ast.expr) -> Any:
    """Return the value of a name, an item or an attribute; None for an expression whose evaluation would run code.

    Args:
        names: The values of the names.
        node: The expression.
    """
    match node:
        case ast.Name(id=name):
            return names.get(name)
        case ast.Subscript(value=inner, slice=index):
            holder, key = value_in(names, inner), _plain_key(names, index)
            if type(holder) is dict:
                return holder.get(key)
            if type(holder) in (list, tuple) and type(key) is int and -len(holder) <= key < len(holder):
                return holder[key]
        case ast.Attribute(value=inner, attr=name):
            holder = value_in(names, inner)
            if isinstance(holder, tuple) and any(
                type(vars(kind).get(name)) is _FIELD_OF_TUPLE for kind in type(holder).__mro__
            ):
                return tuple.__getitem__(holder, type(holder)._fields.index(name))  # type: ignore[attr-defined]  # a named tuple
            instance_fields = instance_dict(holder) if name not in vars(type(holder)) else {}
            return instance_fields.get(name)
    return None


def _plain_key(names: Mapping[str, Any], node: ast.expr) -> Any:
    """Return the integer or the string of an index such as -1, "w" or the name i; None for any other index."""
    match node:
        case ast.Constant(value=key):
            return key
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=number)) if type(number) is int:
            return -number
        case ast.Name(id=name):
            value = names.get(name)
            return value if type(value) in (int, str) else None
    return None


def dtype_of(value: Any) -> str:
    """Return the dtype of an array or a tracer; empty for others, as their attributes could run the user's code."""
    import jax
    import numpy as np

    kind = type(value)
    if is_tracer_type(kind) or issubclass(kind, jax.Array | np.ndarray | np.generic):
        return str(getattr(value, "dtype", ""))
    return ""


NUMBERS_OF_PYTHON: dict[type, str] = {
    bool: "a Python bool",
    int: "a Python int",
    float: "a Python float",
    complex: "a Python complex number",
}
"""The words for the types of numbers that are no arrays."""


def _operand_sentence(raised: RaisedAt, node: ast.expr) -> str | None:
    value = value_of(raised, node)
    text = " ".join(raised.source(node).split())
    if type(value) in NUMBERS_OF_PYTHON:
        return f"{text} is {NUMBERS_OF_PYTHON[type(value)]}."
    type_ = type_of(value) if value is not None else type_of_new_array(raised, node)
    if not type_:
        return None
    if value is None:
        return f"{text} is {type_}."
    path = path_of(raised, value, text) if dtype_of(value) else None
    if not is_tracer_type(type(value)):
        return f"{text} is {path} ({type_})." if path is not None else f"{text} is {type_}."
    inner = type_of(under(value))
    origin = origin_of(value)
    origins = culprits(raised, [value])
    paths = [argument.path for argument in origins.inputs]
    at = line_of(value)
    if inner != type_ and origin is not None and origin.function is None:
        type_of_mapped_array, type_of_element = inner, type_
        if (name := _name_in_callers(raised, under(value))) not in (None, text):
            return f"{text} is one element of {name} ({type_of_mapped_array}): {type_of_element}."
        return f"{text} is one element of {type_of_mapped_array}: {type_of_element}."
    if paths == [text]:
        return f"The argument {text} is {path} ({type_})." if path else f"The argument {text} is {type_}."
    if at is None and len(origins.inputs) == 1 and _is_argument(raised, value):
        argument = paths[0]
        return f"{text} is the argument {argument} ({type_})."
    if at is not None:
        return f"{text} is {type_}, computed in line {at}."
    if path is not None:
        return f"{text} is {path} ({type_})."
    return f"{text} is {type_}."


def _name_in_callers(raised: RaisedAt, array: Any) -> str | None:
    """Return the only name of an array in the innermost caller that has a name for the array."""
    for frame in reversed(raised.callers):
        names = [name for name, value in frame.f_locals.items() if value is array and not name.startswith("_")]
        if names:
            return names[0] if len(names) == 1 else None
    return None


def _is_argument(raised: RaisedAt, value: Any) -> bool:
    """Return whether a traced value is itself an argument of a function on the stack, under any name."""
    assert raised.frame is not None
    return any(leaf is value for frame in (raised.frame, *raised.callers) for _, leaf in argument_leaves(frame))


_MAKERS = frozenset("ones zeros eye arange linspace full array identity".split())


def type_of_new_array(raised: RaisedAt, node: ast.expr) -> str:
    """Return the type of the array that a call such as jnp.zeros((3, 4)) makes; empty for any other expression."""
    import jax
    import jax.numpy as jnp

    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as module, attr=name), args=args, keywords=[]) if (
            name in _MAKERS and value_of(raised, module) is jnp
        ):
            try:
                numbers = [ast.literal_eval(argument) for argument in args]
                with unheard():  # the user's listeners to jax.monitoring get no event of this trace
                    return type_of(jax.eval_shape(lambda: getattr(jnp, name)(*numbers)))
            except not_of_a_signal(*FAILURES):
                return ""
    return ""


def line_of(tracer: Any) -> int | None:
    """Return the line of the user's code that computed a traced value; None if no line of the user's code did."""
    traceback = maker_of(tracer)
    if traceback is None:
        return None
    codes, lasts = traceback.raw_frames()
    for code, last in zip(codes, lasts, strict=True):
        if not is_installed(file_of(code)):
            line: int = type(traceback).code_addr2location(code, last)[0]
            return line
    return None


MASK_OF_ROWS = "The mask needs the shape of the array: give a mask of rows a second axis, as in mask[:, None]."


def masks_elements(raised: RaisedAt, node: ast.Subscript) -> bool:
    """Return whether the mask in x[mask] certainly has one element for each element of x.

    For a mask of rows, jnp.where would broadcast the mask along the wrong axis.
    """
    array = value_of(raised, node.value)
    return bool(dtype_of(array)) and (array.ndim == 1 or axes_of(raised, node.slice) == array.ndim)


def axes_of(raised: RaisedAt, node: ast.expr) -> int | None:
    """Return the number of axes of an elementwise expression; None if unknown."""
    match node:
        case ast.Constant():
            return 0
        case ast.Compare(left=left, comparators=rights):
            operands = [left, *rights]
        case ast.BinOp(left=left, right=right):
            operands = [left, right]
        case ast.UnaryOp(operand=operand):
            operands = [operand]
        case _:
            value = value_of(raised, node)
            if type(value) in (int, float, bool, complex):
                return 0
            return int(value.ndim) if dtype_of(value) else None
    axes = [axes_of(raised, operand) for operand in operands]
    return None if None in axes else max(axis_count for axis_count in axes if axis_count is not None)


def makes_key(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression is a key of jax.random, or a call that makes a key."""
    maker_name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    value = value_of(raised, node) if raised.frame is not None else None
    return maker_name.endswith(("random.key", "random.PRNGKey")) or dtype_of(value).startswith("key<")
