"""Measures how long programs and functions run, also at several sizes, and how fast the machine is."""
