"""Says which parameters of an equation a listing shows before a click."""

from __future__ import annotations

#: Primitive -> the parameter that describes its operation best. The listing and the saved page show this parameter, and
#: the other parameters after a click. The new type of `convert_element_type` is the type of the result, which is in the
#: same line.
TELLING_PARAMETERS = {
    "argmax": "axes",
    "argmin": "axes",
    "broadcast_in_dim": "shape",
    "call_jaxpr": "name",
    "concatenate": "dimension",
    "cumsum": "axis",
    "custom_jvp_call": "name",
    "custom_vjp_call": "name",
    "integer_pow": "y",
    "iota": "dimension",
    "jit": "name",
    "pjit": "name",
    "reduce_and": "axes",
    "reduce_max": "axes",
    "reduce_min": "axes",
    "reduce_or": "axes",
    "reduce_prod": "axes",
    "reduce_sum": "axes",
    "remat2": "name",
    "reshape": "new_sizes",
    "rev": "dimensions",
    "scan": "length",
    "squeeze": "dimensions",
    "transpose": "permutation",
}

#: Parameters whose text has at most this many characters are shown as a whole.
LONGEST_WHOLE_PARAMETERS = 12

#: A parameter and its value are shown if their text has at most this many characters.
LONGEST_TELLING_PARAMETER = 32
