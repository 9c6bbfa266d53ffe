"""Prints a document for readers without the panel: as plain text, HTML and Markdown."""
