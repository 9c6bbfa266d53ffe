"""The public names, loaded when first asked for: importing this package imports neither JAX nor the rest of it."""
