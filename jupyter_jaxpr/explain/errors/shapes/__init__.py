"""Explains errors about operands whose shapes or dtypes do not fit together, and makes the cures."""
