"""Explains an error where Python or a shape needs an integer or another value that is not traced."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import static_cure
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name, lax_name
from ..failing_code.origins import culprits, dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text, result_of
from ..message_tables.jax_messages import FLOAT_QUOTIENT, NUMBER_OF_AXES
from .concretization_errors import NEED_OF_NUMPY, NO_VALUES_OF_ARGUMENTS
from .indexed_lists import INDEX_OF_ARRAY, SWITCH
from .writes_into_numpy_arrays import write_into_numpy_array

_SHAPE = re.compile(r"^Shapes must be 1D sequences of concrete values of integer type, got (.*?)\.(?:\s|$)")
_TRACED_KEY = re.compile(r"\w*Tracer\(.*\)")
_IN_NUMPY = re.compile(r"^setting an array element with a sequence\.?$")
_NO_SIZE = re.compile(r"^tuple index out of range$")
_FLAG = re.compile(r"^Only integer scalar arrays can be converted to a scalar index")
_UNPACKED = re.compile(r"^(?:not enough|too many) values to unpack \(expected (\d+)(?:, got (\d+))?\)")


def plain_value_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a wrong shape, index, dict key or argument of `range`, and a traced value in a NumPy array."""
    text = message_of(error).strip()
    if raised is None or raised.frame is None:
        return None
    if isinstance(error, SyntaxError):
        return _text_as_array(raised)
    if isinstance(error, IndexError) and _NO_SIZE.match(text):
        return _size_of_shape(raised)
    if isinstance(error, TypeError) and (match := _SHAPE.match(text)) and "Tracer" not in text:
        return _shape(raised, match[1])
    if isinstance(error, TypeError) and (match := _NO_TUPLE.match(text)):
        return _counted_shape(raised, match[1], int(match[2]))
    if isinstance(error, KeyError) and _TRACED_KEY.search(text):
        return _text_key(error, raised, function)
    if isinstance(error, ValueError) and _IN_NUMPY.match(text):
        return _in_numpy(raised)
    if isinstance(error, TypeError) and _FLAG.match(text):
        return _counted(raised) or _repeated(raised) or _flag(raised)
    if isinstance(error, ValueError) and (match := _UNPACKED.match(text)):
        return _unpacked(raised, match[1])
    return None


#: JAX prints a size that a function of jax.numpy computed in the form of NumPy's numbers: np.float64(7.5).
_NUMPY_NUMBER = re.compile(r"\bnp\.\w+\((-?[\d.]+)\)")


def _shape(raised: RaisedAt, written: str) -> Explained:
    shape = _NUMPY_NUMBER.sub(r"\1", written)
    title = f"The sizes of a shape must be integers, but this shape is {shape}"
    explanation = FLOAT_QUOTIENT
    cure = FoundCure("an integer", None, "Divide with //, or convert the size with int(n).")
    call = raised.node
    if not isinstance(call, ast.Call):
        return Explained(None, title, explanation, (cure,))
    if (sizes := _sizes_in_tuple(raised, call)) is not None:
        return sizes
    nodes = [
        part
        for argument in (call.args[:1] if called(call) == "full" else call.args)
        for part in (argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument])
    ]
    floats = [node for node in nodes if type(_number(raised, node)) is float or _quotient(raised, node) is not None]
    if "'" in shape or any(type(_number(raised, node)) is str for node in nodes):
        words = "Write integers, such as (2, 3), in place of a string."
        return Explained(None, title, "", (FoundCure("an integer", None, words),))
    if len(floats) == 1:
        node, quotient = floats[0], _quotient(raised, floats[0])
        value = _number(raised, node) if quotient is None else quotient
        code = str(int(value)) if isinstance(node, ast.Constant) else f"int({raised.source(node)})"
        if quotient is not None and isinstance(node, ast.BinOp):
            code = f"{raised.source(node.left)} // {raised.source(node.right)}"
        if not isinstance(node, ast.Constant):
            explanation = f"{raised.source(node)} is {value}. {explanation}"
        elif value != int(value):
            explanation = f"{raised.source(node)} is a float."
            cure = FoundCure("an integer", None, "Write an integer.")
        # If a function computed the size, JAX keeps the failed trace for this number: the call with the equal integer
        # then raises the same error.
        if value == int(value) and shape != written:
            words = f"{cure.text} Before the corrected call, run jax.clear_caches(): JAX keeps the failed trace."
            cure = FoundCure("an integer", code, words)
        elif value == int(value):
            cure = applied(FoundCure("an integer", code, cure.text), [edit_of(raised, over(node, code))])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])))


#: Functions of `jax.numpy` that take each size of a matrix as a separate argument -> the largest number of sizes.
_ONE_BY_ONE = {"eye": 2, "identity": 1, "tri": 2}


def _sizes_in_tuple(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jnp.eye((3, 4)) and jnp.eye(x.shape): each size of a matrix must be a separate argument."""
    name = called(call)
    if name not in _ONE_BY_ONE or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    node = call.args[0]
    sizes = _sizes_of(raised, node)
    if not sizes:
        return None
    source = " ".join(raised.source(node).split())
    title = f"{name} takes sizes one by one, but {source} is a tuple"
    text = f"{source} is {sizes}."
    codes = [raised.source(part) for part in node.elts] if isinstance(node, ast.Tuple | ast.List) else [f"*{source}"]
    words = "Pass each size as a separate argument."
    if len(sizes) > _ONE_BY_ONE[name] and len(set(sizes)) == 1:
        codes, words = (
            codes[:1] if codes[0][0] != "*" else [f"{source}[0]"],
            f"{name} takes one size and makes a square matrix.",
        )
    elif len(sizes) > _ONE_BY_ONE[name]:
        return Explained(None, title, text, (FoundCure("one size", None, f"Pass one size: {name} makes one matrix."),))
    keywords = [raised.source(keyword) for keyword in call.keywords]
    code = f"{raised.source(call.func)}({', '.join([*codes, *keywords])})"
    cure = applied(FoundCure("the sizes", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _sizes_of(raised: RaisedAt, node: ast.expr) -> tuple[int, ...]:
    """Return the sizes in a tuple, or the shape for `x.shape` of an array x. Empty for any other expression."""
    if isinstance(node, ast.Tuple | ast.List):
        sizes = [_number(raised, part) for part in node.elts]
        return tuple(sizes) if all(type(size) is int for size in sizes) else ()
    if isinstance(node, ast.Attribute) and node.attr == "shape" and dtype_of(value_of(raised, node.value)):
        return tuple(value_of(raised, node.value).shape)
    value = value_of(raised, node)
    return value if type(value) is tuple and all(type(size) is int for size in value) else ()


_NO_TUPLE = re.compile(
    r"^arange requires ndarray, scalar, or None arguments, got <class '(tuple|list)'> at position (\d)"
)


def _counted_shape(raised: RaisedAt, tuple_or_list: str, place: int) -> Explained | None:
    """Explains `jnp.arange(x.shape)`: arange needs one number, such as x.shape[0], not a tuple of sizes."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) != "arange" or place >= len(call.args):
        return None
    node = call.args[place]
    source = " ".join(raised.source(node).split())
    title = f"arange takes a number, but {source} is a {tuple_or_list}"
    cure = FoundCure("a number", None, f"Take one of the sizes, such as {source}[0] for the first axis.")
    sizes = _sizes_of(raised, node)
    if len(sizes) == 1:
        code = f"{source}[0]" if not isinstance(node, ast.Tuple | ast.List) else raised.source(node.elts[0])
        cure = applied(
            FoundCure("a number", code, f"{code} is the only size in {source}."), [edit_of(raised, over(node, code))]
        )
    return Explained(None, title, f"{source} is {sizes}." if sizes else "", tuple(passed(raised, [cure])))


def _quotient(raised: RaisedAt, node: ast.expr) -> float | None:
    """Return the value of a division with the operator / of two integers of Python, such as n / 2; else None."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return None
    left, right = _size_or_number(raised, node.left), _size_or_number(raised, node.right)
    return left / right if type(left) is int and type(right) is int and right != 0 else None


def _size_or_number(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the value of a number, of a name, or of the size of an array, such as x.shape[0], x.size and len(x)."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))):
            pass
        case ast.Call(func=ast.Name(id="len"), args=[array], keywords=[]):
            axis = 0
        case ast.Attribute(value=array, attr="size"):
            return getattr(value_of(raised, array), "size", None) if dtype_of(value_of(raised, array)) else None
        case _:
            return _number(raised, node)
    shape = getattr(value_of(raised, array), "shape", ()) if dtype_of(value_of(raised, array)) else ()
    return shape[axis] if axis < len(shape) else None


def _number(raised: RaisedAt, node: ast.expr) -> Any:
    return node.value if isinstance(node, ast.Constant) else value_of(raised, node)


def _text_key(error: BaseException, raised: RaisedAt, function: str) -> Explained:
    origins = culprits(raised, list(raised.tracers.values()))
    explanation = (
        "str() of a traced value gives its type, not its value, so the dict has no entry with this key. "
        f"{NO_VALUES_OF_ARGUMENTS}"
    )
    explanation = " ".join(filter(None, [origins.sentence, explanation]))
    static = static_cure(raised, error, origins.function or function, origins.names) if not origins.is_inner else None
    words = (
        "Put the values of the dict into one array, in the order of the index, and read the array with the traced "
        "index."
    )
    cures = [FoundCure("jnp.stack", None, words), *([static] if static is not None else [])]
    return Explained(None, "A traced value cannot be part of a key of a dict", explanation, tuple(cures), traced=True)


def _in_numpy(raised: RaisedAt) -> Explained | None:
    """Explains a write of a traced value into a NumPy array."""
    statement = raised.statement_of(raised.node)
    match statement:
        case (
            ast.Assign(targets=[ast.Subscript(), *_], value=written)
            | ast.AugAssign(target=ast.Subscript(), value=written)
        ):
            pass
        case _:
            return None
    names = {part.id for part in ast.walk(written) if isinstance(part, ast.Name)}
    values = [value for name, value in raised.frame.f_locals.items() if name in names] if raised.frame else []
    traced = [value for value in values if is_tracer_type(type(value))]
    if not traced:
        return None
    cures = passed(raised, write_into_numpy_array(raised))
    if not cures:
        words = "Make the array with jax.numpy, and write into a copy with .at[...].set."
        cures = [FoundCure(".at[...].set", None, words)]
    line = " ".join(raised.source(statement).split())
    title = (
        f"A NumPy array cannot hold a traced value: {line}"
        if len(line) <= 60
        else "A NumPy array cannot hold a traced value"
    )
    explanation = " ".join(filter(None, [NEED_OF_NUMPY, culprits(raised, traced).sentence]))
    return Explained(None, title, explanation, tuple(cures), traced=True)


def _text_as_array(raised: RaisedAt) -> Explained | None:
    """Explains `jnp.array("1 2 3")`, which must be a list of numbers: NumPy reads a string as something else."""
    call = raised.node
    if not isinstance(call, ast.Call) or not raised.source(call.func).startswith(f"{jnp_name(raised)}."):
        return None
    texts = [part for part in call.args if isinstance(part, ast.Constant) and type(part.value) is str]
    if len(texts) != 1:
        return None
    title = f"{raised.source(call.func)} takes numbers, but gets the string {raised.source(texts[0])}"
    words = "Write the numbers in a list, such as [1, 2, 3]."
    return Explained(None, title, "", (FoundCure("numbers", None, words),))


#: Functions of Python that take integers.
_TAKE_INTEGERS = frozenset({"range", "bin", "hex", "oct", "chr", "bytes"})


def _counted(raised: RaisedAt) -> Explained | None:
    """Explains a float, or an array with axes, as an argument of a function such as `range` that needs integers."""
    call = raised.node
    if not isinstance(call, ast.Call) or raised.source(call.func) not in _TAKE_INTEGERS:
        return None
    name = raised.source(call.func)
    values = [(argument, value_of(raised, argument)) for argument in call.args]
    wrong = [(argument, value) for argument, value in values if not _is_integer(value)]
    if len(values) == 1:
        wrong = values
    if len(wrong) != 1:
        return None
    argument, value = wrong[0]
    source = raised.source(argument)
    title = f"{name} takes integers, but {source} is not an integer"
    if raised.tracers:
        explanation = " ".join(
            filter(
                None, [operands(raised, [argument]), "A traced array has no value that Python can use as an integer."]
            )
        )
        loop = f"{lax_name(raised)}.fori_loop"
        words = f"Write the loop with {loop}, whose bounds are integers that may be traced."
        cures = [FoundCure(loop, None, words)] if name == "range" else []
        words = "Take the number from a shape or from a static argument, which Python knows."
        cures.append(FoundCure("a shape", None, words))
        return Explained(None, title, explanation, tuple(cures), traced=True)
    cure = FoundCure("int", None, f"Write int({source}), or compute with integers.")
    if value is not None and not getattr(value, "shape", ()):
        code = f"int({source})"
        cure = applied(replace(cure, code=code), [edit_of(raised, over(argument, code))])
    return Explained(None, title, operands(raised, [argument]), tuple(passed(raised, [cure])))


def _repeated(raised: RaisedAt) -> Explained | None:
    """Explains `"0.1" * x`: in Python, a string can only be multiplied by an integer, which repeats the string."""
    node = raised.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return None
    for side, other in ((node.left, node.right), (node.right, node.left)):
        value = side.value if isinstance(side, ast.Constant) else value_of(raised, side)
        if type(value) is str:
            title = f"{raised.source(side)} is a string, and a string cannot be multiplied by an array"
            words = f"Write a number in place of {raised.source(side)}, or convert the string with float(...)."
            return Explained(None, title, operands(raised, [other]), (FoundCure("a number", None, words),))
    return None


def _size_of_shape(raised: RaisedAt) -> Explained | None:
    """Explains x.shape[2] of an array with fewer axes."""
    node = raised.node
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Attribute) or node.value.attr != "shape":
        return None
    array = node.value.value
    shape = getattr(value_of(raised, array), "shape", None) if dtype_of(value_of(raised, array)) else None
    if shape is None:
        return None
    title = f"{raised.source(node.value)} has no element {raised.source(node.slice)}"
    explanation = f"{NUMBER_OF_AXES.format(number_of_axes=len(shape))} {operands(raised, [array])}"
    words = "Axes count from 0. -1 stands for the last axis."
    return Explained(None, title, explanation, (FoundCure("axis", None, words),))


def _is_integer(value: Any) -> bool:
    dtype = dtype_of(value)
    return isinstance(value, int) or (bool(dtype) and "int" in str(dtype) and not getattr(value, "shape", ()))


def _flag(raised: RaisedAt) -> Explained | None:
    """Explains a list that is indexed by a boolean or an array of floats, where Python needs an integer."""
    node = raised.around(ast.Subscript)
    if not isinstance(node, ast.Subscript):
        return None
    jnp, place, source = jnp_name(raised), node.slice, raised.source(node.slice)
    dtype = dtype_of(value_of(raised, place)) or ("bool" if isinstance(place, ast.Compare) else "")
    title = "A list takes an integer as its index"
    if dtype:
        title = f"A list takes an integer as its index, not {dtype}"
    explanation = operands(raised, [place])
    index = f"{source if isinstance(place, ast.Name | ast.Call | ast.Attribute) else f'({source})'}.astype(int)"
    listed = node.value
    values = value_of(raised, listed) if isinstance(listed, ast.Name) else None
    parts = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    if any(callable(value_of(raised, part)) for part in parts) or (
        isinstance(values, list | tuple) and any(map(callable, values))
    ):
        cure = FoundCure(f"{lax_name(raised)}.switch", None, SWITCH)
        return Explained(None, title, explanation, (cure,), traced=True)
    code = f"{jnp}.asarray({raised.source(listed)})[{index}]"
    words = f"{INDEX_OF_ARRAY} As an index, False is 0 and True is 1."
    cure = applied(FoundCure(f"{jnp}.asarray", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])), traced=True)


def _unpacked(raised: RaisedAt, expected: str) -> Explained | None:
    statement = raised.statement_of(raised.node)
    if not isinstance(statement, ast.Assign):
        return None
    if isinstance(statement.value, ast.Call):
        return _unpacked_split(raised, statement.value, expected) or _unpacked_call(raised, statement.value, expected)
    value = value_of(raised, statement.value)
    shape = tuple(getattr(value, "shape", ())) if dtype_of(value) else ()
    source = raised.source(statement.value)
    match statement.value:
        case ast.Attribute(value=array, attr="shape") if dtype_of(value_of(raised, array)):
            number = len(value_of(raised, array).shape)
            title = f"{source} has {count(number, 'size')}, but the line has {count(int(expected), 'name')}"
            words = "Write one name for each axis of the array, or add the missing axes to the array before this line."
            return Explained(None, title, operands(raised, [array]), (FoundCure("names", None, words),))
    if type(value) in (tuple, list) and raised.in_trace:
        title = f"{source} has {count(len(value), 'element')}, but the line has {count(int(expected), 'name')}"
        return Explained(
            None,
            title,
            "",
            (FoundCure("names", None, "Write one name for each element on the left of the assignment."),),
        )
    if not shape:
        return None
    title = f"{source} has {shape[0]} elements along axis 0, but the line has {expected} names"
    words = "Write a name for each element, or take elements by their index."
    cures = [FoundCure("names", None, words)]
    if len(shape) > 1 and str(shape[-1]) == expected:
        cures = [
            FoundCure(".T", f"{source}.T", f"{source}.T has {expected} elements along axis 0: the columns of {source}.")
        ]
    return Explained(None, title, operands(raised, [statement.value]), tuple(cures))


def _unpacked_call(raised: RaisedAt, call: ast.Call, expected: str) -> Explained | None:
    """Explains a, b = f(x) in a trace, where the only return of f returns another number of values."""
    function = function_of_text(raised, call.func)
    result = result_of(function)
    if not raised.in_trace or not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    if not isinstance(result, ast.Tuple) or any(isinstance(part, ast.Starred) for part in result.elts):
        return None
    if len(result.elts) == int(expected):
        return None
    title = (
        f"{function.name} returns {count(len(result.elts), 'value')}, but the line has {count(int(expected), 'name')}"
    )
    text = f"{function.name} returns {' '.join(raised.source(result).split())} (line {result.lineno})."
    words = (
        f"Write one name for each value that {function.name} returns, such as _ for a value that the code does not use."
    )
    return Explained(None, title, text, (FoundCure("names", None, words),))


def _unpacked_split(raised: RaisedAt, call: ast.Call, expected: str) -> Explained | None:
    """Explains `a, b = jax.random.split(key, 3)`: the number of names is not the number of keys."""
    source = raised.source(call.func)
    if not source.endswith("random.split") or not call.args or len(call.args) > 2 or call.keywords:
        return None
    number = raised.source(call.args[1]) if len(call.args) == 2 else "2"
    title = f"{source} makes {number} keys here, but the line has {expected} names"
    code = f"{source}({raised.source(call.args[0])}, {expected})"
    cure = FoundCure(source, code, "The second argument of split is the number of keys.")
    cure = applied(cure, [edit_of(raised, over(call, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))
