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
    """How the operands of a scan divide; the rest are xs, and of the results ys."""

    consts: int
    carry: int
    length: int | None
    reverse: bool
    unroll: int


def lowered_scan(length: int, unroll: int) -> tuple[int, int]:
    """What JAX lowers a scan to (`_scan_impl`, JAX 0.10 to 0.12).

    Args:
        length: Its steps.
        unroll: Steps of one iteration.

    Returns:
        The iterations of the loop, and the steps that stand after the loop.
    """
    iterations, rest = divmod(length, max(unroll, 1))
    return (0, length) if unroll > 1 and iterations == 1 and not rest else (iterations, rest)


@dataclass(frozen=True)
class WhileParts:
    """How the operands of a while divide; the rest is the carry."""

    condition_consts: int
    body_consts: int


def scan_parts(parameters: Mapping[str, Any]) -> ScanParts:
    """How a scan divides its operands.

    Raises:
        KeyError, TypeError, ValueError: A JAX whose scan has other parameters.
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
        # 0 is all of it.
        unroll=int(unroll) or (max(length, 1) if isinstance(length, int) else 1),
    )


def while_parts(parameters: Mapping[str, Any]) -> WhileParts:
    """How a while divides its operands."""
    return WhileParts(int(parameters["cond_nconsts"]), int(parameters["body_nconsts"]))


def _three(tree: Any) -> tuple[Any, Any]:
    """The first two of a tree's three parts: consts, carry, xs."""
    parts = list(tree.unpack()) if hasattr(tree, "unpack") else list(tree)
    consts, carry, _ = parts
    return consts, carry


def leaf_count(tree: Any) -> int:
    """How many leaves one of JAX's flat trees has."""
    return len(list(tree))
