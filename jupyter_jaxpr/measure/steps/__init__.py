"""Runs a construct once more and records each step."""
