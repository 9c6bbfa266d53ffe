"""Holds the sentences that say why a program has no text, no shardings or no steps, and how to get them."""

from __future__ import annotations

NOT_LOWERED = "JAX has only traced this function. Lower the function to see its StableHLO."
NOT_COMPILED = (
    "JAX has not compiled this function. Compile the function to see its HLO. The compile takes about as long as a "
    "first call."
)
NO_TEXT_KEPT = "JAX keeps no {level} of this call. Run jax.clear_caches(), then run the cell again."
NO_TEXT_OF_BACKEND = "this backend gives no text of its executables"
NO_SHARDINGS_BEFORE_COMPILE = (
    "JAX has not compiled this program, so its shardings are unknown. Inspect the function with stage='compile'."
)
NO_SHARDINGS_REPORTED = "This executable does not report its shardings. Call or inspect the function in this kernel."
NO_VALUES_OF_DERIVED = (
    "This derived program has types but no values, so the stepper cannot run. Step through {name} instead."
)
