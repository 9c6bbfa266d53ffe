"""Names the constructs of control flow that have a card of their own."""

from __future__ import annotations

#: The kinds of construct that have a card of their own. Calls such as `jit` are read, too, but get no such card.
CONTROL_KINDS = frozenset({"cond", "switch", "scan", "while_loop", "fori_loop", "map", "associative_scan"})
