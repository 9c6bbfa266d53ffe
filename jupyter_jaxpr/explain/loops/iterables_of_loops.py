"""Finds what replaces the iterable of a Python loop: the operands of `scan` or `vmap`, or the bounds of `fori_loop`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass, replace

from ...typed.syntax_nodes import in_order
from .carried_names import Names, last_name, singular, stored_names
from .kinds_of_python_loops import LoopStatement
from .refused_loop_bodies import Cannot, target_names

_NO_POSITIONS = (
    "The source positions of the loop's equations are not known, so jupyter_jaxpr cannot tell arrays from Python "
    "containers."
)

#: A function that returns whether the trace of an expression in the loop recorded equations; None if that is unknown.
MadeAt = Callable[[ast.expr], bool | None]


@dataclass
class Iterated:
    """The code that replaces the iterable of a Python loop in a loop of JAX.

    Attributes:
        xs: The arrays over which scan or vmap maps.
        targets: For each array in `xs`: the target of the loop to which its elements are assigned.
        before: The lines that make the arrays in `xs`.
        numbers: The names that count the iterations.
        bounds: The bounds of a fori_loop; None for scan or vmap.
        stacked: True if `before` stacks the elements of a Python container into an array.
        reverse: True if the loop iterates in reverse order.
    """

    xs: list[str]
    targets: list[ast.expr]
    before: list[str]
    numbers: set[str]
    bounds: tuple[str, str] | None = None
    stacked: bool = False
    reverse: bool = False


class IteratedReader:
    """Reads the iterable of one loop.

    Attributes:
        elements: For each subscript of the body that a name replaces, such as `ws[i]`: the name.
    """

    def __init__(self, loop: LoopStatement, made_at: MadeAt, names: Names) -> None:
        self._loop = loop
        self._made_at = made_at
        self._names = names
        self.elements: dict[str, str] = {}

    def read(self, iterated: ast.expr, target: ast.expr, body: list[ast.stmt]) -> Iterated:
        """Read the expression after `in` as operands of `scan` or `vmap`, or as bounds of `fori_loop`."""
        if any(isinstance(part, ast.Starred) for part in in_order(target)):
            raise Cannot("The rewrite does not support a loop that unpacks a variable number of elements with a star.")
        called = iterated.func.id if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) else ""
        arguments = iterated.args if isinstance(iterated, ast.Call) else []
        if isinstance(iterated, ast.Call) and any(keyword.arg != "strict" for keyword in iterated.keywords) and called:
            raise Cannot(f"The rewrite does not support the keyword arguments of {called}.")
        if called == "range":
            return self._range(arguments, target, body)
        if called == "enumerate" and len(arguments) == 1 and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            result = self.read(arguments[0], target.elts[1], body)
            if result.reverse:
                raise Cannot("The rewrite does not support a loop that counts the elements of a reversed sequence.")
            number = target.elts[0]
            counted = arguments[0]
            # The number of elements of zip(xs, ys) and of reversed(xs) is the length of xs.
            if isinstance(counted, ast.Call) and counted.args:
                counted = counted.args[0]
            count = f"{self._names.jnp}.arange(len({ast.unparse(counted)}))"
            return replace(
                result, xs=[count, *result.xs], targets=[number, *result.targets], numbers=target_names(number)
            )
        if called == "zip" and isinstance(target, ast.Tuple) and len(target.elts) == len(arguments):
            # Equations at the place of `zip` show that some arguments are arrays, but not which: asarray converts all.
            if self._made_at(iterated):
                xs = [f"{self._names.jnp}.asarray({ast.unparse(argument)})" for argument in arguments]
                return Iterated(xs=xs, targets=list(target.elts), before=[], numbers=set())
            parts = [
                self._elements_of(argument, iterated, name)
                for argument, name in zip(arguments, target.elts, strict=True)
            ]
            return Iterated(
                xs=[x for part in parts for x in part.xs],
                targets=list(target.elts),
                before=[line for part in parts for line in part.before],
                numbers=set(),
                stacked=any(part.stacked for part in parts),
            )
        if called == "reversed" and len(arguments) == 1:
            return replace(self._elements_of(arguments[0], iterated, target), reverse=True)
        return self._elements_of(iterated, iterated, target)

    def _range(self, arguments: list[ast.expr], target: ast.expr, body: list[ast.stmt]) -> Iterated:
        if not isinstance(target, ast.Name) or not 1 <= len(arguments) <= 3:
            raise Cannot("The rewrite does not support this form of range.")
        bounds = [ast.unparse(argument) for argument in arguments]
        result = Iterated(
            xs=[f"{self._names.jnp}.arange({', '.join(bounds)})"], targets=[target], before=[], numbers={target.id}
        )
        if len(bounds) < 3:
            result.bounds = ("0", bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        for subscript in _subscripts(body, target.id):
            attribute = subscript.value.attr if isinstance(subscript.value, ast.Attribute) else ""
            if attribute in ("shape", "strides"):
                raise Cannot(
                    f"{ast.unparse(subscript)} is a Python number: Python needs the value of the index, so the index "
                    "cannot be traced."
                )
            if attribute == "at":
                continue
            has_equations = self._made_at(subscript)
            if has_equations is None:
                raise Cannot(_NO_POSITIONS)
            if has_equations:
                continue  # the subscript recorded equations, so it reads an array: a traced index can do so, too
            base = ast.unparse(subscript.value)
            simple = isinstance(subscript.slice, ast.Name) and len(bounds) == 1
            if not simple or {"carry", target.id} & target_names(subscript.value) or _changes(body, subscript.value):
                raise Cannot(
                    f"{ast.unparse(subscript)} is an element of a Python container. "
                    "Stack the elements into an array first."
                )
            if base not in {text.rpartition("[")[0] for text in self.elements}:
                self._stack(subscript.value, result, limit=bounds[0])
                element = self._names.new(singular(base, target.id), f"{last_name(base)}_{target.id}", "element")
                self.elements[ast.unparse(subscript)] = element
                result.targets.append(ast.Name(element, ast.Load()))
        if self.elements:
            result.bounds = None
            names_outside = [name for part in body for name in _names_outside(part, self.elements)]
            if target.id not in names_outside:
                del result.xs[0], result.targets[0]
        return result

    def _elements_of(self, iterated: ast.expr, expression: ast.expr, target: ast.expr) -> Iterated:
        match iterated:
            case ast.Call(func=ast.Attribute(attr="items" | "keys")):
                raise Cannot("The loop iterates over a dictionary. A loop of JAX needs arrays.")
            case ast.List(elts=[ast.Constant(value=str()), *_]) | ast.Tuple(elts=[ast.Constant(value=str()), *_]):
                raise Cannot("The loop iterates over strings. A loop of JAX needs arrays.")
            case ast.Call(func=ast.Name(id=name)):
                raise Cannot(f"The source text does not show what {name} returns.")
        result = Iterated(xs=[], targets=[target], before=[], numbers=set())
        has_equations = self._made_at(expression)
        if not has_equations and isinstance(self._loop.node, ast.For):
            has_equations = self._made_at(
                self._loop.node.iter
            )  # `enumerate` itself reads the elements of an array, so the equations are at the place of `enumerate`
        if has_equations is None:
            raise Cannot(_NO_POSITIONS)
        if has_equations:
            result.xs.append(ast.unparse(iterated))
        else:
            self._stack(iterated, result)
        return result

    def _stack(self, iterated: ast.expr, result: Iterated, limit: str | None = None) -> None:
        text = ast.unparse(iterated)
        name = self._names.new(f"stacked_{last_name(text)}", "stacked", "stacked_elements")
        part = text if limit is None or limit == f"len({text})" else f"{text}[:{limit}]"
        result.before.append(f"{name} = jax.tree.map(lambda *leaves: {self._names.jnp}.stack(leaves), *{part})")
        result.xs.append(name)
        result.stacked = True


class ReplaceElements(ast.NodeTransformer):
    """Replaces subscripts such as `ws[i]`, which read the elements of a loop, by names such as `w`."""

    def __init__(self, elements: dict[str, str]) -> None:
        self._elements = elements

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Return the name in place of a subscript such as `ws[i]`.

        Return the subscript itself if no name replaces it.
        """
        name = self._elements.get(ast.unparse(node))
        return self.generic_visit(node) if name is None else ast.copy_location(ast.Name(name, ast.Load()), node)


def _subscripts(body: list[ast.stmt], number: str) -> list[ast.Subscript]:
    """Return the subscripts in a body whose index contains the name that counts the iterations, such as `ws[i]`."""
    return [
        subscript
        for part in body
        for subscript in in_order(part)
        if isinstance(subscript, ast.Subscript)
        and any(isinstance(name, ast.Name) and name.id == number for name in in_order(subscript.slice))
    ]


def _changes(body: list[ast.stmt], base: ast.expr) -> bool:
    """Return whether the body of a loop assigns to a name in an expression."""
    return bool(stored_names(body) & target_names(base))


def _names_outside(part: ast.stmt, elements: dict[str, str]) -> list[str]:
    """Return the names that a statement still contains after names have replaced subscripts such as `ws[i]`."""
    changed = ReplaceElements(elements).visit(copy.deepcopy(part))
    return [name_node.id for name_node in in_order(changed) if isinstance(name_node, ast.Name)]
