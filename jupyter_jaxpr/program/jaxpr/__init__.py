"""Walks the jaxpr of a program into columns."""
