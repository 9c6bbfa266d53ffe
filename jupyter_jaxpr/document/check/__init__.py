"""Checks of a document that may come from anywhere."""
