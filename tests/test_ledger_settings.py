"""Tests the reasons of misses by JAX's settings, by a mesh, and by transformations."""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from misses_told import first, told

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.cache.reason import Reason


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
            (Reason("config", f"The setting {name} changed from None to float32.", name, "None", "float32", cure),),
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
            (Reason("config", f"The setting {name} changed from False to True.", name, "False", "True", cure),),
        ),
    ]


def test_a_call_within_ensure_compile_time_eval() -> None:
    """The setting behind it is internal: no user can set it before the first call."""

    @jax.jit
    def root(x: Any) -> Any:
        return jnp.sqrt(x)

    with observe() as ledger:
        root(jnp.float32(4))
        with jax.ensure_compile_time_eval():
            root(jnp.float32(9))
            root(jnp.int32(9))
        root(jnp.int32(4))
    manager = "jax.ensure_compile_time_eval()"
    cure = f"Expect one compile for the calls inside of {manager}, and one for the calls outside."
    text = f"This call is {{}} of {manager}, and the earlier call was {{}} of it."
    assert told(ledger, "root")[1] == (
        "compiled",
        (Reason("config", text.format("inside", "outside"), manager, "False", "True", cure),),
    )
    assert told(ledger, "root")[3] == (
        "compiled",
        (Reason("config", text.format("outside", "inside"), manager, "True", "False", cure),),
    )


def test_a_call_with_metadata_for_xla() -> None:
    from jax.experimental.xla_metadata import set_xla_metadata

    @jax.jit
    def root(x: Any) -> Any:
        return jnp.sqrt(x)

    with observe() as ledger:
        root(jnp.float32(4))
        with set_xla_metadata(tag="inner"):
            root(jnp.float32(4))
    manager = "jax.experimental.xla_metadata.set_xla_metadata"
    text = f"The value of {manager} around the call changed from None to {{'tag': 'inner'}}."
    cure = f"Expect one compile for each value of {manager}."
    assert told(ledger, "root")[1] == (
        "compiled",
        (Reason("config", text, manager, "None", "{'tag': 'inner'}", cure),),
    )


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
    reason = Reason("config", "The mesh changed from none to i=1.", "mesh", "none", "i=1", cure)
    assert told(ledger, "f") == [first("f"), ("compiled", (reason,))]


@pytest.mark.filterwarnings("ignore:.with mesh")
@pytest.mark.parametrize(
    ("order", "was", "after"),
    [
        ((None, "with", None, "set"), "none", "i=1"),
        ((None, "set", "with"), "none", "i=1"),
        ((None, "with", "set"), "none", "i=1"),
        (("set", "with"), "i=1 by set_mesh", "i=1 by a with statement"),
        (("with", "set"), "i=1 by a with statement", "i=1 by set_mesh"),
        (("set", "with", None), "i=1", "none"),
    ],
)
def test_the_closest_call_for_a_mesh_has_the_fewest_differences(order, was, after) -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    within = {None: contextlib.nullcontext, "with": lambda: mesh, "set": lambda: jax.set_mesh(mesh)}
    with observe() as ledger:
        for kind in order:
            with within[kind]():
                f(x)
    cure = "Set the mesh once, before the first call."
    reason = Reason("config", f"The mesh changed from {was} to {after}.", "mesh", was, after, cure)
    assert told(ledger, "f")[-1] == ("compiled", (reason,))


def test_two_meshes_that_differ_in_the_types_of_their_axes() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    auto, explicit = jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit
    with observe() as ledger:
        for types in ((auto, auto), (explicit, explicit), (explicit, auto)):
            with jax.set_mesh(jax.make_mesh((1, 1), ("rows", "columns"), axis_types=types)):
                f(x)
    assert [[reason.text for reason in reasons] for _, reasons in told(ledger, "f")[1:]] == [
        [
            "The mesh changed from rows=1 (Auto), columns=1 (Auto) to rows=1 (Explicit), columns=1 (Explicit).",
        ],
        [
            "The mesh changed from rows=1 (Explicit), columns=1 (Explicit) to rows=1 (Explicit), columns=1 (Auto).",
        ],
    ]


def test_another_transformation_makes_another_program() -> None:
    """The forward pass is compiled at the call of f; the backward pass is compiled later, and also counts for f."""

    @jax.jit
    def f(x: Any) -> Any:
        return x * x

    with observe() as ledger:
        jax.grad(f)(jnp.float32(1))
        jax.grad(f)(jnp.float32(1))
        jax.vmap(f)(jnp.ones(3))
    text = "This is the first call of f under vmap. JAX derives a program for each transform."
    first_call, second_call, mapped = told(ledger, "f")
    assert first_call == ("compiled", (Reason("first_call", "This is the first call of f."),))
    assert second_call[0] == "dispatch_only"
    assert mapped == ("compiled", (Reason("transform", text),))
    # f has three programs: the forward pass, the backward pass, and the program under vmap
    assert ledger["f"].compiles == 3
    assert ledger["f"].hits in (1, None)


def test_no_fast_path_under_a_transformation() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * x

    with observe() as ledger:
        for _ in range(2):
            jax.grad(f)(1.0)
    text = "The function f was called under reverse-mode differentiation: such calls have no fast path."
    outside = "Put the jit outside the transform: call the transformed function within a function under jax.jit."
    assert [reasons for _, reasons in told(ledger, "f")] == [
        (Reason("first_call", "This is the first call of f."),),
        (Reason("no_fast_path", text, cure=outside),),
    ]


def test_a_call_under_a_transformation_that_maps_none_of_its_arguments() -> None:
    """JAX makes a program for each batch size and each set of named axes; a grad or a jvp makes no program."""

    @jax.jit
    def f(i: Any) -> Any:
        return i * 3

    xs, i = jnp.ones((4, 3)), jnp.arange(3)
    with observe() as ledger:
        f(i)
        jax.grad(lambda x: (x * f(i)).sum())(xs)
        jax.jvp(f, (i,), (np.zeros(3, jax.dtypes.float0),))
        jax.vmap(lambda x: x * f(i))(xs)
        jax.vmap(lambda x: x * f(i))(xs)
        jax.vmap(lambda x: x * f(i))(xs[:2])
        jax.vmap(lambda x: x * f(i), axis_name="rows")(xs)
        f(i)
    slow = "such calls have no fast path."
    assert [(outcome, [reason.text for reason in reasons]) for outcome, reasons in told(ledger, "f")] == [
        ("compiled", ["This is the first call of f."]),
        ("dispatch_only", [f"The function f was called under a transform such as grad or vmap: {slow}"]),
        ("dispatch_only", [f"The function f was called under a transform such as grad or vmap: {slow}"]),
        ("compiled", ["This is the first call of f under vmap. JAX derives a program for each transform."]),
        ("dispatch_only", [f"The function f was called under vmap: {slow}"]),
        ("compiled", ["The batch size of vmap around f changed from 4 to 2."]),
        ("compiled", ["The named axes around the call changed from none to rows of size 4."]),
    ]


def test_a_value_under_a_transformation_that_is_committed_to_a_device() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return x * 2

    x = jnp.arange(3.0)
    committed = jax.device_put(x, jax.devices()[0])
    with observe() as ledger:
        jax.grad(lambda v: f(v).sum())(x)
        jax.grad(lambda v: f(v).sum())(committed)
        jax.grad(lambda v: f(v).sum())(committed)
    reasons = [(outcome, [reason.text for reason in reasons]) for outcome, reasons in told(ledger, "f")]
    assert reasons[0] == ("compiled", ["This is the first call of f."])
    slow = "The function f was called under reverse-mode differentiation: such calls have no fast path."
    assert reasons[1] in [
        ("compiled", ["The value of x is now committed to cpu:0."]),
        ("dispatch_only", [slow]),
    ]
    assert reasons[2] == ("dispatch_only", [slow])


def test_a_call_under_a_transformation_is_compared_with_calls_under_the_same_one() -> None:
    """The call under vmap differs in fewer arguments, but has a program of its own."""

    @jax.jit
    def f(x: Any, y: Any) -> Any:
        return x * y

    with observe() as ledger:
        jax.vmap(lambda v: f(v, 2.0))(jnp.arange(3.0))
        jax.grad(lambda v: f(v, jnp.float32(2.0)))(1.0)
        jax.grad(lambda v: f(v, 2.0))(1.0)
    cure = "Pass y as one kind of value every time, such as jnp.asarray(y, dtype=...)."
    text = "The type of y changed from f32[] to weak f32[] (a Python float)."
    reason = Reason("weak_type", text, "y", "f32[]", "weak f32[] (a Python float)", cure)
    assert told(ledger, "f")[-1] == ("compiled", (reason,))


def test_a_call_after_calls_under_a_transformation() -> None:
    @jax.jit
    def f(i: Any) -> Any:
        return i * 3

    xs, i = jnp.ones((4, 3)), jnp.arange(3)
    with observe() as ledger:
        jax.grad(lambda x: (x * f(i)).sum())(xs)
        for _ in range(2):
            f(i)
    text = "The earlier calls of f were under a transform, and such calls have no fast path. JAX compiled nothing."
    assert told(ledger, "f") == [first("f"), ("dispatch_only", (Reason("transform", text),))]
    assert [entry.fast_path for entry in ledger["f"].entries] == [False, True]


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
        ("first_call", "This is the first call of loss."),
        ("first_call", "This is the first call of jax.grad(loss)."),
        ("first_call", "This is the first call of jax.grad(jax.checkpoint(loss))."),
        ("first_call", "This is the first call of jax.vmap(loss)."),
        (
            "new_function",
            (f"This is the second function object of jax.vmap(loss) from line {line}. Move the jit out of the loop."),
        ),
        ("first_call", "This is the first call of jax.jacrev(loss)."),
    ]
