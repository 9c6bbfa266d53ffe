"""Runs the cells of faults in a plain IPython shell or in a notebook's kernel, which are separate processes."""

from __future__ import annotations

import ast
import json
import os
import select
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conftest import Kernel, contents

HERE = Path(__file__).parent
SETUP = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import state_of_ours
import jax, jax.numpy as jnp
x = jnp.arange(3.0)
@jax.jit
def f(y):
    return y * 2
"""
LOAD = "%load_ext jupyter_jaxpr\n%config JaxprMagics.output = False\nstate_of_ours.watch_panel(get_ipython())"
# A cell whose calls all hit JAX's cache; its value is the number of calls of this package's functions meanwhile.
FULL_SPEED = """
import state_of_ours
def hits():
    for _ in range(20):
        f(x)
f(x)
state_of_ours.frames_in(hits)
"""
ANSWER_SECONDS = 600  # seconds; two busy cores need more than two minutes to trace 100,000 equations


class Shell:
    """A plain IPython shell in its own process."""

    def __init__(self) -> None:
        read_end, write_end = os.pipe()
        self.read, theirs_too = os.pipe()
        command = [sys.executable, str(HERE / "shell.py"), str(read_end), str(theirs_too)]
        self.process = subprocess.Popen(command, pass_fds=(read_end, theirs_too), stderr=subprocess.PIPE)
        os.close(read_end)
        os.close(theirs_too)
        self.requests = os.fdopen(write_end, "w")
        self.replies = os.fdopen(self.read)

    def run(self, code: str, store: bool = True) -> dict[str, Any]:
        self.requests.write(json.dumps({"code": code, "store": store}) + "\n")
        self.requests.flush()
        ready, _, _ = select.select([self.read], [], [], ANSWER_SECONDS)
        assert ready, f"The shell does not answer: {code}"
        line = self.replies.readline()
        assert line, f"The shell died: {self.process.communicate()[1].decode()[-2000:]}"
        return dict(json.loads(line))

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.requests.close()
        self.replies.close()


class KernelPlace:
    """Runs code in the kernel of a notebook."""

    def __init__(self) -> None:
        self.kernel = Kernel()

    def run(self, code: str, store: bool = True) -> dict[str, Any]:
        messages = self.kernel.run(code)
        values = [content["data"]["text/plain"] for content in contents(messages, "execute_result")]
        errors = [f"{content['ename']}: {content['evalue']}" for content in contents(messages, "error")]
        text = dict.fromkeys(("stdout", "stderr"), "")
        for content in contents(messages, "stream"):
            text[content["name"]] += content["text"]
        for content in contents(messages, "error"):
            text["stderr"] += "\n".join(content["traceback"])
        return {**text, "value": values[0] if values else None, "error": errors[0] if errors else None}

    def stop(self) -> None:
        self.kernel.stop()


PLACES = {"shell": Shell, "kernel": KernelPlace}


class Pair:
    """Two shells or two kernels, of which one has loaded the extension."""

    def __init__(self, kind: str) -> None:
        def start(load: str) -> Any:
            place = PLACES[kind]()
            for cell in (SETUP, load):
                assert place.run(cell)["error"] is None
            return place

        with ThreadPoolExecutor() as threads:
            self.observed, self.plain = threads.map(start, (LOAD, "# the cell that loads"))

    def stop(self) -> None:
        self.observed.stop()
        self.plain.stop()


def asked(place: Any) -> dict[str, Any]:
    """Return the result of `state_of_ours.told`, called in the process of the shell or the kernel."""
    reply = place.run("import state_of_ours\nrepr(state_of_ours.told(get_ipython()))")
    return dict(ast.literal_eval(ast.literal_eval(reply["value"])))
