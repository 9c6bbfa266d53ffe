"""Times runs of programs and functions."""
