"""Explains errors about the arguments of a call: their number, order, type, and the differences of pytrees."""
