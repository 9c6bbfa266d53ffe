"""Finds the user's function that a call runs: `f` for `jax.grad(f)(x)`, for `jax.vjp(f, x)` and for `pull(1.0)`.

`pull` is the function that `jax.vjp(f, x)` returns. Without jit, JAX runs `f` operation by operation, under the
transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...jax.transforms_around_function import linear_of, runs_its_function
from ...plain_text import text_of
from ..functions.function_inside_wrappers import code_of, name_of, place_of
from ..observation import Place
from ..programs.transform_names_in_list import name_at_once, name_of_derived, names_around
from ..user_or_library.library_functions import is_users
from ..user_or_library.whose_code import is_installed


@dataclass(frozen=True)
class CalledFunction:
    """The user's function that a call runs, and the transform that the call applies.

    Attributes:
        name: The name of the function.
        definition: The place where the function is defined.
        transform: The transform under which the function runs, such as `grad` or `vjp backward`; None without one.
        is_backward: The call runs a function that a transform made, not the Python of the user's function.
    """

    name: str
    definition: Place | None
    transform: str | None = None
    is_backward: bool = False


def runs_for_user(fun: Any) -> bool:
    """Return whether a call of `fun` runs a function of the user's; False where only the arguments can show this."""
    linear = linear_of(fun)
    if linear is not None:
        return not is_installed(linear.file)
    return runs_its_function(fun) is not None or is_users(fun)


def called_function(fun: Any, args: Sequence[Any]) -> CalledFunction:
    """Return the user's function that `fun` calls with these arguments: for `fun = jax.vjp` and `args = (f, x)`, f."""
    linear = linear_of(fun)
    if linear is not None:
        name = text_of(linear.name)
        definition = Place(text_of(linear.file), linear.line, name)
        return CalledFunction(name, definition, name_of_derived(linear.transform), is_backward=True)
    at_once = runs_its_function(fun)
    if at_once is not None and args and callable(args[0]):
        function = called_function(args[0], ())
        return CalledFunction(function.name, function.definition, name_at_once(at_once, function.transform))
    return CalledFunction(name_of(fun), place_of(code_of(fun)), names_around(fun))
