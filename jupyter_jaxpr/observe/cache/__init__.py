"""Records the jit cache: its keys, the reason of each miss, and the ledger."""
