"""Builds the document's list of XLA passes of a program.

No code of the user runs. Only the differences between the texts before and after each pass are kept: see
`measure.compiled_again.compile_for_pass_list`.
"""

from __future__ import annotations

import time

from ...document.types.passes import PassDiff, ProgramPasses, XlaPass
from ...measure.compiled_again.compile_for_pass_list import NoPasses, dump_passes
from ...observe.observation import ObservedProgram
from ...program.texts.pass_dumps import Passes
from .stablehlo_and_hlo import Unavailable, lowered_of


def find_passes(observed: ObservedProgram) -> tuple[Passes, float]:
    """Compile a program again and return its XLA passes, with the seconds that the compile took.

    Raises:
        Unavailable: JAX kept neither the lowered nor the traced program, or XLA wrote no passes.
    """
    began = time.perf_counter()
    try:
        read = dump_passes(lowered_of(observed))
    except NoPasses as error:
        raise Unavailable(str(error)) from error
    return read, time.perf_counter() - began


def passes_document(program: int, dumped: Passes, seconds: float) -> ProgramPasses:
    """Convert the XLA passes of a program to their struct in the document."""
    return ProgramPasses(
        program=program,
        seconds=seconds,
        passes=[
            XlaPass(
                name=xla_pass.name,
                pipeline=xla_pass.pipeline,
                before=xla_pass.before,
                after=xla_pass.after,
                added=xla_pass.added,
                removed=xla_pass.removed,
            )
            for xla_pass in dumped.passes
        ],
        left_out=dumped.left_out,
    )


def diff_page(program: int, index: int, lines: list[str], first_line: int, line_count: int) -> PassDiff:
    """Return `line_count` lines of the diff of an XLA pass."""
    page_lines = lines[first_line : first_line + line_count]
    return PassDiff(program=program, index=index, lines=len(lines), first_line=first_line, text="\n".join(page_lines))
