"""Makes the StableHLO and HLO of a program, and what is read from these texts: links, passes, shardings, diffs."""
