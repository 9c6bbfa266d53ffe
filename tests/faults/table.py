"""Joins the rows of the table of faults: what a cell does, what the user sees, and what the panel shows.

Each row runs in a plain IPython shell and in a notebook's kernel, with the extension and without it. The person must
see the same output both times; the output contains `sees`, so that the test notices a row that no longer shows its
fault.
"""

from __future__ import annotations

from fault import Fault
from rows_of_limits import FAULTS as LIMITS
from rows_of_the_machine import FAULTS as MACHINE
from rows_of_tools import FAULTS as TOOLS

FAULTS: tuple[Fault, ...] = (*MACHINE, *TOOLS, *LIMITS)
