"""Finds cures of misses: edits of the user's text that passed a trial."""
