"""Finds the types of a call's results: traces the call with the types of its arguments, and computes nothing.

A trial of a cure compares the types from the user's code with those from the edited code. Copies of the functions are
traced, so that the trace leaves nothing in JAX's caches. A function that may change something outside of itself is not
traced. All trials of one request together may take at most `trials.trial_time_limit.SECONDS`.
"""

from __future__ import annotations

import enum
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple

from ..jax.hidden_events import unheard
from ..observe.calls.printed_output import PrintRecorder
from ..observe.process_observer import observer
from ..observe.side_effects.proof import side_effects
from ..program.jaxpr.parameters import open_jaxpr, programs_in
from .trials.copied_values import NotCopied, copied
from .trials.trial_time_limit import Budget, TooLong

#: The primitive that changes only the dtype of a value.
_CONVERSION = "convert_element_type"
#: The primitives that only move values, and the primitives that contain programs, such as scan.
_MOVES = frozenset(
    """convert_element_type broadcast_in_dim squeeze slice dynamic_slice dynamic_update_slice concatenate reshape gather
    transpose rev copy copy_p stack unstack split scan while cond pjit jit closed_call core_call remat checkpoint
    custom_jvp_call custom_vjp_call iota""".split()
)


class Fixed:
    """A value that is no traced argument but a constant of the trace, for example the value of a static argument."""

    def __init__(self, value: Any) -> None:
        self.value = value


class ResultTypes(NamedTuple):
    """The types of the results and of the equations of a call.

    Attributes:
        tree: The pytree structure of the result.
        leaves: The shape and dtype of each leaf.
        equations: The equations with the types of their operands and results, without conversions. If two calls of the
            same code have equal `equations`, they compute the same numbers, apart from the dtypes of inputs that are
            converted first.
        size: The number of equations, with the equations of bodies and branches.
        dtypes: The dtypes of the results of equations that do more than move values.
        float_conditions: The number of comparisons of floats in conditions of `while_loop`.
        program: The jaxpr of the call.
    """

    tree: Any
    leaves: tuple[tuple[tuple[int, ...], Any], ...]
    equations: tuple[Any, ...] = ()
    size: int = 0
    dtypes: frozenset[Any] = frozenset()
    float_conditions: int = 0
    program: Any = None

    def is_as(self, other: ResultTypes) -> bool:
        """Return whether two calls give results of the same types, and have the same equations."""
        return (self.tree, self.leaves, self.equations) == (other.tree, other.leaves, other.equations)


class Untried(Exception):
    """Raised if a call cannot be traced safely: it may have a side effect, or the trace takes too long."""


def spec_of_aval(aval: Any) -> Any:
    """Return the `ShapeDtypeStruct` that stands for an array in a trace."""
    import jax

    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def result_types(
    fun: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    budget: Budget,
    *,
    outside: Mapping[str, Any] | None = None,
    copy: Callable[[Mapping[str, Any], dict[int, Any]], Any] | None = None,
) -> ResultTypes:
    """Trace a call and return the types of its results and of its equations.

    Args:
        fun: The called function.
        args: Types in place of arrays; a `Fixed` in place of any other value.
        kwargs: The keyword arguments, in the same form.
        budget: The time that is left.
        outside: Types of values that the function reads from outside of its arguments.
        copy: A function that makes the copy to trace, from the values in `outside` and {id of an original: its copy};
            None to trace a copy of `fun`.

    Raises:
        Untried: Nothing was traced.
        Exception: Any error of the trace.
    """
    import jax

    leaves, tree = jax.tree_util.tree_flatten((tuple(args), dict(kwargs), dict(outside or {})))
    places = [number for number, leaf in enumerate(leaves) if type(leaf) is jax.ShapeDtypeStruct]
    structures: list[Any] = []

    def whole(inputs: Sequence[Any], fixed: Callable[[Any], Any]) -> Any:
        filled = [fixed(leaf.value) if type(leaf) is Fixed else leaf for leaf in leaves]
        for place, value in zip(places, inputs, strict=True):
            filled[place] = value
        return jax.tree_util.tree_unflatten(tree, filled)

    specs = [leaves[place] for place in places]

    def run(*inputs: Any) -> list[Any]:
        copies: dict[int, Any] = {}
        positional, named, read = whole(inputs, lambda value: copied(value, copies))
        plain = copied(fun, copies) if copy is None else copy(read, copies)
        for function_copy in copies.values():
            if type(function_copy) is FunctionType:
                silence(function_copy.__globals__)
        numbers, structure = jax.tree_util.tree_flatten(plain(*positional, **named))
        structures[:] = [structure]
        # asarray raises an error for a string or another object in the result, as jit does
        return [number if hasattr(number, "dtype") else jax.numpy.asarray(number) for number in numbers]

    try:
        with observer().looking_away(), unheard(), _quiet(), budget.limited():
            positional, named, _ = whole(specs, lambda value: value)
            if side_effects(fun, positional, named, first=True):
                raise Untried
            program, outs = jax.make_jaxpr(run, return_shape=True)(*specs)
    except (NotCopied, TooLong, SystemExit, GeneratorExit) as error:
        raise Untried from error
    leaf_types = tuple((tuple(out.shape), out.dtype) for out in outs)
    return types_of(structures[0], leaf_types, program)


def silence(names: dict[str, Any]) -> None:
    """Make `print` do nothing in functions with these globals. The builtin `print` itself is not changed."""
    if names.get("print", print) is print:
        names["print"] = _nothing


def _nothing(*args: Any, **options: Any) -> None:
    pass


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress warnings and printed text, but only in the main thread.

    Warning filters and sys.stdout belong to all threads.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    prints = PrintRecorder(lambda: "", swallow=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prints.start()
        try:
            yield
        finally:
            prints.stop()


def types_of(tree: Any, leaves: tuple[tuple[tuple[int, ...], Any], ...], program: Any) -> ResultTypes:
    """Return the types of the results and of the equations of a program.

    Args:
        tree: The pytree structure of the result.
        leaves: The shape and dtype of each leaf.
        program: The jaxpr of the program.
    """
    jaxpr = open_jaxpr(program)
    all_equations = list(_everywhere(jaxpr))
    computed = [equation for equation in all_equations if equation.primitive.name not in _MOVES]
    dtypes = frozenset(
        variable.aval.dtype for equation in computed for variable in equation.outvars if _has_dtype(variable)
    )
    loops = [
        open_jaxpr(equation.params["cond_jaxpr"]) for equation in all_equations if equation.primitive.name == "while"
    ]
    conditions = sum(_compares_floats(equation) for loop in loops for equation in _everywhere(loop))
    return ResultTypes(tree, leaves, tuple(_equations(jaxpr)), len(all_equations), dtypes, conditions, program)


def _everywhere(jaxpr: Any) -> Iterator[Any]:
    """Yield the equations of a program, including those in bodies and branches."""
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            for _, inside, _ in programs_in(value):
                yield from _everywhere(inside)


def _has_dtype(variable: Any) -> bool:
    return hasattr(variable.aval, "dtype")


def _compares_floats(equation: Any) -> bool:
    import jax

    return any(
        _has_dtype(variable) and jax.numpy.issubdtype(variable.aval.dtype, jax.numpy.inexact)
        for variable in equation.invars
    )


def _equations(jaxpr: Any) -> Iterator[Any]:
    for equation in jaxpr.eqns:
        if equation.primitive.name != _CONVERSION:
            yield (
                equation.primitive.name,
                tuple(map(_type, equation.invars)),
                tuple(map(_type, equation.outvars)),
                tuple((name, _parameter(value)) for name, value in sorted(equation.params.items())),
            )


def _type(variable: Any) -> Any:
    aval = variable.aval
    return getattr(aval, "shape", None), getattr(aval, "dtype", None)


def _parameter(value: Any) -> Any:
    """Return an equation's parameter in a form that can be compared.

    For an object that is no number, text, dtype, enum, tuple or jaxpr, return its class name.
    """
    import numpy as np

    if value is None or type(value) in (bool, int, float, complex, str) or isinstance(value, np.dtype):
        return value
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, tuple):
        return tuple(map(_parameter, value))
    inside = open_jaxpr(value)
    return type(value).__name__ if inside is None else tuple(_equations(inside))
