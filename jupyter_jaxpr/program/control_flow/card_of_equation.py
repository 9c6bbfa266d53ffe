"""Makes the card of a control-flow equation: its parts, paths, types, predicate and bounds."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...document.control_constructs import COND, SCAN, SCOPE_PRIMITIVES
from ...jax.effect_names import INSIDE
from ...jax.loop_equations import scan_parts, while_parts
from ..costs import Costs
from ..jaxpr.walk import Walk
from ..jaxpr.while_step_counts import counted_trips
from . import sentences_on_cards
from .branch_labels import branch_labels
from .callers_of_constructs import Callers
from .calls_in_user_source import Call, Written, branch_name, definition, returned, text_of
from .debug_info_of_programs import Debug, debug_of
from .forward_or_backward import REMATTED
from .loop_bodies import Bodies, Body
from .operand_names import OperandNames
from .predicate_of_cond import Predicates
from .reached_scope import ReachedScope
from .rows_of_cards import BranchRow, Card, ControlPath, SlotRow
from .users_names import into, only_leaf, renamed

Child = tuple[int, int, int, int]

_RESULT = "result"


def is_users(debug: Debug | None) -> bool:
    """Return whether a function is in a file of the user and has a name."""
    return debug is not None and bool(debug.function) and debug.users


class EquationCards:
    """Makes the cards of control-flow equations."""

    def __init__(self, walk: Walk, written: Written, callers: Callers, paths: OperandNames) -> None:
        """Store the `Walk`, the reader of the user's source, the finder of callers, and the namer of operands."""
        self._walk = walk
        self._written = written
        self._callers = callers
        self._paths = paths
        self._costs = Costs(walk)
        self._predicates = Predicates(walk, written, callers, paths)
        self._bodies = Bodies(walk, written, callers)
        self._debugs: dict[int, Debug] = {}

    # --- control flow ----------------------------------------------------------------------------

    def control(
        self, reached: ReachedScope, primitive: str, equation: int, children: list[Child], path: ControlPath
    ) -> Card:
        """Return the card of an equation that is a scan, a while or a cond."""
        columns = reached.columns
        caller = self._callers.of(columns.stack[equation], reached.caller)
        call = self._written.call(caller.frame) if caller.library is None else None
        card = Card(
            kind=caller.kind or primitive,
            primitive=primitive,
            scope=reached.number,
            equation=equation,
            path=path,
            program=path.program,
            frame=caller.frame,
            library=caller.library,
            name_stack=self._walk.strings.items[columns.name_stack[equation]],
            effects=self._effects(reached, equation),
        )
        scopes = {(self._walk.strings.items[parameter], position): scope for _, parameter, position, scope in children}
        if primitive == SCAN:
            self._scan(card, reached, scopes, call)
        elif primitive == COND:
            self._cond(card, reached, scopes, call)
        else:
            self._while(card, reached, scopes, call)
        derivative = reached.derivative(card.name_stack)
        plain = card.library is None and (card.body < 0 or self.debug_of(card.body).users)
        is_repeated = REMATTED in f"{reached.around}/{card.name_stack}" and derivative != "transpose"
        used = equation in dict(columns.effects) or self._is_used(reached, equation)
        sentences_on_cards.add(
            card, call, self._walk, backward=derivative == "transpose", is_repeated=is_repeated, plain=plain, used=used
        )
        sentences_on_cards.choose(card, reached, derivative)
        return card

    def _scan(self, card: Card, reached: ReachedScope, scopes: dict[tuple[str, int], int], call: Call | None) -> None:
        equation = reached.jaxpr.eqns[card.equation]
        parts = scan_parts(equation.params)
        card.kind = card.kind if card.kind in ("scan", "map", "fori_loop", "while_loop") else "scan"
        body = self._body(card, scopes["jaxpr", -1], call, reached)
        operands = reached.columns.operands[card.equation]
        first = self._paths.first_result(reached.columns, reached.number, card.equation)
        inner = self._walk.scopes[card.body]
        shift = inner.constants
        for index, operand in enumerate(operands):
            step = inner.variable_avals[shift + index]
            aval = self._paths.aval(reached.columns, operand)
            if index < parts.consts:
                is_kept = body.kept(index)
                name = body.input(index) if is_kept else self._outside(reached, operand, card) or body.input(index)
                card.slots.append(SlotRow("const", name, step, aval, step, operand, is_kept))
            elif index < parts.consts + parts.carry:
                position = index - parts.consts
                out = self._paths.aval(inner, inner.outputs[position])
                name = body.carry(position, parts.consts, parts.carry)
                card.slots.append(SlotRow("carry", name, step, aval, out, operand))
            else:
                name = self._outside(reached, operand, card) or body.input(index)
                card.slots.append(SlotRow("xs", name, step, aval, step, operand))
        for index, output in enumerate(inner.outputs[parts.carry :], parts.carry):
            step = self._paths.aval(inner, output)
            variable = first + index
            aval = reached.columns.variable_avals[variable]
            name = body.y(index, len(inner.outputs) - parts.carry)
            card.slots.append(SlotRow("ys", name, step, aval, step, variable))
        card.reverse, card.unroll = parts.reverse, parts.unroll
        if parts.length is not None:
            card.trips, card.trips_from = parts.length, "length"
        if card.kind == "fori_loop":
            backward = reached.derivative(card.name_stack) == "transpose"
            self._counted(card, operands[parts.consts] if parts.carry and not backward else None, call)
        card.step_flops = self._costs.scope(card.body)

    def _counted(self, card: Card, start: int | None, call: Call | None) -> None:
        """Fill the bounds of a fori_loop that became a scan, from the equation's literal or the number in the call."""
        card.trips_from = "bounds"
        if start is not None and card.trips is not None:
            text = self._paths.literal(start) if start < 0 else ""
            if not text and call is not None:
                text = text_of(call.argument(0, "lower")) or ""
            if text.lstrip("-").isdigit():
                upper = None if call is None else text_of(call.argument(1, "upper"))
                # A loop with 0 steps may have any upper bound up to its start, so this bound is taken from the user's
                # call.
                upper = str(int(text) + card.trips) if card.trips else upper
                card.lower, card.upper = (text, upper) if upper else (None, None)

    def _while(self, card: Card, reached: ReachedScope, scopes: dict[tuple[str, int], int], call: Call | None) -> None:
        equation = reached.jaxpr.eqns[card.equation]
        parts = while_parts(equation.params)
        card.kind = card.kind if card.kind in ("while_loop", "fori_loop", "scan", "map") else "while_loop"
        body = self._body(card, scopes["body_jaxpr", -1], call, reached)
        card.condition = scopes["cond_jaxpr", -1]
        operands = reached.columns.operands[card.equation]
        condition, inner = self._walk.scopes[card.condition], self._walk.scopes[card.body]
        consts = parts.condition_consts + parts.body_consts
        for index, operand in enumerate(operands):
            aval = self._paths.aval(reached.columns, operand)
            if index < parts.condition_consts:
                step = condition.variable_avals[condition.constants + index]
                card.slots.append(SlotRow("const", self._outside(reached, operand, card), step, aval, step, operand))
                continue
            variable = inner.constants + index - parts.condition_consts
            step = inner.variable_avals[variable]
            if index < consts:
                name = self._outside(reached, operand, card) or body.input(index - parts.condition_consts)
                card.slots.append(SlotRow("const", name, step, aval, step, operand))
                continue
            position = index - consts
            out = self._paths.aval(inner, inner.outputs[position])
            name = body.carry(position, parts.body_consts, len(operands) - consts)
            card.slots.append(SlotRow("carry", name, step, aval, out, operand))
        if card.kind == "fori_loop":
            self._traced_bounds(card, reached, operands[consts:], call)
        else:
            card.condition_text = self._condition_text(card.condition, card.frame)
            card.trips = counted_trips(self._walk, reached.number, card.equation, card.condition, card.body)
            card.trips_from = None if card.trips is None else "bounds"
        steps = [self._costs.scope(card.body), self._costs.scope(card.condition)]
        card.step_flops = None if None in steps else sum(step for step in steps if step is not None)

    def _traced_bounds(self, card: Card, reached: ReachedScope, carry: list[int], call: Call | None) -> None:
        """Fill the bounds of a fori_loop that became a while loop.

        Its carry begins with the index and the upper bound.
        """
        if len(carry) < 2:
            return
        lower, upper = (self._outside(reached, operand, card) for operand in carry[:2])
        if call is not None:
            lower = lower or text_of(call.argument(0, "lower")) or ""
            upper = upper or text_of(call.argument(1, "upper")) or ""
        card.lower, card.upper = lower or None, upper or None
        bounds = [slot for slot in card.slots if slot.role == "carry"][:2]
        bounds[0].path = bounds[0].path or "i"
        bounds[1].path = bounds[1].path or upper
        if carry[0] < 0 and carry[1] < 0 and lower.lstrip("-").isdigit() and upper.lstrip("-").isdigit():
            card.trips, card.trips_from = max(0, int(upper) - int(lower)), "bounds"

    def _condition_text(self, scope: int, frame: int) -> str | None:
        """Return the condition of a loop as the user wrote it, without parts that a library adds."""
        columns = self._walk.scopes[scope]
        waiting = [variable for variable in columns.outputs[:1] if variable >= 0]
        texts: set[str | None] = set()
        visited: set[int] = set()
        for variable in waiting:
            equation, _ = self._paths.producer(columns, scope, variable)
            if equation < 0 or equation in visited:
                continue
            visited.add(equation)
            frames = self._callers.user_frames(columns.stack[equation])
            if frames and frames[0] != frame:
                texts.add(self._written.text(frames[0]))
            else:
                waiting += [operand for operand in columns.operands[equation] if operand >= 0]
        return texts.pop() if len(texts) == 1 else None

    def _cond(self, card: Card, reached: ReachedScope, scopes: dict[tuple[str, int], int], call: Call | None) -> None:
        columns = reached.columns
        sides = sorted((position, scope) for (name, position), scope in scopes.items() if name == "branches")
        operands = columns.operands[card.equation]
        predicate, branch_operands = operands[0], operands[1:]
        self._predicates.fill(card, reached, predicate, call)
        # `lax.platform_dependent` sets this parameter; a cond or a switch of the user has None.
        platforms = reached.jaxpr.eqns[card.equation].params.get("branches_platforms")
        if platforms is not None:
            card.kind = "switch"
        if card.kind not in ("cond", "switch"):
            card.kind = "cond" if len(sides) == 2 and self._predicates.is_boolean(card, reached) else "switch"
        labels = branch_labels(card.kind, [side for side, _ in sides], platforms)
        for side, (label, (_, scope)) in enumerate(zip(labels, sides, strict=True)):
            debug = self.debug_of(scope)
            name = debug.function if debug.users or debug.function not in ("<lambda>", "<unknown>") else ""
            card.branches.append(
                BranchRow(
                    label=label,
                    name=name or (branch_name(call, card.kind, side) if platforms is None else None) or "",
                    scope=scope,
                    equations=self._walk.scopes[scope].total,
                    frame=self._definition(debug),
                    flops=self._costs.scope(scope),
                )
            )
        inner, debug = self._walk.scopes[sides[0][1]], self.debug_of(sides[0][1])
        for index, operand in enumerate(branch_operands):
            step = inner.variable_avals[inner.constants + index]
            name = self._outside(reached, operand, card) or _at(debug.arguments, index)
            aval = self._paths.aval(columns, operand)
            card.slots.append(SlotRow("operand", name, step, aval, step, operand))
        self._results(card, reached, debug, call)
        flops = [branch.flops for branch in card.branches]
        card.step_flops = (
            None if None in flops else max((flop_count for flop_count in flops if flop_count is not None), default=0)
        )

    # --- named scopes ----------------------------------------------------------------------------

    def named_scope(
        self, reached: ReachedScope, primitive: str, equation: int, children: list[Child], path: ControlPath
    ) -> Card:
        """Return the card of an equation that is a jit, a custom rule or a remat."""
        columns = reached.columns
        caller = self._callers.of(columns.stack[equation], reached.caller)
        debug = self.debug(children) or Debug()
        card = Card(
            kind=SCOPE_PRIMITIVES[primitive],
            primitive=primitive,
            scope=reached.number,
            equation=equation,
            path=path,
            program=path.program,
            title=debug.function,
            frame=caller.frame,
            library=None if debug.users else caller.library,
            name_stack=self._walk.strings.items[columns.name_stack[equation]],
            body=children[0][3],
            body_frame=self._definition(debug),
            effects=self._effects(reached, equation),
            step_flops=self._costs.scope(children[0][3]),
        )
        inner = self._walk.scopes[card.body]
        operands = columns.operands[equation]
        for index, operand in enumerate(operands):
            aval = self._paths.aval(columns, operand)
            step = inner.variable_avals[inner.constants + index] if index < inner.inputs else aval
            name = self._outside(reached, operand, card) or _at(debug.arguments, index)
            card.slots.append(SlotRow("operand", name, step, aval, step, operand))
        self._results(card, reached, debug, self._written.call(caller.frame) if caller.library is None else None)
        card.steppable = sentences_on_cards.NO_STEPS
        return card

    def _results(self, card: Card, reached: ReachedScope, debug: Debug, call: Call | None) -> None:
        """Fill the results of a branch or a named scope, with the names to which the user's code assigns them."""
        columns = reached.columns
        first = self._paths.first_result(columns, reached.number, card.equation)
        count = columns.output_counts[card.equation]
        target = call.target if call is not None else None
        suffixes: list[str] | None = [path.removeprefix(_RESULT) for path in debug.results]
        if len(debug.results) != count:  # JAX lacks the paths of some results
            leaf = self._only_leaf(card, call) if count == 1 else None
            suffixes = None if leaf is None else [leaf]
        if suffixes is None or reached.derivative(card.name_stack):
            target, suffixes = None, [""] * count
        for index in range(count):
            aval = columns.variable_avals[first + index]
            name = into(target, suffixes[index]) or ""
            card.slots.append(SlotRow("result", name, aval, aval, aval, first + index))

    def _only_leaf(self, card: Card, call: Call | None) -> str | None:
        """Return the path of the single result of the branches; None if the branches differ or return several."""
        leaves: set[str | None] = set()
        lambdas = (
            [argument for argument in call.arguments if isinstance(argument, ast.Lambda)] if call is not None else []
        )
        for branch in card.branches:
            debug = self.debug_of(branch.scope)
            if debug.users and debug.function != "<lambda>":
                leaves.add(only_leaf(returned(self._written.function(debug.file, debug.line))))
        leaves.update(only_leaf(lambda_.body) for lambda_ in lambdas)
        return leaves.pop() if len(leaves) == 1 else None

    # --- inner programs --------------------------------------------------------------------------

    def debug(self, children: Sequence[Child]) -> Debug | None:
        """Return JAX's debug information on the function of the first inner program.

        None if there is no inner program.
        """
        return self.debug_of(children[0][3]) if children else None

    def debug_of(self, scope: int) -> Debug:
        """Return JAX's debug information on the function of a scope."""
        debug = self._debugs.get(scope)
        if debug is None:
            debug = self._debugs[scope] = debug_of(self._walk.jaxprs[scope], self._walk.positions)
        return debug

    def inputs(self, reached: ReachedScope, equation: int, parameter: str, scope: int) -> list[str]:
        """Return the paths of the inputs of an inner program: its own names, and outer names for captured values."""
        columns = self._walk.scopes[scope]
        debug = self.debug_of(scope)
        names = [_at(debug.arguments, index) for index in range(columns.inputs)]
        operands = reached.columns.operands[equation]
        primitive = self._walk.strings.items[reached.columns.primitive[equation]]
        offset = 0
        if primitive == COND:
            offset = 1
        elif parameter == "body_jaxpr":
            offset = while_parts(reached.jaxpr.eqns[equation].params).condition_consts
        frame = self._callers.of(reached.columns.stack[equation], reached.caller).frame
        function = self._written.function(debug.file, debug.line) if debug.users else None
        for index, name in enumerate(names):
            if name:
                names[index] = renamed(name, function)
            elif len(operands) == columns.inputs + offset or parameter == "body_jaxpr":
                if index + offset < len(operands):
                    names[index] = self._paths.of(reached, operands[index + offset], frame)
        return [""] * columns.constants + names

    def _body(self, card: Card, scope: int, call: Call | None, reached: ReachedScope) -> Body:
        """Return the function that is the body of a loop, and fill the card's fields on the body."""
        card.body = scope
        body = self._bodies.of(card, self.debug_of(scope), call, reached.derivative(card.name_stack))
        card.title, card.body_frame = body.name, body.frame
        return body

    def _definition(self, debug: Debug) -> int:
        return definition(self._walk.positions, self._written, debug)

    def _outside(self, reached: ReachedScope, operand: int, card: Card) -> str:
        return self._paths.of(reached, operand, card.frame)

    def _is_used(self, reached: ReachedScope, equation: int) -> bool:
        """Return whether another equation, or the result of the scope, uses a result of the equation."""
        columns = reached.columns
        first = self._paths.first_result(columns, reached.number, equation)
        results = range(first, first + columns.output_counts[equation])
        later = columns.operands[equation + 1 :]
        return any(output in results for output in columns.outputs) or any(
            operand in results for operands in later for operand in operands
        )

    def _effects(self, reached: ReachedScope, equation: int) -> list[str]:
        rows = dict(reached.columns.effects)
        names = [self._walk.strings.items[effect] for effect in rows.get(equation, [])]
        return [name for name in names if name not in INSIDE]


def _at(texts: Sequence[str], index: int) -> str:
    return texts[index] if index < len(texts) else ""
