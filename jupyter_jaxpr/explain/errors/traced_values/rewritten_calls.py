"""Rewrites a call that needed the value of a traced array, such as np.sin(x), as a call that takes traced arrays."""

from __future__ import annotations

import ast
import re
import sys
import types
from pathlib import Path
from typing import Any, TypeGuard

from ....jax.facts import is_tracer_type, jax_directory
from ....observe.observation import FoundCure
from ...trials.harmful_assignments import lost_write, own_names
from ...trials.trial_of_cure import passed
from ..failing_code.edits import Change, applied, chosen, edit_of, over
from ..failing_code.module_names import jnp_name, lax_name, module_of, namespace
from ..failing_code.only_assignments import only_value
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import MASK_OF_ROWS, axes_of, dtype_of, masks_elements, value_of
from ..failing_code.place_of_error import RaisedAt
from .frozen_distributions import distribution_name, frozen_distribution
from .masked_arrays import SIZED, masked, sized

_OTHER_NAMES = {"fabs": "abs", "pow": "power", "prod": "prod", "dist": "", "fsum": "sum"}
# Functions of `math` that compute something other than the `jax.numpy` functions of the same name.
_OTHER_MEANING = frozenset({"remainder", "isclose"})
_ALONE = {"sorted": "sort", "any": "any", "all": "all", "sum": "sum"}


def _of_twin(module: str, name: str) -> Any:
    """Return the SciPy function of this name for a module of JAX: scipy.special.erf for jax.scipy.special and erf."""
    return vars(sys.modules.get(module.removeprefix("jax."), ast)).get(name)


def _of_twin_file(parts: list[str]) -> list[FoundCure]:
    """Return the advice to import a module of jax.scipy, if the file of the module has the called function."""
    file = Path(jax_directory()).joinpath(*parts[:-1]).with_suffix(".py")
    if not file.is_file() or not re.search(rf"\b{parts[-1]} as {parts[-1]}\b", file.read_text()):
        return []
    module = ".".join(["jax", *parts[:-1]])
    text = f"{module}.{parts[-1]} works on traced arrays. Write import {module} first."
    return [FoundCure(f"{module}.{parts[-1]}", None, text)]


class Calls:
    """Writes the cures for a call that needed the value of a traced array."""

    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised
        self._jnp = jnp_name(raised)

    def cures(self) -> list[FoundCure]:
        """Return the cures for the failing call, or for the call around it. Empty if there is no cure for this call."""
        node = self._raised.node
        if isinstance(node, ast.FormattedValue | ast.JoinedStr):
            return self._debug_print()
        if not isinstance(node, ast.Call):
            return self._percent_format() or self._text_in_call() or self.in_place()
        if (formatted := self._str_format(node)) is not None:
            return [formatted]
        if _without_conversion(node) is not node and self._printing() is not None:
            return self._debug_print()
        match node:
            case ast.Call(func=ast.Name(id=("float" | "int" | "bool" | "complex") as name), args=[value], keywords=[]):
                return self._conversion(node, name, value)
            case ast.Call(args=[ast.Call(func=ast.Name(id="map")) as mapped]) if _called(node) in (
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
            case ast.Call(func=ast.Attribute(attr="delete"), args=[_, index]) if (
                self._module_of_function(node.func) == "jax.numpy"
            ):
                return self._deletion(node, index)
            case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[]):
                return [self._cure("keep the array", self._source(value), _ITEM, over(node, self._source(value)))]
            case ast.Call(func=ast.Attribute(value=value, attr="tolist"), args=[]):
                return [self._cure("keep the array", self._source(value), _LIST, over(node, self._source(value)))]
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
                code = f"{self._jnp}.{name}({self._array(value)})"
                return [self._cure(f"{self._jnp}.{name}", code, _ELEMENTS, over(node, code))]
            case ast.Call(
                func=ast.Name(id="sorted"),
                args=[value],
                keywords=[ast.keyword(arg="reverse", value=ast.Constant(value=True))],
            ):
                code = f"{self._jnp}.sort({self._array(value)}, descending=True)"
                return [self._cure(f"{self._jnp}.sort", code, _ELEMENTS, over(node, code))]
            case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _ALONE:
                code = f"{self._jnp}.{_ALONE[name]}({self._array(value)})"
                return [self._cure(f"{self._jnp}.{_ALONE[name]}", code, _ELEMENTS, over(node, code))]
        return self._sized(node) or self._scipy_function(node) or self._numpy_or_math(node)

    def of_arrays(self, node: ast.Call) -> str | None:
        """Return the code with jax.numpy for a call of any, all, NumPy, or a function such as math.isnan.

        None for other calls.
        """
        match node:
            case ast.Call(func=ast.Name(id=("any" | "all") as name), args=[value], keywords=[]):
                return f"{self._jnp}.{name}({self._array(value)})"
        if self._has_twin(node):
            return self.with_jax(node)
        if self._module_of_function(node.func) != "math" or _called(node) not in ("isnan", "isinf", "isfinite"):
            return None
        return f"{self._jnp}.{_called(node)}{self._source(node)[len(self._source(node.func)) :]}"

    def is_of_math(self, node: ast.Call) -> bool:
        """Return whether a call calls a function of the module math."""
        return self._module_of_function(node.func) == "math"

    def of_math(self, node: ast.Call) -> FoundCure | None:
        """Return the cure that replaces a `math` call by a jax.numpy function; None if there is no equivalent one."""
        cures = self._numpy_or_math(node)
        return cures[0] if cures and cures[0].edits else None

    def _cure(self, name: str, code: str, text: str, change: Change | None) -> FoundCure:
        cure = FoundCure(name, code, text)
        return cure if change is None else applied(cure, [edit_of(self._raised, change)])

    def _source(self, node: ast.expr) -> str:
        return self._raised.source(node)

    def _array(self, node: ast.expr) -> str:
        """Return the code of an argument as an array: a list or a generator becomes an argument of jnp.asarray."""
        text = self._source(node)
        if isinstance(node, ast.GeneratorExp):
            text = f"[{text[1:-1]}]" if text.startswith("(") else f"[{text}]"
        return f"{self._jnp}.asarray({text})" if isinstance(node, ast.List | ast.Tuple | ast.GeneratorExp) else text

    def _conversion(self, node: ast.Call, name: str, value: ast.expr) -> list[FoundCure]:
        parent = self._raised.parents.get(id(node))
        if isinstance(parent, ast.Subscript) and parent.slice is node and self._raised.frame is not None:
            container = value_of(self._raised, parent.value)
            if type(container) in (list, tuple) and container and all(type(element) is str for element in container):
                words = (
                    "Return the index, and look the string up outside of the function: a JAX program cannot compute "
                    "strings."
                )
                return [FoundCure("the index", None, words)]
        if isinstance(parent, ast.Call) and _called_name(parent) in ("str", "repr", "format"):
            words = (
                f"A JAX program cannot compute strings. jax.debug.print('{{}}', {self._source(value)}) prints the "
                "value each time that the program runs."
            )
            return [FoundCure("jax.debug.print", None, words)]
        statement = self._raised.statement_of(node)
        if isinstance(statement, ast.Expr) and _called_name(statement.value) == "print":
            words = f"jax.debug.print('{{}}', {self._source(value)}) prints the value each time that the program runs."
            return [FoundCure("jax.debug.print", None, words)]
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
        words = f"astype converts the elements to {name}, and the result is an array. {name}() needs a Python number."
        return [self._cure(".astype", code, words, over(node, code))]

    def _mapped_conversion(self, node: ast.Call) -> list[FoundCure]:
        """Return the cure of map(float, x): x.astype(float), whose elements stay arrays. Empty for other maps."""
        match node:
            case ast.Call(args=[ast.Name(id=("float" | "int" | "bool") as name), ast.Name() as value], keywords=[]):
                pass
            case _:
                return []
        code = f"{value.id}.astype({name})"
        words = f"astype converts the elements to {name}, and the result is an array. {name}() needs a Python number."
        return [self._cure(".astype", code, words, over(node, code))]

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
        of_floats = passed(self._raised, [self._cure(f"{lax}.complex", code, words, over(node, code))])
        if any(cure.edits for cure in of_floats):
            return of_floats
        simple = isinstance(imaginary, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
        factor = self._source(imaginary) if simple else f"({self._source(imaginary)})"
        code = f"{self._source(real)} + 1j * {factor}"
        if not isinstance(self._raised.parents.get(id(node)), ast.Call | ast.stmt | ast.keyword):
            code = f"({code})"
        words = "1j is Python's imaginary unit, and the sum is an array. complex() needs Python numbers."
        return [self._cure("1j", code, words, over(node, code))]

    def _deletion(self, node: ast.Call, index: ast.expr) -> list[FoundCure]:
        """Return the cure of jnp.delete(x, i) with a traced i: the option which says that all indices are different."""
        code = f"{self._source(node)[:-1].rstrip().rstrip(',')}, assume_unique_indices=True)"
        if axes_of(self._raised, index) == 0:
            words = (
                "With assume_unique_indices=True, JAX knows that the result has one element fewer, also for a traced "
                "index."
            )
            return [FoundCure("assume_unique_indices", code, words)]
        words = (
            "With assume_unique_indices=True, JAX knows how long the result is. Use the option only if all indices "
            "differ from one another."
        )
        return [FoundCure("assume_unique_indices", code, words)]

    def _of_mapped_elements(self, node: ast.Call) -> str | None:
        """Return jnp.max for a call in a lambda of max(map(lambda v: float(v), x)), and likewise for min and sorted.

        There the conversion is not the last expression that needs a value. None for other places.
        """
        function = self._raised.around(ast.Lambda)
        mapped = self._raised.parents.get(id(function)) if function is not None else None
        outer = self._raised.parents.get(id(mapped))
        if not isinstance(mapped, ast.Call) or _called_name(mapped) != "map" or not isinstance(outer, ast.Call):
            return None
        name = _called_name(outer)
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
        return [self._cure(f"{self._jnp}.{function}", code, words, over(node, code))]

    def _max_or_min(self, node: ast.Call, name: str) -> list[FoundCure]:
        maximum_or_minimum = f"{self._jnp}.{name}imum"
        outer: ast.Call = node
        parent = self._raised.parents.get(id(outer))
        while _is_extreme(parent):  # in min(max(x, 0), 1), the outer call is replaced as a whole
            outer, parent = parent, self._raised.parents.get(id(parent))
        # The statement would fail again at the next call of max or min that compares traced values.
        calls = [outer, *self._further_extremes(outer)]
        edits = [edit_of(self._raised, over(call, self._max_or_min_code(call))) for call in calls]
        words = f"{maximum_or_minimum} compares arrays element by element."
        cure = FoundCure(maximum_or_minimum, self._max_or_min_code(outer), words)
        return [applied(cure, edits)]

    def _further_extremes(self, first: ast.Call) -> list[ast.Call]:
        """Return the other calls of max and min in the statement that read a traced name, without nested ones."""
        statement = self._raised.statement_of(first)
        if isinstance(statement, _WITH_BLOCKS) or statement is None:
            return []
        calls = [part for part in ast.walk(statement) if _is_extreme(part) and part is not first]
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
        if not _is_extreme(node):
            return self._source(node)
        code = self._max_or_min_code(node.args[0])
        for argument in node.args[1:]:
            code = f"{self._jnp}.{_called(node)}imum({code}, {self._max_or_min_code(argument)})"
        return code

    # --- sizes ---

    def _sized(self, node: ast.Call) -> list[FoundCure]:
        name = _called(node)
        option = SIZED.get(name)
        if option is None or self._module_of_function(node.func) in ("numpy", "math"):
            return []
        if passed_node(self._raised, option.partition("=")[0]) is not None:
            return []
        code_before = self._source(node)[:-1].rstrip().rstrip(",")
        code = f"{code_before}, {option})" if node.args or node.keywords else f"{code_before}{option})"
        placeholder = option.partition("=")[2]
        parent = self._raised.parents.get(id(node))
        if isinstance(parent, ast.Subscript) and parent.slice is node and len(node.args) == 1:
            mask = ast.Subscript(parent.value, node.args[0])
            if name in ("where", "nonzero") and masks_elements(self._raised, mask):
                return masked(self._raised, parent, self._source(parent.value), self._source(node.args[0]))
        if name in ("compress", "extract") and len(node.args) == 2 and not node.keywords:
            if masks_elements(self._raised, ast.Subscript(node.args[1], node.args[0])):
                return masked(self._raised, node, self._source(node.args[1]), self._source(node.args[0]))
        if placeholder == "SIZE":
            return [sized(self._raised, node, name, code, _SIZES[placeholder])]
        cure = FoundCure(option.partition("=")[0], code, _SIZES[placeholder])
        return [chosen(cure, [edit_of(self._raised, over(node, code))])]

    def masked(self) -> list[FoundCure]:
        """Return the cures of x[mask] with a boolean mask."""
        node = self._raised.around(ast.Subscript)
        if not isinstance(node, ast.Subscript):
            return []
        if not masks_elements(self._raised, node):
            text = f"jnp.where takes the mask, the array and a value, and keeps the shape. {MASK_OF_ROWS}"
            return [FoundCure(f"{self._jnp}.where", None, text)]
        return masked(self._raised, node, self._source(node.value), self._source(node.slice))

    # --- NumPy and math ---

    def _numpy_or_math(self, node: ast.Call) -> list[FoundCure]:
        module = self._module_of_function(node.func)
        if module not in ("numpy", "math"):
            return []
        name = _called(node)
        if module == "math" and (name in _OTHER_MEANING or self._is_power_of_integers(node)):
            return []
        if module == "math":
            name = _OTHER_NAMES.get(name, name)
        elif isinstance(node.func, ast.Attribute):
            name = ast.unparse(node.func).partition(".")[2]
        jax_member: Any = sys.modules.get("jax.numpy")
        for part in name.split("."):
            jax_member = getattr(jax_member, part, None)
        if jax_member is None or not name:
            if name.startswith("random."):
                words = "jax.random draws in the compiled program. Pass a key of jax.random.key as an argument."
                return [FoundCure("jax.random", None, words)]
            text = (
                f"jax.numpy has no function of the name {name or _called(node)}. jax.pure_callback calls the function "
                "when the program runs, with the values of the arrays."
            )
            return [FoundCure("jax.pure_callback", None, text)]
        # Some functions of jax.numpy, such as jnp.save, are NumPy's own functions.
        if jax_member is vars(sys.modules.get("numpy", types)).get(name):
            text = (
                f"jax.numpy.{name} is the function of NumPy and needs the values, too. Return the array from the "
                f"traced function, and call {self._source(node.func)} outside of the function, or call "
                f"{self._source(node.func)} with jax.debug.callback."
            )
            return [FoundCure("return", None, text)]
        code = f"{self._jnp}.{name}"
        new_call = code + self._source(node)[len(self._source(node.func)) :]
        text = f"{code} works on traced arrays. {self._source(node.func)} needs the values."
        edits = [edit_of(self._raised, over(node.func, code))]
        edits += [
            edit_of(self._raised, over(call.func, self._jax_numpy_name(call)))
            for call in self._numpy_calls_around(node)
        ]
        edits += [
            edit_of(self._raised, over(call.func, f"{self._jnp}.{name}")) for call, name in self._math_calls(node)
        ]
        cure = applied(FoundCure(code, new_call, text), edits)
        written = [*node.args, *(keyword.value for keyword in node.keywords)]
        lists = [part for part in written if isinstance(part, ast.List | ast.Tuple)]
        if lists and len(edits) == 1 and not passed(self._raised, [cure]):
            # NumPy makes arrays of lists, but some functions of jax.numpy do not
            edits += [edit_of(self._raised, over(part, f"{self._jnp}.array({self._source(part)})")) for part in lists]
            cure = applied(FoundCure(code, None, f"{text} {code} takes arrays, not lists."), edits)
        return [cure]

    def _numpy_calls_around(self, node: ast.Call) -> list[ast.Call]:
        """Return the other NumPy calls in the expression that need the values of traced arrays, too."""
        outermost: ast.AST = node
        outer = self._raised.parents.get(id(node))
        while isinstance(outer, ast.expr):
            outermost = outer if isinstance(outer, ast.Call) and self._has_twin(outer) else outermost
            outer = self._raised.parents.get(id(outer))
        traced = set(self._raised.tracers)
        return [
            call
            for call in ast.walk(outermost)
            if isinstance(call, ast.Call)
            and call is not node
            and self._has_twin(call)
            and (
                any(part is node for part in ast.walk(call))
                or traced & {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
            )
        ]

    def _math_calls(self, node: ast.Call) -> list[tuple[ast.Call, str]]:
        """Return the other `math` calls in the statement that get arrays, with the functions' names in jax.numpy."""
        statement = self._raised.statement_of(node)
        calls = []
        for call in ast.walk(statement) if isinstance(statement, ast.Assign | ast.Return | ast.AugAssign) else ():
            if not isinstance(call, ast.Call) or call is node or self._module_of_function(call.func) != "math":
                continue
            name = _OTHER_NAMES.get(_called(call), _called(call))
            is_traced = self._arrays() & {p.id for p in ast.walk(call) if isinstance(p, ast.Name)}
            if self._is_power_of_integers(call):
                continue
            if is_traced and name not in _OTHER_MEANING and name in vars(sys.modules["jax.numpy"]):
                calls.append((call, name))
        return calls

    def _is_power_of_integers(self, call: ast.Call) -> bool:
        """Return whether all operands of `math.pow` may be integers.

        `math.pow` converts integers to floats, but `jnp.power` gives an integer, so the results would differ.
        """
        parts = [part for argument in call.args for part in ast.walk(argument) if isinstance(part, ast.expr)]
        values = [part.value if isinstance(part, ast.Constant) else value_of(self._raised, part) for part in parts]
        return _called(call) == "pow" and not any(type(v) is float or "float" in dtype_of(v) for v in values)

    def _arrays(self) -> set[str]:
        """Return the local names of the failing function whose values are tracers, or arrays with at least one axis."""
        local = self._raised.frame.f_locals if self._raised.frame is not None else {}
        return {
            name
            for name, value in local.items()
            if is_tracer_type(type(value)) or (dtype_of(value) != "" and bool(getattr(value, "ndim", 0)))
        }

    def is_of_numpy(self, node: ast.Call) -> bool:
        """Return whether both a call and the failing call are NumPy calls with a counterpart in jax.numpy."""
        raised = self._raised.node
        return isinstance(raised, ast.Call) and self._has_twin(raised) and self._has_twin(node)

    def _has_twin(self, node: ast.Call) -> bool:
        """Return whether a call is a NumPy call whose function jax.numpy also has."""
        if self._module_of_function(node.func) != "numpy" or not isinstance(node.func, ast.Attribute):
            return False
        jax_member: Any = sys.modules.get("jax.numpy")
        for part in ast.unparse(node.func).split(".")[1:]:
            jax_member = getattr(jax_member, part, None)
        return jax_member is not None

    def _jax_numpy_name(self, node: ast.Call) -> str:
        return f"{self._jnp}.{ast.unparse(node.func).partition('.')[2]}"

    def with_jax(self, node: ast.expr) -> str:
        """Return the code of an expression in which jax.numpy replaces NumPy in each call that jax.numpy also has."""
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and self._has_twin(part)]
        if not calls:
            return self._source(node)
        twins = {ast.unparse(call.func): self._jax_numpy_name(call) for call in calls}
        copied = ast.parse(self._source(node), mode="eval")
        for part in ast.walk(copied):
            if isinstance(part, ast.Call) and (twin := twins.get(ast.unparse(part.func))) is not None:
                part.func = ast.parse(twin, mode="eval").body
        return ast.unparse(copied)

    def _scipy_function(self, node: ast.Call) -> list[FoundCure]:
        """Return the cure for a SciPy call whose function jax.scipy also has."""
        frozen = frozen_distribution(self._raised, node)
        if frozen is not None:
            return [frozen]
        function: Any = node.func
        path: list[str] = []
        while isinstance(function, ast.Attribute):
            path.insert(0, function.attr)
            function = function.value
        module = namespace(self._raised).get(function.id) if isinstance(function, ast.Name) else None
        parts: list[str] = []
        if type(module) is types.ModuleType and module.__name__.partition(".")[0] == "scipy":
            parts = [*module.__name__.split("."), *path]
        elif isinstance(function, ast.Name) and not path:
            modules = [name for name in sys.modules if name.startswith("jax.scipy.")]
            scipy = [
                module_name
                for module_name in modules
                if module is not None and _of_twin(module_name, function.id) is module
            ]
            parts = [*scipy[0].split(".")[1:], function.id] if scipy else []
        elif isinstance(function, ast.Name) and (distribution := distribution_name(module)) is not None:
            parts = ["scipy", "stats", distribution, *path]
        jax_member: Any = sys.modules.get("jax") if parts else None
        if parts and ".".join(["jax", *parts[:-1]]) not in sys.modules:
            return _of_twin_file(parts)
        for part in parts:
            jax_member = vars(jax_member).get(part) if type(jax_member) is types.ModuleType else None
        if jax_member is None or namespace(self._raised).get("jax") is not sys.modules.get("jax"):
            return []
        code = ".".join(["jax", *parts])
        text = f"{code} works on traced arrays. {self._source(node.func)} needs the values."
        return [self._cure(code, code, text, over(node.func, code))]

    def _module_of_function(self, function: ast.expr) -> str | None:
        """Return the name of the module that a called function belongs to: numpy, math or jax.numpy."""
        if isinstance(function, ast.Name):
            value = namespace(self._raised).get(function.id)
            if type(value).__name__ == "ufunc":
                return "numpy"
            return "math" if getattr(value, "__module__", None) == "math" else None
        while isinstance(function, ast.Attribute):
            function = function.value
        return module_of(self._raised, function.id) if isinstance(function, ast.Name) else None

    def in_place(self) -> list[FoundCure]:
        """Return the cure for a write of a traced value into a NumPy array: x.at[...].set on an array of jax.numpy."""
        statement = self._raised.statement_of(self._raised.node)
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value):
                pass
            case _:
                return []
        if self._raised.frame is None or type(value_of(self._raised, target.value)).__name__ != "ndarray":
            return []
        line = f"{name} = {name}.at[{self._source(target.slice)}].set({self._source(value)})"
        text = (
            f"A NumPy array cannot hold a traced value. Make {name} with jax.numpy, and write into a copy with "
            ".at[...].set."
        )
        lost = lost_write(self._raised, statement, target.value)
        if lost is not None:
            return [FoundCure(".at[...].set", None, f"{text} {lost}")]
        function_around = self._raised.around(ast.FunctionDef)
        if isinstance(function_around, ast.FunctionDef) and name not in own_names(function_around):
            new = f"{self._jnp}.asarray({name}).at[{self._source(target.slice)}].set({self._source(value)})"
            words = (
                f"{name} comes from outside of {function_around.name}, so {function_around.name} cannot assign a new "
                f"array to {name}. Return the new array {new} from {function_around.name}, and assign the result in "
                "the caller."
            )
            return [FoundCure(".at[...].set", None, words)]
        array_call = self._array_call(name)
        cure = FoundCure(".at[...].set", line, text)
        if array_call is None:
            if not isinstance(function_around, ast.FunctionDef):
                return [cure]
            new_line = line.replace(f"{name} = {name}.", f"{name} = {self._jnp}.asarray({name}).", 1)
            words = (
                "A NumPy array cannot hold a traced value. This line makes a new array. The caller of "
                f"{function_around.name} still holds the old array."
            )
            return [self._cure(".at[...].set", new_line, words, over(statement, new_line))]
        function = f"{self._jnp}.{_called(array_call)}"
        edits = [edit_of(self._raised, over(array_call.func, function)), edit_of(self._raised, over(statement, line))]
        return [applied(cure, edits)]

    def _array_call(self, name: str) -> ast.Call | None:
        """Return the NumPy call, such as np.zeros(3), whose result is assigned to a name.

        None if jax.numpy has no such function.
        """
        match only_value(self._raised.function, name):
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module))) as call:
                if module_of(self._raised, module) == "numpy" and hasattr(sys.modules.get("jax.numpy"), _called(call)):
                    return call
        return None

    # --- text ---

    def _str_format(self, node: ast.Call) -> FoundCure | None:
        """Return the cure jax.debug.print for print("{:.2f}".format(x))."""
        match node, self._raised.parents.get(id(node)):
            case (
                ast.Call(func=ast.Attribute(value=ast.Constant(value=str()) as words, attr="format"), keywords=[]),
                ast.Call(func=ast.Name(id="print"), args=[_], keywords=[]) as call,
            ) if not any(isinstance(argument, ast.Starred) for argument in node.args):
                code = f"jax.debug.print({', '.join(map(self._source, [words, *node.args]))})"
                text = "jax.debug.print prints the value each time that the program runs."
                return self._cure("jax.debug.print", code, text, over(call, code))
        return None

    def _percent_format(self) -> list[FoundCure]:
        """Return the cure jax.debug.print for print("%.2f" % x)."""
        node = self._raised.node
        call = self._raised.parents.get(id(node)) if node is not None else None
        match node, call:
            case (
                ast.BinOp(left=ast.Constant(value=str(words)), op=ast.Mod(), right=right),
                ast.Call(func=ast.Name(id="print"), args=[_], keywords=[]),
            ):
                values = right.elts if isinstance(right, ast.Tuple) else [right]
            case _:
                return []
        parts = re.split(r"%((?:\.\d+)?[dfegs]|%)", words)
        specs = [part for part in parts[1::2] if part != "%"]
        if "%" in "".join(parts[::2]) or len(specs) != len(values):
            return []
        text = ""
        for place, part in enumerate(parts):
            if place % 2 == 0:
                text += part.replace("{", "{{").replace("}", "}}")
            else:
                text += "%" if part == "%" else "{}" if part in ("s", "d") else f"{{:{part}}}"
        code = f"jax.debug.print({', '.join([repr(text), *map(self._source, values)])})"
        explanation = "jax.debug.print prints the value each time that the program runs."
        return [self._cure("jax.debug.print", code, explanation, over(call, code))]

    def _text_in_call(self) -> list[FoundCure]:
        """Return the advice to use jax.debug.callback for logging.info("%.2f" % x), so that x has a value."""
        node = self._raised.node
        match node, self._raised.parents.get(id(node)) if node is not None else None:
            case ast.BinOp(left=ast.Constant(value=str()) as words, op=ast.Mod(), right=value), parent:
                pass
            case _:
                return []
        text = (
            "A JAX program cannot compute strings. jax.debug.callback calls a function with the values each time that "
            "the program runs."
        )
        if isinstance(value, ast.Tuple) or not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
            return [FoundCure("jax.debug.callback", None, text)]
        call = f"{self._source(parent.func)}({self._source(words)} % value)"
        code = f"jax.debug.callback(lambda value: {call}, {self._source(value)})"
        return [FoundCure("jax.debug.callback", code, text)]

    def _debug_print(self) -> list[FoundCure]:
        """Return the cure jax.debug.print for an f-string or a call of `format` with a traced value."""
        text = "jax.debug.print prints the value each time that the program runs."
        call = self._printing()
        match call:
            case ast.Call(func=ast.Name(id="print"), args=[_, *_] as parts, keywords=[]):
                function = "jax.debug.print"
            case ast.Call(
                func=ast.Attribute(attr="print") as printing, args=[ast.JoinedStr()] as parts, keywords=[]
            ) if self._source(printing).endswith("debug.print"):
                function = self._source(printing)
                text = (
                    "When the program runs, jax.debug.print formats the values that the call passes after the format."
                )
            case _:
                return [FoundCure("jax.debug.print", None, text)]
        words: list[str] = []
        values: list[str] = []
        for part in parts:
            written = _as_format(part)
            if written is None:
                return [FoundCure("jax.debug.print", None, text)]
            words.append(written[0])
            values += [self._source(_without_conversion(value)) for value in written[1]]
        code = f"{function}({', '.join([repr(' '.join(words)), *values])})"
        return [self._cure("jax.debug.print", code, text, over(call, code))]

    def _printing(self) -> ast.AST | None:
        """Return the call, such as print, that has the failing expression, or an f-string with it, as an argument."""
        node: ast.AST | None = self._raised.node
        text = self._raised.around(ast.JoinedStr)
        outer = self._raised.parents.get(id(text if text is not None else node))
        is_print = isinstance(outer, ast.Call) and _called_name(outer) == "print"
        return outer if is_print or text is not None else None


def _without_conversion(node: ast.expr) -> ast.expr:
    """Return x for x.item(), x.tolist() and float(x): jax.debug.print needs no conversion."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item" | "tolist"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id="float"), args=[value], keywords=[]):
            return value
    return node


class _Conversions(ast.NodeTransformer):
    """Takes x out of x.item(), float(x) and bool(x), which need the value of x."""

    found = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
                self.found = True
                return value
            case ast.Call(func=ast.Name(id="float" | "bool"), args=[value], keywords=[]):
                self.found = True
                return value
        return node


def without_conversions(code: str) -> str:
    """Return the code of a condition that compares arrays in place of their numbers: x > 0 for x.item() > 0."""
    conversions = _Conversions()
    expression = conversions.visit(ast.parse(code, mode="eval"))
    return ast.unparse(expression) if conversions.found else code


def _has_rows(raised: RaisedAt, node: ast.expr) -> bool:
    return (axes_of(raised, node) or 0) > 1


def _as_format(node: ast.expr) -> tuple[str, list[ast.expr]] | None:
    """Return the format string and values of an f-string for `str.format`; None if it has a conversion such as !r."""
    if isinstance(node, ast.Starred):
        return None
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    words = ""
    values: list[ast.expr] = []
    for part in parts:
        match part:
            case ast.Constant(value=value):
                words += str(value).replace("{", "{{").replace("}", "}}")
            case ast.FormattedValue(value=value, conversion=-1, format_spec=spec):
                text = ast.unparse(spec)[2:-1] if spec is not None else ""
                words += f"{{:{text}}}" if text else "{}"
                values.append(value)
            case ast.FormattedValue():
                return None
            case _:
                words += "{}"
                values.append(part)
    return words, values


_WITH_BLOCKS = ast.For | ast.While | ast.If | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef
"""Statements that contain other statements."""


def _is_extreme(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of Python's max or min with several arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("max", "min")
        and len(node.args) > 1
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    )


def _called_name(node: ast.expr) -> str:
    """Return the name of the called function if the code calls it by a plain name, as in `print(x)`.

    Else an empty string.
    """
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


_ITEM = (
    "The array of one element works in place of the number that item() returns, and needs no value while JAX traces."
)
_LIST = "The array works in place of the list that tolist() returns, and needs no values while JAX traces."
_ELEMENTS = "The function of jax.numpy takes the whole array and needs no values while JAX traces."
_SIZES = {
    "SIZE": "Set SIZE to the largest number of elements that the result can have. JAX fills the remaining elements.",
    "LENGTH": "Set LENGTH to the length of the result.",
    "STORED": "Set STORED to the largest number of elements other than 0 that the array can have.",
    "COUNT": "Set COUNT to the number of segments: one more than the largest segment id.",
}
