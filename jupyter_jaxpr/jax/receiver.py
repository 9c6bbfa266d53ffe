"""Declares the methods of a `Receiver`, which JAX's hooks and events call."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from ..interruptions import not_of_a_signal
from .calls import DerivedCall, JitCall


class Receiver(Protocol):
    """The object that the hooks call; no method may raise, and each runs on the thread that called JAX.

    Attributes:
        library: the number of misses of each library function, by id; the receiver adds the functions.
        shows_libraries: True if the receiver wants to know of library calls outside of a trace.
    """

    library: dict[int, int]
    shows_libraries: bool

    def installed(self) -> None:
        """Receive the news that the hooks are installed."""

    def missed(self, call: JitCall) -> bool:
        """Receive a call that missed the C++ cache; return whether to report its further stages."""

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """Receive a jitted function whose trace, lowering or shapes are requested without a call, and JAX's frame."""

    def traced(self, call: JitCall) -> None:
        """Receive a call with `params` and `args_flat`: JAX traced the function, or found an earlier trace.

        The program has not run yet. JAX's trace of the function for another transformation is not reported.
        """

    def trace_raised(self, name: str | None, error: BaseException | None) -> None:
        """Receive the error of an outermost trace, with the name of the function in JAX's events.

        `error` is still on its way through JAX; None where this version of JAX does not show the error.
        """

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """Receive a call that has run; `fast_path` says whether the next such call will hit the C++ cache.

        `executable` is None where another transformation or trace handled the call.
        """

    def derived(self, call: DerivedCall) -> None:
        """Receive a program that JAX derived from a jitted function and ran outside of any jit."""

    def stage_started(self, event: str, name: str | None) -> None:
        """Receive the start of a trace, lowering or compile."""

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """Receive the end of a trace, lowering or compile."""

    def from_disk(self) -> None:
        """Receive the news that the present compile took its executable from the persistent cache."""


def tell_receiver(failed: Callable[[BaseException], None], method: Callable[..., None], *facts: Any) -> None:
    """Call a method of the receiver; an error of this package never reaches the user's call."""
    try:
        method(*facts)
    except not_of_a_signal(Exception) as error:
        failed(error)
