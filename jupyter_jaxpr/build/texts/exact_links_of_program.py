"""Builds the exact links of a program from its twin, a second, tagged compile.

No code of the user runs. Only the texts of the twin are kept: see `measure.compiled_again.compile_for_exact_links`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...document.types.exact_links import ExactLevel, ExactLinks
from ...measure.compiled_again.compile_for_exact_links import NoTwin, compile_twin
from ...program.texts.lines_of_tagged_copy import ExactLines, differing, exact_lines
from ...quantities import count
from .stablehlo_and_hlo import LEVELS, LevelName, Unavailable, title, traced_of

if TYPE_CHECKING:
    from ..sources_of_requests import Sources

_MAKERS: dict[LevelName, str] = {"stablehlo": "JAX", "hlo": "XLA"}
_NOUNS: dict[LevelName, str] = {"stablehlo": "line", "hlo": "instruction"}


def find_exact_links(
    sources: Sources,
    program: int,
    tell: Callable[[str], None] = lambda text: None,
    stopped: Callable[[], bool] = lambda: False,
) -> ExactLinks:
    """Return the exact links of a program; compile its twin, unless this was done before.

    Args:
        sources: The live sources of the run.
        program: The index of the program in the document.
        tell: Called with the sentence that the panel shows while a stage runs.
        stopped: Returns True if the user stopped the request; called before the compile.

    Raises:
        Unavailable: JAX kept no trace of the program, JAX or XLA refuses the twin, or the user stopped the request.
    """
    twin = sources.twin(program)
    if twin is not None:
        return twin
    observed, scope = sources.observed(program), sources.document.programs[program].scope
    try:
        compiled = compile_twin(sources.walk, scope, traced_of(observed), tell, stopped)
    except NoTwin as error:
        raise Unavailable(str(error)) from error
    texts: dict[LevelName, str] = {"stablehlo": compiled.stablehlo, "hlo": compiled.hlo}
    # Reading a text adds frames and stacks to the shared pools of the run.
    with sources.reading():
        read = {name: exact_lines(texts[name], sources.walk, scope, name) for name in LEVELS}
    reached = {equation for equations in read["hlo"].equations.values() for equation in equations}
    links = ExactLinks(
        program=program,
        lower_seconds=compiled.lower_seconds,
        compile_seconds=compiled.compile_seconds,
        equations=sources.document.programs[program].equations,
        reached=len(reached),
        levels=[_level(name, read[name], _own_lines(sources, program, name)) for name in LEVELS],
    )
    sources.add_twin(links, read)
    return links


def _own_lines(sources: Sources, program: int, level: LevelName) -> list[str] | None:
    """Return the lines of the program's own StableHLO or HLO, to compare with the twin's; None if it has no text."""
    try:
        return sources.text(program, level).lines
    except Unavailable:
        return None


def _level(name: LevelName, read: ExactLines, own_lines: list[str] | None) -> ExactLevel:
    lines = read.lines.text.split("\n")
    inferred = set(read.lines.inferred)
    linked_lines = [line for line in read.instructions if line in read.equations]
    linked = [line for line in linked_lines if line not in inferred]
    jax_or_xla, operation_or_instruction = _MAKERS[name], _NOUNS[name]
    differing_lines = None if own_lines is None else differing(lines, own_lines)
    if differing_lines is None:
        level = title(name)
        words = f"The program has no {level}, so the {operation_or_instruction}s of the tagged copy cannot be compared."
    elif differing_lines == 0:
        words = f"{jax_or_xla} made the same {operation_or_instruction}s for the tagged copy and for the program."
    else:
        different_instructions = count(differing_lines, f"different {operation_or_instruction}")
        words = (
            f"{jax_or_xla} made {different_instructions} for the tagged copy. The text below is the tagged copy, "
            "not the program that ran."
        )
    return ExactLevel(
        name=name,
        lines=len(lines),
        instructions=len(read.instructions),
        linked=len(linked),
        single=sum(len(read.equations[line]) == 1 for line in linked),
        inferred=len(linked_lines) - len(linked),
        same=None if differing_lines is None else differing_lines == 0,
        words=words,
    )
