"""Builds the document's `Environment`: the installed versions and the devices. No JAX backend is started."""

from __future__ import annotations

import platform

from ..document.types.document import Environment
from ..jax import support as jax_support
from ..jax.facts import backend_started
from ..version import __version__


def environment(support: jax_support.Support | None = None) -> Environment:
    """Return the installed versions, the devices, and how well this package supports the installed JAX.

    Args:
        support: The support that the observer determined; None to determine it now.
    """
    support = support or jax_support.support()
    backend: str | None = None
    device: str | None = None
    count = 0
    if support.tier != "none" and backend_started():
        import jax

        devices = jax.devices()
        backend, device, count = jax.default_backend(), devices[0].device_kind, len(devices)
    return Environment(
        jupyter_jaxpr=__version__,
        python=platform.python_version(),
        jax=jax_support.jax_version(),
        jaxlib=jax_support.jaxlib_version(),
        backend=backend,
        device=device,
        device_count=count,
        tier=support.tier,
        tier_note=support.note,
    )
