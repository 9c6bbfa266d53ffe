"""Keeps the programs of a run: of misses, of hits, of traces without a call, and of traces that raised an error."""
