"""Runs variants of a computation side by side."""
