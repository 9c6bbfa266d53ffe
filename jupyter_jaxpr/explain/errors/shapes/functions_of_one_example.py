"""Finds out whether a matrix product failed because a function for a single example got a batch of examples."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import CodeType

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import file_of
from ...loops.kinds_of_python_loops import parsed
from ...trials.trial_of_error_cure import passed
from ..arguments.jit_arguments import packages_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import namespace
from ..failing_code.operand_nodes import shapes_of_operands
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .keepdims import REDUCTIONS

#: Names of general cures, which the cure jax.vmap replaces: they change a shape, whatever the called function is for.
_OF_THE_OPERATION = frozenset({"same size", "same shape", ".T"})


@dataclass(frozen=True)
class _Call:
    """A call of a user's function that led to the error.

    Attributes:
        at: The place of the call.
        node: The call.
        function: The definition of the called function.
    """

    at: RaisedAt
    node: ast.Call
    function: ast.FunctionDef


def with_batch(explained: Explained, raised: RaisedAt | None, sizes: Sequence[int]) -> Explained:
    """Return the explanation with the cure jax.vmap(f)(batch), if JAX can trace the call with the cure.

    Args:
        explained: The explanation of an error of a matrix product.
        raised: Where the error was raised.
        sizes: The sizes in JAX's message.
    """
    import jax

    if raised is None or any(cure.level == "applies" or cure.name == "jax.vmap" for cure in explained.cures):
        return explained
    calls = list(_calls(raised))
    if any("vmap" in ast.unparse(call.at.node) for call in calls if call.at.node is not None):
        return explained
    for call in calls:
        if namespace(call.at).get("jax") is jax and (cure := _mapped(raised, call, sizes)) is not None:
            if cure.level != "applies":
                return replace(explained, cures=(*explained.cures, cure))
            return _with_first(explained, cure)
    for call in calls:
        # In a scan or a vmap of the called function, JAX's message names inner axes, not the axis of the batch.
        if namespace(call.at).get("jax") is jax and (cure := _mapped(raised, call, None)) is not None:
            return _with_first(explained, cure)
    return explained


def _with_first(explained: Explained, cure: FoundCure) -> Explained:
    others = [other for other in explained.cures if other.name not in _OF_THE_OPERATION]
    return replace(explained, cures=(cure, *others))


def _calls(raised: RaisedAt) -> Iterator[_Call]:
    """Yield the calls of the user's functions that led to the error, the innermost first."""
    frames = [*raised.callers, raised.frame]
    for frame, inner in reversed(list(zip(frames, frames[1:], strict=False))):
        at = at_caller(raised, frame) if frame is not None else raised
        node = at.node
        if not isinstance(node, ast.Call) or inner is None:
            continue
        name = inner.f_code.co_name
        function = _definition(inner.f_code)
        is_called = called(node) == name or (name == "__call__" and isinstance(node.func, ast.Name))
        if is_called and function is not None:
            yield _Call(at, node, function)


def _definition(code: CodeType) -> ast.FunctionDef | None:
    """Return the def of a function, which may stand in another cell than the call; None if the text is unknown."""
    loops = parsed("".join(linecache.getlines(file_of(code))))
    for node in ast.walk(loops.module) if loops is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


def _mapped(raised: RaisedAt, call: _Call, sizes: Sequence[int] | None) -> FoundCure | None:
    """Return the cure jax.vmap for a call, along axis 0 of its arrays.

    None if another argument may be an array, because a matrix and a batch of vectors look alike.

    Args:
        raised: Where the error was raised.
        call: The call.
        sizes: The sizes in JAX's message, one of which must be the size of axis 0. None for a batch of arrays with two
            axes or more, whose size need not be in the message.
    """
    at, node = call.at, call.node
    if node.keywords or not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    shapes = [shape_of(at, argument) for argument in node.args]
    first = {shape[0] for shape in shapes if shape}
    most_axes = max(len(shape or ()) for shape in shapes)
    if len(first) != 1 or most_axes < 2 or (not first <= set(sizes) if sizes is not None else most_axes < 3):
        return None
    others = [part for part, shape in zip(node.args, shapes, strict=True) if shape is None]
    if not all(_is_container_or_number(at, part) for part in others):
        return None
    (size,) = first
    source = at.source(node.func)
    entries = ["0" if shape else "None" for shape in shapes]
    options = "" if all(shapes) else f", in_axes=({', '.join(entries)})"
    code = f"jax.vmap({source}{options})"
    names = in_a_sentence([at.source(part) for part, shape in zip(node.args, shapes, strict=True) if shape], 4)
    words = f"jax.vmap calls {source} for each of the {size} elements along axis 0 of {names}."
    cure = applied(FoundCure("jax.vmap", code, words), [edit_of(at, over(node.func, code))])
    tried = next(iter(passed(at, [cure])), None)
    if tried is None or tried.level != "applies":
        return None
    # The function may be meant for a whole batch: it may compute a mean of the batch, or products of all pairs of rows.
    is_of_batch = any(called(part) in REDUCTIONS for part in ast.walk(call.function))
    operands = [shape for _, shape in shapes_of_operands(raised) if shape[:1] == (size,)]
    arrays = [part for part, shape in zip(node.args, shapes, strict=True) if shape]
    is_of_batch = is_of_batch or _relates_elements(call, arrays)
    if sizes is None and "equinox" in packages_of(value_of(at, node.func)):
        return tried  # a module of equinox takes one example
    if sizes is None or is_of_batch or len(operands) != 1 or sum(len(shape or ()) > 1 for shape in shapes) != 1:
        text = f"{words} The results of all calls are stacked along axis 0."
        return replace(tried, text=text, level="advice", edits=())
    return tried


def _is_container_or_number(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an argument is a number, or a container such as the parameters of a model."""
    value = value_of(raised, node)
    is_written = isinstance(node, ast.Dict | ast.List | ast.Tuple)
    return is_written or type(value) in (dict, list, tuple, int, float, bool) or hasattr(type(value), "_fields")


def _relates_elements(call: _Call, mapped: Sequence[ast.expr]) -> bool:
    """Return whether a function combines different examples of a batch, for example by x.T, x.shape or x @ x."""
    names = _made_of_arguments(call, mapped)
    if names is None:
        return True

    def reads(node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))

    for node in ast.walk(call.function):
        match node:
            case ast.Attribute(value=array, attr=attribute) if attribute in _OF_WHOLE and reads(array):
                return True
            case ast.BinOp(left=left, op=ast.MatMult(), right=right) if reads(left) and reads(right):
                return True
            case ast.Call(func=function, args=args):
                operands = [part for part in [function, *args] if reads(part)]
                if (called(node) in _OF_WHOLE and operands) or (called(node) in _PRODUCTS and len(operands) > 1):
                    return True
    return False


def _made_of_arguments(call: _Call, arguments: Sequence[ast.expr]) -> set[str] | None:
    """Return the names in a called function whose values are the given arguments, or are computed from these.

    None if unknown.
    """
    parameters = [part.arg for part in [*call.function.args.posonlyargs, *call.function.args.args]]
    parameters = parameters[1:] if parameters[:1] == ["self"] else parameters
    if len(parameters) < len(call.node.args):
        return None
    by_name = zip(parameters, call.node.args, strict=False)
    names = {name for name, argument in by_name if any(argument is part for part in arguments)}
    count = -1
    while len(names) > count:
        count = len(names)
        for node in ast.walk(call.function):
            match node:
                case ast.Assign(targets=targets, value=value):
                    pass
                case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                    targets = [target]
                case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                    targets = [target]
                case _:
                    continue
            if names & {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}:
                written = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
                names |= {part.id for part in written if isinstance(part.ctx, ast.Store)}
    return names


_OF_WHOLE = frozenset("shape size ndim len T mT transpose matrix_transpose swapaxes moveaxis".split())
_PRODUCTS = frozenset("matmul dot vdot inner outer einsum tensordot kron".split())
