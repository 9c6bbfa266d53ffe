"""Reads the code at the place of an error, its names and its values, without running it."""
