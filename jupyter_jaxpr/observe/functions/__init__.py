"""Keeps records of jitted functions, and finds the function of a person inside wrappers."""
