"""Builds the document of a run from the live objects of an observation, and the parts that the panel requests later."""
