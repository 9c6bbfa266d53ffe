"""Decides which code, classes, lines, functions and programs are of the user, and which of a library."""
