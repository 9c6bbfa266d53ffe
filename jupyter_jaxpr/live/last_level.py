"""Lets JAX lower and compile a live program up to the level that the user chose.

This work appears in no event listener, log, ledger or cache on disk. No Python of the user runs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from ..build.texts.stablehlo_and_hlo import LEVELS, LevelName, Unavailable, make, title
from ..document.types.document import Level
from ..interruptions import not_of_a_signal
from ..jax.caches_of_own_traces import separate_traces
from ..jax.compile_without_disk_cache import without_disk_cache
from ..jax.hidden_events import unheard
from ..observe.observation import ObservedProgram
from ..observe.observer import Observer
from ..observe.silenced_warnings import silenced_warnings
from ..plain_text import message_of
from ..quantities import duration
from .live_time_limit import SECONDS, TimeLimit

LastLevel = Literal["jaxpr", "stablehlo", "hlo"]

#: The most equations, and the most characters, of a program whose texts are sent with each trace.
TEXTS_UP_TO = 5_000
TEXT_LIMIT = 1_000_000

COMPILED = (
    "Live compiled the program to show the HLO. No ledger counts this compile, and JAX does not cache the executable."
)
_NOT_CHOSEN = (
    "The setting “Last level of Live” is {last}, so Live does not make the later levels. To see this level, run the "
    "cell, or choose a later level of Live in the View menu."
)
_TOO_LONG = (
    "The {level} is too long to be sent to the panel after each key that you press. Run the cell to see the text."
)
_SLOW = (
    "XLA took {seconds} to compile the program, and Live cannot stop a compile. Live compiles this cell again when you "
    "choose Trace the Cell Without Running It."
)
_DUMPS = "{setting} is set, so JAX would write files each time that Live compiles. Run the cell to see the text."


@dataclass
class Texts:
    """Which texts of a live program JAX made, and why it did not make the others.

    Attributes:
        last: The level that the user chose.
        why_not: Level -> a sentence on why JAX did not make its text.
        compiled: True if XLA compiled the program for this trace.
    """

    last: LastLevel
    why_not: dict[LevelName, str] = field(default_factory=dict)
    compiled: bool = False

    def described(self, level: Level) -> Level:
        """Return a level for a document without a kernel: with its text, or with the reason why the text is absent."""
        if level.state == "held":
            return level
        name: LevelName = "hlo" if level.name == "hlo" else "stablehlo"
        reason = self.why_not.get(name)
        if reason is None and name in _up_to(self.last):
            reason = _TOO_LONG.format(level=title(name))
        if reason is None:
            reason = _NOT_CHOSEN.format(last="jaxpr" if self.last == "jaxpr" else "StableHLO")
        return msgspec.structs.replace(level, state="absent", reason=reason)


class SlowCompiles:
    """Remembers the cells whose last compile was slow; Live compiles them again only at the user's request."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def make_texts(
        self,
        observer: Observer,
        observed: ObservedProgram,
        last: LastLevel,
        limit: TimeLimit,
        cell_id: str,
        is_asked_for: bool,
    ) -> Texts:
        """Lower and compile a program up to the level that the user chose.

        Args:
            observer: The observer; it records nothing during this work.
            observed: The program; the lowered and compiled objects are added to it.
            last: The level that the user chose.
            limit: The time limit of the trace; it ends before a compile, which cannot be stopped.
            cell_id: The id of the cell in the notebook.
            is_asked_for: True if the user asked for this trace explicitly.
        """
        texts = Texts(last)
        if is_asked_for:
            self._seconds.pop(cell_id, None)
        for level in _up_to(last):
            reason = self._refused(level, cell_id)
            if reason is None:
                try:
                    with (
                        observer.looking_away(),
                        unheard(),
                        silenced_warnings(),
                        separate_traces(),
                        without_disk_cache(),
                    ):
                        if level == "hlo":
                            limit.end()
                        with self._timed(level, cell_id):
                            make(observed, level)
                except Unavailable as error:
                    reason = str(error)
                # JAX raises a RuntimeError if this version of JAX cannot compile without its cache on disk
                except not_of_a_signal(RuntimeError) as error:
                    reason = f"Live does not compile the program: {message_of(error)}. Run the cell to see the text."
                else:
                    if level == "hlo":
                        texts.compiled = True
            if reason is not None:
                texts.why_not[level] = reason
        return texts

    @contextmanager
    def _timed(self, level: LevelName, cell_id: str) -> Iterator[None]:
        """Record how long a compile in the block takes, even if it fails or the user interrupts it."""
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            if level == "hlo" and seconds > SECONDS:
                self._seconds[cell_id] = seconds

    def _refused(self, level: LevelName, cell_id: str) -> str | None:
        """Return a sentence on why Live does not make a level; None if it makes the level."""
        setting = _dumping_setting(os.environ)
        if setting is not None:
            return _DUMPS.format(setting=setting)
        seconds = self._seconds.get(cell_id)
        if level == "hlo" and seconds is not None:
            return _SLOW.format(seconds=duration(seconds))
        return None


def _up_to(last: LastLevel) -> tuple[LevelName, ...]:
    return () if last == "jaxpr" else LEVELS[: LEVELS.index(last) + 1]


def _dumping_setting(environment: Mapping[str, str]) -> str | None:
    """Return the setting by which JAX or XLA writes each program into a file; None if no such setting is on."""
    import jax

    if getattr(jax.config, "jax_dump_ir_to", None):
        return "jax_dump_ir_to"
    flags = (environment.get(name, "") for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS"))
    return "--xla_dump_to" if any("--xla_dump_to" in text for text in flags) else None
