"""Compares two programs, each from a document, and makes the rows of the diff."""
