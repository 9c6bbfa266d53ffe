"""Rewrites the Python calls of a statement that would need the values of traced arrays, such as max(0, math.exp(x)).

Where a cure replaces a call such as math.exp(x), the result is a traced array. Python's max, min, int and others around
the call would need the value of this array.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from ....jax.facts import is_tracer_type
from ..failing_code.called_names import called
from ..failing_code.edits import Change, over, source_with
from ..failing_code.module_names import jnp_name, namespace
from ..failing_code.origins import axes_of
from ..failing_code.place_of_error import RaisedAt

#: The text on jnp.maximum and jnp.minimum.
ELEMENTWISE = "{function} compares arrays element by element."
CONVERTED = "astype converts the elements to {type}, and the result is an array. {type}() needs a Python number."
ELEMENTS = "The function of jax.numpy takes the whole array and needs no values while JAX traces."
#: Function of Python -> the function of `jax.numpy` that takes the whole array.
ALONE = {"sorted": "sort", "any": "any", "all": "all", "sum": "sum"}
_COMPREHENSIONS = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
#: The text where the code rounds the result of a function such as jnp.log2, which float32 computes with an error.
ROUNDED = (
    "An error of float32 can make the result 1.9999999 in place of 2, and int() and floor round 1.9999999 down to 1. "
    "Apply jnp.round first where the exact result may be an integer."
)
_ROUNDING = frozenset({"int", "floor", "ceil", "trunc"})
_INEXACT = frozenset(
    """log log2 log10 log1p exp exp2 expm1 power cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
    atanh degrees radians deg2rad rad2deg arcsin arccos arctan arctan2 mean std var""".split()
)
_PARTS = ast.expr | ast.keyword | ast.comprehension
_SIZES = frozenset({"ndim", "shape", "size", "dtype"})
_OF_TYPES = frozenset({"len", "isinstance", "type"})


def is_extreme(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of Python's max or min with several arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("max", "min")
        and not node.keywords
        and (len(node.args) > 1 or any(isinstance(argument, ast.Starred) for argument in node.args))
    )


class NumbersInStatement:
    """Completes the changes of a cure with the changes of the other calls in the expression that need values.

    Args:
        raised: Where the error was raised.
        node: The failing call.
        own: The changes of the cure itself; empty if the failing call is a call of max or min.

    Attributes:
        changes: All changes, none inside another one.
        words: A sentence for each kind of calls that the changes replace in addition.
        rounds_inexact: Whether the code rounds the result of a changed function that has a rounding error.
    """

    def __init__(self, raised: RaisedAt, node: ast.expr, own: Sequence[Change] = ()) -> None:
        self._raised = raised
        self._jnp = jnp_name(raised)
        self._failing = node
        self._own = own
        self._traced = set(raised.tracers) | {
            name for name, value in namespace(raised).items() if is_tracer_type(type(value))
        }
        self._words: dict[str, None] = {}
        outermost: ast.AST = node
        while isinstance(outer := raised.parents.get(id(outermost)), _PARTS) and not isinstance(outer, ast.Lambda):
            outermost = outer
        self.rounds_inexact = False
        self.changes, _ = self._rewritten(outermost)
        self.words = list(self._words)

    def _rewritten(self, node: ast.AST) -> tuple[list[Change], bool]:
        """Return the changes within a node, and whether its value is a traced array after the changes."""
        own = [change for change in self._own if change[0] is node]
        if own or (isinstance(node, ast.Attribute) and node.attr in _SIZES) or isinstance(node, ast.Lambda):
            return own, bool(own)
        if isinstance(node, ast.Name):
            return [], node.id in self._traced
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OF_TYPES:
            return [], False
        if isinstance(node, _COMPREHENSIONS):
            for comprehension in node.generators:
                if self._rewritten(comprehension.iter)[1]:
                    self._traced |= {part.id for part in ast.walk(comprehension.target) if isinstance(part, ast.Name)}
        changes, is_traced = [], node is self._failing
        for child in ast.iter_child_nodes(node):
            inside, is_child_traced = self._rewritten(child)
            changes += inside
            is_traced = is_traced or is_child_traced
        if isinstance(node, ast.Call) and called(node) in _ROUNDING:
            functions = [text for first, _, text in changes if first is not node.func and text.startswith(self._jnp)]
            self.rounds_inexact |= any(text.rpartition(".")[2] in _INEXACT for text in functions)
        if isinstance(node, ast.Call) and is_traced:
            return self._call(node, changes), True
        return changes, is_traced

    def _call(self, node: ast.Call, changes: list[Change]) -> list[Change]:
        """Return the changes within a call of a traced array, with the change of the call itself if it needs values."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if is_extreme(node):
                return self._extreme(node, name, changes)
            case ast.Call(
                func=ast.Name(id=("max" | "min" | "sorted" | "any" | "all") as name),
                args=[ast.List() | ast.Tuple() | ast.GeneratorExp() | ast.ListComp() as value],
                keywords=[],
            ):
                self._words[ELEMENTS] = None
                return [over(node, f"{self._jnp}.{ALONE.get(name, name)}({self._array(value, changes)})")]
            case ast.Call(func=ast.Name(id=("int" | "float" | "bool") as name), args=[value], keywords=[]):
                text = source_with(self._raised, value, changes)
                simple = isinstance(value, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
                self._words[CONVERTED.format(type=name)] = None
                return [over(node, f"{text if simple else f'({text})'}.astype({name})")]
        return changes

    def _extreme(self, node: ast.Call, name: str, changes: list[Change]) -> list[Change]:
        """Return the changes of max(a, b, c) to jnp.maximum(jnp.maximum(a, b), c); *x becomes jnp.max(x)."""
        starred = [argument for argument in node.args if isinstance(argument, ast.Starred)]
        if any(axes_of(self._raised, argument.value) != 1 for argument in starred):
            return changes
        maximum_or_minimum = f"{self._jnp}.{name}imum"
        self._words[ELEMENTWISE.format(function=maximum_or_minimum)] = None
        replaced = node.args[1:-1] + [argument for argument in starred if argument not in node.args[1:-1]]
        inside = {id(part) for argument in replaced for part in ast.walk(argument)}
        new = [change for change in changes if id(change[0]) not in inside]
        for argument in replaced:
            text = source_with(self._raised, argument, changes)
            if isinstance(argument, ast.Starred):
                text = f"{self._jnp}.{name}({source_with(self._raised, argument.value, changes)})"
            new.append(over(argument, f"{text})" if argument in node.args[1:-1] else text))
        functions = [maximum_or_minimum] * (len(node.args) - 1)
        return [over(node.func, "(".join(functions)), *new]

    def _array(self, node: ast.expr, changes: list[Change]) -> str:
        return f"{self._jnp}.asarray({as_list(node, source_with(self._raised, node, changes))})"


def as_list(node: ast.expr, text: str) -> str:
    """Return the code of a list, for the code of a list, a tuple or a generator."""
    if not isinstance(node, ast.GeneratorExp):
        return text
    return f"[{text[1:-1]}]" if text.startswith("(") else f"[{text}]"
