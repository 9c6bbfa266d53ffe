"""Gives scripts readable objects for the parts of a document: costs, control flow, notes, shardings, diffs."""
