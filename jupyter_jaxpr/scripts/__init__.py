"""Holds the public API for scripts, and the views outside of the panel."""
