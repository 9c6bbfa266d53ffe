"""Two warnings of JAX in, what they are about out: a 64-bit type that JAX truncates, a donated buffer without use.

The module of JAX that warns asks `warnings` for its `warn`. What stands in the place of `warnings` in that module tells
us so, and gives Python's own function: the warning, its line, its filters and its count stay as they are without us.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..plain_text import FAILURES, exact
from .facts import private


class TruncatedType(NamedTuple):
    """A type that was asked for by its name, and the narrower type that JAX takes in its place."""

    asked: str
    taken: str


class DonatedArgument(NamedTuple):
    """A donated argument whose memory no result uses."""

    path: str  # such as p['w']; empty where JAX does not know it
    type: str
    results: int  # how many results have this type
    taken: int  # how many of these results use the memory of another argument


class UnusedDonation(NamedTuple):
    """The donated arguments of a program that JAX could not use."""

    program: str  # JAX's name, such as jit(f)
    arguments: tuple[DonatedArgument, ...]
    results: tuple[str, ...]  # the types of the results
    is_supported: bool  # whether the platform knows donation


Warned = TruncatedType | UnusedDonation


class ToldWarnings:
    """Tells of these warnings as JAX is about to give them.

    Args:
        tell: Gets what the warning is about, and the frame of JAX that warns.
        fail: Gets an error of ours.
    """

    def __init__(self, tell: Callable[[Warned, FrameType], None], fail: Callable[[BaseException], None]) -> None:
        self._tell = tell
        self._fail = fail
        self._replaced: list[tuple[Any, _Telling, Any]] = []

    def start(self) -> None:
        """Begin to tell.

        Raises:
            AttributeError: This JAX warns in another way.
        """
        if self._replaced:
            return
        dtypes, mlir = private("dtypes"), private("interpreters.mlir")
        self._replace(dtypes, dtypes.warnings, dtypes._maybe_canonicalize_explicit_dtype.__code__, _truncated)
        self._replace(mlir, mlir.warnings, mlir.lower_jaxpr_to_module.__code__, _unused)

    def _replace(self, module: Any, before: Any, code: CodeType, read: Callable[[Any], Warned]) -> None:
        def asked(frame: FrameType) -> None:
            try:
                if frame.f_code is code:
                    self._tell(read(frame.f_locals), frame)
            except FAILURES as error:
                self._fail(error)

        telling = _Telling(before, asked)
        self._replaced.append((module, telling, before))
        module.warnings = telling

    def stop(self) -> None:
        """Tell no more, and leave JAX as it was."""
        for module, telling, before in self._replaced:
            if module.warnings is telling:
                module.warnings = before
        self._replaced.clear()


class _Telling:
    """Python's `warnings`, which tells that `warn` is about to be called."""

    def __init__(self, module: Any, tell: Callable[[FrameType], None]) -> None:
        self._module = module
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        if name == "warn":
            self._tell(sys._getframe(1))
        return getattr(self._module, name)


def _truncated(given: Any) -> Warned:
    return TruncatedType(exact(str(given["dtype"])), exact(str(given["canonical_dtype"])))


def _unused(given: Any) -> Warned:
    avals, results = given["sharded_in_avals"], given["sharded_out_avals"]
    names = given["arg_names"] or [""] * len(avals)
    used = given["input_output_aliases"] or [None] * len(avals)
    kinds = [_kind(aval) for aval in results]
    taken = [_kind(aval) for aval, result in zip(avals, used, strict=True) if result is not None]
    return UnusedDonation(
        exact(str(given["module_name"])),
        tuple(
            DonatedArgument(exact(name or ""), _type(aval), kinds.count(_kind(aval)), taken.count(_kind(aval)))
            for name, aval, is_unused in zip(names, avals, given["donated_args"], strict=True)
            if is_unused
        ),
        tuple(map(_type, results)),
        bool(given["platforms_with_donation"]),
    )


def _kind(aval: Any) -> Any:
    return getattr(aval, "shape", None), str(getattr(aval, "dtype", aval))


def _type(aval: Any) -> str:
    return exact(aval.str_short(short_dtypes=True))
