"""Runs several variants of a computation and compares their times and results."""
