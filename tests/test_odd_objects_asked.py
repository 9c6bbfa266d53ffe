"""Tests how often the extension calls the `__repr__` of an object, and what it keeps of the object."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Notebook
from odd_cells import SETUP, check, set_up, told

from jupyter_jaxpr.observe import reprs_of_users_values

pytestmark = pytest.mark.any_jax

COUNTED = Path(__file__).parent / "odd" / "counted.py"


@pytest.fixture
def notebook(make_notebook: Callable[..., Notebook]) -> Notebook:
    return set_up(make_notebook)


@functools.cache
def counts(mode: str) -> dict[str, dict[str, int]]:
    """Run `odd/counted.py` in a mode; return for each cell how often each method of its objects was called."""
    process = subprocess.run([sys.executable, str(COUNTED), mode], capture_output=True, text=True, check=True)
    counts_by_name: dict[str, dict[str, int]] = json.loads(process.stdout.splitlines()[-1])
    return counts_by_name


def test_nothing_is_called_while_the_extension_is_merely_loaded() -> None:
    without, loaded = counts("without"), counts("loaded")
    assert len(loaded) == 18
    assert [name for name, called in loaded.items() if "by the extension" in called] == []
    # JAX 0.10 compares objects whose hashes collide in its tables; this depends on their addresses
    of_jax, with_extension = (
        {name: {method: times for method, times in called.items() if method != "eq"} for name, called in run.items()}
        for run in (without, loaded)
    )
    assert with_extension == of_jax


def test_in_an_observed_cell_each_object_is_asked_for_its_text_once() -> None:
    """JAX itself calls the `__repr__` of a dictionary's keys once in each trace, so the difference is compared."""
    without, observed = counts("without"), counts("observed")
    reprs = {name: called["most reprs of one object"] for name, called in observed.items()}
    of_jax = {name: called["most reprs of one object"] for name, called in without.items()}
    assert {name: reprs[name] - of_jax[name] for name in reprs} == {
        "a static argument": 1,
        "a static argument by keyword": 1,
        "in a tuple that is static": 1,
        "in a dataclass that is static": 1,
        "a node of a tree": 0,
        "keys of a dictionary": 1,
        "a callable object": 0,
        "a bound method": 0,
        "a partial": 1,
        "a closure": 0,
        "equinox": 1,
        "equinox, by keyword": 0,
        "pmap": 0,
        "beside the leaves of a structure that changes": 1,
        "a trace that raises": 1,
        "under grad and vmap": 1,
        "ahead of a call": 1,
        "another thread": 0,
    }
    assert {name: called["repr"] for name, called in observed.items() if "repr" in called} == {
        "a static argument": 4,
        "a static argument by keyword": 6,
        "in a tuple that is static": 1,
        "in a dataclass that is static": 1,
        "keys of a dictionary": without["keys of a dictionary"]["repr"] + 2,
        "a partial": 3,
        "equinox": 2,
        "beside the leaves of a structure that changes": 1,
        "a trace that raises": 3,
        "under grad and vmap": 1,
        "ahead of a call": 1,
    }


SLOW = """
class Slow:
    asked = []
    def __init__(self, n): self.n = n
    def __repr__(self):
        Slow.asked.append(self.n)
        clock.append(clock[-1] + (0.020 if self.n == 1 else 0.005))
        return f"Slow({self.n})"
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + c.n
"""


def test_after_a_slow_text_no_other_object_of_the_cell_is_asked(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test's clock advances only while an object makes its text."""
    clock = [0.0]
    monkeypatch.setattr(reprs_of_users_values, "SLOW", 0.010)
    monkeypatch.setattr(reprs_of_users_values, "time", SimpleNamespace(perf_counter=lambda: clock[-1]))
    notebook.shell.user_ns["clock"] = clock
    ran = notebook.run(f"%%jaxpr{SLOW}\nfor n in range(4):\n    f(x, Slow(n))")
    check(ran)
    start = "The static argument c is another Slow object: c.n changed from"
    assert told(ran)[4:] == [
        "f(x: f32[3], c=Slow(0)) compiled: This is the first call of f.",
        f"f(x: f32[3], c=Slow(1)) compiled: {start} 0 to 1.",
        f"f(x: f32[3], c=<Slow>) compiled: {start} 1 to 2.",
        f"f(x: f32[3], c=<Slow>) compiled: {start} 2 to 3.",
    ]
    assert notebook["Slow"].asked == [0, 1]
    second_run = notebook.run("%%jaxpr\nf(x, Slow(5))")
    assert second_run.programs == ["ran f(x: f32[3], c: Slow(5)) -> f32[3]: add"]


WAITS = """
class Calls:
    def __init__(self, n): self.n = n
    def __repr__(self):
        f(x, Calls(self.n + 10))  # misses, and is asked in turn
        thread = threading.Thread(target=lambda: f(jnp.ones(self.n + 4), 1.0))
        thread.start()
        thread.join()
        return f"Calls({self.n})"
    def __hash__(self): return hash(self.n)
    def __eq__(self, other): return type(other) is Calls and other.n == self.n
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
if __name__ == "__main__":
    f(x, 0)
    for n in range(2):
        f(x, Calls(n))
"""


def test_a_text_that_calls_jitted_functions_and_waits_for_a_thread_that_does(tmp_path: Path) -> None:
    """The test runs in its own process, which ends even if it hangs; the recursion of `__repr__` has a limit."""
    script = tmp_path / "script.py"
    script.write_text(
        SETUP
        + "from jupyter_jaxpr import observe\n"
        + "from jupyter_jaxpr.observe import reprs_of_users_values\nreprs_of_users_values.SLOW = 60\n"
        + WAITS.replace("f(x, Calls(self.n + 10))", "self.n < 10 and f(x, Calls(self.n + 10))").replace(
            'if __name__ == "__main__":', "with observe() as ledger:"
        )
        + 'print([(miss.signature, *map(str, miss.reasons)) for miss in ledger["f"].misses])\n'
    )
    process = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert process.stderr == ""
    assert process.stdout.strip() == str(
        [
            ("x: f32[3], c=0", "This is the first call of f."),
            ("x: f32[3], c=Calls(10)", "The static argument c changed from 0 to Calls(10)."),
            ("x: f32[3], c=Calls(0)", "The static argument c changed from Calls(10) to Calls(0)."),
            ("x: f32[3], c=Calls(11)", "The static argument c changed from Calls(0) to Calls(11)."),
            ("x: f32[3], c=Calls(1)", "The static argument c changed from Calls(11) to Calls(1)."),
        ]
    )


BEFORE_AND_IN = """
class Config:
    def __init__(self, n): self.n = n
    def __repr__(self): return f"Config({self.n})"
    def __hash__(self): return hash(self.n)
    def __eq__(self, other): return type(other) is Config and other.n == self.n
@partial(jax.jit, static_argnums=1)
def observed_later(x, c):
    return x + c.n
@partial(jax.jit, static_argnums=1)
def of_plain_values(x, c):
    return x + 1
same = Config(3)
f, g = observed_later, of_plain_values
f(x, Config(1)); f(x, Config(2)); f(x, same); f(jnp.ones(4), same)
g(x, 1); g(x, (2, "a"))
"""


def test_reasons_of_calls_that_were_not_observed_say_what_was_not_read(notebook: Notebook) -> None:
    notebook.run(BEFORE_AND_IN)
    y = "jnp.ones(5)"
    ran = notebook.run(f"%%jaxpr\nf({y}, same)\nf({y}, Config(4))\nf({y}, Config(5))\ng(x, 7)")
    check(ran)
    not_compared = (
        "The static argument c is another Config object, possibly an equal object: outside of an observed cell or "
        "block, jupyter_jaxpr does not compare Config objects."
    )
    misses = {
        function["name"]: [
            (miss["signature"], "; ".join(reason["text"] for reason in miss["reasons"])) for miss in function["misses"]
        ]
        for function in ran.document["ledger"]["functions"]
    }
    assert misses["observed_later"] == [
        ("x: f32[3], c=<Config>", "This is the first call of observed_later."),
        ("x: f32[3], c=<Config>", not_compared),
        ("x: f32[3], c=<Config>", not_compared),
        ("x: f32[4], c=<Config>", "The type of x changed from f32[3] to f32[4]."),
        ("x: f32[5], c=Config(3)", "The type of x changed from f32[4] to f32[5]."),
        ("x: f32[5], c=Config(4)", "The static argument c changed from Config(3) to Config(4)."),
        ("x: f32[5], c=Config(5)", "The static argument c changed from Config(4) to Config(5)."),
    ]
    assert misses["of_plain_values"] == [
        ("x: f32[3], c=1", "This is the first call of of_plain_values."),
        ("x: f32[3], c=(2, 'a')", "The static argument c changed from 1 to (2, 'a')."),
        ("x: f32[3], c=7", "The static argument c changed from (2, 'a') to 7."),
    ]


def test_what_is_held_of_a_static_value_keeps_nothing_alive(notebook: Notebook) -> None:
    notebook.run(BEFORE_AND_IN)
    notebook.run("import gc, weakref\nc = Config(9)\ngone = weakref.ref(c)\nf(x, c)")
    assert notebook.run("%%jaxpr\nf(jnp.ones(4), c)").programs == [
        "ran observed_later(x: f32[4], c: Config(9)) -> f32[4]: add"
    ]
    notebook.run("jax.clear_caches(); del c, f; gc.collect()")
    assert notebook["gone"]() is None
