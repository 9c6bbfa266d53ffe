"""Explains a layer of flax.nnx that gets a random key in place of an Rngs, or a number in place of a parameter."""

from __future__ import annotations

import ast
import re
from types import FrameType
from typing import Any

from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import message_of, mro_of, own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import NUMBERS_OF_PYTHON, dtype_of, makes_key, operands, value_of
from ..failing_code.place_of_error import RaisedAt

_NO_STREAM = re.compile(r"^'?(?:[\w.]*\.)?(int|PRNGKeyArray|ArrayImpl|\w*Tracer)'? object has no attribute '\w+'")
_NO_VALUE = re.compile(r"^'(bool|int|float|complex)' object (?:is not subscriptable|has no attribute 'value')")

_COMPARED = re.compile(r"^'([<>]=?)' not supported between instances of '\w+' and '\w+'")


def nnx_value_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains nnx.Linear(2, 3, rngs=key), and a call of a layer after m.bias = 0.0."""
    if raised is None or raised.frame is None or not isinstance(error, AttributeError | TypeError):
        return None
    if isinstance(error, TypeError) and (compared := _COMPARED.match(message_of(error))) is not None:
        return _variable(raised, compared[1])
    frame = _last_frame(error)
    if frame is None or not (frame.f_globals.get("__name__") or "").startswith("flax.nnx"):
        return None
    text = message_of(error).strip()
    if isinstance(error, AttributeError) and _NO_STREAM.search(text):
        return _no_rngs(raised, frame)
    if (number := _NO_VALUE.search(text)) is not None:
        return _number(raised, frame, number[1])
    return None


def _variable(raised: RaisedAt, sign: str) -> Explained | None:
    """Explains self.scale > 0 with a variable of nnx, which has no order; None if no operand is a variable."""
    node = raised.node
    for part in [node.left, *node.comparators] if isinstance(node, ast.Compare) else []:
        kind = type(value_of(raised, part))
        if not any((own_name(base, "__module__") or "") == "flax.nnx.variablelib" for base in mro_of(kind)):
            continue
        source = raised.source(part)
        title = f"{source} is a variable of flax ({kind.__name__}), which {sign} cannot compare"
        code = f"{source}[...]"
        words = f"{code} is the array of the variable."
        cure = applied(FoundCure("[...]", code, words), [edit_of(raised, over(part, code))])
        choice = f"{words} A traced function chooses with jnp.where or jax.lax.cond in place of if."
        return Explained(None, title, "", tuple(passed(raised, [cure])) or (FoundCure("[...]", None, choice),))
    return None


def _last_frame(error: BaseException) -> FrameType | None:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame if traceback is not None else None


def _no_rngs(raised: RaisedAt, frame: FrameType) -> Explained | None:
    """Explains a layer that gets a key or a seed as rngs."""
    rngs = frame.f_locals.get("rngs")
    call = raised.node
    if not isinstance(call, ast.Call) or not (type(rngs) is int or dtype_of(rngs)):
        return None
    node = next((keyword.value for keyword in call.keywords if keyword.arg == "rngs"), None) or passed_node(
        raised, "rngs"
    )
    if node is None:
        return None
    source = " ".join(raised.source(node).split())
    kind = "a seed" if type(rngs) is int else "a random key" if makes_key(raised, node) else "an array"
    kind = "a random key" if dtype_of(rngs).startswith("key<") else kind
    title = f"A layer of nnx takes an nnx.Rngs as rngs, but {source} is {kind}"
    maker = _name_of_rngs(raised)
    code = f"{maker}({raised.source(node)})" if maker is not None else None
    words = (
        f"Pass rngs={code or 'nnx.Rngs(key)'}: an Rngs makes a new random key each time that a layer asks for a key."
    )
    # An Rngs that is made here would give the same keys to each layer of the module.
    if isinstance(raised.function, ast.FunctionDef) and source in [part.arg for part in raised.function.args.args]:
        code = None
        words = (
            f"Pass {maker or 'nnx.Rngs'}(0) in place of the key as the argument {source}: an Rngs makes a new random "
            "key each time that a layer asks for a key."
        )
    cure = FoundCure("nnx.Rngs", code, words)
    if code is not None:
        cure = applied(cure, [edit_of(raised, over(node, code))])
    text = "A layer asks rngs for a key by a name, such as rngs.params()."
    return Explained(None, title, text, tuple(passed(raised, [cure])) or (FoundCure(cure.name, None, words),))


def _name_of_rngs(raised: RaisedAt) -> str | None:
    """Return the code that names the class Rngs in the user's module, such as nnx.Rngs; None without such a name."""
    for name, value in namespace(raised).items():
        if own_name(value, "__module__") == "flax.nnx.rnglib" and own_name(value, "__name__") == "Rngs":
            return name
        if own_name(value, "__name__") == "flax.nnx":
            return f"{name}.Rngs"
    return None


def _number(raised: RaisedAt, frame: FrameType, kind: str) -> Explained | None:
    """Explains a layer whose parameter an assignment such as m.bias = 0.0 replaced by a number."""
    layer: Any = frame.f_locals.get("self")
    values = {name: value for name, value in instance_dict(layer).items() if name in frame.f_code.co_names}
    # The numbers may include settings, such as the number of features: an assignment must show which one is wrong.
    numbers = [
        name for name, value in values.items() if type(value).__name__ == kind and type(value) in NUMBERS_OF_PYTHON
    ]
    assignments = [
        node
        for node in ast.walk(raised.loops.module if raised.loops is not None else ast.Module([], []))
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Attribute)
        and node.targets[0].attr in numbers
    ]
    if len(assignments) != 1 or not isinstance(assignments[0].targets[0], ast.Attribute):
        return None
    target, value = assignments[0].targets[0], assignments[0].value
    source = raised.source(target)
    kind_of_number = NUMBERS_OF_PYTHON[type(values[target.attr])]
    title = f"{source} is {kind_of_number}, but the layer needs a parameter"
    text = f"The line {raised.source(assignments[0])} replaces the parameter. {operands(raised, [value])}".strip()
    words = f"Write {source}[...] = {raised.source(value)}, which gives all elements of the parameter the value."
    code = f"{source}[...] = {raised.source(value)}"
    cure = FoundCure("[...]", code, words)
    return Explained(edit_of(raised, over(target, "")).place, title, text, (cure,))
