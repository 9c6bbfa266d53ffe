"""Holds one file for each request of the panel: its parameters, its answer and its handler (see `wire/request.py`)."""
