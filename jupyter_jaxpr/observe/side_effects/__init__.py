"""Finds the side effects that a second run of a call's Python would have, and undoes those that can be undone."""
