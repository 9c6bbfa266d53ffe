"""The types of the document and of what is sent on request."""
