"""Reads the arguments and the program of one missed call from JAX's own objects.

- `JitCall`: a missed call of a jitted function, with its `jax.stages` objects.
- `PmapCall`: a missed call of a function that `jax.pmap` returned.
- `DerivedCall`: a program that JAX derived from the program of a jitted function.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..interruptions import not_of_a_signal
from .facts import CACHE_MISS, TRACEBACK_WRAPPER, is_tracer_type, private
from .leaves_and_context_of_key import FlatCall, trace_context


class JitCall:
    """One call of a jitted function that missed the C++ cache.

    Attributes:
        fun: the Python function that was jitted.
        options: JAX's record of the `jax.jit` arguments (static arguments, signature, ...).
        args, kwargs: the arguments of the call; only set while the receiver is called with the miss or the trace.
        frame: JAX's frame of the cache miss; only set while the receiver is called, so that a call that ends with an
            exception keeps nothing alive.
        params: the parameters of the call's `jit` equation; `params['jaxpr']` is the program; None before the trace.
        args_flat: the dynamic leaves; dropped as soon as the call has run.
        in_tree, out_tree: the structure of the dynamic arguments, and the structure of the result.
        context: the settings on which JAX's caches depend besides the arguments (x64, mesh, precision, ...).
        record: an attribute in which the receiver stores its own record.
    """

    __slots__ = (
        "_consts",
        "_frame_id",
        "_thread",
        "args",
        "args_flat",
        "context",
        "frame",
        "fun",
        "in_tree",
        "kwargs",
        "options",
        "out_tree",
        "params",
        "record",
    )

    def __init__(self, fun: Any, options: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
        self.fun = fun
        self.options = options
        self.args = args
        self.kwargs = kwargs
        self.frame: FrameType | None = frame
        self._frame_id = id(frame)
        self._thread = threading.get_ident()
        self.params: dict[str, Any] | None = None
        self.args_flat: list[Any] = []
        self.in_tree: Any = None
        self.out_tree: Any = None
        self._consts: list[Any] = []
        self.context: Any = None
        self.record: Any = None

    def take_trace(self) -> None:
        """Read the program that JAX has traced for the call.

        Raises if this version of JAX stores it in another way.
        """
        assert self.frame is not None
        variables = self.frame.f_locals
        traced, self.args_flat = variables["p"], variables["args_flat"]
        self.args, self.kwargs = variables["args"], variables["kwargs"]
        jaxpr = traced.params["jaxpr"]
        if not hasattr(jaxpr, "eqns"):
            raise TypeError(f"jit's program is a {type(jaxpr).__name__}")
        self.params = traced.params
        self.in_tree = traced.in_tree
        self.out_tree = traced.out_tree
        self._consts = traced.consts
        self.context = trace_context()

    def flat(self) -> FlatCall:
        """Return the arguments as JAX flattened them; valid only after the trace."""
        count = self.in_tree.num_leaves
        first = len(self.args_flat) - count  # `args_flat` begins with the captured arrays
        return FlatCall(self.args_flat[first:], self.in_tree, lambda: self._avals()[-count:] if count else ())

    def _avals(self) -> Sequence[Any]:
        assert self.params is not None
        avals: Sequence[Any] = self.params["jaxpr"].in_avals
        return avals

    def types(self) -> list[Any]:
        """Return JAX's record of the type and placement of each leaf, without the arrays."""
        return list(map(private("pjit").convert_to_metaty, self.args_flat))

    def stages(self, types: list[Any], executable: Any) -> tuple[Any, Any, Any]:
        """Return the `jax.stages` objects of this call: traced, lowered, and compiled around `executable`.

        Must be called while the call is on the stack: JAX's settings (x64, mesh, precision) are then those of the call,
        so that JAX finds the lowering in its cache. When Pallas lowers its first program, it adds a setting; JAX would
        then lower again, so the lowering is left out.
        """
        assert self.params is not None
        params = self.params
        if getattr(params["jaxpr"], "is_high", False) and self.frame is not None:
            # JAX converts a program over user-defined types before it lowers it. The converted program is a local
            # variable of the frame; asking JAX for the conversion would lower the program again.
            params = {**params, "jaxpr": self.frame.f_locals.get("jaxpr", params["jaxpr"])}
        same_context = self.context == trace_context()
        return _stages(types, params, self.in_tree, self.out_tree, self._consts, self.options, executable, same_context)

    def stages_so_far(self, types: list[Any], is_lowered: bool) -> tuple[Any, Any, Any]:
        """Return the `jax.stages` objects that JAX has already made for a call that did not return; none are made.

        Args:
            types: The result of `types`.
            is_lowered: True if JAX reported the lowering of the program.
        """
        traced, _, _ = self.stages(types, None)
        if not is_lowered or self.context != trace_context():
            return traced, None, None
        try:
            lowered = traced.lower()
        except not_of_a_signal(
            Exception
        ):  # the call failed during lowering, as Pallas does on a CPU: there is no lowered program
            return traced, None, None
        is_compiled = getattr(lowered._lowering, "_executable", None) is not None
        return traced, lowered, lowered.compile() if is_compiled else None

    def drop_values(self) -> None:
        """Forget the arguments, the captured arrays and the frame of the call, because they keep arrays alive."""
        self.args, self.kwargs, self.args_flat, self._consts, self.frame = (), {}, [], [], None

    def is_in(self, frame: FrameType) -> bool:
        """Return whether `frame` is the frame of this call's miss.

        The id alone is not enough: a frame that has ended may have had the same id.
        """
        return self._frame_id == id(frame) and frame.f_code.co_name == CACHE_MISS

    def caller(self) -> FrameType | None:
        """Return the frame that makes the call.

        It is outside of JAX's wrapper, which shortens tracebacks.
        """
        frame = None if self.frame is None else self.frame.f_back
        return frame.f_back if frame is not None and frame.f_code.co_name == TRACEBACK_WRAPPER else frame

    def is_traced(self) -> bool:
        """Return whether an argument is or contains a tracer; such a call never takes JAX's fast path.

        Only tuples, lists and dicts are searched, because the methods of other pytrees are user code.
        """
        return _has_tracer((*self.args, *self.kwargs.values()))

    def is_over(self) -> bool:
        """Return whether the call has ended; False for a call on another thread, whose stack is not visible here."""
        return self._thread == threading.get_ident() and not self.under_way()

    def under_way(self) -> bool:
        """Return whether the call is on this thread's stack.

        This is needed because no hook reports that an exception ended a call.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.is_in(frame):
            frame = frame.f_back
        return frame is not None


class PmapCall:
    """A call of a function that `jax.pmap` made.

    For each pytree structure of the arguments, JAX jits a new function around the user's function.

    Attributes:
        fun: the function that the user passed to pmap.
        args, kwargs: the arguments of the call.
        static_argnums, fun_signature: the values that `jax.jit` stores under these names.
        options: the other arguments of `jax.pmap`.
        flat: the leaves of the call and their structure; None if this version of JAX does not store them.
    """

    def __init__(self, frame: FrameType) -> None:
        variables = frame.f_locals
        infer = variables["infer_params"]
        bound = dict(zip(infer.__code__.co_freevars, (cell.cell_contents for cell in infer.__closure__), strict=True))
        self.fun: Any = bound["wrapped_fun"].f
        self.args: tuple[Any, ...] = variables["args"]
        self.kwargs: dict[str, Any] = variables["kwargs"]
        self.static_argnums: tuple[int, ...] = bound["static_broadcasted_tuple"]
        self.options = tuple(bound.get(name) for name in _PMAP_OPTIONS)
        self.flat = _flat_of_pmap(variables)

    @property
    def fun_signature(self) -> inspect.Signature | None:
        """The signature of `fun`; None if it has none."""
        try:
            return inspect.signature(self.fun)
        except not_of_a_signal(TypeError, ValueError):
            return None


def _flat_of_pmap(local_values: Mapping[str, Any]) -> FlatCall | None:
    mapped, leaves = getattr(local_values.get("cached"), "pmapped", None), local_values.get("dyn_args_flat")
    while mapped is not None and leaves is not None:
        code = getattr(mapped, "__code__", None)
        if code is not None and "in_tree" in code.co_freevars:
            tree = mapped.__closure__[code.co_freevars.index("in_tree")].cell_contents
            return FlatCall(leaves, tree, lambda: [None] * len(leaves))
        mapped = getattr(mapped, "__wrapped__", None)
    return None


_PMAP_OPTIONS = ("axis_name", "in_axes", "out_axes", "devices", "backend", "axis_size", "donate_tuple")


def _has_tracer(values: Iterable[Any]) -> bool:
    for value in values:
        kind = type(value)
        if is_tracer_type(kind) or (kind in (tuple, list) and _has_tracer(value)):
            return True
        if kind is dict and _has_tracer(value.values()):
            return True
    return False


def pmap_call(frame: FrameType) -> PmapCall | None:
    """Return the pmap call that misses in JAX's frame `frame`; None if the call is no pmap call."""
    caller = frame.f_back.f_back if frame.f_back is not None else None
    if caller is None or caller.f_code.co_name != "wrapped":
        return None
    if not caller.f_code.co_filename.replace("\\", "/").endswith("jax/_src/pmap.py"):
        return None
    try:
        return PmapCall(caller)
    # this version of JAX has other frames: the call counts as one of a function of JAX itself
    except not_of_a_signal(Exception):
        return None


@dataclass(frozen=True)
class DerivedCall:
    """A program that JAX derived from a jitted function (by grad or vmap) and ran."""

    name: str
    params: dict[str, Any]
    args: tuple[Any, ...]
    out_flat: Any
    executable: Any

    def stages(self) -> tuple[Any, Any, Any]:
        """Return the `jax.stages` objects of the program: traced, lowered and compiled."""
        import jax

        types = list(map(private("pjit").convert_to_metaty, self.args))
        in_tree = jax.tree_util.tree_structure((tuple(self.args), {}))
        out_tree = jax.tree_util.tree_structure(list(self.out_flat))
        return _stages(types, self.params, in_tree, out_tree, [], None, self.executable, True)


def _stages(
    types: list[Any],
    params: dict[str, Any],
    in_tree: Any,
    out_tree: Any,
    consts: list[Any],
    options: Any,
    executable: Any,
    lowering_is_cached: bool,
) -> tuple[Any, Any, Any]:
    stages = private("stages")
    extra = (getattr(options, "fun_sourceinfo", None),) if _traced_takes_source() else ()
    traced = stages.Traced(types, params, in_tree, out_tree, consts, *extra)
    if executable is None:
        return traced, None, None
    flat = traced
    if not getattr(params["jaxpr"], "is_high", False):
        # The leaves are passed without the user's pytree structure, because rebuilding the structure would run user
        # code.
        flat = stages.Traced(types, params, _flat_tree(in_tree.num_leaves), out_tree, consts, *extra)
    if not lowering_is_cached:
        return traced, None, stages.Compiled(executable, [], flat.args_info, traced.out_tree)
    lowered = flat.lower()
    compiled = lowered.compile()
    if compiled._executable is not executable:  # JAX returned another executable than the one that ran
        compiled = stages.Compiled(executable, [], lowered.args_info, lowered.out_tree)
    return traced, lowered, compiled


@functools.lru_cache(maxsize=256)
def _flat_tree(count: int) -> Any:
    """Return the pytree structure of a call with `count` positional arguments."""
    import jax

    return jax.tree_util.tree_structure(((0,) * count, {}))


def derived_jaxpr(called: Any) -> Any:
    """Return the program in a jitted function that JAX made for a derived program; None for other functions."""
    miss = getattr(called, "_cache_miss", None)
    code, closure = getattr(miss, "__code__", None), getattr(miss, "__closure__", None)
    if code is None or closure is None or "jaxpr" not in code.co_freevars:
        return None
    return closure[code.co_freevars.index("jaxpr")].cell_contents


@functools.cache
def _traced_takes_source() -> bool:
    return "fun_sourceinfo" in inspect.signature(private("stages").Traced.__init__).parameters
