"""Explains calls with an argument in the wrong form or place: sizes without a tuple, a value instead of a function."""

from __future__ import annotations

import ast
import functools
import re
import types
from typing import Any

from ....jax.facts import is_jitted
from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax as is_function_of_jax
from ....plain_text import message_of, mro_of, own_name
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import namespace
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax
from ..failing_code.return_values import function_of_text, result_of
from ..message_tables.call_messages import FUNCTION_ITSELF, UPDATE_WITHOUT_PARAMETERS
from ..shapes.sizes_without_tuple import is_integer, rewritten, unpacked_shape_error, written
from .arrays_in_trees import arrays_in_tree
from .jit_arguments import packages_of
from .static_argument_edits import parameters_of
from .tree_differences import with_article

_ONE_LIST = re.compile(
    r"^Passing an array as a dtype argument|^Zero-dimensional arrays cannot be concatenated"
    r"|^Only integer scalar arrays can be converted to a scalar index|^concatenate requires ndarray"
    r"|^concat\(\) takes 1 positional argument"
)
_JOINS = frozenset({"concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack"})
_TRANSFORMS = frozenset(
    {"jit", "grad", "value_and_grad", "vmap", "pmap", "jacobian", "jacfwd", "jacrev", "hessian", "checkpoint", "remat"}
)
_NOT_CALLABLE = re.compile(
    r"^lax\.\w+: \w+ argument should be (?:a )?callable|^'\w+' object is not (?:callable|iterable)"
    r"|^Expected a callable value"
    r"|^Argument '<.*>' of type '?<class '(?:function|PjitFunction)'>'? is not a valid JAX type"
)
#: Function of JAX -> position of its argument that must be a function.
_FUNCTIONS_AT = {"scan": 0, "map": 0, "fori_loop": 2, "associative_scan": 0, "eval_shape": 0}
_NO_SHAPE = re.compile(r"^'[\w.]+' object has no attribute 'shape'")
_POLICY = re.compile(r"^'str' object is not callable")
_TOO_FEW_DEVICES = re.compile(
    r"^cannot select an axis to squeeze out which has size not equal to one, got shape=\((\d+)"
    r"|^compiling computation that requires (\d+) logical devices"
)
_NO_INTEGER = re.compile(r"^'str' object cannot be interpreted as an integer")
_NO_DEVICE = re.compile(r"^(?:list|tuple) index out of range")
_FEW_DEVICES = re.compile(r"^cannot reshape array of size (\d+) into shape (\([\d, ]*\))")
_NO_PARAMS = re.compile(r"^You are using a transformation that requires the current value of parameters")
_RANKS = re.compile(r"^indices and arr must have the same number of dimensions")
_STARTS = frozenset({"dynamic_slice", "dynamic_update_slice"})
_NO_LENGTH = re.compile(r"^object of type '\w+' has no len\(\)|^'int' object is not iterable")
_LEAVES = re.compile(r"^Too (?:few|many) leaves for PyTreeDef")
_UNPACKED = re.compile(r"^(?:not enough|too many) values to unpack")
_OPERANDS = re.compile(
    r"^unsupported operand type\(s\) for (\S+)(?: or pow\(\))?: '(?:\w+\.)*(\w+)' and '(?:\w+\.)*(\w+)'"
)
_SEQUENCE = re.compile(r"^can't multiply sequence by non-int of type 'float'")
_TREES = (dict, list, tuple)
_PACKAGES_OF_MODULES = frozenset({"equinox", "flax"})

_NO_INTEGERS = re.compile(r"^Expected the input to have a dtype that is a subdtype of <class 'numpy\.integer'>")
_HOLDS_MODULE = re.compile(r"requires ndarray or scalar arguments, got <class '")
_HOLDS_FUNCTION = re.compile(
    r"requires ndarray or scalar arguments, got <class '[\w.]*(?:custom_jvp|PjitFunction|function)'"
)


def misplaced_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call whose code shows that an argument stands in the wrong place."""
    if raised is None or raised.frame is None or raised.node is None:
        return None
    text = message_of(error).strip()
    if isinstance(error, IndexError) and _NO_DEVICE.search(text):
        return _no_device(raised)
    if isinstance(error, TypeError) and (match := _OPERANDS.search(text)):
        return trees_error(raised, match[1], match[2], match[3])
    if isinstance(error, TypeError) and _SEQUENCE.search(text) and not raised.in_trace and not touches_jax(error):
        operator = "*" if isinstance(raised.node, ast.BinOp) else ""
        return trees_error(raised, operator, "list", "tuple") if operator else None
    if not isinstance(error, TypeError | ValueError | AttributeError):
        return None
    if match_of_mesh := _FEW_DEVICES.search(text):
        return _mesh(raised, int(match_of_mesh[1]), match_of_mesh[2])
    if (
        isinstance(raised.node, ast.Call)
        and _NO_INTEGER.search(text)
        and (option := _named_static(raised, raised.node))
    ):
        return option
    if isinstance(raised.node, ast.Call) and (sizes := unpacked_shape_error(raised, raised.node, text)) is not None:
        return sizes
    if not isinstance(raised.node, ast.Call):
        return None
    # Python raises the error of a wrong number of arguments before the call: the traceback has no frame of JAX.
    if not touches_jax(error) and not is_function_of_jax(value_of(raised, raised.node.func)):
        return None
    if called(raised.node) == "update" and (state := _no_state(raised, raised.node)) is not None:
        return state
    call = raised.node
    if _NO_PARAMS.search(text):
        return _no_params(raised, call)
    if called(call) == "softmax_cross_entropy" and (labels := _class_labels(raised, call)) is not None:
        return labels
    if _RANKS.search(text) and called(call).endswith("integer_labels") and len(call.args) == 2:
        return _labels(raised, call)
    if _NO_INTEGERS.search(text) and called(call).endswith("integer_labels") and len(call.args) == 2:
        return _labels_of_floats(raised, call)
    if _HOLDS_FUNCTION.search(text) and (filtered := _module_in_init(raised, call)) is not None:
        return filtered
    if _HOLDS_MODULE.search(text) and (module := _linen_in_init(raised, call)) is not None:
        return module
    if called(call) == "associative_scan" and _LEAVES.search(text):
        words = (
            "associative_scan passes two slices of the elements to the function. Return one slice with the same "
            "containers and keys."
        )
        title = "The function of associative_scan returns another structure than the structure of its arguments"
        result = result_of(function_of_text(raised, call.args[0])) if len(call.args) > 1 else None
        if isinstance(result, ast.Tuple) and len(result.elts) == 2 and shape_of(raised, call.args[1]) is not None:
            returned = " ".join(raised.source(result).split())
            title = f"The function of associative_scan returns {returned}, but its arguments are arrays"
            words = f"{words} For a function that returns a carry and an output, use lax.scan(step, carry, xs)."
        return Explained(None, title, "", (FoundCure("same structure", None, words),))
    if called(call) in _STARTS and _NO_LENGTH.search(text):
        return _starts(raised, call)
    if called(call) == "dot_general" and _UNPACKED.search(text) and len(call.args) > 2:
        return _dimension_numbers(raised, call.args[2])
    if _ONE_LIST.search(text) and called(call) in _JOINS:
        return _list(raised, call)
    if _NO_INTEGER.search(text):
        return _named_argnums(raised, call)
    if devices := _TOO_FEW_DEVICES.search(text):
        return _devices(raised, call, devices[1], devices[2])
    if _POLICY.search(text) and (policy := _policy(raised)) is not None:
        return policy
    if called(call) == "map" and _NO_SHAPE.match(text):
        return _functions(raised, call, text)
    if _NOT_CALLABLE.search(text):
        return _function_as_text(raised, call, text) or _functions(raised, call, text)
    return None


def _function_as_text(raised: RaisedAt, call: ast.Call, text: str) -> Explained | None:
    """Explains jax.grad("f"): the name of a function instead of the function."""
    name = call.args[0] if call.args else None
    if not isinstance(name, ast.Constant) or type(name.value) is not str:
        return None
    is_name = callable(namespace(raised).get(name.value))
    if not text.startswith("Expected a callable value") and not (
        text.startswith("'str' object is not call") and is_name
    ):
        return None
    title = f"{raised.source(call.func)} takes a function, but gets the string {raised.source(name)}"
    words = "Pass the function itself: its name without quotation marks."
    cures = [FoundCure("the function", None, words)]
    if is_name:
        cures = passed(
            raised, [applied(FoundCure("the function", name.value, words), [edit_of(raised, over(name, name.value))])]
        )
    return Explained(None, title, "", tuple(cures))


def _starts(raised: RaisedAt, call: ast.Call) -> Explained:
    """Explains lax.dynamic_slice(x, 1, 2): the start indices need a tuple."""
    arguments = [
        f"({raised.source(argument)},)" if is_integer(raised, argument) else raised.source(argument)
        for argument in call.args
    ]
    title = f"{called(call)} takes a tuple of start indices, one for each axis"
    words = "Write the start indices as a tuple, also for an array of one axis."
    cures = rewritten(raised, call, "a tuple", written(raised, call, arguments), words)
    return Explained(None, title, "", cures or (FoundCure("a tuple", None, words),))


def _dimension_numbers(raised: RaisedAt, node: ast.expr) -> Explained:
    """Explains lax.dot_general(x, y, ((1,), (0,))): the dimension numbers lack the batch axes."""
    title = "dimension_numbers of dot_general is a pair: the axes to sum over, and the batch axes"
    words = (
        "Write both the axes to sum over and the batch axes as a pair: axes of the left operand, and axes of the right "
        "operand."
    )
    cures = rewritten(raised, node, "a pair", f"({raised.source(node)}, ((), ()))", words)
    return Explained(None, title, "", cures or (FoundCure("a pair", None, words),))


def _list(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jnp.concatenate(a, b): the arrays need a list."""
    arrays = list(call.args)
    last = arrays[-1] if len(arrays) > 2 and is_integer(raised, arrays[-1]) else None
    arrays = arrays[:-1] if last is not None else arrays
    known_arrays = [array for array in arrays if dtype_of(value_of(raised, array)) or isinstance(array, ast.Call)]
    if len(arrays) < 2 or len(known_arrays) != len(arrays):
        return None
    array_list = f"[{', '.join(raised.source(array) for array in arrays)}]"
    code = written(raised, call, [array_list, *([raised.source(last)] if last is not None else [])])
    words = f"Write the arrays in one list: {called(call)} joins the arrays of a list or a tuple."
    title = f"{called(call)} takes the arrays as one list"
    return Explained(None, title, "", rewritten(raised, call, "a list of arrays", code, words))


# --- functions and values ---


def _is_function(raised: RaisedAt, node: ast.expr) -> bool:
    if isinstance(node, ast.Lambda) or called(node) == "partial":
        return True
    value = value_of(raised, node)
    kind = type(value)
    functions = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
    # Some functions are objects of other classes: jnp.add is a ufunc, and jax.nn.relu is a custom_jvp.
    return kind in functions or is_jitted(value) or kind.__name__ in ("ufunc", "custom_jvp", "custom_vjp")


def _functions(raised: RaisedAt, call: ast.Call, message: str) -> Explained | None:
    name = called(call)
    if name == "switch" and len(call.args) > 1 and _is_function(raised, call.args[1]):
        return _branches(raised, call)
    if name in _TRANSFORMS and call.args and isinstance(call.args[0], ast.Call):
        return _result_of_call(raised, call, call.args[0], message)
    place = _FUNCTIONS_AT.get(name)
    if name == "map" and "tree" in ast.unparse(call.func):
        name = "tree.map"
    if place is None or place >= len(call.args) or _is_function(raised, call.args[place]):
        return None
    function_places = [position for position, node in enumerate(call.args) if _is_function(raised, node)]
    if len(function_places) != 1:
        return None
    arguments = [raised.source(argument) for argument in call.args]
    # the cure moves only the function to its place; the other arguments keep their order
    arguments.insert(place, arguments.pop(function_places[0]))
    right_number, passed_number = place + 1, function_places[0] + 1
    title = f"{name} takes the function as its argument {right_number}, not as its argument {passed_number}"
    words = f"Pass the arguments of {name} in the order that this code shows."
    return Explained(None, title, "", rewritten(raised, call, "the order", written(raised, call, arguments), words))


def _branches(raised: RaisedAt, call: ast.Call) -> Explained:
    end = 1
    while end < len(call.args) and _is_function(raised, call.args[end]):
        end += 1
    arguments = [raised.source(argument) for argument in call.args]
    code = written(raised, call, [arguments[0], f"[{', '.join(arguments[1:end])}]", *arguments[end:]])
    words = "switch takes its branches as one list, and passes the arguments after the list to the branch that runs."
    title = "switch takes its branches as one list"
    return Explained(None, title, "", rewritten(raised, call, "a list of branches", code, words))


def _result_of_call(raised: RaisedAt, call: ast.Call, inner: ast.Call, message: str) -> Explained | None:
    """Explains jax.jit(f(x)): the result of a call instead of the function."""
    if re.search(r"got None|'NoneType'", message):
        title = f"{called(call)} takes a function, but {raised.source(inner)} returns None"
        words = f"Return the function at the end of {raised.source(inner.func)}."
        return Explained(None, title, "", (FoundCure("return", None, words),))
    title = f"{called(call)} takes a function, but gets the result of {raised.source(inner)}"
    words = f"{FUNCTION_ITSELF} The transformed function takes the arguments, as in jax.jit(f)(x)."
    if not isinstance(inner.func, ast.Name) or not _is_function(raised, inner.func):
        return Explained(None, title, "", (FoundCure("the function", None, words),))
    code = raised.source(inner.func)
    return Explained(None, title, "", rewritten(raised, inner, "the function", code, words))


def _named_argnums(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jax.grad(loss, argnums="w"): the name of an argument instead of its position."""
    transforms = [
        candidate
        for candidate in (call, call.func)
        if isinstance(candidate, ast.Call) and called(candidate) in _TRANSFORMS
    ]
    for transform in transforms:
        option = next((keyword.value for keyword in transform.keywords if keyword.arg == "argnums"), None)
        names = [option] if not isinstance(option, ast.Tuple | ast.List) else option.elts
        texts = [element.value for element in names if isinstance(element, ast.Constant) and type(element.value) is str]
        if option is None or not texts or not transform.args:
            continue
        passed_name = texts[0]
        title = f"argnums takes the positions of arguments, not the name {passed_name}"
        words = "Write the position of the argument: the first argument has the position 0."
        parameters = parameters_of(value_of(raised, transform.args[0]))
        if len(texts) != len(names) or not all(text in parameters for text in texts):
            return Explained(None, title, "", (FoundCure("argnums", None, words),))
        places = [str(parameters.index(text)) for text in texts]
        code = places[0] if option is names[0] else f"({', '.join(places)}{',' if len(places) == 1 else ''})"
        return Explained(None, title, "", rewritten(raised, option, "argnums", code, words))
    return None


def _named_static(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jax.jit(f, static_argnums="n"): the name of an argument instead of its position."""
    if "jit" not in [called(call), *(ast.unparse(argument).rpartition(".")[2] for argument in call.args[:1])]:
        return None
    for option in call.keywords:
        names = option.value.elts if isinstance(option.value, ast.Tuple | ast.List) else [option.value]
        texts = [element.value for element in names if isinstance(element, ast.Constant) and type(element.value) is str]
        if option.arg not in ("static_argnums", "donate_argnums") or not texts:
            continue
        named = option.arg.replace("argnums", "argnames")
        option_name, passed_name = option.arg, texts[0]
        title = f"{option_name} takes the positions of arguments, not the name {passed_name}"
        code = f"{named}={raised.source(option.value)}"
        words = f"The option {named} takes the names of arguments."
        if len(texts) != len(names):
            return Explained(None, title, "", (FoundCure(named, None, words),))
        cures = rewritten(raised, option, named, code, words)
        return Explained(None, title, "", cures or (FoundCure(named, code, words),))
    return None


def _policy(raised: RaisedAt) -> Explained | None:
    """Explains checkpoint(policy="dots_saveable"): the name of a policy instead of the policy."""
    import jax

    calls = [node for node in ast.walk(raised.loops.module) if isinstance(node, ast.Call)] if raised.loops else []
    checkpoints = [
        node
        for node in calls
        if {called(node), *(ast.unparse(argument).rpartition(".")[2] for argument in node.args)}
        & {"checkpoint", "remat"}
    ]
    for node in (keyword for checkpoint in checkpoints for keyword in checkpoint.keywords):
        if node.arg == "policy" and isinstance(node.value, ast.Constant):
            name = node.value.value
            if type(name) is not str:
                continue
            title = f"The policy of checkpoint is a function, not the string '{name}'"
            words = "Write a function of the module jax.checkpoint_policies."
            if not hasattr(jax.checkpoint_policies, name) or namespace(raised).get("jax") is not jax:
                return Explained(None, title, "", (FoundCure("jax.checkpoint_policies", None, words),))
            code = f"jax.checkpoint_policies.{name}"
            cures = rewritten(raised, node.value, "jax.checkpoint_policies", code, words)
            return Explained(edit_of(raised, over(node.value, "")).place, title, "", cures)
    return None


# --- devices ---


def _devices(raised: RaisedAt, call: ast.Call, size_on_device: str | None, size: str | None) -> Explained | None:
    """Explains a pmap over more elements than JAX has devices.

    Args:
        raised: Where the error was raised.
        call: The call of the mapped function.
        size_on_device: The number of elements that JAX gave each device; None if the message has only `size`.
        size: The number of elements.
    """
    import jax

    pmap = _pmap(raised, call)
    if pmap is None:
        return None
    device_count = jax.local_device_count()
    size = size or str(int(size_on_device or 0) * device_count)
    title = f"pmap needs one device for each of the {size} elements, but JAX has {count(device_count, 'device')}"
    words = (
        "Use jax.vmap, which maps the axis on one device, or jax.jit with a sharding, which splits arrays over devices."
    )
    function = raised.source(pmap)
    if not function.endswith("jax.pmap"):
        return Explained(None, title, "", (FoundCure("jax.vmap", None, words),))
    code = f"{function.removesuffix('pmap')}vmap"
    cures = rewritten(raised, pmap, "jax.vmap", code, words)
    return Explained(None, title, "", cures or (FoundCure("jax.vmap", None, words),))


def _pmap(raised: RaisedAt, call: ast.Call) -> ast.expr | None:
    """Return the code that names pmap, in jax.pmap(f)(x) or in the decorator of f; None if the call is no pmap."""
    mapped = behind_name(raised, call.func)
    if called(mapped) == "pmap" and isinstance(mapped, ast.Call):
        return mapped.func
    function = function_of_text(raised, call.func)
    for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else []:
        is_partial = called(decorator) == "partial" and isinstance(decorator, ast.Call) and bool(decorator.args)
        named = decorator.args[0] if is_partial and isinstance(decorator, ast.Call) else decorator
        named = named.func if isinstance(named, ast.Call) else named
        if ast.unparse(named).rpartition(".")[2] == "pmap":
            return named
    return None


_XLA_FLAGS = (
    "Use no more devices than JAX has. To test with {count} devices on a CPU, set the environment variable "
    "XLA_FLAGS=--xla_force_host_platform_device_count={count} before Python starts."
)


def _lists_devices(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression is `jax.devices()`, without arguments."""
    import jax

    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    owner = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "devices" else None
    return isinstance(owner, ast.Name) and namespace(raised).get(owner.id) is jax


def _no_device(raised: RaisedAt) -> Explained | None:
    """Explains jax.devices()[1] when JAX has one device."""
    import jax

    node = raised.node
    if not isinstance(node, ast.Subscript) or not _lists_devices(raised, node.value):
        return None
    index = raised.source(node.slice)
    device_count = jax.device_count()
    title = f"There is no device {index}: on this machine, JAX has {count(device_count, 'device')}"
    needed_count = str(int(index) + 1) if index.isdecimal() else "N"
    return Explained(None, title, "", (FoundCure("jax.devices()", None, _XLA_FLAGS.format(count=needed_count)),))


def _mesh(raised: RaisedAt, size: int, shape: str) -> Explained | None:
    """Explains np.array(jax.devices()).reshape(2, 1) when JAX has one device."""
    call = raised.node
    device_array = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    if (
        called(call) != "reshape"
        or called(device_array) not in ("array", "asarray")
        or not isinstance(device_array, ast.Call)
    ):
        return None
    if len(device_array.args) != 1 or not _lists_devices(raised, device_array.args[0]):
        return None
    sizes = [int(size_text) for size_text in re.findall(r"\d+", shape)]
    device_count = 1
    for axis_size in sizes:
        device_count *= axis_size
    title = (
        f"A mesh of the shape {shape} needs {device_count} devices, but on this machine JAX has {count(size, 'device')}"
    )
    return Explained(None, title, "", (FoundCure("the shape", None, _XLA_FLAGS.format(count=device_count)),))


# --- optax ---


def _no_state(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains opt.update(grads, None, params): the optimizer needs its state."""
    if len(call.args) < 2 or not isinstance(call.func, ast.Attribute):
        return None
    state = call.args[1]
    is_none = isinstance(state, ast.Constant) and state.value is None
    is_none = is_none or (
        isinstance(state, ast.Name) and state.id in namespace(raised) and value_of(raised, state) is None
    )
    optimizer = raised.source(call.func.value)
    if not is_none or "optax" not in packages_of(value_of(raised, call.func.value)):
        return None
    title = f"{optimizer}.update gets None as the state"
    params = raised.source(call.args[2]) if len(call.args) > 2 else "params"
    words = f"Make the state once with {optimizer}.init, and keep the state that update returns."
    return Explained(None, title, "", (FoundCure("init", f"state = {optimizer}.init({params})", words),))


def _no_params(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains opt.update(grads, state): the optimizer also needs the parameters that init got."""
    if raised.loops is None or called(call) != "update" or len(call.args) != 2 or call.keywords:
        return None
    assert isinstance(call.func, ast.Attribute)
    optimizer = ast.unparse(call.func.value)
    candidates = {
        raised.source(node.args[0])
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{optimizer}.init" and len(node.args) == 1
    }
    if len(candidates) != 1:
        return None
    (params,) = candidates
    code = written(raised, call, [*(raised.source(argument) for argument in call.args), params])
    words = f"Pass the parameters that {optimizer}.init received as the third argument of {optimizer}.update."
    cures = rewritten(raised, call, "params", code, words)
    return Explained(None, UPDATE_WITHOUT_PARAMETERS, "", cures) if cures else None


def _class_labels(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains softmax_cross_entropy(logits, labels) with one integer for each row in the place of probabilities."""
    if len(call.args) != 2 or call.keywords:
        return None
    logits, labels = (shape_of(raised, argument) for argument in call.args)
    # `operands` also knows the type of an argument that is a call, such as jnp.array([1])
    holds_integers = re.search(r"\bis [iu]\d+\[", operands(raised, call.args[1:]))
    if not holds_integers or not logits or labels != logits[:-1]:
        return None
    source_of_labels = raised.source(call.args[1])
    title = f"{called(call)} takes a probability for each class, but {source_of_labels} holds the numbers of classes"
    code = f"{raised.source(call.func)}_with_integer_labels"
    words = f"Call {code}, which takes one integer for each row: the number of the class."
    cures = rewritten(raised, call.func, "integer labels", code, words)
    return Explained(None, title, operands(raised, call.args), cures)


def _labels(raised: RaisedAt, call: ast.Call) -> Explained:
    """Explains integer labels with as many axes as the logits: such labels must have one axis less."""
    title = f"{called(call)} takes labels with one axis less than the logits"
    words = (
        "Pass one integer for each row as the labels, or call optax.softmax_cross_entropy for labels with one number "
        "for each class."
    )
    return Explained(None, title, operands(raised, call.args), (FoundCure("integer labels", None, words),))


_INTEGER_LABELS = "_with_integer_labels"


def _labels_of_floats(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains class numbers (labels) with a float dtype: they need an integer dtype."""
    node = call.args[1]
    if "float" not in dtype_of(value_of(raised, node)):
        return None
    source = raised.source(node)
    title = f"{called(call)} takes integers as labels, but the dtype of {source} is {dtype_of(value_of(raised, node))}"
    logits, labels = (getattr(value_of(raised, part), "shape", None) for part in call.args[:2])
    if labels == logits and called(call).endswith(_INTEGER_LABELS):
        code = raised.source(call.func).removesuffix(_INTEGER_LABELS)
        words = f"Call {code}, which takes a float for each class: {source} has a float for each class."
        cures = rewritten(raised, call.func, "float labels", code, words)
        return Explained(None, title, operands(raised, call.args), cures)
    code = f"{source}.astype(int)"
    words = f"Write {code}, which converts {source} to integers: the number of a class is an integer."
    return Explained(None, title, operands(raised, [node]), rewritten(raised, node, ".astype", code, words))


def _module_in_init(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains tx.init(model) with a module of equinox, which contains functions as well as arrays."""
    names = [name for name, module in namespace(raised).items() if own_name(module, "__name__") == "equinox"]
    node = call.args[0] if called(call) == "init" and len(call.args) == 1 else None
    if node is None or not names or "equinox" not in packages_of(value_of(raised, node)):
        return None
    source = raised.source(node)
    title = f"init takes arrays, but {source} also holds functions"
    code = f"{names[0]}.filter({source}, {names[0]}.is_array)"
    words = f"equinox.filter keeps the arrays of {source}, and puts None in the place of everything else."
    text = f"{source} is a module of equinox."
    return Explained(None, title, text, rewritten(raised, node, "arrays alone", code, words))


def _linen_in_init(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains tx.init(model) with a module of flax.linen, whose parameters are in a separate dict."""
    node = call.args[0] if called(call) == "init" and len(call.args) == 1 else None
    value = value_of(raised, node) if node is not None else None
    if node is None or not any(own_name(kind, "__module__") == "flax.linen.module" for kind in mro_of(type(value))):
        return None
    source = raised.source(node)
    title = f"init takes the parameters, but {source} is a module of flax without parameters"
    text = (
        f"{source}.init(key, x) returns the variables of {source}: a dict that has the parameters under the key "
        "'params'."
    )
    code = f"{raised.source(call.func)}(variables['params'])"
    words = f"First write variables = {source}.init(key, x), and then {code}."
    return Explained(None, title, text, (FoundCure("the parameters", code, words),))


# --- trees ---


def trees_error(raised: RaisedAt, operator: str, left: str, right: str) -> Explained | None:
    """Explains params - 0.1 * grads with dicts of arrays: jax.tree.map is needed."""
    import jax

    node = raised.node
    if not isinstance(node, ast.BinOp):
        return None
    while isinstance(outer := raised.parents.get(id(node)), ast.BinOp):
        node = outer
    names = {part.id: value_of(raised, part) for part in ast.walk(node) if isinstance(part, ast.Name)}
    trees = [name for name, value in names.items() if _is_tree(value, {left, right})]
    # For a named tuple, Python's message may say only "tuple".
    culprits = [
        name
        for name in trees
        if type(names[name]).__name__ in (left, right) or ("tuple" in (left, right) and isinstance(names[name], tuple))
    ]
    if not culprits or namespace(raised).get("jax") is not jax:
        return None
    if len(trees) < len(names) and all(_is_row(names[name]) for name in trees):
        return None  # beside an array, a list of numbers stands for one array, not for a tree
    kind = type(names[culprits[-1]]).__name__
    name_of_tree = culprits[-1]
    title = f"{operator} works on arrays, but {name_of_tree} is {with_article(kind)} of arrays"
    if not isinstance(names[name_of_tree], _TREES):
        title = f"{operator} works on arrays, but {name_of_tree} is a tree of arrays of the type {kind}"
    parameters = ", ".join(trees)
    code = f"jax.tree.map(lambda {parameters}: {raised.source(node)}, {parameters})"
    words = "jax.tree.map computes with the arrays at the same place of each tree."
    cures = rewritten(raised, node, "jax.tree.map", code, words)
    if not cures and "equinox" in packages_of(names[name_of_tree]):
        words = (
            f"{words} equinox.apply_updates(model, updates) adds a tree of updates to a module, and leaves out the "
            "places where the updates have None."
        )
    map_cure = FoundCure("jax.tree.map", None, words)
    is_with_number = any(isinstance(part, ast.Constant) for part in (node.left, node.right))
    if not cures and not is_with_number and len(trees) == 1 and type(names[name_of_tree]) in (dict, list, tuple):
        # The other operand is an array, so the code may also mean one array of the tree.
        if (arrays := arrays_in_tree(name_of_tree, names[name_of_tree])) is not None:
            return Explained(None, title, arrays[0], (arrays[1],))
    return Explained(None, title, "", cures or (map_cure,))


def _is_row(value: Any) -> bool:
    """Return whether a list or tuple contains only numbers, so that it stands for one array."""
    return type(value) in (list, tuple) and all(dtype_of(leaf) and not leaf.shape for leaf in value)


def _is_tree(value: Any, kinds: set[str]) -> bool:
    """Return whether a value is a container of arrays (Python numbers may be among them).

    Args:
        value: The value.
        kinds: The names of the classes in Python's message, which may be registered containers, such as a module.
    """
    import jax

    if type(value) not in _TREES and not isinstance(value, tuple):  # a named tuple is a container, too
        is_module = type(value).__name__ in kinds and bool(packages_of(value) & _PACKAGES_OF_MODULES)
        if not is_module or jax.tree_util.all_leaves([value]):
            return False
        return any(map(dtype_of, jax.tree_util.tree_leaves(value)[:1_000]))
    leaves = jax.tree_util.tree_leaves(value)[:1_000]
    arrays = [leaf for leaf in leaves if dtype_of(leaf)]
    return bool(arrays) and all(dtype_of(leaf) or type(leaf) in (int, float, complex) for leaf in leaves)
