"""Labels the branches of a card: False and True, the numbers of the branches, or platforms."""

from __future__ import annotations

from collections.abc import Sequence

_OTHER_PLATFORM = "other platforms"


def branch_labels(kind: str, numbers: Sequence[int], platforms: Sequence[Sequence[str] | None] | None) -> list[str]:
    """Return the label of each branch of a cond or switch.

    Args:
        kind: `cond` or `switch`.
        numbers: The numbers of the branches.
        platforms: The platforms of each branch of `lax.platform_dependent`; None for the cond or switch of a user.
    """
    if platforms is not None:
        return [", ".join(names) if names else _OTHER_PLATFORM for names in platforms]
    return ["False", "True"] if kind == "cond" and len(numbers) == 2 else [str(number) for number in numbers]
