"""Tests unusual objects that cells pass to JAX: the document of their cell and of each later cell is complete.

The objects are names that are no plain `str`, texts of any length, and values whose `__repr__` raises, waits or calls
jitted functions. If the extension is only loaded, it calls no method of these objects; in an observed cell it calls
the `__repr__` of each object once.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

import jax
import numpy as np
import pytest
from conftest import Notebook
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from odd_cells import check, clean, set_up, told

from jupyter_jaxpr.build.document_of_run import build
from jupyter_jaxpr.build.versions_and_devices import environment
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.encoding import encode, refused
from jupyter_jaxpr.document.types.document import Level
from jupyter_jaxpr.document.types.struct import Struct
from jupyter_jaxpr.observe.process_observer import observer
from jupyter_jaxpr.plain_text import Limit

pytestmark = pytest.mark.any_jax


@pytest.fixture
def notebook(make_notebook: Callable[..., Notebook]) -> Notebook:
    return set_up(make_notebook)


# name of the case: (a cell with an unusual function f or object, the cell's result under the magic)
ODD = {
    "a name of NumPy's": (
        """
def f(x):
    return x + 1
f.__name__ = np.array(["layer0"])[0]
jax.jit(f)(x)
""",
        ["ran layer0(x: f32[3]) -> f32[3]: add", "layer0(x: f32[3]) compiled: This is the first call of layer0."],
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
            f"{'f' * 199}…(x: f32[3]) compiled: This is the first call of {'f' * 199}….",
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
            r"g(x: f32[3], c='\ud800') compiled: This is the first call of g.",
        ],
    ),
    "a file whose name is of a class of one's own": (
        """
code = compile("@jax.jit\\ndef f(x):\\n    return x + 1\\nf(x)", Text("own.py"), "exec")
exec(code, globals())
""",
        ["ran f(x: f32[3]) -> f32[3]: add", "f(x: f32[3]) compiled: This is the first call of f."],
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
            "f(a: f32[3], n: f32[] weak) compiled: This is the first call of f.",
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
            "f(d[np.str_('a')]: f32[3]) compiled: This is the first call of f that did not raise an error.",
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
        ["ran f(argument 0: f32[3]) -> f32[3]: add", "f(argument 0: f32[3]) compiled: This is the first call of f."],
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
        ["ran Call(x: f32[3]) -> f32[3]: add", "Call(x: f32[3]) compiled: This is the first call of Call."],
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
            "f(x: f32[3], c=<Raises>) compiled: This is the first call of f.",
            "f(x: f32[3], c=<NoText>) compiled: The static argument c changed from <Raises> to <NoText>.",
            "f(x: f32[3], c=<Exits>) compiled: The static argument c changed from <NoText> to <Exits>.",
            "f(x: f32[3], c=own) compiled: The static argument c changed from <Exits> to own.",
            "f(x: f32[3], c=long long long long long long long long long long long long…) compiled: "
            "The static argument c changed from own to long long long long long long long long long long long long….",
            "f(x: f32[3], c=own) compiled: The static argument c is a new Own object that does not equal the earlier "
            "object.",
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
            "f(leaf 0: f32[3]) compiled: This is the first call of f.",
            "f(leaf 0: f32[4]) compiled: The type of leaf 0 changed from f32[3] to f32[4].",
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
        [
            "ran f(x: f32[3]) -> f32[3]: iota convert_element_type add add",
            "f(x: f32[3]) compiled: This is the first call of f.",
        ],
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
            "f(x: f32[3], c=<Raises>) compiled: This is the first call of f.",
            "f(x: f32[4], c=<Raises>) compiled: The type of x changed from f32[3] to f32[4].",
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
            "<lambda>(x: f32[3]) compiled: This is the first call of <lambda>.",
        ],
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_object_is_told_of_and_the_next_cell_is_whole(notebook: Notebook, name: str) -> None:
    odd, expected = ODD[name]
    built = notebook.builds()
    ran = notebook.run(f"%%jaxpr{odd}")
    check(ran)
    if expected is not None:
        assert told(ran) == expected
    assert notebook.run(odd).result.success  # runs the cell without the magic, with the extension loaded
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


# --- random names, values and keys ------------------------------------------------------------------------


class Own(str):
    """A subclass of `str`, as a user may define one."""


class Odd:
    """An object whose `__repr__` returns this text or raises this error."""

    def __init__(self, message: object) -> None:
        self.says = message

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
            with contextlib.suppress(Exception):  # JAX may refuse such an object, also without this package
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
    """Yield every text in a part of a document, except the texts of levels, which JAX prints."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from texts_in(element)
    elif isinstance(value, Struct) and not isinstance(value, Level):
        for name in value.__struct_fields__:
            yield from texts_in(getattr(value, name))
