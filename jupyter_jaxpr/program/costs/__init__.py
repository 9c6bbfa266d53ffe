"""Counts what a program costs: operations and bytes of each equation, and their sums.

One convention throughout. The rules are those of XLA's `HloCostAnalysis` (xla/service/hlo_cost_analysis.cc), by the
primitive that lowers to the instruction it has the rule for; transcendental functions are counted apart.

- `primitives`: what costs one operation an element, or one function, or nothing; functions that JAX composes of others.
- `rules`: dot products, convolutions, reductions, sorts, scatters, random bits, linear algebra, each with its formula
  and, where XLA has no rule or one that counts something else, what is counted instead.
- `traffic`: the bytes that an equation reads and writes by itself; nothing is fused.
- `trips`: how often a while loop runs, where its jaxpr says so.
- `scopes`: the equations of a scope, each priced once by its primitive and types; loops times their trips.
- `runs`: how often each scope runs in a call. `sums`: rows by line and by primitive. `trees`: by scope and name stack.
- `xla`: XLA's own analysis of the executable, and why its total is not ours.

It differs from XLA's in these: a loop counts its body times its length and a while its condition once more than its
body (XLA counts each once); the program is as JAX recorded it: what XLA simplifies away is in it. What depends on the
data is a range, and a number of the dearest run: in each cond the branch with most work, in which a function counts as
several operations (`document.facts.TRANSCENDENTAL_WEIGHT`). What is not known is said: a primitive
without a rule counts nothing, a loop of unknown trips one trip.
"""

from .cost import NOTHING, UNKNOWN, Cost, Own
from .rules import equation_cost
from .scopes import Costs

__all__ = ["NOTHING", "UNKNOWN", "Cost", "Costs", "Own", "equation_cost"]
