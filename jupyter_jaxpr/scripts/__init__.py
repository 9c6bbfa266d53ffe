"""Holds the public functions for scripts (`inspect`, `observe`, `last`), and the output below a cell."""
