"""A function and the types of its arguments in, the types of its results out: JAX traces, and nothing runs.

A trial of a cure compares what the code gives as it is with what the edited code gives. The functions are copies, so
that the trace leaves nothing in JAX's caches; a function that may change something outside of itself is not traced, and
a trace ends after `errors.time_limit.SECONDS`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..observe.calls.printed_output import PrintRecorder
from ..observe.kernel import observer
from ..observe.side_effects.proof import side_effects
from .errors.copies import NotCopied, copied
from .errors.time_limit import TooLong, limited


class Fixed:
    """A value that is no argument of the trace, such as that of a static argument."""

    def __init__(self, value: Any) -> None:
        self.value = value


class ResultTypes(NamedTuple):
    """What a call gives: the structure, and the shape and dtype of each leaf."""

    tree: Any
    leaves: tuple[tuple[tuple[int, ...], Any], ...]


class Untried(Exception):
    """Nothing was traced: the code may change something outside of itself, or the trace took too long."""


def spec_of_aval(aval: Any) -> Any:
    """The type that a trace takes in place of an array."""
    import jax

    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def result_types(
    fun: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    outside: Mapping[str, Any] | None = None,
    copy: Callable[[Mapping[str, Any]], Any] | None = None,
    in_cell: bool = False,
) -> ResultTypes:
    """The types of the results of a call.

    Args:
        fun: What is called.
        args: Types in place of arrays; a `Fixed` in place of any other value.
        kwargs: Likewise.
        outside: Types of values that the function reads from outside of its arguments.
        copy: Makes the copy that is traced, with the values in `outside`; None for a copy of `fun`.
        in_cell: A cell waits for the trial.

    Raises:
        Untried: Nothing was traced.
        Exception: What the trace raised.
    """
    import jax

    leaves, tree = jax.tree_util.tree_flatten((tuple(args), dict(kwargs), dict(outside or {})))
    places = [number for number, leaf in enumerate(leaves) if type(leaf) is jax.ShapeDtypeStruct]
    found: list[Any] = []

    def whole(inputs: Sequence[Any]) -> Any:
        filled = [leaf.value if type(leaf) is Fixed else leaf for leaf in leaves]
        for place, value in zip(places, inputs, strict=True):
            filled[place] = value
        return jax.tree_util.tree_unflatten(tree, filled)

    specs = [leaves[place] for place in places]
    positional, named, _ = whole(specs)
    if side_effects(fun, positional, named, first=True):
        raise Untried
    prints = PrintRecorder(lambda: "", swallow=True)

    def run(*inputs: Any) -> list[Any]:
        positional, named, read = whole(inputs)
        plain = copied(fun, {}) if copy is None else copy(read)
        numbers, structure = jax.tree_util.tree_flatten(plain(*positional, **named))
        found[:] = [structure]
        # A text or an object among the results is an error of jit.
        return [number if hasattr(number, "dtype") else jax.numpy.asarray(number) for number in numbers]

    try:
        with observer().looking_away(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            prints.start()
            with limited(in_cell):
                outs = jax.eval_shape(run, *specs)
    except (NotCopied, TooLong) as error:
        raise Untried from error
    finally:
        prints.stop()
    return ResultTypes(found[0], tuple((tuple(out.shape), out.dtype) for out in outs))
