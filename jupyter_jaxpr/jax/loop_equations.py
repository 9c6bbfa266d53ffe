"""Divides the operands of a loop's equation into constants, carry and xs, on every JAX line.

`scan` says it by `num_consts` and `num_carry` up to jax 0.10, by two trees, `ft_in` and `ft_out`, from 0.11 on. Both
are read by their attributes; nothing of JAX is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ScanParts:
    """The division of a scan's operands; the remaining operands are xs, the remaining results ys."""

    consts: int
    carry: int
    length: int | None
    reverse: bool
    unroll: int


def lowered_scan(length: int, unroll: int) -> tuple[int, int]:
    """Return the loop that JAX makes of a scan when it lowers it (`_scan_impl`, JAX 0.10 to 0.12).

    Args:
        length: The number of steps of the scan.
        unroll: The number of steps in one iteration of the loop.

    Returns:
        The number of iterations of the loop, and the number of steps after the loop.
    """
    iterations, remainder = divmod(length, max(unroll, 1))
    return (0, length) if unroll > 1 and iterations == 1 and not remainder else (iterations, remainder)


@dataclass(frozen=True)
class WhileParts:
    """The division of a while's operands; the remaining operands are the carry."""

    condition_consts: int
    body_consts: int


def scan_parts(parameters: Mapping[str, Any]) -> ScanParts:
    """Return the division of a scan's operands.

    Raises:
        KeyError, TypeError, ValueError: The scan of this JAX version has other parameters.
    """
    if "num_consts" in parameters:
        consts, carry = int(parameters["num_consts"]), int(parameters["num_carry"])
    else:
        consts, carry = (leaf_count(part) for part in _three(parameters["ft_in"]))
    length = parameters["length"]
    unroll = parameters.get("unroll", 1)
    return ScanParts(
        consts=consts,
        carry=carry,
        length=length if isinstance(length, int) else None,
        reverse=bool(parameters.get("reverse", False)),
        # The number 0 unrolls all steps.
        unroll=int(unroll) or (max(length, 1) if isinstance(length, int) else 1),
    )


def while_parts(parameters: Mapping[str, Any]) -> WhileParts:
    """Return the division of a while's operands."""
    return WhileParts(int(parameters["cond_nconsts"]), int(parameters["body_nconsts"]))


def _three(tree: Any) -> tuple[Any, Any]:
    """Return consts and carry, the first two of the tree's three parts; the third is xs."""
    parts = list(tree.unpack()) if hasattr(tree, "unpack") else list(tree)
    consts, carry, _ = parts
    return consts, carry


def leaf_count(tree: Any) -> int:
    """Return the number of leaves of one of JAX's flat trees."""
    return len(list(tree))
