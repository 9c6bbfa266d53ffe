"""What JAX did while the cell ran.

- `observer.Observer`: one a kernel, told by `jax.hooks.Hooks`.
- `run.Run`: between the start and the end of one cell.
- `observation.Observation`: what is handed on.
"""
