"""Writes the notes of a document from what the programs and the observation show."""
