"""StableHLO and HLO of a program, linked to its equations."""
