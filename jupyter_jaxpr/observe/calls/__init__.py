"""Records the calls of jitted functions: how many there are, which lines make them, which values they pass."""
