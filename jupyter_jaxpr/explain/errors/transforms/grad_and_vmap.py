"""Explains an error of `grad` or `vmap`: the argument or result that the transform does not allow."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ..arguments.jit_arguments import packages_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, type_of_new_array, value_of
from ..failing_code.passed_arguments import passed_arguments
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .argnums import argnums_error
from .complex_losses import HOLOMORPHIC, complex_cures
from .has_aux import has_aux_cure, no_pair_error
from .in_axes import vmap_error
from .in_axes_written_out import entries_by_name
from .integer_leaves import float_leaves
from .leaves_without_gradient import without_others
from .losses_without_result import loss_without_result
from .transformed_calls import Applied

_INPUT = re.compile(r"^(?P<word>\w+) requires real-(?: or complex-)?valued inputs .*?, but got (?P<dtype>\w+)")
_OUTPUT = re.compile(r"^(?P<word>\w+) requires real-valued outputs .*?, but got (?P<dtype>\w+)")
_SCALAR = re.compile(
    r"^Gradient only defined for scalar-output functions\. "
    r"Output (?:had shape: (?P<shape>\([\d, ]*\))|was (?P<value>.*))",
    re.DOTALL,
)
_ARGNUMS = re.compile(
    r"^differentiating with respect to argnums=(?P<number>-?\d+|\([\d, -]+\)) requires at least (?P<least>\d+) "
    r"positional arguments to be passed by the caller, but got only (?P<count>\d+)"
)
_INDEX = re.compile(
    r"^Positional argument indices, .* but got value (?P<number>-?\d+) for len\(args\) == (?P<count>\d+)"
)
_NO_JAX_TYPE = re.compile(r"^Argument '.*' of type '?<class '(?:\w+\.)*(\w+)'>'? is not a valid JAX type", re.DOTALL)


def transform_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error of grad, value_and_grad, jacobian or vmap about the argument or result of the function."""
    if not isinstance(error, TypeError | ValueError):
        return None
    text = message_of(error).strip()
    if text.startswith("vmap in_axes must be") and (by_name := entries_by_name(raised)) is not None:
        return by_name
    if text.startswith("cannot unpack non-iterable function object") and raised is not None:
        return _uncalled(raised)
    call = Applied(raised)
    derivative_call = call.derivative
    if match := _INDEX.search(text):
        is_of_grad = derivative_call.option("argnums") is not None
        return argnums_error(derivative_call, match["number"], int(match["count"])) if is_of_grad else None
    if (no_pair := no_pair_error(derivative_call, text)) is not None:
        return no_pair
    if match := _INPUT.search(text):
        return _input(derivative_call, match["word"], match["dtype"])
    if match := _OUTPUT.search(text):
        transform_name = called(derivative_call.transform) or match["word"]
        title = f"jax.{transform_name} needs a float result, but {derivative_call.name} returns {match['dtype']}"
        if match["dtype"].startswith("complex"):
            derivative = derivative_call.with_option("holomorphic=True", "holomorphic", HOLOMORPHIC)
            cures = complex_cures(raised, derivative_call.function, derivative)
            return Explained(None, title, derivative_call.returns, tuple(cures))
        words = (
            "Comparisons and integers have no gradient. Return a float: for example, jax.nn.sigmoid(a - b) is a smooth "
            "form of a > b."
        )
        return Explained(None, title, derivative_call.returns, (FoundCure("a float result", None, words),))
    if (match := _NO_JAX_TYPE.search(text)) and call.call is not None and call.word:
        return _no_array(call, match[1], error)
    if text.startswith("iteration over a 0-d array") and raised is not None:
        return _unpacked(raised)
    if match := _SCALAR.search(text):
        return _scalar(derivative_call, match["shape"], match["value"])
    if match := _ARGNUMS.search(text):
        return argnums_error(derivative_call, match["number"], int(match["count"]))
    return vmap_error(call, text)


def _input(call: Applied, transform_name: str, dtype: str) -> Explained:
    number, path, leaf = call.leaf_of(dtype)
    transform_name = called(call.transform) or transform_name
    if number is None:
        title = f"jax.{transform_name} needs floats, but an argument of {call.name} is {dtype}"
        words = "Pass a float, or leave the position of the argument out of argnums."
        return Explained(None, title, _NO_GRADIENT, (FoundCure("a float", None, words),))
    name = call.argument(number) + path
    title = f"jax.{transform_name} needs a float, but the argument {name} of {call.name} is {dtype}"
    text = _NO_GRADIENT
    cure = FoundCure("a float", None, "Pass a float.")
    raised = call.raised
    if raised is not None and call.call is not None and number < len(call.call.args):
        node = call.call.args[number]
        source = raised.source(node)
        if isinstance(node, ast.Constant) and type(node.value) is int:
            code = f"{node.value}.0"
        elif path:
            code = None
            cure = float_leaves(raised, node, call.value(node), call.argument(number), name)
        elif not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute):
            code = None
        elif type(call.value(node)) is int:
            code = f"float({source})"
        else:
            code = f"{source}.astype(float)"
        kind = type_of(leaf) if leaf is not None else ""
        text += f" {name} is {kind}." if kind else ""
        if code is not None:
            cure = applied(FoundCure("a float", code, f"Pass {name} as a float."), [edit_of(raised, over(node, code))])
    others = _other_argnums(call, number, name) if not path and _is_one_array(call, number, leaf) else []
    if not path and _is_index(call, number):
        subject = "The function" if call.name == "the function" else call.name
        text = f"{text} {subject} uses {name} in an index, and an index must be an integer."
        words = f"Leave {name} out of argnums: write there the positions of the arguments that are floats."
        if raised is not None and call.call is not None and len(call.call.args) == 1:
            words = f"Make an array of floats an argument of {call.name}, and write its position in argnums."
        return call.explained(title, text, others or [FoundCure("argnums", None, words)])
    cures = [cure] if not _is_static(call, number) else []
    return call.explained(title, text, [*cures, *others])


def _is_one_array(call: Applied, number: int, leaf: Any) -> bool:
    """Return whether an argument is certainly a number or an array, not a tree that holds one.

    Args:
        call: The call of the transformed function.
        number: The position of the argument.
        leaf: The value of the number or of the array; None if unknown.
    """
    if leaf is not None or call.raised is None or call.call is None or number >= len(call.call.args):
        return leaf is not None
    return bool(type_of_new_array(call.raised, call.call.args[number]))


def _is_static(call: Applied, number: int) -> bool:
    """Return whether jit treats the argument as static: then even a float could not be differentiated."""
    function, name = call.function, call.argument(number)
    jits = list(map(ast.unparse, function.decorator_list)) if isinstance(function, ast.FunctionDef) else []
    names = [f"static_argnums={number}", f"static_argnums=({number},", f"'{name}'"]
    return any("static_arg" in text and any(part in text for part in names) for text in jits)


_NO_GRADIENT = "A derivative describes small changes of an argument, and an integer has no small changes."


def _other_argnums(call: Applied, number: int, name: str) -> list[FoundCure]:
    """Return the advice to leave an argument out of argnums, or to set argnums to the arguments that hold floats.

    The cure is never an edit: another argnums asks for another derivative, and only the user knows which is wanted.
    """
    return call.as_advice(_with_other_argnums(call, number, name))


def _with_other_argnums(call: Applied, number: int, name: str) -> list[FoundCure]:
    raised, option = call.raised, call.option("argnums")
    if raised is None or call.call is None:
        return []
    others = [other for other in call.argnums if other != number]
    if isinstance(option, ast.Tuple) and others and len(others) + 1 == len(option.elts):
        code = f"({', '.join(map(str, others))}{',' * (len(others) == 1)})"
        words = (
            f"Leave {name} out of argnums: the gradients are still a tuple, without the gradient with respect to "
            f"{name}."
        )
        return [applied(FoundCure("argnums", code, words), [edit_of(raised, over(option, code))])]
    floats = [place for place, node in enumerate(call.call.args) if place != number and _is_of_floats(call, node)]
    if option is not None or not floats:
        return []
    if len(floats) > 1:
        positions = f"({', '.join(map(str, floats))})"
        arguments = in_a_sentence([call.argument(place) for place in floats], len(floats))
        words = (
            f"With argnums={positions}, JAX differentiates with respect to {arguments}, and the gradient is a tuple. "
            "Leave out the position of an argument whose gradient is not needed."
        )
        return [call.with_option(f"argnums={positions}", "argnums", words)]
    is_tree = type(call.value(call.call.args[floats[0]])) in (dict, list, tuple)
    holds = "contains arrays of floats" if is_tree else "is an array of floats"
    words = f"With argnums={floats[0]}, JAX differentiates with respect to {call.argument(floats[0])}, which {holds}."
    return [call.with_option(f"argnums={floats[0]}", "argnums", words)]


def _is_of_floats(call: Applied, node: ast.expr) -> bool:
    """Return whether an argument certainly is an array of floats with at least one axis, or a container of these."""
    import jax

    value = call.value(node)
    if value is None and call.raised is not None:
        return type_of_new_array(call.raised, node).startswith(("f32[", "f64[")) and not isinstance(node, ast.Constant)
    leaves = jax.tree_util.tree_leaves(value) if type(value) in (dict, list, tuple) else [value]
    return (
        bool(leaves)
        and all(dtype_of(leaf).startswith("float") for leaf in leaves[:1_000])
        and any(getattr(leaf, "shape", ()) != () for leaf in leaves)
    )


def _is_index(call: Applied, number: int) -> bool:
    """Return whether the differentiated function uses an argument in an index, or as the indices of take."""
    function, name = call.function, call.argument(number)
    for node in ast.walk(function) if function is not None else ():
        indices: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            indices = [node.slice]
        elif isinstance(node, ast.Call) and called(node) in _TAKING:
            indices = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "indices")]
        if any(isinstance(part, ast.Name) and part.id == name for index in indices for part in ast.walk(index)):
            return True
    return False


#: Functions of jax.numpy whose second argument holds indices.
_TAKING = frozenset({"take", "take_along_axis"})


def _scalar(call: Applied, shape: str | None, value: str | None) -> Explained:
    raised = call.raised
    transform_name = called(call.transform) or (call.made.transform if call.made is not None else "grad")
    if value is not None and value.strip().startswith("None"):
        return loss_without_result(call, transform_name)
    at, function = call.definition or (raised, None)
    result = result_of(function)
    if value is not None and value.strip().startswith("("):
        cure = has_aux_cure(raised, call.transform, result)
        if call.made is not None and call.made.argnums in ((), (0,)) and cure.code is None and call.name.isidentifier():
            cure = replace(cure, code=f"jax.{transform_name}({call.name}, has_aux=True)")
        return call.explained(
            f"jax.{transform_name} needs one number, but {call.name} returns a tuple", call.returns, [cure]
        )
    kinds = {"{": "a dict", "[": "a list"}
    result_text = f"an array of the shape {shape}" if shape is not None else "something else"
    result_text = kinds.get((value or "").strip()[:1], result_text) if shape is None else result_text
    cures = []
    if at is not None and isinstance(result, ast.Dict) and len(result.values) == 1:
        number = at.source(result.values[0])
        words = f"{number} is the only value of the dict: return the value in place of the dict."
        cure = applied(FoundCure("the number", number, words), [edit_of(at, over(result, number))])
        title = f"jax.{transform_name} needs one number, but {call.name} returns a dict"
        return call.explained(title, call.returns, [cure])
    if at is not None and result is not None:
        simple = isinstance(result, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        reduction = "mean" if _OF_LOSS.search(getattr(function, "name", call.name)) else "sum"
        code = f"{at.source(result) if simple else f'({at.source(result)})'}.{reduction}()"
        words = _MEAN if reduction == "mean" else _SUM
        if not isinstance(raised, RaisedAt) or raised.around(ast.ClassDef) is not None:
            words = f"{words} {_RETURN.format(line=result.lineno, name=call.name, code=code)}"
        cures.append(applied(FoundCure(f".{reduction}()", code, words), [edit_of(at, over(result, code))]))
    else:
        cures.append(FoundCure(".sum()", None, "Reduce the result to one number, for example with .sum() or .mean()."))
    words = "jax.jacobian gives the derivative of each element of the result."
    if raised is not None and _rebinds_operand(raised):
        # No advice on jax.jacobian: a step such as w = w - rate * jax.grad(f)(w) needs a gradient of the shape of w.
        pass
    elif (
        raised is not None
        and call.transform is not None
        and call.transform_module == "jax"
        and transform_name == "grad"
    ):
        transform = call.transform.func
        code = f"{raised.source(transform).rpartition('.')[0] or 'jax'}.jacobian"
        # The derivative of all elements is another derivative than the gradient, so the cure is never an edit.
        jacobian = applied(FoundCure("jax.jacobian", code, words), [edit_of(raised, over(transform, code))])
        cures += call.as_advice([jacobian])
    elif transform_name == "grad":
        cures.append(FoundCure("jax.jacobian", None, words))
    return call.explained(
        f"jax.{transform_name} needs one number, but {call.name} returns {result_text}", call.returns, cures
    )


_SUM = (
    "The sum is one number. The gradient of the sum has the shape of the argument. If the elements belong to samples "
    "or examples, write .mean(): the gradient of the mean does not grow with their number."
)
_MEAN = "The mean is one number, whose gradient does not grow with the number of examples. The sum is one number, too."
_RETURN = "Return {code} in line {line} of {name}."
#: Names of functions whose elements are the losses of examples.
_OF_LOSS = re.compile(r"loss|mse|error|entropy|nll|cost|elbo|objective|risk")


def _rebinds_operand(raised: RaisedAt) -> bool:
    """Return whether code computes with the gradient and the argument, so that both must have one shape.

    The statement assigns to a name that it also reads, as in `w = w - rate * jax.grad(f)(w)`, or adds the gradient to
    the argument, as in `return w - rate * jax.grad(f)(w)`.
    """
    if _is_added_to_argument(raised):
        return True
    match raised.statement_of(raised.node):
        case ast.AugAssign():
            return True
        case ast.Assign(targets=targets, value=value):
            stored = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
            return any(isinstance(part, ast.Name) and part.id in stored for part in ast.walk(value))
    return False


def _is_added_to_argument(raised: RaisedAt) -> bool:
    node = raised.node
    nodes = node.args if isinstance(node, ast.Call) else []
    arguments = {part.id for argument in nodes for part in ast.walk(argument) if isinstance(part, ast.Name)}
    while isinstance(parent := raised.parents.get(id(node)), ast.BinOp | ast.UnaryOp):
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub):
            other = parent.left if parent.right is node else parent.right
            if any(isinstance(part, ast.Name) and part.id in arguments for part in ast.walk(other)):
                return True
        node = parent
    return False


def _no_array(call: Applied, class_name: str, error: BaseException) -> Explained | None:
    """Explains an argument that is not an array, or has a leaf that is not an array."""
    import jax

    raised, call_node = call.raised, call.call
    if raised is None or call_node is None:
        return None
    transform_name = call.word
    function = call.transform.args[0] if call.transform is not None and call.transform.args else None
    values = passed_arguments(error, raised)
    for number, node in enumerate(call_node.args):
        value = call.value(node)
        is_made_in_call = value is None and values is not None
        if value is None and values is not None:
            value = values[number]
        for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0][:1_000] if value is not None else ():
            if type(leaf).__name__ != class_name or (is_made_in_call and not path):
                continue
            # The parameter of a lambda has its name in the lambda only.
            is_lambda = isinstance(node, ast.Name) and isinstance(call.function, ast.Lambda)
            argument = raised.source(node) if is_lambda else call.argument(number)
            name = f"{argument}{jax.tree_util.keystr(path)}"
            title = f"jax.{transform_name} takes arrays, but {name} is a {class_name}"
            is_method = isinstance(function, ast.Attribute) and value_of(raised, function.value) is leaf
            if is_method and number == 0 and isinstance(function, ast.Attribute):
                source = raised.source(function)
                title = f"{source} has its object already, but the call passes the object {raised.source(node)}, too"
                argument_texts = [raised.source(argument) for argument in [*call_node.args[1:], *call_node.keywords]]
                code = f"{raised.source(call_node.func)}({', '.join(argument_texts)})"
                words = f"{source} is a method of an object: Python passes the object as self."
                cure = applied(FoundCure("without self", code, words), [edit_of(raised, over(call_node, code))])
                return call.explained(title, "", [cure])
            if (filtered := _filtered(call, value)) is not None:
                return call.explained(title, f"{call.argument(number)} is a module of equinox.", [filtered])
            words = f"Take {name} out of the arguments of the call: JAX can differentiate and map only arrays."
            cure = FoundCure("arrays alone", None, words)
            if not path and transform_name == "vmap" and (fixed := _fixed_argument(call, number)) is not None:
                return call.explained(title, "", [fixed])
            if path:
                is_of_floats = transform_name in _FILTERS and call.option("allow_int") is None
                cure = without_others(raised, node, value, argument, name, is_of_floats)
            return Explained(None, title, "", (cure,))
    return None


def _fixed_argument(call: Applied, number: int) -> FoundCure | None:
    """Return the cure jax.vmap(lambda x: f(x, "mean"))(x) for jax.vmap(f)(x, "mean")."""
    raised, call_node, transform = call.raised, call.call, call.transform
    if raised is None or call_node is None or transform is None or call_node.func is not transform:
        return None
    parameters = call.parameters[: len(call_node.args)]
    is_plain = len(transform.args) == 1 and isinstance(transform.args[0], ast.Name | ast.Attribute)
    nodes = [*call_node.args, *transform.args]
    if not is_plain or transform.keywords or call_node.keywords or any(isinstance(n, ast.Starred) for n in nodes):
        return None
    fixed = call_node.args[number]
    mapped = [parameter for place, parameter in enumerate(parameters) if place != number]
    read = {part.id for node in (fixed, *transform.args) for part in ast.walk(node) if isinstance(part, ast.Name)}
    if len(parameters) != len(call_node.args) or not mapped or read & set(mapped):
        return None
    passed_names = [raised.source(fixed) if place == number else name for place, name in enumerate(parameters)]
    function = f"lambda {', '.join(mapped)}: {raised.source(transform.args[0])}({', '.join(passed_names)})"
    arguments = [raised.source(node) for node in call_node.args if node is not fixed]
    code = f"{raised.source(transform.func)}({function})({', '.join(arguments)})"
    words = f"vmap maps only the arrays. The lambda passes the same {parameters[number]} to each call."
    return applied(FoundCure("a lambda", code, words), [edit_of(raised, over(call_node, code))])


_FILTERS = frozenset({"grad", "value_and_grad", "jacfwd", "jacrev", "hessian"})


def _filtered(call: Applied, value: Any) -> FoundCure | None:
    """Return the cure equinox.filter_grad for an equinox module.

    None for other values, or if the code does not import equinox.
    """
    raised, transform = call.raised, call.transform
    if raised is None or transform is None or "equinox" not in packages_of(value) or called(transform) not in _FILTERS:
        return None
    name = f"equinox.filter_{called(transform)}"
    words = f"{name} differentiates the arrays of floats in a module, and keeps everything else."
    equinox = next(
        (
            key
            for key, module in namespace(raised).items()
            if own_name(module, "__name__") == "equinox" and "." not in key
        ),
        None,
    )
    if call.option("argnums") is not None:
        words = (
            f"{name} differentiates the arrays of floats in the first argument, and keeps everything else. equinox has "
            "no argnums: make the module the first argument of the function."
        )
        return FoundCure(name, None, words)
    if equinox is None or call.transform_module != "jax":
        return FoundCure(name, None, words)
    code = f"{equinox}.filter_{called(transform)}"
    return applied(FoundCure(name, code, words), [edit_of(raised, over(transform.func, code))])


def _unpacked(raised: RaisedAt) -> Explained | None:
    """Explains gw, gb = jax.grad(loss)(w, b): without argnums, grad returns one gradient."""
    statement = raised.statement_of(raised.node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
        return None
    call = Applied(replace(raised, node=statement.value))
    names = len(statement.targets[0].elts)
    if called(call.transform) != "grad" or call.call is None or call.option("argnums") is not None:
        return None
    argument = call.argument(0)
    title = f"jax.grad gives one gradient here, with respect to {argument}, but the line has {names} names"
    words = "argnums names the positions of the arguments to differentiate. The result is then a tuple of gradients."
    option = f"argnums=({', '.join(map(str, range(names)))})"
    if names > len(call.call.args):
        return Explained(None, title, "", (FoundCure("argnums", None, words),))
    return call.explained(title, "", [call.with_option(option, "argnums", words)])


_TRANSFORMS = frozenset({"grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "jacobian", "hessian"})


def _uncalled(raised: RaisedAt) -> Explained | None:
    """Explains value, gradient = jax.value_and_grad(f), which does not call the function that the transform returns."""
    statement = raised.statement_of(raised.node)
    if not isinstance(statement, ast.Assign) or called(statement.value) not in _TRANSFORMS:
        return None
    source = raised.source(statement.value)
    transform_name = called(statement.value)
    words = f"{transform_name} returns a function. Call this function with the arguments, as in {source}(x)."
    title = f"{transform_name} returns a function, not the results of a call"
    return Explained(None, title, "", (FoundCure("the call", None, words),))
