"""A call in, what running it again shows out: only where the user asked for it."""
