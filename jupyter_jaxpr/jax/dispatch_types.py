"""Reads each program that JAX starts outside of jit, after it ran: an operation, a jitted call, an eager `scan`.

All these programs are calls of `jax.jit` results: even for an operation such as `jnp.sin(x)`, JAX makes a jitted
function of the primitive. A call that hits JAX's C++ cache is reported by JAX's hook after each call
(`post_hook.Results`); a call that misses is reported by `Hooks.ran`. Neither hook is part of JAX's cache keys, so no
call misses because of them.

- `Dispatch`: a program that ran, and its arrays.
- `of_hit`, `of_miss`: return the dispatch for a hit and for a miss.
- `program_of`: makes a jaxpr of equations.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

from .facts import CACHE_MISS, private

_OF_JIT = (
    "jaxpr",
    "in_shardings",
    "out_shardings",
    "in_layouts",
    "out_layouts",
    "donated_invars",
    "ctx_mesh",
    "name",
    "keep_unused",
    "inline",
    "compiler_options_kvs",
)


@dataclass(slots=True)
class Dispatch:
    """One program that JAX started, and its arrays.

    Attributes:
        primitive: The primitive that JAX ran, or `jit`.
        params: The parameters of the primitive.
        operands: The flat operands of the program.
        in_avals: The types of the operands; None if all operands are arrays, which have types themselves.
        results: The flat results of the program.
        effects: The effects of the program.
    """

    primitive: Any
    params: Mapping[str, Any]
    operands: Sequence[Any]
    in_avals: Sequence[Any] | None
    results: Sequence[Any]
    effects: Any


def of_hit(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Dispatch | None:
    """Return the dispatch of a call that hit JAX's C++ cache; None if the program cannot be found.

    Args:
        called: The jitted function.
        args: Positional arguments of the call.
        kwargs: Keyword arguments.
        output: The result of the call.
    """
    import jax

    results = jax.tree_util.tree_leaves(output)
    fun = getattr(called, "_fun", None)
    if fun is None:
        params = _derived_params(called)
        return None if params is None else _of_jit(params, jax.tree_util.tree_leaves((args, kwargs)), results)
    made_of = primitive_of(fun)
    if made_of is not None:
        primitive, params = made_of
        return Dispatch(primitive, params, args, None, results, frozenset())
    with jax.no_tracing(True):
        traced, operands = private("pjit")._infer_params(fun, called._jit_info, args, kwargs)
    return _of_jit(traced.params, operands, results)


def of_miss(frame: FrameType, results: Sequence[Any]) -> Dispatch | None:
    """Return the dispatch of a call that missed JAX's C++ cache and has run; None if the program is unknown.

    Args:
        frame: JAX's frame of the miss.
        results: The flat results of the program.
    """
    variables = frame.f_locals
    if frame.f_code.co_name != CACHE_MISS:
        params = {name: variables[name] for name in _OF_JIT if name in variables}
        return _of_jit(params, variables["args"], results) if "jaxpr" in params else None
    made_of = primitive_of(variables["fun"])
    if made_of is not None:
        primitive, params = made_of
        return Dispatch(primitive, params, variables["args"], None, results, frozenset())
    return _of_jit(variables["p"].params, variables["args_flat"], results)


def _of_jit(params: Mapping[str, Any], operands: Sequence[Any], results: Sequence[Any]) -> Dispatch | None:
    jaxpr = params["jaxpr"]
    avals = jaxpr.in_avals
    if len(avals) != len(operands):
        return None
    return Dispatch(private("pjit").jit_p, params, operands, avals, results, jaxpr.effects)


def primitive_of(fun: Any) -> tuple[Any, dict[str, Any]] | None:
    """Return the primitive and the parameters that a function of JAX applies eagerly; None for any other function."""
    if type(fun) is not FunctionType or vars(fun).get("_apply_primitive") is not True:
        return None  # attributes of the user's callables are not read, because that could run user code
    cells = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
    return cells["prim"].cell_contents, cells["params"].cell_contents


def _derived_params(called: Any) -> dict[str, Any] | None:
    """Return the parameters of a `jit` equation, given the function that JAX made under grad or vmap to run it.

    None for any other function.
    """
    miss = getattr(called, "_cache_miss", None)
    code, closure = getattr(miss, "__code__", None), getattr(miss, "__closure__", None)
    if code is None or closure is None or "jaxpr" not in code.co_freevars:
        return None
    cells = dict(zip(code.co_freevars, closure, strict=True))
    return {name: cells[name].cell_contents for name in _OF_JIT if name in cells}


# --- a program of equations ----------------------------------------------------------------------------------


def source_here() -> Any:
    """Return JAX's record of the present stack, as equations store it."""
    return private("source_info_util").current()


def no_source() -> Any:
    """Return JAX's record for an equation without a source line."""
    return private("source_info_util").new_source_info()


def base_array(value: Any) -> Any:
    """Return the integer array inside an array of random keys; None for any other value."""
    return value._base_array if type(value).__name__ == "PRNGKeyArray" and is_jax_type(type(value)) else None


def is_jax_type(kind: type) -> bool:
    """Return whether a class belongs to JAX."""
    return kind.__module__.partition(".")[0] in ("jax", "jaxlib")


def flatten_code(kind: type) -> Any:
    """Return the code object of the function that flattens a registered pytree class; None if it is not Python code."""
    entry = getattr(private("tree_util"), "_registry", {}).get(kind)
    return getattr(getattr(entry, "to_iter", None), "__code__", None)


def is_registered(kind: type) -> bool:
    """Return whether JAX flattens objects of a class; an object of an unregistered class is one leaf."""
    registry = getattr(private("tree_util"), "_registry", None)
    return registry is None or kind in registry


@functools.cache
def array_type() -> type:
    """Return the type of JAX's arrays; random keys have another type."""
    kind: type = private("array").ArrayImpl
    return kind


@functools.cache
def _one_device() -> type:
    import jax

    return jax.sharding.SingleDeviceSharding


def aval_of(value: Any) -> Any:
    """Return the aval of a value, with its weak type.

    Raises:
        TypeError: JAX has no aval for the value.
    """
    kind: Any = type(value)
    if kind is array_type() and type(value.sharding) is _one_device():
        return value.aval  # on a single device, `value.aval` is the complete type: no sharding is part of it
    return private("core").typeof(value)


def variable(aval: Any) -> Any:
    """Return a new jaxpr variable of a type."""
    return private("core").Var(aval)


def literal(value: Any, aval: Any) -> Any:
    """Return a literal: a number in the form of an operand."""
    return private("core").Literal(value, aval)


def equation(dispatch: Dispatch, operands: Sequence[Any], results: Sequence[Any], source: Any) -> Any:
    """Return the equation of a dispatch; variables and literals take the place of its arrays and numbers."""
    return private("core").new_jaxpr_eqn(
        list(operands), list(results), dispatch.primitive, dict(dispatch.params), dispatch.effects, source
    )


def wrapping(keys: Any) -> Dispatch:
    """Return a dispatch of `random_wrap`, which turns the integers of random keys into keys.

    JAX runs no program for it.
    """
    primitive = sys.modules[type(keys).__module__].random_wrap_p
    return Dispatch(primitive, {"impl": keys._impl}, (), None, (), frozenset())


def unwrapping(kind: type) -> Dispatch:
    """Return a dispatch of `random_unwrap`, which gives the integers of random keys of the class `kind`."""
    return Dispatch(sys.modules[kind.__module__].random_unwrap_p, {}, (), None, (), frozenset())


def program_of(inputs: Sequence[Any], outputs: Sequence[Any], equations: Sequence[Any], name: str) -> Any:
    """Return a jaxpr without constants that consists of these equations.

    Args:
        inputs: Variables.
        outputs: Variables or literals.
        equations: The equations, in the order in which they ran.
        name: The name that JAX stores as the origin of the program.
    """
    core = private("core")
    effects = frozenset().union(*(equation.effects for equation in equations))
    about = core.DebugInfo("jit", name, None, None)
    jaxpr = core.Jaxpr([], list(inputs), list(outputs), list(equations), effects, about)
    closed = getattr(core, "ClosedJaxpr", None)
    return jaxpr if closed in (None, core.Jaxpr) else closed(jaxpr, [])


def inputs_of(equations: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """Return the variables that equations or outputs read and no equation computes, in the order of use."""
    kind = private("core").Var
    result_ids = {id(variable) for equation in equations for variable in equation.outvars}
    used = [*(operand for equation in equations for operand in equation.invars), *outputs]
    return list(
        {
            id(variable): variable for variable in used if isinstance(variable, kind) and id(variable) not in result_ids
        }.values()
    )


def only_program(program: Any) -> Any:
    """Return the inner program, if a program consists of a single call of a jitted function; else None."""
    equations = getattr(program, "jaxpr", program).eqns
    if len(equations) != 1 or equations[0].primitive.name != "jit":
        return None
    return equations[0].params["jaxpr"]
