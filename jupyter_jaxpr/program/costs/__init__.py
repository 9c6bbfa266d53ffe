"""Counts what a program costs: operations and bytes of each equation, and their sums.

The rules are those of XLA's `HloCostAnalysis` (xla/service/hlo_cost_analysis.cc): a primitive is counted like the HLO
instruction to which it is lowered. Transcendental functions are counted separately.

- `operations_per_element`: primitives that cost a fixed number of operations for each element of the result.
- `operations_of_primitives`: the formulas for dot products, convolutions, reductions, sorts, scatters, random bits and
  linear algebra; also for primitives for which XLA has no rule, or a rule that counts something else.
- `bytes_moved`: the bytes that an equation reads and writes by itself, without fusion.
- `branches_of_platform`: the branches and equations that JAX drops, because it compiles for one platform.
- `costs_of_equations`: the costs of the equations of a scope; the body of a loop counts once for each step.
- `executions_of_scopes_and_lines`: how often each scope runs in a call, and from which lines.
- `cost_table_by_line`, `cost_trees_of_icicle`: the costs by line and by primitive; by scope and by name stack.
- `difference_from_xla`: XLA's own count for the executable, and the reasons why it differs from this package's count.

The counts differ from XLA's in two ways. A loop's body counts once for each step, and a while loop's condition once
more than its body (XLA counts both once). The program is counted as JAX recorded it, including what XLA later
simplifies away. A count that depends on the data is a range, and one number for the most expensive call: each cond
takes the branch with the most work, where a transcendental function counts as several operations
(`document.transcendental_weight.TRANSCENDENTAL_WEIGHT`). Unknown parts are reported as unknown: a primitive without a
rule counts 0, a loop with an unknown number of steps counts one step.
"""

from .cost_sums_and_order import NOTHING, UNKNOWN, Cost, Own
from .costs_of_equations import Costs
from .operations_of_primitives import equation_cost

__all__ = ["NOTHING", "UNKNOWN", "Cost", "Costs", "Own", "equation_cost"]
