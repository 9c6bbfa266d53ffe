"""Measures this machine's peak rates with JAX: FLOP/s of a matmul and bytes/s of a copy.

The user starts the measurement by a button. It takes less than two seconds, and the kernel keeps the result until the
next measurement.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...quantities import duration, size
from .repeated_calls import Stop

Report = Callable[[str, int | None, int | None], None]

# The side lengths of the square matrices, and the bytes of the copied arrays. A size is skipped if the smaller one took
# too long.
_SIDES = (512, 1024, 2048, 4096, 8192)
_SIZES = (16_000_000, 64_000_000, 256_000_000)
# the bytes of the copied arrays on an accelerator, which has larger caches and faster memory
_ON_DEVICE_SIZES = (256_000_000, 1_000_000_000)
_SECONDS = 0.7  # A measurement tries no larger size after this many seconds.
_SHARE = 0.1  # The timed calls of one size take about this many seconds.
_RUNS_AT_LEAST = 3
_RUNS_AT_MOST = 20


@dataclass(frozen=True)
class MeasuredMachine:
    """The highest rates that were measured on this machine.

    Attributes:
        device: the kind of the device.
        flops: the FLOP/s of the best matmul.
        bandwidth: the bytes per second, read and written, of the best copy.
        dtype: the dtype of both measurements.
        how: a sentence with the sizes.
        seconds: the duration of the measurement.
    """

    device: str
    flops: float
    bandwidth: float
    dtype: str
    how: str
    seconds: float


_lock = threading.Lock()
_measured_machines: dict[str, MeasuredMachine] = {}


def known_machine() -> MeasuredMachine | None:
    """Return the rates of JAX's default device, if this kernel has measured them; else None."""
    return _measured_machines.get(str(_device().device_kind)) if _measured_machines else None


def _device() -> Any:
    """Return the device on which JAX puts arrays by default: `jax_default_device`, or the first device."""
    import jax

    set_by_user: Any = getattr(jax.config, "jax_default_device", None)
    if isinstance(set_by_user, str):
        return jax.devices(set_by_user)[0]
    return jax.local_devices()[0] if set_by_user is None else set_by_user


def measure_machine(
    *, report: Report = lambda text, done, total: None, stop: Stop = lambda: False
) -> MeasuredMachine | None:
    """Measure the rates of JAX's default device and keep them.

    Args:
        report: Called with a text on the present work.
        stop: Called between the timed calls; returns True to stop; the result is None if a rate is still missing.
    """
    device = _device()
    kind = str(device.device_kind)
    with _lock:
        measured = _measure(device, kind, report, stop)
        if measured is not None:
            _measured_machines[kind] = measured
        return measured


def _measure(device: Any, kind: str, report: Report, stop: Stop) -> MeasuredMachine | None:
    import jax
    import numpy as np  # NumPy comes with JAX and may be missing without it, so it is imported only here

    began = time.perf_counter()

    def ones(*shape: int) -> Any:
        return jax.device_put(np.ones(shape, np.float32), device)  # `jnp.ones` would compile a program

    matmul = jax.jit(lambda x: x @ x)
    # The copy is done in place, because getting new memory from the system takes longer than copying.
    copy = jax.jit(lambda x: x + 1, donate_argnums=0)
    sizes = _SIZES if device.platform == "cpu" else _ON_DEVICE_SIZES
    report("multiplying matrices", 0, 2)
    multiplied = _best(matmul, _SIDES, lambda side: ones(side, side), lambda side: 2 * side**3, stop)
    report("copying arrays", 1, 2)
    copied = _best(copy, sizes, lambda moved: ones(moved // 4), lambda moved: 2 * moved, stop, in_place=True)
    if multiplied is None or copied is None:
        return None
    (flops, side), (bandwidth, moved) = multiplied, copied
    took = time.perf_counter() - began
    method = (
        "The speeds of this machine come from the fastest of several calls of two programs: a float32 matmul of "
        f"{side} by {side}, and x + 1 in place on {size(moved)}. All calls together took {duration(took)}."
    )
    if device.platform != "cpu":
        method += " The matmul ran at JAX's default precision, which may compute with fewer bits."
    return MeasuredMachine(kind, flops, bandwidth, "float32", method, took)


def _best(
    call: Callable[[Any], Any],
    sizes: tuple[int, ...],
    make: Callable[[int], Any],
    work: Callable[[int], int],
    stop: Stop,
    in_place: bool = False,
) -> tuple[float, int] | None:
    """Return the highest rate per second over several sizes, and the size with this rate.

    Args:
        call: The call; its first execution compiles and is not timed.
        sizes: The sizes, ascending.
        make: A function: size -> argument of the call.
        work: A function: size -> amount of work of the call.
        stop: Called between the timed calls.
        in_place: Each call takes the previous result, and the rate of the largest size is used: smaller arrays
            may fit into a cache.
    """
    import jax

    best: tuple[float, int] | None = None
    began = time.perf_counter()
    for number in sizes:
        argument = jax.block_until_ready(make(number))
        result = jax.block_until_ready(call(argument))
        fastest, runs, since = float("inf"), 0, time.perf_counter()
        while not stop() and runs < _RUNS_AT_MOST and (runs < _RUNS_AT_LEAST or time.perf_counter() - since < _SHARE):
            start = time.perf_counter()
            result = jax.block_until_ready(call(result if in_place else argument))
            fastest = min(fastest, time.perf_counter() - start)
            runs += 1
        if not runs:
            break
        rate = work(number) / fastest
        if best is None or in_place or rate > best[0]:
            best = rate, number
        # The next size may take eight times as long as this one, and runs at least four times.
        if stop() or time.perf_counter() - began + 8 * (_RUNS_AT_LEAST + 1) * fastest > _SECONDS:
            break
    return best
