"""Holds one file for each request of the panel: its parameters, its answer and its handler.

`wire/base_of_requests.py` says what such a file holds.
"""
