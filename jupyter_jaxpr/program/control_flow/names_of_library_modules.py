"""Names the module of a library function on a card, such as jnp.linalg, as a user imports it."""

from __future__ import annotations

import re

_MODULES = (
    ("jax/_src/numpy/linalg", "jnp.linalg"),
    ("jax/_src/numpy/fft", "jnp.fft"),
    ("jax/_src/numpy/", "jnp"),
    ("jax/_src/lax/", "lax"),
    ("jax/_src/random", "jax.random"),
    ("jax/_src/nn/", "jax.nn"),
    ("jax/_src/image/", "jax.image"),
    ("jax/_src/ops/", "jax.ops"),
)


_SCIPY = re.compile(r"jax/_src/scipy/(?:(\w+)/)?(\w+)")


def module_name(path: str) -> str:
    """Return the name under which users import the module of a library's file."""
    for start, name in _MODULES:
        if path.startswith(start):
            return name
    scipy = _SCIPY.match(path)
    if scipy:
        return f"jax.scipy.{scipy.group(1) or scipy.group(2)}"
    return path.partition("/")[0].removesuffix(".py")
