"""Traces a function of a cell that is being written, while nothing of the cell runs."""
