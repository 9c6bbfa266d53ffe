"""Explains a shift x << 3 of floats, and names the arguments of floats from which the code computes x."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import culprits, dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import SHIFTED_FLOATS

_SHIFT = re.compile(r"^shift_\w+ does not accept dtype (?P<dtype>\w+)")
_ON_BITS = ast.BitXor | ast.BitAnd | ast.BitOr


def shifted_float_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains the operators << and >> on floats; None if the code does not show the operands."""
    match = _SHIFT.search(message_of(error).strip()) if isinstance(error, TypeError) else None
    if match is None or raised is None or not isinstance(raised.node, ast.BinOp) or raised.frame is None:
        return None
    nodes = [raised.node.left, raised.node.right]
    floats = [node for node in nodes if _is_of_floats(dtype_of(value_of(raised, node)))]
    if len(floats) != 1:
        return None
    name, jnp = " ".join(raised.source(floats[0]).split()), jnp_name(raised)
    origin = culprits(raised, [value_of(raised, floats[0])])
    inputs = [argument for argument in origin.inputs if argument.type.startswith(("f", "bf"))]
    text = " ".join(filter(None, [operands(raised, floats), origin.sentence if inputs else ""]))
    title = SHIFTED_FLOATS.format(dtype=match["dtype"])
    if len(inputs) == 1 and inputs[0].path != name:
        words = (
            f"Convert {inputs[0].path} to integers before the code computes {name}, as in "
            f"{inputs[0].path}.astype({jnp}.uint32)."
        )
        return Explained(None, title, text, (FoundCure("an integer", None, words),))
    words = f"Convert {name} to integers before this line, as in {name}.astype({jnp}.uint32)."
    cures = [FoundCure("an integer", None, words)]
    if not any(isinstance(getattr(part, "op", None), _ON_BITS) for part in ast.walk(raised.function or raised.node)):
        words = "For floats, multiply by a power of 2 in place of the shift, as in x * 2.0**n."
        cures.append(FoundCure("a power of 2", None, words))
    return Explained(None, title, text, tuple(cures))


def _is_of_floats(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat"))
