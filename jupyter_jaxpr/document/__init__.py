"""Holds the document as pure data: its types, and the code that reads, checks, compares and prints it without JAX."""
