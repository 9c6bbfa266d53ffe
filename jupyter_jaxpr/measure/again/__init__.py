"""A program compiled once more, to see what the compiler does."""
