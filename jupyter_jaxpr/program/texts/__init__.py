"""Reads the StableHLO and the HLO of a program, and links each line to the equations from which it comes."""
