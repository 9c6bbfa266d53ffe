"""Explains calls that pass too many or too few arguments, or a keyword argument that the function does not have."""

from __future__ import annotations

import ast
import difflib
import re
import sys
from types import FunctionType
from typing import Any

from ....jax.facts import is_jitted
from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import message_of, mro_of, own_name
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import LIBRARIES, RaisedAt, is_of_another_library, touches_jax
from ..message_tables.call_messages import LEFT_OUT
from ..message_tables.jax_messages import LIST_OF_ARGUMENTS, UNKNOWN_ARGUMENT
from ..random_keys.left_out_keys import left_out_key_error
from ..random_keys.wrong_keys import KEY_FROM_NUMBER, NO_KEY
from ..transforms.derivative_rules import BACKWARD_CALL, FORWARD_CALL
from .calls_by_libraries import called_with_too_few, called_with_too_many
from .calls_of_wrapped_functions import AS_MANY, passed_object_error, unbound_error
from .jit_arguments import SIMILAR_ARGUMENT, module_of_call, packages_of
from .static_argument_edits import parameters_of

_TOO_MANY = re.compile(
    r"^(?:[\w<>]+\.)*(?P<name>\w+|<lambda>)\(\) takes (?P<takes>\d+|from \d+ to \d+) positional arguments? but "
    r"(?P<given>\d+) (?:was|were) given$"
)
_MISSING = re.compile(
    r"^(?P<path>(?:\w+\.|<locals>\.)*)(?P<name>\w+|<lambda>)\(\) missing \d+ required "
    r"(?:positional|keyword-only) arguments?: (?P<names>.*)$"
)

_UNEXPECTED = re.compile(r"^(?:\w+\.)*(?P<name>\w+)\(\) got an unexpected keyword argument '(?P<keyword>\w+)'")
#: Argument name in PyTorch or NumPy -> name in JAX.
_NAMES_OF_JAX = {
    "dim": "axis",
    "dims": "axis",
    "keepdim": "keepdims",
    "in_dims": "in_axes",
    "out_dims": "out_axes",
    "size": "shape",
    "low": "minval",
    "high": "maxval",
    "steps": "num",
    "reversed": "reverse",
}
_REFERENCES = (
    "A Pallas kernel gets one reference for each input, then one for each output, and then one for each scratch shape."
)
_INDICES_OF_MAP = "An index map gets one index for each axis of the grid."


def _spread_children(raised: RaisedAt) -> FoundCure | None:
    """Return the cure of `cls(children)` in `tree_unflatten`: `cls(*children)`, which passes each child separately."""
    function, call = raised.function, raised.node
    if not isinstance(function, ast.FunctionDef) or function.name not in ("tree_unflatten", "unflatten"):
        return None
    match call:
        case ast.Call(args=[ast.Name(id=children)], keywords=[]) if children == function.args.args[-1].arg:
            code = f"{raised.source(call.func)}(*{children})"
            text = f"{children} is a tuple. The star before {children} passes each child as an argument of its own."
            return applied(FoundCure("*", code, text), [edit_of(raised, over(call, code))])
    return None


def _power_with_modulus(raised: RaisedAt | None) -> Explained:
    """Explains Python's pow(x, n, m) of an array."""
    match raised.node if raised is not None else None:
        case ast.Call(func=ast.Name(id="pow"), args=[x, n, m], keywords=[]) if raised is not None:
            texts = [ast.unparse(part) for part in (x, n, m)]
            parts = [text if text.isidentifier() else f"({text})" for text in texts]
            code: str | None = f"({parts[0]} ** {parts[1]}) % {parts[2]}"
        case _:
            code = None
    words = (
        "Write (x ** n) % m if the power fits its type. For a larger power, multiply in a jax.lax.fori_loop, and take "
        "the remainder of each product."
    )
    title = "pow with a third argument works on Python integers, not on arrays"
    text = "The third argument of pow is a modulus. A JAX array has no power with a modulus."
    return Explained(None, title, text, (FoundCure("%", code, words),))


def argument_count_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call with too many positional arguments, or without a required argument."""
    if is_of_another_library(error):
        return None  # the call with the wrong arguments is in that library, not in the user's code
    text = message_of(error).strip()
    of_jax = touches_jax(error) or _calls_jax(raised)
    if isinstance(error, TypeError) and (match := _TOO_MANY.search(text)) and raised is not None:
        if (by_name := _by_name(raised, match["name"])) is not None:
            return by_name
    if isinstance(error, TypeError) and (match := _TOO_MANY.search(text)) and of_jax:
        name = "the function" if match["name"] == "<lambda>" else match["name"]
        if name == "_operator_pow":
            return _power_with_modulus(raised)
        if (unflatten := _unflatten(raised)) is not None:
            return unflatten
        if (rule := _derivative_rule(raised, name, match["given"], match["takes"])) is not None:
            return rule
        if (kernel := _kernel_parameters(raised, name, match["given"], match["takes"])) is not None:
            return kernel
        if raised is not None and isinstance(raised.node, ast.Call) and "pallas_call(" in raised.source(raised.node):
            indices, parameters = count(int(match["given"]), "index", "indices"), match["takes"]
            title = f"An index map gets {indices}, but the number of its parameters is {parameters}"
            reason = "An index map of a BlockSpec gets one index for each axis of the grid."
            words = "Give each index map one parameter for each axis of the grid."
            return Explained(None, title, reason, (FoundCure("the parameters", None, words),))
        by_library = called_with_too_many(error, raised, match["name"], match["given"], match["takes"])
        if by_library is not None:
            return by_library
        given, takes = int(match["given"]), match["takes"]
        if raised is not None and _counts_self(raised, text, name):
            given, takes = given - 1, re.sub(r"\d+", lambda number: str(int(number[0]) - 1), takes)
            if (of_object := passed_object_error(raised, name, given, takes)) is not None:
                return of_object
            name = _owner(text) if name == "__init__" else name
        cure = FoundCure("the arguments", None, AS_MANY.format(name=name))
        title = f"The call passes {count(given, 'positional argument')}, but {name} takes {takes}"
        return Explained(None, title, "", (cure,))
    if isinstance(error, TypeError) and of_jax and raised is not None and (unbound := unbound_error(raised, text)):
        return unbound
    if isinstance(error, TypeError) and (match := _UNEXPECTED.search(text)) and raised is not None:
        return _unexpected(raised, match["name"], match["keyword"])
    if isinstance(error, TypeError) and (match := _MISSING.search(text)):
        missing = match["names"].replace("'", "")
        name = match["name"]
        if name == "<lambda>":
            name = "the lambda"
        elif name in ("__init__", "__new__") and match["path"]:
            name = match["path"].rstrip(".").rpartition(".")[2]
        elif name == "__call__" and raised is not None and isinstance(raised.node, ast.Call):
            name = " ".join(raised.source(raised.node.func).split())
        if raised is not None and (key := _no_key(raised)) is not None:
            return key
        if raised is not None and (schedule := _uncalled_schedule(raised, name, missing)) is not None:
            return schedule
        if raised is not None and (left_out := left_out_key_error(raised, missing)) is not None:
            return left_out
        if raised is not None and (index_map := _index_map(raised, match["name"], missing)) is not None:
            return index_map
        if raised is not None and isinstance(raised.node, ast.Call) and "pallas_call(" in raised.source(raised.node):
            title = f"{name} is the kernel of a pallas_call and gets no reference for {missing}"
            words = (
                f"Remove {missing} from the parameters of the kernel, or pass one more input, out_shape or scratch "
                "shape to pallas_call."
            )
            return Explained(None, title, _REFERENCES, (FoundCure("the parameters", None, words),))
        if raised is not None and (no_primals := _no_primals(raised, missing)) is not None:
            return no_primals
        if raised is not None and (spread := _spread_children(raised)) is not None:
            return Explained(None, LEFT_OUT.format(function=name, arguments=missing), "", (spread,))
        if raised is not None and missing == "rngs" and (rngs := _rngs_of_nnx(raised)) is not None:
            return Explained(None, f"The call of {name} leaves out the argument rngs", "", rngs)
        if raised is not None and missing == "state" and (state := _state_of_equinox(raised)) is not None:
            return Explained(None, f"The call of {name} leaves out the state of the layer", "", (state,))
        by_library = called_with_too_few(error, raised, match["name"], missing)
        if by_library is not None:
            return by_library
        words = f"Pass {missing} in the call."
        if raised is not None and match["path"].endswith("<locals>.") and _is_field(raised, name):
            name = " ".join(raised.source(raised.node.func).split()) if isinstance(raised.node, ast.Call) else name
        if _is_of_text(raised, match["name"], name):
            words = f"Pass {missing} in the call, or give {missing} a default value in the definition of the function."
        elif "keyword-only argument:" in text:
            words = f"Pass {missing} in the call by its name, as in {missing}=value."
        return Explained(
            None,
            LEFT_OUT.format(function=name, arguments=missing),
            "",
            (FoundCure("pass the missing argument", None, words),),
        )
    return None


_OF_CLASS = re.compile(r"^(?:[\w<>]+\.)*(?P<owner>[A-Za-z_]\w*)\.\w+\(\) takes ")


def _is_field(raised: RaisedAt, name: str) -> bool:
    """Return whether the failing call reads the function from an attribute with another name, as in opt.update(g)."""
    call = raised.node
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr != name


def _owner(text: str) -> str:
    """Return the class in a message on a method, such as Linear in "Linear.__call__() takes 2"; empty without one."""
    owner = _OF_CLASS.match(text)
    return owner["owner"] if owner is not None else ""


def _counts_self(raised: RaisedAt, text: str, name: str) -> bool:
    """Return whether Python's message counts the object of a method, as in "Linear.__call__() takes 2"."""
    owner = _owner(text)
    if not owner:
        return False
    if name in ("__call__", "__init__"):
        return True
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    methods = [
        part
        for scope in ast.walk(module)
        if isinstance(scope, ast.ClassDef) and scope.name == owner
        for part in scope.body
        if isinstance(part, ast.FunctionDef) and part.name == name
    ]
    return len(methods) == 1 and "staticmethod" not in map(ast.unparse, methods[0].decorator_list)


def _by_name(raised: RaisedAt, name: str) -> Explained | None:
    """Explains state.apply_gradients(grads), where the method of a JAX library takes its arguments only by name."""
    call = raised.node
    if raised.frame is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    holder = value_of(raised, call.func.value)
    method = next((vars(kind)[name] for kind in mro_of(type(holder)) if name in vars(kind)), None)
    if type(method) is not FunctionType or LIBRARIES.isdisjoint(packages_of(holder)):
        return None
    code = method.__code__
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    needed = [parameter for parameter in names if parameter not in (method.__kwdefaults__ or {})]
    if code.co_argcount != 1 or len(needed) != len(call.args) or call.keywords:
        return None
    title = f"{name} takes its arguments by name"
    passed_by_name = [f"{key}={raised.source(value)}" for key, value in zip(needed, call.args, strict=True)]
    text = f"{raised.source(call.func)}({', '.join(passed_by_name)})"
    cure = applied(FoundCure("by name", text, "Pass each argument by its name."), [edit_of(raised, over(call, text))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _calls_jax(raised: RaisedAt | None) -> bool:
    """Return whether the failing expression is a call of a function of JAX.

    Python raises the error of a wrong number of arguments before the call, so its traceback has no frame of JAX.
    """
    call = raised.node if raised is not None and raised.frame is not None else None
    return raised is not None and isinstance(call, ast.Call) and is_of_jax(value_of(raised, call.func))


def _rngs_of_nnx(raised: RaisedAt) -> tuple[FoundCure, ...] | None:
    """Return the cure of nnx.Linear(3, 4), which lacks the argument rngs: nnx.Linear(3, 4, rngs=nnx.Rngs(0)).

    None for another call.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args + call.keywords:
        return None
    if not (own_name(value_of(raised, call.func), "__module__") or "").startswith("flax.nnx"):
        return None
    nnx = raised.source(call.func.value)
    keys = f"{nnx}.Rngs(0)"
    keys_of_layer = "A layer of nnx draws its initial parameters with the keys of rngs."
    words = f"{keys_of_layer} {nnx}.Rngs(0) makes these keys from the seed 0."
    if type(value_of(raised, ast.Name("rngs", ast.Load()))).__name__ == "Rngs":
        keys, words = "rngs", keys_of_layer
    code = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, rngs={keys})"
    return (FoundCure("rngs", code, words),)


def _state_of_equinox(raised: RaisedAt) -> FoundCure | None:
    """Return the cure of a layer of equinox that is called without its state, such as BatchNorm; None for others."""
    call = raised.node
    layer = value_of(raised, call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not (own_name(type(layer), "__module__") or "").startswith("equinox"):
        return None
    arguments = ", ".join([*map(raised.source, [*call.args, *call.keywords]), "state"])
    class_of_layer = own_name(type(layer), "__name__")
    words = (
        f"The layer {class_of_layer} takes its state as an argument, and returns its result and the new state. "
        "equinox.nn.make_with_state(Model)(...) makes a model and its state."
    )
    return FoundCure("state", f"y, state = {raised.source(call.func)}({arguments})", words)


def _unexpected(raised: RaisedAt, name: str, keyword: str) -> Explained | None:
    """Explains a keyword argument that a function of JAX does not have, such as `dim` of PyTorch."""
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    function = value_of(raised, call.func)
    is_method = isinstance(call.func, ast.Attribute) and (
        bool(dtype_of(value_of(raised, call.func.value)))
        # JAX's message names the method `mean` of an array `_mean`. The array may be the result of a call, whose value
        # is unknown.
        or (name == f"_{call.func.attr}" and value_of(raised, call.func.value) is None)
    )
    if isinstance(call.func, ast.Attribute) and is_method:
        name = call.func.attr
        function = getattr(sys.modules["jax.numpy"], name, None)
    # The call calls an object, such as a layer of flax: the parameters are those of the method `__call__` of the class.
    elif name == "__call__" and function is not None:
        function, name, is_method = _method(type(function), name), raised.source(call.func), True
    node = next((part for part in call.keywords if part.arg == keyword), None)
    is_of_library = is_of_jax(function) or _is_of_library(function)
    if function is None or node is None or not (is_of_library or is_jitted(function)):
        return None
    parameters = list(parameters_of(function))[is_method:]
    title = UNKNOWN_ARGUMENT.format(function=name, argument=keyword)
    text = f"{name} takes {', '.join(parameters)}." if parameters else ""
    close_names = [_NAMES_OF_JAX.get(keyword, ""), *difflib.get_close_matches(keyword, parameters, 1, 0.7)]
    right = next((close_name for close_name in close_names if close_name in parameters), None)
    if right is None and (twin := _twin_with(function, keyword)) is not None:
        words = (
            f"{twin} has the argument {keyword}, but may compute other results than {name}. Read help({twin}) before "
            f"you write {twin}."
        )
        return Explained(None, title, text, (FoundCure("another function", None, words),))
    if right is None and not is_of_library:
        words = f"Leave {keyword} out of the call, or add {keyword} to the parameters of {name}."
        return Explained(None, title, text, (FoundCure("the parameters", None, words),))
    if right is None:
        return Explained(None, title, text, (FoundCure("help", None, LIST_OF_ARGUMENTS.format(function=name)),))
    words = (
        f"In JAX, the argument {keyword} has the name {right}."
        if right == _NAMES_OF_JAX.get(keyword) and is_of_library
        else SIMILAR_ARGUMENT.format(function=name, argument=right)
    )
    code = f"{right}={raised.source(node.value)}"
    edits = [edit_of(raised, over(node, code))]
    # The edit also renames the other arguments that have a name from PyTorch or NumPy: each would raise an error in the
    # next call.
    for other in call.keywords:
        other_right = _NAMES_OF_JAX.get(other.arg or "")
        if other is not node and other.arg not in parameters and other_right in parameters:
            edits.append(edit_of(raised, over(other, f"{other_right}={raised.source(other.value)}")))
    cure = applied(FoundCure(right, code, words), edits)
    return Explained(None, title, text, tuple(passed(raised, [cure])) or (FoundCure(right, None, words),))


def _method(kind: type, name: str) -> Any:
    """Return a method that a class or one of its base classes defines; None without one."""
    return next((vars(base)[name] for base in mro_of(kind) if name in vars(base)), None)


def _twin_with(function: Any, keyword: str) -> str | None:
    """Return a function of the same library that has the keyword argument.

    Its name must begin with the given function's name. If there are several, return the one with the shortest name;
    None if there is none.
    """
    package, name = (own_name(function, "__module__") or "").partition(".")[0], own_name(function, "__name__") or ""
    if package not in LIBRARIES or package not in sys.modules or not name:
        return None
    members = vars(sys.modules[package])
    names = [other for other in members if other.startswith(name) and other != name and callable(members[other])]
    twins = sorted((other for other in names if keyword in parameters_of(members[other])), key=len)
    return f"{package}.{twins[0]}" if twins else None


def _is_of_library(function: Any) -> bool:
    """Return whether a function belongs to a library that builds on JAX, such as optax."""
    return (own_name(function, "__module__") or "").partition(".")[0] in LIBRARIES


def _uncalled_schedule(raised: RaisedAt, name: str, missing: str) -> Explained | None:
    """Explains optax.adam(optax.cosine_decay_schedule): optax calls the function as a schedule, with a step.

    None if the function is no maker of schedules, or no argument of a call in the code is the function itself.
    """
    if "schedule" not in name or called(raised.node) == name:
        return None
    for call in ast.walk(raised.loops.module if raised.loops is not None else ast.Module([], [])):
        for node in [*call.args, *(keyword.value for keyword in call.keywords)] if isinstance(call, ast.Call) else []:
            is_named = isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).rpartition(".")[2] == name
            if is_named and _is_of_library(value_of(raised, node)):
                source = raised.source(node)
                title = f"{source} makes a schedule, but stands here without a call"
                text = f"The optimizer calls {source} with the number of the step, and gives no value for {missing}."
                cure = FoundCure("call the function", None, f"Call the function with its options: {source}(...).")
                return Explained(edit_of(raised, over(node, "")).place, title, text, (cure,))
    return None


def _unflatten(raised: RaisedAt | None) -> Explained | None:
    """Explains a tree_unflatten that takes the children before the auxiliary data."""
    function = raised.function if raised is not None else None
    if not isinstance(function, ast.FunctionDef) or function.name != "tree_unflatten":
        return None
    names = [argument.arg for argument in function.args.args if argument.arg != "cls"]
    if len(names) != 2 or "child" not in names[0] or "child" in names[1]:
        return None
    title = "JAX passes the auxiliary data first, then the children, to tree_unflatten"
    first_parameter, second_parameter = names
    text = (
        f"In this definition, the parameter {first_parameter} receives the auxiliary data, and the parameter "
        f"{second_parameter} receives the children."
    )
    words = f"Write def tree_unflatten(cls, {second_parameter}, {first_parameter})."
    return Explained(None, title, text, (FoundCure("the order", None, words),))


#: Transforms that take the function first, and then the arguments of that function, as in jax.vjp(f, x).
_TAKE_ARGUMENTS = frozenset({"vjp", "linearize", "eval_shape"})


def _no_primals(raised: RaisedAt, missing: str) -> Explained | None:
    """Explains jax.vjp(f)(x), where jax.vjp(f, x) is right."""
    transform = called(raised.node) if isinstance(raised.node, ast.Call) else ""
    if transform not in _TAKE_ARGUMENTS:
        return None
    title = f"The call of jax.{transform} passes no value for the parameter {missing}"
    if transform == "eval_shape" and (inside := _arguments_inside(raised)) is not None:
        return Explained(None, title, "jax.eval_shape itself calls the function.", inside)
    words = (
        f"Pass the arguments of the function after the function, as in jax.{transform}(f, x): jax.{transform} itself "
        "calls the function."
    )
    return Explained(None, title, "", (FoundCure("pass the missing argument", None, words),))


def _arguments_inside(raised: RaisedAt) -> tuple[FoundCure, ...] | None:
    """Return the cure of jax.eval_shape(f)(x): jax.eval_shape(f, x). None for another call."""
    call = raised.node
    whole = raised.parents.get(id(call)) if call is not None else None
    match call, whole:
        case ast.Call(args=[function], keywords=[]), ast.Call(args=args, keywords=options) if whole.func is call:
            parts = [raised.source(part) for part in [function, *args, *options]]
        case _:
            return None
    code = f"{raised.source(call.func)}({', '.join(parts)})"
    words = "Pass the arguments of the function to jax.eval_shape, after the function."
    cure = FoundCure("the arguments", code, words)
    return tuple(passed(raised, [applied(cure, [edit_of(raised, over(whole, code))])])) or None


_KEYS = frozenset({"key", "PRNGKey", "fold_in", "split", "clone", "wrap_key_data"})


def _no_key(raised: RaisedAt) -> Explained | None:
    """Explains a call of jax.random whose first argument is certainly not a random key."""
    call = raised.node
    if not isinstance(call, ast.Call) or ".random." not in raised.source(call.func) or not call.args:
        return None
    function = value_of(raised, call.func)
    first = call.args[0]
    maker_name = ast.unparse(first.func).rpartition(".")[2] if isinstance(first, ast.Call) else ""
    is_array = isinstance(first, ast.Call) and module_of_call(raised, first) and maker_name not in _KEYS
    kind = type_of(value_of(raised, first)) if value_of(raised, first) is not None else ""
    is_other = bool(kind) and not kind.startswith(("key<", "u32["))
    if parameters_of(function)[:1] != ["key"] or not (is_array or is_other):
        return None
    words = f"Pass a key as the first argument. {KEY_FROM_NUMBER}"
    title = NO_KEY.format(function=called(call))
    return Explained(None, title, "", (FoundCure("jax.random.key", None, words),))


def _functions_of_text(module: ast.Module) -> set[str]:
    """Return the names of the functions that a cell's code defines."""
    return {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}


def _is_of_text(raised: RaisedAt | None, function: str, name: str) -> bool:
    """Return whether a cell's code defines the called function, or the class whose `__init__` is called.

    Args:
        raised: Where the error was raised.
        function: The name of the called function in the message, such as `__init__`.
        name: The name of the function or of the class.
    """
    if raised is None or raised.loops is None:
        return False
    if function == "__init__":
        return any(isinstance(node, ast.ClassDef) and node.name == name for node in ast.walk(raised.loops.module))
    return function in _functions_of_text(raised.loops.module)


def _arguments(takes: str) -> str:
    """Return the number of arguments that a function takes, such as 2 or from 1 to 2, with its noun."""
    return count(int(takes), "argument") if takes.isdecimal() else f"{takes} arguments"


def _derivative_rule(raised: RaisedAt | None, name: str, passed_count: str, takes: str) -> Explained | None:
    """Explains a forward or backward rule of custom_vjp with more or fewer parameters than JAX passes arguments."""
    if raised is None or raised.loops is None:
        return None
    for node in ast.walk(raised.loops.module):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Attribute) and decorator.attr == "defjvp":
                    return _jvp_rule(raised, node, raised.source(decorator.value), int(passed_count), takes)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "defvjp":
            continue
        names = [argument.id if isinstance(argument, ast.Name) else "" for argument in node.args]
        if name not in names:
            continue
        function = raised.source(node.func.value)
        rule, words = "forward", FORWARD_CALL.format(function=function)
        if names.index(name):
            rule, words = "backward", BACKWARD_CALL
        title = f"The {rule} rule {name} of {function} takes {_arguments(takes)}, but gets {passed_count}"
        place = (
            next(
                definition
                for definition in ast.walk(raised.loops.module)
                if isinstance(definition, ast.FunctionDef) and definition.name == name
            )
            if name in _functions_of_text(raised.loops.module)
            else None
        )
        at = None
        if place is not None and place.args.args:
            at = edit_of(raised, (place.args.args[0], place.args.args[-1], "")).place
        cure = FoundCure("the arguments", None, f"Give {name} {count(int(passed_count), 'parameter')}.")
        return Explained(at, title, words, (cure,))
    return None


def _jvp_rule(
    raised: RaisedAt, rule: ast.FunctionDef, function: str, passed_count: int, takes: str
) -> Explained | None:
    """Explains a rule of custom_jvp with more or fewer parameters than JAX passes arguments."""
    if not rule.args.args:
        return None
    title = f"The rule {rule.name} of {function} takes {_arguments(takes)}, but gets {passed_count}"
    text = (
        "JAX calls the rule with the arguments of nondiff_argnums, if there are any, then the tuple of the other "
        "arguments, then the tuple of their tangents."
    )
    place = edit_of(raised, (rule.args.args[0], rule.args.args[-1], "")).place
    words = f"Give {rule.name} {count(passed_count, 'parameter')}."
    return Explained(place, title, text, (FoundCure("the arguments", None, words),))


def _index_map(raised: RaisedAt, name: str, missing: str) -> Explained | None:
    """Explains an index map of a BlockSpec that has more parameters than the grid has axes.

    None if the function is the kernel of the pallas_call.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or "pallas_call(" not in raised.source(call) or raised.loops is None:
        return None
    pallas_call = call.func if isinstance(call.func, ast.Call) else call
    kernel = pallas_call.args[0] if pallas_call.args else None
    kernel_names = {part.id for part in ast.walk(kernel) if isinstance(part, ast.Name)} if kernel is not None else set()
    is_kernel = isinstance(kernel, ast.Lambda) if name == "<lambda>" else name in kernel_names
    blocks = [
        node
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Call) and raised.source(node.func).endswith("BlockSpec")
    ]
    if is_kernel or not blocks:
        return None
    maps = [part for block in blocks for part in (*block.args, *(keyword.value for keyword in block.keywords))]
    parameters = [
        part
        for part in maps
        if isinstance(part, ast.Lambda) and missing in [argument.arg for argument in part.args.args]
    ]
    at = edit_of(raised, over(parameters[0], "")).place if len(parameters) == 1 and name == "<lambda>" else None
    title = f"An index map of a BlockSpec gets no index for {missing}"
    words = f"Remove {missing} from the parameters of the index map, or give the grid one more axis."
    return Explained(at, title, _INDICES_OF_MAP, (FoundCure("index map", None, words),))


def _kernel_parameters(raised: RaisedAt | None, name: str, passed_count: str, takes: str) -> Explained | None:
    """Explains a Pallas kernel, or an index map of a BlockSpec, that has too few or too many parameters."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or "pallas_call(" not in raised.source(call):
        return None
    pallas_call = call.func if isinstance(call.func, ast.Call) else call
    kernel = pallas_call.args[0].id if pallas_call.args and isinstance(pallas_call.args[0], ast.Name) else ""
    if kernel == name:
        title = f"pallas_call passes {count(int(passed_count), 'reference')} to {name}, which takes {takes}"
        words = f"Give {name} {count(int(passed_count), 'parameter')}."
        if takes.isdecimal() and int(takes) < int(passed_count):
            words = (
                f"{words} A kernel writes each result into the reference of an output, as in o_ref[...] = value, and "
                "returns nothing."
            )
        return Explained(None, title, _REFERENCES, (FoundCure("the parameters", None, words),))
    if "BlockSpec(" not in raised.source(call):
        return None
    title = f"An index map of a BlockSpec gets {count(int(passed_count), 'index', 'indices')}, but takes {takes}"
    maps = [
        node.args[1]
        for node in ast.walk(call)
        if isinstance(node, ast.Call) and raised.source(node.func).endswith("BlockSpec") and len(node.args) > 1
    ]
    wrong_index_maps = [
        index_map for index_map in maps if isinstance(index_map, ast.Lambda) and str(len(index_map.args.args)) == takes
    ]
    at = edit_of(raised, over(wrong_index_maps[0], "")).place if wrong_index_maps else None
    return Explained(
        at,
        title,
        _INDICES_OF_MAP,
        (FoundCure("index map", None, f"Give the index map {count(int(passed_count), 'parameter')}."),),
    )
