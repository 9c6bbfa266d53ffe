"""Says up to how many iterations a Python loop that JAX unrolls makes no large program."""

from __future__ import annotations

#: Unrolling a loop of at most this many iterations is often better than a loop construct; no note advises a rewrite.
SHORT = 10
