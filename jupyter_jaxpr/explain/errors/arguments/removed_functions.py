"""Names the functions that JAX removed, with the functions that replace them."""

from __future__ import annotations

from ..traced_values.writes_without_at import WRITE_WITH_AT

PRESENT_NAME = "In this version of JAX, the name is {name}."
#: Function that JAX removed -> the function that replaces it.
REMOVED = {
    "shuffle": (
        "jax.random.permutation",
        "Call jax.random.permutation(key, x), which gives the elements of x in a random order.",
    ),
    "index_update": (".at[...].set", WRITE_WITH_AT.format(method="set")),
    "index_add": (".at[...].add", WRITE_WITH_AT.format(method="add")),
    "index_mul": (".at[...].multiply", WRITE_WITH_AT.format(method="multiply")),
    "index_min": (".at[...].min", WRITE_WITH_AT.format(method="min")),
    "index_max": (".at[...].max", WRITE_WITH_AT.format(method="max")),
    "tree_multimap": ("jax.tree.map", "Call jax.tree.map, which takes one tree or several trees."),
    "msort": ("jnp.sort", "Write jnp.sort(x, axis=0)."),
    "row_stack": ("jnp.vstack", "Write jnp.vstack(arrays)."),
    "trapz": ("jax.scipy.integrate.trapezoid", "Import jax.scipy.integrate, and call trapezoid(y, x)."),
}
