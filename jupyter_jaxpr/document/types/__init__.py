"""Declares the types of the document and of the answers to requests."""
