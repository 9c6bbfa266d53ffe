"""Records the values that names of the user's Python have while JAX traces, for the types beside the code."""
