"""Rewrites a call of a Python function, such as float or max, that needed the value of a traced array."""

from __future__ import annotations

import ast
import sys
import types

from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_names
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called, called_by_name
from ..failing_code.edits import applied, edit_of, over, replacing
from ..failing_code.module_names import jnp_name, lax_name, namespace
from ..failing_code.origins import axes_of, value_of
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import array_code
from .extremes_of_numbers import ELEMENTWISE, changes_of_extremes, is_extreme, with_extremes
from .indexed_lists import INDEX_OF_STRING

#: Function of Python -> the function of `jax.numpy` that takes the whole array.
_ALONE = {"sorted": "sort", "any": "any", "all": "all", "sum": "sum"}
_ITEM = (
    "The array of one element works in place of the number that item() returns, and needs no value while JAX traces."
)
_CONVERTED = "astype converts the elements to {type}, and the result is an array. {type}() needs a Python number."
_LIST = "The array works in place of the list that tolist() returns, and needs no values while JAX traces."
_ELEMENTS = "The function of jax.numpy takes the whole array and needs no values while JAX traces."
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
            case ast.Call(func=ast.Name(id=("max" | "min") as name), args=[_, _, *_], keywords=[]):
                return self._max_or_min(node, name)
            case ast.Call(func=ast.Name(id=("max" | "min" | "sorted") as name), args=[value]) if _has_rows(
                self._raised, value
            ):
                return []  # Python's max and min compare whole rows of an array, but jax.numpy compares elements
            case ast.Call(func=ast.Name(id=("max" | "min") as name), args=[value], keywords=[]):
                code = f"{self._jnp}.{name}({array_code(self._raised, value)})"
                return [replacing(self._raised, node, f"{self._jnp}.{name}", code, _ELEMENTS)]
            case ast.Call(
                func=ast.Name(id="sorted"),
                args=[value],
                keywords=[ast.keyword(arg="reverse", value=ast.Constant(value=True))],
            ):
                code = f"{self._jnp}.sort({array_code(self._raised, value)}, descending=True)"
                return [replacing(self._raised, node, f"{self._jnp}.sort", code, _ELEMENTS)]
            case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _ALONE:
                code = f"{self._jnp}.{_ALONE[name]}({array_code(self._raised, value)})"
                return [replacing(self._raised, node, f"{self._jnp}.{_ALONE[name]}", code, _ELEMENTS)]
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
        changes = changes_of_extremes(self._raised, node)
        words = with_extremes(_CONVERTED.format(type=name), [change[2] for change in changes])
        edits = [edit_of(self._raised, change) for change in (over(node, code), *changes)]
        return [applied(FoundCure(".astype", code, words), edits)]

    def _mapped_conversion(self, node: ast.Call) -> list[FoundCure]:
        """Return the cure of map(float, x): x.astype(float), whose elements stay arrays. Empty for other maps."""
        match node:
            case ast.Call(args=[ast.Name(id=("float" | "int" | "bool") as name), ast.Name() as value], keywords=[]):
                pass
            case _:
                return []
        code = f"{value.id}.astype({name})"
        words = _CONVERTED.format(type=name)
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
        return [applied(FoundCure(name, codes[0][1], _ELEMENTS), edits)]

    def _extreme_code(self, node: ast.Call) -> str | None:
        match node:
            case ast.Call(
                func=ast.Name(id=("max" | "min" | "sorted") as name),
                args=[ast.Call(func=ast.Name(id="map")) as mapped],
                keywords=[],
            ):
                return next(
                    (f"{self._jnp}.{_ALONE.get(name, name)}({cure.code})" for cure in self._mapped_conversion(mapped)),
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
        return f"{self._jnp}.{_ALONE.get(name, name)}" if name in ("max", "min", "sorted", "any", "all") else None

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
        if not axes_of(self._raised, value):
            return []
        function = {"max": "argmax", "min": "argmin", "sorted": "argsort"}[name]
        vmap = f"{self._jnp.removesuffix('numpy')}vmap" if self._jnp.endswith(".numpy") else "jax.vmap"
        if vmap == "jax.vmap" and namespace(self._raised).get("jax") is not sys.modules.get("jax"):
            return []
        array = self._source(value)
        code = f"{array}[{self._jnp}.{function}({vmap}({self._source(key)})({array}))]"
        largest_or_least = "largest" if name == "max" else "least"
        words = (
            f"jax.vmap computes the key of each element, and {function} gives the index of the element with the "
            f"{largest_or_least} key."
        )
        if name == "sorted":
            words = "jax.vmap computes the key of each element, and argsort gives the order of the elements."
        return [replacing(self._raised, node, f"{self._jnp}.{function}", code, words)]

    def _max_or_min(self, node: ast.Call, name: str) -> list[FoundCure]:
        maximum_or_minimum = f"{self._jnp}.{name}imum"
        outer: ast.Call = node
        parent = self._raised.parents.get(id(outer))
        while is_extreme(parent):  # in min(max(x, 0), 1), the outer call is replaced as a whole
            outer, parent = parent, self._raised.parents.get(id(parent))
        # The statement would fail again at the next call of max or min that compares traced values.
        calls = [outer, *self._further_extremes(outer)]
        edits = [edit_of(self._raised, over(call, self._max_or_min_code(call))) for call in calls]
        words = ELEMENTWISE.format(function=maximum_or_minimum)
        cure = FoundCure(maximum_or_minimum, self._max_or_min_code(outer), words)
        return [applied(cure, edits)]

    def _further_extremes(self, first: ast.Call) -> list[ast.Call]:
        """Return the other calls of max and min in the statement that read a traced name, without nested ones."""
        statement = self._raised.statement_of(first)
        if isinstance(statement, _WITH_BLOCKS) or statement is None:
            return []
        calls = [part for part in ast.walk(statement) if is_extreme(part) and part is not first]
        inside = {id(part) for call in [first, *calls] for part in ast.walk(call) if part is not call}
        traced = self._raised.tracers.keys() | {
            name for name, value in namespace(self._raised).items() if is_tracer_type(type(value))
        }
        return [
            call
            for call in calls
            if id(call) not in inside
            and any(
                isinstance(part, ast.Name) and part.id in traced and not self._is_size(part) for part in ast.walk(call)
            )
        ]

    def _is_size(self, name: ast.Name) -> bool:
        """Return whether the code reads a size of the array, such as x.ndim, which is a number of Python."""
        parent = self._raised.parents.get(id(name))
        return isinstance(parent, ast.Attribute) and parent.attr in ("ndim", "shape", "size")

    def _max_or_min_code(self, node: ast.expr) -> str:
        if not is_extreme(node):
            return self._source(node)
        code = self._max_or_min_code(node.args[0])
        for argument in node.args[1:]:
            code = f"{self._jnp}.{called(node)}imum({code}, {self._max_or_min_code(argument)})"
        return code

    def _source(self, node: ast.expr) -> str:
        return self._raised.source(node)


def _has_rows(raised: RaisedAt, node: ast.expr) -> bool:
    return (axes_of(raised, node) or 0) > 1
