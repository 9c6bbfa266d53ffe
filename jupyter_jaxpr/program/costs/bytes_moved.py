"""Finds the bytes that an equation reads and writes, from its primitive and the sizes of its operands and results.

The rules are those of `HloCostAnalysis`, for an equation by itself: each operand is read once and each result is
written once. The exceptions are:

- Constants written into the equation are not read. A view costs nothing: reshape, squeeze, expand_dims, bitcast, and
  primitives that only mark a place (XLA makes a bitcast of it, or nothing).
- slice, dynamic_slice and gather read as many bytes as their result has, and their indices.
- dynamic_update_slice reads the update and the indices and writes the update. A scatter reads the indices, the updates
  and the elements that it updates, and writes as many bytes as the updates have.
- An equation with inner programs (scan, cond, jit, ...) costs as much as the programs; the slices of a scan's xs are
  not counted.
"""

from __future__ import annotations

_VIEWS = frozenset(
    """after_all tie shard_alike layout_cast from_edtype to_edtype dimension_size reshape squeeze
    expand_dims bitcast_convert_type stop_gradient optimization_barrier pvary pcast pbroadcast name
    sharding_constraint layout_constraint mesh_cast reshard device_put random_wrap random_unwrap random_clone collapse
    create_token symbolic_zeros axis_index axis_size platform_index program_id num_programs debug_callback debug_print
    vary_unreduced_cast reduced_vary_cast new_ref freeze mutable_array empty empty2""".split()
)
_PARTS = frozenset("slice dynamic_slice gather get ref_get".split())
_SCATTERS = "scatter"


def traffic(primitive: str, read: list[int], written: list[int]) -> tuple[int, int]:
    """Return the bytes that an equation reads and the bytes that it writes.

    Args:
        primitive: The name of the primitive.
        read: The bytes of each operand; 0 for constants written into the equation.
        written: The bytes of each result.
    """
    if primitive in _VIEWS:
        return 0, 0
    if primitive in _PARTS:
        return sum(written) + sum(read[1:]), 0 if primitive.endswith("get") else sum(written)
    if primitive == "dynamic_update_slice":
        return sum(read[1:]), read[1]
    if primitive.startswith(_SCATTERS) and len(read) == 3:
        return read[1] + 2 * read[2], read[2]
    if primitive in ("swap", "ref_set"):
        return sum(written) + sum(read[1:]), sum(read[1:2])
    if primitive == "addupdate":
        return 2 * sum(read[1:2]) + sum(read[2:]), sum(read[1:2])
    return sum(read), sum(written)
