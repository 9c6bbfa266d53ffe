"""Explains a flat array of a wrong length that the function unravel of `ravel_pytree` gets."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....observe.user_or_library.whose_code import is_jax
from ....plain_text import file_of, message_of
from ....quantities import count
from ..explanation import Explained
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt

_SIZES = re.compile(r"^Sum of sizes (\d+) must be equal to dimension 0 of the operand shape [\[(](\d+),?[\])]")


def raveled_tree_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains unravel(flat[:-1]), where `flat, unravel = ravel_pytree(tree)`."""
    match = _SIZES.match(message_of(error).strip())
    call = raised.node if raised is not None else None
    if match is None or raised is None or not isinstance(call, ast.Call) or not _is_in_unravel(error):
        return None
    source = raised.source(call.func)
    needed, given = count(int(match[1]), "element"), match[2]
    title = f"{source} takes an array of {needed}, but gets {given}"
    text = " ".join(filter(None, [f"ravel_pytree made {source} for a tree of {needed}.", operands(raised, call.args)]))
    words = f"Pass an array of {needed}, or call ravel_pytree again for another tree."
    return Explained(None, title, text, (FoundCure("equal sizes", None, words),))


def _is_in_unravel(error: BaseException) -> bool:
    """Return whether the traceback has a frame of JAX's module that flattens trees into arrays."""
    traceback = error.__traceback__
    while traceback is not None:
        file = file_of(traceback.tb_frame.f_code)
        if is_jax(file) and file.endswith("flatten_util.py"):
            return True
        traceback = traceback.tb_next
    return False
