"""Parses text that the user typed: the source of a cell, and the target of `%jaxpr` or of a sweep."""
