"""Sends messages in order, at most 20 a second, from any thread.

JupyterLab's server drops messages of a kernel that sends too many. Therefore a waiting message is replaced by a later
one with the same key.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Message = TypeVar("Message")

PER_SECOND = 20


def start_timer(seconds: float, action: Callable[[], None]) -> threading.Timer:
    """Start a timer that calls a function after some seconds, on a daemon thread."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.name = "jupyter_jaxpr outbox"
    timer.start()
    return timer


class Outbox(Generic[Message]):
    """Delivers each message at once as long as fewer than 20 were delivered in the last second.

    Args:
        deliver: Called with each message, by one thread at a time; must not raise.
        clock: Returns the time in seconds of a clock that never goes backwards.
        later: Calls a function after some seconds, and returns an object that can cancel the call.
    """

    def __init__(
        self,
        deliver: Callable[[Message], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], threading.Timer] = start_timer,
    ) -> None:
        self._deliver = deliver
        self._clock = clock
        self._later = later
        # reentrant: a delivery that calls this object again must not block the kernel
        self._lock = threading.RLock()
        self._waiting: dict[Hashable, Message] = {}
        self._sent: deque[float] = deque(maxlen=PER_SECOND)
        self._timer: threading.Timer | None = None

    def put(self, key: Hashable, message: Message) -> None:
        """Send a message at once or soon, after all earlier messages."""
        with self._lock:
            self._waiting.pop(key, None)
            self._waiting[key] = message
            self._flush()

    def drop(self, key: Hashable) -> None:
        """Remove the waiting message with this key, if there is one."""
        with self._lock:
            self._waiting.pop(key, None)

    def close(self) -> None:
        """Send all waiting messages at once."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            while self._waiting:
                self._deliver(self._waiting.pop(next(iter(self._waiting))))

    def _flush(self) -> None:
        while self._waiting:
            time_now = self._clock()
            # The deque has the times of the last 20 messages: when the oldest is a second ago, another message may be
            # sent.
            if len(self._sent) == PER_SECOND and time_now - self._sent[0] < 1:
                if self._timer is None:
                    self._timer = self._later(self._sent[0] + 1 - time_now, self._wake)
                return
            self._sent.append(time_now)
            self._deliver(self._waiting.pop(next(iter(self._waiting))))

    def _wake(self) -> None:
        with self._lock:
            self._timer = None
            self._flush()
