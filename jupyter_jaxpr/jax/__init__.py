"""All contact with JAX's private modules."""
