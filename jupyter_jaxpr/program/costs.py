"""A scope in, the floating-point operations of one run out: loops by their length, branches by the dearest.

The rules are those of XLA's `HloCostAnalysis` (xla/service/hlo_cost_analysis.cc), by the primitive that lowers to the
instruction it has the rule for:

- An elementwise instruction is one operation for each element of its result (`HandleElementwiseOp`); conversions,
  comparisons, `select` and `clamp` are among them. Transcendental functions are counted apart, one an element.
- `dot`: 2 for each element of the result and of what is contracted (`HandleDot`, a multiply-add is 2).
- `reduce`: one application of its combiner for each element that disappears (`HandleReduce`).
- `reduce_window`: window size less one for each element of the result (`HandleReduceWindow`).
- `convolution`: 2 for each element of the result and of the kernel that it meets (`HandleConvolution`); padding is
  not taken off here, so this is an upper bound where there is some.
- `sort`: elements times the logarithm of their number, rounded up (`HandleSort`).
- `scatter`: its combiner for each update (`HandleScatter`). `cholesky`: n^3/3. `triangular_solve`: n^2 m.
- What only moves data costs nothing: reshape, transpose, slice, gather, broadcast, concatenate, pad, iota.

It differs from XLA in these: a loop counts its body times its length (XLA counts it once); `integer_pow` counts the
multiplications that it lowers to; integer arithmetic counts as XLA counts it, as operations. The program is as JAX
recorded it: what XLA simplifies away is in it.

What is not known is said: `Cost.exact` is false where a primitive has no rule, or a loop no known length; such a loop
counts once, such a primitive nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from .jaxpr import Walk


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations of one run; `exact` is false where something in it has no rule or no known length."""

    flops: int = 0
    transcendentals: int = 0
    exact: bool = True

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.flops + other.flops,
            self.transcendentals + other.transcendentals,
            self.exact and other.exact,
        )

    def times(self, count: int) -> Cost:
        """So many runs."""
        return Cost(self.flops * count, self.transcendentals * count, self.exact)


NOTHING = Cost()
UNKNOWN = Cost(exact=False)


class Costs:
    """Costs of the scopes of a walk, each counted once."""

    def __init__(self, walk: Walk) -> None:
        """The scopes."""
        self._walk = walk
        self._known: dict[int, Cost] = {}

    def scope(self, number: int) -> int | None:
        """Floating-point operations of one run of a scope; None where something in it is not known."""
        cost = self.of(number)
        return cost.flops if cost.exact else None

    def of(self, number: int) -> Cost:
        """What one run of a scope costs, as far as it is known."""
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._count(number)
        return known

    def _count(self, number: int) -> Cost:
        columns = self._walk.scopes[number]
        strings, avals = self._walk.strings.items, self._walk.avals
        # Most equations cost one operation an element or none: those are counted by their types alone.
        plain = {each: _plain_kind(strings[each]) for each in set(columns.primitive)}
        counts = columns.output_counts
        firsts = accumulate(counts, initial=columns.constants + columns.inputs)
        # One more first than counts: it is where the variables end.
        results = [columns.variable_avals[first] if n else -1 for first, n in zip(firsts, counts, strict=False)]
        cost = NOTHING
        for (primitive, aval), times in Counter(zip(columns.primitive, results, strict=True)).items():
            kind = plain[primitive]
            if kind is not None and kind != _NO_COST:
                cost += _plain(kind, avals[aval].shape, times) if aval >= 0 else UNKNOWN
        others = [index for index, primitive in enumerate(columns.primitive) if plain[primitive] is None]
        if others:
            inside: dict[int, list[tuple[str, Cost]]] = {}
            for equation, parameter, _, child in columns.children:
                inside.setdefault(equation, []).append((strings[parameter], self.of(child)))
            equations = self._walk.jaxprs[number].eqns
            for index in others:
                cost += equation_cost(equations[index], inside.get(index, []))
        return cost


_NO_COST, _OPERATION, _FUNCTION = range(3)


def _plain_kind(primitive: str) -> int | None:
    """Whether a primitive costs nothing, an operation or a transcendental function an element; None for others."""
    if primitive in _FREE:
        return _NO_COST
    if primitive in _ELEMENTWISE:
        return _OPERATION
    return _FUNCTION if primitive in _TRANSCENDENTAL else None


def _plain(kind: int, shape: tuple[int | str, ...], times: int) -> Cost:
    elements = times
    for size in shape:
        if isinstance(size, str):
            return UNKNOWN
        elements *= size
    return Cost(elements, 0) if kind == _OPERATION else Cost(0, elements)


def equation_cost(equation: Any, inside: list[tuple[str, Cost]]) -> Cost:
    """What an equation costs.

    Args:
        equation: JAX's own object.
        inside: Of each of its programs: the parameter that holds it, and its cost.
    """
    primitive = equation.primitive.name
    try:
        kind = _plain_kind(primitive)
        if kind is not None:
            return NOTHING if kind == _NO_COST else _plain(kind, tuple(equation.outvars[0].aval.shape), 1)
        rule = _RULES.get(primitive)
        if rule is not None:
            return rule(equation)
        if inside:
            return _programs(primitive, equation, inside)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        pass  # another JAX, or a symbolic size: not known
    return UNKNOWN


def _programs(primitive: str, equation: Any, inside: list[tuple[str, Cost]]) -> Cost:
    costs = [cost for _, cost in inside]
    if primitive == "cond":
        return Cost(
            max(cost.flops for cost in costs),
            max(cost.transcendentals for cost in costs),
            all(cost.exact for cost in costs),
        )
    if primitive == "scan":
        return costs[0].times(equation.params["length"])
    if primitive == "while":
        once = costs[0] + costs[1]
        return Cost(once.flops, once.transcendentals, False)
    if primitive == "reduce":
        return costs[0].times(_elements(equation.invars[0]) - _elements(equation.outvars[0]))
    if primitive in _ONCE:
        return costs[0]
    return UNKNOWN


def _elements(variable: Any) -> int:
    return math.prod(variable.aval.shape)


def _reduction(equation: Any) -> Cost:
    return Cost(_elements(equation.invars[0]) - _elements(equation.outvars[0]))


def _arg_reduction(equation: Any) -> Cost:
    # Its combiner compares values and positions, and selects both: nine operations.
    return _reduction(equation).times(9)


def _scatter(equation: Any) -> Cost:
    combiner = 0 if equation.primitive.name == "scatter" else 1
    return Cost(combiner * _elements(equation.invars[2]))


def _dot(equation: Any) -> Cost:
    (left, _), _ = equation.params["dimension_numbers"]
    shape = equation.invars[0].aval.shape
    return Cost(2 * _elements(equation.outvars[0]) * math.prod(shape[axis] for axis in left))


def _convolution(equation: Any) -> Cost:
    kernel = equation.invars[1].aval.shape
    numbers = equation.params["dimension_numbers"]
    outputs = kernel[numbers.rhs_spec[0]]
    return Cost(2 * _elements(equation.outvars[0]) * math.prod(kernel) // max(1, outputs))


def _integer_pow(equation: Any) -> Cost:
    power = equation.params["y"]
    size = abs(power)
    multiplications = max(0, size.bit_length() - 1 + size.bit_count() - 1) + (power < 0)
    return Cost(multiplications * _elements(equation.outvars[0]))


def _sort(equation: Any) -> Cost:
    elements = _elements(equation.invars[0])
    return Cost(elements * max(0, math.ceil(math.log2(elements))) if elements else 0)


def _window(equation: Any) -> Cost:
    window = math.prod(equation.params["window_dimensions"])
    return Cost((window - 1) * _elements(equation.outvars[0]))


def _cholesky(equation: Any) -> Cost:
    return Cost(_elements(equation.invars[0]) * equation.invars[0].aval.shape[-1] // 3)


def _triangular_solve(equation: Any) -> Cost:
    return Cost(_elements(equation.invars[1]) * equation.invars[0].aval.shape[-1])


def _one_minus_square(equation: Any) -> Cost:
    return Cost(3 * _elements(equation.outvars[0]))  # it lowers to (1 + x) * (1 - x)


def _random(equation: Any) -> Cost:
    return Cost(0, sum(_elements(variable) for variable in equation.outvars))


_ELEMENTWISE = frozenset(
    """abs add add_any and ceil clamp convert_element_type div eq floor ge gt imag is_finite le lt max min mul ne neg
    nextafter not or population_count clz real reduce_precision rem round select_n shift_left shift_right_arithmetic
    shift_right_logical sign square sub xor conj""".split()
)
_TRANSCENDENTAL = frozenset("atan2 cbrt cos erf exp exp2 expm1 log log1p logistic pow rsqrt sin sqrt tan tanh".split())
_FREE = frozenset(
    """bitcast_convert_type broadcast_in_dim concatenate copy copy_p dynamic_slice dynamic_update_slice
    expand_dims gather iota pad pvary reshape rev select_and_gather_add slice split squeeze stop_gradient transpose
    optimization_barrier random_wrap random_unwrap device_put sharding_constraint debug_callback debug_print empty
    broadcast empty2 create_token zeros_like symbolic_zeros mesh_cast reshard""".split()
)
_ONCE = frozenset(
    """jit pjit custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr remat remat2 checkpoint closed_call eval_jaxpr
    core_call custom_lin""".split()
)
_RULES: dict[str, Callable[[Any], Cost]] = {
    "dot_general": _dot,
    "conv_general_dilated": _convolution,
    "integer_pow": _integer_pow,
    "one_minus_square": _one_minus_square,
    **dict.fromkeys(("scatter", "scatter-add", "scatter_add", "scatter_sub", "scatter-sub"), _scatter),
    **dict.fromkeys(("scatter_mul", "scatter-mul", "scatter_min", "scatter-min"), _scatter),
    **dict.fromkeys(("scatter_max", "scatter-max"), _scatter),
    "sort": _sort,
    "cholesky": _cholesky,
    "triangular_solve": _triangular_solve,
    "random_bits": _random,
    "threefry2x32": _random,
    "reduce_window_sum": _window,
    "reduce_window_max": _window,
    "reduce_window_min": _window,
    **dict.fromkeys(("reduce_sum", "reduce_max", "reduce_min", "reduce_prod"), _reduction),
    **dict.fromkeys(("reduce_and", "reduce_or", "reduce_xor"), _reduction),
    **dict.fromkeys(("argmax", "argmin"), _arg_reduction),
}
