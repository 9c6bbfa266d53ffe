"""Calls of jitted functions: how many, from which lines, with which values."""
