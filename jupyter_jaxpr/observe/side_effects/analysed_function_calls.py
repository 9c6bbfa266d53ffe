"""Finds the abstract value of a call by analysing the code of the called function."""

from __future__ import annotations

import abc
import ast
import builtins
import copy
import functools
import types
from typing import Any

from ...interruptions import not_of_a_signal
from . import sentences_on_side_effects as texts
from .arguments_bound_to_parameters import Keywords, bind_parameters, count_of_parameters, defaults_of, rebuilt
from .harmless_functions import (
    SETS_ATTRIBUTES,
    is_consumed,
    is_effectful,
    is_function_of_jax,
    is_generated,
    is_jitted,
    is_users_callable,
    is_users_class,
    is_users_code,
    returns_shared,
    verdict,
    wrapper_is_known,
    writes_by_position,
)
from .known_and_plain_values import OUTSIDE, PLAIN, Choice, Known, Local, Made, Method, Scope, Super, Transformed, Value
from .method_and_class_calls import (
    Methods,
    advances_generator,
    call_text,
    changes_in_place,
    is_none,
    vars_of,
    writes_into_out,
)
from .methods_called_by_builtins import METHODS_OF_FUNCTION, READS_ELEMENTS
from .side_effect import Kind
from .source_of_code_objects import FunctionNode, function_node

_DEEPEST = 60
_LINEN = frozenset(["apply", "init", "init_with_output"])
_NO_RESULT_OF_ARGUMENTS = frozenset(map(id, (isinstance, issubclass, callable, len, id, hash, hasattr)))
_MAKES_CONTAINER = frozenset(
    map(id, (list, dict, set, tuple, frozenset, bytearray, sorted, zip, map, enumerate, filter, reversed, copy.copy))
)
# jax.debug.print and JAX's callback functions: they print, or call the callback, when the program runs, not in the
# trace.
_CALLED_LATER = frozenset(["debug_callback", "callback", "io_callback", "pure_callback", "debug_print"])
# Functions that return a new function, and do not call the function that they get.
_TRANSFORMS = frozenset(
    """vmap grad value_and_grad jit pmap checkpoint remat jacfwd jacrev jacobian hessian custom_jvp custom_vjp
    named_call shard_map vectorize partial wraps cache lru_cache filter_vmap filter_grad filter_value_and_grad
    filter_jit filter_checkpoint fun_remat custom_batching custom_vmap closure_convert_fun Partial cmp_to_key""".split()
)
_VERDICTS: dict[str, tuple[Kind, str]] = {
    "random": ("random", advances_generator("{name}")),
    "outside": (
        "outside",
        texts.CALLS_OUTSIDE,
    ),
    "settings": ("outside", texts.CHANGES_SETTINGS),
    "unknown": ("unknown", texts.UNKNOWN_EFFECTS),
}

_FUNCTIONS = (Local, Transformed, Method, Choice)

#: `jax.ensure_compile_time_eval`: within its block a traced function computes arrays, and JAX keeps these arrays as
#: long as the function exists.
_COMPUTES = "ensure_compile_time_eval"


class Calls(Methods):
    """The part of the analysis that examines the functions that a call runs."""

    def __init__(self, first: bool) -> None:
        super().__init__(first)
        self._results: dict[Any, Value] = {}
        # key of a call of a harmless library function that runs no user function -> the result of the call
        self._of_libraries: dict[Any, Value] = {}
        self._depth = 0

    def call(self, scope: Scope, node: ast.AST, callee: Value, values: list[Value], keywords: Keywords) -> Value:
        """Analyse the call `callee(*values, **keywords)`, and return the abstract value of its result."""
        if self._depth > _DEEPEST:
            return self.refuse("unknown", scope, node, texts.TOO_DEEP)
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
            case Choice():
                return self._joined(
                    [self.call(scope, node, function, values, keywords) for function in callee.functions]
                )
            case Super():
                return OUTSIDE
            case Made() if callee.of is not None:
                return self.special(scope, node, callee, ("__call__",))
            case Made() if callee.plain:
                self._escaping([*values, *keywords.values()])
                return PLAIN
            case _:
                return self._call_unknown(scope, node, [callee, *values, *keywords.values()])

    # --- calls of objects that existed before the call ---

    def _call_object(
        self, scope: Scope, node: ast.AST, function: Any, values: list[Value], keywords: Keywords
    ) -> Value:
        if isinstance(function, types.MethodType):
            receiver = Known(function.__self__)
            return self._call_object(scope, node, function.__func__, [receiver, *values], keywords)
        if isinstance(function, functools.partial):
            bound_keywords: Keywords = {name: Known(value) for name, value in function.keywords.items()}
            first = [Known(value) for value in function.args]
            return self._call_object(scope, node, function.func, [*first, *values], {**bound_keywords, **keywords})
        if isinstance(function, functools._lru_cache_wrapper):
            kind: Kind = "outside" if function.cache_info().currsize else "state"
            self.refuse(kind, scope, node, _keeps_results(_name(function)))
            return self._call_object(scope, node, function.__wrapped__, values, keywords)
        if is_jitted(function) or type(function).__module__.startswith("jax"):
            return self._call_library(scope, node, function, values, keywords)
        if isinstance(function, types.FunctionType):
            if not is_users_code(function.__code__):
                return self._call_library(scope, node, function, values, keywords)
            return self._call_function(scope, node, function, values, keywords)
        if function is builtins.super:
            return self._super(scope, node, values)
        if function is functools.partial and (transform := self._transform_with_options(values, keywords)) is not None:
            return transform
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
            method = vars_of(type(function)).get("__call__")
            if isinstance(method, types.FunctionType):
                return self._call_function(scope, node, method, [Known(function), *values], keywords)
        return self._call_library(scope, node, function, values, keywords)

    def _transform_with_options(self, values: list[Value], keywords: Keywords) -> Known | None:
        """Return the value of a partial of a transform with plain options, as in partial(jax.vmap, in_axes=1).

        The options change no side effect of the function that the transform gets later, so they are left out. None for
        other arguments.
        """
        match values:
            case [Known(value=types.FunctionType() as function)] if None not in keywords:
                if _package(function) != "jax" or not all(self.blurred(value).plain for value in keywords.values()):
                    return None
                if _name(function) == "pallas_call":  # with an option, the kernel gets new references to write into
                    return Known(functools.partial(function, out_shape=()))
                return Known(functools.partial(function)) if _name(function) in _TRANSFORMS else None
        return None

    def _call_function(
        self, scope: Scope, node: ast.AST, function: types.FunctionType, values: list[Value], keywords: Keywords
    ) -> Value:
        code = function.__code__
        wrapped = vars(function).get("__wrapped__")
        definition = function_node(code)
        if definition is None:
            # the method was generated by `dataclass` or `namedtuple`: it only reads or compares the fields
            if is_generated(function):
                for value in values:
                    self.handed_over(scope, node, self.blurred(value))
                return Made(plain=False, fresh=True, deep=False)
            self.refuse(
                "unknown",
                scope,
                node,
                texts.sentence(texts.WITHOUT_SOURCE, name=code.co_name),
            )
            return self._call_object(scope, node, wrapped, values, keywords) if callable(wrapped) else OUTSIDE
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        self._keep.append(function)
        defaults = defaults_of(function)
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
        names = bind_parameters(node, values, keywords, defaults, self._joined)
        keys_of_names = tuple(sorted((name, value.key()) for name, value in names.items()))
        key = (id(node), id(enclosing), tuple(id(cell) for cell in cells.values()), repr(keys_of_names))
        if key in self._results:
            return self._results[key]
        self._keep.extend(names.values())
        self._results[key] = OUTSIDE  # for a recursive call of the same function, the result is unknown
        file = code.co_filename if code is not None else enclosing.file if enclosing is not None else ""
        name = code.co_qualname if code is not None else getattr(node, "name", "<lambda>")
        inner = Scope(names, frozenset(), enclosing, cells, module, file, name)
        self._results[key] = self.body(inner, node, code)
        return self._results[key]

    @abc.abstractmethod
    def body(self, scope: Scope, node: FunctionNode, code: types.CodeType | None) -> Value:
        """Analyse the body of a function, and return the abstract value of its result.

        Args:
            scope: The scope of the function.
            node: The definition of the function.
            code: The code object of the function; None for a function that the analysed code defines.
        """

    # --- libraries ---

    def _call_library(
        self, scope: Scope, node: ast.AST, function: Any, values: list[Value], keywords: Keywords
    ) -> Value:
        passed = [*values, *keywords.values()]
        key = None
        if all(type(value) is Made for value in passed) and not is_users_class(type(function)):
            key = (id(function), *values, *keywords.items())
            earlier_result = self._of_libraries.get(key)
            if earlier_result is not None:
                return earlier_result
        refusals = self.refusals
        result = self._call_new(scope, node, function, values, keywords)
        if key is not None and self.refusals == refusals and not self.functions_of(function):
            self._of_libraries[key] = result
        return result

    def is_result_known(self, function: Any, values: list[Value]) -> bool:
        """Return whether a call of a library function with these values was analysed and found harmless before.

        Only library functions that contain no user function are remembered.
        """
        return (id(function), *values) in self._of_libraries

    def _call_new(self, scope: Scope, node: ast.AST, function: Any, values: list[Value], keywords: Keywords) -> Value:
        name = _name(function)
        judgement = verdict(function)
        arguments_passed = [*values, *keywords.values()]
        inner_functions = [Known(inner) for inner in self.functions_of(function)]
        if is_jitted(function) and not inner_functions:
            fun = getattr(function, "_fun", None)
            inner_functions = [Known(inner) for inner in self.functions_of(fun)] if callable(fun) else []
        if inner_functions and _package(function) != "builtins" and callable(getattr(function, "__wrapped__", None)):
            # In jax.jit(f) and jax.vmap(f), f gets the arguments of the call. The rules of a custom derivative get
            # other arguments.
            if not wrapper_is_known(function):
                text = texts.sentence(texts.UNKNOWN_WRAPPER, name=name)
                self.refuse("unknown", scope, node, text)
            if isinstance(function, functools._lru_cache_wrapper):
                self.refuse("state", scope, node, _keeps_results(name))
            self._entered(scope, node, function)
            if inner_functions[1:]:
                self._call_back(scope, node, tuple(inner_functions[1:]), arguments_passed)
            return self._call_transformed(scope, node, Transformed((inner_functions[0],)), values, keywords)
        if self.is_live and name == _COMPUTES and _package(function) == "jax":
            text = texts.sentence(texts.COMPUTES_ARRAYS, name=name)
            return self.refuse("state", scope, node, text)
        if judgement != "harmless" and not inner_functions:
            kind, text = _VERDICTS[judgement]
            if name == "open" and judgement == "outside" and not _writes(values, keywords):
                kind, text = "unknown", texts.READS_FILE
            self._escaping(arguments_passed)
            return self.refuse(kind, scope, node, texts.sentence(text, name=name))
        if name in _LINEN and str(getattr(function, "__module__", "")).startswith("flax.linen"):
            module = values[0] if values else OUTSIDE
            if isinstance(module, Known) and is_users_class(type(module.value)):
                return self._call_linen(scope, node, type(module.value), values[1:], keywords)
        if name in _CALLED_LATER and not inner_functions and _package(function) == "jax":
            return PLAIN
        out = keywords.get("out")
        if out is not None and not (isinstance(out, Known) and out.value is None):
            return self.refuse("state", scope, node, writes_into_out(name))
        if self._writes_into(function, values) or writes_by_position(function, values, keywords):
            return self.refuse("state", scope, node, changes_in_place(name))
        if name in SETS_ATTRIBUTES and any(isinstance(value, Known) for value in arguments_passed):
            return self.refuse(
                "state",
                scope,
                node,
                texts.sentence(texts.SETS_ATTRIBUTES_OF_ARGUMENT, name=name),
            )
        if name == "print" and "file" in keywords and not is_none(keywords["file"]):
            return self.refuse("outside", scope, node, texts.PRINTS_TO_FILE)
        for value in arguments_passed:
            self._handed_over(scope, node, function, value)
        functions = [function for value in arguments_passed for function in self._functions_in(value)]
        if name in _TRANSFORMS and not inner_functions and not functions and self._is_of_jax(name, values, keywords):
            return Transformed((values[0],))
        arguments = [value for value in arguments_passed if not self._is_function(value)]
        if functions and (not arguments or (name in _TRANSFORMS and not inner_functions)):
            return Transformed((*inner_functions, *functions))
        callbacks = (*inner_functions, *functions)
        results = self._call_back(scope, node, callbacks, arguments) if callbacks else None
        return self._result(function, arguments, results)

    def _is_of_jax(self, name: str, values: list[Value], keywords: Keywords) -> bool:
        """Return whether a transform gets a function of JAX; `partial` also binds arguments, which must be fresh."""
        if not values or not _is_function_of_jax(values[0]):
            return False
        bound = [*values[1:], *keywords.values()] if name in ("partial", "Partial") else []
        return all(_is_function_of_jax(value) or self.blurred(value).deep for value in bound)

    def _entered(self, scope: Scope, node: ast.AST, function: Any) -> None:
        """Analyse the `__enter__` and `__exit__` that a decorator of a context manager calls around a function."""
        for cell in getattr(function, "__closure__", None) or ():
            try:
                cell_content = cell.cell_contents
            except not_of_a_signal(ValueError):
                continue
            if is_users_class(type(cell_content)):
                self.special(scope, node, Known(cell_content), ("__enter__", "__exit__"))

    def _result(self, function: Any, arguments: list[Value], called_back: Value | None) -> Value:
        if id(function) in _NO_RESULT_OF_ARGUMENTS:
            return PLAIN
        if returns_shared(function):
            return OUTSIDE
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
        if type(value) is Made:
            return False
        if isinstance(value, _FUNCTIONS):
            return True
        if not isinstance(value, Known) or isinstance(value.value, type) or not callable(value.value):
            return False
        if is_users_callable(value.value) or self.functions_of(value.value):
            return True
        return is_effectful(value.value)

    def _functions_in(self, value: Value) -> list[Value]:
        """Return the functions that a library may call because it gets them as an argument.

        The argument is a function, or a container with functions.
        """
        if isinstance(value, Choice):
            return list(value.functions)
        if self._is_function(value):
            return [value]
        if isinstance(value, Known) and isinstance(value.value, tuple | list | dict):
            return [Known(inner) for inner in self.functions_of(value.value)]
        return []

    def _call_transformed(
        self, scope: Scope, node: ast.AST, callee: Transformed, values: list[Value], keywords: Keywords
    ) -> Value:
        """Analyse a call of a function such as `jax.vmap(f)`, in which `f` gets tracers for the arguments."""
        traced_values = [rebuilt(value) for value in values]
        named = {name: rebuilt(value) for name, value in keywords.items()}
        results = [self.call(scope, node, function, traced_values, named) for function in callee.functions]
        if len(results) == 1 and isinstance(results[0], Local | Transformed):
            return results[0]  # such as `partial(jax.vmap, in_axes=0)(f)`
        blurred_values = [self.blurred(value) for value in (*traced_values, *named.values(), *results)]
        plain, deep = all(value.plain for value in blurred_values), all(value.deep for value in blurred_values)
        return PLAIN if plain and deep else Made(plain, deep, deep)

    def _call_back(self, scope: Scope, node: ast.AST, functions: tuple[Value, ...], arguments: list[Value]) -> Value:
        """Analyse functions that a library calls with arguments of its own, such as the body of a scan."""
        blurred = [self.blurred(value) for value in arguments]
        plain = all(value.plain for value in blurred)
        deep = all(value.deep for value in blurred)
        part = PLAIN if plain and deep else Made(plain, deep, deep)
        results = []
        for function in functions:
            count = count_of_parameters(function)
            if isinstance(function, Known) and isinstance(function.value, types.FunctionType):
                results.append(self._call_function(scope, node, function.value, [part] * count, {}))
            else:
                results.append(self.call(scope, node, function, [part] * count, {}))
        return self._joined(results)

    def _handed_over(self, scope: Scope, node: ast.AST, function: Any, value: Value) -> None:
        """Analyse the methods of an argument that the library function `function` may call."""
        if isinstance(value, Known) and is_consumed(value.value) and function is not iter:
            self.refuse("outside", scope, node, texts.PASSES_ITERATOR)
        name = getattr(function, "__name__", "")
        if id(function) in METHODS_OF_FUNCTION:
            self.special(scope, node, value, METHODS_OF_FUNCTION[id(function)])
        elif name in READS_ELEMENTS and _package(function) == "builtins":
            self.elements(scope, node, value)
            self.handed_over(scope, node, value)
        else:
            self.handed_over(scope, node, value)

    def _writes_into(self, function: Any, values: list[Value]) -> bool:
        """Return whether a NumPy ufunc gets a positional `out` array, into which it writes its result."""
        count = getattr(function, "nin", None)
        return isinstance(count, int) and len(values) > count

    def _escaping(self, values: list[Value]) -> None:
        for value in values:
            if self._is_function(value):
                self._escapes(value)

    def _escapes(self, value: Value) -> None:
        """Analyse a function that is passed to unknown code, which may call it with any arguments."""
        if isinstance(value, Local):
            self._call_local(value, [OUTSIDE] * count_of_parameters(value), {})
        elif isinstance(value, Transformed):
            for function in value.functions:
                self._escapes(function)
        elif isinstance(value, Choice):
            for function in value.functions:
                self._escapes(function)
        elif self.here is not None and self._is_function(value):
            scope, node = self.here
            self.call(scope, node, value, [OUTSIDE] * count_of_parameters(value), {})

    def _call_unknown(self, scope: Scope, node: ast.AST, values: list[Value]) -> Value:
        """Analyse a call of an unknown object, which may call every function that it gets."""
        for value in values:
            if self._is_function(value):
                self._escapes(value)
        text = texts.sentence(texts.UNKNOWN_FUNCTION, call=call_text(node))
        return self.refuse("unknown", scope, node, text)


def _is_array_result(function: Any) -> bool:
    """Return whether a function of JAX returns new arrays when its arguments are arrays."""
    module = getattr(function, "__module__", None) or type(function).__module__
    return str(module).startswith(("jax", "optax", "einops")) and "tree" not in str(module)


def _is_function_of_jax(value: Value) -> bool:
    return isinstance(value, Known) and is_function_of_jax(value.value)


def _package(function: Any) -> str:
    return str(getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]


def _writes(values: list[Value], keywords: Keywords) -> bool:
    mode = keywords.get("mode", values[1] if len(values) > 1 else Known("r"))
    return not (isinstance(mode, Known) and isinstance(mode.value, str) and set(mode.value) <= set("rbtU"))


def _keeps_results(name: str) -> str:
    return texts.sentence(texts.KEEPS_RESULTS, name=name)


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__
