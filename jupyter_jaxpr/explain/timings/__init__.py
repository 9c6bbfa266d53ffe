"""Finds times in a cell that were read before JAX's work ended, from the source code of the cell."""
