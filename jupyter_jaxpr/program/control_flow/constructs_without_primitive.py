"""Makes cards of constructs that have no primitive in the program: a cond under vmap, an associative_scan.

Both are found by the frames of other equations: JAX's batching rule of cond is on the stack of the `select_n` equations
that it makes, and `associative_scan` is on the stack of its slices. Equations of one call have the same user frames.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..costs import Cost, equation_cost
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk
from . import sentences_on_cards
from .callers_of_constructs import Callers
from .calls_in_user_source import Written, branch_name, target_name, text_of
from .operand_names import OperandNames
from .predicate_of_cond import Predicates
from .reached_scope import ReachedScope
from .rows_of_cards import NO_OPERAND, BranchRow, Card, ControlPath, SlotRow

_SELECTED = "select"
_COMBINED = "associative_scan"
#: The primitives of equations that JAX's batching rule of cond makes: it selects the operands of each branch by
#: `index == branch`, and at the end the results by the index. If the cond was batched as part of another program (a
#: scan's body), the stack of these equations has the call of cond, but not the batching rule.
_OF_RULE = frozenset({"eq", "select_n", "stop_gradient", "broadcast_in_dim", "transpose"})


@dataclass(slots=True)
class Found:
    """A card, and {label of a branch: the equations of the scope that belong to the branch}."""

    card: Card
    regions: list[tuple[range, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Group:
    """The equations that came from one call in the user's code."""

    frames: tuple[int, ...]
    name_stack: int
    equations: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)


class Dissolved:
    """Finds constructs without a primitive by the frames of other equations."""

    def __init__(self, walk: Walk, written: Written, callers: Callers, paths: OperandNames) -> None:
        """Store the `Walk`, the reader of the user's source, the finder of callers, and the namer of operands."""
        self._walk = walk
        self._written = written
        self._callers = callers
        self._paths = paths
        self._predicates = Predicates(walk, written, callers, paths)
        self._kinds: dict[int, str | None] = {}

    def any_in(self, columns: ScopeColumns) -> bool:
        """Return whether a scope contains equations by which JAX replaced a construct."""
        kinds = {self._kind(stack) for stack in set(columns.stack)}
        if _COMBINED in kinds:
            return True
        if _SELECTED not in kinds:
            return False
        strings = self._walk.strings.items
        return any(
            self._kind(stack) == _SELECTED and strings[primitive] == "select_n"
            for primitive, stack in zip(columns.primitive, columns.stack, strict=True)
        )

    def find(self, reached: ReachedScope, program: int) -> list[Found]:
        """Return the constructs of a scope that have no primitive."""
        columns, strings = reached.columns, self._walk.strings.items
        selects: list[_Group] = []
        open_groups: dict[tuple[tuple[int, ...], int], _Group] = {}
        combined: dict[tuple[tuple[int, ...], int], _Group] = {}
        for equation, stack in enumerate(columns.stack):
            kind = self._kind(stack)
            primitive = strings[columns.primitive[equation]]
            if kind is None or (kind == _SELECTED and primitive not in _OF_RULE):
                continue
            key = (tuple(self._callers.user_frames(stack)), columns.name_stack[equation])
            if kind == _COMBINED:
                combined.setdefault(key, _Group(*key)).equations.append(equation)
                continue
            group = open_groups.get(key)
            is_result = primitive == "select_n" and not self._by_comparison(reached, group, equation)
            if group is None or (group.results and not is_result):
                group = open_groups[key] = _Group(*key)
                selects.append(group)
            group.equations.append(equation)
            if is_result:
                group.results.append(equation)
        parts = [self._select(reached, program, group) for group in selects if group.results]
        parts += [self._combined(reached, program, group) for group in self._with_combiners(reached, combined)]
        return [part for part in parts if part is not None]

    def _by_comparison(self, reached: ReachedScope, group: _Group | None, equation: int) -> bool:
        """Return whether a `select_n` selects an operand by `index == branch`, as JAX's batching rule does."""
        predicate = reached.columns.operands[equation][0]
        if group is None or predicate < 0:
            return False
        maker = self._paths.producer(reached.columns, reached.number, predicate)[0]
        while maker in group.equations:
            if self._walk.strings.items[reached.columns.primitive[maker]] == "eq":
                return True
            before = reached.columns.operands[maker]
            if not before or before[0] < 0:
                return False
            maker = self._paths.producer(reached.columns, reached.number, before[0])[0]
        return False

    # --- a cond under vmap -----------------------------------------------------------------------

    def _select(self, reached: ReachedScope, program: int, group: _Group) -> Found | None:
        columns, strings = reached.columns, self._walk.strings.items
        if reached.derivative(strings[group.name_stack]) == "transpose":
            return None
        results = group.results
        card = self._card(reached, program, group, "select_n")
        card.equations = len(group.equations)
        caller = self._callers.of(columns.stack[group.results[0]], reached.caller)
        sides = len(columns.operands[results[0]]) - 1
        card.kind = caller.kind if caller.kind in ("cond", "switch") else "cond" if sides == 2 else "switch"
        card.equation = results[0]
        card.path = replace(card.path, equation=results[0])
        call = self._written.call(caller.frame) if caller.library is None else None
        self._predicates.fill(card, reached, columns.operands[results[0]][0], call)
        found_select = Found(card)
        starts = [index for index in group.equations if strings[columns.primitive[index]] == "eq"]
        group_equations = set(group.equations)
        for side in range(sides):
            label = ("False", "True")[side] if card.kind == "cond" and sides == 2 else str(side)
            branch = BranchRow(label, name=branch_name(call, card.kind, side) or "")
            if len(starts) == sides:
                end = starts[side + 1] if side + 1 < sides else results[0]
                inside = [index for index in range(starts[side], end) if index not in group_equations]
                branch.equations, branch.flops = self._size(reached, inside)
                found_select.regions.append((range(starts[side], end), label))
                if not branch.name and inside:
                    branch.name = self._function_of(reached, inside[0])
            card.branches.append(branch)
        picked = [
            index
            for index in group.equations
            if index not in results and strings[columns.primitive[index]] == "select_n"
        ]
        visited: set[int] = set()
        for equation in picked:
            operand = columns.operands[equation][-1]
            if operand not in visited:
                visited.add(operand)
                aval = self._paths.aval(columns, operand)
                name = self._paths.of(reached, operand, card.frame)
                card.slots.append(SlotRow("operand", name, aval, aval, aval, operand))
        for index, equation in enumerate(results):
            variable = self._paths.first_result(columns, reached.number, equation)
            aval = columns.variable_avals[variable]
            bound = target_name(call.target, index, len(results)) if call is not None and call.target else None
            card.slots.append(SlotRow("result", bound or "", aval, aval, aval, variable))
        flops = [branch.flops for branch in card.branches]
        if flops and len(starts) == sides and None not in flops:
            card.step_flops = sum(flop_count for flop_count in flops if flop_count is not None)
        decider = "index" if card.kind == "switch" else "predicate"
        card.facts.append(sentences_on_cards.SELECT.format(decider=decider))
        if card.library is None:
            card.choice = "elementwise"
            card.choice_reason = sentences_on_cards.ALL_BRANCHES_RUN.format(decider=decider)
        card.steppable = sentences_on_cards.SELECTED
        return found_select

    def _size(self, reached: ReachedScope, equations: Sequence[int]) -> tuple[int, int | None]:
        """Return the number of some equations, inner programs included, and their operations (None if unknown)."""
        children: dict[int, list[int]] = {}
        for equation, _, _, child in reached.columns.children:
            children.setdefault(equation, []).append(child)
        count, cost = 0, Cost()
        for equation in equations:
            inside = children.get(equation, [])
            count += 1 + sum(self._walk.scopes[child].total for child in inside)
            if inside:
                cost = replace(cost, exact=False)
            elif cost.exact:
                cost = cost + equation_cost(reached.jaxpr.eqns[equation], [])
        return count, cost.flops if cost.exact else None

    def _function_of(self, reached: ReachedScope, equation: int) -> str:
        frames = self._callers.user_frames(reached.columns.stack[equation])
        if not frames:
            return ""
        qualified = self._walk.strings.items[self._walk.positions.frames[frames[-1]][1]]
        return qualified.rpartition(".")[2]

    # --- associative_scan ------------------------------------------------------------------------

    def _with_combiners(self, reached: ReachedScope, groups: dict[tuple[tuple[int, ...], int], _Group]) -> list[_Group]:
        """Return the groups, each with the equations of the user's combiner, whose frames contain the call's frames."""
        columns = reached.columns
        if groups:
            tails = {(frames[0], name_stack): group for (frames, name_stack), group in groups.items() if frames}
            for equation, stack in enumerate(columns.stack):
                if self._kind(stack) is not None or stack < 0:
                    continue
                for frame in self._callers.user_frames(stack)[1:]:
                    group = tails.get((frame, columns.name_stack[equation]))
                    if group is not None:
                        group.equations.append(equation)
                        break
        for group in groups.values():
            group.equations.sort()
        return list(groups.values())

    def _combined(self, reached: ReachedScope, program: int, group: _Group) -> Found:
        columns, strings = reached.columns, self._walk.strings.items
        card = self._card(reached, program, group, "")
        card.kind = _COMBINED
        card.equations = len(group.equations)
        call = self._written.call(card.frame) if card.library is None else None
        argument = call.argument(0, "fn") if call is not None else None
        card.title = "<lambda>" if isinstance(argument, ast.Lambda) else text_of(argument) or ""
        backward = reached.derivative(card.name_stack) == "transpose"
        card.reverse = any(strings[columns.primitive[index]] == "rev" for index in group.equations)
        axis = self._axis(reached, group)
        group_equations = set(group.equations)
        outside: dict[int, str] = {}
        bound: set[int] = set()
        for group_equation in group.equations:
            is_slice = (
                strings[columns.primitive[group_equation]] in ("slice", "rev")
                and self._kind(columns.stack[group_equation]) is not None
            )
            for operand in columns.operands[group_equation]:
                if operand < 0 or self._paths.producer(columns, reached.number, operand)[0] in group_equations:
                    continue
                if is_slice:
                    outside[operand] = "xs"
                else:
                    outside.setdefault(operand, "const")
            first = self._paths.first_result(columns, reached.number, group_equation)
            bound.update(range(first, first + columns.output_counts[group_equation]))
        for role in () if backward else ("const", "xs"):
            for operand in (variable for variable, own_role in outside.items() if own_role == role):
                name = self._paths.of(reached, operand, card.frame)
                card.slots.append(self._slot(columns, role, name, operand, axis))
        results = [variable for variable in columns.outputs if variable in bound]
        for equation, operands in enumerate(columns.operands):
            if equation not in group_equations:
                results += [variable for variable in operands if variable in bound]
        length = next((self._length(columns, slot.operand, axis) for slot in card.slots if slot.role == "xs"), None)
        # Residuals of a derivative are no ys: they come from intermediate levels and are shorter than the xs.
        ys = [variable for variable in dict.fromkeys(results) if self._length(columns, variable, axis) == length]
        for index, variable in enumerate([] if backward else ys):
            target = call.target if call is not None else None
            given_name = target_name(target, index, len(ys)) if target is not None else None
            card.slots.append(self._slot(columns, "ys", given_name or "", variable, axis))
        card.facts.append(sentences_on_cards.combined(length, card.equations))
        if backward:
            card.facts.append(sentences_on_cards.BACKWARD_EQUATIONS)
        if card.library is None:
            card.choice = "outputs"
            card.choice_reason = sentences_on_cards.COMBINED_IN_PAIRS
        card.steppable = sentences_on_cards.COMBINED
        return Found(card)

    def _axis(self, reached: ReachedScope, group: _Group) -> int:
        """Return the axis along which an associative_scan combines.

        This is the axis of the slices with stride 2; if there are no such slices, axis 0 is assumed.
        """
        strings = self._walk.strings.items
        for index in group.equations:
            if strings[reached.columns.primitive[index]] == "slice":
                strides = reached.jaxpr.eqns[index].params.get("strides") or ()
                axis = next((axis for axis, stride in enumerate(strides) if stride != 1), None)
                if axis is not None:
                    return axis
        return 0

    def _slot(self, columns: ScopeColumns, role: str, name: str, variable: int, axis: int) -> SlotRow:
        aval = columns.variable_avals[variable]
        step = aval if role == "const" else self._element(aval, axis)
        return SlotRow(role, name, step, aval, step, variable)

    def _element(self, aval: int, axis: int) -> int:
        """Return the type of one element along an axis: the type without the axis."""
        row = self._walk.avals[aval]
        shape = [*row.shape[:axis], *row.shape[axis + 1 :]] if axis >= 0 else list(row.shape)
        text = f"{row.text.partition('[')[0]}[{','.join(str(size) for size in shape)}]"
        return self._walk.add_aval(replace(row, text=text, shape=tuple(shape), sharding=None))

    def _length(self, columns: ScopeColumns, variable: int, axis: int) -> int | None:
        shape = self._walk.avals[columns.variable_avals[variable]].shape
        length = shape[axis] if axis < len(shape) else None
        return length if isinstance(length, int) else None

    # --- a cond or an associative_scan -------------------------------------------------------------

    def _card(self, reached: ReachedScope, program: int, group: _Group, primitive: str) -> Card:
        columns = reached.columns
        first = group.equations[0]
        caller = self._callers.of(columns.stack[first], reached.caller)
        return Card(
            kind="",
            primitive=primitive,
            scope=reached.number,
            equation=first,
            path=ControlPath(program, reached.steps, first),
            program=program,
            frame=caller.frame,
            library=caller.library,
            name_stack=self._walk.strings.items[group.name_stack],
            predicate=NO_OPERAND,
        )

    def _kind(self, stack: int) -> str | None:
        if stack not in self._kinds:
            names = [name.partition(".<locals>")[0] for name in self._callers.functions(stack)]
            kind = None
            if _COMBINED in names:
                kind = _COMBINED
            elif "_cond_batching_rule" in names or self._callers.is_branching(stack):
                kind = _SELECTED
            self._kinds[stack] = kind
        return self._kinds[stack]
