"""What the user typed: a cell's code, and the targets of `%jaxpr`."""
