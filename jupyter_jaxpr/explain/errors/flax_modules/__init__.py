"""Explains errors of flax: frozen dicts, random keys and variables of modules."""
