"""What JAX made of a function: a jaxpr, its lowered and compiled texts, and the source lines they come from."""
