"""Holds expressions with a hidden side effect, in methods that Python calls: operators, callbacks, descriptors.

Each expression assigns nothing, but changes the objects that are defined below (the world), or the process.
"""

from __future__ import annotations

import array
import contextvars
import gc
import logging
import os
import random
import sys
import types
import warnings
from typing import Any

import jax
import numpy as np

WORLD = """
import array, bisect, collections, contextlib, contextvars, copy, dataclasses, enum, functools, gc, heapq, inspect
import itertools, logging, operator, os, random, re, sys, threading, time, types, warnings, weakref
from typing import NamedTuple
import equinox as eqx, jax, jax.numpy as jnp, numpy as np
from jax import lax

seen = []
ticks = iter([1.0, 2.0, 3.0])
count = itertools.count()
table = {"k": 1.0, "names": [1]}
buffer = np.array([3.0, 1.0, 2.0])
other_buffer = np.zeros(3)
numbers = array.array("d", [1.0])
raw = bytearray(8)
heap = [1, 5]
chain = collections.ChainMap({"a": 1})
defaults = [collections.defaultdict(list), collections.defaultdict(list)]
setting = contextvars.ContextVar("setting")
logger = logging.getLogger("a test of jupyter_jaxpr")

class Trainer:
    total = 0
    def __init__(self):
        self.n, self.items, self.child = 0, [], None
        self.table, self.log, self.callback = {"f": note}, seen, note
    def bump(self, *values):
        self.n += 1
    def body(self, carry, element):
        self.n += 1
        return carry, element
    def __call__(self, x):
        return self.callback(x)
    def by_table(self, x):
        return self.table["f"](x)
    def by_items(self, x):
        for name, function in self.table.items():
            function(x)
    def by_choice(self, x):
        (self.child or note)(x)
    def by_alias(self, x):
        log = self.log
        log[:] = [1]

class Noisy:
    "All that Python and libraries call by themselves tells that it was called."
    def __lt__(self, other): seen.append(1); return True
    def __eq__(self, other): seen.append(1); return True
    def __hash__(self): seen.append(1); return 1
    def __str__(self): seen.append(1); return "noisy"
    __repr__ = __str__
    def __iter__(self): seen.append(1); return iter([1.0])
    def __getitem__(self, key): seen.append(1); return 1.0
    def __contains__(self, key): seen.append(1); return True
    def __reversed__(self): seen.append(1); return iter([])
    def __length_hint__(self): seen.append(1); return 1
    def __len__(self): seen.append(1); return 1
    def __bool__(self): seen.append(1); return True
    def __index__(self): seen.append(1); return 0
    def __float__(self): seen.append(1); return 1.0
    def __mul__(self, other): seen.append(1); return other
    __rmul__ = __matmul__ = __mul__
    def __neg__(self): seen.append(1); return 1.0
    def __array__(self, *args, **kwargs): seen.append(1); return np.ones(3)
    def __deepcopy__(self, memo): seen.append(1); return self
    def __copy__(self): seen.append(1); return self
    def __fspath__(self): seen.append(1); return "a"
    def keys(self): seen.append(1); return ["a"]
    def __class_getitem__(cls, key): seen.append(1); return cls
    def __getattr__(self, name):
        seen.append(1)
        if name != "made_up": raise AttributeError(name)
        return 1.0
    @property
    def shape(self): seen.append(1); return (1,)

class Dying:
    def __del__(self): seen.append(1)
class Failing(Exception):
    def __init__(self, *args): seen.append(1)
class Counted:
    made = 0
    def __init__(self): Counted.made += 1
class Quiet: pass
class Made:
    def __new__(cls): seen.append(1); return object.__new__(cls)
class Setting:
    def __setattr__(self, name, value): seen.append(1)
class Stepping:
    def __iter__(self): return Step()
class Step:
    def __next__(self): seen.append(1); raise StopIteration
class Kind(type):
    def __instancecheck__(cls, value): seen.append(1); return True
class Checked(metaclass=Kind): pass
class Descriptor:
    def __get__(self, owner, kind): seen.append(1); return 1.0
    def __set__(self, owner, value): seen.append(1)
class Described: v = Descriptor()
class Caching:
    @functools.lru_cache
    def cached(self, n): return 2.0
@functools.cache
def cached(n): return n * 2.0
class Layer:
    def __init__(self): self.w, self.items, self.ticks = Noisy(), [1], iter([1.0])
class Pair(NamedTuple):
    a: int
    @property
    def b(self): seen.append(1); return 1.0
class Mode(enum.Enum):
    ON = 1
    def go(self): seen.append(1)
class Missing(dict):
    def __missing__(self, key): seen.append(1); return 1.0
class List(list):
    def __getitem__(self, i): seen.append(1); return 1.0
    def __iter__(self): seen.append(1); return list.__iter__(self)
class Dict(dict):
    def __getitem__(self, key): seen.append(1); return 1.0
class Text(str):
    def __eq__(self, other): seen.append(1); return True
    __hash__ = str.__hash__
class Int(int):
    def __add__(self, other): seen.append(1); return 1
@dataclasses.dataclass
class After:
    a: int = 1
    def __post_init__(self): seen.append(1)
@dataclasses.dataclass
class Factory:
    a: list = dataclasses.field(default_factory=lambda: seen.append(1) or [])
@dataclasses.dataclass
class SetByInit:
    a: int = 1
    def __setattr__(self, name, value): seen.append(1)
class Converted(eqx.Module):
    w: jax.Array = eqx.field(converter=lambda w: (seen.append(1), w)[1])
class CheckedAfter(eqx.Module):
    w: jax.Array
    def __check_init__(self): seen.append(1)
class Logged(eqx.Module):
    w: jax.Array
    log: list = eqx.field(static=True, default_factory=list)
    def __call__(self, x): self.log.append(1); return self.w * x
class Around(contextlib.ContextDecorator):
    def __enter__(self): seen.append(1)
    def __exit__(self, *error): pass

def note(x): seen.append(1); return x
def same(x): return x
@Around()
def entered(x): return x
@contextlib.contextmanager
def manager():
    seen.append(1); yield
def generated():
    seen.append(1); yield 1.0
def loud(function):
    @functools.wraps(function)
    def around(*args):
        seen.append(1)
        return function(*args)
    return around
@loud
def decorated(x): return x
@functools.singledispatch
def dispatched(x): return x
@dispatched.register
def _(x: float): seen.append(1)
@jax.custom_vjp
def custom(x): return x
custom.defvjp(lambda x: (x, None), lambda r, g: (seen.append(1), (g,))[1])
def in_closure():
    kept, steps = [], iter([1.0])
    return (lambda x: (kept.append(1), x)[1]), (lambda x: x * next(steps))
keeper, stepper = in_closure()

trainer, parent, noisy, stepping, caching = Trainer(), Trainer(), Noisy(), Stepping(), Caching()
parent.child = trainer
noisies, trainers, layers = [noisy, noisy], [trainer], [Layer(), Layer()]
functions, by_name, loggers = [same, note], {"same": same, "note": note}, [logger, trainer]
pair, missing, list_, dict_, text, integer = Pair(1), Missing(), List([1.0]), Dict(a=1.0), Text("a"), Int(3)
logged, described, partial = Logged(jnp.ones(3)), Described(), functools.partial(note)
"""

# Each line is an expression; `x` is the argument, an array of three numbers.
EXPRESSIONS = r"""
operator.iadd(seen, [1])
list.append(seen, 1)
seen.__iadd__([1])
dict.update(table, q=1)
object.__setattr__(trainer, "n", 1)
type.__setattr__(Trainer, "n", 1)
np.ndarray.fill(buffer, 0)
functools.partial(seen.append, 1)()
getattr(seen, "append")(1)
(seen.append if x.ndim else len)(1)
(note if x.ndim else same)(x)
(same if x.ndim else note)(x)
functions[x.ndim](x)
by_name["note" if x.ndim else "same"](x)
lax.map(note if x.ndim else same, x)
lax.switch(1, functions, x)
lax.cond(True, *functions, x)
[function(x) for function in functions]
list(map(seen.append, [1]))
list(map(next, [ticks]))
list(map(os.remove, []))
list(map(cached, [1]))
list(map(setattr, [trainer], ["n"], [1]))
jax.tree.map(seen.append, [x])
jax.tree.map(np.random.shuffle, [x])
list(filter(seen.append, [1]))
functools.reduce(operator.iadd, [seen, [1]])
functools.reduce(lambda a, b: a, [seen]).append(1)
sorted([1, 2], key=seen.append)
sorted(noisies)
min(noisy, noisy)
noisies == noisies
noisy in [noisy]
1 in noisy
seen.index(noisy)
table.get(noisy)
{noisy}
{noisy: 1}
hash((noisy, 1))
"%s" % noisy
"%s" % (noisy,)
"{}".format(noisy)
f"{noisies}"
str(noisies)
print(noisies)
",".join(noisy)
[*noisy]
dict(**noisy)
(lambda **named: x)(**noisy)
(lambda *values: x)(*noisy)
x[noisy]
x[noisy:]
x[0:noisy]
x[noisy, ...]
x.at[noisy].set(1)
[1.0, 2.0][noisy]
jnp.asarray(noisy)
jnp.sum(noisies)
jnp.shape(noisy)
jnp.stack(stepping)
np.sum(noisy)
copy.deepcopy(noisies)
copy.copy(noisy)
noisy * 2
3 * noisy
noisy @ x
-noisy
[each * 2 for each in noisies]
[layer.w * 2 for layer in layers]
not noisy
x if noisy else -x
noisy and x
[n for n in [1] if noisy]
bool(noisy)
len(noisy)
x * float(noisy)
x * noisy.made_up
range(noisy)
list(reversed(noisy))
operator.index(noisy)
operator.length_hint(noisy)
os.path.join(noisy)
Noisy[1]
[n for n in stepping]
sum(stepping)
isinstance(x, Checked)
[kind() for kind in [Quiet, Counted]]
(Quiet if x.ndim else Counted)()
Made()
Dying()
Failing(1)
After()
Factory()
SetByInit()
Converted(x)
CheckedAfter(x)
logged(x)
setattr(Setting(), "a", 1)
setattr(Described(), "v", 1)
x * described.v
x * pair.b
Mode.ON.go()
x * missing["a"]
list_[0]
[n for n in list_]
dict_["a"]
text == "a"
integer + 1
caching.cached(3)
cached(3)
[each["q"] for each in defaults]
defaults[x.ndim]["q"]
[next(layer.ticks) for layer in layers]
[n for layer in layers for n in layer.ticks]
[layer.items.append(1) for layer in layers]
[each.info("x") for each in loggers]
logger.setLevel(1)
logging.getLogger("a").setLevel(10)
logging.getLogger().handlers.append(1)
threading.current_thread().setName("a")
gc.disable()
dispatched(x)
setting.set(1)
np.add(x, 1, other_buffer)
np.clip(buffer, 0, 1, buffer)
np.cumsum(buffer, 0, None, other_buffer)
np.take(buffer, [0, 1, 2], 0, other_buffer)
buffer.clip(0, 1, other_buffer)
buffer.round(0, other_buffer)
np.nan_to_num(buffer, False)
np.nan_to_num(buffer, copy=False)
np.dot(buffer, buffer, other_buffer)
np.add.reduce(buffer, 0, None, other_buffer[:1])
np.lib.stride_tricks.as_strided(buffer).fill(0)
buffer.flat.__setitem__(0, 1)
np.fromiter(ticks, float)
np.frompyfunc(seen.append, 1, 1)(buffer)
np.vectorize(lambda a: seen.append(1) or 1)([1, 2])
re.purge()
functools.update_wrapper(same, note)
functools.total_ordering(Quiet)
dataclasses.dataclass(Quiet)
contextlib.ExitStack().callback(seen.append, 1)
contextlib.closing(noisy)
operator.methodcaller("bump")(trainer)
operator.attrgetter("append")(seen)(1)
operator.attrgetter("bump")(trainer)()
operator.itemgetter("names")(table).append(1)
operator.itemgetter(1)(functions)(x)
operator.setitem(table, "a", 1)
entered(x)
decorated(x)
partial(x)
keeper(x)
stepper(x)
list(generated())
next(generated())
next(count)
[a for a, b in zip(count, [1])]
trainer(x)
trainer.by_table(x)
trainer.by_items(x)
trainer.by_choice(x)
trainer.by_alias(x)
jax.vmap(trainer.bump)(x)
jax.jit(trainer.bump)(x)
lax.scan(trainer.body, 0.0, x)
lax.scan(f=trainer.body, init=0.0, xs=x)
jax.vjp(custom, x)[1](x)
jax.eval_shape(note, x)
jax.make_jaxpr(note)(x)
jax.linearize(note, x)
jax.checkpoint(note)(x)
lax.while_loop(lambda n: (seen.append(1), n < 3)[1], lambda n: n + 1, 0)
lax.associative_scan(lambda a, b: (seen.append(1), a + b)[1], x)
jax.tree.leaves(x, is_leaf=lambda a: (seen.append(1), False)[1])
eqx.filter_jit(note)(x)
eqx.filter_grad(lambda a: (seen.append(1), a.sum())[1])(x)
eqx.tree_at(lambda tree: (seen.append(1), tree)[1], x, x)
next(iter(ticks))
x * max(ticks)
dict(zip("ab", ticks))
"".join(map(str, ticks))
any(ticks)
1.0 in ticks
itertools.islice(ticks, 1).__next__()
collections.deque(ticks)
os.environ.setdefault("JUPYTER_JAXPR_TEST", "1")
os.chdir(".")
sys.path.append("a")
sys.setswitchinterval(0.005)
time.sleep(0)
random.Random.seed(random._inst, 1)
random.shuffle(seen)
np.random.seed(0)
warnings.simplefilter("ignore")
jax.config.update("jax_enable_x64", False)
jax.clear_caches()
heapq.heappush(heap, 1)
bisect.insort(heap, 2)
numbers.append(2.0)
memoryview(raw).__setitem__(0, 1)
chain.update(b=1)
globals().update(fresh=1)
vars(trainer).update(n=1)
trainer.__dict__.update(n=1)
delattr(trainer, "items")
same.__dict__.update(a=1)
same.__setattr__("a", 1)
(lambda each: setattr(each, "n", 1))(trainer)
(lambda each=trainer: each.bump())()
(lambda *each: each[0].bump())(trainer)
(lambda **each: each["t"].bump())(t=trainer)
[each.bump() for each in (trainer,)]
{name: each.bump() for name, each in {"a": trainer}.items()}
next(iter([trainer])).bump()
dict(zip("a", [trainer]))["a"].bump()
collections.ChainMap({"a": trainer})["a"].bump()
types.SimpleNamespace(a=trainer).a.bump()
types.MethodType(Trainer.bump, trainer)()
copy.copy(parent).child.bump()
copy.copy(trainers)[0].bump()
max([trainer], key=lambda each: 1).bump()
vars(parent)["child"].bump()
inspect.getattr_static(parent, "log").append(1)
weakref.ref(trainer)().bump()
weakref.finalize(trainer, seen.append, 1)
type(trainer).bump(trainer)
Trainer.__init__(trainer)
trainer.__init__()
exec("seen.append(1)")
__import__("sys").modules.setdefault("a", 1)
"""


def expressions() -> list[str]:
    """Return the texts of the expressions in EXPRESSIONS."""
    return EXPRESSIONS.strip().splitlines()


def state_of(world: types.ModuleType) -> dict[str, Any]:
    """Return the state that the expressions can change; reading the state calls no code of the world's objects."""
    values = {name: value for name, value in vars(world).items() if not name.startswith(("__", "function_"))}
    return {
        **{name: _told(value, set()) for name, value in values.items() if not isinstance(value, types.ModuleType)},
        "random": hash(random.getstate()),
        "numpy.random": hash(np.random.get_state()[1].tobytes()),  # type: ignore[union-attr]  # a tuple
        "environment": os.environ.get("JUPYTER_JAXPR_TEST"),
        "modules": "a" in sys.modules,
        "path": list(sys.path),
        "process": (gc.isenabled(), sys.getswitchinterval(), len(warnings.filters), jax.config.jax_enable_x64),
        "loggers": (logging.getLogger("a").level, len(logging.getLogger().handlers)),
    }


def _told(value: Any, visited: set[int]) -> Any:
    if isinstance(value, jax.core.Tracer):
        return "a tracer"
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    if id(value) in visited or isinstance(value, types.FunctionType | logging.Logger):
        return "..."
    visited = visited | {id(value)}
    if isinstance(value, np.ndarray | jax.Array):
        return np.asarray(value).tolist()
    if isinstance(value, dict):
        return [(_told(key, visited), _told(part, visited)) for key, part in dict.items(value)]
    if isinstance(value, list):
        return [_told(part, visited) for part in list.__iter__(value)]
    if isinstance(value, array.array | bytearray):
        return bytes(memoryview(value))
    if type(value).__name__ == "list_iterator":
        return value.__length_hint__()
    if type(value).__name__ == "count":
        return repr(value)
    if isinstance(value, type):
        return [(name, _told(part, visited)) for name, part in vars(value).items() if isinstance(part, int | list)]
    if isinstance(value, contextvars.ContextVar):
        return value.get(None)
    attributes = object.__getattribute__(value, "__dict__") if type(value).__dictoffset__ else {}
    return (type(value).__name__, [(name, _told(part, visited)) for name, part in dict(attributes).items()])
