"""Records what JAX does while a cell runs.

- `observer.Observer`: the observer of a kernel; `jax.hooks.Hooks` calls the observer.
- `run.Run`: the record of one cell between its start and its end.
- `observation.Observation`: the result that later rooms read.
"""
