"""Names the functions that JAX removed, with the functions that replace them."""

from __future__ import annotations

from ..traced_values.writes_without_at import WRITE_WITH_AT

PRESENT_NAME = "In this version of JAX, the name is {name}."
#: Function that JAX removed -> the function that replaces it.
REMOVED = {
    "index_update": (".at[...].set", WRITE_WITH_AT.format(method="set")),
    "index_add": (".at[...].add", WRITE_WITH_AT.format(method="add")),
    "index_mul": (".at[...].multiply", WRITE_WITH_AT.format(method="multiply")),
    "index_min": (".at[...].min", WRITE_WITH_AT.format(method="min")),
    "index_max": (".at[...].max", WRITE_WITH_AT.format(method="max")),
    "msort": ("jnp.sort", "Write jnp.sort(x, axis=0)."),
    "row_stack": ("jnp.vstack", "Write jnp.vstack(arrays)."),
    "trapz": ("jax.scipy.integrate.trapezoid", "Import jax.scipy.integrate, and call trapezoid(y, x)."),
}
