"""Tries cures, so that the panel shows only cures that work: copied values, a time limit, traces of edited code."""
