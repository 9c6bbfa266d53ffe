"""A call in; out come the effects that a second run of its Python would have, and a way to undo them."""
