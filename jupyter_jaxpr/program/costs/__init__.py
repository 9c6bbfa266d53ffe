"""Counts what a program costs: operations and bytes of each equation, and their sums.

The rules are those of XLA's `HloCostAnalysis` (xla/service/hlo_cost_analysis.cc): a primitive is counted like the HLO
instruction to which it is lowered. Transcendental functions are counted separately.

- `counts_per_element`: what costs one operation an element, or one function, or nothing; functions that JAX composes of
  others.
- `formulas_of_primitives`: dot products, convolutions, reductions, sorts, scatters, random bits, linear algebra, each
  with its formula and, where XLA has no rule or one that counts something else, what is counted instead.
- `traffic`: the bytes that an equation reads and writes by itself; nothing is fused.
- `costs_of_equations`: the equations of a scope, each priced once by its primitive and types; loops times their trips.
- `execution_counts`: how often each scope runs in a call.
- `sums_per_line`: the sums for each line and each primitive. `scope_sums`: the sums for each scope and each name stack.
- `difference_from_xla`: XLA's own analysis of the executable, and why its total is not ours.

The counts differ from XLA's in two ways. A loop's body counts once for each step, and a while loop's condition once
more than its body (XLA counts both once). The program is counted as JAX recorded it, including what XLA later
simplifies away. A count that depends on the data is a range, and one number for the most expensive run: each cond takes
the branch with the most work, where a transcendental function counts as several operations
(`document.shared_constants.TRANSCENDENTAL_WEIGHT`). Unknown parts are reported as unknown: a primitive without a rule
counts 0, a loop with an unknown number of steps counts one step.
"""

from .cost import NOTHING, UNKNOWN, Cost, Own
from .costs_of_equations import Costs
from .formulas_of_primitives import equation_cost

__all__ = ["NOTHING", "UNKNOWN", "Cost", "Costs", "Own", "equation_cost"]
