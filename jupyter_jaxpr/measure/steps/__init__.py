"""A construct run once more, each step recorded."""
