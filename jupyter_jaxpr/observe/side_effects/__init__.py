"""Finds the effects that a second run of a call's Python would have, and undoes them."""
