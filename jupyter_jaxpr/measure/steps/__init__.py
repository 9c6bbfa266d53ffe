"""Runs a control-flow construct once more and records the values of each step."""
