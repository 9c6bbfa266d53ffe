"""Reads the StableHLO and the HLO of a program and links their lines to equations."""
