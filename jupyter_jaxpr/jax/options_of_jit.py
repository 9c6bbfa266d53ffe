"""Reads from a jitted function which arguments are static, and which arguments a call donates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .facts import is_jitted


@dataclass(frozen=True)
class JitOptions:
    """The arguments that `jax.jit` treats in a special way, by their positions and by their names.

    Attributes:
        static_numbers, static_names: the static arguments.
        donated_numbers, donated_names: the donated arguments.
    """

    static_numbers: tuple[int, ...]
    static_names: tuple[str, ...]
    donated_numbers: tuple[int, ...]
    donated_names: tuple[str, ...]

    def is_static(self, number: int, name: str, count: int) -> bool:
        """Return whether an argument is static.

        Args:
            number: Its position in the call; -1 for an argument that the call passes by name.
            name: Its parameter; empty if unknown.
            count: The number of arguments that the call passes by position.
        """
        return name in self.static_names or number in _from_start(self.static_numbers, count)

    def is_donated(self, number: int, name: str, count: int) -> bool:
        """Return whether a call donates an argument; for the parameters, see `is_static`."""
        return name in self.donated_names or number in _from_start(self.donated_numbers, count)


def _from_start(numbers: Iterable[int], count: int) -> set[int]:
    return {number + count if number < 0 else number for number in numbers}


def jit_options(value: Any) -> JitOptions | None:
    """Return the options of a jitted function; None for any other value."""
    options = getattr(value, "_jit_info", None) if is_jitted(value) else None
    if options is None:
        return None
    return JitOptions(
        tuple(options.static_argnums or ()),
        tuple(options.static_argnames or ()),
        tuple(options.donate_argnums or ()),
        tuple(options.donate_argnames or ()),
    )
