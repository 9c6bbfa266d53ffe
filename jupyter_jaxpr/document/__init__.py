"""The document as pure data: its types, and what reads, checks, names, compares and prints a document without JAX."""
