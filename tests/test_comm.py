"""Tests the messages of the publisher one by one; `Wire` stands in for the socket and the page."""

import json
from pathlib import Path

import comm
import comm.base_comm
import jax
import msgspec
import pytest

from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.types.document import Environment
from jupyter_jaxpr.wire.connection_to_panel import Publisher, publisher

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"
LINE = ".".join(jax.__version__.split(".")[:2])
ENVIRONMENT = Environment(
    jupyter_jaxpr="0.1.0",
    python="3.13.0",
    jax="0.12.0",
    jaxlib="0.12.0",
    backend="cpu",
    device="cpu",
    device_count=1,
    tier="hooks",
    tier_note=None,
)
HELLO = {
    "type": "hello",
    "seq": 1,
    "protocol": 2,
    "environment": msgspec.to_builtins(ENVIRONMENT),
    "saves_values": True,
}


class Wire:
    """The messages on a socket, with a page at the other end."""

    def __init__(self):
        self.sent = []
        self.manager = comm.base_comm.CommManager()
        self.broken = False

    def open_comm(self, **arguments):
        wire = self

        class Comm(comm.base_comm.BaseComm):
            def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
                if wire.broken:
                    raise OSError("the socket is closed")
                wire.sent.append((msg_type, self.comm_id, data, buffers))

        return Comm(**arguments)

    @property
    def messages(self):
        """Return the data of the comms' messages, with the buffers decoded."""
        return [
            json.loads(buffers[0]) if buffers else data for kind, _, data, buffers in self.sent if kind == "comm_msg"
        ]

    @property
    def kinds(self):
        return [kind for kind, *_ in self.sent]

    def take(self):
        messages = self.messages
        self.sent.clear()
        return messages

    @property
    def hub(self):
        (hub,) = (comm for comm in self.manager.comms.values() if comm.target_name == "jupyter_jaxpr")
        return hub

    def say(self, data, comm_id=None):
        """Send a message from the page, on the hub or on another comm."""
        self.manager.comm_msg(None, "", {"content": {"comm_id": comm_id or self.hub.comm_id, "data": data}})

    def open_requests(self, comm_id="r1"):
        content = {"comm_id": comm_id, "target_name": "jupyter_jaxpr.requests", "data": {}}
        self.manager.comm_open(None, "", {"content": content})
        return comm_id

    def close(self, comm_id):
        self.manager.comm_close(None, "", {"content": {"comm_id": comm_id, "data": {}}})


@pytest.fixture
def wire(monkeypatch):
    wire = Wire()
    monkeypatch.setattr(comm, "create_comm", wire.open_comm)
    monkeypatch.setattr(comm, "get_comm_manager", lambda: wire.manager)
    return wire


@pytest.fixture
def talk(wire):
    """Return a publisher that has opened the hub."""
    publisher = Publisher(lambda: ENVIRONMENT)
    publisher.open()
    return publisher


def run(identifier, cell="c1", name="selu"):
    """Return a golden document as the run of a cell, with this id."""
    document = read((FIXTURES / f"{name}-{LINE}.json").read_bytes())
    assert document.cell is not None
    document = msgspec.structs.replace(
        document, id=identifier, cell=msgspec.structs.replace(document.cell, id=cell, file=f"file of {cell}")
    )
    return Built(document, sources=None)


def ids(messages):
    return [(message["type"], message["seq"], message.get("snapshot", {}).get("id")) for message in messages]


def test_a_kernel_opens_the_hub_and_says_hello(wire, talk):
    (opened, hello) = wire.sent
    assert opened == ("comm_open", wire.hub.comm_id, {}, None)
    assert hello == ("comm_msg", wire.hub.comm_id, HELLO, None)


def test_loading_twice_opens_one_hub(wire, talk):
    talk.open()
    assert wire.kinds == ["comm_open", "comm_msg"]


def test_a_run_is_sent_as_it_is(wire, talk):
    wire.sent.clear()
    built = run("5f0c")
    talk.publish(built)
    ((kind, identifier, data, buffers),) = wire.sent
    assert (kind, identifier, buffers) == ("comm_msg", wire.hub.comm_id, None)
    assert data == {"type": "snapshot", "seq": 2, "snapshot": msgspec.to_builtins(built.document)}


def test_from_64_kb_on_a_message_is_one_buffer(wire, talk):
    wire.sent.clear()
    built = run("5f0c")
    built = Built(msgspec.structs.replace(built.document, strings=[*built.document.strings, "é" * 40_000]), None)
    talk.publish(built)
    ((_, _, data, buffers),) = wire.sent
    assert data == {"type": "buffer"}
    (raw,) = buffers
    assert json.loads(raw) == {"type": "snapshot", "seq": 2, "snapshot": msgspec.to_builtins(built.document)}
    assert "é" in raw.decode()


def test_progress_says_what_jax_is_doing(wire, talk):
    wire.sent.clear()
    talk.progress(
        run="5f0c",
        cell_id="c3",
        function="rnn",
        stage="compile",
        elapsed=2.1,
        total_elapsed=2.4,
        finished=[("trace", 0.2), ("lower", 0.1)],
        interruptible=False,
    )
    assert wire.messages == [
        {
            "type": "progress",
            "seq": 2,
            "run": "5f0c",
            "cell_id": "c3",
            "function": "rnn",
            "stage": "compile",
            "elapsed": 2.1,
            "total_elapsed": 2.4,
            "finished": [["trace", 0.2], ["lower", 0.1]],
            "interruptible": False,
            "warning": None,
            "equations": None,
            "loop": None,
        }
    ]


def test_a_heartbeat_that_comes_after_its_run_is_not_sent(wire, talk):
    talk.publish(run("5f0c"))
    wire.sent.clear()
    talk.progress(run="5f0c", stage="trace", elapsed=1, total_elapsed=1)
    assert wire.messages == []
    talk.progress(run="6a11", stage="trace", elapsed=1, total_elapsed=1)
    assert [message["run"] for message in wire.messages] == ["6a11"]


def test_a_failure_of_ours_is_a_sentence_in_the_panel(wire, talk):
    wire.sent.clear()
    talk.fail("jupyter_jaxpr could not build the snapshot.", "Run the cell again.", "Traceback ...")
    assert wire.messages == [
        {
            "type": "failed",
            "seq": 2,
            "text": "jupyter_jaxpr could not build the snapshot.",
            "cure": "Run the cell again.",
            "detail": "Traceback ...",
        }
    ]


def test_a_page_that_asks_gets_hello_and_the_latest_run_of_each_cell(wire, talk):
    for identifier, cell in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("c1", "c"), ("b2", "b")]:
        talk.publish(run(identifier, cell))
    wire.sent.clear()
    wire.say({"type": "resend", "protocol": 2, "version": "0.1.0"})
    assert ids(wire.messages) == [
        ("hello", 7, None),
        ("snapshot", 8, "a2"),
        ("snapshot", 9, "c1"),
        ("snapshot", 10, "b2"),
    ]


def test_the_greeting_says_which_setting_on_values_a_page_sent_last(wire, talk):
    talk.kernel.page_saves_values = False
    wire.sent.clear()
    wire.say({"type": "resend", "protocol": 2, "version": "0.1.0"})
    assert [message["saves_values"] for message in wire.messages] == [False]


def test_a_browser_of_another_version_gets_its_hello_too(wire, talk):
    wire.sent.clear()
    wire.say({"type": "resend", "protocol": 99, "build": {"of": "tomorrow"}})
    assert wire.messages == [HELLO | {"seq": 2}]


@pytest.mark.parametrize("data", [None, [], "resend", {}, {"type": "dance"}, {"type": ["resend"]}])
def test_what_the_kernel_does_not_know_is_passed_over(wire, talk, data):
    wire.sent.clear()
    wire.say(data)
    assert wire.sent == []
    wire.say({"type": "resend"})
    assert ids(wire.messages) == [("hello", 2, None)]


def test_the_last_eight_runs_may_be_asked_about(wire, talk):
    for number in range(9):
        talk.publish(run(f"r{number}", cell=f"c{number}"))
    comm_id = wire.open_requests()
    wire.sent.clear()
    wire.say(
        {"type": "scope", "id": 1, "snapshot": "r0", "scope": 0, "first_equation": 0, "equation_count": 1}, comm_id
    )
    wire.say(
        {"type": "scope", "id": 2, "snapshot": "r1", "scope": 99, "first_equation": 0, "equation_count": 1}, comm_id
    )
    assert [(message["id"], message["reason"]) for message in wire.messages] == [
        (1, "The kernel no longer holds this run: the kernel keeps the last 8 runs. Run the cell again."),
        (2, "This run does not have the requested scope. Run the cell again."),
    ]


def test_a_reply_goes_to_the_comm_that_asked(wire, talk):
    wire.open_requests("r1")
    wire.open_requests("r2")
    wire.sent.clear()
    request = {"type": "make", "snapshot": "gone", "program": 0, "level": "hlo"}
    wire.say(request | {"id": 5}, "r2")
    wire.say(request | {"id": 6}, "r1")
    assert [(identifier, data["id"]) for _, identifier, data, _ in wire.sent] == [("r2", 5), ("r1", 6)]


def test_a_front_end_without_the_labextension_closes_the_hub_for_nobody_else(wire, talk):
    """A front end without the labextension closes the hub, as it closes every comm of an unknown target.

    The kernel cannot see which page closed the hub, so it keeps the hub open.
    """
    hub = wire.hub.comm_id
    wire.close(hub)
    wire.sent.clear()
    talk.publish(run("5f0c"))
    assert [(kind, identifier) for kind, identifier, *_ in wire.sent] == [("comm_msg", hub)]
    wire.say({"type": "resend"}, hub)
    assert [message["type"] for message in wire.messages] == ["snapshot", "hello", "snapshot"]
    wire.close(hub)
    wire.close(hub)
    wire.sent.clear()
    talk.close()
    assert [(kind, identifier) for kind, identifier, *_ in wire.sent] == [("comm_close", hub)]


def test_a_page_that_leaves_takes_its_own_comm_with_it(wire, talk):
    wire.open_requests("r1")
    wire.open_requests("r2")
    wire.close("r1")
    wire.sent.clear()
    talk.close()
    assert sorted((kind, identifier == "r2") for kind, identifier, *_ in wire.sent) == [
        ("comm_close", False),  # the hub
        ("comm_close", True),
    ]


def test_unloading_closes_the_comms_and_forgets_the_runs(wire, talk):
    talk.publish(run("5f0c"))
    wire.open_requests()
    hub = wire.hub.comm_id
    talk.close()
    assert wire.manager.comms == {}
    assert wire.manager.targets == {}
    wire.sent.clear()
    talk.publish(run("6a11"))
    talk.progress(run="7b00", stage="trace", elapsed=1, total_elapsed=1)
    talk.fail("nobody hears this")
    talk.close()
    assert wire.sent == []
    # When the extension is loaded again, it opens a new hub and has no earlier runs.
    talk.open()
    assert wire.hub.comm_id != hub
    wire.take()
    wire.say({"type": "resend"})
    assert [message["type"] for message in wire.messages] == ["hello"]


def test_where_there_is_no_front_end_nothing_happens(monkeypatch):
    """In a terminal's IPython, the comm package makes comms that reach no front end."""
    manager = comm.base_comm.CommManager()
    monkeypatch.setattr(comm, "create_comm", comm.DummyComm)
    monkeypatch.setattr(comm, "get_comm_manager", lambda: manager)
    alone = Publisher(lambda: pytest.fail("nobody asked for the environment"))
    alone.open()
    alone.publish(run("5f0c"))
    alone.progress(run="6a11", stage="trace", elapsed=1, total_elapsed=1)
    alone.fail("nobody hears this")
    assert (manager.comms, manager.targets) == ({}, {})
    alone.close()


def test_a_lost_socket_never_raises(wire, talk, caplog):
    caplog.set_level("DEBUG", "jupyter_jaxpr.wire.connection_to_panel")
    wire.broken = True
    talk.publish(run("5f0c"))
    talk.progress(run="6a11", stage="trace", elapsed=1, total_elapsed=1)
    wire.say({"type": "resend"})
    talk.close()
    assert "the socket is closed" in caplog.text
    wire.broken = False
    wire.sent.clear()
    talk.open()
    assert wire.kinds == ["comm_open", "comm_msg"]


def test_where_the_environment_cannot_be_had_the_panel_is_told(wire):
    def environment():
        raise RuntimeError("no device")

    publisher = Publisher(environment)
    publisher.open()
    (failed,) = wire.messages
    assert failed["detail"].endswith("RuntimeError: no device\n")
    assert failed | {"detail": ""} == {
        "type": "failed",
        "seq": 1,
        "text": "jupyter_jaxpr could not open the connection to the panel. Your cell is not affected.",
        "cure": "Run the cell again. If jupyter_jaxpr fails again, report the failure to the developers of "
        "jupyter_jaxpr, with the details below.",
        "detail": "",
    }


def test_messages_of_the_panel_are_no_cells(wire, talk, make_notebook):
    """The default handler of a comm would trigger events, at which matplotlib flushes the figures of a running cell."""
    shell = make_notebook(extension=False).shell
    events = []
    for event in ("pre_execute", "post_execute"):
        shell.events.register(event, lambda event=event: events.append(event))
    wire.say({"type": "resend"})
    wire.say({"type": "make", "id": 1, "snapshot": "gone", "program": 0, "level": "hlo"}, wire.open_requests())
    assert [message["type"] for message in wire.messages] == ["hello", "hello", "refused"]
    assert events == []


def test_half_a_surrogate_pair_in_a_name_does_not_stop_a_message(wire, talk):
    wire.sent.clear()
    built = run("5f0c")
    talk.publish(Built(msgspec.structs.replace(built.document, title="half \ud83d"), None))
    (message,) = wire.messages
    assert message["snapshot"]["title"] == "half \ufffd"


def test_a_shell_has_one_publisher():
    class Shell:
        pass

    first, second = Shell(), Shell()
    assert publisher(first) is publisher(first)
    assert publisher(first) is not publisher(second)
