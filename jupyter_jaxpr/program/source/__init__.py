"""The lines of source that equations come from."""
