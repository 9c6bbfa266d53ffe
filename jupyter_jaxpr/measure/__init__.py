"""Runs a call again to measure it, only where the user asked for that."""
