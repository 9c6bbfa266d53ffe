"""Decides whether an expression of an edited cell may be evaluated, and evaluates it.

An expression may be evaluated if this runs no user code and computes nothing: literals, names, attributes of modules,
and calls of those functions of JAX and functools that only wrap a function. The decision itself evaluates nothing.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any

from ..typed.targets_and_array_types import is_spec, spec_value

_LARGEST = 10**9
_NOTHING = object()
_TRANSFORMS = """jit vmap grad value_and_grad jacfwd jacrev jacobian hessian checkpoint remat custom_jvp custom_vjp
    custom_gradient named_call shard_map smap named_scope default_matmul_precision""".split()
_IN_CLASSES: tuple[Any, ...] = (staticmethod, classmethod, property)
#: The methods that set the rules of a function made by a decorator such as `custom_vjp` or `custom_vmap`.
_COMPLETES = frozenset(["defvjp", "defjvp", "defjvps", "def_vmap"])


class NotHarmless(Exception):
    """Raised for an expression that may not be evaluated; the message is the source text of the harmful part."""


class NotThere(Exception):
    """Raised for a name or an attribute that does not exist yet; the message is its source text."""


def check(node: ast.expr, names: Mapping[str, Any]) -> None:
    """Check that the expression may be evaluated; raise otherwise.

    Raises:
        NotHarmless: The evaluation could run code that is not known to be harmless.
        NotThere: A name does not exist.
    """
    match node:
        case ast.Constant():
            return
        case ast.Name() | ast.Attribute():
            _object(node, names)
        case ast.Tuple() | ast.List():
            for part in node.elts:
                check(part, names)
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if not isinstance(key, ast.Constant):
                    raise NotHarmless(_text(node))
                check(value, names)
        case ast.UnaryOp() | ast.BinOp():
            value_of(node, names)
        case ast.Lambda():
            for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                check(default, names)
        case ast.Call():
            check_wraps(node.func, names)
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                check(argument, names)
            if any(keyword.arg is None for keyword in node.keywords):
                raise NotHarmless(_text(node))
        case _:
            raise NotHarmless(_text(node))


def check_wraps(node: ast.expr, names: Mapping[str, Any]) -> None:
    """Check that calling the expression's value with a function, as a decorator, is harmless; raise otherwise.

    Raises:
        NotHarmless: The effects of such a call are unknown.
        NotThere: A name does not exist.
    """
    if isinstance(node, ast.Call):
        # The expression is a call that returns a decorator, such as jax.jit(static_argnames="n") or partial(jax.jit,
        # ...).
        check(node, names)
        if any(
            _object(node.func, names) is partial_type for partial_type in (functools.partial, functools.partialmethod)
        ):
            if not node.args:
                raise NotHarmless(_text(node))
            check_wraps(node.args[0], names)
        return
    if isinstance(node, ast.Attribute) and node.attr in _COMPLETES:
        if type(_object(node.value, names)).__module__.partition(".")[0] == "jax":
            return
        raise NotHarmless(_text(node))
    wrapper = _object(node, names)
    if not any(wrapper is allowed for allowed in _wrappers()):
        raise NotHarmless(_text(node))


def completes(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Return whether a statement such as `f.defvjp(forward, backward)` sets a rule, and may be executed."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _COMPLETES:
        return False
    try:
        check(node, names)
    except (NotHarmless, NotThere):
        return False
    return True


def is_plain_class(node: ast.ClassDef, names: Mapping[str, Any]) -> bool:
    """Return whether executing a class statement runs only code of Python's standard library."""
    try:
        bases = [_object(base, names) for base in node.bases]
        if node.keywords or any(base is not object and base is not typing.NamedTuple for base in bases):
            return False
        for decorator in node.decorator_list:
            decorator_function = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _object(decorator_function, names) is not dataclasses.dataclass:
                return False
            if isinstance(decorator, ast.Call):
                for keyword in decorator.keywords:
                    check(keyword.value, names)
        return all(_is_plain_member(member, names) for member in node.body)
    except (NotHarmless, NotThere):
        return False


def _is_plain_member(member: ast.stmt, names: Mapping[str, Any]) -> bool:
    match member:
        case ast.Pass():
            return True
        case ast.Expr():
            return isinstance(member.value, ast.Constant)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            check_definition(member, names, in_class=True)
            return True
        case ast.Assign() | ast.AnnAssign():
            targets = member.targets if isinstance(member, ast.Assign) else [member.target]
            if not all(isinstance(target, ast.Name) for target in targets):
                return False
            value = member.value
            if isinstance(value, ast.Call) and _object(value.func, names) is dataclasses.field:
                for keyword in value.keywords:
                    check(keyword.value, names)
            elif value is not None:
                check(value, names)
            return True
    return False


def check_definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef, names: Mapping[str, Any], *, in_class: bool = False
) -> None:
    """Check that the decorators and default values of a `def` statement may be evaluated; raise otherwise.

    Raises:
        NotHarmless: A decorator or a default may not be evaluated.
        NotThere: A name does not exist.
    """
    for decorator in node.decorator_list:
        if (
            in_class
            and isinstance(decorator, ast.Name)
            and any(_object(decorator, names) is allowed for allowed in _IN_CLASSES)
        ):
            continue
        check_wraps(decorator, names)
    for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
        if isinstance(default, ast.Call):
            raise NotHarmless(_text(default))
        check(default, names)


# --- the values of arguments ----------------------------------------------------------------------------------


def value_of(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the value of an argument that exists without computing: a literal, name, attribute, item or array type.

    Raises:
        NotHarmless: The value would have to be computed.
        NotThere: The value does not exist.
    """
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return _object(node, names)
        case ast.Attribute():
            return _attribute(value_of(node.value, names), node)
        case ast.Subscript():
            return _item(value_of(node.value, names), value_of(node.slice, names), node)
        case ast.Tuple():
            return tuple(value_of(part, names) for part in node.elts)
        case ast.List():
            return [value_of(part, names) for part in node.elts]
        case ast.Dict():
            if not all(isinstance(key, ast.Constant) for key in node.keys):
                raise NotHarmless(_text(node))
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            return dict(zip(keys, (value_of(value, names) for value in node.values), strict=True))
        case ast.UnaryOp() | ast.BinOp():
            return _number(node, names)
        case ast.Call() if is_spec(node):
            dtype, shape, weak = (value_of(argument, names) for argument in node.args)
            return spec_value(dtype, shape, weak)
    raise NotHarmless(_text(node))


def _number(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the value of an arithmetic expression of numbers; refuse one that would take long or much memory."""
    if isinstance(node, ast.UnaryOp):
        value = _plain_number(value_of(node.operand, names), node)
        match node.op:
            case ast.USub():
                return -value
            case ast.UAdd():
                return value
    elif isinstance(node, ast.BinOp):
        left = _plain_number(value_of(node.left, names), node)
        right = _plain_number(value_of(node.right, names), node)
        try:
            match node.op:
                case ast.Add():
                    return left + right
                case ast.Sub():
                    return left - right
                case ast.Mult():
                    return left * right
                case ast.Div():
                    return left / right
                case ast.FloorDiv():
                    return left // right
                case ast.Mod():
                    return left % right
                case ast.Pow() if abs(right) <= 64 and (isinstance(left, float) or abs(left) <= 1_024):
                    return left**right
        except ArithmeticError:
            raise NotHarmless(_text(node)) from None
    raise NotHarmless(_text(node))


def _plain_number(value: Any, node: ast.expr) -> Any:
    if type(value) is int and abs(value) <= _LARGEST**4:
        return value
    if type(value) in (float, bool):
        return value
    raise NotHarmless(_text(node))


def _object(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the object that a name, or an attribute of a module, refers to."""
    if isinstance(node, ast.Name):
        if node.id in names:
            return names[node.id]
        builtin = vars(sys.modules["builtins"]).get(node.id, _NOTHING)
        if builtin is _NOTHING:
            raise NotThere(node.id)
        return builtin
    if isinstance(node, ast.Attribute):
        owner = _object(node.value, names)
        if isinstance(owner, types.ModuleType):
            return _attribute(owner, node)
    raise NotHarmless(_text(node))


def _attribute(owner: Any, node: ast.Attribute) -> Any:
    """Return a stored attribute of an object; no property, descriptor or `__getattr__` runs."""
    if isinstance(owner, types.ModuleType):
        value = vars(owner).get(node.attr, _NOTHING)
        if value is _NOTHING:
            value = sys.modules.get(f"{owner.__name__}.{node.attr}", _NOTHING)
        if value is _NOTHING:
            raise NotThere(_text(node))
        return value
    kind: Any = type(owner)
    # A `__getattribute__` that a class defines in Python is code of the user, which must not run.
    if not isinstance(kind.__getattribute__, types.WrapperDescriptorType):
        raise NotHarmless(_text(node))
    fields = getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()
    if node.attr in fields:
        return tuple.__getitem__(owner, fields.index(node.attr))
    value = inspect.getattr_static(owner, node.attr, _NOTHING)
    if value is _NOTHING:
        raise NotThere(_text(node))
    if isinstance(value, types.MemberDescriptorType):
        return value.__get__(owner)
    if hasattr(type(value), "__get__") and not isinstance(value, types.FunctionType):
        raise NotHarmless(_text(node))
    if isinstance(value, types.FunctionType):
        return value.__get__(owner)
    return value


def _item(owner: Any, key: Any, node: ast.Subscript) -> Any:
    if type(owner) not in (dict, list, tuple) or type(key) not in (int, str):
        raise NotHarmless(_text(node))
    try:
        return owner[key]
    except (KeyError, IndexError, TypeError):
        raise NotThere(_text(node)) from None


def _text(node: ast.expr) -> str:
    return ast.unparse(node)


@functools.cache
def _wrappers() -> tuple[Any, ...]:
    """Return the functions that do nothing but wrap the function passed to them."""
    import jax

    transforms = [vars(jax).get(name) for name in _TRANSFORMS]
    batching = vars(jax.custom_batching).get("custom_vmap") if hasattr(jax, "custom_batching") else None
    of_python = (functools.partial, functools.partialmethod, functools.wraps, functools.lru_cache, functools.cache)
    other_wrappers = (jax.numpy.vectorize, functools.cached_property)
    return tuple(wrapper for wrapper in (*transforms, batching, *of_python, *other_wrappers) if wrapper is not None)
