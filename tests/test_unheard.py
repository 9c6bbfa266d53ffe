"""Tests a block in which a thread's work in JAX is hidden from listeners and logs, and that nothing stays hidden."""

import logging
import threading

import pytest

from jupyter_jaxpr.jax import hidden_events as module
from jupyter_jaxpr.jax.facts import private
from jupyter_jaxpr.jax.hidden_events import unheard

monitoring = private("monitoring")
LISTS = ("_event_listeners", "_event_duration_secs_listeners", "_event_time_span_listeners", "_scalar_listeners")


@pytest.fixture
def heard(monkeypatch):
    """Return a list of the names of threads whose events or logs arrive; check that JAX's lists are restored."""
    names = []
    before = {name: getattr(monitoring, name) for name in LISTS}
    monkeypatch.setattr(logging.getLogger("jax"), "filters", [])

    def hear(event, **facts):
        names.append(threading.current_thread().name)

    monitoring.register_event_listener(hear)
    yield names
    monitoring.unregister_event_listener(hear)
    assert {name: getattr(monitoring, name) is before[name] for name in LISTS} == dict.fromkeys(LISTS, True)
    assert logging.getLogger("jax").filters == []


class Thread(threading.Thread):
    """A thread that stays in the block `unheard` until the test lets it continue."""

    def __init__(self, name):
        super().__init__(name=name)
        self.is_in, self.goes_on, self.is_out, self.ends = (threading.Event() for _ in range(4))

    def run(self):
        with unheard():
            monitoring.record_event("in the block")
            self.is_in.set()
            self.goes_on.wait(10)
        self.is_out.set()
        self.ends.wait(10)
        monitoring.record_event("after the block")


def test_two_threads_whose_blocks_overlap_are_heard_afterwards(heard):
    first, second = Thread("first"), Thread("second")
    for thread in (first, second):
        thread.start()
        assert thread.is_in.wait(10)
    monitoring.record_event("of another thread")
    for thread in (first, second):
        thread.goes_on.set()
        assert thread.is_out.wait(10)
    for thread in (first, second):
        thread.ends.set()
        thread.join(10)
    assert heard == [threading.current_thread().name, "first", "second"]


def test_a_block_in_a_block_is_left_alone_by_the_inner_one(heard):
    with unheard():
        with unheard():
            pass
        monitoring.record_event("in the outer block")
    monitoring.record_event("after the block")
    assert len(heard) == 1


@pytest.mark.parametrize("call", [0, 1])
def test_what_stops_a_thread_in_the_middle_of_the_change_leaves_nothing_behind(heard, monkeypatch, call):
    settle, calls = module._settle, []

    def stopped():
        calls.append(len(calls))
        if calls[-1] == call:
            raise KeyboardInterrupt
        settle()

    monkeypatch.setattr(module, "_settle", stopped)
    with pytest.raises(KeyboardInterrupt), unheard():
        pass
    monitoring.record_event("after the block")
    assert len(heard) == 1


def test_a_listener_that_comes_and_a_listener_that_goes_meanwhile(heard):
    added = []
    with unheard():
        monitoring.register_event_listener(lambda event, **facts: added.append(event))
        monitoring.record_event("in the block")
    monitoring.record_event("after the block")
    assert (added, len(heard)) == (["after the block"], 1)
    del monitoring._event_listeners[-1]
