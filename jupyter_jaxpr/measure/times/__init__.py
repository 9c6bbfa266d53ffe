"""Timed runs of programs and functions."""
