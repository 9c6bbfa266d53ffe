"""Rewrites a call of NumPy or of the module math that needed the value of a traced array as a call of jax.numpy."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from ....jax.facts import is_tracer_type
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.refused_assignments import lost_write
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.module_names import jnp_name, module_of, namespace
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from .numbers_in_statements import ROUNDED, NumbersInStatement, as_list
from .writes_into_numpy_arrays import changes_of_writes

WORKS_ON_TRACED = "{code} works on traced arrays. {function} needs the values."
DRAWS = "jax.random draws in the compiled program. Pass a key of jax.random.key as an argument."
_NEW_ARRAY_OF_UFUNC = (
    "{code} changes no array in place. With inplace=False, {code} returns a new array: "
    "x = {code}(x, index, value, inplace=False)."
)
_NEW_ARRAYS_OF_AT = "A JAX array cannot be changed: .at[...] makes a new array at each line that writes into the array."
_NEW_ARRAYS_OF_WHERE = "No line can write into a JAX array. jnp.where makes a new array instead."
#: Function of `math` -> the function of `jax.numpy` that computes the same; empty if there is none.
_OTHER_NAMES = {"fabs": "abs", "pow": "power", "prod": "prod", "dist": "", "fsum": "sum"}
#: Functions of `math` that compute something other than the `jax.numpy` functions of the same name.
_OTHER_MEANING = frozenset({"remainder", "isclose"})


class NumPyCalls:
    """Writes the cures for a call of NumPy or of `math` that needed the value of a traced array."""

    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised
        self._jnp = jnp_name(raised)

    def of_arrays(self, node: ast.Call) -> str | None:
        """Return the code with jax.numpy for a call of any, all, NumPy, or a function such as math.isnan.

        None for other calls.
        """
        match node:
            case ast.Call(func=ast.Name(id=("any" | "all") as name), args=[value], keywords=[]):
                return f"{self._jnp}.{name}({array_code(self._raised, value)})"
        if self._has_twin(node):
            return self.with_jax(node)
        if module_of_function(self._raised, node.func) != "math" or called(node) not in ("isnan", "isinf", "isfinite"):
            return None
        return f"{self._jnp}.{called(node)}{self._source(node)[len(self._source(node.func)) :]}"

    def is_of_math(self, node: ast.Call) -> bool:
        """Return whether a call calls a function of the module math."""
        return module_of_function(self._raised, node.func) == "math"

    def of_math(self, node: ast.Call) -> FoundCure | None:
        """Return the cure that replaces a `math` call by a jax.numpy function; None if there is no equivalent one."""
        cures = self.numpy_or_math(node)
        return cures[0] if cures and cures[0].edits else None

    def numpy_or_math(self, node: ast.Call) -> list[FoundCure]:
        """Return the cures for a call of NumPy or of `math`; empty for other calls."""
        module = module_of_function(self._raised, node.func)
        if module not in ("numpy", "math"):
            return []
        name = called(node)
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
                return [FoundCure("jax.random", None, DRAWS)]
            text = (
                f"jax.numpy has no function of the name {name or called(node)}. jax.pure_callback calls the function "
                "when the program runs, with the values of the arrays. jax.grad needs a rule of jax.custom_jvp for "
                "such a callback."
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
        if module == "numpy" and name.endswith(".at"):
            return [FoundCure(code, None, _NEW_ARRAY_OF_UFUNC.format(code=code))]
        if module == "numpy" and (written := self._written_out(node, code)) is not None:
            return [written]
        new_call = code + self._source(node)[len(self._source(node.func)) :]
        text = WORKS_ON_TRACED.format(code=code, function=self._source(node.func))
        changes = [over(node.func, code)]
        changes += [over(call.func, self._jax_numpy_name(call)) for call in self._numpy_calls_around(node)]
        changes += self.math_changes(node)
        writes = self._writes_into_result(node)
        numbers = NumbersInStatement(self._raised, node, changes)
        changes, text = numbers.changes, " ".join([text, *numbers.words])
        if numbers.rounds_inexact:
            return [FoundCure(code, None, f"{text} {ROUNDED}")]
        if writes:
            has_at = any(".at[" in change[2] for change in writes)
            text = f"{text} {_NEW_ARRAYS_OF_AT if has_at else _NEW_ARRAYS_OF_WHERE}"
        edits = [edit_of(self._raised, change) for change in [*changes, *writes]]
        cure = applied(FoundCure(code, new_call, text), edits)
        if module == "math" and (further := self._math_calls_of_function(node)):
            if all(tried.level != "applies" for tried in passed(self._raised, [cure])):
                changed = {change[0] for change in changes}
                twins = [over(call.func, f"{self._jnp}.{twin}") for call, twin in further if call.func not in changed]
                others = in_a_sentence(list(dict.fromkeys(self._source(call.func) for call, _ in further)))
                words = f"{text} The edit replaces {others}, too."
                wider = applied(
                    FoundCure(code, new_call, words), [*edits, *(edit_of(self._raised, twin) for twin in twins)]
                )
                if any(tried.level == "applies" for tried in passed(self._raised, [wider])):
                    return [wider]
        passed_parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        lists = [part for part in passed_parts if isinstance(part, ast.List | ast.Tuple)]
        if lists and len(edits) == 1 and not passed(self._raised, [cure]):
            # NumPy makes arrays of lists, but some functions of jax.numpy do not
            edits += [edit_of(self._raised, over(part, f"{self._jnp}.array({self._source(part)})")) for part in lists]
            cure = applied(FoundCure(code, None, f"{text} {code} takes arrays, not lists."), edits)
        return [cure]

    def _written_out(self, node: ast.Call, code: str) -> FoundCure | None:
        """Return the cure of np.multiply(x, y, out=z): z = jnp.multiply(x, y). None for a call of another form."""
        out = next((keyword for keyword in node.keywords if keyword.arg == "out"), None)
        statement = self._raised.statement_of(node)
        if out is None or not isinstance(out.value, ast.Name):
            return None
        others = [ast.unparse(part) for part in [*node.args, *node.keywords] if part is not out]
        new_call = f"{code}({', '.join(others)})"
        text = f"{code} works on traced arrays and returns a new array. A JAX array cannot be the argument out."
        if not isinstance(statement, ast.Expr) or statement.value is not node:
            return applied(FoundCure(code, new_call, text), [edit_of(self._raised, over(node, new_call))])
        new_line = f"{out.value.id} = {new_call}"
        if (lost := lost_write(self._raised, statement, out.value)) is not None:
            return FoundCure(code, None, f"{text} {lost}")
        return applied(FoundCure(code, new_line, text), [edit_of(self._raised, over(statement, new_line))])

    def _writes_into_result(self, node: ast.Call) -> list[Change]:
        """Return the changes of the later lines that write into the array, as in y = np.array(x) and y[0] = 1."""
        match self._raised.statement_of(node):
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
                return changes_of_writes(self._raised, name)
        return []

    def is_of_numpy(self, node: ast.Call) -> bool:
        """Return whether both a call and the failing call are NumPy calls with a counterpart in jax.numpy."""
        raised = self._raised.node
        return isinstance(raised, ast.Call) and self._has_twin(raised) and self._has_twin(node)

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

    def math_changes(self, node: ast.Call) -> list[Change]:
        """Return the changes of the other `math` calls in the statement that get arrays to calls of jax.numpy."""
        return [over(call.func, f"{self._jnp}.{name}") for call, name in self._math_calls(node)]

    def _math_calls(self, node: ast.Call) -> list[tuple[ast.Call, str]]:
        """Return the other `math` calls in the statement that get arrays, with the functions' names in jax.numpy."""
        statement = self._raised.statement_of(node)
        calls = []
        for call in ast.walk(statement) if isinstance(statement, ast.Assign | ast.Return | ast.AugAssign) else ():
            if not isinstance(call, ast.Call) or call is node or module_of_function(self._raised, call.func) != "math":
                continue
            name = _OTHER_NAMES.get(called(call), called(call))
            is_traced = self._arrays() & {p.id for p in ast.walk(call) if isinstance(p, ast.Name)}
            if self._is_power_of_integers(call):
                continue
            if is_traced and name not in _OTHER_MEANING and name in vars(sys.modules["jax.numpy"]):
                calls.append((call, name))
        return calls

    def _math_calls_of_function(self, node: ast.Call) -> list[tuple[ast.Call, str]]:
        """Return the other `math` calls of the failing function whose arguments may be arrays, with their new names."""
        function = self._raised.function
        parts = [part for part in ast.walk(function) if isinstance(part, ast.Name)] if function is not None else []
        may_be_arrays = self._arrays() | {part.id for part in parts if isinstance(part.ctx, ast.Store)}
        calls = []
        for call in ast.walk(function) if function is not None else ():
            if not isinstance(call, ast.Call) or call is node or module_of_function(self._raised, call.func) != "math":
                continue
            name = _OTHER_NAMES.get(called(call), called(call))
            reads = {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
            if called(call) in _OTHER_MEANING or name not in vars(sys.modules["jax.numpy"]):
                continue
            if may_be_arrays & reads and not self._is_power_of_integers(call):
                calls.append((call, name))
        return calls

    def _is_power_of_integers(self, call: ast.Call) -> bool:
        """Return whether all operands of `math.pow` may be integers.

        `math.pow` converts integers to floats, but `jnp.power` gives an integer, so the results would differ.
        """
        parts = [part for argument in call.args for part in ast.walk(argument) if isinstance(part, ast.expr)]
        values = [part.value if isinstance(part, ast.Constant) else value_of(self._raised, part) for part in parts]
        return called(call) == "pow" and not any(type(v) is float or "float" in dtype_of(v) for v in values)

    def _arrays(self) -> set[str]:
        """Return the local names of the failing function whose values are tracers, or arrays with at least one axis."""
        local = self._raised.frame.f_locals if self._raised.frame is not None else {}
        return {
            name
            for name, value in local.items()
            if is_tracer_type(type(value)) or (dtype_of(value) != "" and bool(getattr(value, "ndim", 0)))
        }

    def _has_twin(self, node: ast.Call) -> bool:
        """Return whether a call is a NumPy call whose function jax.numpy also has."""
        if module_of_function(self._raised, node.func) != "numpy" or not isinstance(node.func, ast.Attribute):
            return False
        jax_member: Any = sys.modules.get("jax.numpy")
        for part in ast.unparse(node.func).split(".")[1:]:
            jax_member = getattr(jax_member, part, None)
        return jax_member is not None

    def _jax_numpy_name(self, node: ast.Call) -> str:
        return f"{self._jnp}.{ast.unparse(node.func).partition('.')[2]}"

    def _source(self, node: ast.expr) -> str:
        return self._raised.source(node)


def module_of_function(raised: RaisedAt, function: ast.expr) -> str | None:
    """Return the name of the module that a called function belongs to: numpy, math or jax.numpy."""
    if isinstance(function, ast.Name):
        value = namespace(raised).get(function.id)
        if type(value).__name__ == "ufunc":
            return "numpy"
        return "math" if getattr(value, "__module__", None) == "math" else None
    while isinstance(function, ast.Attribute):
        function = function.value
    return module_of(raised, function.id) if isinstance(function, ast.Name) else None


def array_code(raised: RaisedAt, node: ast.expr) -> str:
    """Return the code of an argument as an array: a list or a generator becomes an argument of jnp.asarray."""
    text = raised.source(node)
    is_list = isinstance(node, ast.List | ast.Tuple | ast.GeneratorExp | ast.ListComp)
    return f"{jnp_name(raised)}.asarray({as_list(node, text)})" if is_list else text
