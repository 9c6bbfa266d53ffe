"""Reads the values of small arrays: integers, which may be indices, and floats, from which a program computes indices.

The values of an array on a device are read only if they are computed already, so that nothing waits for the device.
"""

from __future__ import annotations

from typing import Any

from ..interruptions import not_of_a_signal
from ..jax.leaves_and_context_of_key import array_type
from ..plain_text import FAILURES
from .outside_jit.numpy_arrays_in_recordings import is_numpy

_LONGEST = 64  # The most elements of an array whose values are read.
_KINDS = "iub"  # NumPy's kinds of integers, and booleans: a condition such as i < 0 can choose between two indices.
_KINDS_AND_FLOATS = _KINDS + "f"


def whole_numbers(value: Any) -> Any:
    """Return a NumPy copy of a small integer array, or an integer; None for any other value.

    Args:
        value: A Python number, or an array of NumPy or JAX.
    """
    return value if type(value) is int else _of_array(value, _KINDS, False)


def numbers_of_array(value: Any, floats: bool = True, only_on_cpu: bool = False) -> Any:
    """Return a NumPy copy of a small array of numbers, or a Python number; None for any other value.

    Args:
        value: A Python number, or an array of NumPy or JAX.
        floats: False to read no floats.
        only_on_cpu: True to read no array that the reading would transfer to the host.
    """
    if type(value) is int or type(value) is float and floats:
        return value
    return _of_array(value, _KINDS_AND_FLOATS if floats else _KINDS, only_on_cpu)


def _of_array(value: Any, kinds: str, only_on_cpu: bool) -> Any:
    import numpy as np

    kind = type(value)
    if kind is array_type():
        return _of_device(value, kinds, only_on_cpu)
    if not is_numpy(value) and not (kind.__module__ == "numpy" and issubclass(kind, np.generic)):
        return None
    return np.array(value) if value.dtype.kind in kinds and value.size <= _LONGEST else None


def _of_device(array: Any, kinds: str, only_on_cpu: bool) -> Any:
    import numpy as np

    aval = array.aval
    # The dtype of a random key has no kind.
    if getattr(aval.dtype, "kind", None) not in (*kinds,) or aval.size > _LONGEST:
        return None
    try:
        if array.is_deleted() or not array.is_fully_addressable or not array.is_ready():
            return None
        if only_on_cpu and any(device.platform != "cpu" for device in array.devices()):
            return None
        return np.array(array)
    except not_of_a_signal(*FAILURES):  # the device's computation failed, or another thread donated the array
        return None
