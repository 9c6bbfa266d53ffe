"""Reads the dumps that XLA writes after its passes: which passes changed the program, and instruction counts.

XLA dumps the module after each pass that reports a change, and at the start of a pipeline. If only metadata differs,
this counts as no change. The texts are stored compressed, without metadata and frame tables.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...document.hlo_tables import HLO_TABLES
from .hlo_instructions import count
from .pass_differences import pass_difference

#: The most bytes of dumps that are read; later passes are left out, and their number is shown.
BYTES_AT_MOST = 512_000_000

_DUMP = re.compile(r"module_\d+\..*?\.?(\d{4})\.([\w-]+)\.after_([\w.-]+?)(?:\.before_[\w.-]+)?\.txt$")
_FIRST = re.compile(r"module_\d+\..*\.before_optimizations\.txt$")
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}')
#: XLA also dumps the module at the start of a pipeline. The file name of such a dump has this word in place of the name
#: of a pass.
_STARTS = "pipeline-start"


@dataclass(frozen=True)
class Pass:
    """One pass that changed the program.

    Attributes:
        name: XLA's name of the pass, such as algsimp.
        pipeline: The pipeline with the pass.
        before: The number of instructions before the pass.
        after: The number of instructions after the pass.
        added: The number of new lines.
        removed: The number of removed lines.
    """

    name: str
    pipeline: str
    before: int
    after: int
    added: int
    removed: int


class Passes:
    """The passes of one compile that changed the program, in order.

    Attributes:
        left_out: the number of dumps that were not read because of the limit.
    """

    def __init__(self) -> None:
        self.passes: list[Pass] = []
        self.left_out = 0
        self._states: list[bytes] = []

    def add(self, name: str, pipeline: str, lines: list[str]) -> None:
        """Add the module as dumped after a pass (or before all passes); do nothing if it did not change."""
        text = "\n".join(lines)
        if self._states:
            before = self._lines(len(self._states) - 1)
            if before == lines:
                return
            was, after_counts = Counter(before), Counter(lines)
            added, removed = (after_counts - was).total(), (was - after_counts).total()
            self.passes.append(Pass(name, pipeline, count(before), count(lines), added, removed))
        self._states.append(zlib.compress(text.encode("utf-8", "replace"), 1))

    def diff(self, number: int) -> list[str]:
        """Return the change that a pass made, as a unified diff of each changed computation."""
        return list(pass_difference(self._lines(number), self._lines(number + 1)))

    def _lines(self, state: int) -> list[str]:
        return zlib.decompress(self._states[state]).decode().split("\n")


def read_passes(folder: Path) -> Passes:
    """Return the passes from the dumps in a folder; if it has dumps of several modules, of the one with the most dumps.

    Raises:
        OSError: The folder cannot be read.
    """
    modules: dict[str, list[tuple[str, str, str, Path]]] = {}
    for path in sorted(folder.iterdir()):
        module = path.name.split(".", 1)[0]
        match = _DUMP.match(path.name)
        if match:
            order, pipeline, name = match.groups()
            modules.setdefault(module, []).append((order, name, pipeline, path))
        elif _FIRST.match(path.name):
            modules.setdefault(module, []).append(("", "", "", path))
    passes = Passes()
    left = BYTES_AT_MOST
    longest = max(modules.values(), key=len) if modules else []
    for _, name, pipeline, path in sorted(longest):
        left -= path.stat().st_size
        if left < 0:
            passes.left_out += 1
            continue
        title = f"before {pipeline}" if name == _STARTS else name
        passes.add(title, pipeline, _without_places(path.read_text("utf-8", "replace").split("\n")))
    return passes


def _without_places(lines: Sequence[str]) -> list[str]:
    """Return the lines of a module without frame tables, metadata, and surrounding empty lines."""
    kept_lines: list[str] = []
    in_table = False
    for line in lines:
        if line in HLO_TABLES:
            in_table = True
        elif in_table and line[:1].isdigit():
            continue
        elif line:
            in_table = False
            kept_lines.append(_METADATA.sub("", line) if "metadata={" in line else line)
    return kept_lines
