"""The jaxpr of a program, walked into columns."""
