"""Measures the seconds that XLA takes to compile programs, several times each.

The first compile in a process includes work that XLA and JAX do only once, so its time says little about the program.
The Python of the functions does not run again, and JAX's cache on disk is not used.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from ...interruptions import not_of_a_signal
from ...jax.compile_without_disk_cache import without_disk_cache
from ...observe.observation import ObservedProgram
from ..times.repeated_calls import Stop

# The number of compiles of each program. If two programs are equal, all seven samples of one are below all seven of the
# other in only one of 1,700 cases.
_SAMPLES = 7
# JAX compiles a module again only with other options. So each compile gets another value of an option that limits the
# size of dumps; nothing is dumped.
_UNSEEN = itertools.count(1_000)


def compile_samples(programs: Sequence[ObservedProgram | None], stop: Stop) -> list[list[float]]:
    """Compile the programs alternately, several times each.

    Args:
        programs: The programs; None in the place of a program that is not compiled.
        stop: Called between compiles; returns True to stop and keep the samples so far.

    Returns:
        The seconds of each program's compiles; [] if XLA could not compile the program.
    """
    samples: list[list[float]] = [[] for _ in programs]
    refused: set[int] = set()
    for _ in range(_SAMPLES):
        for place, program in enumerate(programs):
            if program is None or place in refused or stop():
                continue
            try:
                lowered = program.lowered or program.traced.lower()
                with without_disk_cache():
                    start = time.perf_counter()
                    lowered.compile(compiler_options={"xla_dump_max_hlo_modules": next(_UNSEEN)})
                    samples[place].append(time.perf_counter() - start)
            except not_of_a_signal(Exception):  # this version of JAX or XLA refuses the changed option
                refused.add(place)
    return [[] if place in refused else seconds for place, seconds in enumerate(samples)]
