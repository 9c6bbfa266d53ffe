"""Explains a mesh that needs more devices than JAX has."""

from __future__ import annotations

import ast
import math
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ..explanation import Explained
from ..failing_code.place_of_error import RaisedAt

_TOO_FEW = re.compile(
    r"^Number of devices (?P<number>\d+) must be >= the product of mesh_shape (?P<shape>\((?:\d+,? ?)+\))"
)


def mesh_size_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains jax.make_mesh((2, 4), ...) with fewer than 8 devices."""
    import jax

    match = _TOO_FEW.match(message_of(error).strip()) if isinstance(error, ValueError) else None
    if match is None:
        return None
    number, shape = int(match["number"]), match["shape"]
    needed = math.prod(ast.literal_eval(shape))
    title = f"A mesh of the shape {shape} needs {count(needed, 'device')}, but JAX has {count(number, 'device')}"
    words = f"Pass a shape of the mesh whose sizes multiply to at most {number}."
    cures = [FoundCure("the shape", None, words)]
    if jax.default_backend() == "cpu":
        code = f'jax.config.update("jax_num_cpu_devices", {needed})'
        words = f"Write this line before any other use of JAX. JAX then has {needed} devices on the CPU."
        cures.append(FoundCure("jax_num_cpu_devices", code, words))
    return Explained(None, title, "", tuple(cures))
