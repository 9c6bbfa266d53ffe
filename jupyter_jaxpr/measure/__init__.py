"""Runs the user's call again in order to measure it; this happens only at the user's request."""
