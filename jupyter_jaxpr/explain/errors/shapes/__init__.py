"""Explains operands whose shapes or dtypes do not fit together, and finds the cures."""
