"""Tests targets: array types as JAX prints them, mixed with values, and messages on mistakes before anything runs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jupyter_jaxpr.typed.targets_and_array_types import SpecError, parse_target


def arguments(text: str, **names: object) -> tuple[tuple[object, ...], dict[str, object]]:
    return parse_target(text).arguments(dict(names))


def test_types_become_specs_and_the_rest_is_python() -> None:
    args, kwargs = arguments("f(f32[8,128], {'w': bf16[128,4]}, x, n=3)", x=7)
    assert args == (
        jax.ShapeDtypeStruct((8, 128), jnp.float32),
        {"w": jax.ShapeDtypeStruct((128, 4), jnp.bfloat16)},
        7,
    )
    assert kwargs == {"n": 3}


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("f32[]", jax.ShapeDtypeStruct((), jnp.float32)),
        ("f32[8]{weak}", jax.ShapeDtypeStruct((8,), jnp.float32, weak_type=True)),
        ("i32[ 2 , 3 ]", jax.ShapeDtypeStruct((2, 3), jnp.int32)),
        ("f32[n, 2*n]", jax.ShapeDtypeStruct((4, 8), jnp.float32)),
        ("bool[1]", jax.ShapeDtypeStruct((1,), jnp.bool_)),
        ("float32[2]", jax.ShapeDtypeStruct((2,), jnp.float32)),
        ("f8_e4m3fn[2]", jax.ShapeDtypeStruct((2,), jnp.float8_e4m3fn)),
        ("key<fry>[]", jax.ShapeDtypeStruct((), jax.random.key(0).dtype)),
        ("key<rbg>[3]", jax.ShapeDtypeStruct((3,), jax.random.key(0, impl="rbg").dtype)),
    ],
)
def test_every_type_that_jax_prints(text: str, spec: object) -> None:
    (args, _) = arguments(f"f({text})", n=4)
    assert args == (spec,)


def test_a_type_is_a_spec_only_where_it_is_one() -> None:
    values = {"xs": [10, 20], "o": type("O", (), {"f32": [1, 2]})}
    assert arguments("f(xs[0], 'f32[8]', \"i32[1]\", o.f32[1])", **values) == ((10, "f32[8]", "i32[1]", 2), {})
    assert parse_target("f(xs[0])").has_specs is False
    assert parse_target("f(f32[1])").has_specs is True


def test_whether_evaluating_runs_code_of_the_user_s() -> None:
    assert parse_target("f(f32[8], (1, -2), {'a': [3.0]}, n='s')").takes_values is False
    assert parse_target("f(x)").takes_values is True
    assert parse_target("f(make())").takes_values is True


def test_the_function_may_be_any_expression() -> None:
    assert parse_target("jax.grad(f)(x)").function_text == "jax.grad(f)"
    assert parse_target("models[0].step(x)").function({"models": [Model()]}) == "step"


class Model:
    step = "step"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f", "'f' is not a call. Write the function with its arguments, such as f(x) or f(f32[8])."),
        ("f(x) + 1", "'f(x) + 1' is not a call. Write the function with its arguments, such as f(x) or f(f32[8])."),
        ("f32[8]", "'f32[8]' is not a call. Write the function with its arguments, such as f(x) or f(f32[8])."),
        (
            "f(x,, y)",
            "'f(x,, y)' does not parse (invalid syntax). Write a call, such as f(x), f(f32[8,128], n=3) or "
            "f({'w': bf16[128,4]}).",
        ),
        (
            "f(f31[8])",
            "'f31[8]': there is no dtype f31. Did you mean f32? Write, for example, f32, bf16, i32 or bool.",
        ),
        ("f(f32[8]{strong})", "'f32[8]{strong}': there is no mark {strong}. Write {weak} for a weakly typed array."),
        ("f(f32[-1])", "'f32[-1]': the size -1 is negative. Write sizes of 0 or more."),
        ("f(f32[2.5])", "'f32[2.5]': the size 2.5 is not an integer. Write integers, such as f32[8,128]."),
        (
            "f(key<abc>[])",
            "'key<abc>[]': there is no key type 'abc'. Write one of key<fry>, key<rbg>, key<urbg>.",
        ),
        ("f(key<fry>[]{weak})", "'key<fry>[]{weak}': a key has no weak type. Write key<fry>[]."),
    ],
)
def test_a_mistake_is_named_with_its_cure(text: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        parse_target(text)
    assert str(raised.value) == message


def test_a_size_that_turns_out_to_be_no_integer() -> None:
    with pytest.raises(SpecError, match=r"The size 'a' of f32\[...\] is a str. Write integers."):
        arguments("f(f32[n])", n="a")
