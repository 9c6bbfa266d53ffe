"""Rewrites a call of a Python function, such as float or max, that needed the value of a traced array."""

from __future__ import annotations

import ast
import sys
import types

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_names
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called, called_by_name
from ..failing_code.edits import applied, edit_of, over, replacing
from ..failing_code.module_names import jnp_name, lax_name, namespace
from ..failing_code.origins import axes_of, value_of
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import NumPyCalls, array_code
from .indexed_lists import INDEX_OF_STRING
from .numbers_in_statements import ALONE, CONVERTED, ELEMENTS, ELEMENTWISE, NumbersInStatement, is_extreme

_ITEM = (
    "The array of one element works in place of the number that item() returns, and needs no value while JAX traces."
)
_LIST = "The array works in place of the list that tolist() returns, and needs no values while JAX traces."
_WHERE = "jnp.where compares the two keys and chooses between the two values."
#: Statements that contain other statements.
_WITH_BLOCKS = ast.For | ast.While | ast.If | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef


class PythonCalls:
    """Writes the cures for a call of a Python function that needed the value of a traced array."""

    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised
        self._jnp = jnp_name(raised)

    def cures(self, node: ast.Call) -> list[FoundCure] | None:
        """Return the cures of a call of a Python function, or of a conversion such as x.item(); None for other calls.

        Empty if there is no cure for the call.
        """
        match node:
            case ast.Call(func=ast.Name(id=("float" | "int" | "bool" | "complex") as name), args=[value], keywords=[]):
                return self._conversion(node, name, value)
            case ast.Call(args=[ast.Call(func=ast.Name(id="map")) as mapped]) if called(node) in (
                "list",
                "tuple",
                "sum",
            ):
                return self._mapped_conversion(mapped)
            case ast.Call(
                func=ast.Name(id="max" | "min" | "sorted"), args=[ast.Call(func=ast.Name(id="map"))], keywords=[]
            ):
                return self._extreme_of_conversions(node)
            case ast.Call(func=ast.Name(id="map")):
                return self._mapped_conversion(node)
            case ast.Call(func=ast.Name(id="complex"), args=[real, imaginary], keywords=[]):
                return self._complex(node, real, imaginary)
            case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[]):
                return [replacing(self._raised, node, "keep the array", self._source(value), _ITEM)]
            case ast.Call(func=ast.Attribute(value=value, attr="tolist"), args=[]):
                return [replacing(self._raised, node, "keep the array", self._source(value), _LIST)]
            case ast.Call(
                func=ast.Name(id=("max" | "min" | "sorted") as name),
                args=[ast.Name() | ast.Attribute() as value],
                keywords=[ast.keyword(arg="key", value=key)],
            ):
                return self._by_key(node, name, value, key)
            case ast.Call(
                func=ast.Name(id=("max" | "min" | "sorted") as name),
                args=[ast.Call(func=ast.Name(id="range"), args=[_]) as indices],
                keywords=[ast.keyword(arg="key", value=key)],
            ):
                return self._by_key(node, name, indices, key)
            case ast.Call(func=ast.Name(id=("max" | "min") as name), keywords=[]) if is_extreme(node):
                return self._max_or_min(node, name)
            case ast.Call(
                func=ast.Name(id=("max" | "min") as name),
                args=[first, second],
                keywords=[ast.keyword(arg="key", value=(ast.Name() | ast.Attribute()) as key)],
            ):
                return [self._by_key_of_two(node, name, first, second, key)]
            case ast.Call(func=ast.Name(id=("max" | "min" | "sorted") as name), args=[value]) if _has_rows(
                self._raised, value
            ):
                return []  # Python's max and min compare whole rows of an array, but jax.numpy compares elements
            # Python compares elements only where the array is not empty, so the default is not used.
            case ast.Call(
                func=ast.Name(id=("max" | "min") as name), args=[value], keywords=[] | [ast.keyword(arg="default")]
            ):
                code = f"{self._jnp}.{name}({array_code(self._raised, value)})"
                return [replacing(self._raised, node, f"{self._jnp}.{name}", code, ELEMENTS)]
            case ast.Call(
                func=ast.Name(id="sorted"),
                args=[value],
                keywords=[ast.keyword(arg="reverse", value=ast.Constant(value=True))],
            ):
                code = f"{self._jnp}.sort({array_code(self._raised, value)}, descending=True)"
                return [replacing(self._raised, node, f"{self._jnp}.sort", code, ELEMENTS)]
            case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in ALONE:
                code = f"{self._jnp}.{ALONE[name]}({array_code(self._raised, value)})"
                return [replacing(self._raised, node, f"{self._jnp}.{ALONE[name]}", code, ELEMENTS)]
        return None

    def _conversion(self, node: ast.Call, name: str, value: ast.expr) -> list[FoundCure]:
        parent = self._raised.parents.get(id(node))
        if isinstance(parent, ast.Subscript) and parent.slice is node and self._raised.frame is not None:
            container = value_of(self._raised, parent.value)
            if type(container) in (list, tuple) and container and all(type(element) is str for element in container):
                return [FoundCure("the index", None, INDEX_OF_STRING)]
        printed = f"jax.debug.print('{{}}', {self._source(value)}) prints the value each time that the program runs."
        if isinstance(parent, ast.Call) and called_by_name(parent) in ("str", "repr", "format"):
            return [FoundCure("jax.debug.print", None, f"A JAX program cannot compute strings. {printed}")]
        statement = self._raised.statement_of(node)
        if isinstance(statement, ast.Expr) and called_by_name(statement.value) == "print":
            return [FoundCure("jax.debug.print", None, printed)]
        if (reduction := self._of_mapped_elements(node)) is not None:
            words = (
                f"Map the function with jax.vmap, and call {reduction} on the result: Python's function needs "
                "the values of the elements."
            )
            return [FoundCure(reduction, None, words)]
        if (callee := self._outside_call(node)) is not None:
            words = (
                f"Return {self._source(value)} from the traced function, and call {callee}({name}(...)) outside of the "
                "function."
            )
            return [FoundCure("return", None, words)]
        simple = isinstance(value, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        text = self._source(value) if simple else f"({self._source(value)})"
        code = f"{text}.astype({name})"
        numbers = NumbersInStatement(self._raised, node, [over(node, code)])
        words = " ".join([CONVERTED.format(type=name), *numbers.words])
        edits = [edit_of(self._raised, change) for change in numbers.changes]
        return [applied(FoundCure(".astype", code, words), edits)]

    def _mapped_conversion(self, node: ast.Call) -> list[FoundCure]:
        """Return the cure of map(float, x): x.astype(float), whose elements stay arrays. Empty for other maps."""
        match node:
            case ast.Call(args=[ast.Name(id=("float" | "int" | "bool") as name), ast.Name() as value], keywords=[]):
                pass
            case _:
                return []
        code = f"{value.id}.astype({name})"
        words = CONVERTED.format(type=name)
        return [replacing(self._raised, node, ".astype", code, words)]

    def _extreme_of_conversions(self, node: ast.Call) -> list[FoundCure]:
        """Return the cure of max(map(float, x)): jnp.max(x.astype(float)). Empty for other maps."""
        statement = self._raised.statement_of(node)
        calls = [node]
        if statement is not None and not isinstance(statement, _WITH_BLOCKS):
            # The statement would fail again at the next call of this kind.
            calls += [part for part in ast.walk(statement) if isinstance(part, ast.Call) and part is not node]
        codes = [(call, code) for call in calls if (code := self._extreme_code(call)) is not None]
        if not codes or codes[0][0] is not node:
            return []
        name = codes[0][1].partition("(")[0]
        edits = [edit_of(self._raised, over(call, code)) for call, code in codes]
        return [applied(FoundCure(name, codes[0][1], ELEMENTS), edits)]

    def _extreme_code(self, node: ast.Call) -> str | None:
        match node:
            case ast.Call(
                func=ast.Name(id=("max" | "min" | "sorted") as name),
                args=[ast.Call(func=ast.Name(id="map")) as mapped],
                keywords=[],
            ):
                return next(
                    (f"{self._jnp}.{ALONE.get(name, name)}({cure.code})" for cure in self._mapped_conversion(mapped)),
                    None,
                )
        return None

    def _complex(self, node: ast.Call, real: ast.expr, imaginary: ast.expr) -> list[FoundCure]:
        """Return the cure of complex(a, b): the function lax.complex for two floats, else a sum."""
        lax = lax_name(self._raised)
        code = f"{lax}.complex({self._source(real)}, {self._source(imaginary)})"
        words = f"{lax}.complex makes a complex array of two arrays of floats. complex() needs Python numbers."
        of_floats = passed(self._raised, [replacing(self._raised, node, f"{lax}.complex", code, words)])
        if any(cure.edits for cure in of_floats):
            return of_floats
        simple = isinstance(imaginary, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
        factor = self._source(imaginary) if simple else f"({self._source(imaginary)})"
        code = f"{self._source(real)} + 1j * {factor}"
        if not isinstance(self._raised.parents.get(id(node)), ast.Call | ast.stmt | ast.keyword):
            code = f"({code})"
        words = "1j is Python's imaginary unit, and the sum is an array. complex() needs Python numbers."
        return [replacing(self._raised, node, "1j", code, words)]

    def _of_mapped_elements(self, node: ast.Call) -> str | None:
        """Return jnp.max for a call in a lambda of max(map(lambda v: float(v), x)), and likewise for min and sorted.

        There the conversion is not the last expression that needs a value. None for other places.
        """
        function = self._raised.around(ast.Lambda)
        mapped = self._raised.parents.get(id(function)) if function is not None else None
        outer = self._raised.parents.get(id(mapped))
        if not isinstance(mapped, ast.Call) or called_by_name(mapped) != "map" or not isinstance(outer, ast.Call):
            return None
        name = called_by_name(outer)
        return f"{self._jnp}.{ALONE.get(name, name)}" if name in ("max", "min", "sorted", "any", "all") else None

    def _outside_call(self, node: ast.Call) -> str | None:
        """Return the method, such as history.append, that stores the converted number outside of the function.

        None without one.
        """
        statement = self._raised.statement_of(node)
        call = statement.value if isinstance(statement, ast.Expr) else None
        function = self._raised.around(ast.FunctionDef)
        if not isinstance(call, ast.Call) or call is node or not isinstance(function, ast.FunctionDef):
            return None
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        local_names = own_names(function) - {parameter.arg for parameter in function.args.args}
        if not isinstance(root, ast.Name) or root.id in local_names or not isinstance(call.func, ast.Attribute):
            return None
        module = namespace(self._raised).get(root.id)
        if type(module) is types.ModuleType and module.__name__.partition(".")[0] == "jax":
            return None  # a method of a JAX module, such as jax.debug.print, stores nothing outside of the function
        return self._source(call.func)

    def _by_key(self, node: ast.Call, name: str, value: ast.expr, key: ast.expr) -> list[FoundCure]:
        """Return the cure of max, min and sorted with a key: argmax, argmin or argsort of the keys of all elements."""
        is_range = isinstance(value, ast.Call)
        if not is_range and not axes_of(self._raised, value):
            return []
        function = {"max": "argmax", "min": "argmin", "sorted": "argsort"}[name]
        vmap = f"{self._jnp.removesuffix('numpy')}vmap" if self._jnp.endswith(".numpy") else "jax.vmap"
        if vmap == "jax.vmap" and namespace(self._raised).get("jax") is not sys.modules.get("jax"):
            return []
        array = self._source(value)
        if isinstance(value, ast.Call):
            array = f"{self._jnp}.a{array}"  # the elements of range(n) are their own indices in jnp.arange(n)
        index = f"{self._jnp}.{function}({vmap}({self._source(key)})({array}))"
        code = index if is_range else f"{array}[{index}]"
        largest_or_least = "largest" if name == "max" else "least"
        words = (
            f"jax.vmap computes the key of each element, and {function} gives the index of the element with the "
            f"{largest_or_least} key."
        )
        if name == "sorted":
            words = "jax.vmap computes the key of each element, and argsort gives the order of the elements."
        return [replacing(self._raised, node, f"{self._jnp}.{function}", code, words)]

    def _by_key_of_two(self, node: ast.Call, name: str, first: ast.expr, second: ast.expr, key: ast.expr) -> FoundCure:
        """Return the cure of max(a, b, key=f): jnp.where(f(b) > f(a), b, a). Of equal keys, Python takes the first."""
        a, b, of_key = self._source(first), self._source(second), self._source(key)
        sign = ">" if name == "max" else "<"
        code = f"{self._jnp}.where({of_key}({b}) {sign} {of_key}({a}), {b}, {a})"
        return replacing(self._raised, node, f"{self._jnp}.where", code, _WHERE)

    def _max_or_min(self, node: ast.Call, name: str) -> list[FoundCure]:
        maximum_or_minimum = f"{self._jnp}.{name}imum"
        # The statement would fail again at the next call that needs the value of a traced array.
        numbers = NumbersInStatement(self._raised, node, NumPyCalls(self._raised).math_changes(node))
        words = " ".join(numbers.words) or ELEMENTWISE.format(function=maximum_or_minimum)
        edits = [edit_of(self._raised, change) for change in numbers.changes]
        return [applied(FoundCure(maximum_or_minimum, None, words), edits)]

    def _source(self, node: ast.expr) -> str:
        return self._raised.source(node)


def _has_rows(raised: RaisedAt, node: ast.expr) -> bool:
    return (axes_of(raised, node) or 0) > 1
