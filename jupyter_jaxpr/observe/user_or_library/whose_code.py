"""Decides whether a file, a code object or a frame belongs to the user, to an installed package or to JAX."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any

from ...interruptions import PACKAGE
from ...jax.facts import jax_directory
from ...plain_text import attribute_of, file_of, function_of, own_name


def is_users_frame(frame: FrameType) -> bool:
    """Return whether a frame runs code of the user's."""
    file = frame.f_code.co_filename
    if type(file) is not str:
        file = file_of(frame.f_code)
    return not is_installed(file) and (file != _TEXT or _is_users_text(frame.f_code, frame.f_globals))


def is_users_code_of(fun: FunctionType) -> bool:
    """Return whether the code of a Python function is the user's."""
    file = file_of(fun.__code__)
    return not is_installed(file) and (file != _TEXT or _is_users_text(fun.__code__, fun.__globals__))


def is_class_of_users(kind: type) -> bool:
    """Return whether a class is defined in a notebook, a script or a module of the user's."""
    name = own_name(kind, "__module__")
    if name is None or name == "__main__":
        return name is not None
    file = attribute_of(sys.modules.get(name), "__file__")
    return type(file) is str and not is_installed(file)


_TEXT = "<string>"
"""The file name of code from `exec`, such as by `python -c` and `%prun`, and of methods that dataclasses generate."""


def _is_users_text(code: CodeType, names: Mapping[str, Any]) -> bool:
    """Return whether code that has no file is the user's; if not, a package or `dataclasses` made it."""
    if function_of(code).startswith("__create_fn__."):
        return False
    name = names.get("__name__")
    if name == "__main__":
        # Code of `__main__` counts as the user's, even if the main program is an installed one, such as pytest.
        return True
    module = sys.modules.get(name) if type(name) is str else None
    file = attribute_of(module, "__file__")
    return not (type(file) is str and is_installed(file))


@functools.cache
def _installed_roots() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    roots = {sysconfig.get_path(name) for name in names}
    return tuple(root + os.sep for root in roots if root)


@functools.lru_cache(maxsize=4096)
def is_jax(file: str) -> bool:
    """Return whether a file is part of JAX."""
    return file.startswith(jax_directory())


@functools.lru_cache(maxsize=4096)
def is_installed(file: str) -> bool:
    """Return whether a file belongs to Python, an installed package or this package, so that it is not the user's."""
    return (
        file.startswith(("<frozen", PACKAGE, *_installed_roots()))
        or f"{os.sep}site-packages{os.sep}" in file
        or f"{os.sep}dist-packages{os.sep}" in file
        or is_jax(file)
    )
