"""Names the tables at the start of an HLO text."""

from __future__ import annotations

#: The headings of the tables at the start of an HLO text, which have the source places of the instructions.
HLO_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
