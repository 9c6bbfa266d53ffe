"""Makes the cache key of a missed call of `jax.jit`, `jax.pmap`, an eager construct or equinox's `filter_jit`."""

from __future__ import annotations

from ...jax.leaves_and_context_of_key import FlatCall
from ...jax.missed_calls import JitCall, pmap_call
from ..functions.jitted_functions import FunctionRecord, equinox_frame
from ..value_texts import Reading
from .key_of_call import equinox_key_of, key_of, pmap_key_of
from .types_and_layouts_of_key import Key


def key_of_miss(call: JitCall, function: FunctionRecord, reading: Reading, flat: FlatCall | None = None) -> Key:
    """Return the cache key of a call that missed.

    Args:
        call: The call.
        function: The record of the called function.
        reading: Says which methods of the user's objects may be called.
        flat: The dynamic leaves as JAX flattened them, if known.
    """
    pmapped = pmap_call(call.frame) if function.pmap and call.frame is not None else None
    if pmapped is not None:
        return pmap_key_of(pmapped, reading)
    if function.construct is not None:
        key = key_of(call.options, call.args, call.kwargs, call.fun, reading, flat)
        key.names = function.construct.operands(len(key.names))
        return key
    equinox = equinox_frame(call.frame) if function.equinox and call.frame is not None else None
    if equinox is None:
        return key_of(call.options, call.args, call.kwargs, call.fun, reading, flat)
    variables = equinox.f_locals
    called = variables["jit_wrapper"], variables["args"], variables["kwargs"]
    return equinox_key_of(call.options, *called, reading, call.args)
