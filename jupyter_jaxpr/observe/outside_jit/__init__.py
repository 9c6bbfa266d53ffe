"""Records what JAX runs outside of jit, operation by operation, as a program: for a call, or for a whole cell."""
