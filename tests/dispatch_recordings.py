"""Reads the programs that a run recorded from a cell's eager operations, and the sentences on these programs."""

from __future__ import annotations

import re
from typing import Any

from conftest import Ran

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_text

RAN = (
    "jupyter_jaxpr recorded what JAX ran for the call {call}: {ran}, in this order. JAX compiled each dispatch by "
    "itself. For the recording, nothing ran a second time."
)
RAN_CELL = (
    "jupyter_jaxpr recorded what JAX ran for the cell outside of jit: {ran}, in this order. JAX compiled each dispatch "
    "by itself."
)
NO_JIT = (
    "The cell called no jitted function of yours. Call a function under @jax.jit in the cell, end the cell with a call "
    "such as f(x), or write %%jaxpr f(x) or %%jaxpr f(f32[8])."
)
TOO_MANY = "The recording covers the first {count} dispatches; JAX ran the other dispatches at full speed, unrecorded."
MORE = "To also record what JAX ran after the recording ended, write %%jaxpr --eager."


def recordings(ran: Ran) -> list[tuple[str, str]]:
    """Return name and text of each recorded program, and check the document."""
    return recorded_in(read(ran.document))


def recorded_in(document: Any) -> list[tuple[str, str]]:
    programs = enumerate(document.programs)
    return [
        (program.name, program_text(document, number)) for number, program in programs if program.origin == "recorded"
    ]


def recorded(ran: Ran) -> str:
    """Return the text of the only recording, with a line break before and after it."""
    ((_, text),) = recordings(ran)
    return f"\n{text}\n"


def outline(ran: Ran) -> list[str]:
    """Return the equations of the recording.

    For JAX's own jitted functions only their names, as JAX may change them.
    """
    ((_, text),) = recordings(ran)
    main = text[text.rindex("\n{ lambda") + 1 :] if "\n{ lambda" in text else text
    listing = re.sub(r"jit\[\s+name=(\w+).*?\n  \]", r"jit[\1]", main, flags=re.DOTALL)
    return [line.strip() for line in listing.split("\n")[1:-1]]


def program(ran: Ran) -> dict[str, Any]:
    """Return the program of the only recording."""
    (programs,) = [program for program in ran.document["programs"] if program["origin"] == "recorded"]
    return programs


def arguments(ran: Ran) -> list[str]:
    return [f"{argument['name']}: {argument['type'] or argument['static']}" for argument in program(ran)["arguments"]]


def lines(ran: Ran) -> list[tuple[str, list[int]]]:
    """Return for each equation of the recording the primitive and the user's lines, innermost first."""
    document = ran.document
    scope = document["scopes"][program(ran)["scope"]]
    stacks = [document["stacks"][number][0] if number >= 0 else [] for number in scope["stack"]]
    names = [document["strings"][number] for number in scope["primitive"]]
    return [
        (name, [document["frames"][frame][2] for frame in stack]) for name, stack in zip(names, stacks, strict=True)
    ]
