"""Converts measured times to their structs in the document, with the sentences on them."""
