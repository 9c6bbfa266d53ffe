"""Checks the XLA passes and the exact links of a document, which both come from a second compile."""

from __future__ import annotations

from ..types.document import Snapshot
from .checks_of_indices import amounts, index, need


def check_compiled_again(document: Snapshot) -> None:
    """Check every index and number of the passes and of the exact links.

    Raises:
        Damaged: An index or a number is out of its range.
    """
    for passes in document.passes:
        index(passes.program, document.programs, "passes: program")
        amounts((passes.seconds, passes.left_out), "passes: a number")
        for xla_pass in passes.passes:
            amounts((xla_pass.before, xla_pass.after, xla_pass.added, xla_pass.removed), f"passes: {xla_pass.name}")
    for links in document.exact_links:
        index(links.program, document.programs, "exact links: program")
        amounts((links.lower_seconds, links.compile_seconds, links.equations, links.reached), "exact links: a number")
        for level in links.levels:
            amounts(
                (level.lines, level.instructions, level.linked, level.single, level.inferred), "exact links: a level"
            )
    for name in ("passes", "exact_links"):
        programs = [row.program for row in getattr(document, name)]
        need(len(programs) == len(set(programs)), f"{name}: a program is there twice")
