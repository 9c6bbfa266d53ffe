"""Decides whether some statements certainly end before JAX's work is done. No user code runs.

The work is that of a jitted function, or else of operations outside of jit. The answer is yes only if every call is
known not to wait for a result, and no statement reads the value of an array.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted
from ...jax.leaves_and_context_of_key import array_type
from ...observe.user_or_library.library_functions import is_library_jit
from ..syntax_of_called_functions import names_of, tree_of

#: The search for jitted calls enters at most this many nested calls of the user's plain functions.
_DEEP = 3
#: The modules whose functions do not wait for JAX's work, except the functions in _WAITING.
_MODULES = ("jax.numpy", "jax.lax", "jax.random", "jax.nn")
_WAITING = frozenset(
    "argwhere array_repr array_str bincount compress extract flatnonzero intersect1d load nonzero repeat save savez "
    "setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse unique_values where".split()
)
#: The functions of jax.lax that trace the functions among their arguments, so that a lambda there gets no value.
_TRACING = frozenset("associative_scan cond fori_loop map reduce scan switch while_loop".split())
#: The functions of _MODULES that may dispatch no work, or whose work is done when the function returns.
_NO_WORK = frozenset(
    "arange array asarray astype broadcast_shapes can_cast copy dtype einsum_path empty empty_like eye finfo "
    "from_dlpack frombuffer full full_like get_printoptions identity iinfo iscomplexobj isdtype isrealobj isscalar "
    "issubdtype key key_data key_impl linspace ndim ones ones_like PRNGKey printoptions promote_types ravel reshape "
    "result_type set_printoptions shape size squeeze wrap_key_data zeros zeros_like".split()
)
#: The functions of jax.numpy that certainly return an array of JAX.
_MAKES_ARRAY = frozenset(
    "arange array asarray empty empty_like eye full full_like identity linspace ones ones_like zeros zeros_like".split()
)
#: The methods of JAX's arrays that dispatch work and do not wait. The methods of a NumPy array compute at once, so no
#: wait is needed.
_METHODS = frozenset(
    "all any argmax argmin astype clip conj cumprod cumsum dot flatten max mean min prod ravel reshape round squeeze "
    "std sum swapaxes trace transpose var".split()
)
#: The classes of statements and expressions that may read the value of an array.
_LOOKING = (
    ast.If,
    ast.IfExp,
    ast.While,
    ast.Assert,
    ast.BoolOp,
    ast.JoinedStr,
    ast.With,
    ast.AsyncWith,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.Match,
    ast.Try,
    ast.TryStar,
    ast.Raise,
    ast.Return,
    ast.Break,
    ast.Continue,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.Import,
    ast.ImportFrom,
    ast.AsyncFor,
    ast.GeneratorExp,
)


class Scope:
    """Resolves the names in some code, and finds calls of jitted functions whose work may still run when the code ends.

    Args:
        namespace: The values of the names; the values are looked up, never called.
        barrier_waits: True if `jax.effects_barrier` may wait, because a program of the run has effects.
        depth: The number of nested function calls through which the search came to the code.
        is_traced: True if JAX may trace the code, so that its operations compute nothing.
    """

    def __init__(
        self, namespace: Mapping[str, Any], barrier_waits: bool, depth: int = 0, is_traced: bool = False
    ) -> None:
        self._namespace = namespace
        self._barrier_waits = barrier_waits
        self._depth = depth
        self._is_traced = is_traced
        # The parameters of the lambdas around the code that JAX traces: their values are tracers.
        self._tracers: frozenset[str] = frozenset()

    def _left_running(self, body: Sequence[ast.stmt], local: frozenset[str]) -> ast.expr | None:
        """Return the last call of a jitted function in some statements, or else their last operation outside of jit.

        None if there is neither, or a statement may wait.
        """
        return (self._until_waits(body, local) or [None])[-1]

    def _until_waits(self, body: Sequence[ast.stmt], local: frozenset[str]) -> list[ast.expr | None] | None:
        """Return a list with the last call of a jitted function in some statements, or else their last operation.

        The item is None if there is neither. Return None if a statement may wait for a result.
        """
        last: ast.expr | None = None
        operation: ast.expr | None = None
        tainted = assigned(body) | _appended(body)
        # The ids of nodes that need no check: calls that wait only for work from before the timed statements, and the
        # functions in these calls.
        skipped_ids: set[int] = set()
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and self._waits_for_other(node, tainted, local):
                    skipped_ids |= {id(node), id(node.func)}
                if id(node) in skipped_ids:
                    continue
                if isinstance(node, ast.Call) and (applied := self._applied(node, local)) is not None:
                    if not self._applies_on(node, applied, tainted, local):
                        return None
                    skipped = [applied, *_mapping(node)]
                    skipped_ids |= {
                        id(node_inside)
                        for skipped_node in skipped
                        for node_inside in (ast.walk(skipped_node) if skipped_node is applied else [skipped_node])
                    }
                    if isinstance(applied, ast.Lambda):
                        runs = self._running_in(applied, local) is not None
                    else:
                        runs = self._leaves_running(applied, local)
                    if runs:
                        last = node if last is None or _after(node, last) else last
                    continue
                if isinstance(node, ast.Call) and self._traces_arguments(node.func, local):
                    traced = [part for part in _parts_of_arguments(node) if isinstance(part, ast.Lambda)]
                    if not all(self._only_traces(function, local) for function in traced):
                        return None
                    skipped_ids |= {id(node_inside) for function in traced for node_inside in ast.walk(function)}
                if isinstance(node, _LOOKING) or not self._goes_on(node, tainted, local):
                    return None
                if isinstance(node, ast.Call) and self._leaves_running(node.func, local):
                    last = node if last is None or _after(node, last) else last
                elif isinstance(node, ast.expr) and self._is_operation(node, local):
                    operation = node if operation is None or _after(node, operation) else operation
        return [last or operation]

    def _is_operation(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Return whether an expression is an operation of JAX outside of jit, which dispatches work."""
        if self._is_traced:
            return False
        if isinstance(node, ast.Call):
            if self._is_jax(node.func, local):
                return isinstance(node.func, ast.Attribute) and node.func.attr not in _NO_WORK
            return self._is_method_of_result(node.func, local) and not _is_no_work(node.func)
        return isinstance(node, ast.BinOp) and self._is_array(node, local)

    def _is_array(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Return whether the value of an expression is an array of JAX; False if the value is unknown."""
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return any(self._is_array(side, local) for side in sides) and all(
                isinstance(side, ast.Constant) or self._is_array(side, local) for side in sides
            )
        if isinstance(node, ast.UnaryOp):
            return self._is_array(node.operand, local)
        if isinstance(node, ast.Call):
            is_new = isinstance(node.func, ast.Attribute) and node.func.attr in _MAKES_ARRAY
            return self._is_operation(node, local) or (is_new and self._is_jax(node.func, local))
        if isinstance(node, ast.Subscript) and self._tracers:
            return self._is_array(node.value, local)
        if isinstance(node, ast.Name) and node.id in self._tracers:
            return True
        return isinstance(node, ast.Name) and type(self._value(node, local)) is array_type()

    def _applied(self, call: ast.Call, local: frozenset[str]) -> ast.expr | None:
        """Return the function that a call applies to each element: `f` in `list(map(f, xs))`, `jax.tree.map(f, xs)`."""
        if not call.args or isinstance(call.func, ast.Call):
            return None
        function = self._value(call.func, local)
        if function is list or function is tuple:
            inner = call.args[0]
            is_map = isinstance(inner, ast.Call) and self._value(inner.func, local) is map and not call.keywords
            return inner.args[0] if isinstance(inner, ast.Call) and is_map and len(inner.args) > 1 else None
        return call.args[0] if len(call.args) > 1 and is_one_of(function, _tree_maps()) else None

    def _applies_on(self, call: ast.Call, applied: ast.expr, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether a call that applies a function to each element certainly does not wait for a result."""
        if call.keywords:
            return False
        is_python = self._value(call.func, local) in (list, tuple)
        if is_python and any(
            self._touches(mapped, tainted, local) for mapping in _mapping(call) for mapped in mapping.args[1:]
        ):
            return False
        if isinstance(applied, ast.Lambda):
            return self._only_dispatches(applied, local)
        return isinstance(applied, ast.Name | ast.Attribute) and (
            self._leaves_running(applied, local) or self._is_jax(applied, local)
        )

    def _traces_arguments(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Return whether a node names a function that traces its arguments: `lax.scan`, `jax.jit`, `jax.grad`."""
        import jax

        if is_one_of(self._value(node, local), (jax.jit, *_transforms())):
            return True
        return isinstance(node, ast.Attribute) and node.attr in _TRACING and self._is_jax(node, local)

    def _only_dispatches(self, function: ast.Lambda, local: frozenset[str]) -> bool:
        """Return whether the body of a lambda certainly does not wait for a result."""
        return self._until_waits([ast.Expr(function.body)], local | _parameters(function)) is not None

    def _only_traces(self, function: ast.Lambda, local: frozenset[str]) -> bool:
        """Return whether the body of a lambda that JAX traces certainly does not wait for a result."""
        inside = copy.copy(self)
        inside._tracers = self._tracers | _parameters(function)
        return inside._only_dispatches(function, local)

    def _running_in(self, function: ast.Lambda, local: frozenset[str]) -> ast.expr | None:
        """Return the last call of a jitted function in a lambda, or else its last operation outside of jit.

        None if there is none, or the lambda may wait for a result.
        """
        return self._left_running([ast.Expr(function.body)], local | _parameters(function))

    def _leaves_running(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Return whether a function is jitted, or is a plain function that dispatches work and does not wait."""
        if self._is_jitted(node, local):
            return True
        function = None if isinstance(node, ast.Call) else self._value(node, local)
        tree = tree_of(function) if self._depth < _DEEP else None
        if tree is None or not tree.body or type(function) is not types.FunctionType:
            return False
        *body, last = tree.body
        if isinstance(last, ast.Return) and last.value is not None:
            last = ast.Expr(last.value)
        inside = Scope(names_of(function), self._barrier_waits, self._depth + 1, self._is_traced)
        return inside._left_running([*body, last], locals_of(tree)) is not None

    def _waits_for_other(self, call: ast.Call, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether a call waits, but not for the work of the timed statements.

        Such a call waits for arrays from before the timed statements, or for effects that no program has.
        """
        function = self._value(call.func, local)
        if function is not None and function is getattr(sys.modules["jax"], "effects_barrier", None):
            return not self._barrier_waits
        waited: list[ast.expr] = []
        if function is not None and function is getattr(sys.modules["jax"], "block_until_ready", None):
            waited = call.args
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "block_until_ready" and not call.args:
            waited = [call.func.value]
        return bool(waited) and all(isinstance(name, ast.Name) and name.id not in tainted for name in waited)

    def _goes_on(self, node: ast.AST, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether evaluating a node certainly does not wait for a result."""
        if isinstance(node, ast.Call):
            return (
                self._leaves_running(node.func, local)
                or self._is_jax(node.func, local)
                or self._is_method_of_result(node.func, local)
                or (isinstance(node.func, ast.Name) and self._value(node.func, local) is range)
                or (self._value(node.func, local) is print and not _takes_values(node))
                or (isinstance(node.func, ast.Attribute) and node.func.attr == "append" and _is_name(node.func.value))
            )
        if isinstance(node, ast.For | ast.comprehension):
            if isinstance(node, ast.comprehension) and (node.ifs or node.is_async):
                return False
            return not self._touches(node.iter, tainted, local)
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.Not)
        # for a NumPy array x, `x += y` copies the value of y into x, and waits for it
        if isinstance(node, ast.AugAssign):
            return not self._touches(node.value, tainted, local)
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Subscript):
            return not self._touches(node.slice, tainted, local)
        if isinstance(node, ast.Compare):
            return len(node.ops) == 1 and not isinstance(node.ops[0], ast.In | ast.NotIn)
        if isinstance(node, ast.Attribute):
            return node.attr not in ("block_until_ready", "item", "tolist")
        return True

    def _touches(self, node: ast.AST, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether an expression reads a name that may have a result, or calls a function other than `range`."""
        return any(
            (isinstance(node_inside, ast.Name) and node_inside.id in tainted)
            or (isinstance(node_inside, ast.Call) and self._value(node_inside.func, local) is not range)
            for node_inside in ast.walk(node)
        )

    # --- values of names ---------------------------------------------------------------------------------

    def _is_jitted(self, node: ast.expr, local: frozenset[str]) -> bool:
        import jax

        if isinstance(node, ast.Call):  # the called function is the result of a call, as in jax.jit(f)(x)
            transform = self._value(node.func, local)
            if is_one_of(transform, _transforms()):
                jitted = node.args[0] if node.args else None
                return isinstance(jitted, ast.Name | ast.Attribute) and self._leaves_running(jitted, local)
            return transform is jax.jit
        value = self._value(node, local)
        if isinstance(value, functools.partial):
            value = value.func
        if issubclass(type(value), jax.stages.Compiled):
            return True
        return (is_jitted(value) or is_library_jit(value)) and not self._is_jax(node, local)

    def _is_method_of_result(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Return whether a node is `f(x).sum` or `x.sum`, for example: a method of an array that dispatches work."""
        if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
            return False
        if isinstance(node.value, ast.Call) and self._goes_on(node.value, frozenset(), local):
            return True
        return self._is_array(node.value, local)

    def _is_jax(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Return whether a node is the name of a JAX function that does not wait, such as `jnp.sum` or `jax.jit`."""
        import jax

        if isinstance(node, ast.Call):
            return False
        value = self._value(node, local)
        if is_one_of(value, (jax.jit, *_transforms())):
            return True
        if not isinstance(node, ast.Attribute) or node.attr in _WAITING:
            return False
        module = self._value(node.value, local)
        return isinstance(module, types.ModuleType) and module.__name__ in _MODULES

    def _value(self, node: ast.AST, local: frozenset[str]) -> Any:
        """Return the value of a dotted name, such as `jnp.sum`, without running code. None if unknown."""
        if isinstance(node, ast.Name):
            if node.id in local:
                return None
            builtins = vars(__import__("builtins"))
            return self._namespace.get(node.id, builtins.get(node.id))
        if isinstance(node, ast.Attribute):
            holder = self._value(node.value, local)
            if holder is None:
                return None
            if isinstance(holder, types.ModuleType):
                return vars(holder).get(node.attr)
            try:
                return inspect.getattr_static(holder, node.attr, None)
            except not_of_a_signal(Exception):  # an object of an extension module may raise any exception
                return None
        return None


def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Return the local names of a function: its parameters, and the names that it assigns."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return frozenset(parameter.arg for parameter in parameters if parameter is not None) | assigned(function.body)


def assigned(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names to which some statements assign."""
    return frozenset(
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _appended(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names of objects in which a method call, such as `results.append(y)`, may store a result."""
    return frozenset(
        node.func.value.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        if node.func.attr != "block_until_ready"
    )


def arguments(call: ast.Call) -> list[ast.expr]:
    """Return the argument expressions of a call, positional and keyword."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _parts_of_arguments(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call, with the items of a list or a tuple in place of the list or the tuple."""
    parts: list[ast.expr] = []
    for argument in arguments(call):
        parts += argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
    return parts


def _mapping(call: ast.Call) -> list[ast.Call]:
    """Return a list with the call `map(f, xs)` in `list(map(f, xs))`. An empty list if there is none."""
    return [argument for argument in call.args[:1] if isinstance(argument, ast.Call)]


def _parameters(function: ast.Lambda) -> frozenset[str]:
    arguments_node = function.args
    parameters = [
        *arguments_node.posonlyargs,
        *arguments_node.args,
        *arguments_node.kwonlyargs,
        arguments_node.vararg,
        arguments_node.kwarg,
    ]
    return frozenset(parameter.arg for parameter in parameters if parameter is not None)


def _tree_maps() -> tuple[Any, ...]:
    import jax

    return jax.tree.map, jax.tree_util.tree_map


def _transforms() -> tuple[Any, ...]:
    """Return the transforms whose results, such as `jax.vmap(f)`, wait only if the transformed function waits."""
    import jax

    return jax.grad, jax.value_and_grad, jax.vmap


def _takes_values(call: ast.Call) -> bool:
    """Return whether a call has an argument that is not a constant."""
    return not all(isinstance(argument, ast.Constant) for argument in arguments(call))


def is_one_of(value: Any, objects: Sequence[Any]) -> bool:
    """Return whether a value is one of some objects.

    The comparison is by identity, so no `__eq__` of the user's runs.
    """
    return any(value is candidate for candidate in objects)


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _is_no_work(method: ast.expr) -> bool:
    return isinstance(method, ast.Attribute) and method.attr in _NO_WORK


def _after(call: ast.expr, other_call: ast.expr) -> bool:
    """Return whether a call or an operation comes after another call in the source code.

    Of two nested calls, the outer one comes later.
    """
    ends = (call.end_lineno or 0, call.end_col_offset or 0)
    other_ends = (other_call.end_lineno or 0, other_call.end_col_offset or 0)
    starts, other_starts = (call.lineno, call.col_offset), (other_call.lineno, other_call.col_offset)
    if starts <= other_starts and other_ends <= ends:
        return True
    return starts > other_starts and not ends <= other_ends
