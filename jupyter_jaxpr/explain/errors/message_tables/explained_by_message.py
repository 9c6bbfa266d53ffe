"""Explains an error by its message, from the table of JAX's messages."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..arguments.large_numbers import too_large_error
from ..arguments.static_argument_edits import static_cure
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import module_of
from ..failing_code.origins import culprits, operands
from ..failing_code.place_of_error import (
    RaisedAt,
    is_of_another_library,
    touches_jax,
    was_raised_in_jax,
)
from ..random_keys.wrong_keys import wrong_key
from ..shapes.batches_of_modules import mapped_module
from ..traced_values.calls_of_numpy_and_math import DRAWS
from ..traced_values.calls_of_statistics import statistics_cure
from ..traced_values.concretization_errors import NO_VALUES
from ..traced_values.printed_values import PRINTED_EACH_TIME
from .argument_messages import ARGUMENT_MESSAGES
from .call_messages import CALL_MESSAGES
from .device_messages import DEVICE_MESSAGES
from .dtype_names import dtype_name_error
from .jax_messages import ARRAY_MESSAGES, FLOAT_OR_X64, MESSAGES, NUMBER_OUT_OF_RANGE
from .lax_messages import LAX_MESSAGES
from .numpy_messages import NUMPY_MESSAGES
from .program_messages import PROGRAM_MESSAGES
from .setting_messages import SETTING_MESSAGES

_BOUNDS = re.compile(r"^Python integer (-?\d+) out of bounds for (u?int\d+)")
_LARGE = re.compile(r"^Python int(?:eger)? (?:(-?\d+) )?too large to convert to (?:C \w+|u?int\d+)")
_JOINED_TEXT = re.compile(r"^can only concatenate str|^must be str, not|^unsupported operand type\(s\) for \+: .*'str'")
_LONGEST_EXPRESSION = 60
#: JAX prints some sizes in the form of NumPy's integers: (np.int64(3),).
_NUMPY_SIZE = re.compile(r"\bnp\.int64\((-?\d+)\)")
_SIZE_NEEDED = re.compile(r"^expected a sequence of integers or a single integer, got")
_BLOCKED = re.compile(r"Blocked\(block_size=(\d+)\)")
_KEY = re.compile(r"^JAX encountered invalid PRNG key data|^unexpected PRNG key type|^random\w* accepts a single key")


#: The rows of all tables; the first row that matches counts. So a row for a user's error in a callback stands before
#: the row for callbacks in general.
_ROWS = (
    *CALL_MESSAGES,
    *SETTING_MESSAGES,
    *ARRAY_MESSAGES,
    *ARGUMENT_MESSAGES,
    *LAX_MESSAGES,
    *DEVICE_MESSAGES,
    *NUMPY_MESSAGES,
    *PROGRAM_MESSAGES,
    *MESSAGES,
)
#: Messages are read up to this many characters: the message of a callback's error ends with the error, after its
#: traceback.
_LONGEST = 50_000


def message_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error whose message is in the table."""
    text = _NUMPY_SIZE.sub(r"\1", message_of(error, _LONGEST).strip())
    if isinstance(error, TypeError) and _KEY.search(text):
        return wrong_key(raised)
    if isinstance(error, OverflowError) and (bounds := _BOUNDS.match(text)) and was_raised_in_jax(error):
        return too_large_error(raised, int(bounds[1])) or _out_of_bounds(int(bounds[1]), bounds[2])
    if isinstance(error, OverflowError) and (large := _LARGE.match(text)) and was_raised_in_jax(error):
        too_large = too_large_error(raised, int(large[1]) if large[1] else None)
        if too_large is not None:
            return too_large
    if touches_jax(error) and (named := dtype_name_error(text, raised)) is not None:
        return named
    is_others = is_of_another_library(error)
    for row in _ROWS:
        row_match = re.match(row.pattern, text, re.DOTALL)
        if row_match is None or (row.of_others and not touches_jax(error)):
            continue
        if is_others and not row.of_others:
            continue
        if row.raised_in_jax and not was_raised_in_jax(error):
            continue
        if row.calls and _called_name(raised) not in row.calls:
            continue

        def filled(template: str, row_match: re.Match[str] = row_match) -> str:
            words = re.sub(r"\{(\w+)\}", lambda place: _filling(row_match, place), template)
            # JAX prints a class of its own for each size of a block that the user wrote as a number.
            return _BLOCKED.sub(r"\1", words.replace("ArrayImpl", "jax.Array"))

        name, words = row.cure
        operand_text = operands(raised, _call_arguments(raised)) if row.with_operands else ""
        explanation = " ".join(filter(None, [filled(row.text), operand_text]))
        cure = FoundCure(name, None, filled(words))
        cure = (mapped_module(raised) or cure) if row.of_one_element else cure
        return Explained(None, filled(row.title), explanation, (cure,))
    return _tracer_argument(error, text, raised, function)


def _filling(row_match: re.Match[str], place: re.Match[str]) -> str:
    """Return the text of the group that a place such as {shape} or {1} names.

    A place that names no group stays: the sentence may quote code, such as an f-string.
    """
    if place[1].isdecimal():
        text = row_match[int(place[1])]
    else:
        text = row_match.groupdict().get(place[1], place[0])
    return " ".join((text or "").split())


def _called_name(raised: RaisedAt | None) -> str | None:
    """Return the name of the called function of the failing expression, without its module; None if it is no call."""
    node = raised.node if raised is not None else None
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else None


def _call_arguments(raised: RaisedAt | None) -> list[ast.expr]:
    """Return the arguments of the failing call or operator; a list or tuple argument counts as its elements."""
    match raised.node if raised is not None else None:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
    call = raised.node if raised is not None else None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)] if isinstance(call, ast.Call) else []
    return [
        part
        for argument in arguments
        for part in (argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument])
    ]


def _out_of_bounds(number: int, dtype: str) -> Explained:
    """Explains a Python number that is too large for an integer dtype."""
    import numpy as np

    limits = np.iinfo(dtype)
    words = f"{FLOAT_OR_X64[1].removesuffix('.')}, and write int64 in place of {dtype}."
    cure = FoundCure(FLOAT_OR_X64[0], None, words)
    if np.iinfo("int32").min <= number <= np.iinfo("int32").max:
        words = f"Use int32 in place of {dtype}, for example x.astype(jnp.int32) for an array x of the dtype {dtype}."
        cure = FoundCure("int32", None, words)
    explanation = f"{dtype} holds the integers from {limits.min:,} to {limits.max:,}."
    return Explained(None, NUMBER_OUT_OF_RANGE.format(number=number, dtype=dtype), explanation, (cure,))


def _tracer_argument(error: BaseException, text: str, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error that another library raised because it got a tracer."""
    if raised is None or not re.search(r"\b(?:Jit|DynamicJaxpr|Batch|Vmap|JVP|Grad|Linearize)Tracer\b", text):
        return None
    origin = culprits(raised)
    is_short = raised.text is not None and len(raised.text) <= _LONGEST_EXPRESSION
    title = f"{raised.text} cannot take a traced array" if is_short else "This line cannot take a traced array"
    explanation = " ".join(filter(None, [NO_VALUES, origin.sentence]))
    if _SIZE_NEEDED.search(text) and is_short:
        title = f"NumPy needs the sizes of a shape in {raised.text} while JAX traces"
        static = static_cure(raised, error, origin.function or function, origin.names)
        if static is not None and origin.transform is None:
            return Explained(None, title, explanation, (static,), traced=True)
    words = "Use a function of JAX, or compute the value outside of the traced function."
    cure = statistics_cure(raised) or FoundCure("JAX function", None, words)
    match raised.node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=module), attr="random"))) if (
            module_of(raised, module) == "numpy"
        ):
            cure = FoundCure("jax.random", None, DRAWS)
        case ast.Call(func=printer, args=[_, *_] as values, keywords=[]) if (
            raised.source(printer).endswith("debug.print") and raised.text is not None
        ):
            places = " ".join(["{}"] * len(values))
            code = f'{raised.source(printer)}("{places}", {", ".join(map(raised.source, values))})'
            words = (
                f"Pass a format as the first argument of {raised.source(printer)}. Each {{}} in the format stands for "
                "a value."
            )
            cure = applied(FoundCure("the format", code, words), [edit_of(raised, over(raised.node, code))])
            title = f"The first argument of {raised.source(printer)} is a format, not an array"
            return Explained(None, title, origin.sentence, tuple(passed(raised, [cure])), traced=True)
        case ast.BinOp(op=ast.Add()) if _JOINED_TEXT.search(text):
            title = f"{raised.text} joins a string and a traced array" if is_short else title
            words = (
                "jax.debug.print('x = {}', x) prints the value each time that the program runs. A JAX program cannot "
                "compute strings."
            )
            cure = FoundCure("jax.debug.print", None, words)
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            words = f"{PRINTED_EACH_TIME} A JAX program cannot compute strings."
            cure = FoundCure("jax.debug.print", None, words)
    return Explained(None, title, explanation, (cure,), traced=True)
