"""Explains errors about random keys of `jax.random`."""
