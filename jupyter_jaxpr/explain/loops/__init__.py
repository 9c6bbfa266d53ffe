"""Finds Python loops that tracing unrolled, and rewrites them as loops of JAX."""
