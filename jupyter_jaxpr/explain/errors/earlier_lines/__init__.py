"""Explains errors whose cause is an earlier line: donated and deleted arrays, and values that left their trace."""
