"""Reads the jaxpr of a program into columns: lists with one item for each equation or variable."""
