"""Finds the call of a transformed function, as in jax.vmap(f)(x): the transform, its options and its function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from types import FunctionType
from typing import Any

from ....jax.facts import is_jitted
from ....jax.transforms_around_function import Transformed, transformed_by
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.definitions import at_definition
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.module_names import namespace
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import dtype_of, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, result_of


class Applied:
    """The call of a transformed function, such as jax.grad(f)(x), and the transform, here jax.grad(f).

    Attributes:
        raised: The place where the error was raised.
        call: The call, jax.grad(f)(x).
        transform: The code jax.grad(f), if it is in the file of the call.
        decorated: The function under a decorator such as @jax.vmap.
        made: The transform and its options as JAX stores them, if its code is in another cell or file.
    """

    def __init__(self, raised: RaisedAt | None) -> None:
        self.raised = raised
        self.call = raised.node if raised is not None and isinstance(raised.node, ast.Call) else None
        self.transform: ast.Call | None = None
        self.decorated: ast.FunctionDef | None = None
        self.made: Transformed | None = None
        if raised is None or self.call is None:
            return
        mapped = self.call.func
        if isinstance(mapped, ast.Name):
            self.decorated, decorator = _decorated(raised, mapped.id)
            mapped = decorator or behind_name(raised, mapped)
        while called(mapped) == "jit" and isinstance(mapped, ast.Call) and mapped.args:
            mapped = mapped.args[0]
        if self.decorated is not None or called(mapped) in _TRANSFORMS:
            self.transform = mapped if isinstance(mapped, ast.Call) else None
        elif raised.frame is not None:
            function = value_of(raised, self.call.func)
            self.made = transformed_by(function.__wrapped__ if is_jitted(function) else function)

    @property
    def word(self) -> str:
        """The name of the transform, such as vmap, also of a decorator such as @jax.grad; empty without a transform."""
        if self.decorated is not None or self.transform is not None:
            return "vmap" if self.decorated is not None else called(self.transform)
        function = self.function
        for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else []:
            is_partial = isinstance(decorator, ast.Call) and called(decorator) == "partial" and bool(decorator.args)
            named = decorator.args[0] if is_partial and isinstance(decorator, ast.Call) else decorator
            name = ast.unparse(named).rpartition(".")[2]
            if name in _TRANSFORMS:
                return name
        return ""

    @property
    def derivative(self) -> Applied:
        """This call with grad or jacobian as the transform, in the place of a vmap around it; else this call.

        The vmap in jax.vmap(jax.grad(f)) passes on the positional arguments, each as one element.
        """
        inner: ast.expr | None = self.transform
        while self.raised is not None and called(inner) in ("vmap", "jit") and isinstance(inner, ast.Call):
            if not inner.args or self.decorated is not None:
                return self
            inner = behind_name(self.raised, inner.args[0])
        if inner is self.transform or called(inner) not in _TRANSFORMS or not isinstance(inner, ast.Call):
            return self
        derivative = copy(self)
        derivative.transform = inner
        return derivative

    @property
    def transform_module(self) -> str:
        """The module name in the code before the name of the transform, such as jax of jax.grad."""
        return ast.unparse(self.transform.func).rpartition(".")[0] if self.transform is not None else ""

    @property
    def function(self) -> AnyFunction | None:
        """The transformed function, if the code defines it."""
        if self.raised is None or self.decorated is not None:
            return self.decorated
        if self.transform is None and self.call is not None:
            function = function_of_text(self.raised, self.call.func)
            is_one = isinstance(function, ast.FunctionDef) and "grad" in " ".join(
                map(ast.unparse, function.decorator_list)
            )
            return function if is_one else None
        if self.transform is None or not self.transform.args:
            return None
        return function_of_text(self.raised, self.transform.args[0])

    @property
    def definition(self) -> tuple[RaisedAt, AnyFunction] | None:
        """The place and the def of the transformed function, which may be in another cell; None if unknown."""
        raised, function = self.raised, self.function
        if raised is None or function is not None:
            return None if raised is None or function is None else (raised, function)
        node = self.transform.args[0] if self.transform is not None and self.transform.args else None
        value = self.made.function if self.made is not None else None
        if isinstance(node, ast.Name | ast.Attribute) and raised.frame is not None:
            value = value_of(raised, node) or _method(raised, node)
        return at_definition(raised, value) if type(value) is FunctionType else None

    @property
    def name(self) -> str:
        """The name of the transformed function."""
        if self.decorated is not None:
            return self.decorated.name
        node = self.transform.args[0] if self.transform is not None and self.transform.args else None
        if node is None and isinstance(self.function, ast.FunctionDef):
            return self.function.name
        if self.made is not None and type(self.made.function) is FunctionType:
            name = own_name(self.made.function)
            return name if name and name.isidentifier() else "the function"
        if isinstance(node, ast.Attribute) and self.raised is not None and self.raised.frame is not None:
            return node.attr if _method(self.raised, node) is not None else "the function"
        return node.id if isinstance(node, ast.Name) else "the function"

    @property
    def parameters(self) -> list[str]:
        """The parameters of the transformed function."""
        function = self.function
        if function is not None:
            return [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
        if self.made is not None and type(self.made.function) is FunctionType:
            return parameters_of(self.made.function)
        node = self.transform.args[0] if self.transform is not None and self.transform.args else None
        if self.raised is not None and isinstance(node, ast.Name):
            return parameters_of(namespace(self.raised).get(node.id))
        if self.raised is not None and isinstance(node, ast.Attribute) and self.raised.frame is not None:
            method = _method(self.raised, node)
            holder = value_of(self.raised, node.value)
            if method is not None and type(vars(type(holder)).get(node.attr)) is FunctionType:
                return parameters_of(method)[1:]
            return parameters_of(method or value_of(self.raised, node))
        return []

    @property
    def returns(self) -> str:
        """The sentence that quotes the expression that the function returns."""
        place, function = self.definition or (None, None)
        result = result_of(function)
        if place is None or result is None:
            return ""
        name = f"{self.name[0].upper()}{self.name[1:]}" if self.name.startswith("the ") else self.name
        source = " ".join(place.source(result).split())
        if isinstance(function, ast.FunctionDef) and self.name.isidentifier() and function.name != self.name:
            # The code passes the function under another name, such as f in minimize(f, x).
            return f"{name} is the function {function.name}, which returns {source} (line {result.lineno})."
        return f"{name} returns {source} (line {result.lineno})."

    def argument(self, number: int) -> str:
        """Return the parameter for the positional argument with this number, or else the code that the call passes."""
        parameters = self.parameters
        if number < len(parameters):
            return parameters[number]
        node = self.call.args[number] if self.call is not None and number < len(self.call.args) else None
        is_named = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
        return self.raised.source(node) if self.raised is not None and is_named and node is not None else str(number)

    def option(self, name: str) -> ast.expr | None:
        """Return the value of an option of the transform, such as argnums; None without the option."""
        if self.transform is None:
            return None
        return next((keyword.value for keyword in self.transform.keywords if keyword.arg == name), None)

    def leaf_of(self, dtype: str) -> tuple[int | None, str, Any]:
        """Return the first differentiated leaf that may have this dtype: its argument number, its path and its value.

        The number is None if the leaf may be in several arguments, whose dtypes are unknown.
        """
        import jax

        numbers = self.argnums
        arguments = self.call.args if self.call is not None else []
        unknown = []
        for number in numbers:
            node = arguments[number] if number < len(arguments) else None
            value = self.value(node) if node is not None else None
            for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0][:1_000] if value is not None else ():
                if (dtype_of_number(leaf) or dtype) == dtype:
                    return number, jax.tree_util.keystr(path), leaf
            for path_text, element in _elements(node) if value is not None else ():
                if self.raised is not None and type_of_new_array(self.raised, element).startswith(_short(dtype)):
                    return number, path_text, None
            new_type = type_of_new_array(self.raised, node) if self.raised is not None and node is not None else ""
            if value is None and (not new_type or new_type.startswith(_short(dtype))):
                unknown.append(number)
        return (unknown[0] if len(unknown) == 1 else numbers[0] if len(numbers) == 1 else None), "", None

    @property
    def argnums(self) -> list[int]:
        """The positions of the differentiated arguments; 0 without the option argnums."""
        if self.made is not None and self.made.argnums:
            return [*self.made.argnums]
        option = self.option("argnums")
        nodes = [option] if not isinstance(option, ast.Tuple | ast.List) else option.elts
        return [
            element.value for element in nodes if isinstance(element, ast.Constant) and type(element.value) is int
        ] or [0]

    def value(self, node: ast.expr) -> Any:
        """Return the value of an argument expression."""
        match node:
            case ast.Constant(value=constant):
                return constant
            case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
                pairs = zip(keys, values, strict=True)
                return {key.value: self.value(value) for key, value in pairs if isinstance(key, ast.Constant)}
            case ast.List(elts=elements):
                return [self.value(element) for element in elements]
            case ast.Tuple(elts=elements):
                return tuple(self.value(element) for element in elements)
        return value_of(self.raised, node) if self.raised is not None and self.raised.frame is not None else None

    def with_option(self, keyword: str, name: str, text: str) -> FoundCure:
        """Return a cure that adds an option to the transform."""
        if self.raised is None or self.transform is None:
            return FoundCure(name, None, text)
        source = self.raised.source(self.transform)
        code = f"{source[:-1].rstrip().rstrip(',')}, {keyword})"
        cure = applied(FoundCure(name, code, text), [edit_of(self.raised, over(self.transform, code))])
        return cure

    def as_advice(self, cures: list[FoundCure]) -> list[FoundCure]:
        """Return the cures that passed their trial as advice with code, without an edit."""
        tried = cures if self.raised is None else passed(self.raised, cures)
        return [replace(shown(cure), level="advice", edits=()) for cure in tried]

    def explained(self, title: str, text: str, cures: list[FoundCure]) -> Explained:
        """Return the explanation, with the cures that passed their trial."""
        return Explained(None, title, text, tuple(cures if self.raised is None else passed(self.raised, cures)))


_TRANSFORMS = frozenset("grad value_and_grad vmap jacobian jacfwd jacrev hessian".split())


def _method(raised: RaisedAt, node: ast.expr) -> FunctionType | None:
    """Return the function of a method or a static method such as self.loss, which the class of the object defines."""
    if not isinstance(node, ast.Attribute):
        return None
    holder = value_of(raised, node.value)
    found = vars(type(holder)).get(node.attr)
    function = found.__func__ if type(found) is staticmethod else found
    return function if type(function) is FunctionType else None


def _decorated(raised: RaisedAt, name: str) -> tuple[ast.FunctionDef | None, ast.Call | None]:
    """Return the def of this name and its decorator, if the decorator is vmap with options.

    Return (None, None) otherwise.
    """
    function = function_of_text(raised, name)
    if not isinstance(function, ast.FunctionDef):
        return None, None
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            is_partial = called(decorator) == "partial" and bool(decorator.args)
            maps = decorator.args[0] if is_partial else decorator.func
            if ast.unparse(maps).rpartition(".")[2] == "vmap":
                return function, decorator
    return None, None


def _elements(node: ast.expr | None, path: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Yield the path and the expression of each leaf of a container that the code writes out, such as {"w": x}."""
    match node:
        case ast.Dict(keys=keys, values=elements):
            texts = [repr(key.value) if isinstance(key, ast.Constant) else "" for key in keys]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            texts = list(map(str, range(len(elements))))
        case ast.expr():
            yield path, node
            return
        case _:
            return
    for text, element in zip(texts, elements, strict=True):
        if text:
            yield from _elements(element, f"{path}[{text}]")


def short_dtype(dtype: str) -> str:
    """Return the short form of a dtype that types in the panel have: i32 for int32."""
    return dtype.replace("uint", "u").replace("int", "i").replace("float", "f").replace("complex", "c")


def _short(dtype: str) -> str:
    """Return the beginning of a type in the panel: the short form of a dtype and a bracket, "i32[" for int32."""
    return f"{short_dtype(dtype)}["


def dtype_of_number(value: Any) -> str:
    """Return the dtype that JAX gives a number of Python, or the dtype of an array; empty for any other value."""
    return {bool: "bool", int: "int32", float: "float32", complex: "complex64"}.get(type(value)) or dtype_of(value)
