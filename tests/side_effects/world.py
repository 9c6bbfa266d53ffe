"""Holds cells that define some objects (the world), and functions with and without side effects on these objects."""

from __future__ import annotations

import collections
import random
import types
from pathlib import Path
from typing import Any

import jax
import numpy as np

# The tests replace FOLDER by the path of a folder for files.
WORLD = """
import collections, contextlib, copy, csv, enum, functools, io, itertools, json, logging, math, operator, os
import pathlib, pickle, queue, random, sqlite3, subprocess, sys, threading, time, types, warnings
from dataclasses import dataclass, field, replace
from typing import NamedTuple
import jax, jax.numpy as jnp, numpy as np
from jax import lax

random.seed(0); np.random.seed(0)
x = jnp.arange(3.0)
G = jnp.ones(3)
COUNT = 0
NAMES = ["a"]
TABLE = {"k": x, "deep": {"list": [1, 2]}}
MEMBERS = {1, 2}
RECENT = collections.deque([1], maxlen=3)
COUNTS = collections.Counter("a")
ORDERED = collections.OrderedDict(a=1, b=2)
DEFAULTS = collections.defaultdict(list)
BUFFER = np.array([3, 1, 2], np.float32)
BYTES = bytearray(b"abc")
GENERATOR = (n for n in range(9))
ITERATOR = iter([1.0, 2.0, 3.0])
TICKS = itertools.count()
RNG = np.random.default_rng(0)
PYTHON_RNG = random.Random(0)
QUEUE = queue.Queue(); QUEUE.put(2.0); QUEUE.put(3.0)
STREAM = io.StringIO("some text")
LOG = open(os.path.join(FOLDER, "log"), "a")
SPACE = types.SimpleNamespace(n=0)

class Trainer:
    total = 0
    def __init__(self):
        self.params = {"w": x}
        self.history = []
        self.n = 0
        self._scale = 1.0
    def step(self, x):
        self.params = {"w": self.params["w"] * x}
        return self.params["w"]
    def remember(self, x):
        self.history.append(x)
        return x
    def count(self, x):
        self.n += 1
        return x
    def count_all(self, x):
        Trainer.total += 1
        return x
    def update(self, x):
        self.params["w"] = x + 1
        return x
    def by_helper(self, x):
        return self.step(x)
    def walrus_in(self, x):
        for self.n in range(2):
            pass
        return x
    def loss(self, x):
        return jnp.sum(self.params["w"] * x)
    def gradient(self, x):
        return jax.grad(self.loss)(x)
    @property
    def scale(self):
        return self._scale
    @scale.setter
    def scale(self, value):
        self._scale = value
    def set_scale(self, x):
        self.scale = 2.0
        return x
    @property
    def noisy(self):
        self.n += 1
        return self.n
    def read_noisy(self, x):
        return x * self.noisy
    @functools.cached_property
    def kept(self):
        return 2.0
    def read_kept(self, x):
        return x * self.kept
    @classmethod
    def tally(cls, x):
        cls.total += 1
        return x
    def __call__(self, x):
        return self.loss(x) * x

trainer = Trainer()

class Slotted:
    __slots__ = ("v",)
    def __init__(self): self.v = 0
slotted = Slotted()

class Accumulator:
    def __init__(self): self.sum = 0.0
    def __add__(self, other):
        self.sum += 1.0
        return other
    def __getitem__(self, key):
        self.sum += 1.0
        return 1.0
    def __enter__(self):
        self.sum += 1.0
        return self
    def __exit__(self, *error):
        return False
    def __iter__(self):
        self.sum += 1.0
        return iter([1.0])
    def __format__(self, spec):
        self.sum += 1.0
        return ""
    def __bool__(self):
        self.sum += 1.0
        return True
accumulator = Accumulator()

@dataclass
class Config:
    rate: float = 0.1
    names: list = field(default_factory=list)
    act: object = jnp.tanh
config = Config()

class State(NamedTuple):
    w: object
    n: int

class Mode(enum.Enum):
    TRAIN = 1
    TEST = 2

def set_global(x):
    global G
    G = G + x
    return G
def count_global(x):
    global COUNT
    COUNT += 1
    return x
def delete_global(x):
    global COUNT
    del COUNT
    return x
def new_global(x):
    global FRESH
    FRESH = x
    return x
def set_item(x):
    TABLE["k"] = x * 2.0
    return x
def set_deep_item(x):
    TABLE["deep"]["list"][0] = x
    return x
def delete_item(x):
    TABLE.pop("k")
    return x
def append(x):
    NAMES.append(x)
    return x
def append_by_alias(x):
    names = NAMES
    also = names if x.ndim else []
    also.append(1)
    return x
def extend_in_place(x):
    global NAMES
    NAMES += [1]
    return x
def extend_alias_in_place(x):
    names = NAMES
    names += [1]
    return x
def clear_by_method_object(x):
    clear = TABLE.clear
    clear()
    return x
def add_member(x):
    MEMBERS.add(3)
    return x
def push_recent(x):
    RECENT.append(x)
    return x
def count_names(x):
    COUNTS.update("ab")
    return x
def move_ordered(x):
    ORDERED.move_to_end("a")
    return x
def read_default(x):
    return x + len(DEFAULTS["new"])
def write_buffer(x):
    BUFFER[0] = 5.0
    return x
def add_into_buffer(x):
    buffer = BUFFER
    buffer += 1
    return x
def out_argument(x):
    np.add(BUFFER, 1, out=BUFFER)
    return x
def positional_out(x):
    np.add(BUFFER, 1, BUFFER)
    return x
def copy_to(x):
    np.copyto(BUFFER, 7.0)
    return x
def sort_buffer(x):
    np.ndarray.sort(BUFFER)
    return x
def add_at(x):
    np.add.at(BUFFER, [0], 1)
    return x
def leaf_of_partial(x):
    functools.partial(jax.tree.leaves, [BUFFER])()[0][0] = 9.0
    return x
def view_of_buffer(x):
    view = BUFFER[1:]
    view[0] = 9.0
    return x
def extend_bytes(x):
    BYTES.extend(b"d")
    return x
def mutable_default(x, seen=[]):
    seen.append(1)
    return x
def own_attribute(x):
    own_attribute.calls = getattr(own_attribute, "calls", 0) + 1
    return x
def set_by_name(x):
    setattr(trainer, "n", 5)
    return x
def set_in_vars(x):
    vars(trainer)["n"] = 6
    return x
def set_in_dict(x):
    trainer.__dict__["n"] = 7
    return x
def set_in_globals(x):
    globals()["COUNT"] = 8
    return x
def by_exec(x):
    exec("COUNT = 9", globals())
    return x
def set_namespace(x):
    SPACE.n = x
    return x
def set_slot(x):
    slotted.v = x
    return x
def by_operator(x):
    operator.setitem(TABLE, "k", 1)
    return x
def by_reduce(x):
    functools.reduce(lambda all, n: NAMES.append(n), [1, 2], None)
    return x
def by_map(x):
    list(map(NAMES.append, [1]))
    return x
def by_comprehension(x):
    [NAMES.append(n) for n in range(2)]
    return x
def by_sort_key(x):
    sorted([2, 1], key=lambda n: NAMES.append(n) or n)
    return x
def in_scan(x):
    def body(carry, element):
        NAMES.append(1)
        return carry + element, carry
    return lax.scan(body, 0.0, x)
def in_cond(x):
    return lax.cond(x[0] > 0, lambda v: (NAMES.append(1), v)[1], lambda v: v, x)
def in_grad(x):
    def loss(v):
        TABLE["k"] = v
        return jnp.sum(v)
    return jax.grad(loss)(x)
def in_vmap(x):
    return jax.vmap(lambda v: TABLE.update(k=v) or v)(x)
def in_operator(x):
    return accumulator + x
def in_item(x):
    return x * accumulator[0]
def in_with(x):
    with accumulator:
        return x
def in_iteration(x):
    for n in accumulator:
        x = x * n
    return x
def in_format(x):
    f"{accumulator}"
    return x
def in_truth(x):
    return x if accumulator else -x
def in_default_factory(x):
    return x + len([config.names.append(1)])
def draw_numpy(x):
    return x * np.random.rand()
def draw_python(x):
    return x * random.random()
def draw_generator(x):
    return x * RNG.normal()
def draw_instance(x):
    return x * PYTHON_RNG.random()
def shuffle(x):
    np.random.shuffle(BUFFER)
    return x
def next_of_generator(x):
    return x * next(GENERATOR)
def for_over_generator(x):
    for n in GENERATOR:
        return x * n
    return x
def unpack_iterator(x):
    first, *rest = ITERATOR
    return x * first
def sum_of_iterator(x):
    return x * sum(ITERATOR)
def zip_with_iterator(x):
    return x * [n for n, _ in zip(ITERATOR, range(2))][0]
def tick(x):
    return x * next(TICKS)
def member_of_iterator(x):
    return x if 2.0 in ITERATOR else x
def from_queue(x):
    return x * QUEUE.get()
def read_stream(x):
    STREAM.read(2)
    return x
def append_to_file(x):
    with open(os.path.join(FOLDER, "file"), "a") as file:
        file.write("x")
    return x
def write_path(x):
    pathlib.Path(FOLDER, "path").write_text("x")
    return x
def make_folder(x):
    os.makedirs(os.path.join(FOLDER, "made" + str(len(os.listdir(FOLDER)))))
    return x
def write_log(x):
    LOG.write("x"); LOG.flush()
    return x
def save_array(x):
    np.save(os.path.join(FOLDER, "array" + str(len(os.listdir(FOLDER)))), BUFFER)
    return x
def dump_json(x):
    with open(os.path.join(FOLDER, "json"), "a") as file:
        json.dump([1], file)
    return x
def set_environment(x):
    os.environ["JUPYTER_JAXPR_TEST"] = os.environ.get("JUPYTER_JAXPR_TEST", "") + "x"
    return x
def start_process(x):
    write = "import sys; open(sys.argv[1], 'a').write('x')"
    subprocess.run([sys.executable, "-c", write, FOLDER + "/process"], check=True)
    return x
def start_thread(x):
    thread = threading.Thread(target=lambda: NAMES.append(1))
    thread.start(); thread.join()
    return x
def in_try(x):
    try:
        raise KeyError
    except KeyError:
        NAMES.append(1)
    return x
def in_finally(x):
    try:
        return x
    finally:
        NAMES.append(1)
def in_match(x):
    match x.ndim:
        case 1:
            NAMES.append(1)
    return x
def swap(x):
    TABLE["k"], TABLE["l"] = x, x
    return x
def in_walrus(x):
    if (names := NAMES):
        names.append(2)
    return x
def by_partial(x):
    functools.partial(NAMES.append, 1)()
    return x
def by_super(x):
    class Loud(Trainer):
        def step(self, x):
            return super().step(x)
    return Trainer.step(trainer, x)

def make_counter():
    n = 0
    kept = []
    def counter(x):
        nonlocal n
        n += 1
        return x * n
    def keeper(x):
        kept.append(x)
        return x
    return counter, keeper
counter, keeper = make_counter()
partial_append = functools.partial(lambda names, x: (names.append(1), x)[1], NAMES)
@functools.lru_cache
def table_of(n):
    return jnp.arange(float(n))
def by_cache(x):
    return x + table_of(3)
@jax.jit
def jitted_append(x):
    NAMES.append(1)
    return x + 1
def by_jitted(x):
    return jitted_append(x) * 2
vmapped_append = jax.vmap(lambda v: (NAMES.append(1), v)[1])

# --- functions without effects ---

def sine(x): return jnp.sin(x) + 1
def rebind(x):
    y = x
    for i in range(3):
        y = y * x + i
    y += 1
    x = y
    return x
def build_list(x):
    out = []
    for i in range(4):
        out.append(x * i)
    return jnp.stack(out)
def build_dict(x):
    out = {}
    for name in "ab":
        out[name] = x
    out.update(c=x)
    return out
def scan(x): return lax.scan(lambda c, t: (c + t, c), 0.0, x)
def grad(x): return jax.grad(lambda v: jnp.sum(v ** 2))(x)
def comprehension(x): return {k: v * x for k, v in TABLE.items() if k == "k"}
def mlp(params, x):
    for layer in params:
        x = jnp.tanh(layer["w"] @ x + layer["b"])
    return x
LAYERS = [{"w": jnp.eye(3), "b": x}, {"w": jnp.eye(3), "b": x}]
def loss(params, x): return jnp.mean(mlp(params, x) ** 2)
def update(params, x):
    value, grads = jax.value_and_grad(loss)(params, x)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
def replace_tuple(state): return state._replace(w=state.w * 2)
def make_tuple(state): return State(state.w + 1, state.n + 1)
def replace_dataclass(x): return x * replace(config, rate=0.5).rate
def read_config(x): return config.act(x * config.rate)
def at_set(x): return x.at[0].set(1.0).sum(axis=0).astype(jnp.float32)
def numpy_constant(x): return np.eye(3) @ BUFFER + x
def fill_own_array(x):
    own = np.zeros(3)
    own[0] = 1
    own += 2
    return x + own
def array_of_a_class(x):
    own = np.zeros(3, dtype=np.float32)
    own[0] = 1
    return jnp.zeros(3, dtype=float).at[0].add(x[0]) + own
def vmap_of_jax(x):
    keys = jax.random.split(jax.random.key(0), 3)
    return jax.vmap(functools.partial(jax.random.normal, dtype=jnp.float32))(keys) + jax.vmap(jnp.sin)(x)
def vmap_by_partial(x):
    @functools.partial(jax.vmap, in_axes=0)
    def double(y):
        return 2 * y
    return double(x)
def prints(x):
    print("x is", x)
    return x
def warns(x):
    warnings.warn("careful")
    return x
def keyword(x, *, n=2): return x * n
def starred(*xs, **named): return sum(xs) + sum(named.values())
def nested(x):
    def inner(v):
        return v * x
    return inner(x) + jax.vmap(inner)(x)
def own_counter(x):
    n = 0
    def more():
        nonlocal n
        n += 1
        return n
    return x * more()
def checks(x):
    if x.ndim != 1:
        raise ValueError(f"bad {x.shape}")
    assert x.shape == (3,), "three"
    return jnp.where(x > 0, x, -x)
@jax.jit
def double(x): return x * 2
batched = jax.vmap(sine)
def calls_others(x): return double(x) + batched(x) + sine(x)
def draws(key):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (3,)) + jax.random.uniform(second, (3,))
def cond(x): return lax.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, x)
def switch(x): return lax.switch(1, [jnp.sin, jnp.cos, lambda v: v], x)
def while_loop(x): return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x))
def fori(x): return lax.fori_loop(0, 3, lambda i, v: v + i, x)
def generator_inside(x): return sum(x[i] for i in range(3))
def own_generator(x):
    def parts():
        yield x
        yield x * 2
    return sum(parts())
def einsum(x): return jnp.einsum("i,i->", x, x)
def loop_at(x):
    y = jnp.zeros(len(x))
    for i in range(len(x)):
        y = y.at[i].set(x[i] * 2)
    return y
@jax.custom_vjp
def custom(x): return x * 2
custom.defvjp(lambda x: (custom(x), x), lambda r, g: (g * r,))
def uses_custom(x): return custom(x) + jax.grad(lambda v: custom(v).sum())(x)
def factorial(n): return 1 if n <= 1 else n * factorial(n - 1)
def recursion(x): return x * factorial(4)
STACK = [lambda v: v + 1, jnp.sin]
def stack(x):
    for function in STACK:
        x = function(x)
    return x
def named(x):
    with jax.named_scope("part"):
        return x * 2
def precise(x):
    with jax.default_matmul_precision("float32"):
        return x @ x
def enum_mode(x, mode=Mode.TRAIN): return x * 2 if mode is Mode.TRAIN else x
def string_mode(x, mode="relu"):
    if mode == "relu":
        return jax.nn.relu(x)
    NAMES.append(mode)
    return x
def unpack(x):
    a, (b, *rest) = x[0], [x[1], x[2]]
    return a + b + sum(rest)
def tries(x):
    try:
        return x / TABLE["deep"]["list"][1]
    except KeyError:
        return x
def matches(x):
    match x.shape:
        case (n,):
            return x * n
        case _:
            return x
def walrus(x): return y * y if (y := x.sum()) is not None else x
def math_of(x): return x * math.sqrt(2.0) + math.pi
def partial_inside(x): return functools.partial(keyword, n=3)(x)
def reduce_inside(x): return functools.reduce(lambda a, b: a + b, [x, x, x])
def hessian(x): return jax.hessian(lambda v: jnp.sum(v ** 3))(x)
def jvp(x): return jax.jvp(sine, (x,), (x,))
def vjp(x):
    y, pull = jax.vjp(sine, x)
    return pull(y)
def checkpointed(x): return jax.checkpoint(sine)(x)
def associative(x): return lax.associative_scan(jnp.add, x)
def tree(x): return jax.tree.leaves(jax.tree.map(jnp.sin, {"a": x, "b": [x]}))
def debugs(x):
    jax.debug.print("x is {x}", x=x)
    return x
def delta(x):
    new = copy.copy(TABLE["deep"])
    new["own"] = 1
    return x
def slices(x): return x[1:], x[::-1], x[None, :], x[..., 0], x[jnp.array([0, 1])]
def global_read(x): return x * COUNT + G
def sorts(x): return sorted([3, 1, 2])[0] * x
def default_none(x, scale=None):
    scale = scale or 2.0
    return x * scale
class Linear:
    def __init__(self, w):
        self.w = w
    def __call__(self, x):
        return self.w @ x
linear = Linear(jnp.eye(3))
def makes_object(x):
    layer = Linear(jnp.eye(3) * 2)
    return layer(x)
def make_adder(y):
    return lambda x: x + y
adder = make_adder(x)
partial_keyword = functools.partial(keyword, n=4)
class Sub(Linear):
    def __call__(self, x):
        return super().__call__(x) * 2
sub = Sub(jnp.eye(3))
"""

EFFECTS = """
trainer.step trainer.remember trainer.count trainer.count_all trainer.update trainer.by_helper trainer.walrus_in
trainer.set_scale trainer.read_noisy Trainer.tally set_global count_global delete_global new_global
set_item set_deep_item delete_item append append_by_alias extend_in_place extend_alias_in_place
clear_by_method_object add_member push_recent count_names move_ordered read_default write_buffer add_into_buffer
out_argument positional_out copy_to sort_buffer add_at view_of_buffer leaf_of_partial extend_bytes mutable_default
own_attribute
set_by_name set_in_vars set_in_dict set_in_globals by_exec set_namespace set_slot by_operator by_reduce by_map
by_comprehension by_sort_key in_scan in_cond in_grad in_vmap in_operator in_item in_with in_iteration in_format
in_truth in_default_factory draw_numpy draw_python draw_generator draw_instance shuffle next_of_generator
for_over_generator unpack_iterator sum_of_iterator zip_with_iterator tick member_of_iterator from_queue read_stream
append_to_file write_path make_folder write_log save_array dump_json set_environment start_process start_thread
in_try in_finally in_match swap in_walrus by_partial by_super counter keeper partial_append by_cache by_jitted
vmapped_append
""".split()

PURE = """
sine(x) rebind(x) build_list(x) build_dict(x) scan(x) grad(x) comprehension(x) mlp(LAYERS,x) loss(LAYERS,x)
update(LAYERS,x) replace_tuple(State(x,1)) make_tuple(State(x,1)) replace_dataclass(x) read_config(x) at_set(x)
numpy_constant(x) fill_own_array(x) prints(x) warns(x) keyword(x) keyword(x,n=3) starred(x,x,y=x) nested(x)
own_counter(x) checks(x) batched(x) calls_others(x) draws(jax.random.key(0)) cond(x) switch(x) while_loop(x) fori(x)
generator_inside(x) own_generator(x) einsum(x) loop_at(x) uses_custom(x) recursion(x) stack(x) named(x) precise(x)
enum_mode(x) string_mode(x) unpack(x) tries(x) matches(x) walrus(x) math_of(x) partial_inside(x) reduce_inside(x)
hessian(x) jvp(x) vjp(x) checkpointed(x) associative(x) tree(x) debugs(x) delta(x) slices(x) global_read(x) sorts(x)
default_none(x) linear(x) makes_object(x) adder(x) partial_keyword(x) sub(x) trainer(x) trainer.loss(x)
trainer.gradient(x) jax.grad(trainer.loss)(x) jax.vmap(sine)(x) array_of_a_class(x)
vmap_of_jax(x) vmap_by_partial(x)
""".split()


def state_of(names: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return everything that the functions of the world can change, as plain values that can be compared."""
    state = {
        name: _told(value, set()) for name, value in names.items() if not name.startswith("_") and _is_state(value)
    }
    state["random"] = hash(random.getstate())
    state["numpy.random"] = [str(part) for part in np.random.get_state()]
    state["folder"] = {file.name: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
    state["folders"] = sorted(file.name for file in folder.rglob("*") if file.is_dir())
    state["environment"] = _environment()
    return state


def _environment() -> str | None:
    import os

    return os.environ.get("JUPYTER_JAXPR_TEST")


def _is_state(value: Any) -> bool:
    return not isinstance(value, types.ModuleType | types.BuiltinFunctionType)


def _told(value: Any, visited: set[int]) -> Any:
    """Return a value as plain values without object identities, so that two equal worlds give equal values."""
    if isinstance(value, jax.core.Tracer):
        return "a tracer"
    if isinstance(value, jax.Array):
        return (
            "array",
            str(value.dtype),
            np.asarray(jax.random.key_data(value) if value.dtype == jax.dtypes.prng_key else value).tolist(),
        )
    if isinstance(value, np.ndarray):
        return ("numpy", str(value.dtype), value.tolist())
    if value is None or isinstance(value, int | float | complex | str | bytes | bool):
        return value
    if id(value) in visited:
        return "again"
    visited = visited | {id(value)}
    return (type(value).__name__, *_parts(value, visited))


def _parts(value: Any, visited: set[int]) -> list[Any]:
    if isinstance(value, dict):
        return [(_told(key, visited), _told(part, visited)) for key, part in value.items()]
    if isinstance(value, list | tuple | collections.deque):
        return [_told(part, visited) for part in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, bytearray):
        return [bytes(value)]
    if isinstance(value, np.random.Generator):
        return [str(value.bit_generator.state)]
    if isinstance(value, random.Random):
        return [hash(value.getstate())]
    if isinstance(value, types.GeneratorType):
        return [value.gi_frame.f_locals.get("n")]
    if type(value).__name__ in ("list_iterator", "count"):
        return [repr(value.__reduce__()[1:])]
    if type(value).__name__ == "Queue":
        return [list(value.queue)]
    if type(value).__name__ == "StringIO":
        return [value.tell(), value.getvalue()]
    if type(value).__name__ == "TextIOWrapper":
        return []
    if type(value).__name__ == "_lru_cache_wrapper":
        return [str(value.cache_info())]
    if isinstance(value, types.FunctionType):
        cells = [
            _told(cell.cell_contents, visited) for cell in value.__closure__ or () if _is_state(cell.cell_contents)
        ]
        return [cells, _told(value.__defaults__, visited), _told(vars(value).get("calls"), visited)]
    if isinstance(value, type):
        return [
            (name, _told(part, visited))
            for name, part in vars(value).items()
            if isinstance(part, int | float | list | dict) and not name.startswith("__")
        ]
    parts = [
        (name, _told(part, visited))
        for name, part in getattr(value, "__dict__", {}).items()
        if not name.startswith("_") or name == "_scale"
    ]
    if type(value).__name__ == "Slotted":
        parts.append(_told(value.v, visited))
    return parts
