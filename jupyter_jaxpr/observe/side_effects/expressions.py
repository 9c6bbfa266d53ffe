"""Finds the abstract value of an expression."""

from __future__ import annotations

import abc
import ast
import builtins
import inspect
import types
from typing import Any

from ...interruptions import not_of_a_signal
from . import sentences_on_side_effects as texts
from .analysed_function_calls import Calls
from .arguments_bound_to_parameters import Keywords
from .harmless_functions import is_array_of_jax, is_users_class
from .known_and_plain_values import (
    OUTSIDE,
    PLAIN,
    Known,
    Local,
    Made,
    Method,
    Scope,
    Transformed,
    Value,
    as_object,
    is_immutable,
    is_literal_true_or_false,
)

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.BitAnd: "and",
    ast.FloorDiv: "floordiv",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.In: "contains",
    ast.NotIn: "contains",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "bool",
}
_TEXT_OF_OBJECT = ("__format__", "__str__", "__repr__")
_TRUTH = ("__bool__", "__len__")
_INDEX = ("__index__", "__hash__", "__eq__", "__len__", "__iter__", "__getitem__", "__array__", "__jax_array__")
_FUNCTIONS = (Local, Transformed, Method)
_REVEALING = ("globals", "locals", "vars", "dir")
_ANYTHING = ("exec", "eval", "compile", "__import__")


class Expressions(Calls):
    """The part of the analysis that finds the abstract values of expressions."""

    def __init__(self, first: bool) -> None:
        super().__init__(first)
        # `_of_modules` has the attributes of the module with these global names.
        self._module: dict[str, Any] | None = None
        self._of_modules: dict[tuple[str, str], Value] = {}
        self._of_callees: dict[Any, Value] = {}

    def value_of(self, scope: Scope, node: ast.expr | None) -> Value:
        """Return the abstract value of an expression."""
        match node:
            case ast.Name():
                return self._name(scope, node)
            case ast.Call():
                return self._called(scope, node)
            case ast.Attribute():
                return self._attribute(scope, node)
            case None:
                return Known(None)
            case ast.Constant():
                return Known(node.value)
            case ast.BinOp():
                return self.operated(scope, node, node.op, [node.left, node.right])
            case ast.UnaryOp():
                return self._unary(scope, node)
            case ast.Compare():
                return self._compared(scope, node)
            case ast.BoolOp():
                values = [self.value_of(scope, part) for part in node.values]
                for value in values:
                    self._operator(scope, node, value, _TRUTH)
                return self._joined(values)
            case ast.IfExp():
                return self._chosen(scope, node)
            case ast.Subscript():
                return self._item(scope, node)
            case ast.Slice():
                for part in (node.lower, node.upper, node.step):
                    self.value_of(scope, part)
                return PLAIN
            case ast.Tuple() | ast.List() | ast.Set():
                return self._display(scope, node)
            case ast.Dict():
                keys = [self.value_of(scope, key) for key in node.keys if key is not None]
                for key in keys:
                    self._operator(scope, node, key, ("__hash__", "__eq__"))
                return self._container(scope, node, [self.value_of(scope, value) for value in node.values])
            case ast.JoinedStr():
                for part in node.values:
                    self.value_of(scope, part)
                return PLAIN
            case ast.FormattedValue():
                self._operator(scope, node, self.value_of(scope, node.value), _TEXT_OF_OBJECT)
                self.value_of(scope, node.format_spec)
                return PLAIN
            case ast.Lambda():
                defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None)]
                return Local(node, scope, tuple(self.value_of(scope, default) for default in defaults))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(scope, node)
            case ast.NamedExpr():
                value = self.value_of(scope, node.value)
                self._assign(scope, node.target, value)
                return value
            case ast.Starred():
                return self.elements(scope, node, self.value_of(scope, node.value))
            case ast.Yield():
                scope.returned.append(self.value_of(scope, node.value))
                return OUTSIDE
            case ast.YieldFrom():
                scope.returned.append(self.elements(scope, node, self.value_of(scope, node.value)))
                return OUTSIDE
            case _:  # an `await` or a template string: code that JAX can trace has neither
                return self.refuse("unknown", scope, node, texts.EXPRESSION_NOT_ANALYSED)

    def _assign(self, scope: Scope, target: ast.Name, value: Value) -> None:
        """Analyse `target := value`.

        Inside a comprehension, the name is bound in the function around the comprehension.
        """
        place = scope
        while place.enclosing is not None and place.returned is place.enclosing.returned:
            place = place.enclosing
        earlier = None if place is scope else place.names.get(target.id)
        self.bind(place, target, value if earlier is None else self._joined([earlier, value]))

    @abc.abstractmethod
    def bind(self, scope: Scope, target: ast.expr, value: Value) -> None:
        """Analyse the assignment of a value to a target."""

    # --- names ---

    def _name(self, scope: Scope, node: ast.Name) -> Value:
        value = self.look_up(scope, node.id)
        if value is None and self.raises(scope, node.id):
            return PLAIN
        if value is None:
            return self.refuse("unknown", scope, node, texts.sentence(texts.WITHOUT_VALUE, name=node.id))
        if isinstance(value, Known) and node.id in _REVEALING and value.value is getattr(builtins, node.id, None):
            return self.refuse(
                "unknown",
                scope,
                node,
                texts.sentence(texts.REACHES_ALL_VARIABLES, name=node.id),
            )
        if isinstance(value, Known) and node.id in _ANYTHING and value.value is getattr(builtins, node.id, None):
            return self.refuse(
                "outside",
                scope,
                node,
                texts.sentence(texts.CAN_CHANGE_ANYTHING, name=node.id),
            )
        return value

    def look_up(self, scope: Scope, name: str) -> Value | None:
        """Return the abstract value of a name; None if the name has no value."""
        place: Scope | None = scope
        while place is not None:
            if name in place.names and name not in place.outer:
                return place.names[name]
            if name in place.cells:
                try:
                    cell_content = place.cells[name].cell_contents
                except not_of_a_signal(ValueError):
                    return None
                return Known(cell_content)
            if place.enclosing is None:
                break
            place = place.enclosing
        module = scope.module
        if name in module:
            self._keep.append(module[name])
            return Known(module[name])
        builtin = vars(builtins).get(name, _MISSING)
        return None if builtin is _MISSING else Known(builtin)

    def _attribute(self, scope: Scope, node: ast.Attribute) -> Value:
        """Return the abstract value of `owner.name`.

        For a global module such as `jnp`, an attribute is looked up only once.
        """
        owner = node.value
        if type(owner) is not ast.Name or scope.enclosing is not None or owner.id in scope.names:
            return self.attribute(scope, node, self.value_of(scope, owner), node.attr)
        if self._module is not scope.module:
            self._module, self._of_modules = scope.module, {}
        known = self._of_modules.get((owner.id, node.attr))
        if known is not None and owner.id not in scope.cells:
            return known
        refusals = self.refusals
        owner_value = self.value_of(scope, owner)
        value = self.attribute(scope, node, owner_value, node.attr)
        is_of_module = isinstance(owner_value, Known) and isinstance(owner_value.value, types.ModuleType)
        if is_of_module and isinstance(value, Known) and self.refusals == refusals and owner.id not in scope.cells:
            self._of_modules[owner.id, node.attr] = value
        return value

    # --- operators ---

    def _operator(self, scope: Scope, node: ast.AST, value: Value, names: tuple[str, ...]) -> Value:
        """Analyse the special methods that an operator calls on an instance of a user class."""
        value = as_object(value)
        if isinstance(value, Made) and value.plain:
            return PLAIN
        if isinstance(value, _FUNCTIONS):
            return PLAIN
        return self.special(scope, node, value, names)

    def operated(self, scope: Scope, node: ast.AST, operator: ast.operator, operands: list[ast.expr]) -> Value:
        """Return the abstract value of a binary operator applied to two expressions."""
        values = [self.value_of(scope, operand) for operand in operands]
        return self.combined(scope, node, operator, values)

    def combined(self, scope: Scope, node: ast.AST, operator: ast.operator, values: list[Value]) -> Value:
        """Return the abstract value of a binary operator applied to abstract values."""
        name = _OPERATORS[type(operator)]
        methods: tuple[str, ...] = (f"__{name}__", f"__r{name}__")
        # the operator may format a string, which calls the `__str__` or `__repr__` of an operand
        if isinstance(operator, ast.Mod):
            methods += _TEXT_OF_OBJECT
        results = [self._operator(scope, node, value, methods) for value in values]
        operands = [self.blurred(value) for value in values]
        if all(value.plain for value in operands):
            deep = all(value.deep for value in operands)
            return Made(True, True, deep)
        return self._joined([result for result, value in zip(results, operands, strict=True) if not value.plain])

    def _unary(self, scope: Scope, node: ast.UnaryOp) -> Value:
        value = self.value_of(scope, node.operand)
        truth = is_literal_true_or_false(value)
        if isinstance(node.op, ast.Not):
            self._operator(scope, node, value, _TRUTH)
            return PLAIN if truth is None else Known(not truth)
        return self._operator(scope, node, value, (f"__{_OPERATORS[type(node.op)]}__",))

    def _compared(self, scope: Scope, node: ast.Compare) -> Value:
        values = [self.value_of(scope, part) for part in (node.left, *node.comparators)]
        result = _compare(node, values)
        if result is not None:
            return Known(result)
        if all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops):
            return PLAIN
        for operator in node.ops:
            name = _OPERATORS.get(type(operator))
            for value in values:
                if name is not None:
                    self._operator(scope, node, value, (f"__{name}__", "__eq__"))
                if name == "contains":
                    self._in(scope, node, value)
        return PLAIN

    def _in(self, scope: Scope, node: ast.AST, value: Value) -> None:
        if isinstance(value, Known) and hasattr(type(value.value), "__next__"):
            self.refuse("outside", scope, node, texts.TAKES_ELEMENTS)

    def truth(self, scope: Scope, node: ast.expr) -> bool | None:
        """Return the truth of a condition, or None if it is unknown.

        The special methods that Python calls for the condition, such as `__bool__`, are analysed.
        """
        value = self.value_of(scope, node)
        self._operator(scope, node, value, _TRUTH)
        return is_literal_true_or_false(value)

    def _chosen(self, scope: Scope, node: ast.IfExp) -> Value:
        match self.truth(scope, node.test):
            case True:
                return self.value_of(scope, node.body)
            case False:
                return self.value_of(scope, node.orelse)
            case _:
                return self._joined([self.value_of(scope, node.body), self.value_of(scope, node.orelse)])

    # --- containers ---

    def _item(self, scope: Scope, node: ast.Subscript) -> Value:
        owner, index = as_object(self.value_of(scope, node.value)), self.value_of(scope, node.slice)
        self.indexed(scope, node.slice, index)
        if isinstance(owner, Known):
            container = owner.value
            if is_immutable(container) or is_array_of_jax(container):
                return PLAIN
            if isinstance(container, type):
                class_method = inspect.getattr_static(container, "__class_getitem__", None)
                if isinstance(class_method, classmethod) and isinstance(class_method.__func__, types.FunctionType):
                    return self.call(
                        scope, node, Method(owner, "__class_getitem__", class_method.__func__), [index], {}
                    )
                return owner  # list[int] behaves like the class list
            if type(container) in (dict, list, tuple) and isinstance(index, Known) and is_immutable(index.value):
                try:
                    return self._element(owner, container[index.value])
                # The container lacks the element now: the analysed function stores the element before it reads the
                # element.
                except (LookupError, TypeError):
                    return Made(plain=not self._classes, fresh=True, deep=True) if owner.rebuilt else OUTSIDE
            if is_users_class(type(container)):
                class_method = type(container).__dict__.get("__missing__")
                if class_method is not None:
                    self.special(scope, node, owner, ("__missing__",))
                item = self.special(scope, node, owner, ("__getitem__",))
                if not isinstance(container, dict | list | tuple):
                    return item
            if type(container).__name__ == "defaultdict":
                return self.refuse("state", scope, node, texts.READS_DEFAULTDICT)
            if isinstance(container, dict):
                return self.elements(scope, node, Known(list(dict.values(container)), owner.rebuilt))
        if isinstance(owner, Made) and not owner.fresh and self._read_adds_keys:
            return self.refuse("state", scope, node, texts.MAY_ADD_MISSING_KEYS)
        if isinstance(owner, Made) and not owner.plain:
            self.special(scope, node, owner, ("__getitem__", "__missing__"))
        if not isinstance(owner, Known | Made):
            return OUTSIDE
        if isinstance(owner, Known) and not isinstance(owner.value, list | tuple | set):
            blurred_owner = self.blurred(owner)
            return Made(blurred_owner.plain, blurred_owner.deep, blurred_owner.deep)
        return self.elements(scope, node, owner)

    def indexed(self, scope: Scope, node: ast.expr, index: Value) -> None:
        """Analyse the special methods, such as `__hash__`, that a container calls on an index or a key."""
        parts = [index]
        if isinstance(node, ast.Slice):
            parts = [self.value_of(scope, part) for part in (node.lower, node.upper, node.step)]
        elif isinstance(node, ast.Tuple):
            for part in node.elts:
                self.indexed(scope, part, self.value_of(scope, part))
        for value in parts:
            self._operator(scope, node, value, _INDEX)

    def _display(self, scope: Scope, node: ast.Tuple | ast.List | ast.Set) -> Value:
        values = [self.value_of(scope, part) for part in node.elts]
        if isinstance(node, ast.Set):
            for value in values:
                self._operator(scope, node, value, ("__hash__", "__eq__"))
        return self._container(scope, node, values)

    def _container(self, scope: Scope, node: ast.AST, values: list[Value]) -> Value:
        """Return the abstract value of a new tuple, list, set or dict."""
        if isinstance(node, ast.Tuple) and values and all(isinstance(value, Known) for value in values):
            parts = tuple(value.value for value in values if isinstance(value, Known))
            self._keep.append(parts)
            return Known(parts, all(value.rebuilt for value in values if isinstance(value, Known)))
        functions = [value for value in values if self._is_function(value)]
        if functions:
            # The analysis does not remember the order of a container: code that gets the container may call any of its
            # functions.
            if len(functions) == len(values) and not any(map(_is_users_object, functions)):
                return Transformed(tuple(functions))
            for function in functions:
                self._escapes(function)
        elements = [self.blurred(value) for value in values]
        return Made(
            all(value.plain for value in elements), True, all(value.deep or _is_deep(value) for value in elements)
        )

    def _comprehension(self, scope: Scope, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        inner = Scope({}, frozenset(), scope, {}, scope.module, scope.file, scope.function, returned=scope.returned)
        for generator in node.generators:
            iterable = self.value_of(inner, generator.iter)
            self.bind(inner, generator.target, self.elements(inner, generator.iter, iterable))
            for condition in generator.ifs:
                self.truth(inner, condition)
        if isinstance(node, ast.DictComp):
            self.value_of(inner, node.key)
            element = self.value_of(inner, node.value)
        else:
            element = self.value_of(inner, node.elt)
        if self._is_function(element):
            return Transformed((element,))
        blurred_element = self.blurred(element)
        return Made(blurred_element.plain, True, blurred_element.deep)

    # --- calls ---

    def _called(self, scope: Scope, node: ast.Call) -> Value:
        callee = self.value_of(scope, node.func)
        values: list[Value] = []
        spread = False
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                starred_value = self.value_of(scope, argument.value)
                if isinstance(starred_value, Known) and type(starred_value.value) in (tuple, list):
                    values.extend(self._element(starred_value, part) for part in starred_value.value)
                    continue
                values.append(self.elements(scope, argument, starred_value))
                spread = True
            else:
                values.append(self.value_of(scope, argument))
        keywords: Keywords = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                starred_value = self.value_of(scope, keyword.value)
                if isinstance(starred_value, Known) and type(starred_value.value) is dict:
                    keywords.update(
                        {str(name): self._element(starred_value, part) for name, part in starred_value.value.items()}
                    )
                    continue
                keywords[None] = self.elements(scope, keyword.value, starred_value)
            else:
                keywords[keyword.arg] = self.value_of(scope, keyword.value)
        if spread:
            together = self._joined([*values, *keywords.values()])
            values, keywords[None] = [together] * len(values), together
        if keywords or not isinstance(callee, Known) or type(node.func) is not ast.Attribute:
            return self.call(scope, node, callee, values, keywords)
        # `_attribute` returns the same object for all places in the code, so the objects themselves are the key. A call
        # of `id` would be slow if Python code listens to audit events.
        key = (callee, *values)
        result = self._of_callees.get(key)
        if result is None:
            result = self.call(scope, node, callee, values, keywords)
            if self.is_result_known(callee.value, values):
                self._of_callees[key] = result
        return result


def _is_users_object(value: Value) -> bool:
    return isinstance(value, Known) and is_users_class(type(value.value))


def _is_deep(value: Made) -> bool:
    return value.fresh and value.deep


def _compare(node: ast.Compare, values: list[Value]) -> bool | None:
    """Return the result of a comparison of two known scalars; None if the result is unknown."""
    if len(values) != 2:
        return None
    first, second = values
    if not isinstance(first, Known) or not isinstance(second, Known):
        return None
    left, right = first.value, second.value
    operator = node.ops[0]
    if isinstance(operator, ast.Is):
        return left is right if right is None or left is None else None
    if isinstance(operator, ast.IsNot):
        return left is not right if right is None or left is None else None
    if not is_immutable(left) or not is_immutable(right) or isinstance(left, tuple | frozenset):
        return None
    result: Any = None
    try:
        if isinstance(operator, ast.Eq):
            result = left == right
        elif isinstance(operator, ast.NotEq):
            result = left != right
    except not_of_a_signal(Exception):
        return None
    return result if isinstance(result, bool) else None


_MISSING = object()
