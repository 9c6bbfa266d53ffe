"""Decides whether the user jitted a function, or JAX or another package jitted it for its own work.

Functions that a package jitted for its own work are counted, but not listed in the ledger.
"""

from __future__ import annotations

import functools
import os
import sys
from types import CodeType, FrameType, FunctionType
from typing import Any

from ...jax.facts import is_jitted
from ...plain_text import file_of, own_name
from ..functions.function_inside_wrappers import code_of, next_inside, unwrap
from .users_line_of_call import frame_outside
from .whose_code import is_installed, is_jax, is_users_code_of, is_users_frame

# Frames of these packages may stand between the user's call and `jax.jit`: the user then counts as the caller.
_WRAPPERS = ("equinox", "flax", "jaxtyping", "beartype")


def is_library(fun: Any, code: CodeType | None, frame: FrameType) -> bool:
    """Return whether JAX or another package, not the user, jitted a function for its own work."""
    file = file_of(code) if code is not None else ""
    if code is not None and not is_jax(file):
        inner = unwrap(fun)
        written_by_user = is_users_code_of(inner) if type(inner) is FunctionType else not is_installed(file)
        return not written_by_user and not _called_by_user(frame)
    # The code is JAX's, so the caller of `jax.jit` decides: the user jitted `jax.jit(jax.nn.softmax)`, JAX jitted
    # `jnp.where`.
    caller = frame_outside(frame, _is_entry)
    return caller is None or is_jax(file_of(caller.f_code)) or _owned_by_module(fun)


def is_users(fun: Any) -> bool:
    """Return whether the code that a function runs is the user's.

    Used for functions without an observed miss.
    """
    code = code_of(fun)
    return code is not None and not is_installed(file_of(code))


def is_of_jax(called: Any) -> bool:
    """Return whether the code of a jitted function is JAX's."""
    code = code_of(called._fun if is_jitted(called) else called)
    return code is not None and is_jax(file_of(code))


def is_library_jit(value: Any) -> bool:
    """Return whether a value is the result of equinox's `filter_jit` or flax's `nnx.jit`, which act like `jax.jit`."""
    kind = type(value)
    return kind.__module__.partition(".")[0] in ("equinox", "flax") and "jit" in kind.__name__.lower()


def _owned_by_module(fun: Any) -> bool:
    owner: Any = sys.modules.get(own_name(fun, "__module__") or "")
    for part in (own_name(fun, "__qualname__") or "").split("."):
        owner = getattr(owner, part, None)
    if owner is None or owner is fun:
        return False
    # jnp.negative is a ufunc object that contains a jitted function, and the expression `-x` calls this jitted
    # function.
    return getattr(owner, "__wrapped__", None) is fun or (isinstance(owner, _ufunc()) and next_inside(fun) is None)


def _ufunc() -> type:
    import jax.numpy

    return jax.numpy.ufunc


def _called_by_user(frame: FrameType) -> bool:
    caller = frame_outside(frame, lambda file: is_jax(file) or _is_wrapper(file))
    return caller is not None and is_users_frame(caller)


def asked_by_jax(frame: FrameType) -> bool:
    """Return whether JAX itself, not the user, asked for a trace of a jitted function.

    `frame` is the frame of JAX's jit module that traces the function.
    """
    own_file = file_of(frame.f_code)
    caller = frame_outside(frame, lambda file: file == own_file or _is_entry(file))
    return caller is None or is_jax(file_of(caller.f_code))


def _is_entry(file: str) -> bool:
    """Return whether a file is `traceback_util.py` of JAX.

    JAX puts a frame of this file around each function of its public API.
    """
    return file.endswith(os.path.join("jax", "_src", "traceback_util.py"))


@functools.lru_cache(maxsize=4096)
def _is_wrapper(file: str) -> bool:
    return any(f"{os.sep}{package}{os.sep}" in file for package in _WRAPPERS)
