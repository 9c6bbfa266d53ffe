"""Counts the operations of equations for which the size of the result is not enough.

Formulas; n is the number of elements of the result unless said otherwise:

- `dot_general`: 2 n x the sizes that are contracted (`HandleDot`, a multiply-add is 2).
- `conv_general_dilated`: see `operations_of_convolution` (`HandleConvolution`).
- `reduce_*`, `reduce`: one execution of the combiner for each element that disappears (`HandleReduce`); argmax and
  argmin compare values and positions and select both, 9 operations.
- `reduce_window*`: one execution of the combiner for each element of the window but one, n times
  (`HandleReduceWindow`). `select_and_scatter_add`: the same for the selection, and one addition, for each element of
  the source (`HandleSelectAndScatter`). `select_and_gather_add`: 3 operations for each element of the window but one,
  n times.
- `scatter*`: one execution of the combiner for each element of the updates (`HandleScatter`), and one operation for
  each index in the mode CLIP. `gather` in the mode FILL: the checks of the indices, and n selections of the fill value.
- `sort`: elements x ceil(log2(elements)) of one operand, whatever the axis (`HandleSort`).
- `fft`: 8 x elements of the operand x the product of floor(log2(length)) over its axes (`HandleFft`).
- `cholesky`: elements x n / 3 for n x n matrices (`HandleCholesky`). `triangular_solve`: elements of the right-hand
  side x n (`HandleTriangularSolve`).
- `integer_pow`: the multiplications to which it is lowered, and a division for a negative power.
- `polynomial`: 2 x its degree, by Horner's rule.

Where XLA counts something else, or nothing:

- `cumsum`, `cumprod`, `cummax`, `cummin`: one operation for each element except the first along the axis,
  n - n / length. `cumlogsumexp`: 8 operations and 2 transcendental functions for each of these elements. (XLA counts
  the operations to which JAX lowers the primitive. On a CPU this is a window as long as the axis, which costs
  length x (length - 1) operations.)
- `top_k`: the operations of a sort of its operand (XLA calls a library).
- `threefry2x32`: 117 integer operations for each pair of 32-bit words: 20 rounds of 5, 5 x 3 for the key, 2 to begin.
  (On a CPU, JAX lowers the primitive to a loop, of which XLA counts one iteration.)
- `random_bits` of threefry keys: 117 operations for each element, and one to join the words; of other keys: 1
  transcendental function for each element, as for `rng-bit-generator`. `random_split`, `random_fold_in` of threefry
  keys: 117 operations for each new key; no rule for other keys.
- `lu` of m x n matrices with k = min(m, n): 2 k m n - k^2 (m + n) + 2 k^3 / 3. `geqrf`, `householder_product` (of k
  reflectors): twice as many; `qr`: the sum of these two. The formulas are those of LAPACK's documents, without terms of
  lower order. `tridiagonal`: 4 n^3 / 3, `hessenberg`: 10 n^3 / 3 (XLA calls a library).
- `eig`, `eigh`, `svd`, `schur`, ...: no rule, because they iterate until they converge. Callbacks and foreign calls
  have no rule either.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...interruptions import not_of_a_signal
from .cost_sums_and_order import UNKNOWN, Cost, plain
from .operations_of_convolution import convolution
from .operations_per_element import EACH_ELEMENT

#: (operations, transcendental functions); None if there is no rule.
Operations = tuple[int, int] | None
#: (parameter that contains a program, cost of one execution of the program) for each inner program of an equation.
Inside = list[tuple[str, Cost]]


def equation_cost(equation: Any, inside: Inside) -> Cost:
    """Return the cost of an equation alone, without its bytes.

    Args:
        equation: JAX's equation object.
        inside: For each inner program: (parameter that contains it, cost of one execution).
    """
    counts = operations(equation, inside)
    return UNKNOWN if counts is None else plain(counts[0], counts[1])


def is_relabelling(equation: Any) -> bool:
    """Return whether an equation only adds or removes a weak type; JAX lowers such an equation to nothing."""
    if equation.primitive.name != "convert_element_type" or hasattr(equation.invars[0], "val"):
        return False
    return bool(equation.invars[0].aval.dtype == equation.outvars[0].aval.dtype)


def operations(equation: Any, inside: Inside) -> Operations:
    """Count the operations and transcendental functions of an equation whose only inner program is a combiner.

    None if the primitive has no rule, if a size is symbolic, or if a parameter is unknown.
    """
    primitive = equation.primitive.name
    try:
        per_element = EACH_ELEMENT.get(primitive)
        if per_element is not None:
            if per_element == (0, 0):
                return per_element
            if is_relabelling(equation):
                return 0, 0
            elements = _result(equation)
            return per_element[0] * elements, per_element[1] * elements
        rule = _RULES.get(primitive)
        return None if rule is None else rule(equation, inside)
    except not_of_a_signal(Exception):  # another version of JAX, or a symbolic size: the count is unknown
        return None


def _elements(variable: Any) -> int:
    return int(math.prod(variable.aval.shape))


def _result(equation: Any) -> int:
    return _elements(equation.outvars[0] if equation.outvars else equation.invars[0])


def _combined(inside: Inside, times: int) -> Operations:
    cost = inside[0][1]
    return (cost.flops * times, cost.transcendentals * times) if cost.exact else None


# --- reductions -----------------------------------------------------------------------------------


def _disappeared(equation: Any) -> int:
    # The reduction of an empty axis has more results than elements, and needs no additions.
    return max(0, _elements(equation.invars[0]) - _elements(equation.outvars[0]))


def _reduction(equation: Any, inside: Inside) -> Operations:
    return _disappeared(equation), 0


def _arg_reduction(equation: Any, inside: Inside) -> Operations:
    return 9 * _disappeared(equation), 0


def _reduce(equation: Any, inside: Inside) -> Operations:
    return _combined(inside, _disappeared(equation))


def _pairs_of_window(equation: Any) -> int:
    window: int = math.prod(equation.params["window_dimensions"])
    return (window - 1) * _elements(equation.outvars[0])


def _window(equation: Any, inside: Inside) -> Operations:
    return _pairs_of_window(equation), 0


def _reduce_window(equation: Any, inside: Inside) -> Operations:
    return _combined(inside, _pairs_of_window(equation))


def _select_and_gather(equation: Any, inside: Inside) -> Operations:
    return 3 * _pairs_of_window(equation), 0


def _select_and_scatter(equation: Any, inside: Inside) -> Operations:
    source = _elements(equation.invars[0])
    return source * math.prod(equation.params["window_dimensions"]), 0


def _cumulative(equation: Any) -> int:
    shape = equation.invars[0].aval.shape
    length = int(shape[equation.params["axis"]])
    return _elements(equation.invars[0]) // length * (length - 1) if length else 0


def _running(equation: Any, inside: Inside) -> Operations:
    return _cumulative(equation), 0


def _running_logsumexp(equation: Any, inside: Inside) -> Operations:
    return 8 * _cumulative(equation), 2 * _cumulative(equation)


# --- indices --------------------------------------------------------------------------------------


def _mode(equation: Any) -> str:
    return str(equation.params.get("mode", "")).upper()


def _scatter(equation: Any, inside: Inside) -> Operations:
    indices, updates = _elements(equation.invars[1]), _elements(equation.invars[2])
    clipped = indices if "CLIP" in _mode(equation) else 0
    if inside:
        combined = _combined(inside, updates)
        return None if combined is None else (combined[0] + clipped, combined[1])
    combiner = 0 if equation.primitive.name == "scatter" else 1
    return combiner * updates + clipped, 0


def _gather(equation: Any, inside: Inside) -> Operations:
    if "FILL" not in _mode(equation):
        return 0, 0
    shape = equation.invars[1].aval.shape
    indices = _elements(equation.invars[1])
    rows = indices // int(shape[-1]) if shape and indices else 0
    return 3 * indices + (indices - rows) + _elements(equation.outvars[0]), 0


def _sort(equation: Any, inside: Inside) -> Operations:
    elements = _elements(equation.invars[0])
    return elements * (elements - 1).bit_length() if elements > 1 else 0, 0


# --- products -------------------------------------------------------------------------------------


def _dot(equation: Any, inside: Inside) -> Operations:
    (left, _), _ = equation.params["dimension_numbers"]
    shape = equation.invars[0].aval.shape
    return 2 * _elements(equation.outvars[0]) * int(math.prod(shape[axis] for axis in left)), 0


def _ragged_dot(equation: Any, inside: Inside) -> Operations:
    # In a ragged dot product, each row of the left operand is multiplied by the matrix of the row's group.
    (left, _), _ = equation.params["ragged_dot_dimension_numbers"].dot_dimension_numbers
    shape = equation.invars[0].aval.shape
    return 2 * _elements(equation.outvars[0]) * int(math.prod(shape[axis] for axis in left)), 0


def _convolution(equation: Any, inside: Inside) -> Operations:
    return convolution(equation), 0


def _integer_pow(equation: Any, inside: Inside) -> Operations:
    power = equation.params["y"]
    size = abs(power)
    multiplications = max(0, size.bit_length() - 1 + size.bit_count() - 1) + (power < 0)
    return multiplications * _elements(equation.outvars[0]), 0


def _polynomial(equation: Any, inside: Inside) -> Operations:
    _, *coefficients = equation.invars
    return 2 * max(0, len(coefficients) - 1) * _elements(equation.outvars[0]), 0


def _fft(equation: Any, inside: Inside) -> Operations:
    logarithms = math.prod(int(length).bit_length() - 1 for length in equation.params["fft_lengths"])
    return 8 * logarithms * _elements(equation.invars[0]), 0


# --- linear algebra -------------------------------------------------------------------------------


def _matrices(variable: Any) -> tuple[int, int, int]:
    """Return (number of matrices in the batch, rows, columns)."""
    *batch, rows, columns = variable.aval.shape
    return int(math.prod(batch)), int(rows), int(columns)


def _cholesky(equation: Any, inside: Inside) -> Operations:
    return _elements(equation.invars[0]) * int(equation.invars[0].aval.shape[-1]) // 3, 0


def _triangular_solve(equation: Any, inside: Inside) -> Operations:
    return _elements(equation.invars[1]) * int(equation.invars[0].aval.shape[-1]), 0


def _elimination(rows: int, columns: int, steps: int) -> int:
    return (6 * steps * rows * columns - 3 * steps**2 * (rows + columns) + 2 * steps**3) // 3


def _lu(equation: Any, inside: Inside) -> Operations:
    count, rows, columns = _matrices(equation.invars[0])
    return count * _elimination(rows, columns, min(rows, columns)), 0


def _reflectors(equation: Any, inside: Inside) -> Operations:
    count, rows, columns = _matrices(equation.invars[0])
    steps = min(rows, columns)
    if len(equation.invars) > 1:
        steps = int(equation.invars[1].aval.shape[-1])
    return 2 * count * _elimination(rows, columns, steps), 0


def _qr(equation: Any, inside: Inside) -> Operations:
    count, rows, columns = _matrices(equation.invars[0])
    steps = min(rows, columns)
    full_columns = int(equation.outvars[0].aval.shape[-1])
    return 2 * count * (_elimination(rows, columns, steps) + _elimination(rows, full_columns, steps)), 0


def _tridiagonal(equation: Any, inside: Inside) -> Operations:
    count, rows, _ = _matrices(equation.invars[0])
    return count * 4 * rows**3 // 3, 0


def _hessenberg(equation: Any, inside: Inside) -> Operations:
    count, rows, _ = _matrices(equation.invars[0])
    return count * 10 * rows**3 // 3, 0


def _tridiagonal_solve(equation: Any, inside: Inside) -> Operations:
    # For each row, the Thomas algorithm takes 3 operations for the factor and, for each right-hand side, 3 + 2
    # operations.
    rows = _elements(equation.invars[0])
    return 3 * rows + 5 * _elements(equation.invars[3]), 0


# --- random ---------------------------------------------------------------------------------------

_THREEFRY = 117


def _threefry(equation: Any, inside: Inside) -> Operations:
    return _THREEFRY * _elements(equation.outvars[0]), 0


def _is_threefry(variable: Any) -> bool:
    return "fry" in str(variable.aval.dtype)


def _random_bits(equation: Any, inside: Inside) -> Operations:
    elements = _elements(equation.outvars[0])
    return ((_THREEFRY + 1) * elements, 0) if _is_threefry(equation.invars[0]) else (0, elements)


def _random_keys(equation: Any, inside: Inside) -> Operations:
    return (_THREEFRY * _elements(equation.outvars[0]), 0) if _is_threefry(equation.invars[0]) else None


def _random_seed(equation: Any, inside: Inside) -> Operations:
    return 2 * _elements(equation.outvars[0]), 0


def _rng_bits(equation: Any, inside: Inside) -> Operations:
    return 0, _elements(equation.outvars[1])


def _rng_uniform(equation: Any, inside: Inside) -> Operations:
    return 0, _elements(equation.outvars[0])


_Rule = Callable[[Any, Inside], Operations]
_SCATTERS = "scatter scatter-add scatter_add scatter-sub scatter_sub scatter-mul scatter_mul scatter-min scatter_min"

_RULES: dict[str, _Rule] = {
    "dot_general": _dot,
    "ragged_dot_general": _ragged_dot,
    "conv_general_dilated": _convolution,
    "integer_pow": _integer_pow,
    "polynomial": _polynomial,
    **dict.fromkeys([*_SCATTERS.split(), "scatter-max", "scatter_max"], _scatter),
    "gather": _gather,
    "sort": _sort,
    "top_k": _sort,
    "fft": _fft,
    "cholesky": _cholesky,
    "triangular_solve": _triangular_solve,
    "lu": _lu,
    "qr": _qr,
    "geqrf": _reflectors,
    "householder_product": _reflectors,
    "tridiagonal": _tridiagonal,
    "hessenberg": _hessenberg,
    "tridiagonal_solve": _tridiagonal_solve,
    "threefry2x32": _threefry,
    "random_bits": _random_bits,
    "random_split": _random_keys,
    "random_fold_in": _random_keys,
    "random_seed": _random_seed,
    "rng_bit_generator": _rng_bits,
    "rng_uniform": _rng_uniform,
    **dict.fromkeys("reduce_window_sum reduce_window_max reduce_window_min".split(), _window),
    "reduce_window": _reduce_window,
    "select_and_scatter_add": _select_and_scatter,
    "select_and_gather_add": _select_and_gather,
    **dict.fromkeys("reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or reduce_xor".split(), _reduction),
    **dict.fromkeys(("argmax", "argmin"), _arg_reduction),
    "reduce": _reduce,
    **dict.fromkeys("cumsum cumprod cummax cummin".split(), _running),
    "cumlogsumexp": _running_logsumexp,
}
