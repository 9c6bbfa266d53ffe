"""Rewrites a call that needed the value of a traced array, such as np.sin(x), as a call that takes traced arrays.

The called function decides which file writes the cure.
"""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import NumPyCalls, module_of_function
from .calls_of_python_functions import PythonCalls
from .calls_of_scipy import scipy_function
from .length_options import deletion, with_length
from .printed_values import PrintedValues
from .removed_conversions import without_conversion
from .writes_into_numpy_arrays import write_into_numpy_array, written_array


class Calls:
    """Writes the cures for a call that needed the value of a traced array."""

    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised

    def cures(self) -> list[FoundCure]:
        """Return the cures for the failing call, or for the call around it. Empty if there is no cure for this call."""
        raised, node = self._raised, self._raised.node
        printed = PrintedValues(raised)
        if isinstance(node, ast.FormattedValue | ast.JoinedStr):
            return printed.debug_print()
        if not isinstance(node, ast.Call):
            return printed.percent_format() or printed.text_in_call() or write_into_numpy_array(raised)
        if (formatted := printed.str_format(node)) is not None:
            return [formatted]
        if without_conversion(node) is not node and printed.printing() is not None:
            return printed.debug_print()
        match node:
            case ast.Call(func=ast.Attribute(attr="delete"), args=[_, index]) if (
                module_of_function(raised, node.func) == "jax.numpy"
            ):
                return deletion(raised, node, index)
        of_python = PythonCalls(raised).cures(node)
        if of_python is not None:
            return of_python
        if isinstance(raised.statement_of(node), ast.Expr) and written_array(raised) is not None:
            return write_into_numpy_array(raised)
        if module_of_function(raised, node.func) != "numpy":
            return with_length(raised, node) or scipy_function(raised, node) or NumPyCalls(raised).numpy_or_math(node)
        cures = scipy_function(raised, node) or NumPyCalls(raised).numpy_or_math(node)
        # The function of jax.numpy may need the length of its result, as in jnp.where(x > 0, size=1).
        if any(cure.level == "applies" for cure in passed(raised, cures)):
            return cures
        return with_length(raised, node) or cures
