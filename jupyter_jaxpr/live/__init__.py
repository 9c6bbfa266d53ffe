"""Traces a function of a cell while the user writes the cell; no part of the cell runs."""
