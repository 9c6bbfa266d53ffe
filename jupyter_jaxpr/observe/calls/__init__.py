"""Records the calls of jitted functions: their number, the lines that make them, and the values that they pass."""
