"""Objects that no one expects, given to JAX: their cell, and every later one, is shown whole.

Names that are no plain `str`, texts of any length, values whose `__repr__` raises, waits or calls jitted functions.
Nothing is called of them while the extension is merely loaded; in an observed cell each is asked once.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook, Ran
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_jaxpr import observe
from jupyter_jaxpr.build import ledger as ledger_build
from jupyter_jaxpr.build import notes
from jupyter_jaxpr.build.build import build
from jupyter_jaxpr.build.environment import environment
from jupyter_jaxpr.build.programs import ProgramBuilder
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.encoding import encode, refused
from jupyter_jaxpr.document.text import program_text
from jupyter_jaxpr.document.types.document import Level
from jupyter_jaxpr.document.types.struct import Struct
from jupyter_jaxpr.observe import value_texts
from jupyter_jaxpr.observe.cache import miss_reasons as causes
from jupyter_jaxpr.observe.process_observer import observer
from jupyter_jaxpr.plain_text import Limit

pytestmark = pytest.mark.any_jax

COUNTED = Path(__file__).parent / "odd" / "counted.py"

SETUP = """
import collections, dataclasses, enum, functools, threading
import jax, jax.numpy as jnp, numpy as np
from functools import partial
x = jnp.ones(3)
class Text(str): pass
class Hostile(str):
    def __getitem__(self, key): raise RuntimeError("asked")
    def __len__(self): raise RuntimeError("asked")
    def __format__(self, spec): raise RuntimeError("asked")
    def __str__(self): raise RuntimeError("asked")
"""

_numbers = itertools.count()


def clean() -> tuple[str, list[str]]:
    """Return a cell with nothing odd, a function that no other test uses, and the result of the cell."""
    name = f"clean_{next(_numbers)}"
    cell = f"%%jaxpr\n@jax.jit\ndef {name}(x):\n    return x * 2\n{name}(x)"
    return cell, [f"ran {name}(x: f32[3]) -> f32[3]: mul", f"{name}(x: f32[3]) compiled: first call of {name}"]


@pytest.fixture
def notebook(make_notebook: Callable[..., Notebook]) -> Notebook:
    made = make_notebook()
    made.run(SETUP)
    return made


def told(ran: Ran) -> list[str]:
    """Return the programs of a cell, the ledger's text of each miss of this run, and the failures."""
    found = list(ran.programs)
    for function in ran.document["ledger"]["functions"]:
        for miss in function["misses"]:
            if miss["this_run"]:
                reasons = "; ".join(reason["text"] for reason in miss["reasons"])
                found.append(f"{function['name']}({miss['signature']}) {miss['outcome']}: {reasons}")
    return found + [note["text"] for note in ran.document["notes"] if note["kind"] == "failed"]


def check(ran: Ran) -> None:
    """Check that the cell ran, that this package did not fail, and that the document is safe to show."""
    assert ran.result.success, ran.result.error_in_exec
    assert ran.stderr == ""
    read(ran.document)


# (the cell, its result under the magic); f is the odd function of each cell.
ODD = {
    "a name of NumPy's": (
        """
def f(x):
    return x + 1
f.__name__ = np.array(["layer0"])[0]
jax.jit(f)(x)
""",
        ["ran layer0(x: f32[3]) -> f32[3]: add", "layer0(x: f32[3]) compiled: first call of layer0"],
    ),
    "a name of a million letters": (
        """
def f(x):
    return x + 1
f.__name__ = "f" * 1_000_000
jax.jit(f)(x)
""",
        [
            f"ran {'f' * 199}…(x: f32[3]) -> f32[3]: add",
            f"{'f' * 199}…(x: f32[3]) compiled: first call of {'f' * 199}…",
        ],
    ),
    "a name that is half a letter": (
        """
def f(x):
    return x + 1
f.__qualname__ = np.str_("\\ud800")
@partial(jax.jit, static_argnums=1)
def g(x, c):
    return f(x)
g(x, "\\ud800")
""",
        [
            r"ran g(x: f32[3], c: '\ud800') -> f32[3]: add",
            r"g(x: f32[3], c='\ud800') compiled: first call of g",
        ],
    ),
    "a file whose name is of a class of one's own": (
        """
code = compile("@jax.jit\\ndef f(x):\\n    return x + 1\\nf(x)", Text("own.py"), "exec")
exec(code, globals())
""",
        [
            "ran f(x: f32[3]) -> f32[3]: add",
            "f(x: f32[3]) compiled: second function object of f from line 1: make the function once",
        ],
    ),
    "keyword arguments whose names are of a class of one's own": (
        """
@jax.jit
def f(*, a, n):
    return a + n
f(**{np.str_("a"): x, Text("n"): 2.0})
""",
        [
            "ran f(a: f32[3], n: f32[] weak) -> f32[3]: convert_element_type add",
            "f(a: f32[3], n: f32[] weak) compiled: first call of f",
        ],
    ),
    "keys of a dictionary": (
        """
class Key(str):
    __hash__ = str.__hash__
    def __repr__(self): raise RuntimeError("asked")
@jax.jit
def f(d):
    return d["a"] + 1
try:
    f({Key("a"): x})
except RuntimeError:  # JAX's own
    f({np.str_("a"): x})
""",
        [
            "ran f(d: {a: f32[3]}) -> f32[3]: add",
            "f(d[<Key>]: f32[3]) raised: ",
            "f(d[np.str_('a')]: f32[3]) compiled: first call of f",
        ],
    ),
    "a name that is no text": (
        """
class Call:
    __name__ = 5
    def __call__(self, x): return x + 1
def f(x):
    return x + 1
f.__wrapped__ = 7
jax.jit(f)(x)
""",
        ["ran f(argument 0: f32[3]) -> f32[3]: add", "f(argument 0: f32[3]) compiled: first call of f"],
    ),
    "a name that is a property": (
        """
class Call:
    @property
    def __name__(self): return "of_property"
    def __call__(self, x): return x + 1
f = Call()
jax.jit(f)(x)
""",
        ["ran Call(x: f32[3]) -> f32[3]: add", "Call(x: f32[3]) compiled: first call of Call"],
    ),
    "static values that print badly": (
        """
class Raises:
    def __repr__(self): raise RuntimeError("no text")
class NoText:
    def __repr__(self): return 5
class Exits:
    def __repr__(self): raise SystemExit
class Long:
    def __repr__(self): return "long " * 20_000_000
class Own:
    def __repr__(self): return Hostile("own")
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
for c in (Raises(), NoText(), Exits(), Own(), Long(), Own()):
    f(x, c)
""",
        [
            "ran f(x: f32[3], c: <Raises>) -> f32[3]: add",
            "ran f(x: f32[3], c: <NoText>) -> f32[3]: add",
            "ran f(x: f32[3], c: <Exits>) -> f32[3]: add",
            "ran f(x: f32[3], c: own) -> f32[3]: add",
            "ran f(x: f32[3], c: long long long long long long long long long long long long…) -> f32[3]: add",
            "ran f(x: f32[3], c: own) -> f32[3]: add",
            "f(x: f32[3], c=<Raises>) compiled: first call of f",
            "f(x: f32[3], c=<NoText>) compiled: the static argument c changed from <Raises> to <NoText>",
            "f(x: f32[3], c=<Exits>) compiled: the static argument c changed from <NoText> to <Exits>",
            "f(x: f32[3], c=own) compiled: the static argument c changed from <Exits> to own",
            "f(x: f32[3], c=long long long long long long long long long long long long…) compiled: "
            "the static argument c changed from own to long long long long long long long long long long long long…",
            "f(x: f32[3], c=own) compiled: "
            "the static argument c changed from long long long long long long long long long long long long… to own",
        ],
    ),
    "static values of many kinds": (
        """
class Mode(enum.Enum):
    TRAIN = 1
class Width(enum.IntEnum):
    WIDE = 4
Pair = collections.namedtuple("Pair", "a b")
@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    width: int
    name: str = "long" * 100
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
for c in (np.float32(1.5), Mode.TRAIN, Width.WIDE, Pair(1, "z"), Config(3), jnp.tanh, 10**5000, float("nan"), np.int8,
          np.dtype("bfloat16"), (1, (2, "q")), b"bytes", "s" * 10_000_000, None, ..., print, Mode, Config.__repr__):
    f(x, c)
""",
        None,
    ),
    "a tree that cannot be built of types": (
        """
class Strict:
    def __init__(self, a):
        if type(a) is int: raise RuntimeError("no integers")
        self.a = a
jax.tree_util.register_pytree_node(Strict, lambda node: ((node.a,), Text("aux")), lambda aux, c: Strict(*c))
@jax.jit
def f(node):
    return node.a + 1
f(Strict(x))
f(Strict(jnp.ones(4)))
""",
        [
            "ran f(node: Strict([<flat index 0>]: f32[3])) -> f32[3]: add",
            "ran f(node: Strict([<flat index 0>]: f32[4])) -> f32[4]: add",
            "f(leaf 0: f32[3]) compiled: first call of f",
            "f(leaf 0: f32[4]) compiled: the type of leaf 0 changed from f32[3] to f32[4]",
        ],
    ),
    "named scopes, axes and primitives": (
        """
@jax.jit
def f(x):
    with jax.named_scope(np.str_("scope" * 1000)):
        x = jax.vmap(lambda a: a + jax.lax.axis_index(Text("axis")), axis_name=Text("axis"))(x)
    return x + 1
f(x)
""",
        ["ran f(x: f32[3]) -> f32[3]: iota convert_element_type add add", "f(x: f32[3]) compiled: first call of f"],
    ),
    "attributes that raise": (
        """
class Raises:
    def __getattribute__(self, name): raise RuntimeError(name)
    def __hash__(self): return 1
    def __eq__(self, other): raise RuntimeError("eq")
held = Raises()
@partial(jax.jit, static_argnums=1)
def f(x, c):
    return x + 1
f(x, held)
f(jnp.ones(4), held)
""",
        [
            "ran f(x: f32[3], c: <Raises>) -> f32[3]: add",
            "ran f(x: f32[4], c: <Raises>) -> f32[4]: add",
            "f(x: f32[3], c=<Raises>) compiled: first call of f",
            "f(x: f32[4], c=<Raises>) compiled: the type of x changed from f32[3] to f32[4]",
        ],
    ),
    "an error that says nothing": (
        """
class Silent(Exception):
    def __str__(self): raise RuntimeError("asked")
@jax.jit
def f(x):
    raise Silent
try:
    f(x)
except Silent:
    pass
g = jax.jit(lambda x: x + 1)
g(x)
""",
        [
            "ran <lambda>(x: f32[3]) -> f32[3]: add",
            "f(x: f32[3]) raised: ",
            "<lambda>(x: f32[3]) compiled: first call of <lambda>",
        ],
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_object_is_told_of_and_the_next_cell_is_whole(notebook: Notebook, name: str) -> None:
    odd, expected = ODD[name]
    built = notebook.builds()
    assert notebook.run(odd).result.success  # run the cell with only the extension loaded
    ran = notebook.run(f"%%jaxpr{odd}")
    check(ran)
    if expected is not None:
        assert told(ran) == expected
    cell, expected = clean()
    ran = notebook.run(cell)
    check(ran)
    assert told(ran) == expected
    assert [refused(built_run.document) for built_run in built] == [None, None]


def test_static_values_of_many_kinds_are_read_without_asking_more_than_once(notebook: Notebook) -> None:
    cell, _ = ODD["static values of many kinds"]
    ran = notebook.run(f"%%jaxpr{cell}")
    long = "long" * 14
    assert [program.partition("c: ")[2].partition(") ->")[0] for program in ran.programs] == [
        "np.float32(1.5)",
        "<Mode.TRAIN: 1>",
        "<Width.WIDE: 4>",
        "Pair(a=1, b='z')",
        f"Config(width=3, name='{long[:37]}…",
        "<tanh>",
        "<int of 16610 bits>",
        "nan",
        "<class 'numpy.int8'>",
        "dtype(bfloat16)",
        "(1, (2, 'q'))",
        "b'bytes'",
        f"'{'s' * 58}…",
        "None",
        "Ellipsis",
        "<built-in function print>",
        "<class '__main__.Mode'>",
        "<Config.__repr__>",
    ]


# --- calls of the user's methods -------------------------------------------------------------------------


def counts(mode: str) -> dict[str, dict[str, int]]:
    """Return the number of calls of each method in each cell of `odd/counted.py`."""
    done = subprocess.run([sys.executable, str(COUNTED), mode], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, int]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_nothing_is_called_while_the_extension_is_merely_loaded() -> None:
    without, loaded = counts("without"), counts("loaded")
    assert len(loaded) == 18
    assert [name for name, called in loaded.items() if "by the extension" in called] == []
    for called in (*without.values(), *loaded.values()):
        called.pop("eq", None)  # JAX 0.10 itself compares neighbours in its table, which depend on addresses
    assert loaded == without


def test_in_an_observed_cell_each_object_is_asked_for_its_text_once() -> None:
    """JAX itself calls the `__repr__` of a dictionary's keys once a trace."""
    without, observed = counts("without"), counts("observed")
    most = {name: called["most reprs of one object"] for name, called in observed.items()}
    of_jax = {name: called["most reprs of one object"] for name, called in without.items()}
    assert {name: most[name] - of_jax[name] for name in most} == {
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
    """The clock moves only when a text is made."""
    clock = [0.0]
    monkeypatch.setattr(value_texts, "SLOW", 0.010)
    monkeypatch.setattr(value_texts, "time", SimpleNamespace(perf_counter=lambda: clock[-1]))
    notebook.shell.user_ns["clock"] = clock
    ran = notebook.run(f"%%jaxpr{SLOW}\nfor n in range(4):\n    f(x, Slow(n))")
    check(ran)
    other = "the static argument c is another Slow object: c.n changed from"
    assert told(ran)[4:] == [
        "f(x: f32[3], c=Slow(0)) compiled: first call of f",
        f"f(x: f32[3], c=Slow(1)) compiled: {other} 0 to 1",
        f"f(x: f32[3], c=<Slow>) compiled: {other} 1 to 2",
        f"f(x: f32[3], c=<Slow>) compiled: {other} 2 to 3",
    ]
    assert notebook["Slow"].asked == [0, 1]
    again = notebook.run("%%jaxpr\nf(x, Slow(5))")
    assert again.programs == ["ran f(x: f32[3], c: Slow(5)) -> f32[3]: add"]


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
    """The test runs in its own process, which is ended if it hangs; an endless `repr` stops at a depth."""
    script = tmp_path / "script.py"
    script.write_text(
        SETUP
        + "from jupyter_jaxpr import observe\n"
        + "from jupyter_jaxpr.observe import value_texts\nvalue_texts.SLOW = 60\n"
        + WAITS.replace("f(x, Calls(self.n + 10))", "self.n < 10 and f(x, Calls(self.n + 10))").replace(
            'if __name__ == "__main__":', "with observe() as ledger:"
        )
        + 'print([(miss.signature, *map(str, miss.reasons)) for miss in ledger["f"].misses])\n'
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    assert done.stdout.strip() == str(
        [
            ("x: f32[3], c=0", "first call of f"),
            ("x: f32[3], c=Calls(10)", "the static argument c changed from 0 to Calls(10)"),
            ("x: f32[3], c=Calls(0)", "the static argument c changed from Calls(10) to Calls(0)"),
            ("x: f32[3], c=Calls(11)", "the static argument c changed from Calls(0) to Calls(11)"),
            ("x: f32[3], c=Calls(1)", "the static argument c changed from Calls(11) to Calls(1)"),
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
        "the static argument c is another Config object, possibly an equal one: outside of an observed cell or block, "
        "jupyter_jaxpr does not compare Config objects"
    )
    misses = {
        function["name"]: [
            (miss["signature"], "; ".join(reason["text"] for reason in miss["reasons"])) for miss in function["misses"]
        ]
        for function in ran.document["ledger"]["functions"]
    }
    assert misses["observed_later"] == [
        ("x: f32[3], c=<Config>", "first call of observed_later"),
        ("x: f32[3], c=<Config>", not_compared),
        ("x: f32[3], c=<Config>", not_compared),
        ("x: f32[4], c=<Config>", "the type of x changed from f32[3] to f32[4]"),
        ("x: f32[5], c=Config(3)", "the type of x changed from f32[4] to f32[5]"),
        ("x: f32[5], c=Config(4)", "the static argument c changed from Config(3) to Config(4)"),
        ("x: f32[5], c=Config(5)", "the static argument c changed from Config(4) to Config(5)"),
    ]
    assert misses["of_plain_values"] == [
        ("x: f32[3], c=1", "first call of of_plain_values"),
        ("x: f32[3], c=(2, 'a')", "the static argument c changed from 1 to (2, 'a')"),
        ("x: f32[3], c=7", "the static argument c changed from (2, 'a') to 7"),
    ]


def test_what_is_held_of_a_static_value_keeps_nothing_alive(notebook: Notebook) -> None:
    notebook.run(BEFORE_AND_IN)
    notebook.run("import gc, weakref\nc = Config(9)\ngone = weakref.ref(c)\nf(x, c)")
    assert notebook.run("%%jaxpr\nf(jnp.ones(4), c)").programs == [
        "ran observed_later(x: f32[4], c: Config(9)) -> f32[4]: add"
    ]
    notebook.run("jax.clear_caches(); del c, f; gc.collect()")
    assert notebook["gone"]() is None


# --- objects that cannot be described -----------------------------------------------------------------------------


def test_an_equation_that_cannot_be_read_says_why_and_hides_no_other(notebook: Notebook) -> None:
    ran = notebook.run(
        """%%jaxpr
from jax.extend.core import Primitive
class Raises:
    def __hash__(self): return 1
    def __eq__(self, other): return True
    @property
    def jaxpr(self): raise RuntimeError("no program")
    def __str__(self): raise RuntimeError("no text")
odd = Primitive(np.str_("odd"))
odd.def_abstract_eval(lambda x, **params: x)
odd.def_impl(lambda x, **params: x)
jax.interpreters.mlir.register_lowering(odd, lambda ctx, x, **params: [x])
@jax.jit
def f(x):
    y = odd.bind(x + 1, held=Raises(), **{"n" * 300: Text("t")})
    return y * 2
f(x)"""
    )
    check(ran)
    assert told(ran) == ["ran f(x: f32[3]) -> f32[3]: add odd mul", "f(x: f32[3]) compiled: first call of f"]
    assert program_text(read(ran.document), 0).splitlines()[2] == (f"  c:f32[3] = odd[held=<Raises> {'n' * 300}=t] b")


def test_each_part_that_cannot_be_described_says_so(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every room fails on the functions named bad; everything else is shown."""

    def fails_on(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def guarded(*given: object, **named: object) -> object:
            if any(getattr(each, "name", getattr(each, "function", None)) == name for each in given):
                raise RuntimeError(f"no {name}")
            return function(*given, **named)

        return guarded

    monkeypatch.setattr(ProgramBuilder, "program", fails_on("bad_program", ProgramBuilder.program))
    monkeypatch.setattr(ledger_build, "_function", fails_on("bad_ledger", ledger_build._function))
    monkeypatch.setattr(notes, "printed_notes", lambda walk, printed, programs: 1 / 0)
    ran = notebook.run(
        """%%jaxpr
@jax.jit
def bad_program(x):
    return x + 1
@jax.jit
def bad_ledger(x):
    return x + 2
@jax.jit
def bad_note(x):
    print("traced")
    return x + 3
bad_program(x), bad_ledger(x), bad_note(x)"""
    )
    rest = "The rest of the run is complete; the cell itself ran as always."
    assert told(ran) == [
        "ran bad_ledger(x: f32[3]) -> f32[3]: add",
        "ran bad_note(x: f32[3]) -> f32[3]: add",
        "bad_program(x: f32[3]) compiled: first call of bad_program",
        "bad_note(x: f32[3]) compiled: first call of bad_note",
        f"A program of bad_program could not be described, RuntimeError: no bad_program. {rest}",
        f"bad_ledger in the cache could not be described, RuntimeError: no bad_ledger. {rest}",
        f"A note could not be described, ZeroDivisionError: division by zero. {rest}",
    ]


def test_a_miss_that_cannot_be_compared_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*given: object) -> object:
        raise RuntimeError("no words")

    @jax.jit
    def f(x: object) -> object:
        return x

    with observe() as ledger:
        f(1.0)
        f(jnp.ones(2))
        monkeypatch.setattr(causes, "closest", raises)
        monkeypatch.setattr(sys.modules["jupyter_jaxpr.observe.cache.ledger"], "signature_text", raises)
    assert [(miss.signature, *map(str, miss.reasons)) for miss in ledger["f"].misses] == [
        ("could not be described, RuntimeError: no words", "first call of f"),
        (
            "could not be described, RuntimeError: no words",
            "the reason is unknown: the difference could not be described, RuntimeError: no words",
        ),
    ]


def test_a_document_with_what_should_not_be_there_is_encoded_and_says_so() -> None:
    class Text(str):
        pass

    assert refused({"a": [1, 2.5, "x", None, "\ud800"]}) is None
    bad = {
        "text": Text("own"),
        "number": np.int64(3),
        "half": float("nan"),
        "object": object(),
        "cut": "\ud800",
        "flag": np.True_,
    }
    assert refused(bad) == "could not be described, TypeError: Encoding objects of type Text is unsupported"
    assert json.loads(encode(bad)) == {
        "text": "own",
        "number": 3,
        "half": None,
        "object": "<object: could not be described, TypeError: the value is not plain data>",
        "cut": "\ufffd",
        "flag": True,
    }


# --- any object -------------------------------------------------------------------------------------------


class Own(str):
    """A text of a class of the user's."""


class Odd:
    """An object with the text that the test gives it."""

    def __init__(self, says: object) -> None:
        self.says = says

    def __repr__(self) -> str:
        if isinstance(self.says, type) and issubclass(self.says, BaseException):
            raise self.says
        return self.says  # type: ignore[return-value]  # Python checks


texts = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=()), max_size=40),
    st.text(max_size=10).map(Own),
    st.text(max_size=10).map(np.str_),
    st.sampled_from([1, 400, 20_000]).map(lambda length: "long " * length),
)
plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.binary(max_size=100))
odd = st.one_of(
    texts.map(Odd),
    st.sampled_from([5, ValueError, SystemExit]).map(Odd),
    st.sampled_from([np.float32(1), print, Odd, np.int8]),
)
values = st.recursive(st.one_of(plain, odd), lambda inside: st.lists(inside, max_size=3).map(tuple), max_leaves=6)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=texts, static=values, key=texts, printed=texts)
def test_any_names_values_and_keys_give_a_document_that_is_plain_and_valid(
    name: str, static: object, key: str, printed: str
) -> None:
    def f(tree: dict[str, jax.Array], c: object) -> jax.Array:
        sys.stdout.write(printed)
        with jax.named_scope("scope"):
            return next(iter(tree.values())) + 1

    f.__name__ = name
    f.__qualname__ = name
    jitted = jax.jit(f, static_argnums=1)
    run = observer().begin(file="cell.py")
    try:
        for _ in range(2):
            with contextlib.suppress(Exception):  # JAX refuses such an object without this package, too
                jitted({key: np.ones(3, np.float32)}, static)
            with contextlib.suppress(Exception):
                jitted({key: np.ones(4, np.float32)}, static)
    finally:
        observation = observer().end(run)
    assert observation.failures == []
    document = build(observation, None, environment=environment(), run_id="odd").document
    assert [note.text for note in document.notes if note.kind == "failed"] == []
    assert refused(document) is None
    read(encode(document))
    assert all(len(text) <= Limit.POOLED for text in document.strings)
    assert all(len(text) <= 1_000 for text in texts_in(document.programs))
    assert all(len(text) <= 1_000 for text in texts_in(document.ledger))


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a part of a document, without the texts of its levels, which are JAX's own."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, Struct) and not isinstance(value, Level):
        for name in value.__struct_fields__:
            yield from texts_in(getattr(value, name))
