"""Explains code that needs the value of a traced array: conditions, indices, sizes, NumPy calls and writes."""
