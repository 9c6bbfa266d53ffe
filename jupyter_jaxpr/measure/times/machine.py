"""Measures this machine's peak rates with JAX: FLOP/s of a matmul and bytes/s of a copy.

Asked for by a button, measured in under two seconds, and kept for the kernel's life or until it is asked for again.
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

#: Sides of the matrices, and bytes of the arrays that are copied; the larger ones where the smaller ones were quick.
_SIDES = (512, 1024, 2048, 4096, 8192)
_SIZES = (16_000_000, 64_000_000, 256_000_000)
_ON_DEVICE_SIZES = (256_000_000, 1_000_000_000)  # an accelerator's caches are larger, and its memory quicker
_SECONDS = 0.7  # of each of the two, roughly
_SHARE = 0.1  # of each size
_RUNS_AT_LEAST = 3
_RUNS_AT_MOST = 20


@dataclass(frozen=True)
class MeasuredMachine:
    """What this machine can do at most.

    Attributes:
        device: its kind.
        flops: a second, of the best matmul.
        bandwidth: bytes a second, read and written, of the best copy.
        dtype: of both.
        how: a sentence with the sizes.
        seconds: that the measurement took.
    """

    device: str
    flops: float
    bandwidth: float
    dtype: str
    how: str
    seconds: float


_lock = threading.Lock()
_known: dict[str, MeasuredMachine] = {}


def known_machine() -> MeasuredMachine | None:
    """What was measured in this kernel of JAX's default device; None where nothing was."""
    return _known.get(str(_device().device_kind)) if _known else None


def _device() -> Any:
    """The device where JAX puts what nobody places: `jax_default_device`, or the first one."""
    import jax

    set_by_user: Any = getattr(jax.config, "jax_default_device", None)
    if isinstance(set_by_user, str):
        return jax.devices(set_by_user)[0]
    return jax.local_devices()[0] if set_by_user is None else set_by_user


def measure_machine(
    *, report: Report = lambda text, done, total: None, stop: Stop = lambda: False
) -> MeasuredMachine | None:
    """Measure what JAX's default device can do; it is known from then on.

    Args:
        report: Is told what is being done.
        stop: Asked between runs; a rate that was not measured until then makes it None.
    """
    device = _device()
    kind = str(device.device_kind)
    with _lock:
        found = _measure(device, kind, report, stop)
        if found is not None:
            _known[kind] = found
        return found


def _measure(device: Any, kind: str, report: Report, stop: Stop) -> MeasuredMachine | None:
    import jax
    import numpy as np  # JAX brings it: without JAX it may not be there

    began = time.perf_counter()

    def ones(*shape: int) -> Any:
        return jax.device_put(np.ones(shape, np.float32), device)  # `jnp.ones` would compile for each shape

    matmul = jax.jit(lambda x: x @ x)
    # In place: memory that is new to the process costs more than the copy.
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
    how = (
        f"The best of several calls, measured in {duration(took)}: a float32 matmul of {side} by {side}, "
        f"and x + 1 in place on {size(moved)}."
    )
    if device.platform != "cpu":
        how += " The matmul ran at JAX's default precision, which may use fewer bits inside."
    return MeasuredMachine(kind, flops, bandwidth, "float32", how, took)


def _best(
    call: Callable[[Any], Any],
    sizes: tuple[int, ...],
    make: Callable[[int], Any],
    work: Callable[[int], int],
    stop: Stop,
    in_place: bool = False,
) -> tuple[float, int] | None:
    """The highest rate a second over some sizes, and the size it was at.

    Args:
        call: Compiled at its first call, which is not timed.
        sizes: From small to large.
        make: The argument of a size.
        work: What a call of that size does.
        stop: Asked between runs.
        in_place: Each call takes the result of the one before, and the rate of the largest size is taken: smaller
            ones may lie in a cache.
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
        # The next size takes up to eight times as long, four times over.
        if stop() or time.perf_counter() - began + 8 * (_RUNS_AT_LEAST + 1) * fastest > _SECONDS:
            break
    return best
