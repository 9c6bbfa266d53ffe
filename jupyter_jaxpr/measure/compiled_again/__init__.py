"""Compiles a program once more, to show XLA's passes and the exact links between instructions and equations."""
