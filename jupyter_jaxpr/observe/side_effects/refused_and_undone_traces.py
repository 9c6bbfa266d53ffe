"""Guards an own trace: undoes the changes that the trace makes, and refuses a trace whose changes cannot be undone.

A trace is refused before it makes a change that cannot be undone. Either the analysis of the function refuses the trace
before it starts; or Python raises an audit event, by which it announces a write to a file, a connection or a new
process, and the trace is stopped.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ...interruptions import is_of_a_signal
from .audit_events import refused_event
from .proof import side_effects
from .saved_state import SavedState, TooLarge
from .sentences_on_side_effects import IRREVERSIBLE, LINE_OF_SIDE_EFFECT, TOO_LARGE_TO_UNDO
from .side_effect import SideEffect


class EffectsError(RuntimeError):
    """Raised instead of tracing a function whose Python would repeat a side effect that cannot be undone.

    Attributes:
        effect: The line with the side effect.
    """

    def __init__(self, text: str, effect: SideEffect) -> None:
        super().__init__(text)
        self.effect = effect


def _place_text(effect: SideEffect, cell_file: str | None) -> str:
    """Return the text of a line: "Line 7", "Line 7 of model.py" or "Line 7 of the cell that defines step"."""
    if not effect.line:
        return "The call"
    if effect.file == cell_file:
        return f"Line {effect.line}"
    if effect.file.endswith(".py") and not os.path.basename(os.path.dirname(effect.file)).startswith("ipykernel_"):
        return f"Line {effect.line} of {os.path.basename(effect.file)}"
    return f"Line {effect.line} of the cell that defines {effect.function}"


def effect_text(effect: SideEffect, cell_file: str | None = None) -> str:
    """Return the sentence of a side effect, which begins with the line.

    Args:
        effect: The line with the side effect.
        cell_file: The file of the cell that the user looks at.
    """
    return effect.sentence.replace(LINE_OF_SIDE_EFFECT, _place_text(effect, cell_file), 1)


@contextmanager
def undone(
    name: str,
    fun: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    allowed: bool = False,
    watched: bool = True,
) -> Iterator[tuple[SideEffect, ...]]:
    """Undo the changes that the Python of a call made in the block, after the block.

    Yields the side effects that the call may have.

    Args:
        name: The name of the function, for the error.
        fun: The called function.
        args: The positional arguments.
        kwargs: The keyword arguments.
        allowed: True to run the block even if a side effect cannot be undone.
        watched: True to refuse writes to files and connections in the block; False for a compile, which may write to
            JAX's compilation cache.

    Raises:
        EffectsError: A side effect cannot be undone.
    """
    effects = side_effects(fun, args, kwargs)
    if not effects:
        yield effects
        return
    outside = next((effect for effect in effects if effect.kind == "outside"), None)
    if outside is not None and not allowed:
        raise EffectsError(IRREVERSIBLE.format(name=name, why=effect_text(outside)), outside)
    try:
        saved = SavedState(fun, args, kwargs)
    except TooLarge:
        if not allowed:
            raise EffectsError(TOO_LARGE_TO_UNDO.format(name=name, why=effect_text(effects[0])), effects[0]) from None
        yield effects
        return
    refused: list[str] = []
    try:
        with _watched(refused) if watched and not allowed else nullcontext():
            yield effects
    except BaseException as error:
        if refused and not is_of_a_signal(error):
            raise _refusal(name, refused[0]) from error
        raise
    finally:
        saved.restore()
    if refused:
        raise _refusal(name, refused[0])


def _refusal(name: str, sentence: str) -> EffectsError:
    effect = SideEffect("outside", "", 0, "", sentence)
    return EffectsError(IRREVERSIBLE.format(name=name, why=effect_text(effect)), effect)


# --- effects outside of the process, which Python announces by audit events ----------------------------------


class _Watch(threading.local):
    """The state of the audit hook on one thread.

    `refused` collects the sentences of refused events; None if the thread refuses no events.
    """

    refused: list[str] | None = None


_watch = _Watch()
_hooked = threading.Lock()


@contextmanager
def _watched(refused: list[str]) -> Iterator[None]:
    """Refuse effects outside of the process on this thread, within the block.

    The sentences of refused effects are added to `refused`.
    """
    _hook()
    before, _watch.refused = _watch.refused, refused
    try:
        yield
    finally:
        _watch.refused = before


def _hook() -> None:
    # An audit hook cannot be removed. So it is installed at the first trace that needs it. Outside of traces, it only
    # reads one variable of the thread.
    if _hooked.acquire(blocking=False):
        sys.addaudithook(_audit)


def _audit(event: str, facts: tuple[Any, ...]) -> None:
    refused = _watch.refused
    if refused is None:
        return
    sentence = refused_event(event, facts)
    if sentence is not None:
        refused.append(sentence)
        cause = sentence.replace(LINE_OF_SIDE_EFFECT, "The call", 1)
        raise PermissionError(f"{cause} jupyter_jaxpr traces this call and did not allow the change.")
