"""Finds and tries the cures of notes as edits of the user's text."""
