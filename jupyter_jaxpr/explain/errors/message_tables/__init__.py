"""Explains errors by their messages, from tables of the messages of JAX and its libraries."""
