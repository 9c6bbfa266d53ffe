"""Records the jit cache.

The key of each miss, the reason of each miss, and the ledger (a table of functions and entries).
"""
