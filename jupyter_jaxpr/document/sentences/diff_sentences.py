"""Makes the sentences on the diff of two programs or texts: the summary, and the remarks on it."""

from __future__ import annotations

from collections.abc import Mapping

from ...quantities import count

#: The words before a line or equation of a printed diff whose partner is at another position.
MOVED_FROM_HERE = "line moved from here: "
MOVED_TO_HERE = "line moved to here: "


def diff_summary(noun: str, numbers: Mapping[str, int], signature: int) -> str:
    """Return the sentences that sum up a diff.

    Args:
        noun: `equation` or `line`.
        numbers: Word such as `added` -> how many equations or lines were added.
        signature: How many arguments and results were changed.
    """
    sentences = [
        f"{count(number, f'{noun} was', f'{noun}s were')} {word}." for word, number in numbers.items() if number
    ]
    if signature:
        sentences.append(f"{count(signature, 'argument or result was', 'arguments or results were')} changed.")
    return " ".join(sentences) or f"All {noun}s are equal except for names."


def moved_remark(equations: int, holder: str, turns: int, *, into: bool) -> str:
    """Return the remark that equations moved into or out of an inner program, such as the body of a scan.

    Args:
        equations: The number of moved equations outside of the inner program.
        holder: The equation with the inner program, such as `scan (length 8)`.
        turns: How often the other program has each of the moved equations.
        into: True if the equations moved into the inner program.
    """
    equations_text = count(equations, "equation")
    if into:
        remark, first_or_second = f"{equations_text} moved into {holder}.", "first"
    else:
        remark, first_or_second = f"{equations_text} moved out of {holder}.", "second"
    if turns > 1:
        remark += f" The {first_or_second} program has each of the moved equations {turns} times."
    return remark


def too_different(programs_or_texts: str, equations_or_lines: str) -> str:
    """Return the remark that a diff may not be the smallest one."""
    return (
        f"The {programs_or_texts} are too different to find the smallest diff. Some {equations_or_lines} may be listed "
        "as removed and added although they match."
    )
