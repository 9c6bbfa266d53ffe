"""Finds the source lines that equations come from."""
