"""Python loops that tracing unrolled, and their rewriting."""
