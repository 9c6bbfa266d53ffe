"""Exports a document for readers without the panel: plain text, HTML, Markdown."""
