"""The public API for scripts, and the views outside of the panel."""
