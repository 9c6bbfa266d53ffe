"""Declares the methods of a `Receiver`: the object that JAX's hooks and events call."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from ..interruptions import not_of_a_signal
from .missed_calls import DerivedCall, JitCall


class Receiver(Protocol):
    """The object that the hooks call; no method may raise, and each runs on the thread that called JAX.

    Attributes:
        library: id of a library function -> its number of misses; the receiver adds the functions.
        shows_libraries: True to report calls of library functions outside of a trace, too.
    """

    library: dict[int, int]
    shows_libraries: bool

    def installed(self) -> None:
        """Receive the report that the hooks are installed."""

    def missed(self, call: JitCall) -> bool:
        """Receive a call that missed the C++ cache. Return whether to report the later stages of the call."""

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """Receive a jitted function that JAX traces, lowers or asks for its shapes, without a call of the function.

        `frame` is the frame of the JAX function that does so.
        """

    def traced(self, call: JitCall) -> None:
        """Receive a call that now has a program; `params` and `args_flat` of the call are set.

        JAX has traced the function or found an earlier trace. The program has not run yet. Traces for a transform are
        not reported.
        """

    def trace_raised(self, name: str | None, error: BaseException | None) -> None:
        """Receive an outermost trace that raised, with the name of the function in JAX's events.

        `error` is still passing through JAX's frames; None if this version of JAX does not show the error.
        """

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """Receive a call that has run.

        `fast_path` is True if the next call of this kind will hit the C++ cache. `executable` is None if a transform or
        an enclosing trace handled the call.
        """

    def derived(self, call: DerivedCall) -> None:
        """Receive a program that JAX derived from a jitted function and has run, outside of any jit."""

    def stage_started(self, event: str, name: str | None) -> None:
        """Receive the start of a trace, a lowering or a compile."""

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """Receive the end of a trace, a lowering or a compile."""

    def from_disk(self) -> None:
        """Receive the report that the present compile took its executable from the persistent compilation cache."""


def tell_receiver(failed: Callable[[BaseException], None], method: Callable[..., None], *facts: Any) -> None:
    """Call a method of the receiver.

    An error of this package is passed to `failed` and never reaches the user's call.
    """
    try:
        method(*facts)
    except not_of_a_signal(Exception) as error:
        failed(error)
