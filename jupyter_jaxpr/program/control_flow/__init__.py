"""Reads the control-flow cards of a program: the user's call, what JAX made of it, its values by path.

`reader` goes through the scopes; `constructs` makes a card of an equation, `dissolved` one of what left no primitive;
`equation` hides what differs between JAX's; `callers` and `written` read frames and the user's text.
"""

from .card import NO_OPERAND, BranchRow, Card, ControlPath, SlotRow, Step
from .constructs import Constructs
from .hlo_trips import known_trips
from .reader import MOST, ProgramCards, Reader

__all__ = [
    "MOST",
    "NO_OPERAND",
    "BranchRow",
    "Card",
    "Constructs",
    "ControlPath",
    "ProgramCards",
    "Reader",
    "SlotRow",
    "Step",
    "known_trips",
]
