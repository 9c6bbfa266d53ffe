"""Tests long requests: one runs at a time, with progress, until it ends or the user stops it."""

import threading

import jax.numpy as jnp
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.wire.messages import Answered, Refused, Working
from jupyter_jaxpr.wire.queue_of_long_requests import Work, Worker

pytestmark = pytest.mark.any_jax

PATIENCE = 60.0


class Page:
    """The messages that a page receives."""

    def __init__(self):
        self.replies = []
        self._came = threading.Condition()

    def send(self, reply):
        with self._came:
            self.replies.append(reply)
            self._came.notify_all()

    def last(self):
        """Return the last reply that is no message of progress, once it has arrived."""
        with self._came:
            assert self._came.wait_for(lambda: any(not isinstance(r, Working) for r in self.replies), PATIENCE)
        return next(reply for reply in self.replies if not isinstance(reply, Working))

    def hears(self, text):
        with self._came:
            assert self._came.wait_for(lambda: text in self.texts, PATIENCE)

    @property
    def texts(self):
        return [reply.text for reply in self.replies if isinstance(reply, Working)]


def done(work, error=None):
    return Answered(id=work.identifier, result=None) if error is None else Refused(id=work.identifier, reason=error)


@pytest.fixture
def worker():
    return Worker()


def test_a_job_runs_on_another_thread_and_its_reply_is_the_last(worker):
    page, threads = Page(), []

    def job(work):
        threads.append(threading.get_ident())
        work.tell("step 1", 1, 10)
        return done(work)

    worker.begin("a", 7, job, page.send)
    assert page.last() == Answered(id=7, result=None)
    assert threads != [threading.get_ident()]
    (working, _) = page.replies
    assert (working.id, working.text, working.done, working.total) == (7, "step 1", 1, 10)


def test_stop_is_heard_by_the_job_it_is_meant_for(worker):
    page, second_page = Page(), Page()

    def job(work):
        while not work.stopped:
            work.tell("running")
        return done(work, "stopped")

    worker.begin("a", 1, job, page.send)
    page.hears("running")
    worker.stop("b", 1)
    worker.stop("a", 2)
    worker.begin("b", 1, lambda work: done(work, "second"), second_page.send)
    second_page.hears("waiting for an earlier request to end")
    worker.stop("a", 1)
    assert page.last().reason == "stopped"
    assert second_page.last().reason == "second"


def test_the_worker_of_a_widget_waits_for_that_of_the_panel(worker):
    page, second_page, of_widget, go = Page(), Page(), Worker(), threading.Event()

    def job(work):
        work.tell("begun")
        assert go.wait(PATIENCE)
        return done(work)

    worker.begin("a", 1, job, page.send)
    page.hears("begun")
    assert of_widget.is_busy
    of_widget.begin("b", 1, done, second_page.send)
    second_page.hears("waiting for an earlier request to end")
    go.set()
    assert isinstance(page.last(), Answered)
    assert isinstance(second_page.last(), Answered)


def test_what_waits_can_be_stopped(worker):
    page, second_page, go = Page(), Page(), threading.Event()

    def waits(work):
        work.tell("begun")
        assert go.wait(PATIENCE)
        return done(work)

    worker.begin("a", 1, waits, page.send)
    page.hears("begun")
    worker.begin("a", 2, done, second_page.send)
    worker.stop("a", 2)
    assert second_page.last().reason == (
        "The request was stopped before the request began: an earlier request has not ended. Wait for the earlier "
        "request to end, or stop the earlier request."
    )
    go.set()
    assert isinstance(page.last(), Answered)


def test_a_page_that_has_gone_is_sent_nothing_more(worker):
    page, next_page, begun = Page(), Page(), threading.Event()

    def job(work):
        begun.set()
        while not work.stopped:
            pass
        return done(work)

    worker.begin("a", 1, job, page.send)
    assert begun.wait(PATIENCE)
    worker.leave("a")
    worker.begin("b", 1, done, next_page.send)
    assert isinstance(next_page.last(), Answered)
    assert page.replies == []


def test_at_most_four_words_a_second():
    page, clock_time = Page(), [0.0]
    work = Work(1, page.send, clock=lambda: clock_time[0])
    for tick in range(101):
        clock_time[0] = tick / 100
        work.tell(f"step {tick}")
    assert page.texts == ["step 0", "step 25", "step 50", "step 75", "step 100"]


def test_what_a_job_asks_of_jax_is_none_of_the_users(worker):
    page = Page()

    def job(work):
        jnp.linalg.norm(jnp.arange(1234.0))
        return done(work)

    with jj.observe() as ledger:
        worker.begin("a", 1, job, page.send)
        page.last()
    assert [record.name for record in ledger.functions] == []
