"""Puts the StableHLO and HLO of small programs into the document, so that a saved notebook contains these texts."""

from __future__ import annotations

import traceback

import msgspec

from ...document.types.document import Level, Program
from ...interruptions import not_of_a_signal
from ...observe.observation import ObservedProgram
from ...program.jaxpr.walk import Walk
from .lines_linked_to_equations import held_level
from .stablehlo_and_hlo import Unavailable


def with_texts(program: Program, observed: ObservedProgram, walk: Walk, limit: int, failures: list[str]) -> Program:
    """Return a program with those of its texts that have at most `limit` characters.

    The traceback of a failure of ours is appended to `failures`.
    """
    levels: list[Level] = []
    for level in program.levels:
        try:
            level = held_level(observed, level, walk, program.scope, limit)
        except Unavailable:
            pass  # the text can still be requested; the answer then says why it cannot be made
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
        levels.append(level)
    return msgspec.structs.replace(program, levels=levels)
