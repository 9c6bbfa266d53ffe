"""Explains errors whose cause is an earlier line, such as a donated array, a leaked tracer or a used random key."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from ....jax.facts import is_tracer_type
from ....jax.transform_and_inputs_of_tracer import is_over, maker_of, origin_of, short_type, transform_of, type_of
from ....observe.observation import FoundCure
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import file_of, kind_name, message_of
from ...derivatives_in_code import derivative_in
from ...trials.refused_assignments import own_names
from ..control_flow.appended_values import collected
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax
from ..failing_code.return_values import function_of_text, result_of
from ..message_tables.setting_messages import RETURNED_VALUE, VALUE_LEFT_TRACE
from .cached_values import cached_maker, computed_at_once, frames_of_message
from .donations import deleted_array
from .endless_recursions import recursion_error
from .interpret_mode import interpret_mode_error
from .leaking_generators import leaking_generator
from .leaking_statement import callees, only_writer_of, writer_of
from .result_of_the_call import SECOND_RESULT, after_the_call, calls_of, second_result, stored_value
from .state_as_argument import state_as_argument
from .stored_attributes import local_global, local_value
from .values_kept_by_callees import kept_by_callee, statement_calling, with_code_of

_DELETED = re.compile(
    r"^Array has been deleted|^(?:INVALID_ARGUMENT: )?.*[Bb]uffer has been deleted or donated", re.DOTALL
)
_WAS = re.compile(r"function being traced when the value leaked was (\S+) at (.*?):\d+ traced for (\w+)")
_WITH_TYPE = re.compile(r"intermediate value with type (\S+) ")
#: JAX's name for a traced object without a name, such as an instance whose class has the method __call__.
_UNKNOWN = "<unknown>"
_IN_NONDIFF = re.compile(r"^Found a JAX Tracer object passed as an argument to a custom_vjp function")
_INTERPRET = re.compile(r"^Only interpret mode is supported on CPU")
#: The error of a format such as {loss:.3f}; JAX's tracers do not override `__format__`.
_FORMATTED = re.compile(r"^unsupported format string passed to \w*Tracer\.__format__")
_RECURSION = re.compile(r"^Recursively calling|maximum recursion depth exceeded")


def state_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error whose cause is an earlier line: a donated array, a leaked tracer, a used key.

    Also explains a Pallas kernel that runs on a CPU only in interpret mode, and a recursion without end.
    """
    text = message_of(error).strip()
    kind = kind_name(type(error))
    if isinstance(error, RuntimeError | ValueError) and _DELETED.search(text):
        return deleted_array(raised)
    if kind == "UnexpectedTracerError" and _IN_NONDIFF.search(text):
        return None  # no tracer left its trace
    if kind == "UnexpectedTracerError" or (raised is not None and _is_leaked(raised, error)):
        return _leaked_value(text, raised, error)
    if kind == "KeyReuseError":
        return _reused_key(raised)
    if isinstance(error, ValueError) and _INTERPRET.search(text):
        return interpret_mode_error(raised)
    if isinstance(error, RecursionError) and _RECURSION.search(text) and touches_jax(error):
        return recursion_error(raised, function)
    return None


# --- leaked tracers ---


def _is_leaked(raised: RaisedAt, error: BaseException) -> bool:
    if isinstance(error, TypeError) and _FORMATTED.search(message_of(error)):
        # outside of a trace, a format can meet only a tracer whose trace is over
        return not raised.in_trace or _leaked_tracer(raised, error) is not None
    return raised.wanted_tracer is not None and is_over(raised.wanted_tracer, error, raised.frame)


def _leaked_value(text: str, raised: RaisedAt | None, error: BaseException) -> Explained:
    tracer = _leaked_tracer(raised, error)
    was, kind = _WAS.search(text), _WITH_TYPE.search(text)
    origin = origin_of(tracer) if tracer is not None else None
    function = was[1] if was is not None else origin.function if origin is not None else None
    function = None if function == _UNKNOWN else function
    construct = was[3] if was is not None else origin.construct if origin is not None else None
    type_ = type_of(tracer) if tracer is not None else short_type(kind[1]) if kind is not None else ""
    title = (
        VALUE_LEFT_TRACE.format(function=function) if function else "A traced value left the trace that made the value"
    )
    source = raised.text if raised is not None and raised.text is not None and len(raised.text) <= 60 else "This line"
    explanation = f"{source} uses a traced value of type {type_}." if type_ else f"{source} uses a traced value."
    line = _line_of_value(tracer)
    if line is None and raised is not None:
        line = next((frame[1] for frame in reversed(frames_of_message(text)) if frame[0] == raised.place.file), None)
    if line is not None:
        during = f"Line {line} computed the value during the trace."
        traced = f"Line {line} computed the value while JAX traced {function}." if function else during
        explanation = f"{explanation} {traced}"
    ran = _functions_of_value(tracer, was) | {(file, name) for file, _, name in frames_of_message(text)}
    keeper = _leaking_statement(raised, function) if raised is not None and function is not None else None
    if keeper is None and raised is not None and function is not None:
        name = function.partition(".<locals>")[0].rpartition(".")[2]
        file = next((file for file, of_file in sorted(ran) if of_file == name), "")
        raised = with_code_of(raised, file)
        keeper = _leaking_statement(raised, function)
        traced_text = function_of_text(raised, name)
        ran |= {(file, part.name) for part in callees(raised, traced_text) if isinstance(part, ast.FunctionDef)}
    moved = written = None
    is_of_generator = False
    cached = cached_maker(raised, text) if raised is not None else None
    if cached is not None and raised is not None:
        maker, decorator = cached
        explanation += f" {decorator} keeps each result of {maker.name}, also this traced value."
        moved = computed_at_once(raised, maker, decorator)
    elif keeper is not None and raised is not None:
        traced_function, statement = keeper
        code = " ".join(raised.source(statement).split())
        code = code if len(code) <= 60 else f"{code[:59]}…"
        explanation += f" Line {statement.lineno} stores a value outside of {function}: {code}."
        if construct == "jit":
            explanation += " A call that reuses the compiled program does not run this line."
            derivative = derivative_in(raised.loops.module if raised.loops is not None else None, traced_function.name)
            if derivative is not None:
                moved = second_result(raised, traced_function, statement, derivative)
            else:
                moved = after_the_call(raised, traced_function, statement)
            if moved is None or moved.code is None:
                option = _HAS_AUX if derivative is not None else ""
                moved = local_value(raised, traced_function, statement, option) or moved
            if moved is None:
                moved = local_global(raised, traced_function, statement)
        else:
            moved = collected(raised, construct, traced_function, statement)
    elif raised is not None and (written := writer_of(raised, error, ran)) is not None:
        keeping_function, keeping_statement = written
        explanation += f" In {keeping_function} the statement {keeping_statement} keeps a traced value."
        in_traced = statement_calling(raised, function, keeping_function)
        if in_traced is not None:
            moved = after_the_call(raised, *in_traced)
        if (
            moved is None
            and function is not None
            and keeping_function != function.rpartition(".")[2]
            and _computes(keeping_statement)
        ):
            moved = kept_by_callee(raised, function, keeping_function, keeping_statement)
    elif raised is not None and (generator := leaking_generator(raised, function, ran)) is not None:
        explanation += generator.sentence
        moved, is_of_generator = generator.cure, True
    needs_more = (moved is None or moved.code is None) and cached is None and not is_of_generator
    if needs_more and construct == "jit" and function is not None and raised is not None:
        state = _state_cure(raised, function, ran)
        if state is not None:
            explanation += f" {state[0]}" if keeper is None and written is None else ""
            moved = state[1]
    transform = transform_of(tracer)
    if function is None and raised is not None and transform is not None:
        return _left_transform(raised, transform, explanation)
    if construct and function:
        explanation += f" The trace of {function} for {construct} is over, so JAX can no longer compute the value."
    else:
        explanation += " The trace is over, so JAX can no longer compute the value."
    if moved is None and construct == "scan" and function is not None and not is_of_generator:
        moved = FoundCure("an output", None, _OUTPUT_OF_STEP.format(function=function))
    if moved is None and not is_of_generator:  # a returned value would leave the generator as it is
        moved = _returned(raised, keeper, function, written)
    cures = (_CHECKING_LEAKS,) if moved is None else (moved, _CHECKING_LEAKS)
    return Explained(None, title, explanation, cures)


_FURTHER_RESULT = "Return {value} from {function} as a further result, and use the results of the call."
_THROUGH_FUNCTIONS = (
    "Return the value from {writer} and from the functions around the call of {writer}, up to the traced function, and "
    "use the result of the call."
)


def _returned(
    raised: RaisedAt | None,
    keeper: tuple[ast.FunctionDef, ast.stmt] | None,
    function: str | None,
    written: tuple[str, str] | None,
) -> FoundCure:
    """Return the advice to return a stored value, with the code of the return if the function is known.

    Args:
        raised: Where the value was used; None if unknown.
        keeper: The traced function and its statement that stores the value; None if unknown.
        function: The name of the traced function; None if unknown.
        written: The name of another function that stores the value, and the code of its statement; None without one.
    """
    if raised is None or keeper is None:
        if written is not None and function is None:
            return FoundCure("return", None, _THROUGH_FUNCTIONS.format(writer=written[0]))
        return FoundCure("return", None, RETURNED_VALUE.format(function=function or "the function"))
    traced, statement = keeper
    value, result = stored_value(raised, traced, statement), result_of(traced)
    code = None
    if value != "the value" and result is not None:
        results = result.elts if isinstance(result, ast.Tuple) else [result]
        sources = [raised.source(part) for part in results]
        code = None if value in sources else f"return {', '.join([*sources, value])}"
    if code is None:
        return FoundCure("return", None, RETURNED_VALUE.format(function=function or traced.name))
    return FoundCure("return", code, _FURTHER_RESULT.format(value=value, function=traced.name))


def _state_cure(raised: RaisedAt, function: str, ran: Collection[tuple[str, str]]) -> tuple[str, FoundCure] | None:
    """Return the sentence and the cure for a jitted function that reads and replaces values outside of itself."""
    traced = function_of_text(raised, function.rpartition(".")[2])
    module = raised.loops.module if raised.loops is not None else None
    if not isinstance(traced, ast.FunctionDef) or derivative_in(module, traced.name) is not None:
        return None
    return state_as_argument(raised, traced, ran, calls_of(raised, traced))


_OUTPUT_OF_STEP = (
    "Return the value in the second element of the pair that {function} returns: scan stacks this element of all "
    "steps, and returns the stacked values."
)
_CHECKING_LEAKS = FoundCure(
    "jax.checking_leaks",
    None,
    "Call the function within jax.checking_leaks(), which raises an error at the function that leaks the value.",
)


class _TransformTexts(NamedTuple):
    """The title, the end of the explanation, and the cure for a value that left a transform."""

    title: str
    over: str
    cure: str


_OF_VMAP = _TransformTexts(
    "A traced value left a function that JAX mapped",
    " The call of the function that JAX mapped is over, so JAX can no longer use the value.",
    "Return {value} from {name}. The call of the mapped function then returns the values of all elements.",
)
_OF_GRAD = _TransformTexts(
    "A traced value left a function that JAX differentiated",
    " The call of the function that JAX differentiated is over, so JAX can no longer use the value.",
    SECOND_RESULT,
)
_HAS_AUX = "Pass has_aux=True to the transform, such as jax.grad."
_WRITES = " In {function}, the statement {statement} writes to the variable or the object that this expression reads."


def _left_transform(raised: RaisedAt, transform: str, explanation: str) -> Explained:
    """Explains a value that left a transform such as vmap; JAX does not name the function that was transformed.

    Args:
        raised: The place where the value was used.
        transform: The kind of transform that made the tracer: vmap or grad.
        explanation: The sentences about the value.
    """
    written = only_writer_of(raised)
    texts = _OF_VMAP if transform == "vmap" else _OF_GRAD
    keeper = _leaking_statement(raised, written[0]) if written is not None else None
    value = "the value" if keeper is None else stored_value(raised, *keeper)
    words = texts.cure.format(value=value, name="the function" if written is None else written[0])
    if written is not None:
        explanation += _WRITES.format(function=written[0], statement=written[1])
    explanation += texts.over
    leaks = [_CHECKING_LEAKS] if written is None else []
    cure = FoundCure("return", None, words)
    if keeper is not None:
        cure = local_value(raised, *keeper, _HAS_AUX if transform != "vmap" else "") or cure
    return Explained(None, texts.title, explanation, (cure, *leaks))


def _computes(statement: str) -> bool:
    """Return whether a statement stores the result of a call, as cache[n] = jnp.ones(n) does."""
    if statement.endswith("…"):  # the code of a long statement is cut off
        return re.match(r"[^=(]+ = (?:[\w.]+\(|…)", statement) is not None
    try:
        parsed_statement = ast.parse(statement).body[0]
    except SyntaxError:
        return False
    return isinstance(parsed_statement, ast.Assign) and isinstance(parsed_statement.value, ast.Call)


def _leaked_tracer(raised: RaisedAt | None, error: BaseException) -> Any:
    """Return the tracer in the failing expression whose trace has ended; None if there is none."""
    if raised is None or raised.frame is None:
        return None
    if raised.wanted_tracer is not None and is_over(raised.wanted_tracer, error, raised.frame):
        return raised.wanted_tracer
    for node in ast.walk(raised.node) if raised.node is not None else ():
        if isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
            value = value_of(raised, node)
            if is_tracer_type(type(value)) and is_over(value, error, raised.frame):
                return value
    return None


_KEEPING = frozenset({"append", "add", "update", "setdefault", "extend", "insert", "appendleft"})


def _leaking_statement(raised: RaisedAt, function: str) -> tuple[ast.FunctionDef, ast.stmt] | None:
    """Return the traced function, and the only statement in it that writes to an object outside of the function."""
    traced = function_of_text(raised, function.partition(".<locals>")[0].rpartition(".")[2] or function)
    if not isinstance(traced, ast.FunctionDef):
        return None
    statements: dict[int, ast.stmt] = {}
    local_names = own_names(traced)
    for node in ast.walk(traced):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(_is_outside(part, local_names) for target in targets for part in _targets_of(target)):
                statements[id(node)] = node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) in _KEEPING:
            holder = node.value.func
            if isinstance(holder, ast.Attribute) and _is_outside(holder, local_names):
                statements[id(node)] = node
    if len(statements) != 1:
        return None
    (statement,) = statements.values()
    return traced, statement


def _targets_of(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def _is_outside(target: ast.expr, local_names: set[str]) -> bool:
    """Return whether an assignment changes something outside of a function: self, or a name that is not local."""
    root = target
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if called(root) == "type" and isinstance(root, ast.Call) and len(root.args) == 1:
        root = root.args[0]  # type(self).last = x
    return isinstance(root, ast.Name) and (root.id not in local_names or root.id in ("self", "cls"))


def _line_of_value(tracer: Any) -> int | None:
    traceback = maker_of(tracer) if tracer is not None else None
    if traceback is None:
        return None
    for code, last in zip(*traceback.raw_frames(), strict=True):
        if not is_installed(file_of(code)):
            line: int = type(traceback).code_addr2location(code, last)[0]
            return line
    return None


def _functions_of_value(tracer: Any, was: re.Match[str] | None) -> set[tuple[str, str]]:
    """Return the (file, name) of each function that was running when JAX made the value, and of the traced function."""
    functions = {(was[2], was[1].rpartition(".")[2])} if was is not None else set()
    traceback = maker_of(tracer) if tracer is not None else None
    if traceback is not None:
        functions |= {(file_of(code), code.co_name) for code in traceback.raw_frames()[0]}
    return functions


# --- keys ---


def _reused_key(raised: RaisedAt | None) -> Explained:
    name = None
    if raised is not None and raised.frame is not None and raised.node is not None:
        for node in ast.walk(raised.node):
            if isinstance(node, ast.Name) and type_of(value_of(raised, node)).startswith("key<"):
                name = node.id
    explanation = "The same key always gives the same numbers."
    if raised is not None and name is not None and raised.loops is not None:
        lines = sorted(
            node.lineno
            for node in ast.walk(raised.loops.module)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            if node.lineno < raised.place.line
        )
        explanation += f" Line {lines[-1]} used the key {name} before." if lines else ""
    title = f"The key {name} is used a second time" if name else "A key is used a second time"
    key = name or "key"
    code = f"{key}, subkey = jax.random.split({key})"
    text = (
        f"Write this line before each use, and pass subkey: each subkey is new. Do not draw numbers with {key} itself."
    )
    return Explained(None, title, explanation, (FoundCure("jax.random.split", code, text),))
