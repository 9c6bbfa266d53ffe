"""Variants of a computation, run side by side."""
