"""Reads the program that JAX made of a function: a jaxpr, its lowered and compiled texts, and the source lines."""
