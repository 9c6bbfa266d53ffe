"""Runs the cells of a long day one after the other in a process, which counts its live objects every hundred cells.

The four `WAYS`: cells without the extension, with the extension loaded, under the magic, and with options of the magic.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "faults")]

from cells_of_a_day import SETUP, cell  # noqa: E402  # after the paths
from places import PLACES  # noqa: E402  # likewise

WAYS = ("plain", "loaded", "magic", "options")
LOAD = "%load_ext jupyter_jaxpr"
# Ends the day: unloading drops the runs that are kept for the panel, so the last counts show what is never freed.
UNLOAD = "%unload_ext jupyter_jaxpr"
FIGURES = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport alive_now\n"
ASK = "import alive_now\nalive_now.told()"

Figures = dict[str, Any]


def day(place: str, way: str, cells: int, interval: int = 100) -> Iterator[tuple[str, Figures]]:
    """Yield the number of cells that ran so far, and the counts of live objects.

    The first item comes before any cell, the last ("end") after the extension is unloaded.
    """
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"TMPDIR": folder}):
        shell = PLACES[place]()
        try:
            for code in (FIGURES, SETUP, LOAD if way != "plain" else "# the cell that loads"):
                ran = shell.run(code)
                assert ran["error"] is None, ran
            for number in range(cells + 1):
                if number % interval == 0:
                    yield str(number), asked(shell)
                if number < cells:
                    ran = shell.run(cell(number, way in ("magic", "options"), way == "options"))
                    assert "jupyter_jaxpr" not in ran["stderr"], ran
            shell.run(UNLOAD if way != "plain" else "# the cell that unloads")
            yield "end", asked(shell)
        finally:
            shell.stop()


def asked(shell: Any) -> Figures:
    """Return the present counts of live objects; the counting itself leaves no objects behind."""
    value = shell.run(ASK, store=False)["value"]
    return dict(json.loads(value.strip("'")))


def growth(figures: list[tuple[str, Figures]], name: str, since: int) -> float:
    """Return how much a figure grew from the count after `since` cells to the last count."""
    _, before = next(figure for figure in figures if int(figure[0]) >= since)
    _, after = figures[-1]
    return float(after[name] - before[name])
