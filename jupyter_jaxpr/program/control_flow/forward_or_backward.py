"""Tells from a name stack whether a construct belongs to the forward or the backward pass of a derivative."""

from __future__ import annotations

#: Part of the name stack of equations that remat computes again in the backward pass; they belong to the forward pass.
REMATTED = "rematted_computation"


def derivative_of(name_stacks: str) -> str:
    """Return the part of a derivative to which an equation belongs: `transpose` (backward pass), `jvp`, or ''."""
    _, backward, after = name_stacks.rpartition("transpose(")
    if backward and REMATTED not in after:
        return "transpose"
    return "jvp" if backward or "jvp(" in name_stacks else ""
