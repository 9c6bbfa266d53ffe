"""Explains errors about the keys of jax.random."""
