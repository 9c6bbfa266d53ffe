"""Explains errors that JAX raised while it traced, and finds their cures."""
