"""Lowers and compiles the tagged twin of a traced program: a copy whose name stacks contain the equations' numbers.

No Python of the user runs, and no program is executed.

JAX lowers the twin from its record of the call, so that shardings, layouts, donated and unused arguments are those of
the program. The twin leaves no trace in JAX's caches: its lowering is stored under the twin object, which this module
drops, and the compile neither reads nor writes JAX's cache on disk. `program.texts.tags_of_tagged_copy` describes the
tags.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.compile_without_disk_cache import without_disk_cache
from ...jax.made_programs import traced_with
from ...plain_text import kind_name, message_of
from ...program.jaxpr.parameters import open_jaxpr
from ...program.jaxpr.walk import Walk
from ...program.texts.hlo_of_executable import executable_text
from ...program.texts.stablehlo_of_lowered import lowered_text
from ...program.texts.tags_of_tagged_copy import tagged
from ..steps.jaxpr_evaluation import types_of

_ENDS = "The links that the panel already shows do not change."


class NoTwin(Exception):
    """Raised if no tagged program can be made; the message is a sentence for the user with a cure."""


@dataclass(frozen=True)
class CompiledTwin:
    """The StableHLO and HLO of a compiled twin; the texts still contain the tags.

    Attributes:
        stablehlo: The StableHLO text with source locations.
        hlo: The optimised HLO text.
        lower_seconds, compile_seconds: The seconds of lowering and of compiling the twin.
    """

    stablehlo: str
    hlo: str
    lower_seconds: float
    compile_seconds: float


def lower_twin(walk: Walk, scope: int, traced: Any) -> Any:
    """Return the tagged twin of a program (a `jax.stages.Traced`), lowered to a `jax.stages.Lowered`.

    Args:
        walk: The `Walk` that has read the equations of the program; a tag has the index of a scope of the `Walk`, and
            the index of an equation in this scope.
        scope: The scope of the program in the walk.
        traced: JAX's record of the call.

    Raises:
        ValueError: The program is not the one that was walked.
        TypeError: The lowering would run Python of the user's.
    """
    return traced_with(traced, tagged(walk, scope, traced.jaxpr)).lower()


def compile_twin(
    walk: Walk, scope: int, traced: Any, tell: Callable[[str], None], stopped: Callable[[], bool]
) -> CompiledTwin:
    """Lower and compile the tagged twin of a program.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program in the walk.
        traced: JAX's record of the call.
        tell: Called with a text on the present work.
        stopped: Called before the compile; returns True to stop there.

    Raises:
        NoTwin: JAX or XLA refuses the twin, or `stopped` returned True.
    """
    failed = "JAX could not lower the tagged copy of the program ({error}). {other_links_stay}"
    try:
        tell("lowering the tagged copy")
        began = time.perf_counter()
        with types_of(open_jaxpr(traced.jaxpr)):
            lowered = lower_twin(walk, scope, traced)
            finished = time.perf_counter()
            stablehlo = lowered_text(lowered)
            if stopped():
                raise NoTwin(
                    "The request was stopped before XLA compiled the tagged copy. Ask for the exact links again."
                )
            failed = "XLA could not compile the tagged copy of the program ({error}). {other_links_stay}"
            tell("compiling the tagged copy")
            middle = time.perf_counter()
            with without_disk_cache():
                compiled = lowered.compile()
        end = time.perf_counter()
        failed = "JAX could not print the tagged copy of the program ({error}). {other_links_stay}"
        return CompiledTwin(stablehlo, executable_text(compiled), finished - began, end - middle)
    except NoTwin:
        raise
    except not_of_a_signal(Exception) as error:  # an error of JAX or XLA, or a version of JAX that is not supported
        first = message_of(error).strip().partition("\n")[0].rstrip(".")
        raise NoTwin(failed.format(error=f"{kind_name(type(error))}: {first}", other_links_stay=_ENDS)) from error
