"""Gives equations of two programs numbers (keys) that are equal for equal equations; names of variables do not matter.

Each equation has three keys, from the narrowest to the widest. Equal `value`: the equations compute the same from the
inputs of the scope. Equal `use`: later equations, up to the scope's results, use the results in the same way. Equal
`alone`: primitive, parameters, types and inner programs are equal; the operands may differ. The work is linear in the
number of equations.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from .side import Child, ScopeSide, Side

#: Parameters that only name something, describe a pytree, or name a function for derivatives. JAX prints them, but they
#: do not change the program that runs.
NAMES = frozenset(
    {
        "name",
        "name_and_src_info",
        "ft_in",
        "ft_out",
        "in_tree",
        "out_tree",
        "out_trees",
        "jvp",
        "jvp_jaxpr_fun",
        "jvp_jaxpr_thunk",
        "fwd",
        "fwd_jaxpr_thunk",
        "bwd",
        "fun",
        "debug",
        "debug_info",
    }
)

#: Parameters whose program combines two values into one; such a program is compared as a parameter.
COMBINING = frozenset({"update_jaxpr", "select_jaxpr", "scatter_jaxpr"})
_COMBINED = frozenset({"reduce", "reduce_window"})

_FUNCTION = re.compile(r"<(function|bound method|built-in function) [^>]*>")


def canonical(text: str) -> str:
    """Return the text of a parameter without the names of Python functions."""
    return _FUNCTION.sub(r"<\1>", text) if "<" in text else text


def is_combiner(primitive: str, child: Child) -> bool:
    """Return whether an inner program is part of its primitive's meaning, such as the + of a scatter-add."""
    return child.parameter in COMBINING or primitive in _COMBINED


@dataclass
class ScopeKeys:
    """Numbers for a scope, its variables and its equations: equal parts of the two programs have equal numbers.

    Attributes:
        scope: a number for the whole scope: scopes that differ only in names have the same number.
        values: for each variable, a number that is equal for variables with the same value.
        kind: for each equation, a number that is equal for equal primitives and parameters, without types.
        bound: for each equation, a number that is equal for equal types of the results.
    """

    scope: int
    values: list[int]
    value: list[int]
    alone: list[int]
    kind: list[int]
    bound: list[int]
    use: list[int] = field(default_factory=list)


class Numbers:
    """Gives equal keys equal numbers; both sides of a diff share one object of this class."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, key: Hashable) -> int:
        """Return the number that stands for a key: the same number for equal keys."""
        return self._numbers.setdefault(key, len(self._numbers))


class Keys:
    """Computes the `ScopeKeys` of the scopes of one of the two compared programs."""

    def __init__(self, side: Side, numbers: Numbers) -> None:
        self.side = side
        self._numbers = numbers
        self._scopes: dict[int, ScopeKeys] = {}
        self._types = [
            numbers.of(("type", aval.text, aval.dtype, aval.shape, aval.weak, aval.sharding)) for aval in side.types
        ]
        self._literals = [
            numbers.of(("literal", side.strings[text], self._types[kind])) for text, kind in side.literals
        ]
        self._parameters: dict[int, int] = {}
        self._strings: dict[int, int] = {}

    def type_of(self, scope: ScopeSide, variable: int) -> int:
        """Return the number that stands for the type of a variable or literal."""
        if variable < 0:
            return self._types[self.side.literals[-1 - variable][1]]
        return self._types[scope.types[variable]]

    def literal(self, operand: int) -> int:
        """Return the number that stands for the text and the type of a literal."""
        return self._literals[-1 - operand]

    def of(self, number: int) -> ScopeKeys:
        """Return the keys of a scope and of its inner scopes; `use` is only computed at the first request."""
        cached = self._scopes.get(number)
        return cached if cached is not None else self._number(number)

    def uses(self, number: int) -> list[int]:
        """Return the `use` key of each equation of a scope."""
        keys = self.of(number)
        if not keys.use and keys.value:
            keys.use = self._uses(self.side.scopes[number], keys)
        return keys.use

    def entered_with(self, number: int, inputs: list[int]) -> ScopeKeys:
        """Return the keys of a scope, given the keys of its constants and inputs."""
        return self._number(number, inputs)

    def _number(self, number: int, input_values: list[int] | None = None) -> ScopeKeys:
        scope, numbers = self.side.scopes[number], self._numbers
        types, number_of = self._types, numbers.of
        # Inner programs come first. The recursion stays far below Python's limit, because programs are nested only a
        # few levels deep.
        for children in scope.children.values():
            for child in children:
                self.of(child.scope)
        inputs = scope.constants + scope.inputs
        values = [number_of(("input", i)) for i in range(inputs)] if input_values is None else list(input_values)
        value: list[int] = []
        alone: list[int] = []
        kind: list[int] = []
        bound: list[int] = []
        variable = inputs
        for equation, (primitive, operands, count, parameters) in enumerate(
            zip(scope.primitive, scope.operands, scope.output_counts, scope.parameters, strict=True)
        ):
            output_types = tuple([types[variable_type] for variable_type in scope.types[variable : variable + count]])
            key: Hashable = (self._string(primitive), self._list(parameters))
            if equation in scope.children or equation in scope.effects:
                key = (key, self._inside(scope, equation))
            equation_key = number_of(key)
            operand_types = tuple([types[scope.types[o]] if o >= 0 else self._literals[-1 - o] for o in operands])
            lone = number_of((equation_key, operand_types, output_types))
            deep = number_of(
                (lone, tuple([values[o] if o >= 0 else self._literals[-1 - o] for o in operands]), "value")
            )
            kind.append(equation_key)
            bound.append(number_of(output_types))
            alone.append(lone)
            value.append(deep)
            if count == 1:
                values.append(deep)
            else:
                values.extend([number_of((deep, place)) for place in range(count)])
            variable += count
        scope_key = number_of(
            (
                "scope",
                scope.constants,
                tuple([types[input_type] for input_type in scope.types[:inputs]]),
                tuple(value),
                tuple([values[o] if o >= 0 else self._literals[-1 - o] for o in scope.outputs]),
            )
        )
        keys = ScopeKeys(scope_key, values, value, alone, kind, bound)
        if input_values is None:
            self._scopes[number] = keys
        return keys

    def _inside(self, scope: ScopeSide, equation: int) -> Hashable:
        inside = tuple(
            (child.parameter, child.position, self.of(child.scope).scope) for child in scope.children.get(equation, ())
        )
        effects = tuple(sorted(self.side.strings[effect] for effect in scope.effects.get(equation, ())))
        return inside, effects

    def _string(self, number: int) -> int:
        cached = self._strings.get(number)
        if cached is None:
            cached = self._strings[number] = self._numbers.of(self.side.strings[number])
        return cached

    def _list(self, number: int) -> int:
        """Return the number that stands for a list of parameters; parameters that only name something are ignored."""
        cached = self._parameters.get(number)
        if cached is None:
            parameters = () if number < 0 else self.side.parameter_lists[number]
            strings = self.side.strings
            texts = sorted(
                (strings[name], canonical(strings[value]))
                for name, value in parameters
                if value >= 0 and strings[name] not in NAMES
            )
            cached = self._parameters[number] = self._numbers.of(("parameters", tuple(texts)))
        return cached

    def _uses(self, scope: ScopeSide, keys: ScopeKeys) -> list[int]:
        number_of = self._numbers.of
        used: dict[int, list[tuple[int, int]]] = {}
        for place, operand in enumerate(scope.outputs):
            if operand >= 0:
                used.setdefault(operand, []).append((-1, place))
        use = [0] * len(keys.value)
        end = len(scope.types)
        for equation in range(len(use) - 1, -1, -1):
            first = end - scope.output_counts[equation]
            later = tuple([tuple(sorted(used.pop(variable, ()))) for variable in range(first, end)])
            use[equation] = use_key = number_of((keys.alone[equation], later, "use"))
            for place, operand in enumerate(scope.operands[equation]):
                if operand >= 0:
                    used.setdefault(operand, []).append((use_key, place))
            end = first
        return use
