"""Records what JAX does while a cell runs.

- `observer.Observer`: the observer of a kernel; `jax.hooks.Hooks` calls the observer.
- `cell_run.Run`: the record of one cell between its start and its end.
- `observation.Observation`: the result of a run, which the packages `program` and `build` read.
"""
