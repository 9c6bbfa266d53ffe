"""Tests the reasons of misses by the arguments of a call, with the values before and after and the cure."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.layout import Format, Layout
from misses_told import first, told

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.reason import Reason

PAD = "Pad the array to one shape, or expect one compile for each shape."
STRUCTURE = "Pass the same structure every time: the same keys, the same containers, None in the same places."
ONE_WAY = "Pass the same arguments by keyword in every call: a call with other keywords needs its own cache entry."


def test_first_call() -> None:
    with observe() as ledger:
        jax.jit(lambda x: x)(1.0)
    assert told(ledger, "<lambda>") == [("compiled", (Reason("first_call", "This is the first call of <lambda>."),))]


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
                    "shape", "The type of p['w'] changed from f32[10] to f32[20].", "p['w']", "f32[10]", "f32[20]", PAD
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
    cure = "Pass arrays with the same number of axes in every call, or expect one compile for each shape."
    assert told(ledger, "f")[1] == (
        "compiled",
        (Reason("shape", "The type of x changed from f32[] to f32[4].", "x", "f32[]", "f32[4]", cure),),
    )


def test_dtype() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        f(jnp.ones(3, jnp.int32))
    cure = "Convert x to one dtype before each call, for example with x.astype(...)."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("dtype", "The type of x changed from f32[3] to i32[3].", "x", "f32[3]", "i32[3]", cure),)),
    ]


def test_shape_and_dtype_of_one_argument_are_one_sentence() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        f(jnp.ones(4, jnp.int32))
    assert [str(reason) for reason in ledger["f"].misses[1].reasons] == ["The type of x changed from f32[3] to i32[4]."]
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
        ("compiled", (Reason("weak_type", f"The type of x changed from {weak} to f32[].", "x", weak, "f32[]", cure),)),
        (
            "dispatch_only",
            (
                Reason(
                    "argument_type",
                    "The class of x changed from float to jax.Array; the type weak f32[] is the same.",
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
    first_structure, two, three = "{'w': *}", "{'b': *, 'w': *}", "{'b': None, 'w': *}"
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("pytree", "The structure of p gained p['b'].", "p", first_structure, two, STRUCTURE),)),
        (
            "compiled",
            (
                Reason(
                    "pytree",
                    "The value of p['b'] was not None in the earlier call and is None in this call.",
                    "p",
                    two,
                    three,
                    STRUCTURE,
                ),
            ),
        ),
    ]


def test_values_of_a_structure_that_are_none_in_one_of_two_calls() -> None:
    @jax.jit
    def mean(fit: Any) -> Any:
        return sum(jax.tree.leaves(fit)) / 2

    x = jnp.ones(2)
    full = {"slope": x, "errors": (x, x)}
    with observe() as ledger:
        mean(full)
        mean({"slope": None, "errors": (x, None)})
        mean({"slope": x, "errors": (None, None)})
        mean({"slope": x, "errors": None})
    texts = [[reason.text for reason in reasons] for _, reasons in told(ledger, "mean")]
    assert texts[1:] == [
        ["The values of fit['errors'][1], fit['slope'] were not None in the earlier call and are None in this call."],
        [
            "The value of fit['slope'] was None in the earlier call and is not None in this call. The value of "
            "fit['errors'][0] was not None in the earlier call and is None in this call."
        ],
        [
            "The structure of fit changed from {'errors': (None, None), 'slope': *} to {'errors': None, 'slope': *}.",
        ],
    ]


def test_another_weak_type_is_closer_than_another_shape_or_dtype() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * 2

    with observe() as ledger:
        f(2.0)
        f(jnp.ones(3))
        f(jnp.int32(2))
        f(jnp.float32(2.0))
    cure = "Pass x as one kind of value every time, such as jnp.asarray(x, dtype=...)."
    text = "The type of x changed from weak f32[] (a Python float) to f32[]."
    assert told(ledger, "f")[3] == (
        "compiled",
        (Reason("weak_type", text, "x", "weak f32[] (a Python float)", "f32[]", cure),),
    )


def test_the_closest_structure_has_the_most_containers_alike() -> None:
    @jax.jit
    def f(xs: Any) -> Any:
        return jax.tree.leaves(xs)[0]

    @jax.jit
    def g(p: Any) -> Any:
        return jax.tree.leaves(p)[0]

    with observe() as ledger:
        f([1.0, 2.0])
        f((1.0, 2.0))
        f([1.0, 2.0, 3.0])
        g({"a": {0: {"w": 1.0}}})
        g({"a": [{"w": 1.0}]})
        g({"a": {0: {"w": 1.0, "b": None}}})
    two, three = "[*, *]", "[*, *, *]"
    assert told(ledger, "f")[2] == (
        "compiled",
        (Reason("pytree", "The structure of xs gained xs[2].", "xs", two, three, STRUCTURE),),
    )
    before, after = "{'a': {0: {'w': *}}}", "{'a': {0: {'b': None, 'w': *}}}"
    assert told(ledger, "g")[2] == (
        "compiled",
        (Reason("pytree", f"The structure of p changed from {before} to {after}.", "p", before, after, STRUCTURE),),
    )


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
            (Reason("pytree", "The structure of p changed from (*, *) to [*, *].", "p", "(*, *)", "[*, *]", cure),),
        ),
        (
            "compiled",
            (
                Reason(
                    "pytree",
                    "The structure of p changed from [*, *] to CustomNode(namedtuple[Point], [*, *]).",
                    "p",
                    "[*, *]",
                    "CustomNode(namedtuple[Point], [*, *])",
                    cure,
                ),
            ),
        ),
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
    by_position, one_keyword, two_keywords = (
        "2 by position",
        "1 by position, b by keyword",
        "0 by position, a, b by keyword",
    )
    assert told(ledger, "f") == [
        first("f"),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "The call passes b by keyword, not by position; the types and the static values are the same.",
                    "b",
                    by_position,
                    one_keyword,
                    ONE_WAY,
                ),
            ),
        ),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "The call passes a by keyword, not by position; the types and the static values are the same.",
                    "a",
                    one_keyword,
                    two_keywords,
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
                    "The call passes n, which the earlier call left out: the value is the default.",
                    "n",
                    "1 by position",
                    "1 by position, n by keyword",
                    "Pass n in every call or in no call: the cache key holds which arguments a call passes.",
                ),
            ),
        ),
        (
            "compiled",
            (
                Reason(
                    "call_style",
                    "The call passes n by position, not by keyword; the types and the static values are the same.",
                    "n",
                    "1 by position, n by keyword",
                    "2 by position",
                    ONE_WAY,
                ),
            ),
        ),
    ]


def test_a_static_nan_that_is_the_same_object_is_equal() -> None:
    @functools.partial(jax.jit, static_argnames="fill")
    def shift(x: Any, fill: float = np.nan) -> Any:
        return jnp.where(x > 0, x, fill)

    with observe() as ledger:
        shift(1.0)
        shift(1.0, fill=np.nan)
    assert told(ledger, "shift")[1] == (
        "compiled",
        (
            Reason(
                "call_style",
                "The call passes fill, which the earlier call left out: the value is the default.",
                "fill",
                "1 by position",
                "1 by position, fill by keyword",
                "Pass fill in every call or in no call: the cache key holds which arguments a call passes.",
            ),
        ),
    )


def test_argument_type() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        f(jnp.ones(3))
        f(np.ones(3, np.float32))
        f(np.ones(3, np.float32))
    text = "The class of x changed from jax.Array to numpy; the type f32[3] is the same."
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
    sharding = x.sharding
    rows = jax.device_put(x, Format(Layout(major_to_minor=(0, 1)), sharding))
    columns = jax.device_put(x, Format(Layout(major_to_minor=(1, 0)), sharding))
    with observe() as ledger:
        f(rows)
        f(columns)
    text = "The memory layout of x changed from (0, 1) to (1, 0)."
    cure = "Keep the argument in one memory layout, with jax.device_put before the calls."
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("layout", text, "x", "layout (0, 1)", "layout (1, 0)", cure),)),
    ]


def test_no_fast_path() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        jax.debug.print("{}", x)
        return x

    with observe() as ledger:
        f(1.0)
        f(1.0)
    text = (
        "Each later call of f is a slow hit: JAX has no fast path for a function with effects, such as those "
        "of a callback (Debug)."
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

    reference = jax.new_ref(jnp.ones(4))
    with observe() as ledger:
        for _ in range(2):
            write(reference, jnp.ones(4))
            kept(jnp.ones(4))
    text = (
        "Each later call of write is a slow hit: JAX has no fast path for a function that reads or writes a "
        "mutable reference from outside of the function (Write<Ref{float32[4]}>)."
    )
    assert told(ledger, "write") == [first("write"), ("dispatch_only", (Reason("no_fast_path", text),))]
    assert told(ledger, "kept") == [first("kept")]


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
    start, *_ = lines = [miss.line for miss in ledger["f"].misses]
    assert lines == [start, start + 2, start + 4]
    texts = [
        f"The cache entry made from line {start} is gone: jax.clear_caches() cleared the caches.",
        f"The cache entry made from line {start + 2} is gone: clear_cache() cleared the entries of f.",
    ]
    assert told(ledger, "f") == [
        first("f"),
        ("compiled", (Reason("cleared", texts[0], cure="Do not call jax.clear_caches() between calls."),)),
        ("compiled", (Reason("cleared", texts[1], cure="Do not call clear_cache() between calls."),)),
    ]


def test_a_new_body_is_new_whether_or_not_the_caches_were_cleared() -> None:
    with observe() as ledger:
        for _ in range(2):
            jax.lax.scan(lambda carry, x: (carry + x, x), 0, np.arange(3))
            jax.clear_caches()
    ((_, (reason,)),) = told(ledger, "scan(<lambda>)")[1:]
    assert reason.kind == "new_function" and "<lambda> is a new function object" in reason.text


def test_committed() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    with observe() as ledger:
        f(x)
        f(jax.device_put(x, jax.devices()[0]))
    text = "The value of x is now committed to cpu:0."
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
    late = Observer()  # a new observer, as if the extension were loaded after the first call
    try:
        run = late.begin()
        f(jnp.ones(3))
        late.end(run)
        (record,) = late.history.full_ledger(10).functions
    finally:
        late.hooks.remove()
    text = "This is the first observed call of f. JAX had compiled f before."
    assert [(miss.outcome, miss.reasons) for miss in record.misses] == [
        ("compiled", (Reason("first_observed", text),)),
    ]


def test_unknown() -> None:
    """The keys of two calls are equal, but JAX lowered again, as a future JAX with further ingredients could do."""
    from jupyter_jaxpr.observe.cache.history_of_one_function import FunctionHistory, MissEvent
    from jupyter_jaxpr.observe.cache.key_of_call import key_of
    from jupyter_jaxpr.observe.cache.miss_reasons import reasons_of

    key = key_of(None, (1.0,), {})
    history = FunctionHistory("f", None)
    for number in (1, 2):
        history.events.append(MissEvent(number, 0, 0, key, None, "lowered", lower=0.1, fast_path=True))
    assert reasons_of(history.events[1], history) == (
        Reason("unknown", "The reason is unknown: no recorded part of the cache key differs from an earlier call."),
    )


def test_a_call_of_jvp_with_an_integer_alone(notebook) -> None:
    """The tangent of an integer is no number, so jvp calls the function with the array itself, beside the fast path."""
    notebook.run("import jax, jax.numpy as jnp, numpy as np\ni = jnp.arange(3)")
    notebook.run("@jax.jit\ndef counted_on(i):\n    return i + 1\n\ncounted_on(i)")
    ran = notebook.run("%%jaxpr\ny = jax.jvp(counted_on, (i,), (np.zeros(3, jax.dtypes.float0),))")
    (function,) = [each for each in ran.document["ledger"]["functions"] if each["name"] == "counted_on"]
    (miss,) = [each for each in function["misses"] if each["this_run"]]
    assert [(reason["kind"], reason["text"]) for reason in miss["reasons"]] == [
        (
            "no_fast_path",
            "The function counted_on was called under a transform such as grad or vmap: such calls have no fast path.",
        )
    ]


def test_evicted_from_the_fast_path_alone() -> None:
    """If a function has more than 8,192 entries, JAX evicts entries of the fast path, but keeps the executables."""
    from jupyter_jaxpr.observe.cache.history_of_one_function import FunctionHistory, MissEvent
    from jupyter_jaxpr.observe.cache.key_of_call import key_of
    from jupyter_jaxpr.observe.cache.miss_reasons import reasons_of

    key = key_of(None, (1.0,), {})
    history = FunctionHistory("f", None)
    for number, outcome in ((1, "compiled"), (9_000, "dispatch_only")):
        history.events.append(MissEvent(number, 0, 0, key, None, outcome, fast_path=True))
    assert reasons_of(history.events[1], history) == (
        Reason(
            "cleared", "The cache key equals an earlier key: JAX evicted the fast-path entry and reused the executable."
        ),
    )


def test_several_reasons_against_the_closest_earlier_call() -> None:
    @functools.partial(jax.jit, static_argnames="n")
    def f(p: Any, x: Any, n: int) -> Any:
        return p["w"] * x * n

    one_element, two = jnp.ones(1), jnp.ones(2)
    with observe() as ledger:
        f({"w": one_element}, one_element, n=1)
        f({"w": two}, two, n=1)
        f({"w": two}, two, n=2)  # the ledger compares this call with the second call, from which it differs least
        # the ledger compares this call with the third call, from which it differs least
        f({"w": one_element}, two, n=2)
    assert [str(reason) for miss in ledger["f"].misses[2:] for reason in miss.reasons] == [
        "The static argument n changed from 1 to 2.",
        "The type of p['w'] changed from f32[2] to f32[1].",
    ]


def test_a_first_call_under_vmap_with_a_new_type_is_a_trace_too() -> None:
    @jax.jit
    def weak(x: Any) -> Any:
        return x + 1

    @jax.jit
    def strong(x: Any) -> Any:
        return x + 1

    with observe() as ledger:
        for f, x in ((weak, 1.5), (strong, np.float32(1.5))):
            f(x)
            jax.vmap(f)(jnp.ones(3))
    another = "JAX makes another program for such calls."
    assert told(ledger, "weak")[1:] == [
        (
            "compiled",
            (
                Reason(
                    "transform",
                    f"This is the first call of weak under vmap. {another} JAX also traced weak again. The type of x "
                    "changed from weak f32[] (a Python float) to f32[].",
                ),
            ),
        )
    ]
    assert told(ledger, "strong")[1:] == [
        ("compiled", (Reason("transform", f"This is the first call of strong under vmap. {another}"),))
    ]
