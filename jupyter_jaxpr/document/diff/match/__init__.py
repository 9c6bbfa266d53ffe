"""Pairs the equations of two programs; the names of variables do not matter."""
