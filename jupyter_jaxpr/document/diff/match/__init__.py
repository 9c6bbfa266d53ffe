"""Two programs in, what became of the equations of the one in the other out; their names play no part."""
