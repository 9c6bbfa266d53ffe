"""Holds the pools of a document: lists of strings, types, frames and so on, to which other parts refer by index."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .types.document import Aval, File, Frame, LiteralValue, Parameter, Snapshot, Stack


@dataclass(slots=True)
class Pools:
    """The pools of a document or of a page, without the pool of scopes."""

    strings: list[str] = field(default_factory=list)
    avals: list[Aval] = field(default_factory=list)
    literals: list[LiteralValue] = field(default_factory=list)
    parameter_lists: list[list[Parameter]] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)

    def fields(self) -> dict[str, Any]:
        """Return the pools as keyword arguments for `Snapshot` and `ScopePage`."""
        return {name: getattr(self, name) for name in self.__slots__}

    def text_fields(self) -> dict[str, Any]:
        """Return the pools to which the lines of a text refer, as keyword arguments for `TextPage`."""
        return {name: getattr(self, name) for name in ("strings", "files", "frames", "stacks")}


def of_document(document: Snapshot) -> Pools:
    """Return the pools of a document."""
    return Pools(**{name: getattr(document, name) for name in Pools.__slots__})
