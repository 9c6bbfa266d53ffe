"""Builds the document, and the parts that are added later, from the live objects of an observation."""
