"""Lists the functions of Python and of packages whose results can differ from call to call, with the kind of each."""

from __future__ import annotations

import functools
import getpass
import glob
import os
import pathlib
import platform
import random
import secrets
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, Final, Literal

from ...plain_text import exact

Kind = Literal["clock", "random", "file", "environment", "variable", "input", "outside", "iterator"]

# function that reads the clock -> the largest number of arguments with which it does
OF_NOW: Final[Mapping[str, int]] = {
    "time.localtime": 0,
    "time.gmtime": 0,
    "time.ctime": 0,
    "time.asctime": 0,
    "time.strftime": 1,
}


@functools.cache
def functions() -> Mapping[int, tuple[str, Kind, Any]]:
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


def of_packages(function: FunctionType) -> tuple[str, Kind] | None:
    """Return (name, kind) of a package function that reads files or the network.

    The check does not import the package.
    """
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
