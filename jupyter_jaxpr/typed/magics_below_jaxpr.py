"""Says which cell magics may follow directly below `%%jaxpr`, such as `%%time`, and which files their bodies get."""

from __future__ import annotations

import re

# Cell magics whose body is Python code. A comment line above the body does no harm and keeps the line numbers right.
PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun"})

# The file names under which IPython compiles the bodies of these magics.
NESTED_FILES = ("<timed exec>", "<timed eval>", "<magic-timeit>", "<string>")


def nested_magic(text: str) -> bool:
    """Return whether a cell magic for Python code follows directly below `%%jaxpr`.

    The lines of its body are preserved, too.
    """
    below = [line for line in text.splitlines() if line.strip()][1:2]
    name = re.match(r"%%(\w*)", below[0]) if below else None
    return name is not None and name[1] in PYTHON_CELL_MAGICS
