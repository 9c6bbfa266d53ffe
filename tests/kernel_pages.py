"""Starts a real kernel in its own process, and connects to it as several browser pages would."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from queue import Empty
from typing import Any

from jupyter_client.manager import KernelManager

LAST = ("answered", "refused", "confirm")  # the types of the last reply to a request
PATIENCE = 120.0  # seconds; a busy machine may need this time, and no test waits longer than necessary


class Page:
    """A connection to a kernel: sends on the shell channel, receives what the kernel broadcasts."""

    def __init__(self, manager: KernelManager) -> None:
        self.client = manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        self.heard: list[dict[str, Any]] = []

    def close(self) -> None:
        self.client.stop_channels()

    # --- sending ---

    def run(self, cell: str) -> list[dict[str, Any]]:
        """Run a cell to its end, and return the kernel's messages meanwhile."""
        start = len(self.heard)
        self.wait_until_idle(self.begin(cell))
        return self.heard[start:]

    def begin(self, cell: str, subshell: str | None = None) -> str:
        """Start a cell, and return the id of the request."""
        content = {"code": cell, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        return self.send("execute_request", content, subshell)

    def send(self, kind: str, content: dict[str, Any], subshell: str | None = None) -> str:
        message = self.client.session.msg(kind, content)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)
        identifier: str = message["header"]["msg_id"]
        return identifier

    def say(self, comm: str, data: dict[str, Any], subshell: str | None = None) -> str:
        return self.send("comm_msg", {"comm_id": comm, "data": data}, subshell)

    def open_requests(self, subshell: str | None = None) -> str:
        comm = uuid.uuid4().hex
        self.send("comm_open", {"comm_id": comm, "target_name": "jupyter_jaxpr.requests", "data": {}}, subshell)
        return comm

    def ask(self, comm: str, subshell: str | None = None, **request: Any) -> dict[str, Any]:
        """Send a request, and return its reply."""
        self.say(comm, request, subshell)
        return self.wait_for(lambda message: message["type"] in LAST and message["id"] == request["id"], comm)

    def subshell(self) -> str:
        """Return a new subshell, on which the kernel handles messages while a cell runs."""
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        reply = self.client.control_channel.get_msg(timeout=PATIENCE)
        identifier: str = reply["content"]["subshell_id"]
        return identifier

    def comms(self, target: str) -> list[str]:
        """Return the open comms of a target, as a newly loaded page finds them."""
        identifier = self.send("comm_info_request", {"target_name": target})
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == identifier:
                return list(reply["content"]["comms"])

    # --- hearing ---

    def hear(self, timeout: float = PATIENCE) -> dict[str, Any]:
        message: dict[str, Any] = self.client.get_iopub_msg(timeout=timeout)
        self.heard.append(message)
        return message

    def wait_until_idle(self, request: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            message = self.hear()
            if message["parent_header"].get("msg_id") != request or message["msg_type"] != "status":
                continue
            if message["content"]["execution_state"] == "idle":
                return
        raise TimeoutError("the cell did not end")

    def wait_for(self, expected: Callable[[dict[str, Any]], bool], comm: str | None = None) -> dict[str, Any]:
        """Return the first of our messages, received from now on, that `expected` accepts."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for message in ours([self.hear()], comm):
                if expected(message):
                    return message
        raise TimeoutError("the message did not come")

    def has_ended(self, request: str) -> bool:
        """Return whether the messages received so far include the end of a request."""
        return any(
            message["msg_type"] == "status"
            and message["content"]["execution_state"] == "idle"
            and message["parent_header"].get("msg_id") == request
            for message in self.heard
        )

    def drain(self) -> None:
        """Receive the messages that have already arrived."""
        while True:
            try:
                self.hear(timeout=0.2)
            except Empty:
                return


def ours(heard: list[dict[str, Any]], comm: str | None = None) -> list[dict[str, Any]]:
    """Return the data of the comm messages among the received messages, with buffers decoded."""
    collected = []
    for message in heard:
        if message["msg_type"] == "comm_msg" and comm in (None, message["content"]["comm_id"]):
            buffers = message["buffers"]
            collected.append(json.loads(bytes(buffers[0])) if buffers else message["content"]["data"])
    return collected


def of_type(kind: str) -> Callable[[dict[str, Any]], bool]:
    return lambda message: message["type"] == kind
