"""What one miss was given and made, read off JAX's own objects.

- `JitCall`: a call of a jitted function, and its `jax.stages` objects.
- `PmapCall`: a call of a function that `jax.pmap` gave.
- `DerivedCall`: a program that JAX derived from a jitted one.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..interruptions import not_of_a_signal
from .facts import CACHE_MISS, private
from .keys import FlatCall, trace_context


class JitCall:
    """One call of a jitted function that missed the C++ cache.

    Attributes:
        fun: the Python function that was jitted.
        options: JAX's record of what `jax.jit` was called with (static arguments, signature, ...).
        args, kwargs: of the call; there while the receiver is told that it missed or was traced.
        frame: the frame of JAX's cache miss; there while the receiver is told of the call, so that one which an
            exception ends holds nothing.
        params: parameters of the call's `jit` equation, `params['jaxpr']` the program; None before the trace.
        args_flat: its dynamic leaves; dropped as soon as the call has run.
        in_tree, out_tree: their structure, statics taken out, and that of the result.
        context: what JAX's caches depend on besides the arguments (x64, mesh, precision, ...).
        record: for the receiver.
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
        """Read the program that JAX has for the call by now; raises where this JAX keeps something else there."""
        assert self.frame is not None
        found = self.frame.f_locals
        traced, self.args_flat = found["p"], found["args_flat"]
        self.args, self.kwargs = found["args"], found["kwargs"]
        jaxpr = traced.params["jaxpr"]
        if not hasattr(jaxpr, "eqns"):
            raise TypeError(f"jit's program is a {type(jaxpr).__name__}")
        self.params = traced.params
        self.in_tree = traced.in_tree
        self.out_tree = traced.out_tree
        self._consts = traced.consts
        self.context = trace_context()

    def flat(self) -> FlatCall:
        """The arguments as JAX took them; to be asked once the call is traced."""
        count = self.in_tree.num_leaves
        first = len(self.args_flat) - count  # arrays that the function closes over come first
        return FlatCall(self.args_flat[first:], self.in_tree, lambda: self._avals()[-count:] if count else ())

    def _avals(self) -> Sequence[Any]:
        assert self.params is not None
        avals: Sequence[Any] = self.params["jaxpr"].in_avals
        return avals

    def types(self) -> list[Any]:
        """JAX's own record of the type and placement of each leaf; holds no array."""
        return list(map(private("pjit").convert_to_metaty, self.args_flat))

    def stages(self, types: list[Any], executable: Any) -> tuple[Any, Any, Any]:
        """`jax.stages` objects of this very call: traced, lowered, and compiled around `executable`.

        To be called while the call's context (x64, mesh, precision) is still in force; the lowering is then found
        in JAX's cache. Some programs change the context while they are lowered (Pallas defines a new setting at its
        first use): for those the lowering is left out, as asking would lower again.
        """
        assert self.params is not None
        params = self.params
        if getattr(params["jaxpr"], "is_high", False) and self.frame is not None:
            # A program over user-defined types is translated before it is lowered. The translation that ran is a
            # local of the frame; asking for another one would lower it again.
            params = {**params, "jaxpr": self.frame.f_locals.get("jaxpr", params["jaxpr"])}
        same_context = self.context == trace_context()
        return _stages(types, params, self.in_tree, self.out_tree, self._consts, self.options, executable, same_context)

    def stages_so_far(self, types: list[Any], is_lowered: bool) -> tuple[Any, Any, Any]:
        """As `stages`, of a call that did not return: what JAX holds is taken, and nothing is made.

        Args:
            types: As of `stages`.
            is_lowered: Whether JAX said that it had lowered the program.
        """
        traced, _, _ = self.stages(types, None)
        if not is_lowered or self.context != trace_context():
            return traced, None, None
        try:
            lowered = traced.lower()
        except not_of_a_signal(
            Exception
        ):  # the error that ended the call, such as Pallas' on a CPU: there is no lowered program
            return traced, None, None
        is_compiled = getattr(lowered._lowering, "_executable", None) is not None
        return traced, lowered, lowered.compile() if is_compiled else None

    def drop_values(self) -> None:
        """Let go of everything that holds arrays."""
        self.args, self.kwargs, self.args_flat, self._consts, self.frame = (), {}, [], [], None

    def is_in(self, frame: FrameType) -> bool:
        """Whether a frame is that of the call's cache miss; a frame that is gone may have had the same id."""
        return self._frame_id == id(frame) and frame.f_code.co_name == CACHE_MISS

    def is_over(self) -> bool:
        """Whether the call has ended, as far as this thread can tell: of another's calls it sees nothing."""
        return self._thread == threading.get_ident() and not self.under_way()

    def under_way(self) -> bool:
        """Whether the call is on the stack of this thread; an exception may have taken it off unseen by the hooks."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.is_in(frame):
            frame = frame.f_back
        return frame is not None


class PmapCall:
    """A call of a function that `jax.pmap` gave: JAX jits a function of its own around the user's, for each structure.

    Attributes:
        fun: the function that was given to pmap.
        args, kwargs: of the call.
        static_argnums, fun_signature: as `jax.jit` has them.
        options: what else `jax.pmap` was given.
        flat: the leaves of the call and their structure as JAX took them; None where this JAX does not hold them.
    """

    def __init__(self, frame: FrameType) -> None:
        given = frame.f_locals
        infer = given["infer_params"]
        bound = dict(zip(infer.__code__.co_freevars, (cell.cell_contents for cell in infer.__closure__), strict=True))
        self.fun: Any = bound["wrapped_fun"].f
        self.args: tuple[Any, ...] = given["args"]
        self.kwargs: dict[str, Any] = given["kwargs"]
        self.static_argnums: tuple[int, ...] = bound["static_broadcasted_tuple"]
        self.options = tuple(bound.get(name) for name in _PMAP_OPTIONS)
        self.flat = _flat_of_pmap(given)

    @property
    def fun_signature(self) -> inspect.Signature | None:
        """Of `fun`."""
        try:
            return inspect.signature(self.fun)
        except not_of_a_signal(TypeError, ValueError):
            return None


def _flat_of_pmap(given: Mapping[str, Any]) -> FlatCall | None:
    mapped, leaves = getattr(given.get("cached"), "pmapped", None), given.get("dyn_args_flat")
    while mapped is not None and leaves is not None:
        code = getattr(mapped, "__code__", None)
        if code is not None and "in_tree" in code.co_freevars:
            tree = mapped.__closure__[code.co_freevars.index("in_tree")].cell_contents
            return FlatCall(leaves, tree, lambda: [None] * len(leaves))
        mapped = getattr(mapped, "__wrapped__", None)
    return None


_PMAP_OPTIONS = ("axis_name", "in_axes", "out_axes", "devices", "backend", "axis_size", "donate_tuple")


def pmap_call(frame: FrameType) -> PmapCall | None:
    """The call of pmap's that misses in `frame`, JAX's cache miss; None where there is none."""
    caller = frame.f_back.f_back if frame.f_back is not None else None
    if caller is None or caller.f_code.co_name != "wrapped":
        return None
    if not caller.f_code.co_filename.replace("\\", "/").endswith("jax/_src/pmap.py"):
        return None
    try:
        return PmapCall(caller)
    except not_of_a_signal(Exception):  # another JAX: it is one of JAX's own functions then, and counted as such
        return None


@dataclass(frozen=True)
class DerivedCall:
    """A program that JAX derived from a jitted one, as it ran."""

    name: str
    params: dict[str, Any]
    args: tuple[Any, ...]
    out_flat: Any
    executable: Any

    def stages(self) -> tuple[Any, Any, Any]:
        """As `JitCall.stages`."""
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
        # Made of the leaves alone: to make the user's own structure of their types, JAX would run the user's Python.
        flat = stages.Traced(types, params, _flat_tree(in_tree.num_leaves), out_tree, consts, *extra)
    if not lowering_is_cached:
        return traced, None, stages.Compiled(executable, [], flat.args_info, traced.out_tree)
    lowered = flat.lower()
    compiled = lowered.compile()
    if compiled._executable is not executable:  # not what ran: show that instead
        compiled = stages.Compiled(executable, [], lowered.args_info, lowered.out_tree)
    return traced, lowered, compiled


@functools.lru_cache(maxsize=256)
def _flat_tree(count: int) -> Any:
    """The structure of a call with so many arguments by position."""
    import jax

    return jax.tree_util.tree_structure(((0,) * count, {}))


def derived_jaxpr(called: Any) -> Any:
    """The program that a jitted function of JAX's own making runs: one derived from a user's; else None."""
    miss = getattr(called, "_cache_miss", None)
    code, closure = getattr(miss, "__code__", None), getattr(miss, "__closure__", None)
    if code is None or closure is None or "jaxpr" not in code.co_freevars:
        return None
    return closure[code.co_freevars.index("jaxpr")].cell_contents


@functools.cache
def _traced_takes_source() -> bool:
    return "fun_sourceinfo" in inspect.signature(private("stages").Traced.__init__).parameters
