"""Holds how long the page waits for the answer to each request before the page gives up, in seconds.

`python -m jupyter_jaxpr.schema` writes these times into `src/protocol/request-table.ts`, from which the page reads
them. A reply on the progress of a long request starts the time anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: The longest time without a reply, by the name of the request.
SECONDS_WITHOUT_REPLY: Mapping[str, int] = MappingProxyType(
    {
        "compare": 1_800,
        "cost": 60,
        "cures": 60,
        "diff": 60,
        "exact_links": 1_800,
        "export": 60,
        "live": 60,
        "live_diff": 60,
        "machine": 60,
        "make": 1_800,
        "pass_diff": 120,
        "passes": 1_800,
        "scope": 30,
        "shardings": 60,
        "source": 30,
        "startup": 30,
        "steps": 1_800,
        "sweep": 1_800,
        "text": 30,
        "time": 1_800,
        "transform": 600,
        "values": 30,
    }
)
