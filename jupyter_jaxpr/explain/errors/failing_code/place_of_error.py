"""Finds where in the user's code an error was raised: the line, the expression, and the traced values in it.

The module reads the frames of the traceback, their local names and their source files. It runs no user code.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
import textwrap
from dataclasses import dataclass, field, replace
from types import FrameType, TracebackType
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.facts import is_tracer_type
from ....jax.transform_and_inputs_of_tracer import transforms_in_jit
from ....observe.observation import Place
from ....observe.user_or_library.whose_code import is_installed, is_jax, is_users_frame
from ....plain_text import file_of, function_of, message_of, own_name
from ...loops.kinds_of_python_loops import Loops, LoopStatement, node_span, parsed


@dataclass(frozen=True)
class RaisedAt:
    """The innermost position of the user's code in a traceback.

    Attributes:
        place: The line and the columns of the failing expression.
        node: The syntax node of the failing expression or statement; None without source code.
        text: The code of the expression, on one line.
        parents: The parent of each syntax node, by the id of the node.
        loops: The parsed source code of the file, with its loops.
        tracers: The traced values that the expression reads, by their names.
        frame: The frame of the user's code, with the local values at the time of the error.
        wanted_tracer: The tracer whose value Python needed; None if the traceback does not show it.
        callers: The frames of the user's code that called this frame, outermost first.
        in_trace: True if JAX called this frame, so that JAX was tracing.
    """

    place: Place
    node: ast.AST | None = None
    text: str | None = None
    parents: dict[int, ast.AST] = field(default_factory=dict)
    loops: Loops | None = None
    tracers: dict[str, Any] = field(default_factory=dict)
    frame: FrameType | None = None
    wanted_tracer: Any = None
    callers: tuple[FrameType, ...] = ()
    in_trace: bool = False

    @functools.cached_property
    def module_names(self) -> frozenset[str]:
        """Return all names that the source code reads or imports."""
        if self.loops is None:
            return frozenset()
        nodes = list(ast.walk(self.loops.module))
        read = {part.id for part in nodes if isinstance(part, ast.Name)}
        imports = [part for part in nodes if isinstance(part, ast.Import | ast.ImportFrom)]
        return frozenset(read | {name.asname or name.name for statement in imports for name in statement.names})

    def statement(self, node: ast.AST) -> LoopStatement | None:
        """Return the LoopStatement for a syntax node; None if the node is no loop."""
        loops = self.loops.functions if self.loops is not None else []
        return next((loop for *_, inside in loops for loop in inside if loop.node is node), None)

    def source(self, node: ast.AST) -> str:
        """Return the code of a node as the user wrote it."""
        lines = "\n".join(self.loops.lines) if self.loops is not None else ""
        return ast.get_source_segment(lines, node) or ast.unparse(node)

    def source_of_statement(self, node: ast.stmt) -> str:
        """Return the code of a statement without its indentation."""
        return textwrap.dedent(" " * node.col_offset + self.source(node))

    def statement_of(self, node: ast.AST | None) -> ast.stmt | None:
        """Return the innermost statement that contains a node."""
        while node is not None and not isinstance(node, ast.stmt):
            node = self.parents.get(id(node))
        return node

    @functools.cached_property
    def function(self) -> ast.FunctionDef | ast.Lambda | None:
        """Return the function that contains the failing expression; None at the top level of a cell."""
        node = self.around(ast.FunctionDef, ast.Lambda)
        return node if isinstance(node, ast.FunctionDef | ast.Lambda) else None

    def around(self, *kinds: type[ast.AST]) -> ast.AST | None:
        """Return the innermost node of the given classes that contains or is the failing expression."""
        node = self.node
        while node is not None and not isinstance(node, kinds):
            node = self.parents.get(id(node))
        return node


def raised_at(error: BaseException) -> RaisedAt | None:
    """Return the place of an exception in the user's code; None if the traceback has no frame of the user's code."""
    users_traceback: TracebackType | None = None
    callers: list[FrameType] = []
    wanted_tracer = None
    through_jax = in_trace = False
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if callers and frame.f_code.co_name == "<module>" and not _was_called_by(frame, callers[0]):
            break
        if is_users_frame(frame) and not file_of(frame.f_code).endswith(".pyx"):
            users_traceback, wanted_tracer = traceback, None
            callers.append(frame)
            in_trace = in_trace or through_jax
        elif (tracer := _tracer_in_traceback(frame)) is not None:
            wanted_tracer = tracer
        through_jax = through_jax or (bool(callers) and is_jax(file_of(frame.f_code)))
        traceback = traceback.tb_next
    if users_traceback is None:
        return None
    code = users_traceback.tb_frame.f_code
    place = Place(file_of(code), users_traceback.tb_lineno, function_of(code))
    try:
        raised = _raised_expression(users_traceback, place)
    except not_of_a_signal(Exception):  # the line of the error is useful even if its expression cannot be determined
        raised = RaisedAt(place)
    return replace(
        raised,
        frame=users_traceback.tb_frame,
        wanted_tracer=wanted_tracer,
        callers=tuple(callers[:-1]),
        in_trace=in_trace,
    )


def innermost(error: BaseException) -> RaisedAt | None:
    """Return the place of an exception in the last frame of its traceback, which may be a frame of a library.

    None if the source code of this frame is unknown.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return None
    code = traceback.tb_frame.f_code
    try:
        raised = _raised_expression(traceback, Place(file_of(code), traceback.tb_lineno, function_of(code)))
    except not_of_a_signal(Exception):  # a library may have changed its source code since Python loaded the library
        return None
    return replace(raised, frame=traceback.tb_frame)


def _was_called_by(frame: FrameType, caller: FrameType) -> bool:
    """Return whether a frame was called, directly or indirectly, by another frame.

    A library may raise one error object again and again, as checkify does. Python then puts the frames of the new raise
    in front of the frames of the earlier raises, which belong to earlier cells.
    """
    back: FrameType | None = frame
    while back is not None and back is not caller:
        back = back.f_back
    return back is not None


_OF_THE_VALUE = ("self", "arg", "val")
"""Parameters that hold the tracer in the functions of _ASKING."""


def _tracer_in_traceback(frame: FrameType) -> Any:
    if frame.f_code.co_name not in _ASKING:
        return None
    names = frame.f_locals
    return next((names[name] for name in _OF_THE_VALUE if name in names and _is_tracer(names[name])), None)


_ASKING = frozenset(
    "__bool__ __int__ __float__ __complex__ __index__ __array__ item tolist concrete_or_error error".split()
)


def at_caller(raised: RaisedAt, frame: FrameType) -> RaisedAt:
    """Return the place in a caller of the failing function: the call that led to the error.

    Args:
        raised: Where the error was raised.
        frame: One of the callers.
    """
    code = frame.f_code
    place = Place(file_of(code), frame.f_lineno, function_of(code))
    callers = raised.callers[: raised.callers.index(frame)]
    return replace(_expression_at(frame, frame.f_lasti, place), frame=frame, callers=callers)


def _raised_expression(traceback: TracebackType, place: Place) -> RaisedAt:
    return _expression_at(traceback.tb_frame, traceback.tb_lasti, place)


def _expression_at(frame: FrameType, instruction: int, place: Place) -> RaisedAt:
    positions = list(frame.f_code.co_positions())
    line, end_line, column, end_column = positions[instruction // 2]
    if line is None or end_line is None or column is None or end_column is None:
        return RaisedAt(place)
    place = Place(place.file, line, place.function, column, end_line, end_column)
    loops = parsed("".join(linecache.getlines(place.file)))
    if loops is None:
        return RaisedAt(place)
    span = ((line, column), (end_line, end_column))
    parents: dict[int, ast.AST] = {}
    node: ast.AST | None = None
    for parent in ast.walk(loops.module):
        if isinstance(parent, ast.expr | ast.stmt) and node_span(parent) == span:
            # An expression statement and its expression have the same position; choose the expression.
            node = parent if node is None or isinstance(node, ast.stmt) else node
        for child in ast.iter_child_nodes(parent):
            parents[id(child)] = parent
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        # For a condition, Python 3.11 reports the position of the whole `if` or `while` statement; choose the
        # condition.
        node = node.test
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        (line, column), (end_line, end_column) = node_span(node)
        place = place._replace(line=line, column=column, end_line=end_line, end_column=end_column)
    if node is None:
        return RaisedAt(place, loops=loops, parents=parents)
    values = frame.f_locals
    read = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    tracers = {name: values[name] for name in sorted(set(read)) if name in values and _is_tracer(values[name])}
    segment = ast.get_source_segment("\n".join(loops.lines), node) if isinstance(node, ast.expr) else None
    return RaisedAt(
        place,
        node=node,
        text=" ".join(segment.split()) if segment is not None else None,
        parents=parents,
        loops=loops,
        tracers=tracers,
    )


def _is_tracer(value: Any) -> bool:
    return is_tracer_type(type(value))


def runs_under_grad_alone(raised: RaisedAt) -> bool:
    """Return whether the traced values of an expression have values without jax.jit, as under jax.grad alone.

    False inside of vmap, of a loop or of a branch, whose values are traced without jax.jit, too.
    """
    frames = [frame for frame in (*raised.callers, raised.frame) if frame is not None]
    called = [frame for frame in frames if frame.f_code.co_name != "<module>"]
    values = [value for frame in called for value in frame.f_locals.values() if _is_tracer(value)]
    around = [transforms_in_jit(value) for value in values]
    is_differentiated = any(transforms_in_jit(value) == {"grad"} for value in raised.tracers.values())
    return is_differentiated and all(kinds is not None and kinds <= {"grad"} for kinds in around)


def is_of_jax(error: BaseException) -> bool:
    """Return whether JAX defines the class of an error."""
    return (own_name(type(error), "__module__") or "").split(".")[0] in ("jax", "jaxlib")


def touches_jax(error: BaseException) -> bool:
    """Return whether an error has to do with JAX, by its class, its message or a frame of its traceback."""
    if is_of_jax(error) or _OF_JAX.search(message_of(error)):
        return True
    traceback = error.__traceback__
    while traceback is not None:
        if _is_of_jax_or_on_jax(traceback.tb_frame):
            return True
        traceback = traceback.tb_next
    return False


def was_raised_in_jax(error: BaseException) -> bool:
    """Return whether code of JAX or of a JAX library, such as flax, raised the error."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and _is_of_jax_or_on_jax(traceback.tb_frame)


def is_of_another_library(error: BaseException) -> bool:
    """Return whether a library other than JAX raised an error that the user's code, not JAX, called.

    For example, NumPy raised the error of `np.broadcast_to` in a traced function, and a frame of NumPy follows the
    user's in the traceback.
    """
    in_library = called_by_jax = False
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        in_library = not is_users_frame(frame) or file_of(frame.f_code).endswith(".pyx")
        called_by_jax = in_library and (called_by_jax or _is_of_jax_or_on_jax(frame))
        traceback = traceback.tb_next
    return in_library and not called_by_jax and not is_of_jax(error)


#: Libraries that compute only with JAX, so that errors in them are about JAX arrays.
LIBRARIES = frozenset("flax optax equinox chex haiku diffrax lineax optimistix distrax numpyro blackjax orbax".split())


def _is_of_jax_or_on_jax(frame: FrameType) -> bool:
    if is_jax(file_of(frame.f_code)):
        return True
    module = frame.f_globals.get("__name__")
    return type(module) is str and module.partition(".")[0] in LIBRARIES and is_installed(file_of(frame.f_code))


_OF_JAX = re.compile(r"Tracer|ArrayImpl|\bjax", re.IGNORECASE)
