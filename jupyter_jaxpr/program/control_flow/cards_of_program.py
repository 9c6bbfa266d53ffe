"""Makes the cards of all control-flow constructs of a program, in the order of the user's source.

A scope that is called twice gives two cards for each construct, one for each call. Scopes without constructs are not
entered, and the number of cards is limited, so the work depends on the number of cards rather than on the
size of the program.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from ...document.control_constructs import CALL, CONTROL_KINDS, CONTROL_PRIMITIVES, SCOPE_PRIMITIVES
from ...document.limits import Listed
from ...interruptions import not_of_a_signal
from ..jaxpr.programs_that_run import is_run
from ..jaxpr.walk import Walk
from . import sentences_on_cards
from .callers_of_constructs import Caller, Callers
from .calls_in_user_source import Written
from .card_of_equation import EquationCards, is_users
from .constructs_without_primitive import Dissolved, Found
from .operand_names import OperandNames
from .reached_scope import ReachedScope
from .rows_of_cards import Card, ControlPath, Step

#: Primitives that always may have a card. A jit has a card only if it contains another card.
_WITH_A_CARD = CONTROL_PRIMITIVES | {name for name, kind in SCOPE_PRIMITIVES.items() if kind not in ("jit", CALL)}


@dataclass(slots=True, eq=False)
class _Node:
    """A card, and the cards of the constructs inside it."""

    card: Card
    inside: list[_Node] = field(default_factory=list)


@dataclass(frozen=True)
class ProgramCards:
    """The cards of a program. `left_out` is True if there are more than `Listed.CARDS_OF_PROGRAM`."""

    cards: list[Card]
    left_out: bool


class Reader:
    """Makes the cards of the programs that one `Walk` has read."""

    def __init__(self, walk: Walk, failed: Callable[[str], None]) -> None:
        """Store the `Walk`; `failed` is called with the traceback of each construct that could not be read."""
        self._walk = walk
        self._failed = failed
        written = self._written = Written(walk.positions, walk.strings)
        self._callers = Callers(walk.positions, walk.strings, written)
        self._paths = OperandNames(walk, written, self._callers)
        self._constructs = EquationCards(walk, written, self._callers, self._paths)
        self._dissolved = Dissolved(walk, written, self._callers, self._paths)
        self._holds: dict[int, bool] = {}
        self._count = 0

    def program(self, program: int, scope: int, inputs: Sequence[str], call: int) -> ProgramCards:
        """Return the cards of a program.

        Args:
            program: The index of the program.
            scope: The outermost scope of the program.
            inputs: The paths of the program's inputs.
            call: The frame of the line that called the program; -1 if unknown.
        """
        self._count = 0
        columns = self._walk.scopes[scope]
        names = [""] * columns.constants + list(inputs)
        caller = Caller(None, call, None)
        reached = ReachedScope(scope, columns, self._walk.jaxprs[scope], names, caller, ())
        nodes = self._of_scope(reached, program, 0)
        cards: list[Card] = []
        self._flatten(nodes, -1, cards)
        left_out = self._count > Listed.CARDS_OF_PROGRAM
        del cards[Listed.CARDS_OF_PROGRAM :]
        return ProgramCards(cards, left_out)

    # --- order ---------------------------------------------------------------------------------

    def _flatten(self, nodes: list[_Node], parent: int, cards: list[Card]) -> None:
        for node in sorted(nodes, key=self._position):
            number = len(cards)
            node.card.parent = parent
            cards.append(node.card)
            self._flatten(node.inside, number, cards)

    def _position(self, node: _Node) -> tuple[int, int, int]:
        """Return a sort key: the position in the source; cards without a line follow in the order of the program."""
        frame = node.card.frame
        if frame < 0:
            return (1 << 30, 0, node.card.equation)
        _, _, line, column, *_ = self._walk.positions.frames[frame]
        return (line, column, node.card.equation)

    # --- scopes --------------------------------------------------------------------------------

    def holds(self, scope: int) -> bool:
        """Return whether a scope or one of its inner scopes contains control flow or a named scope of the user."""
        cached = self._holds.get(scope)
        if cached is not None:
            return cached
        columns = self._walk.scopes[scope]
        self._holds[scope] = False
        answer = self._dissolved.any_in(columns)
        for equation, parameter, position, child in columns.children:
            primitive = self._walk.strings.items[columns.primitive[equation]]
            if not is_run(primitive, self._walk.strings.items[parameter], position):
                continue
            if primitive in CONTROL_PRIMITIVES or self._is_rule(primitive, child) or self.holds(child):
                answer = True
                break
        self._holds[scope] = answer
        return answer

    def _is_rule(self, primitive: str, child: int) -> bool:
        """Return whether an inner program is a custom rule or a remat that the user wrote, so that it gets a card."""
        if SCOPE_PRIMITIVES.get(primitive, CALL) in ("jit", CALL):
            return False
        return self._constructs.debug_of(child).users

    def _of_scope(self, reached: ReachedScope, program: int, depth: int) -> list[_Node]:
        columns, strings = reached.columns, self._walk.strings.items
        nodes: list[_Node] = []
        for equation, group in groupby(columns.children, key=itemgetter(0)):
            primitive = strings[columns.primitive[equation]]
            children = [row for row in group if is_run(primitive, strings[row[1]], row[2])]
            if primitive not in _WITH_A_CARD and not any(self.holds(child) for *_, child in children):
                continue
            if self._count > Listed.CARDS_OF_PROGRAM:
                break
            try:
                nodes += self._equation(reached, program, equation, children, depth)
            except not_of_a_signal(Exception):  # one unreadable construct must not prevent the cards of the others
                self._failed(traceback.format_exc())
        if self._dissolved.any_in(columns):
            try:
                dissolved = self._dissolved.find(reached, program)
            except not_of_a_signal(Exception):
                self._failed(traceback.format_exc())
            else:
                nodes = self._nested(nodes, dissolved, depth)
        return nodes

    def _nested(self, nodes: list[_Node], parts: list[Found], depth: int) -> list[_Node]:
        """Insert the constructs that have no primitive; cards that lie in one of their branches move inside them."""
        self._count += len(parts)
        for part in parts:
            part.card.depth = depth
        nodes_of_parts = [(_Node(part.card), part.regions) for part in parts]
        # Inner constructs come first, because the equations of an outer construct include those of the inner one.
        nodes_of_parts.sort(key=lambda pair: sum(len(region) for region, _ in pair[1]))
        nodes = nodes + [node for node, _ in nodes_of_parts]
        for outer, regions in nodes_of_parts:
            for region, label in regions:
                inner = [node for node in nodes if node is not outer and node.card.equation in region]
                for node in inner:
                    node.card.parent_part = label
                    _deeper(node)
                outer.inside += inner
                nodes = [node for node in nodes if node not in inner]
        return nodes

    def _equation(
        self, reached: ReachedScope, program: int, equation: int, children: list[tuple[int, int, int, int]], depth: int
    ) -> list[_Node]:
        columns = reached.columns
        primitive = self._walk.strings.items[columns.primitive[equation]]
        path = ControlPath(program, reached.steps, equation)
        card: Card | None = None
        if primitive in CONTROL_PRIMITIVES:
            card = self._constructs.control(reached, primitive, equation, children, path)
        else:
            inner = [child for child in children if self.holds(child[3])]
            if primitive in SCOPE_PRIMITIVES:
                rule = bool(children) and self._is_rule(primitive, children[0][3])
                if not inner and not rule:
                    return []
                kind = SCOPE_PRIMITIVES[primitive]
                if rule or (kind != CALL and is_users(self._constructs.debug(children))):
                    card = self._constructs.named_scope(reached, primitive, equation, children, path)
            elif not inner:
                return []
        if card is None:
            return self._inside(reached, program, equation, children, depth, None)
        card.depth = depth
        self._count += 1
        deeper = depth + (card.kind in CONTROL_KINDS)
        return [_Node(card, self._inside(reached, program, equation, children, deeper, card))]

    def _inside(
        self,
        reached: ReachedScope,
        program: int,
        equation: int,
        children: list[tuple[int, int, int, int]],
        depth: int,
        card: Card | None,
    ) -> list[_Node]:
        nodes: list[_Node] = []
        caller = self._callers.of(reached.columns.stack[equation], reached.caller)
        if card is not None and card.kind in CONTROL_KINDS:
            # An equation without a user line in the body belongs to the library that made the construct.
            around = caller.library or self._written.called(caller.frame)
            caller = Caller(None, caller.frame, around, inside=True)
        for _, parameter, position, scope in children:
            if not self.holds(scope):
                continue
            name = self._walk.strings.items[parameter]
            columns = self._walk.scopes[scope]
            inner = ReachedScope(
                scope,
                columns,
                self._walk.jaxprs[scope],
                self._constructs.inputs(reached, equation, name, scope),
                caller,
                (*reached.steps, Step(equation, name, position)),
                f"{reached.around}/{self._walk.strings.items[reached.columns.name_stack[equation]]}",
            )
            inner_nodes = self._of_scope(inner, program, depth)
            primitive = self._walk.strings.items[reached.columns.primitive[equation]]
            if name == "cond_jaxpr":
                _unsteppable(inner_nodes, sentences_on_cards.IN_CONDITION)
            elif primitive not in CONTROL_PRIMITIVES and primitive not in SCOPE_PRIMITIVES:
                _unsteppable(inner_nodes, sentences_on_cards.INSIDE.format(name=primitive))
            if card is not None:
                for node in inner_nodes:
                    node.card.parent_part = self._part(card, name, position)
            nodes += inner_nodes
        return nodes

    def _part(self, card: Card, parameter: str, position: int) -> str:
        if parameter == "cond_jaxpr":
            return "condition"
        if parameter == "branches" and 0 <= position < len(card.branches):
            return card.branches[position].label
        return "body"


def _unsteppable(nodes: Sequence[_Node], why: str) -> None:
    for node in nodes:
        node.card.steppable = node.card.steppable or why
        _unsteppable(node.inside, why)


def _deeper(node: _Node) -> None:
    node.card.depth += 1
    for inner in node.inside:
        _deeper(inner)
