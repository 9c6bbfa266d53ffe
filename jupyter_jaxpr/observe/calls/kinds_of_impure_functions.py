"""Recognises the functions and methods whose result can differ from call to call, and gives the kind of each."""

from __future__ import annotations

import builtins
import datetime
import functools
import getpass
import glob
import logging
import os
import pathlib
import platform
import random
import secrets
import socket
import subprocess
import sys
import time
import types
import uuid
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, Final, Literal

from ...plain_text import exact, kind_name, mro_of

Kind = Literal["clock", "random", "file", "environment", "variable", "input", "outside", "iterator", "log", "print"]

# function that reads the clock -> the largest number of arguments with which it reads the clock
OF_NOW: Final[Mapping[str, int]] = {
    "time.localtime": 0,
    "time.gmtime": 0,
    "time.ctime": 0,
    "time.asctime": 0,
    "time.strftime": 1,
}

_NOW = frozenset({"now", "utcnow", "today"})
# Methods of a random generator that draw no number.
_NO_DRAW = frozenset({"getstate", "setstate", "get_state", "set_state", "spawn"})
_FRESH_WITHOUT_SEED = frozenset({"np.random.default_rng", "np.random.RandomState", "random.Random"})
_LOGS = frozenset("critical debug error exception info log warning".split())
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_METHODS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)


@functools.cache
def _functions() -> Mapping[int, tuple[str, Kind, Any]]:
    """Return {id of a function: (name, kind, function)}.

    The tuple keeps the function alive, so that its id stays unique.
    """
    return {id(function): (name, kind, function) for name, kind, function in _listed()}


def _listed() -> Iterator[tuple[str, Kind, Any]]:
    import numpy as np

    clocks = (
        "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns thread_time "
        "thread_time_ns clock_gettime localtime gmtime ctime asctime strftime"
    )
    of_files = "exists isfile isdir getsize getmtime getctime getatime"
    of_paths = "open read_text read_bytes exists is_file is_dir stat iterdir glob rglob"
    of_processes = "run call check_call check_output getoutput Popen"
    secret = "token_bytes token_hex token_urlsafe randbelow randbits choice"
    yield from (("time." + name, "clock", getattr(time, name)) for name in clocks.split())
    yield from (("secrets." + name, "random", getattr(secrets, name)) for name in secret.split())
    yield from (("uuid." + name, "random", getattr(uuid, name)) for name in ("uuid1", "uuid4"))
    yield from (("Path." + name, "file", getattr(pathlib.Path, name)) for name in of_paths.split())
    yield from (("os.path." + name, "file", getattr(os.path, name)) for name in of_files.split())
    yield from (("os." + name, "file", getattr(os, name)) for name in "listdir scandir walk stat getcwd".split())
    yield from (("glob." + name, "file", getattr(glob, name)) for name in ("glob", "iglob"))
    yield from (("subprocess." + name, "outside", getattr(subprocess, name)) for name in of_processes.split())
    yield from (("os." + name, "outside", getattr(os, name)) for name in ("getpid", "popen", "system"))
    yield from (("np." + name, "file", getattr(np, name)) for name in ("load", "loadtxt", "genfromtxt", "fromfile"))
    yield from (("np.random." + name, "random", getattr(np.random, name)) for name in ("default_rng", "RandomState"))
    yield from (("logging." + name, "log", getattr(logging, name)) for name in sorted(_LOGS))
    yield "np.random.seed", "random", np.random.seed
    yield "random.Random", "random", random.Random
    yield "os.urandom", "random", os.urandom
    yield "os.getenv", "environment", os.getenv
    yield "open", "file", open
    yield "getpass.getpass", "input", getpass.getpass
    yield "socket.gethostname", "outside", socket.gethostname
    yield "platform.node", "outside", platform.node
    yield "urllib.request.urlopen", "outside", _urlopen()


def _urlopen() -> Any:
    """Return `urllib.request.urlopen`; None if that module is not imported."""
    module = sys.modules.get("urllib.request")
    return None if module is None else vars(module).get("urlopen")


def _of_packages(function: FunctionType) -> tuple[str, Kind] | None:
    """Return (name, kind) of a function in a package that reads files or the network; the package is not imported."""
    module, name = function.__module__, function.__name__
    if type(module) is not str or type(name) is not str:
        return None
    package = module.partition(".")[0]
    if package in ("pandas", "polars") and name.startswith("read_"):
        return f"{package}.{exact(name)}", "file"
    if module == "requests.api":
        return f"requests.{exact(name)}", "outside"
    if module == "PIL.Image" and name == "open":
        return "Image.open", "file"
    return None


def impure_source(called: Any, first: Any) -> tuple[str, Kind] | None:
    """Return (name, kind) of a function whose result can differ at the next call; None for other objects."""
    kind = type(called)
    function = _functions().get(id(called))
    if function is not None:
        is_seeded = function[0] in _FRESH_WITHOUT_SEED and not (first is None or first is _missing())
        return None if is_seeded else function[:2]
    receiver = receiver_of(called, first)
    if kind is types.FunctionType and receiver is os.environ and called is type(os.environ).get:
        return "os.environ.get", "environment"
    # IPython gives cells a wrapper of `open`
    if kind is types.FunctionType and vars(called).get("__wrapped__") is open:
        return "open", "file"
    if kind in _FUNCTIONS and type(builtins.input) is kind and called == builtins.input:
        return "input", "input"  # the kernel of a notebook replaces Python's `input`
    if kind is types.FunctionType and (of_package := _of_packages(called)) is not None:
        return of_package
    name = method_name(called, receiver)
    if name is None or name.startswith("_") or name in _NO_DRAW:
        return None
    if issubclass(type(receiver), type):
        return (f"datetime.{name}", "clock") if issubclass(receiver, datetime.date) and name in _NOW else None
    if issubclass(type(receiver), logging.Logger):
        return (f"{kind_name(type(receiver))}.{name}", "log") if name in _LOGS else None
    if receiver is generator_of_random():
        return f"random.{name}", "random"
    if receiver is generator_of_numpy():
        return f"np.random.{name}", "random"
    # `isinstance` would run the `__class__` property of a user's proxy object
    if issubclass(type(receiver), generator_types()):
        return f"{kind_name(type(receiver))}.{name}", "random"
    return None


def method_name(called: Any, receiver: Any) -> str | None:
    """Return the name of the called method of `receiver`; None if `called` is no method of this object."""
    inner = called.__func__ if type(called) is types.MethodType else called
    if type(inner) not in _METHODS and not _is_cython(type(inner)):
        return None
    name = inner.__name__
    if type(name) is not str:
        return None
    if type(inner) is types.FunctionType:
        kinds = mro_of(receiver if issubclass(type(receiver), type) else type(receiver))
        if not any(type.__dict__["__dict__"].__get__(kind).get(name) is inner for kind in kinds):
            return None
    return name


def receiver_of(called: Any, first: Any) -> Any:
    """Return the object whose method is called; `first` is the first argument of the call."""
    if type(called) in (types.MethodType, types.BuiltinFunctionType):
        return called.__self__
    bound = getattr(called, "__self__", None) if _is_cython(type(called)) else None
    return first if bound is None else bound


def _is_cython(kind: type) -> bool:
    return kind_name(kind) == "cython_function_or_method"


def generator_of_random() -> Any:
    """Return the generator behind the functions of the module `random`."""
    return getattr(random.random, "__self__", None)


def generator_of_numpy() -> Any:
    """Return the generator behind the functions of `np.random`."""
    import numpy as np

    return getattr(np.random.normal, "__self__", None)


def generator_types() -> tuple[type, ...]:
    """Return the types of the random generators of NumPy and Python."""
    import numpy as np

    return np.random.Generator, np.random.RandomState, random.Random


def _missing() -> Any:
    monitor = vars(sys).get("monitoring")
    return None if monitor is None else monitor.MISSING
