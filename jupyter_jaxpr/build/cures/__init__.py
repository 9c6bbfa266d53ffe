"""Keeps the cures of a run, tries them when the panel asks, and puts those that passed into the document."""
