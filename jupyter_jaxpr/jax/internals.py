"""JAX's private modules in, plain callbacks and plain facts out: the only file that imports `jax._src`.

Every call of a jitted function that misses JAX's C++ cache comes by three small functions: `get_ctx_mesh` (it starts;
the first that `_infer_params` calls), `test_event` (it has its program and is about to run) and `_get_fastpath_data`
(it has run). None of them runs the user's code. `Hooks` puts something in their place that tells a `Receiver` and gives
way to them, so that no frame of ours is on the stack while JAX traces, compiles or runs, nor in the traceback of what
is raised there; a call that hits the C++ cache runs no Python at all, so the hooks cost it nothing. JAX's public
events (`jax.monitoring`) tell the stages.

- `support`: which facts can be had with the JAX at hand (the tier), without importing JAX before the user does.
- `Hooks`: puts hooks and listeners in, now or as soon as JAX is imported, and takes them out.
- `JitCall`, `DerivedCall`: what one miss was given and made, read off JAX's own objects.

Nothing here starts a backend, traces or compiles: whether the hooks fit is read off the code of the private
functions (names, parameters, and that JAX's cache miss looks them up by name), and each miss checks what it is given.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from types import CodeType, FrameType
from typing import Any, Literal, Protocol

from .. import plain_text

Tier = Literal["hooks", "events", "inspection", "none"]

OLDEST = (0, 10, 2)
OLDEST_TEXT = "0.10.2"
UPGRADE = "pip install -U jax"

TRACE_EVENT = "/jax/core/compile/jaxpr_trace_duration"
LOWER_EVENT = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"
FROM_DISK_EVENT = "/jax/compilation_cache/cache_hits"

_WRAPPED_NAME = re.compile(r"\w+\((.*)\)", re.DOTALL)
_NAMES = 1_000


@dataclass(frozen=True)
class Support:
    """What can be had with this JAX; `note` says what is missing and why, None where nothing is."""

    tier: Tier
    note: str | None = None


class Receiver(Protocol):
    """Who is told. No method may raise; all are called on the thread that called JAX.

    Attributes:
        library: how often each function that is of no interest has missed, by its id; the receiver adds them.
    """

    library: dict[int, int]

    def installed(self) -> None:
        """The hooks have gone in."""

    def missed(self, call: JitCall) -> bool:
        """A call missed the C++ cache; False: the receiver wants to hear no more of it."""

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """A jitted function is asked for its trace, lowering or shapes, without a call; `frame` is JAX's."""

    def traced(self, call: JitCall) -> None:
        """`call.params` and `call.args_flat` are there: JAX traced the function, or found an earlier trace.

        Told before the program runs; not told where JAX traces the function for another transformation.
        """

    def trace_raised(self, name: str | None) -> None:
        """The trace of a function that its events call by this name has raised; told of traces within no other."""

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """It ran; `fast_path` says whether the next call like it will hit the C++ cache.

        `executable` is None where another transformation or trace took the call over.
        """

    def derived(self, call: DerivedCall) -> None:
        """JAX ran a program that it derived from a jitted one, outside any jit."""

    def stage_started(self, event: str, name: str | None) -> None:
        """A trace, lowering or compilation starts."""

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """A trace, lowering or compilation has ended."""

    def from_disk(self) -> None:
        """The compilation under way took its executable from the persistent cache."""


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
        return list(map(_private("pjit").convert_to_metaty, self.args_flat))

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

    def drop_values(self) -> None:
        """Let go of everything that holds arrays."""
        self.args, self.kwargs, self.args_flat, self._consts, self.frame = (), {}, [], [], None

    def is_in(self, frame: FrameType) -> bool:
        """Whether a frame is that of the call's cache miss; a frame that is gone may have had the same id."""
        return self._frame_id == id(frame) and frame.f_code.co_name == _CACHE_MISS

    def is_over(self) -> bool:
        """Whether the call has ended, as far as this thread can tell: of another's calls it sees nothing."""
        return self._thread == threading.get_ident() and not self.under_way()

    def under_way(self) -> bool:
        """Whether the call is on the stack of this thread; an exception may have taken it off unseen by the hooks."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.is_in(frame):
            frame = frame.f_back
        return frame is not None


_CACHE_MISS = "cache_miss"


class PmapCall:
    """A call of a function that `jax.pmap` gave: JAX jits a function of its own around the user's, for each structure.

    Attributes:
        fun: the function that was given to pmap.
        args, kwargs: of the call.
        static_argnums, fun_signature: as `jax.jit` has them.
        options: what else `jax.pmap` was given.
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

    @property
    def fun_signature(self) -> inspect.Signature | None:
        """Of `fun`."""
        try:
            return inspect.signature(self.fun)
        except (TypeError, ValueError):
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
    except Exception:  # another JAX: it is one of JAX's own functions then, and counted as such
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
        from jax._src import pjit

        types = [pjit.convert_to_metaty(arg) for arg in self.args]
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
    from jax._src import stages

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


@functools.cache
def _private(name: str) -> Any:
    """A private module: an import statement takes microseconds even where the module is there, at every miss."""
    return importlib.import_module(f"jax._src.{name}")


def traced_with(traced: Any, jaxpr: Any) -> Any:
    """A `jax.stages.Traced` with another program in it: it lowers with the same shardings, layouts and donation.

    Args:
        traced: JAX's own.
        jaxpr: Of the same type, inputs and outputs.

    Raises:
        TypeError: The program has values of user-defined types, or calls of functions such as those of
            `jax.lax.custom_root`: JAX translates it by their Python before it lowers it.
    """
    import copy

    if getattr(traced.jaxpr, "is_high", False) and not _translated_by_jax_alone(traced.jaxpr):
        raise TypeError("to lower it again, JAX would run the Python of its user-defined types or functions")
    other = copy.copy(traced)
    other._params = {**traced._params, "jaxpr": jaxpr}
    other._lojax = None  # what it was translated to, kept at the first lowering
    return other


def _translated_by_jax_alone(jaxpr: Any) -> bool:
    """Whether what JAX translates before it lowers is only what jax.numpy is written in, such as searchsorted."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    if any(getattr(variable.aval, "is_high", False) for variable in (*jaxpr.constvars, *jaxpr.invars)):
        return False
    for equation in jaxpr.eqns:
        own = equation.params.get("_prim")
        if own is not None and not type(own).__module__.startswith("jax._src.numpy."):
            return False
        if any(getattr(variable.aval, "is_high", False) for variable in equation.outvars):
            return False
        inner = (
            each for value in equation.params.values() for each in (value if isinstance(value, tuple) else [value])
        )
        if not all(_translated_by_jax_alone(each) for each in inner if hasattr(getattr(each, "jaxpr", each), "eqns")):
            return False
    return True


def jaxpr_as_fun(jaxpr: Any) -> Callable[..., Any]:
    """A closed jaxpr as a function of its inputs, which returns a list.

    As `jax.extend.core.jaxpr_as_fun`. But `jax.extend` imports Pallas (0.12), which adds settings to what JAX's caches
    depend on: everything compiled before would be compiled once more.
    """
    made: Callable[..., Any] = _private("core").jaxpr_as_fun(jaxpr)
    return made


def trace_context() -> Any:
    """What JAX's caches of traces and lowerings depend on besides arguments."""
    return _private("config").trace_context()


def staging() -> bool:
    """Whether JAX is recording a program now: a jitted function called now becomes a part of it."""
    core = _private("core")
    trace = core.trace_ctx.trace
    if trace is core.eval_trace:
        return False
    while trace is not None:
        if type(trace).__name__ == "DynamicJaxprTrace":
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def made_ahead(frame: FrameType | None) -> str | None:
    """The source of the function that JAX lowers or compiles because `.lower()` or `.compile()` was written.

    Args:
        frame: Of a listener of JAX's events.

    Returns:
        As `source_of` of its jit; None where JAX works for a call.
    """
    stages = _private("stages")
    for _ in range(60):
        if frame is None or frame.f_code.co_name == _CACHE_MISS:
            return None
        if frame.f_code.co_filename == stages.__file__ and frame.f_code.co_name in ("lower", "compile"):
            asked = frame.f_locals.get("self")
            if isinstance(asked, stages.Traced):
                about = getattr(asked.jaxpr, "jaxpr", asked.jaxpr).debug_info
            else:
                about = asked._lowering.compile_args["all_args_info"].debug_info  # type: ignore[union-attr]  # Lowered
            return plain_text.exact(about.func_src_info, plain_text.Limit.FILE)
        frame = frame.f_back
    return None


def source_of(options: Any) -> str | None:
    """The name and place of a jitted function as JAX notes them, from JAX's record of its jit."""
    source = getattr(options, "fun_sourceinfo", None)
    return plain_text.exact(source, plain_text.Limit.FILE) if isinstance(source, str) else None


def jit_name(fun: Any) -> str:
    """The name of a function in JAX's events and programs; a property of the user's is asked for the name."""
    name = stored_jit_name(fun)
    return plain_text.text_of(_private("util").fun_name(fun)) if name is None else name


def stored_jit_name(fun: Any) -> str | None:
    """Likewise; None where the name is a property of the user's, which is not asked: JAX's first event tells."""
    for _ in range(50):
        name = plain_text.own_name(fun)
        if name is not None:
            return name
        if not issubclass(type(fun), functools.partial):
            break
        fun = partial_of(fun).func
    return None if plain_text.attribute_of(fun, "__name__") is not None else _UNNAMED


_UNNAMED = "<unnamed function>"


@dataclass(frozen=True)
class Bound:
    """What a `functools.partial` was made of, read from the object and not from its class, which may be the user's."""

    func: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]


def partial_of(value: Any) -> Bound:
    """What a partial was made of."""
    read = functools.partial.__dict__
    return Bound(*(read[name].__get__(value) for name in ("func", "args", "keywords")))


def call_leaves(called: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any]] | None:
    """The program that a jitted function runs for a call that it has seen, and the call's dynamic leaves.

    None where JAX does not hold that program any more: to find it, the function's Python would run again.
    """
    import jax
    from jax._src import pjit

    try:
        with jax.no_tracing(True):
            traced, args_flat = pjit._infer_params(called._fun, called._jit_info, tuple(args), kwargs)
    except RuntimeError:
        return None
    return traced.params["jaxpr"], list(args_flat)


def held_trace(called: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """JAX's `jax.stages.Traced` of a call that it has traced before.

    None where JAX does not hold the trace: to make one, the function's Python would run. None of it runs here.
    """
    import jax

    try:
        with jax.no_tracing(True):
            return called.trace(*args, **kwargs)
    except Exception:
        return None


def jitted_of(fun: Any, options: Any) -> Any:
    """The jitted function of the user's that runs `fun` with these options; None where it is gone."""
    import gc

    kind = jit_type()
    found = [each for each in gc.get_referrers(fun) if type(each) is kind and getattr(each, "_fun", None) is fun]
    return next((each for each in found if getattr(each, "_jit_info", None) is options), None)


def is_deleted(value: Any) -> bool:
    """Whether an array was given away (donated) or deleted."""
    deleted = getattr(value, "is_deleted", None)
    return bool(deleted is not None and deleted())


class LastCalls:
    """Holds what each jitted function was last called with on this thread, hits included, between start and stop.

    JAX calls a hook of its own for that after each jitted call (its check for NaN goes through it); a call costs 0.2 us
    more meanwhile.
    """

    def __init__(self) -> None:
        self.calls: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}
        self._before: Any = None
        self._state: Any = None
        self._thread = 0

    def start(self) -> None:
        """Begin; does nothing where it has begun, or where this JAX has no such hook."""
        from jax._src import api

        state = getattr(api, "_post_hook_state", None)
        if state is None or self._state is not None:
            return
        others, calls = state.value, self.calls

        def hook(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            if self._state is not None:
                calls[called] = args, kwargs
            if others is not None:
                others(called, args, kwargs, output)

        self._before = state.swap_local(hook)
        self._state = state
        self._thread = threading.get_ident()

    def stop(self) -> None:
        """End, and let go of the values."""
        if self._state is not None and threading.get_ident() == self._thread:
            self._state.set_local(self._before)
        self._state = None
        self.calls.clear()


class Hits:
    """Tells of each call on this thread that hits JAX's C++ cache, between start and stop; for Python 3.11.

    JAX has one place for such a hook, and puts its check for NaN there: where that is on, or is put on meanwhile, the
    place is JAX's. A call costs 0.3 us more.

    Args:
        tell: called with the jitted function and the frame that called it.
    """

    def __init__(self, tell: Callable[[Any, FrameType], None]) -> None:
        self._tell = tell
        self._hook: Any = None
        self._before: Any = None
        self._state: Any = None
        self._thread = 0
        self._overruled = False
        self.overflowed = False  # the user's stack came to Python's limit: there may have been more

    def start(self) -> None:
        """Begin; does nothing where the place is taken."""
        from jax._src import api

        state = getattr(api, "_post_hook_state", None)
        if state is None or state.value is not None:
            return
        tell, get_frame, get_global = self._tell, sys._getframe, state.get_global

        def hook(called: Any, args: Any, kwargs: Any, output: Any) -> None:
            try:
                frame = get_frame(1)
                if frame.f_code.co_filename == __file__ and frame.f_back is not None:  # `LastCalls`, which passes it on
                    frame = frame.f_back
                tell(called, frame)
                check = get_global()
            except RecursionError:
                self.overflowed = True
                return
            if check is not None:
                self.stop()
                self._overruled = True
                check(called, args, kwargs, output)

        self._hook, self._state, self._thread = hook, state, threading.get_ident()
        self._before = state.swap_local(hook)

    @property
    def all_told(self) -> bool:
        """Whether all were told until now."""
        return not self._overruled and self._state is not None

    def stop(self) -> None:
        """End; a hook that was put over ours stays."""
        state = self._state
        if state is None or threading.get_ident() != self._thread:
            return
        self._state = None
        if state.get_local() is self._hook:
            state.set_local(self._before)
        else:
            self._overruled = True


def derived_jaxpr(called: Any) -> Any:
    """The program that a jitted function of JAX's own making runs: one derived from a user's; else None."""
    miss = getattr(called, "_cache_miss", None)
    code, closure = getattr(miss, "__code__", None), getattr(miss, "__closure__", None)
    if code is None or closure is None or "jaxpr" not in code.co_freevars:
        return None
    return closure[code.co_freevars.index("jaxpr")].cell_contents


@contextmanager
def quietly() -> Iterator[None]:
    """Keep a question of ours to JAX, such as how it prints, out of everyone's events."""
    from jax._src import monitoring

    listeners = monitoring._event_duration_secs_listeners
    monitoring._event_duration_secs_listeners = []
    try:
        yield
    finally:
        monitoring._event_duration_secs_listeners = listeners


@functools.cache
def _traced_takes_source() -> bool:
    from jax._src import stages

    return "fun_sourceinfo" in inspect.signature(stages.Traced.__init__).parameters


# --- which facts can be had --------------------------------------------------------------------------------


def jax_version() -> str | None:
    """Version of the installed JAX, None where there is none; imports nothing."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(getattr(jax, "__version__", None), str):
        return str(jax.__version__)
    try:
        return metadata.version("jax") if importlib.util.find_spec("jax") is not None else None
    except (metadata.PackageNotFoundError, ValueError):
        return None


def jaxlib_version() -> str | None:
    """Version of the installed jaxlib, None where there is none; imports nothing."""
    jaxlib = sys.modules.get("jaxlib")
    if jaxlib is not None and isinstance(getattr(jaxlib, "__version__", None), str):
        return str(jaxlib.__version__)  # reading it off the files takes half a millisecond, in every cell
    try:
        return metadata.version("jaxlib")
    except metadata.PackageNotFoundError:
        return None


def support() -> Support:
    """The tier of the JAX at hand; whether the hooks fit is known once JAX is imported."""
    version = jax_version()
    if version is None:
        return Support("none", f"JAX is not installed in this kernel: run `{UPGRADE}` and restart the kernel.")
    if _numbers(version) < OLDEST:
        return Support(
            "none",
            f"JAX {version} is older than {OLDEST_TEXT}, the oldest one supported here: "
            f"run `{UPGRADE}` and restart the kernel.",
        )
    if not imported():
        return Support("hooks")
    return _structure(version)


def imported() -> bool:
    """Whether the user's kernel has imported JAX, to the end."""
    jax = sys.modules.get("jax")
    return jax is not None and "jax._src.pjit" in sys.modules and hasattr(jax, "jit")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _structure(version: str) -> Support:
    """Read off JAX's code whether the hooks fit it."""
    missing = f"This JAX ({version}) has changed inside, newer than this version of jupyter_jaxpr knows: "
    cure = " Run `pip install -U jupyter_jaxpr` when there is a newer one."
    if not _hooks_fit():
        if not _events_fit():
            return Support("inspection", missing + "programs can be shown, traces and compiles not counted." + cure)
        return Support(
            "events", missing + "traces and compiles are counted, which call caused them cannot be told." + cure
        )
    return Support("hooks")


def _hooks_fit() -> bool:
    try:
        from jax._src import pjit, util

        parameters = [
            len(inspect.signature(function).parameters)
            for function in (pjit._infer_params, pjit.get_ctx_mesh, pjit._get_fastpath_data, util.test_event)
        ]
        misses = [c for c in pjit._cpp_pjit.__code__.co_consts if isinstance(c, CodeType) and c.co_name == _CACHE_MISS]
        return (
            parameters[:2] == [4, 1]
            and parameters[2] >= 4
            and "get_ctx_mesh" in pjit._infer_params.__code__.co_names
            and "test_event" in pjit._pjit_call_impl_python.__code__.co_names
            and bool(misses)
            and all(
                {"_infer_params", "_get_fastpath_data"} <= set(code.co_names)
                and {"args", "kwargs", "p", "args_flat"} <= set(code.co_varnames)
                for code in misses
            )
        )
    except (AttributeError, ImportError, ValueError):
        return False


def _events_fit() -> bool:
    try:
        from jax._src import dispatch

        names = (dispatch.JAXPR_TRACE_EVENT, dispatch.JAXPR_TO_MLIR_MODULE_EVENT, dispatch.BACKEND_COMPILE_EVENT)
        return names == (TRACE_EVENT, LOWER_EVENT, COMPILE_EVENT)
    except (AttributeError, ImportError):
        return False


@functools.cache
def jit_type() -> type:
    """The type of what `jax.jit` returns."""
    import jax

    return type(jax.jit(_nothing))


def _nothing() -> None:
    """Never called: its jit is only asked for its type."""


def is_jitted(value: Any) -> bool:
    """Whether a value is what `jax.jit` returns; imports nothing."""
    return imported() and type(value) is jit_type()


def jax_directory() -> str:
    """Where JAX's own files lie, with a separator at the end."""
    import os

    import jax

    return os.path.dirname(jax.__file__) + os.sep


def backend_started() -> bool:
    """Whether JAX has a backend already; asking `jax.devices()` would start one, and take a GPU's memory."""
    if not imported():
        return False
    try:
        from jax._src import xla_bridge

        return bool(xla_bridge._backends)
    except (AttributeError, ImportError):
        return False


# --- what a cache key is made of ----------------------------------------------------------------------------


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """`jax.tree_util.tree_flatten`."""
    leaves, treedef = _flatten()(tree)
    return leaves, treedef


def structure_of(trees: Sequence[Any]) -> Any:
    """The structure of a tuple of which the items have these structures."""
    import jax

    return jax.tree_util.treedef_tuple(trees)


def is_structure(value: Any) -> bool:
    """Whether a value is the structure of a tree; imports nothing."""
    return imported() and type(value) is _structure_type()


@functools.cache
def _structure_type() -> Any:
    import jax

    return jax.tree_util.PyTreeDef


@functools.cache
def _flatten() -> Any:
    import jax

    return jax.tree_util.tree_flatten


@dataclass(frozen=True)
class FlatCall:
    """The arguments of a call as JAX took them: nothing has to be asked of the user's classes again."""

    leaves: Sequence[Any]
    tree: Any
    avals: Callable[[], Sequence[Any]]  # of the leaves, as JAX has them


LeafFacts = tuple[Any, str, Any, bool | None, Any]


def leaf_facts(
    values: Sequence[Any], with_layout: bool, avals: Callable[[], Sequence[Any]] | None = None
) -> list[LeafFacts]:
    """What each leaf gives to the key: its aval, what holds it, its sharding, whether committed, its layout.

    The aval is None for what is no valid argument. Nothing of the result holds an array.

    Args:
        values: The leaves.
        with_layout: Whether to read the layouts.
        avals: Gives JAX's avals of them; None asks JAX about each, which may ask an object of the user's.
    """
    array = array_type()
    if avals is not None and not all(type(value) is array or _is_known_leaf(type(value)) for value in values):
        known = avals()
        return [
            (aval, "jax.Array", value._sharding, value._committed, _layout(value, aval) if with_layout else None)
            if type(value) is array
            else _other_leaf(value)
            if _is_known_leaf(type(value))
            else (aval, plain_text.kind_name(type(value)), None, None, None)
            for value, aval in zip(values, known, strict=True)
        ]
    if with_layout:
        return [
            (aval := value.aval, "jax.Array", value._sharding, value._committed, _layout(value, aval))
            if type(value) is array
            else _other_leaf(value)
            for value in values
        ]
    return [
        (value.aval, "jax.Array", value._sharding, value._committed, None)
        if type(value) is array
        else _other_leaf(value)
        for value in values
    ]


LeafColumns = tuple[list[Any], list[Any], list[bool]]


def leaf_columns(values: Sequence[Any]) -> LeafColumns | None:
    """The avals of leaves, their shardings, and whether each is committed; None where one is not JAX's own array.

    Three lists in place of a tuple a leaf: of a thousand, these are a hundred kilobytes, and a garbage collection.
    """
    if list(map(type, values)).count(array_type()) != len(values):
        return None
    return (
        [value.aval for value in values],
        [value._sharding for value in values],
        [value._committed for value in values],
    )


def _layout(value: Any, aval: Any) -> Any:
    if len(aval.shape) < 2:  # there is but one, and to ask takes long
        return None
    try:
        return value.format.layout.major_to_minor
    except Exception:  # key arrays, deleted and non-addressable ones have none
        return None


def _other_leaf(value: Any) -> LeafFacts:
    import jax

    kind = type(value)
    if issubclass(kind, jax.core.Tracer):
        return value.aval, "tracer", None, None, None
    if issubclass(kind, jax.Array):  # such as an array of keys
        return value.aval, "jax.Array", value.sharding, getattr(value, "_committed", None), None
    try:
        aval = jax.typeof(value)
    except plain_text.FAILURES:
        aval = None
    return aval, "numpy" if _is_numpys(kind) else plain_text.kind_name(kind), None, None, None


def _is_known_leaf(kind: type) -> bool:
    """Whether no code of the user's runs when JAX is asked about a value of this class."""
    if kind in _often_leaves() or (_is_numpys(kind) and not kind.__flags__ & _MADE_BY_A_CLASS_STATEMENT):
        return True
    return (plain_text.own_name(kind, "__module__") or "").startswith(("jax.", "jaxlib."))


_MADE_BY_A_CLASS_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE


@functools.cache
def _often_leaves() -> frozenset[type]:
    import numpy as np

    return frozenset({bool, int, float, complex, np.ndarray})


def _is_numpys(kind: type) -> bool:
    return plain_text.own_name(kind, "__module__") == "numpy"


def dataclass_fields(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The data fields and meta fields with which a class was registered as a dataclass; None for other classes."""
    entry = getattr(_private("tree_util"), "_registry", {}).get(kind)
    flatten: Any = getattr(entry, "to_iter", None)
    names = getattr(getattr(flatten, "__code__", None), "co_freevars", ())
    if not {"data_fields", "meta_fields"} <= set(names):
        return None
    cells = dict(zip(names, flatten.__closure__, strict=True))
    return tuple(cells["data_fields"].cell_contents), tuple(cells["meta_fields"].cell_contents)


@functools.cache
def array_type() -> Any:
    """The type of JAX's own arrays: not of arrays of keys, nor of what a library makes."""
    return _private("array").ArrayImpl


def jit_disabled() -> bool:
    """Whether `jax.disable_jit` holds on this thread: a jitted function is plain Python then, and has no entries."""
    import jax

    config: Any = jax.config
    return bool(config.jax_disable_jit)


def is_tracer_type(kind: type) -> bool:
    """Whether values of a type stand for others while JAX traces."""
    return issubclass(kind, _private("core").Tracer)


def trace_context_names() -> tuple[str, ...]:
    """What the values of `trace_context` are called; a module such as Pallas adds its own at the end."""
    return tuple(_private("config").trace_context_names())


def functions_with_entries() -> list[Any]:
    """The jitted Python functions for which JAX holds entries now."""
    if not imported():
        return []
    # Those that JAX makes for programs of its own have no function behind them.
    return [each._fun for each in jitted_functions() if hasattr(each, "_fun") and each._cache_size()]


def jitted_functions() -> list[Any]:
    """Every function that `jax.jit` has made and that still exists; looks through all objects once (25 ms)."""
    import gc

    kind: Any = jit_type()
    # An object refers to its type, so the search is in C; a list of all objects takes twice as long to go through.
    return [found for found in gc.get_referrers(kind) if type(found) is kind]


# --- hooks and listeners -----------------------------------------------------------------------------------


class Hooks:
    """Puts the hooks and listeners into JAX, and takes them out."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._support: Support | None = None
        self._originals: dict[tuple[str, str], Callable[..., Any]] = {}  # by module and name
        self._open: dict[int, JitCall] = {}  # calls that have not run yet, by the id of their frame
        self._finder: _WhenImported | None = None
        self._lock = threading.RLock()
        self.failed: list[BaseException] = []  # of ours, kept for the next observation
        self._plain: dict[Any, str] = {}  # the names of functions by those in JAX's events
        self.tells_calls = False  # the tier `hooks`, with the hooks in
        self.overflowed = False  # the user's stack was at Python's limit: there may have been misses that were not told

    @property
    def support(self) -> Support:
        """What the observer can tell; at tier `hooks` also before JAX is imported."""
        return self._support or support()

    def ensure(self) -> None:
        """Hook the imported JAX, or wait for its import; may be called often."""
        with self._lock:
            if imported():
                if not self._originals:
                    self._install()
                if self._listens():
                    self._listen()
            elif self._finder is None and "jax" not in sys.modules:
                self._finder = _WhenImported("jax", self.ensure)
                sys.meta_path.insert(0, self._finder)

    @contextmanager
    def for_a_while(self) -> Iterator[None]:
        """Hook the imported JAX, and leave it as it was before."""
        before = bool(self._originals) or self._finder is not None
        self.ensure()
        try:
            yield
        finally:
            if not before:
                self.remove()

    def remove(self) -> None:
        """Leave JAX as it was."""
        with self._lock:
            if self._finder is not None:
                self._finder.stop()
                self._finder = None
            for (module, name), original in self._originals.items():
                # Where someone else has wrapped what we put there it stays in place, and passes everything on.
                holder = sys.modules.get(module)
                if holder is not None and getattr(getattr(holder, name), "__jupyter_jaxpr__", None) is self:
                    setattr(holder, name, original)
            self._originals.clear()
            self._open.clear()
            if self._listens():
                self._stop_listening()
            self._support = None
            self.tells_calls = False

    def _install(self) -> None:
        self._support = support()
        if self._support.tier != "hooks":
            return
        from jax._src import pjit, util

        self._put(pjit, "get_ctx_mesh", self._before_trace(pjit._infer_params))
        self._put(util, "test_event", self._before_run(pjit._pjit_call_impl_python))
        self._wrap(pjit, "_get_fastpath_data", self._after_run)
        self.tells_calls = True
        _tell(self.fail, self._receiver.installed)

    def _put(self, module: Any, name: str, tell: Callable[[], None]) -> None:
        """Let a function of JAX's tell us that it is called, without being called by us.

        Before Python calls an object it asks the type for `__call__`, and calls what that property gives: the function
        itself. By then nothing of ours is on the stack.
        """
        originals = self._originals
        original: Callable[..., Any] = getattr(module, name)

        def called(_: Any) -> Callable[..., Any]:
            try:
                if originals:
                    tell()
            except RecursionError:  # the user's stack is at its end: JAX will say so itself
                self.overflowed = True
            return original

        teller: Any = type(name, (), {"__call__": property(called)})()
        functools.update_wrapper(teller, original)
        self._replace(module, name, teller)

    def _wrap(self, module: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(module, name)
        self._replace(module, name, functools.wraps(original)(make(original)))

    def _replace(self, module: Any, name: str, other: Any) -> None:
        self._originals[module.__name__, name] = getattr(module, name)
        other.__jupyter_jaxpr__ = self  # how `remove` knows it again
        setattr(module, name, other)

    def _before_trace(self, infer_params: Any) -> Callable[[], None]:
        # JAX's own functions miss hundreds of times in one trace of a user's: theirs is the first and shortest way.
        receiver, library, opened = self._receiver, self._receiver.library, self._open
        get_frame, failed = sys._getframe, self.fail
        code = infer_params.__code__
        name_of_fun, name_of_options, name_of_args, name_of_kwargs = code.co_varnames[:4]

        def before_trace() -> None:
            inner = get_frame(2)
            if inner.f_code is not code or (frame := inner.f_back) is None:
                return
            if opened:
                opened.pop(id(frame), None)  # of a frame that an exception ended
            given = inner.f_locals
            fun = given[name_of_fun]
            if id(fun) in library:
                library[id(fun)] += 1
                return
            try:
                if frame.f_code.co_name != _CACHE_MISS:  # `f.trace`, `f.lower`, `f.eval_shape`: nothing runs
                    receiver.asked_ahead(fun, given[name_of_options], frame)
                    return
                call = JitCall(fun, given[name_of_options], given[name_of_args], given[name_of_kwargs], frame)
                wanted = receiver.missed(call)
                call.drop_values()
                if wanted:
                    opened[id(frame)] = call
                    if len(opened) > 100:
                        self._forget_ended()
            except Exception as error:
                failed(error)

        return before_trace

    def _forget_ended(self) -> None:
        """Calls that raised, on this thread."""
        for key in [key for key, call in list(self._open.items()) if call.is_over()]:
            self._open.pop(key, None)

    def _before_run(self, call_python: Any) -> Callable[[], None]:
        get_frame, opened, code = sys._getframe, self._open, call_python.__code__

        def before_run() -> None:
            if opened and (inner := get_frame(2)).f_code is code and inner.f_back is not None:
                frame = inner.f_back.f_back
                call = opened.get(id(frame))
                if call is not None and frame is not None and call.is_in(frame):
                    self._tell_traced(call, frame)

        return before_run

    def _tell_traced(self, call: JitCall, frame: FrameType) -> None:
        if call.params is not None or "p" not in frame.f_locals:
            return  # it was told, or JAX still traces: what runs meanwhile is a part of the trace
        try:
            call.frame = frame
            call.take_trace()
            self._receiver.traced(call)
        except Exception as error:
            self.fail(error)
        finally:
            call.args, call.kwargs, call.frame = (), {}, None

    def _after_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        get_frame, failed, opened, receiver = sys._getframe, self.fail, self._open, self._receiver

        def get_fastpath_data(*args: Any) -> Any:
            __tracebackhide__ = True
            fast_path = original(*args)
            if args[0] is None and not opened:  # within a trace
                return fast_path
            frame = get_frame(1)
            try:
                call = opened.pop(id(frame), None) if opened else None
                if call is not None and call.is_in(frame):
                    call.frame = frame
                    if call.params is None:
                        call.take_trace()
                    receiver.executed(call, args[0], fast_path is not None)
                elif frame.f_code.co_name == "call_impl_cache_miss":
                    self._tell_derived(frame, args[0])
            except RecursionError:
                self.overflowed = True
            except Exception as error:
                failed(error)
            return fast_path

        return get_fastpath_data

    def _tell_derived(self, frame: FrameType, executable: Any) -> None:
        caller = frame.f_back
        while caller is not None:  # the call that it is derived from: JAX runs it for a transformation
            call = self._open.get(id(caller))
            if call is not None and call.is_in(caller):
                self._tell_traced(call, caller)
            caller = caller.f_back
        found = frame.f_locals
        params = {name: found[name] for name in _DERIVED_PARAMS if name in found}
        self._receiver.derived(
            DerivedCall(
                plain_text.text_of(found["name"]), params, tuple(found["args"]), found.get("out_flat", ()), executable
            )
        )

    def fail(self, error: BaseException) -> None:
        """Keep a failure of ours for the next observation."""
        if isinstance(error, RecursionError):
            self.overflowed = True
        elif len(self.failed) < 10:
            self.failed.append(error)

    # --- JAX's events ---

    def _listen(self) -> None:
        """Register the listeners that are not there (`jax.monitoring.clear_event_listeners` takes all out)."""
        from jax._src import monitoring

        for listeners, register, listener in self._listeners(monitoring):
            if listener not in listeners():
                register(listener)

    def _listens(self) -> bool:
        """Whether this JAX has the events that we know."""
        return self._support is not None and self._support.tier in ("hooks", "events")

    def _stop_listening(self) -> None:
        monitoring = sys.modules.get("jax._src.monitoring")
        if monitoring is None:
            return
        for listeners, register, listener in self._listeners(monitoring):
            if listener in listeners():
                unregister = register.__name__.replace("register_", "unregister_").replace("duration_secs", "duration")
                getattr(monitoring, unregister)(listener)

    def _listeners(self, monitoring: Any) -> tuple[tuple[Any, Any, Any], ...]:
        return (
            (
                monitoring.get_event_duration_listeners,
                monitoring.register_event_duration_secs_listener,
                self._on_duration,
            ),
            (monitoring.get_event_listeners, monitoring.register_event_listener, self._on_event),
            (monitoring.get_scalar_listeners, monitoring.register_scalar_listener, self._on_scalar),
        )

    # A trace of a user's function holds hundreds of JAX's own: these two, and what they call, are as short as can be.

    def _on_duration(self, event: str, seconds: float, fun_name: Any = None, **_: Any) -> None:
        if event in _STAGE_EVENTS:
            try:
                name = (self._plain.get(fun_name) if type(fun_name) is str else None) or self._plain_name(fun_name)
                self._receiver.stage_ended(event, name, seconds)
                if event == TRACE_EVENT and _is_raising(sys._getframe(1)):
                    self._receiver.trace_raised(name)
            except RecursionError:
                self.overflowed = True
            except Exception as error:
                self.fail(error)

    def _on_scalar(self, event: str, value: Any, fun_name: Any = None, **_: Any) -> None:
        if event in _STAGE_EVENTS:  # JAX reports the time of the start under the name of the duration
            try:
                name = (self._plain.get(fun_name) if type(fun_name) is str else None) or self._plain_name(fun_name)
                self._receiver.stage_started(event, name)
            except RecursionError:
                self.overflowed = True
            except Exception as error:
                self.fail(error)

    def _plain_name(self, name: Any) -> str | None:
        """The name of the function: the events after its trace say jit(f) for f.

        Names are kept, for to take them apart right after a compilation is half of what we do then.
        """
        if not issubclass(type(name), str):
            return None
        name = str.__str__(name)
        if len(self._plain) >= _NAMES:
            self._plain.clear()
        wrapped = _WRAPPED_NAME.fullmatch(name)
        plain = plain_text.exact(wrapped.group(1) if wrapped else name)
        if len(name) <= plain_text.Limit.FILE:
            self._plain[name] = plain
        return plain

    def _on_event(self, event: str, **facts: Any) -> None:
        if event == FROM_DISK_EVENT:
            _tell(self.fail, self._receiver.from_disk)


def _is_raising(frame: FrameType) -> bool:
    """Whether the end of a stage is told because of an exception; `frame` is that of the listener's caller."""
    leaving = frame.f_back
    return leaving is not None and leaving.f_locals.get("exc_type") is not None


_STAGE_EVENTS = frozenset({TRACE_EVENT, LOWER_EVENT, COMPILE_EVENT})
_DERIVED_PARAMS = (
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


def _tell(failed: Callable[[BaseException], None], method: Callable[..., None], *facts: Any) -> None:
    """Call the receiver; a failure of ours never reaches the user's call."""
    try:
        method(*facts)
    except Exception as error:
        failed(error)


@contextmanager
def without_disk_cache() -> Iterator[None]:
    """What this thread compiles meanwhile is neither read from JAX's cache on disk nor written to it.

    JAX decides that once in a process, and has no switch for one compilation: the function that names the entry (jax
    0.10 to 0.12) says on this thread that there is none.

    Raises:
        RuntimeError: There is such a cache, and this JAX has no such function.
    """
    from jax._src import compiler

    name = "_resolve_compilation_strategy"
    original = getattr(compiler, name, None)
    if original is None:
        import jax

        if getattr(jax.config, "jax_compilation_cache_dir", None):
            raise RuntimeError("this JAX cannot compile beside its cache on disk")
        yield
        return
    with _beside_the_cache:
        thread = threading.get_ident()
        position = list(inspect.signature(original).parameters).index("compile_options")

        @functools.wraps(original)
        def strategy(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != thread:
                return original(*args, **kwargs)
            return None, kwargs["compile_options"] if "compile_options" in kwargs else args[position]

        setattr(compiler, name, strategy)
        try:
            yield
        finally:
            setattr(compiler, name, original)


_beside_the_cache = threading.Lock()


class _WhenImported:
    """Calls back once a module has been imported by someone else; a finder that finds nothing itself.

    Importing JAX ourselves would read the environment variables that a cell sets before its own import.
    """

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name = name
        self._then = then
        self._looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that the other finders have, its loader calling back after the module has run."""
        if name != self._name or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        loader = spec.loader if spec is not None else None
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        run = loader.exec_module

        def exec_module(module: Any) -> None:
            del loader.exec_module  # the class's own method again
            run(module)
            self.stop()
            # A failure of ours is not a failure of the user's import; the next cell tries again.
            try:
                self._then()
            except Exception:
                return

        loader.exec_module = exec_module  # type: ignore[method-assign]  # on this one loader, until it has run
        return spec

    def stop(self) -> None:
        """Leave the import system as it was."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
