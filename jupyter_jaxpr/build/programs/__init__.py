"""Fills the programs of a document: their equations, arguments, named values and source files."""
