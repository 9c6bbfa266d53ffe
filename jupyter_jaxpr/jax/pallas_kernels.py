"""Finds the user's kernel for which `pallas_call` made a jitted function."""

from __future__ import annotations

import os
from types import FunctionType
from typing import Any

_PALLAS_CALL = os.path.join("jax", "_src", "pallas", "pallas_call.py")


def kernel_of(fun: Any) -> Any:
    """Return the user's kernel inside a function of `pallas_call`; None for any other function."""
    if type(fun) is not FunctionType or not fun.__code__.co_filename.endswith(_PALLAS_CALL):
        return None
    cells = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=False))
    return cells["kernel"].cell_contents if "kernel" in cells else None
