"""Makes the control-flow cards of a program: the user's call, the construct that JAX made of it, and its values.

`reader` walks through the scopes; `constructs` makes the card of an equation, `dissolved` the card of a construct that
left no primitive. `equation` hides the differences between JAX versions; `callers` reads frames, `source_calls` the
user's source.
"""

from .card import NO_OPERAND, BranchRow, Card, ControlPath, SlotRow, Step
from .constructs import Constructs
from .hlo_step_counts import known_trips
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
