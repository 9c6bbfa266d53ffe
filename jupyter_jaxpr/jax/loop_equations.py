"""Divides the operands of a loop equation into constants, carry and xs, in every supported version of JAX.

Up to JAX 0.10, the parameters of `scan` are `num_consts` and `num_carry`; from 0.11 on, two trees `ft_in` and `ft_out`.
Both are read by their attributes; JAX is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ScanParts:
    """How many operands of a scan are constants and carry; the others are xs, and the other results are ys."""

    consts: int
    carry: int
    length: int | None
    reverse: bool
    unroll: int


def lowered_scan(length: int, unroll: int) -> tuple[int, int]:
    """Return the loop to which JAX lowers a scan (`_scan_impl`, JAX 0.10 to 0.12).

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
    """How many operands of a while loop are constants; the others are the carry."""

    condition_consts: int
    body_consts: int


def scan_parts(parameters: Mapping[str, Any]) -> ScanParts:
    """Return how the operands of a scan are divided.

    Raises:
        KeyError, TypeError, ValueError: In this version of JAX, scan has other parameters.
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
        # `unroll=0` unrolls all steps.
        unroll=int(unroll) or (max(length, 1) if isinstance(length, int) else 1),
    )


def while_parts(parameters: Mapping[str, Any]) -> WhileParts:
    """Return how the operands of a while loop are divided."""
    return WhileParts(int(parameters["cond_nconsts"]), int(parameters["body_nconsts"]))


def _three(tree: Any) -> tuple[Any, Any]:
    """Return (constants, carry): the first two of the tree's three parts; the third is xs."""
    parts = list(tree.unpack()) if hasattr(tree, "unpack") else list(tree)
    consts, carry, _ = parts
    return consts, carry


def leaf_count(tree: Any) -> int:
    """Return the number of leaves of one of JAX's flat trees."""
    return len(list(tree))
