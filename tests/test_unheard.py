"""Two threads work unheard at once: each is heard again when it is done, whichever ends first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import jax
import pytest

from jupyter_jaxpr.jax.unheard import unheard


@pytest.mark.parametrize("other_ends_first", [True, False])
def test_each_thread_is_heard_again(other_ends_first: bool) -> None:
    heard: list[str] = []

    def listener(event: str, **kwargs: Any) -> None:
        heard.append(event)

    def in_the_other_thread(wait: Callable[[], Any]) -> None:
        with unheard():
            jax.monitoring.record_event("/other/within")
            wait()
        jax.monitoring.record_event("/other/after")

    jax.monitoring.register_event_listener(listener)
    is_inside, may_leave = threading.Event(), threading.Event()

    def wait() -> None:
        is_inside.set()
        may_leave.wait(10)

    other = threading.Thread(target=in_the_other_thread, args=(wait,))
    with ExitStack() as stack:
        stack.enter_context(unheard())
        other.start()
        assert is_inside.wait(10)
        jax.monitoring.record_event("/own/within")
        if other_ends_first:
            may_leave.set()
            other.join()
            stack.close()
        else:
            stack.close()
            jax.monitoring.record_event("/own/meanwhile")
            may_leave.set()
            other.join()
    jax.monitoring.record_event("/own/after")
    jax.monitoring.unregister_event_listener(listener)
    own = ["/own/after"] if other_ends_first else ["/own/meanwhile", "/own/after"]
    assert sorted(heard) == sorted(["/other/after", *own])
