"""Explains the errors that end cells with JAX code, and finds their cures."""
