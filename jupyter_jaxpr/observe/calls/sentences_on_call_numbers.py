"""Holds the sentences on numbers of calls that are unknown, lower bounds, or not in the ledger."""

from __future__ import annotations

from ..advice_without_magics import cure
from .sys_monitoring import HAS_MONITORING

NOT_COUNTED = (
    "The number of calls is unknown: a debugger, a profiler or another observed thread uses the counter of calls."
)
UNLOADED = "The numbers of calls are lower bounds: %unload_ext jupyter_jaxpr ended the observation early."
ELSEWHERE = (
    "The numbers of calls and compiles of {names} are lower bounds: calls in other threads are not counted, and the "
    "compiles of these calls are not counted."
)
ONLY_IN_CELLS = (
    "The number of calls is unknown: on Python 3.11, jupyter_jaxpr counts calls only in a %%jaxpr cell. Use Python "
    "3.12 or later to count calls here."
)
NOT_IN_BLOCKS = (
    "The number of calls is unknown: on Python 3.11, jupyter_jaxpr does not count calls in a block under observe(). "
    "Use Python 3.12 or later to count calls here."
)
NOT_ALL = (
    "The numbers of calls are lower bounds: on Python 3.11, jupyter_jaxpr does not see a call that raises before JAX "
    "looks for a cache entry. Use Python 3.12 or later to count all calls."
)
UNLISTED = "The ledger leaves out {calls} of {names}: JAX compiled {names} before the observation began."

LOST = "The numbers of calls are lower bounds: another tool took the place of the counter in sys.monitoring."
OVERRULED = "The numbers of calls are lower bounds: JAX's check for NaN (jax_debug_nans) took the place of the counter."
OVERFLOWED = "The numbers of calls are lower bounds: some calls at Python's recursion limit are not seen."


def not_counted() -> str:
    """Return a sentence on why the calls were not counted.

    Another tool watches the cell, or Python 3.11 runs a block, in which calls cannot be counted.
    """
    return NOT_COUNTED if HAS_MONITORING else cure(ONLY_IN_CELLS, NOT_IN_BLOCKS)
