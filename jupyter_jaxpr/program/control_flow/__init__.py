"""Makes the control-flow cards of a program: the user's call, the construct that JAX made of it, and its values.

`cards_of_program` walks through the scopes (`reached_scope`); `card_of_equation` makes the card of an equation,
`constructs_without_primitive` the card of a construct that left no primitive; `sentences_on_cards` writes the facts and
the advice. `debug_info_of_programs` and `forward_or_backward` read what JAX states; `callers_of_constructs` reads
frames, `calls_in_user_source` the user's source, `operand_names` names the operands of a construct.
"""

from .card_of_equation import EquationCards
from .cards_of_program import ProgramCards, Reader
from .hlo_step_counts import known_trips
from .rows_of_cards import NO_OPERAND, BranchRow, Card, ControlPath, SlotRow, Step

__all__ = [
    "NO_OPERAND",
    "BranchRow",
    "Card",
    "EquationCards",
    "ControlPath",
    "ProgramCards",
    "Reader",
    "SlotRow",
    "Step",
    "known_trips",
]
