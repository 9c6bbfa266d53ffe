"""Weighs a transcendental function against another operation, for shares and heat."""

from __future__ import annotations

#: In shares, in heat, and in the choice of the most expensive branch, a transcendental function counts as this many
#: operations. XLA computes exp, log and tanh of a float by a polynomial of about this many operations.
TRANSCENDENTAL_WEIGHT = 20
