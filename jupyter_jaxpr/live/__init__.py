"""A cell that is being written in; the program of one of its functions out, traced while nothing of the cell runs."""
