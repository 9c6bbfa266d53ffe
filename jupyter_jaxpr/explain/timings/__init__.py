"""Finds times in a cell that were read before the work of JAX ended, from the syntax of the cell."""
