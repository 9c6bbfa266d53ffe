"""Tests the types beside the code: the types that names had while JAX traced."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from types import FrameType
from typing import Any

import jax
import pytest
from conftest import Notebook

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.read.named_types_for_scripts import shortened, types_of
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

needs_lines = pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not show the lines that run")


def shown(document: dict[str, Any]) -> list[str]:
    """Return the types beside the code, a line for each: `line:column name: types`."""
    types = types_of(read(document), document["focus"])
    return [f"{at.line}:{at.column} {at.name}: {' · '.join([', '.join(at.types), *at.marks])}" for at in types]


STORY = """\
%%jaxpr
import functools
from typing import NamedTuple
class State(NamedTuple):
    mean: jax.Array
    steps: int

def loss(q):
    e = jnp.exp(q)
    return e.sum()

def layer(p, h):
    pre = h @ p["w"] + p["b"]
    return jnp.tanh(pre)

@functools.partial(jax.jit, static_argnames="scale")
def f(x, *, scale=2):
    h = x
    p = {"b": x, "w": jnp.ones((4, 4))}
    for _ in range(2):
        h = layer(p, h)
    def step(c, row):
        new = c + row
        return new, c * row
    total, ys = jax.lax.scan(step, 0.0, h)
    if scale > 2:
        never = h
    state = State(total, 3)
    a = b = h * scale; c = a
    c = c; c = a + 1
    d = (
        a,
        b)
    wide = jnp.concatenate([h, h]) if scale else h
    g = jax.grad(loss)(h)
    rows = jax.vmap(loss)(jnp.ones((3, 4)))
    text = f"{scale}"
    del a
    return state.mean, ys, g, rows, wide, d
f(x[:4])"""

STORY_TYPES = [
    "8:9 q: f32[4]",
    "9:4 e: f32[4]",
    "10:4 return: f32[]",
    "12:10 p: {'b': f32[4], 'w': f32[4,4]}",
    "12:13 h: f32[4]",
    "13:4 pre: f32[4]",
    "14:4 return: f32[4]",
    "17:6 x: f32[4]",
    "18:4 h: f32[4]",
    "19:4 p: {'b': f32[4], 'w': f32[4,4]}",
    "21:8 h: f32[4]",
    "22:13 c: f32[]{weak} · carry, 4 steps",
    "22:16 row: f32[] · xs, 4 steps",
    "23:8 new: f32[]",
    "24:8 return: (f32[], f32[])",
    "25:4 total: f32[] · carry, 4 steps",
    "25:11 ys: f32[4] · ys, 4 steps",
    "28:4 state: State(mean=f32[], steps=int)",
    "29:4 a: f32[4]",
    "29:8 b: f32[4]",
    "29:23 c: f32[4]",
    "31:4 d: (f32[4], f32[4])",
    "34:4 wide: f32[8]",
    "35:4 g: f32[4]",
    "36:4 rows: f32[3]",
    "39:4 return: (f32[], f32[4], f32[4], f32[3], f32[8], (f32[4], f32[4]))",
]


@needs_lines
def test_each_name_has_the_type_that_it_had_in_the_trace(notebook: Notebook) -> None:
    """Names on unreached lines, names that a line stores twice, and Python's numbers and texts have no type."""
    assert shown(notebook.run(STORY).document) == STORY_TYPES


LOOPS = """\
%%jaxpr
@jax.jit
def f(x, n):
    def step(c, row):
        return c + row, {"row": row * 2}
    total, ys = jax.lax.scan(step, 0.0, x)
    again = total
    both = jax.lax.scan(step, 0.0, x)
    def double(i, v):
        w = v * 2
        return w
    five = jax.lax.fori_loop(0, 5, double, x)
    some = jax.lax.fori_loop(0, n, double, x)
    i, last = jax.lax.while_loop(lambda s: s[0] < n,
                                 lambda s: (s[0] + 1, s[1] * 2), (0, x))
    rows = jax.lax.map(lambda r: r + 1, x)
    ends = jax.vmap(lambda r: jax.lax.fori_loop(0, 3, double, r))(x)
    half = x.astype(jnp.bfloat16)
    wide = half * x
    scaled = jnp.arange(3) * 2.5
    asked = jnp.sum(half, dtype=jnp.float32)
    chosen = jax.lax.cond(total > 0, lambda v: v, lambda v: v * 2, x)
    small = jnp.zeros(2, jnp.int8)
    taken = jnp.arange(9)[small]
    return total + five
f(x, 3)"""

LOOPS_TYPES = [
    "3:6 x: f32[8]",
    "3:9 n: i32[]{weak}",
    "4:13 c: f32[]{weak} · carry, 8 steps",
    "4:16 row: f32[] · xs, 8 steps",
    "5:8 return: (f32[], {'row': f32[]})",
    "6:4 total: f32[] · carry, 8 steps",
    "6:11 ys: {'row': f32[8]} · ys, 8 steps",
    "7:4 again: f32[] · carry, 8 steps",
    "8:4 both: (f32[], {'row': f32[8]})",
    "9:15 i: i32[]{weak} · carry",
    "9:18 v: f32[8] · carry",
    "10:8 w: f32[8]",
    "11:8 return: f32[8]",
    "12:4 five: f32[8] · carry, 5 steps",
    "13:4 some: f32[8] · carry",
    "14:4 i: i32[]{weak} · carry",
    "14:7 last: f32[8] · carry",
    "14:40 s: (i32[]{weak}, f32[8]) · carry",
    "15:40 s: (i32[]{weak}, f32[8]) · carry",
    "16:4 rows: f32[8] · ys, 8 steps",
    "16:30 r: f32[] · xs, 8 steps",
    "17:4 ends: f32[8] · carry, 3 steps",
    "17:27 r: f32[]",
    "18:4 half: bf16[8]",
    "19:4 wide: f32[8] · promoted from bf16",
    "20:4 scaled: f32[3]{weak} · promoted from i32",
    "21:4 asked: f32[]",
    "22:4 chosen: f32[8]",
    "23:4 small: i8[2]",
    "24:4 taken: i32[2]",
    "25:4 return: f32[8]",
]


@needs_lines
def test_names_of_loops_say_their_part_and_promotions_are_marked(notebook: Notebook) -> None:
    """If several loops run one body, its names show only what all loops share. A requested dtype has no mark."""
    assert shown(notebook.run(LOOPS).document) == LOOPS_TYPES


@needs_lines
def test_a_run_that_only_hit_has_the_types_of_the_trace(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef f(x):\n    y = jnp.sin(x)\n    return y")
    first = shown(notebook.run("%%jaxpr\nf(x)").document)
    assert first == ["2:6 x: f32[8]", "3:4 y: f32[8]", "4:4 return: f32[8]"]
    assert shown(notebook.run("%%jaxpr\nf(x)").document) == first


@needs_lines
def test_a_later_trace_of_a_cell_takes_no_names_from_an_earlier_one(notebook: Notebook) -> None:
    names = "\n".join(f"        n{number} = x + {number}" for number in range(25))
    document = notebook.run(
        "%%jaxpr\n@jax.jit\ndef first(x):\n    for _ in range(200):\n" + names + "\n    return x\n\n"
        "@jax.jit\ndef second(x):\n    y = x + 1\n    return y\n\nfirst(1.0); second(1.0)"
    ).document
    focus = {**document, "focus": [program["name"] for program in document["programs"]].index("first")}
    assert [line.split()[1] for line in shown(focus)] == ["x:", *(f"n{number}:" for number in range(25)), "return:"]


@needs_lines
def test_a_function_with_several_programs_has_the_types_of_each(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    y = x * 2\n    return y.sum()\nf(x), f(x[:3]), f(x[0])")
    document = read(ran.document)
    assert [[at.types for at in types_of(document, program)] for program in range(3)] == [
        [("f32[8]",), ("f32[8]",), ("f32[]",)],
        [("f32[3]",), ("f32[3]",), ("f32[]",)],
        [("f32[]",), ("f32[]",), ("f32[]",)],
    ]


@needs_lines
def test_the_types_of_a_line_that_ran_several_times_are_in_their_order() -> None:
    @jax.jit
    def f(x: jax.Array) -> jax.Array:
        for _ in range(3):
            x = jax.numpy.concatenate([x, x])
        return x

    snapshot = jj.inspect(f, jax.numpy.ones(2), stage="trace")
    assert [(at.name, at.kind, at.types) for at in snapshot.types()] == [
        ("x", "parameter", ("f32[2]",)),
        ("x", "assigned", ("f32[4]", "f32[8]", "f32[16]")),
        ("return", "returned", ("f32[16]",)),
    ]


DATACLASSES = """\
%%jaxpr
import dataclasses
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    w: jax.Array
    name: str = jax.tree.static(default="layer")
    def __getattribute__(self, name):
        asked.append(name)
        return object.__getattribute__(self, name)
    def __call__(self, x):
        return self.w * x
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Net:
    first: Layer
    rest: list
asked = []
@jax.jit
def f(net, x):
    layer = net.first
    asked.clear()
    half = Layer(x[:4])
    kept = half
    pair = {"a": half}
    global seen
    seen = tuple(asked)
    return layer
net = Net(Layer(jnp.ones(8)), [jnp.ones(3)])
f(net, x)"""


@needs_lines
def test_a_dataclass_has_the_types_of_its_fields(notebook: Notebook) -> None:
    """The fields are read without the methods of the class."""
    types = shown(notebook.run(DATACLASSES).document)
    assert notebook.shell.user_ns["seen"] == ()
    assert [text for text in types if int(text.partition(":")[0]) >= 19] == [
        "20:6 net: Net(first=Layer(w=f32[8], name=str), rest=[f32[3]])",
        "20:11 x: f32[8]",
        "21:4 layer: Layer(w=f32[8], name=str)",
        "23:4 half: Layer(w=f32[4], name=str)",
        "24:4 kept: Layer(w=f32[4], name=str)",
        "25:4 pair: {'a': Layer(w=f32[4], name=str)}",
        "28:4 return: Layer(w=f32[8], name=str)",
    ]


SLOTS = """\
%%jaxpr
import dataclasses
@dataclasses.dataclass
class Named:
    name: str
@dataclasses.dataclass(frozen=True, slots=True)
class Layer:
    w: jax.Array
    name: str = "layer"
@dataclasses.dataclass(slots=True)
class Both(Named):
    w: jax.Array
@jax.jit
def f(x):
    layer = Layer(x[:4])
    both = Both("b", x[:2])
    empty = object.__new__(Layer)
    pair = [layer, x]
    return x
f(x)"""


@needs_lines
def test_a_dataclass_with_slots_has_the_types_of_its_fields(notebook: Notebook) -> None:
    """The dataclass `both` stores one field in its dictionary and the other in a slot; `empty` has unset fields."""
    types = shown(notebook.run(SLOTS).document)
    assert types == [
        "14:6 x: f32[8]",
        "15:4 layer: Layer(w=f32[4], name=str)",
        "16:4 both: Both(name=str, w=f32[2])",
        "18:4 pair: [Layer(w=f32[4], name=str), f32[8]]",
        "19:4 return: f32[8]",
    ]


UNDER_TRANSFORMS = """\
%%jaxpr
@jax.jit
def f(x):
    y = x * 2
    z = {"sum": y.sum()}
    return z["sum"]
"""


@needs_lines
@pytest.mark.parametrize(
    ("call", "cotangents"),
    [
        ("jax.grad(f)(x)", 1),
        ("jax.value_and_grad(f)(x)", 1),
        ("jax.vmap(f)(jnp.ones((2, 8)))", 0),
        ("jax.jvp(f, (x,), (x,))", 0),
        ("jax.linearize(f, x)[1](x)", 0),
        ("jax.jit(jax.grad(f))(x)", 0),
        ("jax.jit(jax.vmap(f))(jnp.ones((2, 8)))", 0),
        ("f(x); jax.grad(f)(x)", 1),
        ("jax.vjp(f, x)[1](1.0)", 2),
    ],
)
def test_a_jitted_function_that_jax_traces_only_for_a_transform_has_its_types(
    notebook: Notebook, call: str, cotangents: int
) -> None:
    """The types are those that the code sees: under vmap without the mapped axis.

    A program that computes only cotangents has no names with types.
    """
    document = read(notebook.run(UNDER_TRANSFORMS + call).document)
    programs = [number for number, program in enumerate(document.programs) if program.name == "f"]
    types = [[(at.line, at.name, at.types) for at in types_of(document, program)] for program in programs]
    assert types.count([]) == cotangents
    assert [each for each in types if each] == (len(programs) - cotangents) * [
        [
            (3, "x", ("f32[8]",)),
            (4, "y", ("f32[8]",)),
            (5, "z", ("{'sum': f32[]}",)),
            (6, "return", ("f32[]",)),
        ]
    ]


@needs_lines
def test_a_transformed_function_with_several_programs_has_the_types_of_each(notebook: Notebook) -> None:
    document = read(
        notebook.run(UNDER_TRANSFORMS + "jax.vmap(f)(jnp.ones((2, 8))); jax.vmap(f)(jnp.ones((2, 3)))").document
    )
    types = [[at.types for at in types_of(document, number)] for number in range(len(document.programs))]
    assert list(dict.fromkeys(of_program[0] for of_program in types if of_program)) == [("f32[8]",), ("f32[3]",)]


REPEATED = """\
%%jaxpr
@jax.jit
def f(x):
    for x in [x, x[:2], x.sum()]:
        y = x * 1
    for k in range(3):
        y = y if k == 0 else y[None]
        h = y
        h = h
        if k: h = h[None]
        if k != 1: h = h
    for z in [h, h[0]]: z = z; w = z[0]
    def fails(v):
        raise ValueError
    for k in range(2):
        try:
            z = z if k else fails(z)
        except ValueError:
            z = z[0]
    z = jnp.stack(
        [z, z])
    return z
f(x)"""


@needs_lines
def test_a_line_that_stores_the_object_that_the_name_already_holds_has_its_type(notebook: Notebook) -> None:
    """If a jump or an error ends a line before it stores, the line adds no type."""
    assert shown(notebook.run(REPEATED).document) == [
        "3:6 x: f32[8]",
        "4:8 x: f32[8], f32[2], f32[]",
        "5:8 y: f32[8], f32[2], f32[]",
        "7:8 y: f32[], f32[1], f32[1,1]",
        "8:8 h: f32[], f32[1], f32[1,1]",
        "9:8 h: f32[], f32[1], f32[1,1]",
        "10:14 h: f32[1,1], f32[1,1,1]",
        "11:19 h: f32[], f32[1,1,1]",
        "12:31 w: f32[1,1], f32[1]",
        "13:14 v: f32[1,1]",
        "17:12 z: f32[1]",
        "19:12 z: f32[1]",
        "20:4 z: f32[2,1]",
        "22:4 return: f32[2,1]",
    ]


UNCLEAR = """\
%%jaxpr
def same(v):
    return v
def fails(v):
    raise ValueError
@jax.jit
def f(x):
    y = x
    for k in range(3):
        try:
            y = same(y[None] if k == 2 else y); k == 1 and fails(y)
        except ValueError:
            pass
    return y
f(x)"""


@needs_lines
def test_a_name_of_which_a_trace_does_not_show_whether_the_line_stored_it_has_no_type(notebook: Notebook) -> None:
    """An error may end the first or the second statement of the line, and the trace looks the same in both cases."""
    assert [text for text in shown(notebook.run(UNCLEAR).document) if " y:" in text] == ["8:4 y: f32[8]"]


@needs_lines
def test_the_saved_page_has_the_types_beside_the_lines_of_the_cell(notebook: Notebook) -> None:
    """The page draws the types from an attribute, so a search or a copy finds only the text of the cell."""
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    for n in (6, 4, 2):\n        x = x[:n]\n    p = {'x': x, 'y': x}\n"
        "    q = (x,) * 9\n    return p\nf(x)"
    )
    html = page(read(ran.document))
    matches = re.findall(r'<li data-t="([^"]*)" title="([^"]*)">([^<]*)</li>', html)
    wide = ", ".join(["f32[2]"] * 9)
    assert [tuple(map(unescape, texts)) for texts in matches] == [
        ("x: f32[8]", "x: f32[8]", "def f(x):"),
        ("x: f32[6] … f32[2]", "x: f32[6], f32[4], f32[2]", "        x = x[:n]"),
        ("p: {'x': f32[2], 'y': f32[2]}", "p: {'x': f32[2], 'y': f32[2]}", "    p = {'x': x, 'y': x}"),
        ("q: (…) with 9 arrays", f"q: ({wide})", "    q = (x,) * 9"),
        ("→ {'x': f32[2], 'y': f32[2]}", "→ {'x': f32[2], 'y': f32[2]}", "    return p"),
    ]


@pytest.mark.any_jax
def test_a_long_type_is_shortened_as_in_the_panel() -> None:
    rows = json.loads((Path(__file__).parent / "shortened_types.json").read_text())
    assert [[text, shortened(text)] for text, _ in rows] == rows


@needs_lines
def test_a_setting_turns_the_types_off(notebook: Notebook) -> None:
    notebook.run("%config JaxprMagics.types = False\n@jax.jit\ndef f(x):\n    y = x * 2\n    return y")
    assert shown(notebook.run("%%jaxpr\nf(x)").document) == []


def test_python_without_line_events_has_no_types(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["jupyter_jaxpr.observe.types_beside_code.values_of_names"], "HAS_MONITORING", False)
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    y = x * 2\n    return y\nf(x)")
    assert (shown(ran.document), ran.notes) == ([], [])


# --- comparison with Python's own trace function ---

PROGRAMS = {
    "closures and lambdas": """\
def make(n):
    k = jnp.ones(n)
    def inner(a, *rest, **named):
        out = a * k
        return out, rest, named
    return inner
def f(x):
    part = make(8)
    o, r, n = part(x, x, y=x)
    q = (lambda v: v + o)(x)
    w = [u * 2 for u in (q, o)]
    return w, r, n""",
    "a while loop, cond and switch": """\
def f(x):
    def go(s):
        i, v = s
        v = v * 2
        return i + 1, v
    i, v = jax.lax.while_loop(lambda s: s[0] < 3, go, (0, x))
    def yes(u):
        t = u + 1
        return t
    z = jax.lax.cond(i > 1, yes, lambda u: u, v)
    k = jax.lax.switch(i, [yes, lambda u: u * 2], z)
    return k""",
    "derivatives": """\
def g(a):
    b = jnp.sin(a)
    c = b * a
    return c.sum()
def f(x):
    v, d = jax.value_and_grad(g)(x)
    h = jax.hessian(g)(x)
    p, t = jax.jvp(g, (x,), (x,))
    back, pull = jax.vjp(g, x)
    (u,) = pull(back)
    return v, d, h, t, u""",
    "vmap of a scan": """\
def one(row):
    def step(c, e):
        m = c * e
        return m, c
    last, all_ = jax.lax.scan(step, row[0], row)
    return last
def f(x):
    table = jnp.stack([x, x + 1])
    ends = jax.vmap(one)(table)
    return ends""",
    "names that change": """\
def f(x):
    x = x[:4]
    for n in (2, 1):
        x = x[:n]
        x += 1
    try:
        y = x
        raise ValueError
    except ValueError as error:
        y = jnp.zeros(3)
    while (z := y).shape[0] > 2:
        y = y[1:]
    return x, y, z""",
    "a class of the user's": """\
class Net:
    def __init__(self, w):
        self.w = w
    def __call__(self, x):
        h = x * self.w
        return self.act(h)
    @staticmethod
    def act(h):
        out = jax.nn.relu(h)
        return out
net = Net(3.0)
def f(x):
    y = net(x)
    return y""",
}


@needs_lines
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_type_is_shown_that_the_name_did_not_have(notebook: Notebook, name: str) -> None:
    values: set[tuple[str, str, str]] = set()
    tracer = jax.core.Tracer

    def note(frame: FrameType) -> None:
        for local, value in list(frame.f_locals.items()):
            if isinstance(value, tracer):
                text = value.aval.str_short(short_dtypes=True)
                weak = "{weak}" if value.aval.weak_type else ""
                values.add((frame.f_code.co_qualname, local, text + weak))

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        if "ipython-input" not in frame.f_code.co_filename and "ipykernel" not in frame.f_code.co_filename:
            return None
        note(frame)
        return watch

    notebook.run(PROGRAMS[name])
    cell = "%%jaxpr\nsys.settrace(watch)\ntry:\n    jax.jit(f)(x)\nfinally:\n    sys.settrace(None)"
    notebook.shell.user_ns.update(sys=sys, watch=watch)
    document = read(notebook.run(cell).document)
    names = [at for at in types_of(document, document.focus) if at.kind != "returned"]
    arrays = [(at.name, text) for at in names for text in at.types if text[0] not in "([{" and "=" not in text]
    assert arrays
    had = {(local, text) for _, local, text in values}
    assert [pair for pair in arrays if pair not in had] == []
    missing = {local for _, local, _ in values} - {at.name for at in names}
    # u is the variable of a comprehension, which Python hides
    assert missing == ({"u"} if name == "closures and lambdas" else set())
