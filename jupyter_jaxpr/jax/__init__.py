"""Reads JAX's private modules and hands out plain callbacks and facts; the only package that imports `jax._src`.

- `facts`: small questions to JAX, and the names of its events.
- `keys`: what a cache key is made of.
- `calls`: what one miss was given and made.
- `post_hook`: JAX's hook after each jitted call.
- `stages`: programs asked of JAX.
- `support`: which facts can be had with the JAX at hand.
- `hooks`: what JAX does, told to a receiver.
- `effects`: the names of effects.
"""
