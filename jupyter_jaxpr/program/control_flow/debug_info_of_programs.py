"""Reads JAX's debug information on inner programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, Limit, text_of
from ..jaxpr.parameters import open_jaxpr
from ..source.positions import Positions


@dataclass(frozen=True)
class Debug:
    """JAX's debug information on the function from which a program was traced; empty if JAX has none.

    Attributes:
        users: true if the function is in a file of the user.
    """

    function: str = ""
    file: str = ""
    line: int = 0
    traced_for: str = ""
    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    users: bool = False


def debug_of(jaxpr: Any, positions: Positions) -> Debug:
    """Return JAX's debug information on the function from which a program was traced."""
    info = getattr(open_jaxpr(jaxpr), "debug_info", None)
    if info is None:
        return Debug()
    function = text_of(getattr(info, "func_name", None) or "")
    source = text_of(getattr(info, "func_src_info", None) or "", Limit.FILE)
    file, line = _place(source)
    return Debug(
        function=function,
        file=file,
        line=line,
        traced_for=text_of(getattr(info, "traced_for", None) or ""),
        arguments=_texts(getattr(info, "arg_names", None)),
        results=_texts(getattr(info, "result_paths", None)),
        users=bool(file) and positions.source_file(file).kind != "library",
    )


def _texts(paths: Any) -> tuple[str, ...]:
    try:
        return tuple("" if path is None else text_of(path, Limit.PATH) for path in paths or ())
    except not_of_a_signal(*FAILURES):  # JAX has not computed these paths yet, so they are unknown
        return ()


def _place(source: str) -> tuple[str, int]:
    """Return (file, line) from a text such as `step at /a/b.py:46`."""
    _, _, place = source.rpartition(" at ")
    file, _, line = place.rpartition(":")
    return (file, int(line)) if file and line.isdigit() else ("", 0)
