"""Explains a name that has the whole result of a call, such as the pair from `opt.update`, where one part is needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .arrays_in_trees import arrays_in_tree
from .jit_arguments import packages_of
from .static_argument_edits import parameters_of
from .tree_differences import with_article

_TAKES_ARRAYS = re.compile(r"requires ndarray or scalar arguments, got <class '")
#: Name of a method -> the library whose objects have the method.
_METHODS_OF = {"update": "optax", "apply": "flax"}
#: Functions that take several pytrees of equal structure.
_TAKE_TREES = frozenset({"map", "tree_map", "apply_updates"})
#: Methods of optax and flax whose first argument is the gradient.
_TAKE_GRADIENTS = frozenset({"update", "apply_gradients"})
_SUBSCRIPT = re.compile(r"^tuple indices must be integers or slices, not ")


@dataclass(frozen=True)
class _Parts:
    """For a function that returns a tuple: the name of each element in code, and in a sentence."""

    names: tuple[str, ...]
    words: tuple[str, ...]


#: Name of a function -> the elements of its result.
_KNOWN = {
    "update": _Parts(("updates", "state"), ("the updates", "the new state of the optimizer")),
    "value_and_grad": _Parts(("value", "gradient"), ("the value", "the gradient")),
    "vjp": _Parts(("value", "pullback"), ("the value", "the function that computes the gradient")),
    "checkify": _Parts(("error", "result"), ("the error of the checks", "the result")),
    "jvp": _Parts(("value", "tangent"), ("the value", "the tangent")),
    "scan": _Parts(("carry", "ys"), ("the last carry", "the stacked outputs of the steps")),
    "apply": _Parts(("output", "changed"), ("the output", "the changed collections of variables")),
    "eigh": _Parts(("eigenvalues", "eigenvectors"), ("the eigenvalues", "the eigenvectors")),
    "eig": _Parts(("eigenvalues", "eigenvectors"), ("the eigenvalues", "the eigenvectors")),
    "qr": _Parts(("q", "r"), ("Q", "R")),
    "slogdet": _Parts(("sign", "logarithm"), ("the sign", "the logarithm")),
    "svd": _Parts(("u", "s", "vh"), ("U", "the singular values", "the conjugate transpose of V")),
    "top_k": _Parts(("values", "indices"), ("the values", "the indices")),
}


def whole_result_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `updates = opt.update(g, state)` and then `w + updates`: the result is a pair."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError | AttributeError | ValueError):
        return None
    for name in _names(error, raised):
        read = name
        if (behind := _gradient_behind(raised, name)) is not None:
            name = behind
        value = value_of(raised, name)
        if not isinstance(value, tuple) or not 2 <= len(value) <= 8 or not any(map(_is_array_or_tree, value)):
            continue
        if _is_own_tree(value) or _has_equal_tree(raised, name, value):
            # the operands are meant to be pytrees, as in a call of jax.tree.map, so no unpacking is missing
            return None
        made = _made_by(raised, name.id)
        is_gradient = behind is not None or called(raised.node) in _TAKE_GRADIENTS
        if made is not None and not (is_gradient and _parts(made.at, made.call, value) is None):
            explained = _explained(name.id, value, made)
            if behind is not None and explained is not None:
                sentence = f"Line {behind.lineno} computes {read.id} from {behind.id}."
                explained = replace(explained, text=f"{explained.text} {sentence}")
            return explained
    return None


def _names(error: BaseException, raised: RaisedAt) -> Iterator[ast.Name]:
    """Yield the names that the failing expression reads as arrays."""
    import jax

    node, text = raised.node, " ".join(message_of(error).split())
    nodes: list[ast.expr] = []
    attribute = node.func if isinstance(node, ast.Call) else node
    match node:
        case ast.BinOp(left=left, right=right):
            nodes = [left, right]
        case ast.AugAssign(target=target, value=operand):
            nodes = [operand, target]
        case ast.Compare(left=left, comparators=comparators):
            nodes = [left, *comparators]
        case ast.UnaryOp(operand=operand):
            nodes = [operand]
        case ast.Subscript(value=holder) if _SUBSCRIPT.search(text):
            nodes = [holder]
        case ast.Call(args=arguments) if _TAKES_ARRAYS.search(text):
            nodes = arguments
        case ast.Call(args=arguments) if called(node) in _TAKE_TREES:
            nodes = [argument for argument in arguments if _has_element_like(raised, argument, arguments)]
        case ast.Call(func=ast.Attribute(value=holder), args=arguments, keywords=options) if (
            called(node) in _TAKE_GRADIENTS
        ):
            nodes = [*arguments[:1], *(option.value for option in options if option.arg in ("updates", "grads"))]
            others = [holder, *arguments[1:], *(option.value for option in options)]
            nodes = [argument for argument in nodes if _has_element_in(raised, argument, others)]
    if (
        isinstance(error, AttributeError)
        and isinstance(attribute, ast.Attribute)
        and hasattr(jax.Array, attribute.attr)
    ):
        nodes = [attribute.value]
    yield from (part for part in nodes if isinstance(part, ast.Name))


def _is_array_or_tree(value: Any) -> bool:
    import jax

    return any(dtype_of(leaf) for leaf in jax.tree_util.tree_leaves(value)[:1_000])


def _has_element_like(raised: RaisedAt, node: ast.expr, arguments: list[ast.expr]) -> bool:
    """Return whether an element of a tuple has the same pytree structure as another argument of the call."""
    import jax

    value = value_of(raised, node)
    trees = [
        jax.tree_util.tree_structure(value_of(raised, argument))
        for argument in arguments
        if argument is not node and _is_array_or_tree(value_of(raised, argument))
    ]
    return isinstance(value, tuple) and any(jax.tree_util.tree_structure(element) in trees for element in value)


def _has_element_in(raised: RaisedAt, node: ast.expr, others: list[ast.expr]) -> bool:
    """Return whether an element of a tuple has the same structure and shapes as a part of another argument.

    For example, gradients have those of the moments in the state of an optimizer.
    """
    value = value_of(raised, node)
    parts = [part for other in others if other is not node for part in _parts_of_state(value_of(raised, other))]
    return isinstance(value, tuple) and any(
        _is_array_or_tree(element) and _shapes(element) == _shapes(part) for element in value for part in parts
    )


def _parts_of_state(value: Any, depth: int = 5) -> Iterator[Any]:
    """Yield a value and, recursively, the elements and the attributes of the value."""
    yield value
    kind = type(value)
    inside: list[Any] = list(value.values()) if kind is dict else []
    if kind is list or isinstance(value, tuple):
        inside = list(value)
    elif kind is not dict and not dtype_of(value):
        inside = list(instance_dict(value).values())
    for part in inside[:_MOST_PARTS] if depth else ():
        yield from _parts_of_state(part, depth - 1)


_MOST_PARTS = 20
_ONE_NAME_EACH = "one name for each value of the tuple"


def _shapes(tree: Any) -> tuple[Any, list[Any]]:
    import jax

    leaves, structure = jax.tree_util.tree_flatten(tree)
    return structure, [getattr(leaf, "shape", ()) for leaf in leaves]


def _gradient_behind(raised: RaisedAt, name: ast.Name) -> ast.Name | None:
    """Return the gradient g in the last `updates, state = opt.update(g, state)`, where `updates` is the given name."""
    if raised.loops is None or not isinstance(value_of(raised, name), tuple):
        return None
    found: list[ast.Name] = []
    for node in ast.walk(raised.loops.module):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=first), _])], value=ast.Call(args=[ast.Name() as gradient, *_])
            ) if first == name.id and node.lineno < raised.place.line and called(node.value) == "update":
                found.append(gradient)
    return max(found, key=lambda gradient: gradient.lineno, default=None)


def _is_own_tree(value: tuple[Any, ...]) -> bool:
    """Return whether a value is a named tuple of a user's class, such as the parameters of a model."""
    return type(value) is not tuple and not (own_name(type(value), "__module__") or "").startswith("jax")


def _has_equal_tree(raised: RaisedAt, name: ast.Name, value: Any) -> bool:
    """Return whether another name in the whole expression has a tuple of the same pytree structure.

    Then both tuples are meant as pytrees, and the user did not forget to unpack a result.
    """
    import jax

    node: ast.AST = name
    while isinstance(outer := raised.parents.get(id(node)), ast.expr):
        node = outer
    trees = [jax.tree_util.tree_structure(value)]
    return any(
        isinstance(operand, tuple) and jax.tree_util.tree_structure(operand) in trees
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and part.id != name.id
        for operand in (value_of(raised, part),)
    )


@dataclass(frozen=True)
class _Made:
    """The assignment that bound a name to the whole result of a call.

    Attributes:
        target: The name on the left of the `=`.
        call: The call on the right.
        is_again: True for `x = f(x)`: the next iteration passes the whole result of the call where an array is needed.
        in_frame: The assignment is in the function of the place, so one trial can trace both.
        at: The failing line, or the call that passed the whole result as an argument.
    """

    target: ast.Name
    call: ast.Call
    is_again: bool
    in_frame: bool
    at: RaisedAt


def _made_by(raised: RaisedAt, name: str) -> _Made | None:
    assert raised.frame is not None
    scope = raised.function if isinstance(raised.function, ast.FunctionDef) else None
    if raised.function is None or scope is not None:
        made = _last_call(raised, scope, name, raised.place.line)
        if made is not None:
            return made
    # The name may be a parameter: the caller passed the whole result as an argument.
    if raised.function is None or not raised.callers or raised.loops is None:
        return None
    caller = raised.callers[-1]
    names = [argument.arg for argument in raised.function.args.args]
    if name not in names:
        return None
    at = at_caller(raised, caller)
    around = at.function
    if at.loops is None or isinstance(around, ast.Lambda):
        return None
    for call in ast.walk(at.loops.module):
        if not isinstance(call, ast.Call) or not call.lineno <= caller.f_lineno <= (call.end_lineno or call.lineno):
            continue
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        for argument in arguments:
            if isinstance(argument, ast.Name) and _is_passed(raised, caller, call, argument, name):
                return _last_call(at, around, argument.id, caller.f_lineno)
    return None


def _is_passed(raised: RaisedAt, caller: FrameType, call: ast.Call, argument: ast.Name, name: str) -> bool:
    """Return whether a call passes a tuple as the given parameter of the failing function."""
    assert raised.function is not None
    if not isinstance(caller.f_locals.get(argument.id), tuple):
        return False
    names = [parameter.arg for parameter in raised.function.args.args]
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    return keywords.get(name) is argument or (argument in call.args and call.args.index(argument) == names.index(name))


def _last_call(raised: RaisedAt, scope: ast.FunctionDef | None, name: str, line: int) -> _Made | None:
    """Return the last assignment `name = call(...)` up to a line.

    None if a later statement gives the name another value.
    """
    if raised.loops is None:
        return None
    body: list[ast.stmt] = scope.body if scope is not None else raised.loops.module.body
    nodes = [
        node
        for node in _nodes_of_scope(body)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) and node.lineno <= line
    ]
    target = max(nodes, key=lambda node: node.lineno, default=None)
    statement = raised.parents.get(id(target)) if target is not None else None
    if target is None or not isinstance(statement, ast.Assign) or statement.targets != [target]:
        return None
    call = statement.value
    if not isinstance(call, ast.Call):
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    is_again = any(isinstance(argument, ast.Name) and argument.id == name for argument in arguments)
    return _Made(target, call, is_again, True, raised)


def _nodes_of_scope(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a block, without the nodes of its functions and classes."""
    nodes: list[ast.AST] = list(body)
    while nodes:
        node = nodes.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            nodes += ast.iter_child_nodes(node)


def _explained(name: str, value: tuple[Any, ...], made: _Made) -> Explained | None:
    raised = made.at
    source = " ".join(raised.source(made.call).split())
    if len(source) > 60:
        inner = made.call.func
        source = f"{called(inner)}(...)(...)" if isinstance(inner, ast.Call) else f"{called(made.call)}(...)"
    parts = _parts(raised, made.call, value)
    number_of_values = len(value)
    kind_of_result = "pair" if number_of_values == 2 else f"tuple of {number_of_values} values"
    types = [type_of(element) or _kind(element) for element in value]
    text = f"{source} returns {_listed(types)}."
    if parts is not None:
        title = f"{name} is a {kind_of_result}: {_listed(list(parts.words))}"
        return Explained(None, title, text, tuple(_cures(name, value, made, parts)))
    title = f"{name} is a {kind_of_result}, the whole result of {source}"
    if not any(map(type_of, value)) and (arrays := arrays_in_tree(name, value)) is not None:
        return Explained(None, title, arrays[0], (arrays[1],))
    return Explained(None, title, text, tuple(_cures(name, value, made, None)))


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _kind(value: Any) -> str:
    return "None" if value is None else with_article(type(value).__name__)


def _parts(raised: RaisedAt, call: ast.Call, value: tuple[Any, ...]) -> _Parts | None:
    """Return the names of the elements in a result of JAX or of a library such as optax.

    None if the function is unknown.
    """
    transform = _transform(raised, call)
    name = called(transform or call)
    parts = _KNOWN.get(name)
    if name == "grad" and transform is not None and _has_aux(transform):
        parts = _Parts(("gradient", "auxiliary"), ("the gradient", "the auxiliary value"))
    if name == "grad" and transform is not None and parts is None:
        parts = _of_several_arguments(raised, transform)
    if parts is None or len(parts.names) != len(value):
        return None
    if name in _METHODS_OF:
        holder = value_of(raised, call.func.value) if isinstance(call.func, ast.Attribute) else None
        return parts if _METHODS_OF[name] in packages_of(holder) else None
    function = value_of(raised, (transform or call).func)
    # `value_of` may not find a function in a module, such as lax.scan; an unknown module counts as JAX's.
    return parts if (own_name(function, "__module__") or "jax").startswith("jax") else None


def _of_several_arguments(raised: RaisedAt, transform: ast.Call) -> _Parts | None:
    """Return the gradients of jax.grad(f, argnums=(0, 2)), one for each argument; None for another argnums."""
    argnums = [option.value for option in transform.keywords if option.arg == "argnums"] or transform.args[1:2]
    try:
        numbers = ast.literal_eval(argnums[0]) if argnums else ()
    except not_of_a_signal(ValueError):
        return None
    parameters = parameters_of(value_of(raised, transform.args[0])) if transform.args else []
    if not isinstance(numbers, tuple) or not all(
        type(place) is int and 0 <= place < len(parameters) for place in numbers
    ):
        return None
    names = [parameters[place] for place in numbers]
    return _Parts(
        tuple(f"gradient_{name}" if place else "gradient" for place, name in enumerate(names)),
        tuple(f"the gradient for {name}" for name in names),
    )


def _has_aux(transform: ast.Call) -> bool:
    options = [option.value for option in transform.keywords if option.arg == "has_aux"]
    return any(isinstance(option, ast.Constant) and option.value is True for option in options)


def _transform(raised: RaisedAt, call: ast.Call) -> ast.Call | None:
    """Return the call that made the called function, such as jax.grad(f) in jax.jit(jax.grad(f))(x)."""
    made = behind_name(raised, call.func)
    while called(made) == "jit" and isinstance(made, ast.Call) and made.args:
        made = made.args[0]
    return made if isinstance(made, ast.Call) else None


def _cures(read: str, value: tuple[Any, ...], made: _Made, parts: _Parts | None) -> Iterator[FoundCure]:
    raised, name = made.at, made.target.id
    words = "Write a name for each value of the tuple on the left of the =."
    places = [place for place, element in enumerate(value) if _is_array_or_tree(element)]
    # a name such as `g` or `grads` is the beginning of the word gradient (without the s), so the gradient is wanted
    if parts is not None:
        alike = [place for place in places if parts.names[place].startswith(name.removesuffix("s"))]
        places = alike if len(alike) == 1 else places
    if made.in_frame and not made.is_again:
        cures = []
        for place in places:
            code = _names_of_values(raised, name, len(value), place, made, parts)
            if code is not None:
                cure = FoundCure(_ONE_NAME_EACH, code, words)
                edits = [edit_of(raised, over(made.target, code))]
                cures += passed(raised, [(chosen if "REST" in code else applied)(cure, edits)])
        if len(cures) == 1:
            # the cure has no code, because there was no trial
            if cures[0].code is None and parts is not None and len(places) == 1:
                left = _names_of_values(raised, name, len(value), places[0], made, parts)
                code = None if left is None or "REST" in left else f"{left} = {raised.source(made.call)}"
                cures = [replace(cures[0], code=code)]
            yield cures[0]
            return
    code = None
    if parts is None and not made.is_again and all(dtype_of(element) for element in value):
        yield FoundCure(_ONE_NAME_EACH, None, words)
        words = f"If {read} is a tree, such as the parameters of a model, compute with each array through jax.tree.map."
        yield FoundCure("jax.tree.map", None, words)
        return
    if parts is not None and not set(parts.names) & raised.module_names:
        code = f"{', '.join(parts.names)} = {' '.join(raised.source(made.call).split())}"
    yield FoundCure(_ONE_NAME_EACH, code, words)


def _names_of_values(
    raised: RaisedAt, name: str, number: int, place: int, made: _Made, parts: _Parts | None
) -> str | None:
    """Return a left side that unpacks the tuple, so that `name` gets the element at `place`, such as `REST, state`.

    The user replaces the word REST. None if there is no such left side.
    """
    if parts is not None:
        names = list(parts.names)
        if called(made.call) == "update" and len(made.call.args) > 1 and isinstance(made.call.args[1], ast.Name):
            names[1] = made.call.args[1].id
        elif set(names) - {name} & raised.module_names:
            names = ["REST"] * number
        names[place] = name
        return None if names.count("REST") > 1 else ", ".join(names)
    if number == 2:
        return f"{name}, REST" if place == 0 else f"REST, {name}"
    return f"{name}, *REST" if place == 0 else f"*REST, {name}" if place == number - 1 else None
