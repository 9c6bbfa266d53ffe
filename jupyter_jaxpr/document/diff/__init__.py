"""Compares two programs of documents."""
