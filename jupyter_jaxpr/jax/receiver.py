"""Declares the methods of a `Receiver`: the object that JAX's hooks and events call."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from ..interruptions import not_of_a_signal
from .calls import DerivedCall, JitCall


class Receiver(Protocol):
    """The object that the hooks call; no method may raise, and each runs on the thread that called JAX.

    Attributes:
        library: id of a library function -> its number of misses; the receiver adds the functions.
        shows_libraries: True to report calls of library functions outside of a trace, too.
    """

    library: dict[int, int]
    shows_libraries: bool

    def installed(self) -> None:
        """Called when the hooks are installed."""

    def missed(self, call: JitCall) -> bool:
        """Called with a call that missed the C++ cache; returns whether to report the later stages of the call."""

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """Called when a jitted function is traced, lowered or asked for its shapes without a call.

        `frame` is JAX's frame.
        """

    def traced(self, call: JitCall) -> None:
        """Called with a call when its program exists; `params` and `args_flat` are set.

        JAX has traced the function or found an earlier trace. The program has not run yet. Traces for a transform are
        not reported.
        """

    def trace_raised(self, name: str | None, error: BaseException | None) -> None:
        """Called when an outermost trace raised, with the name of the function in JAX's events.

        `error` is still passing through JAX's frames; it is None if this version of JAX does not show it.
        """

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """Called after a call has run; `fast_path` is True if the next call of this kind will hit the C++ cache.

        `executable` is None if a transform or an enclosing trace handled the call.
        """

    def derived(self, call: DerivedCall) -> None:
        """Called after JAX ran, outside of any jit, a program that it derived from a jitted function."""

    def stage_started(self, event: str, name: str | None) -> None:
        """Called at the start of a trace, lowering or compile."""

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """Called at the end of a trace, lowering or compile."""

    def from_disk(self) -> None:
        """Called when the present compile took its executable from the persistent compilation cache."""


def tell_receiver(failed: Callable[[BaseException], None], method: Callable[..., None], *facts: Any) -> None:
    """Call a method of the receiver.

    An error of this package is passed to `failed` and never reaches the user's call.
    """
    try:
        method(*facts)
    except not_of_a_signal(Exception) as error:
        failed(error)
