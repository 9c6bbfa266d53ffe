"""Finds the side effects that a second run of a call's Python would have.

The side effects that can be undone are undone.
"""
