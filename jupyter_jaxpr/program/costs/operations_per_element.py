"""Lists the primitives with a fixed number of operations for each element of the result.

- One operation: primitives that lower to an elementwise instruction (`HandleElementwiseOp`); conversions,
  comparisons, `select` and `clamp` are among them. Integers count like floats, and a complex number counts as one
  element.
- One transcendental function: exp, log, log1p, expm1, pow, sqrt, rsqrt, cbrt, sin, cos, tan, tanh, atan2, erf.
- No operation: primitives that only move data or only mark a place, and a `convert_element_type` that changes nothing
  but the weak type (see `operations_of_primitives.is_relabelling`).

XLA has no instruction for the functions below; JAX builds each of them from other operations. A function counts as the
operations that remain in single precision after XLA's simplification (jax 0.10 to 0.12, CPU). For each element these
are operations + transcendental functions:

    exp2, log2: 1 + 1; logistic: 3 + 1; asin, acos, cosh: 3 + 2; sinh: 10 + 3; asinh: 11 + 3; acosh: 7 + 4;
    atanh: 6 + 2; erfc: 60 + 1; erf_inv: 37 + 2; lgamma: 52 + 4; digamma: 75 + 3; bessel_i0e, bessel_i1e: 83 + 1;
    nextafter: 23; one_minus_square, which is (1 + x) * (1 - x): 3

Functions that iterate until they converge (igamma, random_gamma_grad, ...) have no rule.
"""

from __future__ import annotations

_OPERATION = (
    "abs add add_any and bitcast_convert_type ceil clamp clz complex convert_element_type div eq eq_to floor ge gt "
    "imag is_finite le le_to lt lt_to max min mul mulhi ne neg not or population_count real reduce_precision rem "
    "round select_n select_and shift_left shift_right_arithmetic shift_right_logical sign square sub xor addupdate "
    "mask"
)
_FUNCTION = "atan atan2 cbrt cos erf exp expm1 log log1p pow rsqrt sin sqrt tan tanh"
_NOTHING = (
    "add_dependency after_all all_gather all_gather_invariant all_gather_reduced all_to_all axis_index axis_size "
    "broadcast broadcast_in_dim collapse composite_wrap concatenate copy copy_p create_token "
    "custom_lin dce_sink debug_callback debug_print device_put dimension_size dynamic_slice dynamic_update_slice "
    "empty empty2 empty_ref expand_dims free_ref freeze from_edtype full get inspect_sharding iota layout_cast "
    "layout_constraint load lu_pivots_to_permutation masked_load masked_swap max_contiguous mesh_cast multiple_of "
    "mutable_array name new_ref num_programs optimization_barrier pad pbroadcast pcast platform_index ppermute "
    "program_id pvary random_clone random_unwrap random_wrap reduced_vary_cast ref_get ref_set reshape reshard rev "
    "roll select_and_slice shard_alike sharding_constraint slice split squeeze stack stop_gradient store swap "
    "symbolic_zeros tie tile to_edtype transpose unstack vary_unreduced_cast zeros_like"
)
#: Primitives that JAX lowers to one operation or one transcendental function for each element, or to nothing.
ONE_OPERATION = frozenset(f"{_OPERATION} {_FUNCTION} {_NOTHING}".split())
#: Primitive -> (operations, transcendental functions) for each element of the result.
EACH_ELEMENT: dict[str, tuple[int, int]] = {
    **dict.fromkeys(_OPERATION.split(), (1, 0)),
    **dict.fromkeys(_FUNCTION.split(), (0, 1)),
    **dict.fromkeys(_NOTHING.split(), (0, 0)),
    "exp2": (1, 1),
    "log2": (1, 1),
    "reciprocal": (1, 0),
    "logistic": (3, 1),
    "conj": (4, 0),
    "asin": (3, 2),
    "acos": (3, 2),
    "sinh": (10, 3),
    "cosh": (3, 2),
    "asinh": (11, 3),
    "acosh": (7, 4),
    "atanh": (6, 2),
    "erfc": (60, 1),
    "erf_inv": (37, 2),
    "lgamma": (52, 4),
    "digamma": (75, 3),
    "bessel_i0e": (83, 1),
    "bessel_i1e": (83, 1),
    "nextafter": (23, 0),
    "one_minus_square": (3, 0),
}
# collectives over the axes of a mesh: XLA counts one addition for each element (HandleAllReduce)
EACH_ELEMENT.update(
    dict.fromkeys("psum psum2 psum_invariant pmax pmin reduce_scatter unreduced_psum psum_scatter".split(), (1, 0))
)
