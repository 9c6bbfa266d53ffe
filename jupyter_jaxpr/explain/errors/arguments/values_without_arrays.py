"""Explains operations on a function, None, a Pallas reference or a list where an array is needed."""

from __future__ import annotations

import ast
import re
import types
from dataclasses import replace
from typing import Any

from ....jax.facts import is_jitted
from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....observe.user_or_library.library_functions import is_of_jax as is_function_of_jax
from ....plain_text import message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax, was_raised_in_jax
from ..failing_code.return_values import function_of_text, missing_return
from .missing_attributes import missing_attribute
from .none_in_trees import none_of_the_caller
from .unpacked_results import UNPACKED, number_unpacked, unpacked_result

_NONE_AS_OPERAND = "{source} is None, but {operator} needs an array"
_OPERANDS = re.compile(
    r"^unsupported operand type\(s\) for (\S+)(?: or pow\(\))?: '(?:\w+\.)*(\w+)' and '(?:\w+\.)*(\w+)'"
)
_ARGUMENT = re.compile(r"^(\w+) requires ndarray or scalar arguments, got <class '(?:\w+\.)*(\w+)'> at position (\d+)")
_REFERENCE = re.compile(
    r"^'AbstractRef' object has no attribute '_(\w+)'|(\w+) got a Ref of type"
    r"|.* 'DynamicJaxprTracer' and 'DynamicJaxprTracer'"
)
_NO_FIELD = re.compile(r"^'(tuple|list)' object has no attribute '(\w+)'")
_NO_ATTRIBUTE = re.compile(r"^'[\w.]+' object has no attribute '(\w+)'")
_OF_NONE = re.compile(
    r"'NoneType' object (?:has no attribute|is not)|non-iterable NoneType object|got <class 'NoneType'>"
)
_NOT_ARRAY = re.compile(
    r"^(?P<name>\w+) requires ndarray or scalar arguments, got <class '(?:\w+\.)*(?P<kind>\w+)'> at position \d+"
    r"|^Argument '.*' of type '?<class '(?:\w+\.)*(?P<other>\w+)'>'? is not a valid JAX type",
    re.DOTALL,
)
_UNCALLED = re.compile(
    r"^object of type '(?:function|method)' has no len|^'(?:function|method)' object (?:is not|has no attr)"
)
_NO_ARRAYS = re.compile(r"^Need at least one array to (?:stack|concatenate)")
_NO_LENGTH = re.compile(r"^object of type '(?:generator|map|zip|filter)' has no len")
_OF_ITERATOR = re.compile(
    r"^Error interpreting argument to <function \w+ at \w+> as an abstract array\. The problematic value is of type "
    r"<class '(?P<kind>generator|map|zip|filter)'>|^Value '<(?P<other>generator|map|zip|filter) object "
)
_OF_OPTIMIZER = re.compile(r"^'function' object has no attribute '(init|update)'")
_LISTED = frozenset(
    {"generator", "set", "frozenset", "map", "zip", "filter", "dict_values", "dict_keys", "deque", "reversed"}
)
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_OF_FUNCTIONS = frozenset({"function", "method", "builtin_function_or_method", "PjitFunction"})


def python_value_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an operation on a value that is no array: `x.sum * 2`, `None + x`, `x_ref * 2`, `pair.shape`."""
    if raised is None or raised.frame is None or raised.node is None:
        return None
    text = message_of(error).strip()
    if isinstance(error, AttributeError | TypeError | ValueError) and _REFERENCE.match(text):
        if (reference := _reference(raised)) is not None:
            return reference
    if isinstance(error, AttributeError) and (match := _NO_FIELD.match(text)) and called(raised.node) == "chain":
        if (chain := _listed_chain(raised)) is not None:
            return chain
    if isinstance(error, AttributeError) and (match := _NO_FIELD.match(text)) and raised.in_trace | touches_jax(error):
        return _container(raised, match[1], match[2])
    if isinstance(error, AttributeError | TypeError) and _OF_NONE.search(text):
        if (missing := _no_return(raised)) is not None:
            return missing
    if isinstance(error, AttributeError) and (match := _OF_OPTIMIZER.match(text)):
        return _uncalled_optimizer(raised, match[1])
    if isinstance(error, AttributeError) and (match := _NO_ATTRIBUTE.match(text)):
        return missing_attribute(raised, match[1])
    if isinstance(error, ValueError) and (match := UNPACKED.match(text)):
        return unpacked_result(raised, match[1], match[2])
    if isinstance(error, ValueError) and _NO_ARRAYS.match(text) and (iterator := _iterator(raised)) is not None:
        return iterator
    if not isinstance(error, TypeError):
        return None
    if text == "iteration over a 0-d array" and (number := number_unpacked(raised)) is not None:
        return number
    if _NO_LENGTH.match(text) and was_raised_in_jax(error) and (iterator := _iterator(raised)) is not None:
        return iterator
    if (iterated := _OF_ITERATOR.match(text)) and _calls_jax(raised):
        makes_array = called(raised.node) in ("array", "asarray")
        explained = _iterator(raised) if makes_array else _not_array(raised, iterated["kind"] or iterated["other"])
        return None if explained is None else replace(explained, text="JAX cannot make an array from an iterator.")
    if match := _OPERANDS.search(text):
        kinds = {match[2], match[3]}
        if kinds & _OF_FUNCTIONS and (touches_jax(error) or _has_method(raised)):
            return _uncalled_function(raised, match[1], _operand_nodes(raised))
        if "NoneType" in kinds:
            return _none_operand(raised, match[1], touches_jax(error) or raised.in_trace)
    if not touches_jax(error):
        return None
    if _UNCALLED.search(text) and isinstance(raised.node, ast.Call):
        return _uncalled_function(
            raised,
            called(raised.node),
            [argument for argument in raised.node.args if isinstance(argument, ast.Name | ast.Attribute)],
        )
    if (match := _NOT_ARRAY.search(text)) and (
        listed := _not_array(raised, match["kind"] or match["other"])
    ) is not None:
        return listed
    if (match := _ARGUMENT.search(text)) and match[2] in ("method", "builtin_function_or_method"):
        nodes = raised.node.args if isinstance(raised.node, ast.Call) else []
        return _uncalled_function(raised, match[1], nodes)
    return None


def _listed_chain(raised: RaisedAt) -> Explained | None:
    """Explains optax.chain([clip, adam]): chain takes each part as an argument."""
    match raised.node:
        case ast.Call(args=[ast.List() | ast.Tuple() | ast.Name() as parts], keywords=[]):
            pass
        case _:
            return None
    source = raised.source(parts)
    is_written = not isinstance(parts, ast.Name)
    code = source[1:-1].strip().rstrip(",") if is_written and source[:1] in "([" else f"*{source}"
    title = "optax.chain takes each transformation as a separate argument, not in a list"
    words = (
        "Pass each transformation as a separate argument: chain applies the transformations in the order of the "
        "arguments."
    )
    cure = applied(FoundCure("arguments", code, words), [edit_of(raised, over(parts, code))])
    general = FoundCure(
        "arguments", None, "Pass the transformations to optax.chain without the list around the transformations."
    )
    return Explained(None, title, "", tuple(passed(raised, [cure])) or (general,))


def _operand_nodes(raised: RaisedAt) -> list[ast.expr]:
    node = raised.node
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return [node.target, node.value] if isinstance(node, ast.AugAssign) else []


def _operand_value(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the value of an operand; for a method of an array, such as `x.sum`, the function in the class."""
    value = value_of(raised, node)
    if value is None and isinstance(node, ast.Attribute):
        kind = type(value_of(raised, node.value))
        return vars(kind).get(node.attr) or next(
            (vars(k)[node.attr] for k in kind.__mro__ if node.attr in vars(k)), None
        )
    return value


def _uncalled_function(raised: RaisedAt, operator: str, nodes: list[ast.expr]) -> Explained | None:
    """Explains a function, such as the method x.sum, that the code uses as an array without calling the function."""
    functions = [
        operand
        for operand in nodes
        if isinstance(_operand_value(raised, operand), _FUNCTIONS) or is_jitted(_operand_value(raised, operand))
    ]
    if len(functions) != 1:
        return None
    (node,) = functions
    source = raised.source(node)
    if isinstance(raised.node, ast.Call) and (state := _uncalled_init(raised, raised.node, node)) is not None:
        return state
    # A method is stored in the class. `value_of` reads only attributes of the object itself, so it returns None for a
    # method.
    is_method = isinstance(node, ast.Attribute) and value_of(raised, node) is None
    title = f"{source} is a function, but {operator} needs an array"
    words = f"Call {source}, as in {source}(...), and use the result."
    cure = FoundCure("a call of the function", None, words)
    if is_method:
        title = f"{source} is a method, but {operator} needs an array"
        code = f"{source}()"
        cure = applied(
            FoundCure("a call of the method", code, f"Call the method {source}."), [edit_of(raised, over(node, code))]
        )
    other_operands = [operand for operand in nodes if operand is not node]
    return Explained(None, title, operands(raised, other_operands), tuple(passed(raised, [cure])))


def _uncalled_init(raised: RaisedAt, call: ast.Call, node: ast.expr) -> Explained | None:
    """Explains tx.update(grads, tx.init, params): the second argument must be the result of tx.init(params)."""
    if not isinstance(node, ast.Attribute) or not isinstance(call.func, ast.Attribute):
        return None
    if (node.attr, call.func.attr) != ("init", "update") or raised.source(node.value) != raised.source(call.func.value):
        return None
    source = raised.source(node)
    parameters = raised.source(call.args[2]) if len(call.args) > 2 else "params"
    title = f"{source} is a function, but update needs the state that {source} returns"
    code = f"state = {source}({parameters})"
    words = f"Write this line once, before the first step of the training, and pass state in the place of {source}."
    if len(call.args) < 3:
        words = f"{words} In this line, params is the tree of the parameters."
    return Explained(None, title, operands(raised, call.args[:1]), (FoundCure("the state", code, words),))


def _uncalled_optimizer(raised: RaisedAt, attribute: str) -> Explained | None:
    """Explains optax.adam.init(params), where optax.adam(rate).init(params) is right."""
    if isinstance(raised.node, ast.Call) and called(raised.node) == "chain":
        makers = [argument for argument in raised.node.args if _makes_optimizer(_member(raised, argument))]
        return _named_maker(raised.source(makers[0]), attribute) if makers else None
    node = raised.node.func if isinstance(raised.node, ast.Call) else raised.node
    if not isinstance(node, ast.Attribute) or not _makes_optimizer(_member(raised, node.value)):
        return None
    return _named_maker(raised.source(node.value), attribute)


def _member(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the value of a name, or of a member of a module such as optax.adam; None if unknown."""
    value = value_of(raised, node)
    if value is None and isinstance(node, ast.Attribute):
        module = value_of(raised, node.value)
        return vars(module).get(node.attr) if type(module) is types.ModuleType else None
    return value


def _makes_optimizer(value: Any) -> bool:
    """Return whether a value is a function of optax, such as optax.adam."""
    return type(value) is types.FunctionType and (own_name(value, "__module__") or "").startswith("optax")


def _named_maker(source: str, attribute: str) -> Explained:
    title = f"{source} is a function that makes an optimizer, and a function has no {attribute}"
    words = f"Call {source} with its options, such as the learning rate, as in {source}(...)."
    return Explained(None, title, "", (FoundCure("a call of the function", None, words),))


def _has_method(raised: RaisedAt) -> bool:
    """Return whether an operand reads an attribute of an array or of a tracer, such as `x.sum`."""
    return any(
        isinstance(operand, ast.Attribute) and dtype_of(value_of(raised, operand.value))
        for operand in _operand_nodes(raised)
    )


def _none_operand(raised: RaisedAt, operator: str, is_of_jax: bool) -> Explained | None:
    """Explains an operation with an operand that is None in place of an array."""
    nodes = _operand_nodes(raised)
    names = [
        operand
        for operand in nodes
        if isinstance(operand, ast.Name) and _is_bound(raised, operand) and value_of(raised, operand) is None
    ]
    leaves = [operand for operand in nodes if isinstance(operand, ast.Subscript | ast.Attribute)]
    leaves = [operand for operand in leaves if _is_none_leaf(raised, operand)]
    if len(leaves) == 1 and not names and is_of_jax:
        return _none_part(raised, operator, leaves[0], [operand for operand in nodes if operand is not leaves[0]])
    if any(isinstance(operand, ast.Constant) and operand.value is None for operand in nodes) and is_of_jax:
        others = [operand for operand in nodes if not isinstance(operand, ast.Constant)]
        cure = FoundCure("a value", None, "Write an array or a number in place of None.")
        return Explained(None, f"{operator} needs arrays or numbers, but gets None", operands(raised, others), (cure,))
    calls = [operand for operand in nodes if isinstance(operand, ast.Call)]
    nones = names or (calls if len(calls) == 1 else [])
    if len(nones) != 1:
        return None
    source = raised.source(nones[0])
    title = _NONE_AS_OPERAND.format(source=source, operator=operator)
    maker = _function_of_value(raised, nones[0])
    missing = missing_return(raised, maker)
    if missing is not None and maker is not None and (is_of_jax or _computes_with_jax(raised, maker)):
        cures = passed(raised, [missing])
        return Explained(None, f"{maker.name} returns None, so {source} is None", "", tuple(cures or [missing]))
    if not is_of_jax:
        return None
    if names and (leaf := _none_leaf(raised, source)) is not None:
        return Explained(None, title, *leaf)
    if names and (passed_by := none_of_the_caller(raised, source)) is not None:
        return Explained(None, title, *passed_by)
    words = (
        f"Find the line that assigns to {source}, and assign an array there. A function without a return returns None."
    )
    if not names:
        words = f"{raised.source(calls[0])} returns None. Write a call that returns an array."
        if isinstance(calls[0].func, ast.Name) and type(value_of(raised, calls[0].func)) is types.FunctionType:
            called_function = calls[0].func.id
            words = f"Return the result at the end of {called_function}."
    other_operands = [operand for operand in nodes if operand is not nones[0]]
    return Explained(None, title, operands(raised, other_operands), (FoundCure("a value", None, words),))


def _is_none_leaf(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression such as params['b'], xs[0] or model.bias is certainly None."""
    match node:
        case ast.Subscript(value=holder, slice=ast.Constant(value=key)):
            value = value_of(raised, holder)
            if type(value) is dict:
                return key in value and value[key] is None
            return type(value) in (list, tuple) and value_of(raised, node) is None and type(key) is int
        case ast.Attribute(value=holder, attr=name):
            value = value_of(raised, holder)
            return name in instance_dict(value) and instance_dict(value)[name] is None
    return False


def _none_part(raised: RaisedAt, operator: str, node: ast.expr, others: list[ast.expr]) -> Explained:
    """Explains x * w + params['b'] where params['b'] is None."""
    source = " ".join(raised.source(node).split())
    title = _NONE_AS_OPERAND.format(source=source, operator=operator)
    words = (
        f"Give {source} an array, or leave {source} out of the computation where {source} is None: while JAX traces, "
        f"Python can test if {source} is not None."
    )
    return Explained(None, title, operands(raised, others), (FoundCure("a value", None, words),))


def _none_leaf(raised: RaisedAt, name: str) -> tuple[str, tuple[FoundCure, ...]] | None:
    """Return the explanation and the cures of a None leaf that the is_leaf function of jax.tree.map allows."""
    function = raised.function
    call = raised.parents.get(id(function)) if isinstance(function, ast.Lambda) else None
    if (
        not isinstance(function, ast.Lambda)
        or not isinstance(call, ast.Call)
        or called(call) not in ("map", "tree_map")
    ):
        return None
    is_leaf = next((keyword.value for keyword in call.keywords if keyword.arg == "is_leaf"), None)
    if is_leaf is None or "is None" not in ast.unparse(is_leaf):
        return None
    explanation = "With this is_leaf, jax.tree.map calls the function also for each None in the tree."
    code = f"None if {name} is None else {raised.source(function.body)}"
    words = "Return None where the function gets None, or leave is_leaf out: jax.tree.map then keeps each None."
    cure = applied(FoundCure("keep None", code, words), [edit_of(raised, over(function.body, code))])
    return explanation, tuple(passed(raised, [cure]))


def _function_of_value(raised: RaisedAt, node: ast.expr) -> ast.FunctionDef | None:
    """Return the user's function that computes the value of a name. The code must assign to the name only once."""
    call = behind_name(raised, node)
    function = function_of_text(raised, call.func) if isinstance(call, ast.Call) else None
    return function if isinstance(function, ast.FunctionDef) else None


def _computes_with_jax(raised: RaisedAt, function: ast.FunctionDef) -> bool:
    """Return whether a function uses a JAX module, or a call in the code passes a JAX array to the function."""
    assert raised.frame is not None
    names = {part.id for part in ast.walk(function) if isinstance(part, ast.Name)}
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function.name:
            names |= {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
    values = [raised.frame.f_globals.get(name) for name in names]
    return any(
        dtype_of(value) or (type(value) is types.ModuleType and value.__name__.partition(".")[0] == "jax")
        for value in values
    )


def _no_return(raised: RaisedAt) -> Explained | None:
    """Explains the None result of a function in the code that ends without a return."""
    nodes: list[ast.expr] = []
    for part in ast.walk(raised.node) if raised.node is not None else ():
        nodes += [part] if isinstance(part, ast.Name | ast.Call) else []
    statement = raised.statement_of(raised.node)
    if isinstance(statement, ast.Assign) and raised.node in statement.targets:
        nodes.append(statement.value)
    for node in nodes:
        maker = _function_of_value(raised, node)
        if maker is None or (
            isinstance(node, ast.Name) and (not _is_bound(raised, node) or value_of(raised, node) is not None)
        ):
            continue
        missing = missing_return(raised, maker)
        if missing is not None and isinstance(raised.node, ast.Tuple | ast.List) and len(raised.node.elts) > 1:
            number_of_names = len(raised.node.elts)
            first_sentence = missing.text.partition(".")[0]
            words = f"{first_sentence}. Return {number_of_names} values, one for each name in the assignment."
            missing = FoundCure(missing.name, None, words)
        if missing is not None and _computes_with_jax(raised, maker):
            source = " ".join(raised.source(node).split())
            title = f"{maker.name} returns None, so {source} is None"
            return Explained(None, title, "", tuple(passed(raised, [missing]) or [missing]))
    return None


def _none_in_list(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jnp.stack(xs) when an element of xs is None."""
    for node in call.args[:1]:
        elements = list(node.elts) if isinstance(node, ast.List | ast.Tuple) else []
        values = [
            None if isinstance(element, ast.Constant) and element.value is None else element for element in elements
        ]
        elements_or_value = value_of(raised, node) if not elements else values
        places = (
            [number for number, element in enumerate(elements_or_value) if element is None]
            if type(elements_or_value) in (list, tuple)
            else []
        )
        if places:
            title = f"{raised.source(node)}[{places[0]}] is None, but {called(call)} needs arrays"
            words = "Leave None out of the list, or write an array in the place of None."
            return Explained(None, title, "", (FoundCure("arrays", None, words),))
    return None


def _calls_jax(raised: RaisedAt) -> bool:
    """Return whether the failing call calls a function of JAX, not a jitted function of the user's."""
    call = raised.node
    return isinstance(call, ast.Call) and is_function_of_jax(value_of(raised, call.func))


def _not_array(raised: RaisedAt, kind: str) -> Explained | None:
    """Explains a range, a set or a generator as an argument of a JAX function that takes arrays."""
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    jnp = jnp_name(raised)
    if kind == "NoneType":
        return _none_in_list(raised, call)
    for node in [*call.args, *(keyword.value for keyword in call.keywords)]:
        value = value_of(raised, node)
        maker_name = called(node)
        is_it = type(value).__name__ == kind or maker_name == kind.removeprefix("dict_")
        is_it = (
            is_it
            or (kind == "generator" and (isinstance(node, ast.GeneratorExp) or maker_name == "reversed"))
            or (kind == "set" and isinstance(node, ast.Set | ast.SetComp))
        )
        if not is_it or (kind != "range" and kind not in _LISTED):
            continue
        source = raised.source(node)
        kind_of_iterator = "reversed iterator" if kind == "reversed" else kind
        title = f"{called(call)} takes arrays, but {source} is a {kind_of_iterator}"
        code = f"{jnp}.array(list({source}))"
        words = f"Pass an array: {jnp}.array makes an array from a list of the elements."
        if kind == "zip" and isinstance(node, ast.Call) and maker_name == "zip" and called(call) == "scan":
            arrays = [raised.source(argument) for argument in node.args]
            code = f"({', '.join(arrays)}{',' * (len(arrays) == 1)})"
            words = "Pass a tuple of the arrays: at each step, scan takes one element of each array."
            cure = applied(FoundCure("a tuple", code, words), [edit_of(raised, over(node, code))])
            return Explained(None, title, "", tuple(passed(raised, [cure])))
        if kind == "range":
            code = f"{jnp}.arange{source[len('range') :]}" if maker_name == "range" else f"{jnp}.array({source})"
            words = f"{code} makes an array of the numbers of the range."
        if isinstance(node, ast.GeneratorExp):
            inner = source[1:-1] if source.startswith("(") else source
            code = (
                f"({jnp}.array([{inner}]))" if len(call.args) == 1 and not call.keywords else f"{jnp}.array([{inner}])"
            )
        if maker_name == "reversed" and isinstance(node, ast.Call) and len(node.args) == 1:
            code = f"{raised.source(node.args[0])}[::-1]"
            words = f"{code} has the elements of the array in the reverse order."
            cure = applied(FoundCure("[::-1]", code, words), [edit_of(raised, over(node, code))])
            return Explained(None, title, "", tuple(passed(raised, [cure])))
        if isinstance(
            value, types.GeneratorType | map | zip | filter | reversed
        ):  # the failed call may have consumed some elements of the iterator
            words = (
                f"Before the call, make a list of the elements, and then {jnp}.array(list): an iterator can be read "
                "only once."
            )
            return Explained(None, title, "", (FoundCure(f"{jnp}.array", None, words),))
        cure = applied(
            FoundCure(code.partition("(")[0] or f"{jnp}.array", code, words), [edit_of(raised, over(node, code))]
        )
        return Explained(None, title, "", tuple(passed(raised, [cure])))
    return None


def _iterator(raised: RaisedAt) -> Explained | None:
    """Explains jnp.stack(map(f, xs)): the arrays need a list, because an iterator can be read only once."""
    call = raised.node
    if not isinstance(call, ast.Call) or not call.args:
        return None
    node = call.args[0]
    kind = "generator" if isinstance(node, ast.GeneratorExp) else called(node)
    if kind not in ("generator", "map", "zip", "filter"):
        value = value_of(raised, node)
        if not isinstance(value, types.GeneratorType | map | zip | filter):
            return None
        kind = type(value).__name__
    source = " ".join(raised.source(node).split())
    title = f"{called(call)} takes a list of arrays, but {source} is a {kind}"
    words = "Make a list of the arrays first: an iterator can be read only once."
    code = f"list({source})"
    if isinstance(node, ast.GeneratorExp):
        inner = source[1:-1] if source.startswith("(") else source
        code = f"([{inner}])" if len(call.args) == 1 and not call.keywords else f"[{inner}]"
    elif not isinstance(node, ast.Call):  # an iterator in a variable may already be consumed
        return Explained(None, title, "", (FoundCure("a list", None, words),))
    cure = applied(FoundCure("a list", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _is_bound(raised: RaisedAt, node: ast.Name) -> bool:
    assert raised.frame is not None
    return node.id in raised.frame.f_locals or node.id in raised.frame.f_globals


def _reference(raised: RaisedAt) -> Explained | None:
    """Explains an operation on a Pallas reference; ref[...] reads its array."""
    assert raised.node is not None
    nodes = [
        part
        for part in ast.walk(raised.node)
        if isinstance(part, ast.Name) and type_of(value_of(raised, part)).startswith("Ref")
        if not isinstance(raised.parents.get(id(part)), ast.Subscript | ast.Attribute)
    ]
    if not nodes:
        return None
    names = list(dict.fromkeys(reference.id for reference in nodes))
    reference_name = names[0]
    title = f"{reference_name} is a reference, not an array"
    words = f"Read the array with {reference_name}[...]. A Pallas kernel reads and writes arrays through references."
    cure = FoundCure("[...]", f"{names[0]}[...]", words)
    cure = applied(cure, [edit_of(raised, over(reference, f"{reference.id}[...]")) for reference in nodes])
    return Explained(None, title, operands(raised, nodes[:1]), tuple(passed(raised, [cure])))


def _container(raised: RaisedAt, kind: str, name: str) -> Explained | None:
    """Explains a read of an array's attribute on a tuple or list of arrays, such as `pair.shape`."""
    import jax

    node = raised.node
    if not isinstance(node, ast.Attribute) or not hasattr(jax.Array, name):
        return None
    container = value_of(raised, node.value)
    source = raised.source(node.value)
    title = f"{source} is a {kind}, and a {kind} has no {name}"
    types_ = [type_of(element) for element in container[:3]] if type(container) in (tuple, list) else []
    if not all(types_):
        return None  # the elements are no arrays, for example strings, so they cannot become an array
    explanation = f"{source} holds {', '.join(types_)}{', ...' if len(container) > 3 else ''}." if types_ else ""
    words = f"Take an element, such as {source}[0], or make one array with jnp.stack({source})."
    return Explained(None, title, explanation, (FoundCure("an element", None, words),))
