"""Proves that the Python of a call changes nothing outside of the call, or finds the lines that may change something.

The analysis reads the syntax tree of the function and of the user functions that it calls, together with the objects
that exist: arguments, globals, closures. It runs no user code. A function is proven if it assigns only to its own names
and to objects that it made, and if it calls only functions that are proven or known to be harmless
(`harmless_functions`). The proof makes two assumptions: flattening and rebuilding a pytree class has no side effects,
and the packages listed in `harmless_functions` have none.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

from ...typed.syntax_nodes import add_parts
from . import sentences_on_side_effects as texts
from .arguments_bound_to_parameters import as_argument
from .expressions import Expressions
from .harmless_functions import is_users_class
from .known_and_plain_values import OUTSIDE, PLAIN, Known, Local, Made, Scope, Value, as_object
from .side_effect import NotProven, SideEffect
from .source_of_code_objects import FunctionNode

_PASSES = 4
#: Statements after which Python does not run the next statement of the block.
_ENDS = frozenset([ast.Return, ast.Raise, ast.Break, ast.Continue])
#: Statements that, in a `finally` block, drop an exception that was raised before.
_LEAVES = (ast.Return, ast.Break, ast.Continue)


def side_effects(
    fun: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    first: bool = False,
    live: bool = False,
    is_unmade: Callable[[str, str], bool] | None = None,
) -> tuple[SideEffect, ...]:
    """Return the changes that one more run of a call's Python may make; () where the call provably makes none.

    Args:
        fun: The called function.
        args: The positional arguments: values, or types such as `jax.ShapeDtypeStruct`.
        kwargs: The keyword arguments.
        first: True to stop at the first side effect.
        live: True for a live trace, the trace of a cell that has not run. Then code that computes arrays while JAX
            traces counts as a side effect, too, and so does code that catches every exception: such code would catch
            the exception that stops a live trace.
        is_unmade: Gets a file name and a name without a value that the code of the file reads; returns whether the
            code surely raises at this name. Without `is_unmade`, such a name counts as an unknown side effect.
    """
    analysis = _Analysis(first)
    analysis.is_unmade = is_unmade
    analysis.is_live = live
    scope = Scope({}, frozenset(), None, {}, {}, "", "")
    values = [as_argument(value) for value in args]
    keywords: dict[str | None, Value] = {name: as_argument(value) for name, value in kwargs.items()}
    try:
        analysis.call(scope, ast.Pass(lineno=0, col_offset=0), Known(fun), values, keywords)
    except NotProven:
        pass
    except RecursionError:
        return (SideEffect("unknown", "", 0, "", texts.TOO_DEEP),)
    return tuple(analysis.effects)


class _Analysis(Expressions):
    """The whole analysis: it examines statements, and inherits the parts for expressions, calls and attributes."""

    def body(self, scope: Scope, node: FunctionNode, code: CodeType | None) -> Value:
        """Analyse the body of a function, and return the abstract value of its result."""
        if isinstance(node, ast.Lambda):
            value = self.value_of(scope, node.body)
            return self._joined([*scope.returned, value]) if scope.returned else value
        if isinstance(node, ast.AsyncFunctionDef):
            return self.refuse(
                "unknown",
                scope,
                node,
                texts.sentence(texts.DEFINES_ASYNC_FUNCTION, name=node.name),
            )
        self._statements(scope, node.body)
        if _yields(node) if code is None else code.co_flags & inspect.CO_GENERATOR:
            result = self.blurred(self._joined(scope.returned))
            return Made(result.plain, True, result.deep)
        return self._joined(scope.returned) if scope.returned else Known(None)

    def _statements(self, scope: Scope, statements: Sequence[ast.stmt]) -> bool:
        """Analyse the statements of a block; return True if Python never reaches the end of the block."""
        return any(self._statement(scope, statement) for statement in statements)

    def _statement(self, scope: Scope, node: ast.stmt) -> bool:
        """Analyse a statement; return True if Python never runs the next statement of the block."""
        self.here = scope, node
        if isinstance(node, ast.If):
            return self._if(scope, node)
        self._simple(scope, node)
        return type(node) in _ENDS

    def _simple(self, scope: Scope, node: ast.stmt) -> None:
        match node:
            case ast.Expr():
                self.value_of(scope, node.value)
            case ast.Return():
                scope.returned.append(self.value_of(scope, node.value))
            case ast.Assign():
                value = self.value_of(scope, node.value)
                for target in node.targets:
                    self.bind(scope, target, value)
            case ast.AnnAssign():
                if node.value is not None:
                    self.bind(scope, node.target, self.value_of(scope, node.value))
            case ast.AugAssign():
                self._changed_in_place(scope, node)
            case ast.For():
                iterable = self.value_of(scope, node.iter)
                self._loop(scope, node, lambda: self.bind(scope, node.target, self.elements(scope, node, iterable)))
            case ast.While():
                self._loop(scope, node, lambda: self.truth(scope, node.test))
            case ast.With():
                self._with(scope, node)
            case ast.Try() | ast.TryStar():
                self._try(scope, node)
            case ast.FunctionDef():
                self._define(scope, node)
            case ast.Raise():
                self.value_of(scope, node.exc)
                self.value_of(scope, node.cause)
            case ast.Assert():
                self.truth(scope, node.test)
                self.value_of(scope, node.msg)
            case ast.Delete():
                for target in node.targets:
                    self._delete(scope, target)
            case ast.Global() | ast.Nonlocal():
                scope.outer.update(node.names)
            case ast.Import() | ast.ImportFrom():
                self._import(scope, node)
            case ast.Match():
                self._match(scope, node)
            case ast.Pass() | ast.Break() | ast.Continue():
                pass
            case _:  # class definitions and async statements are refused
                self.refuse("unknown", scope, node, texts.STATEMENT_NOT_ANALYSED)

    # --- assignments ---

    def bind(self, scope: Scope, target: ast.expr, value: Value) -> None:
        """Analyse `target = value`: an assignment to a part of an object from outside of the call is a side effect."""
        match target:
            case ast.Name():
                self._bind_name(scope, target, value)
            case ast.Tuple() | ast.List():
                self._unpack(scope, target, value)
            case ast.Starred():
                element = self.blurred(value)
                self.bind(scope, target.value, Made(element.plain, True, element.deep))
            case ast.Attribute():
                owner = self.value_of(scope, target.value)
                self.store(scope, target, owner, value, _short(target), target.attr)
            case ast.Subscript():
                owner = self.value_of(scope, target.value)
                self.indexed(scope, target.slice, self.value_of(scope, target.slice))
                self.store(scope, target, owner, value, _short(target))

    def _bind_name(self, scope: Scope, target: ast.Name, value: Value) -> None:
        if target.id in scope.outer:
            self._bind_outer(scope, target, value)
            return
        scope.names[target.id] = value

    def _bind_outer(self, scope: Scope, target: ast.Name, value: Value) -> None:
        place = scope.enclosing
        while place is not None:
            if target.id in place.names and target.id not in place.outer:
                place.names[target.id] = self._joined([place.names[target.id], value])
                return
            place = place.enclosing
        self.refuse(
            "state",
            scope,
            target,
            texts.sentence(texts.ASSIGNS_OUTSIDE_VARIABLE, name=target.id),
        )

    def _unpack(self, scope: Scope, target: ast.Tuple | ast.List, value: Value) -> None:
        if isinstance(value, Known) and type(value.value) in (tuple, list) and len(value.value) == len(target.elts):
            if not any(isinstance(part, ast.Starred) for part in target.elts):
                for part, element_value in zip(target.elts, value.value, strict=True):
                    self.bind(scope, part, self._element(value, element_value))
                return
        element = self.elements(scope, target, value)
        for part in target.elts:
            self.bind(scope, part, element)

    def store(
        self, scope: Scope, node: ast.AST, owner: Value, value: Value, name: str, attribute: str | None = None
    ) -> None:
        """Analyse `owner.attribute = value`; if `attribute` is None, `owner[...] = value`.

        Args:
            scope: The scope of the statement.
            node: The statement, or its target.
            owner: The abstract value of the object.
            value: The abstract value that is stored.
            name: The name of the changed part, as the code writes it.
            attribute: The name of the attribute; None for an item.
        """
        owner = as_object(owner)
        if isinstance(owner, Known) and not owner.rebuilt:
            self.refuse(
                "state",
                scope,
                node,
                texts.sentence(texts.CHANGES_PART, name=name),
            )
            return
        if isinstance(owner, Made) and not owner.fresh:
            text = texts.sentence(texts.MAY_CHANGE_PART, name=name)
            self.refuse("state", scope, node, text)
            return
        setters = ("__setattr__", "__delattr__") if attribute is not None else ("__setitem__", "__delitem__")
        if isinstance(owner, Made) and owner.of is not None:
            if attribute is not None:
                class_attribute = inspect.getattr_static(owner.of, attribute, None)
                if isinstance(class_attribute, property) or is_users_class(type(class_attribute)):
                    self.refuse(
                        "unknown",
                        scope,
                        node,
                        texts.sentence(texts.CHANGES_BY_PROPERTY, name=name),
                    )
            self.special(scope, node, owner, setters)
        if isinstance(owner, Made) and owner.plain and self._is_function(value):
            self._escapes(value)
            return
        is_instance = isinstance(owner, Made) and owner.of is not None
        if not is_instance and not self._is_function(value) and not self.blurred(value).deep:
            self.refuse(
                "unknown",
                scope,
                node,
                texts.sentence(texts.STORES_OBJECT, name=name),
            )

    def _changed_in_place(self, scope: Scope, node: ast.AugAssign) -> None:
        load = _as_load(node.target)
        before = self.value_of(scope, load)
        value = self.value_of(scope, node.value)
        owner = self.blurred(before)
        result = self.combined(scope, node, node.op, [before, value])
        if not owner.plain:
            name = type(node.op).__name__.lower()
            result = self.special(scope, node, before, (f"__i{_INPLACE.get(name, name)}__",))
        if not owner.fresh and not owner.deep:
            text = texts.sentence(texts.CHANGES_TARGET_IN_PLACE, target=_short(node.target))
            self.refuse("state", scope, node, text)
        self.bind(scope, node.target, result)

    def _delete(self, scope: Scope, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            if target.id in scope.outer:
                self.refuse(
                    "state",
                    scope,
                    target,
                    texts.sentence(texts.DELETES_OUTSIDE_VARIABLE, name=target.id),
                )
            return
        if isinstance(target, ast.Attribute | ast.Subscript):
            owner = self.value_of(scope, target.value)
            attribute = target.attr if isinstance(target, ast.Attribute) else None
            self.store(scope, target, owner, PLAIN, _short(target), attribute)

    # --- control flow ---

    def _if(self, scope: Scope, node: ast.If) -> bool:
        match self.truth(scope, node.test):
            case True:
                return self._statements(scope, node.body)
            case False:
                return self._statements(scope, node.orelse)
        before = dict(scope.names)
        body_ends = self._statements(scope, node.body)
        after, scope.names = scope.names, before
        orelse_ends = self._statements(scope, node.orelse)
        # Names that a branch with `break` assigned matter only after the loop. Merging them here makes the result more
        # cautious, never wrong.
        self._merge(scope, after)
        return body_ends and orelse_ends

    def _merge(self, scope: Scope, other_names: dict[str, Value]) -> bool:
        """Merge the names of another branch into the scope; return whether the value of a name changed."""
        changed = False
        for name, value in other_names.items():
            current = scope.names.get(name)
            joined = value if current is None else self._joined([current, value])
            if current is None or joined.key() != current.key():
                scope.names[name] = joined
                changed = True
        return changed

    def _loop(self, scope: Scope, node: ast.For | ast.While, step: Any) -> None:
        for _ in range(_PASSES):
            before = dict(scope.names)
            step()
            self._statements(scope, node.body)
            if not self._merge(scope, before) and all(
                name in before and before[name].key() == value.key() for name, value in scope.names.items()
            ):
                break
        else:
            for name, value in list(scope.names.items()):
                if not isinstance(value, Local):
                    scope.names[name] = self.blurred(value) if isinstance(value, Known | Made) else value
            step()
            self._statements(scope, node.body)
        self._statements(scope, node.orelse)

    def _with(self, scope: Scope, node: ast.With) -> None:
        for item in node.items:
            manager = self.value_of(scope, item.context_expr)
            entered = self.special(scope, node, manager, ("__enter__",)) if not _is_plain(manager) else PLAIN
            if isinstance(manager, Known):
                kind = type(manager.value)
                if kind.__module__.partition(".")[0] not in ("jax", "jaxlib", "contextlib"):
                    text = texts.sentence(texts.ENTERS_CONTEXT_MANAGER, manager=_short(item.context_expr))
                    self.refuse("unknown", scope, node, text)
            self.special(scope, node, manager, ("__exit__",))
            if item.optional_vars is not None:
                self.bind(scope, item.optional_vars, entered)
        self._statements(scope, node.body)

    def _try(self, scope: Scope, node: ast.Try | ast.TryStar) -> None:
        if self.is_live and any(isinstance(inner, _LEAVES) for part in node.finalbody for inner in ast.walk(part)):
            self.refuse("state", scope, node, texts.CATCHES_ALL)
        before = dict(scope.names)
        self._statements(scope, node.body)
        self._merge(scope, before)
        for handler in node.handlers:
            types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            caught = [self.value_of(scope, kind) for kind in types if kind is not None] or [Known(BaseException)]
            catches_all = any(_holds_every_exception(kind) for kind in caught)
            if self.is_live and catches_all and not isinstance(handler.body[-1], ast.Raise):
                self.refuse("state", scope, handler, texts.CATCHES_ALL)
            if handler.name is not None:
                scope.names[handler.name] = OUTSIDE
            self._statements(scope, handler.body)
            self._merge(scope, before)
        self._statements(scope, node.orelse)
        self._statements(scope, node.finalbody)

    def _match(self, scope: Scope, node: ast.Match) -> None:
        subject = self.value_of(scope, node.subject)
        before = dict(scope.names)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    blurred_subject = self.blurred(subject)
                    scope.names[name] = Made(blurred_subject.plain, blurred_subject.deep, blurred_subject.deep)
                if isinstance(pattern, ast.MatchClass):
                    for attribute in pattern.kwd_attrs:
                        self.attribute(scope, pattern, subject, attribute)
                    self.handed_over(scope, pattern, self.value_of(scope, pattern.cls))
                elif isinstance(pattern, ast.MatchValue):
                    self.handed_over(scope, pattern, self.value_of(scope, pattern.value))
            self.handed_over(scope, node, subject)
            if case.guard is not None:
                self.truth(scope, case.guard)
            self._statements(scope, case.body)
            self._merge(scope, before)

    def _define(self, scope: Scope, node: ast.FunctionDef) -> None:
        defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None)]
        value: Value = Local(node, scope, tuple(self.value_of(scope, default) for default in defaults))
        for decorator in reversed(node.decorator_list):
            value = self.call(scope, decorator, self.value_of(scope, decorator), [value], {})
        scope.names[node.name] = value

    def _import(self, scope: Scope, node: ast.Import | ast.ImportFrom) -> None:
        import sys

        for alias in node.names:
            module = node.module if isinstance(node, ast.ImportFrom) else alias.name
            if module is None or (isinstance(node, ast.ImportFrom) and node.level) or module not in sys.modules:
                self.refuse(
                    "state",
                    scope,
                    node,
                    texts.sentence(texts.IMPORTS_MODULE, module=module or alias.name),
                )
                continue
            if isinstance(node, ast.ImportFrom):
                imported = getattr(sys.modules[module], alias.name, _MISSING)
                if imported is _MISSING:
                    self.refuse(
                        "state",
                        scope,
                        node,
                        texts.sentence(texts.IMPORTS_NAME, name=alias.name, module=module),
                    )
                    continue
                scope.names[alias.asname or alias.name] = Known(imported)
            else:
                name = alias.asname or alias.name.partition(".")[0]
                scope.names[name] = Known(sys.modules[module if alias.asname else name])


_INPLACE = {
    "mult": "mul",
    "matmult": "matmul",
    "div": "truediv",
    "bitor": "or",
    "bitxor": "xor",
    "bitand": "and",
}
_MISSING = object()


def _yields(node: ast.FunctionDef) -> bool:
    waiting: list[Any] = list(node.body)
    while waiting:
        node_inside = waiting.pop()
        if isinstance(node_inside, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node_inside, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            add_parts(node_inside, waiting)
    return False


def _is_plain(value: Value) -> bool:
    return isinstance(value, Made) and value.plain


def _as_load(node: ast.expr) -> ast.expr:
    """Return an expression that reads the target of an in-place operator, such as `x[i]` in `x[i] += 1`."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    assert isinstance(node, ast.Subscript)
    return ast.copy_location(ast.Subscript(node.value, node.slice, ast.Load()), node)


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:59] + "…"


def _holds_every_exception(caught: Value) -> bool:
    """Return whether `except caught` catches exceptions of every class."""
    if not isinstance(caught, Known):
        return False
    return caught.value is BaseException or (type(caught.value) is tuple and BaseException in caught.value)
