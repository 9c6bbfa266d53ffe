"""Measures the seconds that XLA takes to compile programs, several times each.

The first compilation says little: what XLA and JAX do once in a process counts as the work of the program that comes
first. The Python of the functions does not run again, and JAX's cache on disk is not asked.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from ...interruptions import not_of_a_signal
from ...jax.made_programs import without_disk_cache
from ...observe.observation import ObservedProgram
from ..times.repeated_calls import Stop

# The number of compiles: seven samples each of two equal programs are fully apart in one of 1,700 cases.
_SAMPLES = 7
# JAX compiles a module again only with new options. This option limits the size of a dump, and nothing is dumped.
_UNSEEN = itertools.count(1_000)


def compile_samples(programs: Sequence[ObservedProgram | None], stop: Stop) -> list[list[float]]:
    """Compile the programs in turn, several times each.

    Args:
        programs: The programs; None in the place of a program that is not compiled.
        stop: Called between compiles; returns whether to stop and keep the samples so far.

    Returns:
        The seconds of each program's compiles; [] where XLA refused the program.
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
            except not_of_a_signal(Exception):  # another version of JAX or XLA: no difference is shown then
                refused.add(place)
    return [[] if place in refused else seconds for place, seconds in enumerate(samples)]
