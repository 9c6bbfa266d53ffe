"""Holds the parts of a document in the form that scripts read."""
