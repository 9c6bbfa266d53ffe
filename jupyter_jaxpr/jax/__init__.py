"""Reads JAX's private modules and returns plain facts and callbacks; only this package imports `jax._src`.

- `facts`: small questions to JAX, and the names of its events.
- `keys`: the parts of a cache key.
- `calls`: the arguments and the program of one missed call.
- `post_hook`: JAX's hook after each jitted call.
- `stages`: programs that JAX makes on request.
- `support`: the facts that the installed JAX can give.
- `hooks`: reports to a receiver what JAX does.
- `effects`: the names of effects.
"""
