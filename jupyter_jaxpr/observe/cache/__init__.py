"""Records the jit cache.

The recorded data are the key of each miss, the reason of each miss, and the ledger (functions and cache entries).
"""
