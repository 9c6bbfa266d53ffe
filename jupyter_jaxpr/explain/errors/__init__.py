"""Errors that JAX raised while it traced, and their cures."""
