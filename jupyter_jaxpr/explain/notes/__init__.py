"""Finds what the user should know about a run that ended without an error; each finding becomes a note."""
