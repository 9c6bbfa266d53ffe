"""Counts the operations that XLA adds when it expands a primitive, and that this package's count does not include.

The expansions were seen in the optimised programs of jax 0.10 to 0.12 on a CPU. Most numbers are bounds, because XLA
may simplify the expansion. An expansion without a known bound is named without a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...document.limits import Listed
from ...interruptions import not_of_a_signal
from ...joined_names import listed
from .costs_of_equations import Costs

_NARROW = {"float16", "bfloat16"}
_PIECE = 32  # XLA reduces a short axis in pieces of this many elements.
_SHORT = 4096  # XLA reduces an axis with more elements directly, without pieces.
_REDUCTIONS = frozenset("reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or".split())
#: Primitives for which XLA counts a complex number like a real number: one operation for each element.
_COMPLEX_AS_THEY_ARE = frozenset(
    "add add_any sub mul div neg real imag complex dot_general fft select_n eq ne reduce_sum scatter-add scatter_add "
    "convert_element_type".split()
)


@dataclass(frozen=True)
class Expansion:
    """The operations that XLA adds for one kind of equation.

    Attributes:
        text: A sentence that names the cause.
        most: The largest number of operations that XLA adds; None if no bound is known.
    """

    text: str
    most: int | None


def expansions(
    costs: Costs, counted: Mapping[int, int], removed_in: Callable[[int], Container[int]]
) -> list[Expansion]:
    """Return XLA's expansions of a program, those with a bound first; the body of a loop counts once.

    Args:
        costs: The costs of the scopes in the `Walk`.
        counted: Scope -> how often XLA counts it.
        removed_in: Returns the equations of a scope that the executable lacks.
    """
    names_by_sentence: dict[Callable[[list[str]], str], tuple[list[str], int | None]] = {}
    strings = costs.walk.strings.items
    for number, times in counted.items():
        primitives, removed = costs.walk.scopes[number].primitive, removed_in(number)
        for index, equation in enumerate(costs.walk.jaxprs[number].eqns):
            if index in removed:
                continue
            name = strings[primitives[index]]
            try:
                for sentence, limit in _of(name, equation):
                    names, most_before = names_by_sentence.setdefault(sentence, ([], 0))
                    names.append(name)
                    names_by_sentence[sentence] = (
                        names,
                        None if limit is None or most_before is None else most_before + limit * times,
                    )
            except not_of_a_signal(Exception):  # another version of JAX, or a symbolic size: the expansion is unknown
                continue
    all_of = [
        Expansion(sentence(list(dict.fromkeys(names))), limit) for sentence, (names, limit) in names_by_sentence.items()
    ]
    return sorted(all_of, key=lambda expansion: expansion.most is None)


def _of(name: str, equation: Any) -> Iterator[tuple[Callable[[list[str]], str], int | None]]:
    inputs, outputs = [[variable.aval for variable in some] for some in (equation.invars, equation.outvars)]
    narrow = sum(_elements(aval) for aval in (*inputs, *outputs) if _is_narrow(aval))
    if narrow and name not in ("convert_element_type", "jit", "pjit", "scan", "while", "cond"):
        yield _converted, narrow
    if name == "while":
        condition = equation.params["cond_jaxpr"]
        condition_aval = condition.out_avals[0]
        if condition_aval.shape:
            condition_elements = sum(
                _elements(out.aval) for variable in condition.jaxpr.eqns for out in variable.outvars
            )
            members = _elements(condition_aval)
            yield _of_all_members, 2 * members - 1 + condition_elements + sum(_elements(aval) for aval in outputs)
    if name in _REDUCTIONS and inputs and _elements(inputs[0]) <= _SHORT:
        shape, axes = inputs[0].shape, equation.params["axes"]
        filled = [
            -(-size // _PIECE) * _PIECE if axis in axes and size > _PIECE else size for axis, size in enumerate(shape)
        ]
        if tuple(filled) != tuple(shape):
            yield _filled_up, math.prod(filled) - math.prod(shape)
    if name == "ragged_dot_general":
        yield _masked, None
    if name in ("rng_bit_generator", "rng_uniform"):
        yield _rounds, None
    if name == "random_bits" and "fry" not in str(inputs[0].dtype):
        yield _rounds, None
    if name.startswith("select_and_scatter"):
        yield _places, None
    if name not in _COMPLEX_AS_THEY_ARE and any(_is_complex(aval) for aval in (*inputs, *outputs)):
        if not equation.params.get("jaxpr"):
            yield _real_parts, None


def _elements(aval: Any) -> int:
    return int(math.prod(aval.shape))


def _is_narrow(aval: Any) -> bool:
    kind = str(aval.dtype)
    return kind in _NARROW or kind.startswith(("float8", "float4"))


def _is_complex(aval: Any) -> bool:
    return str(aval.dtype).startswith("complex")


def _converted(names: list[str]) -> str:
    return (
        f"This device cannot compute {_listed(names)} in the dtype of the program. XLA converts the operands and the "
        "results, and counts the conversions as operations."
    )


def _of_all_members(names: list[str]) -> str:
    return (
        "Under vmap, a while loop runs until every batch element has ended. JAX adds a test for this, and a select "
        "that keeps the values of ended elements."
    )


def _filled_up(names: list[str]) -> str:
    return f"XLA pads the reduced axes of {_listed(names)} to a multiple of {_PIECE}, and counts the padding."


def _masked(names: list[str]) -> str:
    return (
        f"XLA computes all groups of {_listed(names)} as one masked matrix product. Most elements of the masked "
        "operand are zero."
    )


def _rounds(names: list[str]) -> str:
    return (
        f"XLA computes {_listed(names)} with rounds of integer operations. jupyter_jaxpr counts one transcendental "
        "operation per element instead."
    )


def _places(names: list[str]) -> str:
    return f"XLA computes {_listed(names)} with a window that finds the positions and a scatter to these positions."


def _real_parts(names: list[str]) -> str:
    return f"XLA computes {_listed(names)} of complex numbers with several operations on the real and imaginary parts."


def _listed(names: list[str]) -> str:
    return listed(names, Listed.PRIMITIVES_XLA_EXPANDS)
