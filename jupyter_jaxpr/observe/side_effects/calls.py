"""A callee and its arguments in; the value of the call out, after the callee's own code was analysed."""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import functools
import types
from typing import Any

from .abstract import OUTSIDE, PLAIN, Known, Local, Made, Method, Scope, Super, Transformed, Value, is_immutable
from .attributes import Attributes
from .callables import (
    CHANGING_METHODS,
    is_array_of_jax,
    is_changeable,
    is_consumed,
    is_jitted,
    is_read_only,
    is_users_callable,
    is_users_class,
    is_users_code,
    verdict,
)
from .effect import Kind
from .source import FunctionNode, function_node

_DEEPEST = 60
_LINEN = frozenset(["apply", "init", "init_with_output"])
_READS_ELEMENTS = frozenset(
    "all any dict enumerate filter frozenset iter list map max min reversed set sorted sum tuple zip next".split()
)
_METHODS_OF: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (len, ("__len__",)),
    (bool, ("__bool__", "__len__")),
    (hash, ("__hash__",)),
    (repr, ("__repr__",)),
    (str, ("__str__", "__repr__")),
    (format, ("__format__", "__str__", "__repr__")),
    (print, ("__str__", "__repr__")),
    (abs, ("__abs__",)),
    (int, ("__int__", "__index__")),
    (float, ("__float__", "__index__")),
    (round, ("__round__",)),
    (divmod, ("__divmod__", "__rdivmod__")),
    (pow, ("__pow__", "__rpow__")),
)
#: By identity: to compare with a callable of the user's would call its __eq__.
_SPECIAL_OF = {id(function): names for function, names in _METHODS_OF}
_NO_RESULT_OF_ARGUMENTS = frozenset(map(id, (isinstance, issubclass, callable, len, id, hash, hasattr)))
_MAKES_CONTAINER = frozenset(
    map(id, (list, dict, set, tuple, frozenset, bytearray, sorted, zip, map, enumerate, filter, reversed, copy.copy))
)
#: What runs when the program runs, not while it is traced.
_CALLED_LATER = frozenset(["debug_callback", "callback", "io_callback", "pure_callback", "debug_print"])
#: What gives a function instead of calling the one that it is given.
_TRANSFORMS = frozenset(
    """vmap grad value_and_grad jit pmap checkpoint remat jacfwd jacrev jacobian hessian custom_jvp custom_vjp
    named_call shard_map partial wraps cache lru_cache filter_vmap filter_grad filter_value_and_grad filter_jit
    filter_checkpoint fun_remat custom_batching custom_vmap closure_convert_fun Partial cmp_to_key""".split()
)
_VERDICTS: dict[str, tuple[Kind, str]] = {
    "random": ("random", "calls `{name}`, which advances a random generator"),
    "outside": ("outside", "calls `{name}`, which reaches outside of Python's objects"),
    "unknown": ("unknown", "calls `{name}`, of which nothing is known"),
}

Keywords = dict[str | None, Value]


class Calls(Attributes):
    """The part of the analysis that follows calls."""

    def __init__(self, first: bool) -> None:
        super().__init__(first)
        self._results: dict[Any, Value] = {}
        self._depth = 0

    def call(self, scope: Scope, node: ast.AST, callee: Value, values: list[Value], keywords: Keywords) -> Value:
        """Analyse `callee(*values, **keywords)`."""
        if self._depth > _DEEPEST:
            return self.refuse("unknown", scope, node, "calls functions too deep to follow")
        self._depth += 1
        try:
            return self._call(scope, node, callee, values, keywords)
        finally:
            self._depth -= 1

    def _call(self, scope: Scope, node: ast.AST, callee: Value, values: list[Value], keywords: Keywords) -> Value:
        match callee:
            case Known():
                return self._call_object(scope, node, callee.value, values, keywords)
            case Local():
                return self._call_local(callee, values, keywords)
            case Transformed():
                return self._call_transformed(scope, node, callee, values, keywords)
            case Method():
                return self._call_method(scope, node, callee, values, keywords)
            case Super():
                return OUTSIDE
            case Made() if callee.of is not None:
                return self.special(scope, node, callee, ("__call__",))
            case Made() if callee.plain:
                return PLAIN
            case _:
                return self._call_unknown(scope, node, [callee, *values, *keywords.values()])

    # --- objects that are there before the call ---

    def _call_object(
        self, scope: Scope, node: ast.AST, function: Any, values: list[Value], keywords: Keywords
    ) -> Value:
        if isinstance(function, types.MethodType):
            receiver = Known(function.__self__)
            return self._call_object(scope, node, function.__func__, [receiver, *values], keywords)
        if isinstance(function, functools.partial):
            given: Keywords = {name: Known(value) for name, value in function.keywords.items()}
            first = [Known(value) for value in function.args]
            return self._call_object(scope, node, function.func, [*first, *values], {**given, **keywords})
        if isinstance(function, functools._lru_cache_wrapper):
            kind: Kind = "outside" if function.cache_info().currsize else "state"
            self.refuse(kind, scope, node, f"calls `{_name(function)}`, which keeps its results in a cache")
            return self._call_object(scope, node, function.__wrapped__, values, keywords)
        if is_jitted(function) or type(function).__module__.startswith("jax"):
            return self._call_library(scope, node, function, values, keywords)
        if isinstance(function, types.FunctionType):
            if not is_users_code(function.__code__) and function.__code__.co_filename != "<string>":
                return self._call_library(scope, node, function, values, keywords)
            return self._call_function(scope, node, function, values, keywords)
        if function is builtins.super:
            return self._super(scope, node, values)
        if isinstance(function, type):
            return self._construct(scope, node, function, values, keywords)
        if function is getattr or function is setattr or function is delattr or function is hasattr:
            return self._by_name(scope, node, function, values)
        if isinstance(function, types.BuiltinFunctionType | types.BuiltinMethodType):
            owner = function.__self__
            if owner is not None and not isinstance(owner, types.ModuleType | type):
                if verdict(function) != "random":
                    return self._call_method(scope, node, Method(Known(owner), function.__name__), values, keywords)
            return self._call_library(scope, node, function, values, keywords)
        if is_users_class(type(function)):
            own = vars_of(type(function)).get("__call__")
            if isinstance(own, types.FunctionType):
                return self._call_function(scope, node, own, [Known(function), *values], keywords)
        return self._call_library(scope, node, function, values, keywords)

    def _call_function(
        self, scope: Scope, node: ast.AST, function: types.FunctionType, values: list[Value], keywords: Keywords
    ) -> Value:
        code = function.__code__
        wrapped = vars(function).get("__wrapped__")
        definition = function_node(code)
        if definition is None:
            if code.co_filename == "<string>" and code.co_name in ("__init__", "__eq__", "__repr__", "__hash__"):
                return Made(plain=False, fresh=True, deep=False)  # what dataclasses write
            self.refuse("unknown", scope, node, f"calls `{code.co_name}`, whose source is not known")
            return self._call_object(scope, node, wrapped, values, keywords) if callable(wrapped) else OUTSIDE
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        self._keep.append(function)
        defaults = _defaults(function)
        return self._run(definition, None, cells, function.__globals__, code, values, keywords, defaults)

    def _user_call(
        self, scope: Scope, node: ast.AST, function: types.FunctionType, values: list[Value], unknown_rest: bool = False
    ) -> Value:
        keywords: Keywords = {None: OUTSIDE} if unknown_rest and function.__code__.co_argcount > 1 else {}
        return self.call(scope, node, Known(function), values, keywords)

    def _call_local(self, function: Local, values: list[Value], keywords: Keywords) -> Value:
        names = [argument.arg for argument in function.node.args.posonlyargs + function.node.args.args]
        count = len(function.node.args.defaults)
        defaults = dict(zip(names[len(names) - count :], function.defaults, strict=False)) if count else {}
        for argument, default in zip(function.node.args.kwonlyargs, function.defaults[count:], strict=False):
            defaults[argument.arg] = default
        outer = function.scope
        return self._run(function.node, outer, {}, outer.module, None, values, keywords, defaults)

    def _run(
        self,
        node: FunctionNode,
        enclosing: Scope | None,
        cells: dict[str, types.CellType],
        module: dict[str, Any],
        code: types.CodeType | None,
        values: list[Value],
        keywords: Keywords,
        defaults: dict[str, Value],
    ) -> Value:
        names = _bind(node, values, keywords, defaults, self._joined)
        known = tuple(sorted((name, value.key()) for name, value in names.items()))
        key = (id(node), id(enclosing), tuple(id(cell) for cell in cells.values()), repr(known))
        if key in self._results:
            return self._results[key]
        self._keep.extend(names.values())
        self._results[key] = OUTSIDE  # a function that calls itself
        file = code.co_filename if code is not None else enclosing.file if enclosing is not None else ""
        name = code.co_qualname if code is not None else getattr(node, "name", "<lambda>")
        inner = Scope(names, frozenset(), enclosing, cells, module, file, name)
        self._results[key] = self.body(inner, node)
        return self._results[key]

    def body(self, scope: Scope, node: FunctionNode) -> Value:
        """Analyse the body of a function; what it returns."""
        raise NotImplementedError

    # --- libraries ---

    def _call_library(
        self, scope: Scope, node: ast.AST, function: Any, values: list[Value], keywords: Keywords
    ) -> Value:
        name = _name(function)
        found = verdict(function)
        given = [*values, *keywords.values()]
        own = [Known(inner) for inner in self.functions_of(function)]
        if is_jitted(function) and not own:
            fun = getattr(function, "_fun", None)
            own = [Known(inner) for inner in self.functions_of(fun)] if callable(fun) else []
        if own and _package(function) != "builtins" and callable(getattr(function, "__wrapped__", None)):
            # jax.jit(f), jax.vmap(f): f takes the same arguments. The rules of a custom derivative take others.
            if own[1:]:
                self._call_back(scope, node, tuple(own[1:]), given)
            return self._call_transformed(scope, node, Transformed((own[0],)), values, keywords)
        if found != "harmless" and not own:
            kind, text = _VERDICTS[found]
            if name == "open" and found == "outside" and not _writes(values, keywords):
                kind, text = "unknown", "calls `{name}`, which reads a file"
            self._escaping(given)
            return self.refuse(kind, scope, node, text.format(name=name))
        if name in _LINEN and str(getattr(function, "__module__", "")).startswith("flax.linen"):
            module = values[0] if values else OUTSIDE
            if isinstance(module, Known) and is_users_class(type(module.value)):
                return self._call_linen(scope, node, type(module.value), values[1:], keywords)
        if name in _CALLED_LATER and not own and _package(function) == "jax":
            return PLAIN
        out = keywords.get("out")
        if out is not None and not (isinstance(out, Known) and out.value is None):
            return self.refuse("state", scope, node, f"calls `{name}` with `out=`, which writes into an array")
        if self._writes_into(function, values):
            return self.refuse("state", scope, node, f"calls `{name}`, which writes into an array")
        if name == "print" and "file" in keywords and not _is_none(keywords["file"]):
            return self.refuse("outside", scope, node, "prints into a file")
        for value in given:
            self._handed_over(scope, node, function, value)
        functions = [value for value in given if self._is_function(value)]
        arguments = [value for value in given if not self._is_function(value)]
        if functions and (not arguments or (name in _TRANSFORMS and not own)):
            return Transformed((*own, *functions))
        callbacks = (*own, *functions)
        results = self._call_back(scope, node, callbacks, arguments) if callbacks else None
        return self._result(function, arguments, results)

    def _result(self, function: Any, arguments: list[Value], called_back: Value | None) -> Value:
        if id(function) in _NO_RESULT_OF_ARGUMENTS:
            return PLAIN
        blurred = [self.blurred(value) for value in arguments]
        if called_back is not None:
            blurred.append(self.blurred(called_back))
        plain = all(value.plain for value in blurred)
        if plain and _is_array_result(function):
            return PLAIN
        deep = all(value.deep for value in blurred)
        fresh = deep or id(function) in _MAKES_CONTAINER
        return Made(plain, fresh, deep)

    def _is_function(self, value: Value) -> bool:
        if isinstance(value, Local | Transformed | Method):
            return True
        if not isinstance(value, Known) or isinstance(value.value, type):
            return False
        return callable(value.value) and bool(self.functions_of(value.value) or is_users_callable(value.value))

    def _call_transformed(
        self, scope: Scope, node: ast.AST, callee: Transformed, values: list[Value], keywords: Keywords
    ) -> Value:
        """Call what a transform made of functions: each takes the same arguments, with tracers in them."""
        given = [_rebuilt(value) for value in values]
        named = {name: _rebuilt(value) for name, value in keywords.items()}
        results = [self.call(scope, node, function, given, named) for function in callee.functions]
        made = [self.blurred(value) for value in (*given, *named.values(), *results)]
        plain, deep = all(value.plain for value in made), all(value.deep for value in made)
        return PLAIN if plain and deep else Made(plain, deep, deep)

    def _call_back(self, scope: Scope, node: ast.AST, functions: tuple[Value, ...], arguments: list[Value]) -> Value:
        """Functions that a library calls, with parts of what the library was given."""
        blurred = [self.blurred(value) for value in arguments]
        plain = all(value.plain for value in blurred)
        deep = all(value.deep for value in blurred)
        given = PLAIN if plain and deep else Made(plain, deep, deep)
        results = []
        for function in functions:
            count = _count_of_parameters(function)
            if isinstance(function, Known) and isinstance(function.value, types.FunctionType):
                results.append(self._call_function(scope, node, function.value, [given] * count, {}))
            else:
                results.append(self.call(scope, node, function, [given] * count, {}))
        return self._joined(results)

    def _handed_over(self, scope: Scope, node: ast.AST, function: Any, value: Value) -> None:
        """What a library may do with an argument by the methods of its class."""
        if isinstance(value, Known) and is_consumed(value.value) and function is not iter:
            self.refuse("outside", scope, node, "hands over an iterator that was there before")
        name = getattr(function, "__name__", "")
        if id(function) in _SPECIAL_OF:
            self.special(scope, node, value, _SPECIAL_OF[id(function)])
        elif name in _READS_ELEMENTS and _package(function) == "builtins":
            self.elements(scope, node, value)
        elif isinstance(value, Known) and is_users_class(type(value.value)):
            self.special(scope, node, value, ("__jax_array__", "__array__", "tree_flatten", "tree_flatten_with_keys"))

    def _writes_into(self, function: Any, values: list[Value]) -> bool:
        """Whether a ufunc is given an array for its result as a positional argument."""
        count = getattr(function, "nin", None)
        return isinstance(count, int) and len(values) > count

    def _escaping(self, values: list[Value]) -> None:
        for value in values:
            if self._is_function(value):
                self._escapes(value)

    def _escapes(self, value: Value) -> None:
        """A function goes where the analysis does not follow: it may be called with anything."""
        if isinstance(value, Local):
            self._call_local(value, [OUTSIDE] * _count_of_parameters(value), {})
        elif isinstance(value, Transformed):
            for function in value.functions:
                self._escapes(function)
        elif isinstance(value, Known):
            self._loose.append(value.value)

    def _call_unknown(self, scope: Scope, node: ast.AST, values: list[Value]) -> Value:
        """Call what may be any function or object that the call can reach."""
        for value in values:
            if self._is_function(value):
                self._escapes(value)
        if not self._loose and not any("__call__" in dir(kind) for kind in self._classes):
            return self.refuse("unknown", scope, node, f"calls `{_text(node)}`, which is not known before it runs")
        loose, self._loose = self._loose, []
        for function in loose:
            self._call_object(scope, node, function, [OUTSIDE] * 3, {})
        self._loose = loose
        for kind in list(self._classes):
            self.special(scope, node, Made(plain=False, fresh=False, deep=False, of=kind), ("__call__",))
        return OUTSIDE

    # --- methods and classes ---

    def _call_method(
        self, scope: Scope, node: ast.AST, method: Method, values: list[Value], keywords: Keywords
    ) -> Value:
        receiver, name = method.receiver, method.name
        if method.function is not None:
            if isinstance(method.function, types.FunctionType) and is_users_code(method.function.__code__):
                return self._call_function(scope, node, method.function, [receiver, *values], keywords)
            if isinstance(receiver, Known) and not receiver.rebuilt and is_changeable(receiver.value):
                return self.refuse("state", scope, node, f"calls `{_text(node)}`, which may change the object")
            return self._call_library(scope, node, method.function, [receiver, *values], keywords)
        if isinstance(receiver, Transformed):
            self._escaping(values)
            return receiver
        if isinstance(receiver, Known) and type(receiver.value).__module__.partition(".")[0] in ("io", "_io"):
            return self.refuse("outside", scope, node, f"calls `{_text(node)}` on an open file")
        if isinstance(receiver, Known):
            return self._method_of_object(scope, node, receiver, name, values, keywords)
        if isinstance(receiver, Made):
            return self._method_of_made(scope, node, receiver, name, values, keywords)
        return self._call_unknown(scope, node, [receiver, *values, *keywords.values()])

    def _call_linen(self, scope: Scope, node: ast.AST, kind: type, values: list[Value], keywords: Keywords) -> Value:
        """`apply` of flax.linen runs the methods of a copy of the module."""
        method = keywords.get("method")
        if method is not None and not _is_none(method):
            return self.refuse("unknown", scope, node, "calls a method of a flax module by `method=`")
        clone = Made(plain=False, fresh=True, deep=False, of=kind)
        results: list[Value] = []
        for name in ("setup", "__call__"):
            function = _from_users_class(kind, name)
            if function is not None:
                given = values[1:] if name == "__call__" else []
                results.append(self._call_function(scope, node, function, [clone, *given], {**keywords}))
        made = self.blurred(self._joined(results))
        return Made(made.plain, True, made.deep)

    def _method_of_object(
        self, scope: Scope, node: ast.AST, receiver: Known, name: str, values: list[Value], keywords: Keywords
    ) -> Value:
        value = receiver.value
        bound = getattr(value, name, None)
        if is_read_only(value) and name not in ("delete", "copy_to_host_async"):
            self._read_by_method(scope, node, [*values, *keywords.values()])
            return PLAIN
        found = verdict(bound) if bound is not None else "unknown"
        if found == "random":
            return self.refuse("random", scope, node, f"calls `{_text(node)}`, which advances a random generator")
        container = type(value).__module__ in ("builtins", "collections", "numpy") or isinstance(
            value, dict | list | set
        )
        if name == "at" and hasattr(value, "nin"):
            return self.refuse("state", scope, node, f"calls `{_text(node)}`, which writes into an array")
        if is_consumed(value):
            return self.refuse("outside", scope, node, f"calls `{_text(node)}`, which moves an iterator on")
        if name in CHANGING_METHODS or not container:
            if container and receiver.rebuilt:
                return self._changes_fresh(scope, node, [*values, *keywords.values()])
            kind: Kind = "state" if container else "outside" if found == "outside" else "unknown"
            if found == "harmless" and not container:
                return self._call_library(scope, node, bound, values, keywords)
            text = "changes an object that was there before" if container else "is a method of which nothing is known"
            return self.refuse(kind, scope, node, f"calls `{_text(node)}`, which {text}")
        for given in (*values, *keywords.values()):
            if self._is_function(given):
                self._escapes(given)
        if keywords.get("out") is not None:
            return self.refuse("state", scope, node, f"calls `{_text(node)}` with `out=`, which writes into an array")
        if name in ("get", "values", "items", "pop", "copy", "keys"):
            return (
                self.elements(scope, node, Known(list(dict.values(value)), receiver.rebuilt))
                if isinstance(value, dict) and name == "get"
                else self._element_view(receiver, name)
            )
        made = self.blurred(receiver)
        return Made(made.plain, made.fresh, made.deep)

    def _element_view(self, receiver: Known, name: str) -> Value:
        value = receiver.value
        if isinstance(value, dict) and name in ("values", "items", "keys"):
            if name == "keys":
                return PLAIN
            parts = list(dict.values(value)) if name == "values" else list(dict.items(value))
            self._keep.append(parts)
            return Known(parts, receiver.rebuilt)
        made = self.blurred(receiver)
        return Made(made.plain, True, made.deep)

    def _method_of_made(
        self, scope: Scope, node: ast.AST, receiver: Made, name: str, values: list[Value], keywords: Keywords
    ) -> Value:
        given = [*values, *keywords.values()]
        if keywords.get("out") is not None:
            return self.refuse("state", scope, node, f"calls `{_text(node)}` with `out=`, which writes into an array")
        if name in CHANGING_METHODS:
            if name == "delete" or not receiver.fresh:
                return self.refuse(
                    "state", scope, node, f"calls `{_text(node)}`, which may change an object from outside"
                )
            return self._changes_fresh(scope, node, given)
        if receiver.plain:
            self._read_by_method(scope, node, given)
            made = [self.blurred(value) for value in given if not self._is_function(value)]
            deep = receiver.deep and all(value.deep for value in made)
            return Made(True, deep or receiver.deep, receiver.deep) if all(m.plain for m in made) else OUTSIDE
        results: list[Value] = []
        for kind in [receiver.of] if receiver.of is not None else list(self._classes):
            function = vars_of(kind).get(name)
            if isinstance(function, staticmethod | classmethod):
                function = function.__func__
            if isinstance(function, types.FunctionType) and is_users_code(function.__code__):
                first: list[Value] = [Made(False, receiver.fresh, receiver.deep, of=kind)]
                results.append(self._call_function(scope, node, function, [*first, *values], keywords))
            elif function is not None:
                results.append(self._call_library(scope, node, function, given, {}))
        if results:
            return self._joined(results)
        return self._call_unknown(scope, node, [receiver, *given])

    def _changes_fresh(self, scope: Scope, node: ast.AST, given: list[Value]) -> Value:
        """Put values into a container of the call's own; they must not lead outside."""
        for value in given:
            if self._is_function(value):
                self._escapes(value)
            elif not self.blurred(value).deep:
                return self.refuse(
                    "unknown", scope, node, f"puts an object from outside into a container: `{_text(node)}`"
                )
        return PLAIN

    def _read_by_method(self, scope: Scope, node: ast.AST, given: list[Value]) -> None:
        for value in given:
            if self._is_function(value):
                self._escapes(value)
            elif isinstance(value, Known) and is_consumed(value.value):
                self.refuse("outside", scope, node, "hands over an iterator that was there before")

    def _construct(self, scope: Scope, node: ast.AST, kind: type, values: list[Value], keywords: Keywords) -> Value:
        if not is_users_class(kind):
            return self._call_library(scope, node, kind, values, keywords)
        given = [*values, *keywords.values()]
        if type(kind) is not type and is_users_class(type(kind)):
            return self.refuse("unknown", scope, node, f"makes a {kind.__name__}, whose metaclass is the user's")
        self._classes[kind] = None
        self._escaping(given)
        blurred = [self.blurred(value) for value in given]
        made = Made(plain=False, fresh=True, deep=all(value.deep for value in blurred), of=kind)
        if issubclass(kind, BaseException):
            return made
        for name in ("__new__", "__init__", "__post_init__"):
            function = _from_users_class(kind, name)
            if function is None or (name == "__post_init__" and not dataclasses.is_dataclass(kind)):
                continue
            if function.__code__.co_filename == "<string>":
                continue
            self._call_function(
                scope,
                node,
                function,
                [made, *([] if name == "__post_init__" else values)],
                {} if name == "__post_init__" else keywords,
            )
        return made

    def _super(self, scope: Scope, node: ast.AST, values: list[Value]) -> Value:
        owner = scope
        while owner.enclosing is not None and "__class__" not in owner.cells:
            owner = owner.enclosing
        if values and isinstance(values[0], Known) and isinstance(values[0].value, type) and len(values) > 1:
            return Super(values[0].value, values[1])
        cell = owner.cells.get("__class__")
        first = next(iter(owner.names.values()), None)
        if cell is None or first is None:
            return self.refuse("unknown", scope, node, "calls `super()` where the class is not known")
        return Super(cell.cell_contents, first)

    def _by_name(self, scope: Scope, node: ast.AST, function: Any, values: list[Value]) -> Value:
        """`getattr` and its siblings."""
        if function is setattr or function is delattr:
            if values and isinstance(values[0], Made) and values[0].fresh and not values[0].plain:
                return PLAIN
            return self.refuse("state", scope, node, f"calls `{_text(node)}`, which changes an attribute")
        name = values[1] if len(values) > 1 else OUTSIDE
        if not isinstance(name, Known) or type(name.value) is not str:
            if isinstance(values[0], Known) and not is_users_class(type(values[0].value)):
                return OUTSIDE
            return self.refuse(
                "unknown", scope, node, f"reads an attribute by a name that is not known: `{_text(node)}`"
            )
        if len(values) > 2 and isinstance(values[0], Known) and not hasattr(type(values[0].value), "__getattr__"):
            import inspect

            if inspect.getattr_static(values[0].value, name.value, None) is None:
                return values[2]
        return self.attribute(scope, node, values[0], name.value)


def _rebuilt(value: Value) -> Value:
    """An argument as JAX hands it on: containers that it knows are copies."""
    if not isinstance(value, Known) or value.rebuilt or is_immutable(value.value):
        return value
    return as_argument(value.value)


def as_argument(value: Any) -> Value:
    """An argument of a traced function: JAX rebuilds the containers that it knows, and puts tracers in for arrays."""
    import jax

    if is_array_of_jax(value):
        return PLAIN
    if isinstance(value, types.FunctionType | types.MethodType):
        return Known(value)
    leaves = jax.tree_util.tree_leaves(value)
    if len(leaves) == 1 and leaves[0] is value:
        return PLAIN if type(value).__module__ == "numpy" and hasattr(value, "dtype") else Known(value)
    return Known(value, rebuilt=True)


def _from_users_class(kind: type, name: str) -> types.FunctionType | None:
    """A method that a class of the user's has, not one of a library's base."""
    for base in kind.__mro__:
        found = vars(base).get(name)
        if isinstance(found, staticmethod):
            found = found.__func__
        if found is not None:
            found = getattr(found, "__wrapped__", found)
            return found if isinstance(found, types.FunctionType) and is_users_code(found.__code__) else None
    return None


def vars_of(kind: type) -> dict[str, Any]:
    """The attributes of a class and its bases."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        found.update(vars(base))
    return found


def _bind(
    node: FunctionNode, values: list[Value], keywords: Keywords, defaults: dict[str, Value], joined: Any
) -> dict[str, Value]:
    """The values of the parameters; one value for all where stars hide which is which."""
    arguments = node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    only = [argument.arg for argument in arguments.kwonlyargs]
    bound: dict[str, Value] = dict(defaults)
    if None in keywords:  # **values
        together = joined([*values[1:], *keywords.values()])
        bound = dict.fromkeys((*names, *only), together)
        bound.update(zip(names, values[:1], strict=False))
    else:
        bound.update(zip(names, values, strict=False))
        bound.update({name: value for name, value in keywords.items() if name is not None and name in (*names, *only)})
    rest = values[len(names) :]
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = _packed(rest, joined)
    if arguments.kwarg is not None:
        more = [value for name, value in keywords.items() if name not in (*names, *only)]
        bound[arguments.kwarg.arg] = _packed(more, joined)
    return {name: bound.get(name, OUTSIDE) for name in (*names, *only, *_starred(node))}


def _starred(node: FunctionNode) -> list[str]:
    return [star.arg for star in (node.args.vararg, node.args.kwarg) if star is not None]


def _packed(values: list[Value], joined: Any) -> Value:
    if any(isinstance(value, Local | Transformed | Method | Super) for value in values):
        joined(values if len(values) > 1 else [*values, PLAIN])
        return Made(plain=False, fresh=True, deep=False)
    known = [value for value in values if isinstance(value, Known)]
    if len(known) == len(values):
        return Known(tuple(value.value for value in known), all(value.rebuilt for value in known))
    found = joined(values)
    return Made(found.plain, True, found.deep) if isinstance(found, Made) else Made(False, True, False)


def _defaults(function: types.FunctionType) -> dict[str, Value]:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    positional = function.__defaults__ or ()
    found: dict[str, Value] = {
        name: Known(value) for name, value in zip(names[len(names) - len(positional) :], positional, strict=True)
    }
    found.update((name, Known(value)) for name, value in (function.__kwdefaults__ or {}).items())
    return found


def _count_of_parameters(function: Value) -> int:
    if isinstance(function, Local):
        return len(function.node.args.posonlyargs) + len(function.node.args.args)
    held = function.value if isinstance(function, Known) else getattr(function, "function", None)
    code = getattr(held, "__code__", None)
    count = code.co_argcount if isinstance(code, types.CodeType) else 1
    return count - 1 if isinstance(held, types.MethodType) or isinstance(function, Method) else count


def _is_array_result(function: Any) -> bool:
    """Whether a function of JAX gives new arrays when it is given arrays."""
    module = getattr(function, "__module__", None) or type(function).__module__
    return str(module).startswith(("jax", "optax", "einops")) and "tree" not in str(module)


def _package(function: Any) -> str:
    return str(getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]


def _is_none(value: Value) -> bool:
    return isinstance(value, Known) and value.value is None


def _writes(values: list[Value], keywords: Keywords) -> bool:
    mode = keywords.get("mode", values[1] if len(values) > 1 else Known("r"))
    return not (isinstance(mode, Known) and isinstance(mode.value, str) and set(mode.value) <= set("rbtU"))


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _text(node: ast.AST) -> str:
    """The text of an expression, at most 60 characters."""
    try:
        text = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    except Exception:
        return "…"
    return text if len(text) <= 60 else text[:59] + "…"


def is_plain_constant(value: Value) -> bool:
    """Whether a value is an exact builtin scalar."""
    return (
        isinstance(value, Known)
        and is_immutable(value.value)
        or isinstance(value, Known)
        and is_array_of_jax(value.value)
    )
