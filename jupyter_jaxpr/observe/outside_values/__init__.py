"""Finds the values that a function reads from outside of its arguments, and whether they changed since its trace."""
