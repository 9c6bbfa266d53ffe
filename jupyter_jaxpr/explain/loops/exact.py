"""The body of a Python loop in, whether a loop of JAX computes the same values out, where no types tell.

Python's integers have no limit, and `2 ** -i` is a float. In a loop of JAX the counter is an int32: the same expression
gives another value with the same type, so no trial would find it. A call such as `next` gives another value each time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .bodies import Cannot
from .iterated import MadeAt
from .statements import LoopStatement

#: Methods that take something out of a container or a file.
_TAKES = frozenset({"pop", "popleft", "popitem", "send", "read", "readline"})
_ANEW = ("time.", "random.", "np.random.", "numpy.random.", "datetime.", "os.")


def check_exact(
    loop: LoopStatement, nodes: Iterable[ast.AST], numbers: set[str], carry: set[str], made_at: MadeAt
) -> None:
    """Make sure that integers of Python's stay small.

    Args:
        loop: The loop.
        nodes: Of its body.
        numbers: Names that count the iterations.
        carry: Names that go from iteration to iteration.
        made_at: Whether an expression left equations: then arrays compute it, in the loop as in its rewrite.

    Raises:
        Cannot: One may become large, or is no integer for some values.
    """
    integers = numbers | {name for name in carry if _starts_as_integer(loop, name)}
    for node in nodes:
        for each in ast.walk(node):
            match each:
                case ast.BinOp(left=left, op=ast.Pow() | ast.LShift()):
                    grows = not _is_float(left) and bool(_names(each) & integers)
                case ast.BinOp(op=ast.Mult()):
                    grows = bool(_names(each) & (integers - numbers))
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Pow() | ast.LShift() | ast.Mult()):
                    grows = name in integers and not _holds_array(each, made_at)
                case ast.Call(func=called) if _gives_another(called):
                    raise Cannot(
                        f"Each iteration of Python calls {_short(each)} anew. In a loop of JAX the call would happen "
                        "only once, during the trace."
                    )
                case ast.Call(func=ast.Name(id="pow" | "round")):
                    grows = bool(_names(each) & integers)
                case _:
                    continue
            if grows and not (isinstance(each, ast.expr) and made_at(each)):
                raise Cannot(
                    f"Python computes {_short(each)} with integers of any size. A loop of JAX computes with 32 bits, "
                    "and may give another value."
                )


def _gives_another(called: ast.expr) -> bool:
    """Whether a call gives another value each time: the next element, the time, a random number of Python's."""
    if isinstance(called, ast.Attribute) and called.attr in _TAKES:
        return True
    return ast.unparse(called).startswith(_ANEW) or ast.unparse(called) == "next"


def _holds_array(statement: ast.AugAssign, made_at: MadeAt) -> bool:
    """Whether an augmented assignment left equations, which are at the place of the statement."""
    whole = ast.copy_location(ast.Constant(None), statement)
    return bool(made_at(whole))


def _starts_as_integer(loop: LoopStatement, name: str) -> bool:
    for each in ast.walk(loop.function):
        match each:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name) and target.id == name and _is_integer(value):
                        return True
                    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                        pairs = zip(target.elts, value.elts, strict=False)
                        if any(isinstance(one, ast.Name) and one.id == name and _is_integer(of) for one, of in pairs):
                            return True
    return False


def _is_integer(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is float


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
