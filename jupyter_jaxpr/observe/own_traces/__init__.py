"""Runs own traces: of a call without jit, of an expression that the user asks about, and of a function for Live."""
