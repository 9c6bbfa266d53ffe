"""Measures the seconds that XLA takes to compile programs, several times each.

The first compilation says little: what XLA and JAX do once in a process counts as the work of the program that comes
first. The Python of the functions does not run again, and JAX's cache on disk is not asked.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from ...interruptions import not_of_a_signal
from ...jax.stages import without_disk_cache
from ...observe.observation import ObservedProgram
from ..times.repeated_calls import Stop

#: As many of equal programs are apart by chance in one of 1,700.
_SAMPLES = 7
#: JAX compiles a module again only with options that it has not seen. This one says how much is dumped, of no dump.
_UNSEEN = itertools.count(1_000)


def compile_samples(programs: Sequence[ObservedProgram | None], stop: Stop) -> list[list[float]]:
    """Compile each program in turn, as many times as a difference takes.

    Args:
        programs: What to compile; None where one is not to be.
        stop: Asked between compilations; what was measured until then is kept.

    Returns:
        Seconds of each; none where XLA refused.
    """
    samples: list[list[float]] = [[] for _ in programs]
    refused: set[int] = set()
    for _ in range(_SAMPLES):
        for place, each in enumerate(programs):
            if each is None or place in refused or stop():
                continue
            try:
                lowered = each.lowered or each.traced.lower()
                with without_disk_cache():
                    start = time.perf_counter()
                    lowered.compile(compiler_options={"xla_dump_max_hlo_modules": next(_UNSEEN)})
                    samples[place].append(time.perf_counter() - start)
            except not_of_a_signal(Exception):  # another JAX or XLA: then no difference is shown
                refused.add(place)
    return [[] if place in refused else each for place, each in enumerate(samples)]
