"""Decides from the source code, without types, whether a JAX loop computes the same values as a Python loop.

Python's integers have no limit, and `2 ** -i` is a float. In a loop of JAX, the counter is an int32: the same
expression may give another value of the same type, and a trial, which compares types, would not find this. A call such
as `next` gives another value each time, and a function from outside of the loop that reads a name of the loop would
still read the value from before the loop.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable

from ...typed.syntax_nodes import in_order
from .carried_names import stored_names
from .iterables_of_loops import MadeAt
from .kinds_of_python_loops import LoopStatement
from .refused_loop_bodies import Cannot

#: Methods that give another value at each call: they take from a container, read a file or advance a generator.
_TAKES = frozenset({"pop", "popleft", "popitem", "send", "read", "readline"})
_ANEW = ("time.", "random.", "np.random.", "numpy.random.", "datetime.", "os.")
_FIRST_NAMES_OF_ANEW = frozenset({"next", *(name.partition(".")[0] for name in _ANEW)})
_INT32 = 1 << 31
#: The assumed largest values of a loop's counter, and of another integer, if the source code does not show them.
_COUNTER, _OTHER = 1 << 14, 1 << 16
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def check_exact(
    loop: LoopStatement, nodes: Iterable[ast.AST], numbers: set[str], carry: set[str], made_at: MadeAt
) -> None:
    """Check that a JAX loop computes the same values as the Python loop.

    Args:
        loop: The loop.
        nodes: The nodes of its body.
        numbers: Names that count the iterations.
        carry: Names that an iteration writes and the next iteration reads.
        made_at: Returns whether the trace of an expression recorded equations. Then JAX, not Python, computes the
            expression.

    Raises:
        Cannot: A Python integer may become large, a call such as `next` gives another value each time, or a function
            from outside of the loop reads a name that the loop changes.
    """
    _check_functions_around(loop)
    integers = numbers | {name for name in carry if _starts_as_integer(loop, name)}
    size = _Size(numbers, integers, _largest(loop))
    for node in nodes:
        for part in in_order(node):
            match part:
                case ast.BinOp(left=left, op=ast.Pow() | ast.LShift()):
                    grows = not _is_float(left) and bool(_names(part) & integers)
                case ast.BinOp(op=ast.Mult()):
                    grows = bool(_names(part) & (integers - numbers)) or size.is_large(part)
                case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
                    grows = size.is_large(part) or (isinstance(left, ast.Compare) and isinstance(right, ast.Compare))
                case ast.UnaryOp(op=ast.Invert() | ast.USub(), operand=ast.Compare()):
                    grows = True
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Pow() | ast.LShift() | ast.Mult()):
                    grows = name in integers and not _holds_array(part, made_at)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    grows = name in integers and size.adds_up(value) and not _holds_array(part, made_at)
                case ast.Call(func=called) if _gives_another(called):
                    raise Cannot(
                        f"Each iteration of the Python loop calls {_short(part)} anew. In a loop of JAX, the "
                        "call would happen only once, during the trace."
                    )
                case ast.Call(func=ast.Name(id="pow" | "round")):
                    grows = bool(_names(part) & integers)
                case _:
                    continue
            if grows and not (isinstance(part, ast.expr) and made_at(part)):
                raise Cannot(
                    f"Python computes {_short(part)} with integers of any size. A loop of JAX computes with 32 bits, "
                    "and may give another value."
                )


def check_whole_numbers(loop: LoopStatement, names: set[str]) -> None:
    """Check that a `while` does not count with floats such as 0.1.

    With 32 bits, such a loop may run more or fewer iterations.

    Args:
        loop: The loop.
        names: The names that the condition reads and the loop changes.

    Raises:
        Cannot: The code computes one of these names with a float.
    """
    for node in loop.nodes_of_function:
        match node:
            case ast.Assign(targets=targets, value=value):
                stored = set().union(*map(_names, targets))
            case ast.AugAssign(target=target, value=value):
                stored = _names(target)
            case _:
                continue
        parts = list(in_order(value))
        divides = isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div)
        exponents = {id(part.right) for part in parts if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow)}
        constants = [part.value for part in parts if isinstance(part, ast.Constant) and id(part) not in exponents]
        if all(map(_is_power_of_two, constants)):
            continue  # multiplication by a power of two is exact in 32 bits
        if stored & names and (divides or any(_is_float(part) or _divides(part) for part in parts)):
            raise Cannot(
                f"Python computes {', '.join(sorted(stored & names))} with floats of 64 bits. A loop of JAX computes "
                "with 32 bits, and may end after another number of iterations."
            )


def _check_functions_around(loop: LoopStatement) -> None:
    changed = stored_names([loop.node])
    inside = set(map(id, loop.nodes))
    for definition in loop.nodes_of_function:
        if isinstance(definition, _FUNCTIONS) and definition is not loop.function and id(definition) not in inside:
            parameters = {argument.arg for argument in in_order(definition.args) if isinstance(argument, ast.arg)}
            read = (
                (_names(definition) & changed)
                - parameters
                - (set() if isinstance(definition, ast.Lambda) else stored_names(definition.body))
            )
            if read and id(loop.node) not in set(map(id, in_order(definition))):
                raise Cannot(
                    f"A function outside of the loop reads {', '.join(sorted(read))}, which the loop changes. In a "
                    "loop of JAX, the function would read the value from before the loop."
                )


class _Size:
    """Finds integers in a loop's body that may need more than 32 bits."""

    def __init__(self, numbers: set[str], integers: set[str], largest: int) -> None:
        self._numbers = numbers
        self._integers = integers
        self._largest = largest

    def is_large(self, node: ast.expr) -> bool:
        """Return whether an expression of integers may need more than 32 bits."""
        bound = self._bound(node) if _names(node) & self._integers else None
        return bound is not None and bound >= _INT32

    def adds_up(self, value: ast.expr) -> bool:
        """Return whether the sum of a value over all iterations may need more than 32 bits."""
        bound = self._bound(value)
        return bound is not None and bound * self._largest >= _INT32

    def _bound(self, node: ast.expr) -> int | None:
        match node:
            case ast.Constant(value=int(value)):
                return abs(value)
            case ast.Name(id=name):
                return self._largest if name in self._numbers else 0 if name in self._integers else _OTHER
            case ast.Subscript():
                return _OTHER
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return self._bound(operand)
            case ast.BinOp(left=left, op=op, right=right):
                left_bound, right_bound = self._bound(left), self._bound(right)
                if left_bound is None or right_bound is None:
                    return None
                match op:
                    case ast.Add() | ast.Sub():
                        return left_bound + right_bound
                    case ast.Mult():
                        return left_bound * right_bound
                    case ast.FloorDiv():
                        return left_bound
                    case ast.Mod():
                        return max(left_bound, right_bound)
        return None


def _largest(loop: LoopStatement) -> int:
    """Return the largest value of a loop's counter; an assumed value if the source code does not show it."""
    match loop.node:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=bounds)):
            values = [value for value in map(_written, bounds) if value is not None]
            return max(map(abs, values)) if len(values) == len(bounds) else _COUNTER
    return _COUNTER


def _written(node: ast.expr) -> int | None:
    """Return the value of an integer literal; None for any other expression."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def _gives_another(called: ast.expr) -> bool:
    """Return whether a call gives another value each time, such as `next(xs)`, `time.time()` or `random.random()`."""
    if isinstance(called, ast.Attribute) and called.attr in _TAKES:
        return True
    first = called
    while isinstance(first, ast.Attribute | ast.Call | ast.Subscript):
        first = first.func if isinstance(first, ast.Call) else first.value
    if not isinstance(first, ast.Name) or first.id not in _FIRST_NAMES_OF_ANEW:
        return False  # most calls: to write the text of the syntax takes much longer
    text = ast.unparse(called)
    return text.startswith(_ANEW) or text == "next"


def _holds_array(statement: ast.AugAssign, made_at: MadeAt) -> bool:
    """Return whether x in `x += y` is a JAX array: then JAX recorded equations at the place of the assignment."""
    stand_in = ast.copy_location(ast.Constant(None), statement)
    return bool(made_at(stand_in))


def _starts_as_integer(loop: LoopStatement, name: str) -> bool:
    for part in loop.nodes_of_function:
        match part:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name) and target.id == name and _is_integer(value):
                        return True
                    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                        pairs = zip(target.elts, value.elts, strict=False)
                        if any(
                            isinstance(target, ast.Name) and target.id == name and _is_integer(value)
                            for target, value in pairs
                        ):
                            return True
    return False


def _is_integer(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_float(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is float


def _is_power_of_two(value: object) -> bool:
    return isinstance(value, int | float) and (value == 0 or math.frexp(value)[0] in (0.5, -0.5))


def _divides(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def _names(node: ast.AST) -> set[str]:
    return {name_node.id for name_node in in_order(node) if isinstance(name_node, ast.Name)}


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
