"""Checks that a document from any source is safe to show."""
