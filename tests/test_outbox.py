"""Tests that messages leave in order, at most 20 a second, and that newer messages replace waiting ones."""

import pytest

from jupyter_jaxpr.wire.outbox import Outbox

pytestmark = pytest.mark.any_jax


class Time:
    """A clock that advances only when the test moves it, with the functions that are to be called later."""

    def __init__(self):
        self.now = 100.0
        self.due = []

    def clock(self):
        return self.now

    def later(self, seconds, action):
        self.due.append((self.now + seconds, action))
        return self

    def cancel(self):
        self.due.clear()

    def pass_until(self, moment):
        while self.due and self.due[0][0] <= moment:
            self.now, action = self.due.pop(0)
            action()
        self.now = moment


def make():
    time, sent = Time(), []
    return Outbox(sent.append, clock=time.clock, later=time.later), time, sent


def test_a_message_leaves_at_once():
    outbox, time, sent = make()
    outbox.put("progress", "p1")
    assert sent == ["p1"]
    assert time.due == []


def test_of_a_burst_twenty_leave_in_the_first_second_and_the_rest_follow_in_order():
    outbox, time, sent = make()
    for number in range(50):
        outbox.put(number, number)
    assert sent == list(range(20))
    time.pass_until(100.99)
    assert sent == list(range(20))
    time.pass_until(101.0)
    assert sent == list(range(40))
    time.pass_until(102.0)
    assert sent == list(range(50))
    assert time.due == []


def test_no_second_however_placed_has_more_than_twenty():
    outbox, time, sent = make()
    moments = []
    outbox = Outbox(lambda message: moments.append(time.now), clock=time.clock, later=time.later)
    for step in range(400):
        time.pass_until(100 + step * 0.013)
        outbox.put(step, step)
    time.pass_until(200)
    assert len(moments) == 400
    assert all(late - early >= 1 for early, late in zip(moments, moments[20:], strict=False))


def test_while_a_message_waits_a_newer_one_of_its_key_takes_its_place_at_the_end():
    outbox, time, sent = make()
    for number in range(20):
        outbox.put(number, number)
    for key, message in [("progress", "p1"), ("cell 1", "run 1"), ("progress", "p2"), ("cell 1", "run 2")]:
        outbox.put(key, message)
    time.pass_until(101)
    assert sent[20:] == ["p2", "run 2"]


def test_a_waiting_message_can_be_taken_back():
    outbox, time, sent = make()
    for number in range(20):
        outbox.put(number, number)
    outbox.put("progress", "p1")
    outbox.drop("progress")
    outbox.drop("never put")
    time.pass_until(101)
    assert sent == list(range(20))


def test_closing_sends_what_waits():
    outbox, time, sent = make()
    for number in range(22):
        outbox.put(number, number)
    outbox.close()
    assert sent == list(range(22))
    assert time.due == []


def test_a_real_timer_sends_what_waits():
    import threading

    arrived = threading.Event()
    outbox = Outbox(lambda message: message == 20 and arrived.set())
    for number in range(21):
        outbox.put(number, number)
    assert arrived.wait(30)
