"""Reports eager constructs and their programs: constructs such as `lax.scan(step, init, xs)` that run outside of jit.

JAX evaluates the primitive `scan` as one program: `dispatch.xla_primitive_callable` makes a jitted function of the
primitive and its parameters, and keeps the jitted function. So JAX compiles an eager construct once for each body
function; a new function object is a new body.

- `Construct`: the construct that one such jitted function computes.
- `construct_of`: returns the construct of a jitted function.
- `EagerConstructs`: reports each execution of an eager construct, compiled now or before.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES, kind_name, text_of
from .facts import jax_directory, private
from .loop_equations import scan_parts, while_parts
from .stand_ins_in_modules import TellingFunction

_FUNCTIONS = {
    "scan": ("f",),
    "map": ("f",),
    "while_loop": ("cond_fun", "body_fun"),
    "fori_loop": ("body_fun",),
    "cond": ("true_fun", "false_fun"),
    "switch": ("branches",),
}
"""The functions of `jax.lax` that make constructs -> the parameters that take functions, the body last."""

_NO_NAME = "<unknown>"
"""JAX's name of a function without a name, such as a callable object."""

_SOLVERS = frozenset({"custom_root", "custom_linear_solve"})
"""Functions of `jax.lax` that JAX does not compile: it runs the user's solver, traced, operation by operation."""

_COMPOSED = _SOLVERS | {"associative_scan"}
"""Functions of `jax.lax` that no primitive stands for outside of jit."""

_SPECIFIC = frozenset({"scan", "while", "cond"})

# (parameter of the construct, weak reference to the function that was passed; None if the object allows none)
_References = tuple[tuple[str, "weakref.ref[Any] | None"], ...]


@dataclass(frozen=True)
class Body:
    """The function that is the body of a loop or a branch: its name, its file and its first line."""

    name: str
    file: str
    line: int


@dataclass(frozen=True)
class PassedFunction:
    """A function object that the caller passed to a construct: a body, a branch or a condition.

    Attributes:
        name: The name of the function.
        parameter: The argument of the construct, such as `body_fun` or `branches[1]`.
        reference: A weak reference to the function object; None if the object allows none.
        kind: `method`, `partial`, `object` (a callable object, for which JAX knows no name) or `function`.
        captured: The names of the variables of enclosing functions that the function reads.
    """

    name: str
    parameter: str
    reference: weakref.ref[Any] | None
    kind: str = "function"
    captured: tuple[str, ...] = ()


@dataclass(frozen=True)
class Construct:
    """One construct that JAX compiles as a program of its own, outside of jit.

    Attributes:
        name: The called function of `jax.lax`, such as `fori_loop`; the primitive if the function is unknown.
        primitive: The name of the program in JAX's events and programs.
        bodies: The body of a loop, without its condition; or the branches in order.
        settings: The other arguments of the call, as text: length, reverse, unroll.
        groups: (name, number) of each group of operands in order, such as `carry`; the number None means the rest.
        functions: The function objects that the caller passed, in order; empty if they are unknown.
        derived: True if a transform such as grad or vmap made the construct from a construct of the user's.
        solver: The function of `jax.lax` whose solver contains the construct, such as `custom_root`.
        within: The public function of JAX that the user called and that contains the construct, such as `cg`; None
            if the user called the construct directly.
    """

    name: str
    primitive: str
    bodies: tuple[Body, ...]
    settings: tuple[tuple[str, str], ...]
    groups: tuple[tuple[str, int | None], ...] = ()
    functions: tuple[PassedFunction, ...] = ()
    derived: bool = False
    solver: str | None = None
    within: str | None = None

    def how(self, ran_now: bool) -> str:
        """Return the origin of the program in a few words.

        `ran_now` is True if JAX compiled it in this run.
        """
        if self.derived:
            return f"eager {self.name}, derived by a transform"
        if self.solver is not None and ran_now:
            return f"eager {self.name}, run by {self.solver}"
        return f"ran as an eager {self.name}" if ran_now else f"eager {self.name}, compiled earlier"

    @property
    def title(self) -> str:
        """The name of the construct with the names of its bodies, such as `scan(step)`."""
        names = {body.name for body in self.bodies}
        return f"{self.name}({', '.join(body.name for body in self.bodies)})" if len(names) < 4 and names else self.name

    def operands(self, count: int) -> list[str]:
        """Return a name for each of `count` operands, such as `carry` or `carry[1]`."""
        names: list[str] = []
        for name, size in self.groups:
            left = count - len(names)
            number = left if size is None else min(size, left)
            names += [name] if number == 1 else [f"{name}[{index}]" for index in range(number)]
        return [*names, *(f"operand[{index}]" for index in range(len(names), count))]


def code_of_evaluation() -> CodeType | None:
    """Return the code object in which JAX runs one eager operation; None if this version of JAX has none."""
    return getattr(getattr(private("dispatch"), "apply_primitive", None), "__code__", None)


def is_operation(jitted: Any) -> bool:
    """Return whether a jitted function that JAX made runs a single operation, rather than a construct."""
    return getattr(jitted, "__name__", None) not in _SPECIFIC


def construct_of(fun: Any, frame: FrameType | None) -> Construct | None:
    """Return the construct for which JAX made a jitted function; None for any other function.

    Args:
        fun: The Python function inside the jitted function.
        frame: A frame inside the construct's execution; None after it.
    """
    if type(fun) is not FunctionType or vars(fun).get("_apply_primitive") is not True:
        return None  # only JAX's own wrapper is read: an attribute of a user's callable may run user code
    try:
        values = [cell.cell_contents for cell in fun.__closure__ or ()]
        cells = dict(zip(fun.__code__.co_freevars, values, strict=True))
        primitive, params = cells["prim"], cells["params"]
    except not_of_a_signal(AttributeError, KeyError, TypeError, ValueError):
        return None
    name = str(primitive.name)
    if name not in _SPECIFIC:
        return None
    called, references, derived, solver, outermost = _called(frame)
    called = called or name
    within = outermost if outermost not in (None, called) and not derived else None
    bodies = tuple(_bodies_of_map(references) if called == "map" else ()) or tuple(_bodies(called, params))
    if len(bodies) == len(references):
        bodies = tuple(
            _with_class_name(body, reference) for body, (_, reference) in zip(bodies, references, strict=True)
        )
    return Construct(
        called,
        name,
        bodies,
        tuple((key, text_of(value)) for key, value in sorted(params.items()) if key in _SETTINGS),
        _groups(called, params),
        _passed(called, references, bodies, params),
        derived,
        solver,
        within,
    )


def _groups(name: str, params: dict[str, Any]) -> tuple[tuple[str, int | None], ...]:
    if "branches" in params:
        return ("predicate" if name == "cond" else "index", 1), ("operand", None)
    if "length" in params:
        scan = scan_parts(params)
        return ("captured", scan.consts), ("carry", scan.carry), ("xs", None)
    loop = while_parts(params)
    return ("captured", loop.condition_consts + loop.body_consts), ("carry", None)


_SETTINGS = frozenset({"length", "reverse", "unroll"})


def _bodies(name: str, params: dict[str, Any]) -> Iterator[Body]:
    if "branches" in params:
        branches = list(params["branches"])
        programs = branches[::-1] if name == "cond" else branches  # `cond` stores the branch of False first
    else:
        programs = [params[key] for key in ("jaxpr", "body_jaxpr") if key in params]
    yield from filter(None, map(_traced_in, programs))


def _traced_in(program: Any) -> Body | None:
    """Return the function whose trace made a jaxpr; None if the jaxpr does not state the function."""
    source = getattr(getattr(getattr(program, "jaxpr", program), "debug_info", None), "func_src_info", None)
    if not isinstance(source, str):
        return None
    name, _, place = source.partition(" at ")
    file, _, line = place.rpartition(":")
    return Body(text_of(name), text_of(file), int(line) if line.isdigit() else 0)


def _bodies_of_map(references: _References) -> Iterator[Body]:
    """Yield the user's function that `lax.map` received; JAX wraps it in a function of its own."""
    for _, reference in references:
        function = None if reference is None else reference()
        if type(function) is FunctionType:
            code = function.__code__
            yield Body(text_of(function.__name__), text_of(code.co_filename), code.co_firstlineno)


def _with_class_name(body: Body, reference: weakref.ref[Any] | None) -> Body:
    """Return a body that has the name of its class if JAX knows no name of the callable object."""
    called = None if reference is None else reference()
    return replace(body, name=kind_name(type(called))) if body.name == _NO_NAME and called is not None else body


def _passed(
    name: str, references: _References, bodies: tuple[Body, ...], params: dict[str, Any]
) -> tuple[PassedFunction, ...]:
    """Return the function objects that the caller passed; empty if they are unknown."""
    named: list[Body | None] = list(bodies)
    if name == "while_loop":
        named.insert(0, _traced_in(params.get("cond_jaxpr")))
    if len(named) != len(references):
        return ()
    return tuple(
        PassedFunction(
            parameter if body is None else body.name,
            parameter,
            reference,
            _kind(reference, body),
            _captured(reference),
        )
        for body, (parameter, reference) in zip(named, references, strict=True)
    )


def construct_around(frame: FrameType | None) -> str | None:
    """Return the `jax.lax` function that the user called and that called JAX's frame `frame`; None if there is none.

    May be called from another thread: no variables are read.
    """
    name: str | None = None
    while frame is not None and frame.f_code.co_filename.startswith(jax_directory()):
        code = frame.f_code
        if code.co_name in _FUNCTIONS and _CONTROL_FLOW in code.co_filename:
            name = code.co_name
        frame = frame.f_back
    return name


def _kind(reference: weakref.ref[Any] | None, body: Body | None) -> str:
    kind: type = type(None if reference is None else reference())
    if body is not None and body.name == kind_name(kind):
        return "object"
    return "method" if kind is MethodType else "partial" if issubclass(kind, partial) else "function"


def _captured(reference: weakref.ref[Any] | None) -> tuple[str, ...]:
    function = None if reference is None else reference()
    return function.__code__.co_freevars if type(function) is FunctionType else ()


def _called(
    frame: FrameType | None,
) -> tuple[str | None, _References, bool, str | None, str | None]:
    """Return the `jax.lax` function that the user called, the functions passed to it, and three more facts.

    The three are: whether JAX runs a program that a transform made; the `jax.lax` function whose solver JAX runs, or
    None; and the outermost public function of JAX, or None.
    """
    name, solver, outermost = None, None, None
    references: _References = ()
    derived = False
    while frame is not None and frame.f_code.co_filename.startswith(jax_directory()):
        code = frame.f_code
        if code.co_name in _FUNCTIONS and _CONTROL_FLOW in code.co_filename:
            name = code.co_name
            references = _references(_FUNCTIONS[name], frame.f_locals)
        elif code.co_name in _SOLVERS and _CONTROL_FLOW in code.co_filename:
            solver = code.co_name
        derived |= code.co_filename.endswith(_TRANSFORMS)
        if callable(frame.f_globals.get(code.co_name)) and not code.co_name.startswith("_"):
            outermost = code.co_name
        frame = frame.f_back
    return name, references, derived or (name is None and solver is None), solver, outermost


def construct_of_trace(frame: FrameType | None) -> str | None:
    """Return the title of the construct whose body JAX traces, such as `scan(step)`; None if JAX traces no body.

    Of nested constructs, the outermost one is returned: JAX keeps the trace of the whole construct.

    Args:
        frame: A frame inside the trace.
    """
    outermost = None
    while frame is not None:
        code = frame.f_code
        if code.co_name in _FUNCTIONS and _CONTROL_FLOW in code.co_filename:
            outermost = frame
        frame = frame.f_back
    if outermost is None:
        return None
    name = outermost.f_code.co_name
    parameters = _FUNCTIONS[name] if name in ("cond", "switch") else _FUNCTIONS[name][-1:]
    functions = [None if passed is None else passed() for _, passed in _references(parameters, outermost.f_locals)]
    names = [function.__name__ if type(function) is FunctionType else None for function in functions]
    if None in names or not 0 < len(set(names)) < 4:
        return name
    return f"{name}({', '.join(map(str, names))})"


def _references(parameters: tuple[str, ...], variables: Mapping[str, Any]) -> _References:
    """Return a weak reference to each function among JAX's local variables; None for an object that allows none."""
    functions: list[tuple[str, Any]] = []
    for parameter in parameters:
        value: Any = variables.get(parameter)
        if parameter == "branches" and type(value) in (tuple, list):
            functions += ((f"branches[{index}]", branch) for index, branch in enumerate(value))
        else:
            functions.append((parameter, value))
    references: list[tuple[str, weakref.ref[Any] | None]] = []
    for parameter, function in functions:
        try:
            references.append((parameter, weakref.ref(function)))
        except TypeError:
            references.append((parameter, None))
    return tuple(references)


_TRANSFORMS = tuple(os.path.join("interpreters", f"{name}.py") for name in ("ad", "batching", "partial_eval"))
_CONTROL_FLOW = f"{os.sep}control_flow{os.sep}"


def traceback_here() -> Any:
    """Return JAX's record of the present stack, as equations have it; None if this version of JAX has none."""
    try:
        return private("source_info_util").current().traceback
    except (AttributeError, ImportError):
        return None


def composed_in(program: Any) -> list[str]:
    """Return the `jax.lax` functions that made several equations of a recording, rather than one program."""
    names: dict[str, None] = {}
    for equation in getattr(program, "jaxpr", program).eqns:
        frames = getattr(getattr(equation.source_info, "traceback", None), "frames", ())
        for frame in frames:
            # custom_linear_solve runs the solver in an inner function, whose name is custom_linear_solve.<locals>...
            name = frame.function_name.partition(".")[0]
            if name in _COMPOSED and _CONTROL_FLOW in frame.file_name:
                names[name] = None
    return list(names)


class EagerConstructs:
    """Reports each eager construct that JAX runs.

    Args:
        is_wanted: A function that returns True if executions on this thread are to be reported at present.
        tell: Called with the jitted function that JAX made for the construct, and a frame inside its execution.
        fail: Receives an error of this package.
    """

    def __init__(
        self,
        is_wanted: Callable[[], bool],
        tell: Callable[[Any, FrameType], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self._is_wanted = is_wanted
        self._tell = tell
        self._fail = fail
        self._function: TellingFunction | None = None

    def start(self) -> None:
        """Start reporting eager constructs.

        Raises:
            AttributeError: This version of JAX evaluates primitives in another way.
        """
        if self._function is not None:
            return
        is_wanted, tell, fail = self._is_wanted, self._tell, self._fail

        def evaluated(jitted: Any, frame: FrameType) -> None:
            try:
                if is_wanted():
                    tell(jitted, frame)
            except not_of_a_signal(*FAILURES) as error:
                fail(error)

        self._function = TellingFunction(private("dispatch"), "xla_primitive_callable", _SPECIFIC, evaluated)

    def stop(self) -> None:
        """Stop reporting eager constructs, and restore the function of JAX that was replaced."""
        if self._function is not None:
            self._function.put_back()
            self._function = None
