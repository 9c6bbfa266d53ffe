"""Compiles a program once more, to show the work of the compiler."""
