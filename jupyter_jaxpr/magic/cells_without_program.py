"""A cell's text in, why no program of it was seen out: another magic took the text, or there is no code at all."""

from __future__ import annotations

import re

from ..typed.cell import PYTHON_CELL_MAGICS

_CODE_THERE = "Write code there, or trace one call with %jaxpr f(x)."


def no_python(source: str) -> str | None:
    """A sentence for a run without a program; None where the cell has Python code, as far as its lines tell."""
    lines = [line for line in source.splitlines() if line.strip()]
    above = "%%jaxpr"
    while lines and (magic := re.match(r"%%(\w+)", lines[0])):
        above = magic[0]
        if magic[1] not in {"jaxpr", *PYTHON_CELL_MAGICS}:
            return (
                f"{above} takes the text below it, and jupyter_jaxpr saw no program of JAX. Write %%jaxpr above Python "
                "code of this kernel."
            )
        lines = lines[1:]
    if all(line.lstrip().startswith("#") for line in lines):
        return f"The cell has no code below {above}. {_CODE_THERE}"
    return None
