"""Reads JAX's private modules and reports plain facts to the other rooms; only this room imports `jax._src`.

- `facts`: small facts about JAX, and the names of its events.
- `leaves_and_context_of_key`: the parts of a cache key.
- `missed_calls`: the arguments and the program of one missed call.
- `post_hook`: JAX's hook after each jitted call that hits.
- `made_programs`: JAX's objects for a program that this package has changed.
- `support`: how much the installed JAX can report.
- `hooks`: reports each miss to a receiver.
- `effect_names`: the names of effects.
"""
