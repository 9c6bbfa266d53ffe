"""Finds cures of cache misses: edits of the user's source code that passed a trial."""
