"""Parses the text that the user typed: the code of a cell, and the targets of `%jaxpr`."""
