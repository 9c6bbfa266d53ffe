"""Tests each reason of a miss in the ledger, with its values before and after and its cure."""

from __future__ import annotations

import functools
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.layout import Format, Layout

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.ledger import Ledger
from jupyter_jaxpr.observe.cache.reason import Reason

PAD = "Pad to one shape, or expect one compile for each shape."
STRUCTURE = "Pass the same structure every time: the same keys, the same containers, None in the same places."
ONE_WAY = "Call the function the same way every time: the cache key holds which arguments are passed by keyword."
ONCE = "Make the function once, before the loop: JAX caches by function object, not by code."


def told(ledger: Ledger, name: str) -> list[tuple[str, tuple[Reason, ...]]]:
    """Return outcome and reasons of each miss of a function."""
    return [(miss.outcome, miss.reasons) for miss in ledger[name].misses]


def first(name: str) -> tuple[str, tuple[Reason, ...]]:
    return "compiled", (Reason("first_call", f"first call of {name}"),)


def test_first_call() -> None:
    with observe() as ledger:
        jax.jit(lambda x: x)(1.0)
    assert told(ledger, "<lambda>") == [("compiled", (Reason("first_call", "first call of <lambda>"),))]


def test_shape() -> None:
    @jax.jit
    def f(p: Any) -> Any:
        return p["w"] + 1

    with observe() as ledger:
        f({"w": jnp.ones(10)})
        f({"w": jnp.ones(20)})
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (
                Reason(
                    "shape", "the type of p['w'] changed from f32[10] to f32[20]", "p['w']", "f32[10]", "f32[20]", PAD
                ),
            ),
        ),
    ]


def test_another_number_of_axes_is_not_cured_by_padding() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(()))
        f(jnp.ones(4))
    cure = "Pass arrays with one number of axes, or expect one compile for each shape."
    assert told(ledger, "f")[1] == (
        "compiled",
        (Reason("shape", "the type of x changed from f32[] to f32[4]", "x", "f32[]", "f32[4]", cure),),
    )


def test_dtype() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        f(jnp.ones(3, jnp.int32))
    cure = "Convert x to one dtype before each call, such as with x.astype(...)."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("dtype", "the type of x changed from f32[3] to i32[3]", "x", "f32[3]", "i32[3]", cure),)),
    ]


def test_shape_and_dtype_of_one_argument_are_one_sentence() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        f(jnp.ones(4, jnp.int32))
    assert [str(reason) for reason in ledger["f"].misses[1].reasons] == ["the type of x changed from f32[3] to i32[4]"]
    assert [reason.kind for reason in ledger["f"].misses[1].reasons] == ["shape"]


def test_weak_type() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * 2

    with observe() as ledger:
        f(1.0)
        f(jnp.float32(1))
        f(jnp.asarray(1.0) * 1)
    cure = "Pass x as one kind of value every time, such as jnp.asarray(x, dtype=...)."
    weak = "weak f32[] (a Python float)"
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("weak_type", f"the type of x changed from {weak} to f32[]", "x", weak, "f32[]", cure),)),
        (
            "dispatch_only",
            (
                Reason(
                    "argument_type",
                    "x changed from float to jax.Array, with the same type weak f32[]",
                    "x",
                    "float",
                    "jax.Array",
                    "JAX compiled nothing. To avoid the slower call, pass x as a jax.Array in every call.",
                ),
            ),
        ),
    ]


def test_pytree() -> None:
    @jax.jit
    def f(p: Any, x: Any) -> Any:
        return p["w"] * x

    x = jnp.ones(3)
    with observe() as ledger:
        f({"w": x}, x)
        f({"w": x, "b": x}, x)
        f({"w": x, "b": None}, x)
    one, two, three = "{'w': *}", "{'b': *, 'w': *}", "{'b': None, 'w': *}"
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("pytree", "the structure of p gained p['b']", "p", one, two, STRUCTURE),)),
        ("compiled", (Reason("pytree", "the structure of p lost p['b']", "p", two, three, STRUCTURE),)),
    ]


def test_pytree_of_another_class() -> None:
    class Point(NamedTuple):
        x: Any
        y: Any

    @jax.jit
    def f(p: Any) -> Any:
        return p[0] + p[1]

    with observe() as ledger:
        f((1.0, 2.0))
        f([1.0, 2.0])
        f(Point(1.0, 2.0))
    cure = STRUCTURE
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (Reason("pytree", "the structure of p changed from (*, *) to [*, *]", "p", "(*, *)", "[*, *]", cure),),
        ),
        (
            "compiled",
            (
                Reason(
                    "pytree",
                    "the structure of p changed from [*, *] to CustomNode(namedtuple[Point], [*, *])",
                    "p",
                    "[*, *]",
                    "CustomNode(namedtuple[Point], [*, *])",
                    cure,
                ),
            ),
        ),
    ]


def test_static_value() -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(x: Any, n: int) -> Any:
        return x * n

    with observe() as ledger:
        f(1.0, n=2)
        f(1.0, n=3)
        f(1.0, n=2)
    cure = "JAX compiles once for each value of n. Make n a traced argument if the function only computes with it."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("static_value", "the static argument n changed from 2 to 3", "n", "2", "3", cure),)),
    ]


class Config:
    """A static argument that compares by identity."""


def test_static_identity() -> None:
    @functools.partial(jax.jit, static_argnames="config")
    def f(x: Any, config: Config) -> Any:
        return x * 2

    with observe() as ledger:
        f(1.0, config=Config())
        f(1.0, config=Config())
    text = "the static argument config is a new Config object that does not equal the earlier object"
    cure = "Reuse the object, or give Config an __eq__ and a __hash__ that compare its contents."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("static_identity", text, "config", "<Config>", "<Config>", cure),)),
    ]


class Schedule:
    """A static argument that compares by identity and has contents."""

    def __init__(self, **contents: Any) -> None:
        self.__dict__.update(contents)


def scheduled_1(x: Any, schedule: Schedule) -> Any:
    return x * 2


def scheduled_2(x: Any, schedule: Schedule) -> Any:
    return x * 2


def scheduled_3(x: Any, schedule: Schedule) -> Any:
    return x * 2


def scheduled_4(x: Any, schedule: Schedule) -> Any:
    return x * 2


def scheduled_5(x: Any, schedule: Schedule) -> Any:
    return x * 2


def scheduled_6(x: Any, schedule: Schedule) -> Any:
    return x * 2


def scheduled_7(x: Any, schedule: Schedule) -> Any:
    return x * 2


ONES = jnp.ones(300)


@pytest.mark.parametrize(
    ("function", "before", "after", "text", "cure"),
    [
        (
            scheduled_1,
            {"rate": 0.1, "name": "sgd"},
            {"rate": 0.01, "name": "sgd"},
            "the static argument schedule is another Schedule object: schedule.rate changed from 0.1 to 0.01",
            "JAX compiles once for each Schedule object. With an __eq__ and a __hash__ that compare the contents, JAX "
            "compiles once for objects with equal contents. Pass schedule.rate as an argument that is not static "
            "if the function only computes with schedule.rate.",
        ),
        (
            scheduled_2,
            {"kinds": ("warm", "cos")},
            {"kinds": ("warm", "exp")},
            "the static argument schedule is another Schedule object: schedule.kinds[1] changed from 'cos' to 'exp'",
            "JAX compiles once for each Schedule object. With an __eq__ and a __hash__ that compare the contents, JAX "
            "compiles once for objects with equal contents.",
        ),
        (
            scheduled_3,
            {"rate": 0.1, "kinds": ["warm"]},
            {"rate": 0.1, "kinds": ["warm"]},
            "the static argument schedule is a new Schedule object that does not equal the earlier object",
            "Reuse the object, or give Schedule an __eq__ and a __hash__ that compare its contents.",
        ),
        (
            scheduled_5,
            {"bias": ONES},
            {"bias": ONES},
            "the static argument schedule is a new Schedule object that does not equal the earlier object",
            "Reuse the object, or give Schedule an __eq__ and a __hash__ that compare its contents.",
        ),
        (
            scheduled_6,
            {"bias": ONES},
            {"bias": jnp.ones(300)},
            "the static argument schedule is a new Schedule object that does not equal the earlier object",
            "Reuse the object. If the two objects have equal contents, give Schedule an __eq__ and a __hash__ that "
            "compare the contents.",
        ),
        (
            scheduled_7,
            {"act": partial(pow, 2)},
            {"act": partial(pow, 3)},
            "the static argument schedule is a new Schedule object that does not equal the earlier object",
            "Reuse the object. If the two objects have equal contents, give Schedule an __eq__ and a __hash__ that "
            "compare the contents.",
        ),
        (
            scheduled_4,
            {"inner": Config()},
            {"inner": Config()},
            "the static argument schedule is a new Schedule object that does not equal the earlier object",
            "Reuse the object. If the two objects have equal contents, give Schedule an __eq__ and a __hash__ that "
            "compare the contents.",
        ),
    ],
    ids=[
        "a number",
        "a text",
        "equal",
        "the same array",
        "arrays that only JAX can compare",
        "functions with the same code",
        "unknown",
    ],
)
def test_static_identity_of_objects_with_contents(
    function: Any, before: dict[str, Any], after: dict[str, Any], text: str, cure: str
) -> None:
    f = jax.jit(function, static_argnames="schedule")
    with observe() as ledger:
        f(1.0, schedule=Schedule(**before))
        f(1.0, schedule=Schedule(**after))
    assert told(ledger, function.__name__) == [
        first(function.__name__),
        ("compiled", (Reason("static_identity", text, "schedule", "<Schedule>", "<Schedule>", cure),)),
    ]


def test_static_identity_of_a_function() -> None:
    @functools.partial(jax.jit, static_argnames="g")
    def f(x: Any, g: Any) -> Any:
        return g(x)

    with observe() as ledger:
        for _ in range(2):
            f(1.0, g=lambda x: x)
    here = "<test_static_identity_of_a_function.<locals>.<lambda>>"
    text = "the static argument g is a new function object that does not equal the earlier object"
    cure = "Make the function once, before the calls, and reuse the function."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("static_identity", text, "g", here, here, cure),)),
    ]


def test_call_style_positional_or_keyword() -> None:
    @jax.jit
    def f(a: Any, b: Any) -> Any:
        return a + b

    with observe() as ledger:
        f(1.0, 2.0)
        f(1.0, b=2.0)
        f(1.0, 2.0)
        f(b=2.0, a=1.0)
    by_position, one, both = "2 by position", "1 by position, b by keyword", "0 by position, a, b by keyword"
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "the call passes b by keyword, not by position; the types and the static values are the same",
                    "b",
                    by_position,
                    one,
                    ONE_WAY,
                ),
            ),
        ),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "the call passes a by keyword, not by position; the types and the static values are the same",
                    "a",
                    one,
                    both,
                    ONE_WAY,
                ),
            ),
        ),
    ]


def test_call_style_default_given() -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(x: Any, n: int = 1) -> Any:
        return x * n

    with observe() as ledger:
        f(1.0)
        f(1.0, n=1)
        f(1.0, 1)
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "the call passes n, which the earlier call left out: the value is the default",
                    "n",
                    "1 by position",
                    "1 by position, n by keyword",
                    ONE_WAY,
                ),
            ),
        ),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "the call passes n by position, not by keyword; the types and the static values are the same",
                    "n",
                    "1 by position, n by keyword",
                    "2 by position",
                    ONE_WAY,
                ),
            ),
        ),
    ]


def test_argument_type() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        f(np.ones(3, np.float32))
        f(np.ones(3, np.float32))
    text = "x changed from jax.Array to numpy, with the same type f32[3]"
    cure = "JAX compiled nothing. To avoid the slower call, pass x as a jax.Array: jnp.asarray(x)."
    assert told(ledger, "f") == [
        first("f"),
        ("dispatch_only", (Reason("argument_type", text, "x", "jax.Array", "numpy", cure),)),
    ]


def test_layout() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones((2, 3))
    here = x.sharding
    rows = jax.device_put(x, Format(Layout(major_to_minor=(0, 1)), here))
    columns = jax.device_put(x, Format(Layout(major_to_minor=(1, 0)), here))
    with observe() as ledger:
        f(rows)
        f(columns)
    text = "the memory layout of x changed from (0, 1) to (1, 0)"
    cure = "Keep the argument in one memory layout, with jax.device_put before the loop."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("layout", text, "x", "layout (0, 1)", "layout (1, 0)", cure),)),
    ]


def test_config_matmul_precision() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x @ x

    x = jnp.ones((2, 2))
    with observe() as ledger:
        f(x)
        with jax.default_matmul_precision("float32"):
            f(x)
    name = "jax_default_matmul_precision"
    cure = f"Set {name} once, before the first call."
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (Reason("config", f"the setting {name} changed from None to float32", name, "None", "float32", cure),),
        ),
    ]


def test_config_x64() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    with observe() as ledger:
        f(x)
        with jax.enable_x64(True):
            f(x)
    name = "jax_enable_x64"
    cure = f"Set {name} once, before the first call."
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (Reason("config", f"the setting {name} changed from False to True", name, "False", "True", cure),),
        ),
    ]


def test_config_mesh() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    with observe() as ledger:
        f(x)
        with jax.set_mesh(mesh):
            f(x)
    cure = "Set the mesh once, before the first call."
    reason = Reason("config", "the mesh changed from none to i=1", "mesh", "none", "i=1", cure)
    assert told(ledger, "f") == [first("f"), ("compiled", (reason,))]


def test_new_lambda() -> None:
    with observe() as ledger:
        for _ in range(3):
            jax.jit(lambda x: x + 1)(1.0)
    line = ledger["<lambda>"].line
    assert told(ledger, "<lambda>") == [
        first("<lambda>"),
        (
            "compiled",
            (
                Reason(
                    "new_function",
                    f"second function object of lambda from line {line}: move the jit out of the loop",
                    cure=ONCE,
                ),
            ),
        ),
        (
            "compiled",
            (
                Reason(
                    "new_function",
                    f"third function object of lambda from line {line}: move the jit out of the loop",
                    cure=ONCE,
                ),
            ),
        ),
    ]
    assert ledger["<lambda>"].function_objects == 3


def test_new_nested_def() -> None:
    def step(x: Any) -> Any:
        @jax.jit
        def inner(y: Any) -> Any:
            return y + 1

        return inner(x)

    with observe() as ledger:
        step(1.0)
        step(1.0)
    line = ledger["inner"].line
    text = f"second function object of inner from line {line}: each call of step makes a new one"
    cure = "Make the function once, outside of step: JAX caches by function object, not by code."
    assert told(ledger, "inner") == [first("inner"), ("compiled", (Reason("new_function", text, cure=cure),))]


def test_new_partial() -> None:
    def f(x: Any, n: int) -> Any:
        return x * n

    with observe() as ledger:
        for n in (2, 3, 3):
            jax.jit(functools.partial(f, n=n))(1.0)
    cure = "Jit f itself and pass n as an argument; make it static if it must be a Python value."
    same = "Make the partial once, before the loop: JAX caches by function object."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("new_function", "another partial of f: n changed from 2 to 3", "n", "2", "3", cure),)),
        (
            "compiled",
            (
                Reason(
                    "new_function", "another partial of f that binds the same values: make the partial once", cure=same
                ),
            ),
        ),
    ]


def test_jit_of_the_same_function_object_in_a_loop_is_no_miss() -> None:
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        for _ in range(3):
            jax.jit(f)(1.0)
    assert told(ledger, "f") == [first("f")]


def test_no_fast_path() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        jax.debug.print("{}", x)
        return x

    with observe() as ledger:
        f(1.0)
        f(1.0)
    text = (
        "each later call of f is a slow hit: JAX has no fast path for a function with effects, such as those of a "
        "callback (Debug)"
    )
    assert told(ledger, "f") == [first("f"), ("dispatch_only", (Reason("no_fast_path", text),))]


def test_no_fast_path_with_a_reference() -> None:
    @jax.jit
    def write(ref: Any, x: Any) -> None:
        ref[...] = x

    @jax.jit
    def kept(x: Any) -> Any:
        ref = jax.new_ref(x)
        ref[...] += 1.0
        return ref[...]

    held = jax.new_ref(jnp.ones(4))
    with observe() as ledger:
        for _ in range(2):
            write(held, jnp.ones(4))
            kept(jnp.ones(4))
    text = (
        "each later call of write is a slow hit: JAX has no fast path for a function that reads or writes a mutable "
        "reference from outside of the function (Write<Ref{float32[4]}>)"
    )
    assert told(ledger, "write") == [first("write"), ("dispatch_only", (Reason("no_fast_path", text),))]
    assert told(ledger, "kept") == [first("kept")]


def test_another_transformation_makes_another_program() -> None:
    """JAX's compiles within the call belong to the call; those of the backward pass belong to the function."""

    @jax.jit
    def f(x: Any) -> Any:
        return x * x

    with observe() as ledger:
        jax.grad(f)(jnp.float32(1))
        jax.grad(f)(jnp.float32(1))
        jax.vmap(f)(jnp.ones(3))
    text = "first call of f under vmap: JAX derives a program for each transformation"
    first_call, again, mapped = told(ledger, "f")
    assert first_call == ("compiled", (Reason("first_call", "first call of f"),))
    assert again[0] == "dispatch_only"
    assert mapped == ("compiled", (Reason("argument_type", text),))
    # the programs of the forward pass, of the backward pass, and under vmap
    assert ledger["f"].compiles == 3
    assert ledger["f"].hits in (1, None)


def test_no_fast_path_under_a_transformation() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * x

    with observe() as ledger:
        for _ in range(2):
            jax.grad(f)(1.0)
    text = "f was called under reverse-mode differentiation: such calls have no fast path"
    outside = "Put the jit outside the transformation, such as jax.jit(jax.grad(f))."
    assert [reasons for _, reasons in told(ledger, "f")] == [
        (Reason("first_call", "first call of f"),),
        (Reason("no_fast_path", text, cure=outside),),
    ]


def test_cleared() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(1.0)
        jax.clear_caches()
        f(1.0)
        f.clear_cache()
        f(1.0)
    cure = "Do not call jax.clear_caches() or clear_cache() between calls."
    start, *_ = lines = [miss.line for miss in ledger["f"].misses]
    assert lines == [start, start + 2, start + 4]
    gone = [
        f"the cache entry made from line {start} is gone: jax.clear_caches() cleared the caches",
        f"the cache entry made from line {start + 2} is gone: the caches were cleared, or JAX evicted the entry",
    ]
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("cleared", gone[0], cure=cure),)),
        ("compiled", (Reason("cleared", gone[1], cure=cure),)),
    ]


def test_committed() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    with observe() as ledger:
        f(x)
        f(jax.device_put(x, jax.devices()[0]))
    text = "x is now committed to cpu:0"
    cure = "Commit the array in every call or in no call: jax.device_put with a device commits an array."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("committed", text, "x", "not committed", "committed", cure),)),
    ]


def test_first_observed() -> None:
    from jupyter_jaxpr.observe.observer import Observer

    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    f(jnp.ones(2))
    late = Observer()  # as if the extension were loaded only now
    try:
        run = late.begin()
        f(jnp.ones(3))
        late.end(run)
        (record,) = late.history.whole(10).functions
    finally:
        late.hooks.remove()
    text = "first observed call of f; JAX had compiled f before"
    assert [(miss.outcome, miss.reasons) for miss in record.misses] == [
        ("compiled", (Reason("first_observed", text),)),
    ]


def test_unknown() -> None:
    """A future JAX may have further ingredients: the keys seem equal, but JAX lowered again."""
    from jupyter_jaxpr.observe.cache.function_history import FunctionHistory, MissEvent
    from jupyter_jaxpr.observe.cache.keys_of_calls import key_of
    from jupyter_jaxpr.observe.cache.miss_reasons import reasons_of

    key = key_of(None, (1.0,), {})
    history = FunctionHistory("f", None)
    for number in (1, 2):
        history.events.append(MissEvent(number, 0, 0, key, None, "lowered", lower=0.1, fast_path=True))
    assert reasons_of(history.events[1], history) == (
        Reason("unknown", "the reason is unknown: no recorded part of the cache key differs from an earlier call"),
    )


def test_evicted_from_the_fast_path_alone() -> None:
    """With more than 8,192 entries, JAX evicts the entry of the fast path, but keeps the executable."""
    from jupyter_jaxpr.observe.cache.function_history import FunctionHistory, MissEvent
    from jupyter_jaxpr.observe.cache.keys_of_calls import key_of
    from jupyter_jaxpr.observe.cache.miss_reasons import reasons_of

    key = key_of(None, (1.0,), {})
    history = FunctionHistory("f", None)
    for number, outcome in ((1, "compiled"), (2, "dispatch_only")):
        history.events.append(MissEvent(number, 0, 0, key, None, outcome, fast_path=True))
    assert reasons_of(history.events[1], history) == (
        Reason(
            "cleared", "the cache key equals an earlier key: JAX evicted the fast-path entry and reused the executable"
        ),
    )


def test_several_reasons_against_the_closest_earlier_call() -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(p: Any, x: Any, n: int) -> Any:
        return p["w"] * x * n

    one, two = jnp.ones(1), jnp.ones(2)
    with observe() as ledger:
        f({"w": one}, one, n=1)
        f({"w": two}, two, n=1)
        f({"w": two}, two, n=2)  # the second call is closest
        f({"w": one}, two, n=2)  # the third call is closest
    assert [str(reason) for miss in ledger["f"].misses[2:] for reason in miss.reasons] == [
        "the static argument n changed from 1 to 2",
        "the type of p['w'] changed from f32[2] to f32[1]",
    ]


def test_another_jit_of_the_same_function_is_compared_with_the_first() -> None:
    """JAX's entries belong to the function, whichever `jax.jit` made them."""

    def f(x: Any) -> Any:
        return x + 1

    arrays = [jnp.ones(2), jnp.ones(3)]
    with observe() as ledger:
        for x in (*arrays, *arrays):
            jax.jit(f)(x)
        jax.jit(f, donate_argnums=0)(jnp.ones(3))
    pad = "Pad to one shape, or expect one compile for each shape."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("shape", "the type of x changed from f32[2] to f32[3]", "x", "f32[2]", "f32[3]", pad),)),
        (
            "compiled",
            (Reason("first_call", "first call of f with these options for jit", after="other options of jit"),),
        ),
    ]


def test_another_transformation_of_a_function_is_a_function_of_its_own() -> None:
    def loss(x: Any) -> Any:
        return jnp.sum(x * x)

    x = jnp.ones(4)
    with observe() as ledger:
        jax.jit(loss)(x)
        jax.jit(jax.grad(loss))(x)
        jax.jit(jax.grad(jax.checkpoint(loss)))(x)
        for _ in range(2):
            jax.jit(jax.vmap(loss))(jnp.ones((2, 4)))
        jax.jit(jax.jacrev(loss))(x)
    line = loss.__code__.co_firstlineno
    assert [(reason.kind, reason.text) for miss in ledger["loss"].misses for reason in miss.reasons] == [
        ("first_call", "first call of loss"),
        ("first_call", "first call of jax.grad(loss)"),
        ("first_call", "first call of jax.grad(jax.checkpoint(loss))"),
        ("first_call", "first call of jax.vmap(loss)"),
        ("new_function", f"second function object of jax.vmap(loss) from line {line}: move the jit out of the loop"),
        ("first_call", "first call of jax.jacrev(loss)"),
    ]
