"""Tests the effects of equations and programs, which have JAX's names."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import io_callback
from jax.sharding import Mesh, PartitionSpec

import jupyter_jaxpr as jj
from jupyter_jaxpr.jax.effect_names import program_effects

X = jnp.ones(4)


def effects_of(fun: Any, *args: Any) -> tuple[list[str], list[str]]:
    """Return the effects of each equation that has any, and the effects of the program."""
    document = jj.inspect(fun, *args, stage="trace").document
    text = document.strings
    named = [
        f"{text[scope.primitive[row.equation]]}: {', '.join(text[effect] for effect in row.effects)}"
        for scope in document.scopes
        for row in scope.effects
    ]
    return named, program_effects(jax.jit(fun).trace(*args).jaxpr)


def printed(x: jax.Array) -> jax.Array:
    jax.debug.print("{}", x)
    return x


def ordered(x: jax.Array) -> jax.Array:
    io_callback(lambda value: None, None, x, ordered=True)
    return x


def kept(x: jax.Array) -> jax.Array:
    ref = jax.new_ref(x)
    ref[...] += 1.0
    return ref[...]


def summed(x: jax.Array) -> jax.Array:
    mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
    specs = PartitionSpec("d")
    return jax.shard_map(lambda part: lax.psum(part, "d"), mesh=mesh, in_specs=specs, out_specs=specs, check_vma=False)(
        x
    )


@pytest.mark.parametrize(
    ("fun", "named", "program"),
    [
        (printed, ["debug_print: Debug"], ["Debug"]),
        (ordered, ["io_callback: OrderedIO"], ["OrderedIO"]),
        # A reference that the program itself makes is no effect of the program. The texts contain no addresses.
        (
            kept,
            [
                "new_ref: InternalMutableArrayEffect",
                "get: Read<Ref{float32[4]}>",
                "swap: Write<Ref{float32[4]}>",
                "get: Read<Ref{float32[4]}>",
            ],
            [],
        ),
        # JAX's effect which says that a mapped axis must exist is left out.
        (summed, [], []),
    ],
)
def test_effects_are_those_that_somebody_outside_could_see(fun: Any, named: list[str], program: list[str]) -> None:
    assert effects_of(fun, X) == (named, program)


def test_what_writes_to_a_reference_of_its_caller_would_do_so_again() -> None:
    def write(ref: Any, x: jax.Array) -> None:
        ref[...] = x

    assert program_effects(jax.jit(write).trace(jax.new_ref(X), X).jaxpr) == ["Write<Ref{float32[4]}>"]


def test_a_card_has_the_effects_that_running_it_again_repeats() -> None:
    def loop(x: jax.Array) -> Any:
        outer = jax.new_ref(x)

        def own(carry: jax.Array, value: jax.Array) -> tuple[jax.Array, None]:
            return kept(carry) + value, None

        def shared(carry: jax.Array, value: jax.Array) -> tuple[jax.Array, None]:
            outer[...] += value
            return carry + outer[0], None

        return lax.scan(own, 0.0, x)[0], lax.scan(shared, 0.0, x)[0]

    first, second = jj.inspect(loop, X, stage="trace").control_flow
    assert (first.effects, second.effects) == ((), ("Read<Ref{float32[4]}>", "Write<Ref{float32[4]}>"))


def test_two_traces_of_the_same_function_have_the_same_effects() -> None:
    before, after = (jj.inspect(lambda x: kept(x), X, stage="trace") for _ in range(2))
    diff = before.diff(after)
    assert not diff.added and not diff.removed and not diff.changed
