"""Explains an error of `grad` or `vmap`: the argument, result or option that the transform does not allow."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from ...jax.tracer_origins import short_type, type_of
from ...observe.observation import FoundCure
from ...plain_text import message_of, own_name
from ...quantities import count
from .arguments import packages_of
from .auxiliaries import has_aux_cure
from .complex_losses import HOLOMORPHIC, complex_cures
from .constructs import called
from .edits import applied, chosen, edit_of, over
from .explanation import Explained
from .float_leaves import without_others
from .names import jnp_name, namespace
from .origins import dtype_of, makes_key, root_of, value_of
from .raised import RaisedAt
from .returned import AnyFunction, function_of_text, missing_return, result_of
from .static_argument_edits import parameters_of
from .trial_of_cure import passed

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
_SIZES = re.compile(r"^vmap got inconsistent sizes for array axes to be mapped:")
_SIZE = re.compile(
    r"one axis had size (\d+): axis (-?\d+) of (?:argument )?(\S+?)(?: of type ([\w\[\],]+))?(?=[;,.]?\s|[;,.]?$)"
)
_SIZE_MANY = re.compile(
    r"(?:most|some) axes .*? had size (\d+), e\.g\. axis (-?\d+) of (?:argument )?(\S+?) of type ([\w\[\],]+)"
)
_AXIS_SIZE = re.compile(r"the `axis_size` argument was (\d+)")
_IN_AXES = re.compile(r"^vmap in_axes must be an int, None, or .*?len\(in_axes\)=(\d+), len\(args\)=(\d+)", re.DOTALL)
_RANK = re.compile(
    r"^vmap was requested to map its argument along axis (-?\d+), which implies that its rank should be at least (\d+)"
    r", but is only (\d+)"
)
_NO_JAX_TYPE = re.compile(r"^Argument '.*' of type '?<class '(?:\w+\.)*(\w+)'>'? is not a valid JAX type", re.DOTALL)
_NONE = re.compile(r"^vmap must have at least one non-None value in in_axes")


def transform_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error of grad, value_and_grad, jacobian or vmap about a function and its arguments."""
    if not isinstance(error, TypeError | ValueError):
        return None
    text = message_of(error).strip()
    call = Applied(raised)
    if match := _INPUT.search(text):
        return _input(call, match["word"], match["dtype"])
    if match := _OUTPUT.search(text):
        word = called(call.transform) or match["word"]
        title = f"jax.{word} needs a float result, but {call.name} returns {match['dtype']}"
        if match["dtype"].startswith("complex"):
            derivative = call.with_option("holomorphic=True", "holomorphic", HOLOMORPHIC)
            cures = complex_cures(raised, call.function, derivative)
            return Explained(None, title, call.returns, tuple(cures))
        words = (
            "Comparisons and integers have no gradient. Compute the result in floats, for example with jax.nn.sigmoid."
        )
        return Explained(None, title, call.returns, (FoundCure("a float result", None, words),))
    if (match := _NO_JAX_TYPE.search(text)) and call.transform is not None and call.call is not None:
        return _no_array(call, match[1])
    if text.startswith("iteration over a 0-d array") and raised is not None:
        return _unpacked(raised)
    if match := _SCALAR.search(text):
        return _scalar(call, match["shape"], match["value"])
    if match := _ARGNUMS.search(text):
        return _argnums(call, match["number"], int(match["count"]))
    if _SIZES.search(text):
        return _sizes(call, text)
    if match := _IN_AXES.search(text):
        return _in_axes(call, int(match[1]), int(match[2]))
    if match := _RANK.search(text):
        return _rank(call, int(match[1]), int(match[3]))
    if _NONE.search(text):
        return _no_axis(call)
    return None


class Applied:
    """A transform and the call of the transformed function, as in jax.grad(f)(x)."""

    def __init__(self, raised: RaisedAt | None) -> None:
        self.raised = raised
        self.call = raised.node if raised is not None and isinstance(raised.node, ast.Call) else None
        self.transform: ast.Call | None = None
        if raised is None or self.call is None:
            return
        mapped = self.call.func
        if isinstance(mapped, ast.Name):
            mapped = assigned(raised, mapped.id) or mapped
        if called(mapped) == "jit" and isinstance(mapped, ast.Call) and len(mapped.args) == 1:
            mapped = mapped.args[0]
        if called(mapped) in ("grad", "value_and_grad", "vmap", "jacobian", "jacfwd", "jacrev", "hessian"):
            assert isinstance(mapped, ast.Call)
            self.transform = mapped

    @property
    def transform_module(self) -> str:
        """The module name in the code before the name of the transform, such as jax of jax.grad."""
        return ast.unparse(self.transform.func).rpartition(".")[0] if self.transform is not None else ""

    @property
    def function(self) -> AnyFunction | None:
        """The transformed function, if the code defines it."""
        if self.raised is None:
            return None
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
    def name(self) -> str:
        """The name of the transformed function."""
        node = self.transform.args[0] if self.transform is not None and self.transform.args else None
        if node is None and isinstance(self.function, ast.FunctionDef):
            return self.function.name
        return node.id if isinstance(node, ast.Name) else "the function"

    @property
    def parameters(self) -> list[str]:
        """The parameters of the transformed function."""
        function = self.function
        if function is not None:
            return [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
        node = self.transform.args[0] if self.transform is not None and self.transform.args else None
        if self.raised is not None and isinstance(node, ast.Name):
            return parameters_of(namespace(self.raised).get(node.id))
        if self.raised is not None and isinstance(node, ast.Attribute) and self.raised.frame is not None:
            return parameters_of(value_of(self.raised, node))
        return []

    @property
    def returns(self) -> str:
        """The sentence that shows the return expression of the function."""
        result = result_of(self.function)
        if self.raised is None or result is None:
            return ""
        name = f"{self.name[0].upper()}{self.name[1:]}" if self.name.startswith("the ") else self.name
        return f"{name} returns {' '.join(self.raised.source(result).split())} (line {result.lineno})."

    def argument(self, number: int) -> str:
        """Return the name of the argument at a position."""
        parameters = self.parameters
        return parameters[number] if number < len(parameters) else str(number)

    def option(self, name: str) -> ast.expr | None:
        """Return the value of an option of the transform, such as argnums; None without the option."""
        if self.transform is None:
            return None
        return next((keyword.value for keyword in self.transform.keywords if keyword.arg == name), None)

    def leaf_of(self, dtype: str) -> tuple[int, str, Any]:
        """Return the first differentiated leaf of a dtype: its argument number, path in the argument, and value."""
        import jax

        option = self.option("argnums")
        nodes = [option] if not isinstance(option, ast.Tuple | ast.List) else option.elts
        numbers = [
            element.value for element in nodes if isinstance(element, ast.Constant) and type(element.value) is int
        ] or [0]
        arguments = self.call.args if self.call is not None else []
        for number in numbers:
            value = self.value(arguments[number]) if number < len(arguments) else None
            for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0][:1_000] if value is not None else ():
                if (_dtype(leaf) or dtype) == dtype:
                    return number, jax.tree_util.keystr(path), leaf
        return numbers[0], "", None

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

    def explained(self, title: str, text: str, cures: list[FoundCure]) -> Explained:
        """Return the explanation, with the cures that passed their trial."""
        return Explained(None, title, text, tuple(cures if self.raised is None else passed(self.raised, cures)))


def assigned(raised: RaisedAt, name: str) -> ast.expr | None:
    """Return the value in the only assignment to a name in the code."""
    if raised.loops is None:
        return None
    values = [
        node.value
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Assign) and any(isinstance(e, ast.Name) and e.id == name for e in node.targets)
    ]
    return values[0] if len(values) == 1 else None


def _dtype(value: Any) -> str:
    return {bool: "bool", int: "int32", float: "float32", complex: "complex64"}.get(type(value)) or dtype_of(value)


# --- grad ---


def _input(call: Applied, word: str, dtype: str) -> Explained:
    number, path, leaf = call.leaf_of(dtype)
    name = call.argument(number) + path
    word = called(call.transform) or word
    title = f"jax.{word} needs a float, but the argument {name} of {call.name} is {dtype}"
    text = "A derivative is the limit of small changes, and an integer has none."
    cure = FoundCure("a float", None, "Pass a float.")
    raised = call.raised
    if raised is not None and call.call is not None and number < len(call.call.args):
        node = call.call.args[number]
        source = raised.source(node)
        if isinstance(node, ast.Constant) and type(node.value) is int:
            code = f"{node.value}.0"
        elif not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute):
            code = None
        elif path:
            code = None
            cure = FoundCure("a float", None, f"Make {name} a float, or pass it as an argument of its own.")
        elif type(call.value(node)) is int:
            code = f"float({source})"
        else:
            code = f"{source}.astype(float)"
        kind = type_of(leaf) if leaf is not None else ""
        text += f" {name} is {kind}." if kind else ""
        if code is not None:
            cure = applied(FoundCure("a float", code, f"Pass {name} as a float."), [edit_of(raised, over(node, code))])
    return call.explained(title, text, [cure])


def _scalar(call: Applied, shape: str | None, value: str | None) -> Explained:
    raised = call.raised
    word = called(call.transform) or "grad"
    if value is not None and value.strip().startswith("None"):
        missing = missing_return(raised, call.function) if raised is not None else None
        cure = missing or FoundCure("return", None, "Return the number that is to be differentiated.")
        return call.explained(f"jax.{word} needs one number, but {call.name} returns None", "", [cure])
    if value is not None and value.strip().startswith("("):
        cure = has_aux_cure(raised, call.transform, result_of(call.function))
        return call.explained(f"jax.{word} needs one number, but {call.name} returns a tuple", call.returns, [cure])
    result_text = f"an array of shape {shape}" if shape is not None else "something else"
    cures = []
    result = result_of(call.function)
    if raised is not None and result is not None:
        simple = isinstance(result, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        code = f"{raised.source(result) if simple else f'({raised.source(result)})'}.sum()"
        words = "The sum is one number. Its gradient has the shape of the argument."
        cures.append(applied(FoundCure(".sum()", code, words), [edit_of(raised, over(result, code))]))
    else:
        cures.append(FoundCure(".sum()", None, "Reduce the result to one number, for example with .sum() or .mean()."))
    words = "jax.jacobian gives the derivative of each element of the result."
    if raised is not None and _rebinds_operand(raised):
        pass  # a step such as w = w - rate * jax.grad(f)(w) needs a gradient of the shape of w
    elif raised is not None and call.transform is not None and call.transform_module == "jax" and word == "grad":
        function = call.transform.func
        code = f"{raised.source(function).rpartition('.')[0] or 'jax'}.jacobian"
        jacobian = applied(FoundCure("jax.jacobian", code, words), [edit_of(raised, over(function, code))])
        cures.append(jacobian)
    elif word == "grad":
        cures.append(FoundCure("jax.jacobian", None, words))
    return call.explained(f"jax.{word} needs one number, but {call.name} returns {result_text}", call.returns, cures)


def _rebinds_operand(raised: RaisedAt) -> bool:
    """Return whether the statement assigns to a name that it also reads, as in `w = w - rate * jax.grad(f)(w)`."""
    match raised.statement_of(raised.node):
        case ast.AugAssign():
            return True
        case ast.Assign(targets=targets, value=value):
            stored = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
            return any(isinstance(part, ast.Name) and part.id in stored for part in ast.walk(value))
    return False


def _no_array(call: Applied, kind: str) -> Explained | None:
    """Explains an argument of a transformed function that is not an array or contains other values."""
    import jax

    raised, call_node = call.raised, call.call
    if raised is None or call_node is None or call.transform is None:
        return None
    word = called(call.transform)
    function = call.transform.args[0] if call.transform.args else None
    for number, node in enumerate(call_node.args):
        value = call.value(node)
        for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0][:1_000] if value is not None else ():
            if type(leaf).__name__ != kind:
                continue
            name = f"{call.argument(number)}{jax.tree_util.keystr(path)}"
            title = f"jax.{word} takes arrays, but {name} is a {kind}"
            is_method = isinstance(function, ast.Attribute) and value_of(raised, function.value) is leaf
            if is_method and number == 0 and isinstance(function, ast.Attribute):
                source = raised.source(function)
                title = f"{source} has its object already, but the call passes {raised.source(node)} too"
                argument_texts = [raised.source(argument) for argument in [*call_node.args[1:], *call_node.keywords]]
                code = f"{raised.source(call_node.func)}({', '.join(argument_texts)})"
                words = f"{source} is a method of an object: Python passes the object as self."
                cure = applied(FoundCure("without self", code, words), [edit_of(raised, over(call_node, code))])
                return call.explained(title, "", [cure])
            if (filtered := _filtered(call, value)) is not None:
                return call.explained(title, f"{call.argument(number)} is a module of equinox.", [filtered])
            words = f"Keep {name} out of what is passed: differentiate and map arrays alone."
            cure = FoundCure("arrays alone", None, words)
            if path:
                is_of_floats = word in _FILTERS and call.option("allow_int") is None
                cure = without_others(raised, node, value, call.argument(number), name, is_of_floats)
            return Explained(None, title, "", (cure,))
    return None


_FILTERS = frozenset({"grad", "value_and_grad", "jacfwd", "jacrev", "hessian"})


def _filtered(call: Applied, value: Any) -> FoundCure | None:
    """Return the cure equinox.filter_grad for an equinox module; None for other values, or without equinox."""
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
    if equinox is None or call.transform_module != "jax":
        return FoundCure(name, None, words)
    code = f"{equinox}.filter_{called(transform)}"
    return applied(FoundCure(name, code, words), [edit_of(raised, over(transform.func, code))])


def _unpacked(raised: RaisedAt) -> Explained | None:
    """Explains gw, gb = jax.grad(loss)(w, b): grad returns one gradient without argnums."""
    statement = raised.statement_of(raised.node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
        return None
    call = Applied(replace(raised, node=statement.value))
    names = len(statement.targets[0].elts)
    if called(call.transform) != "grad" or call.call is None or call.option("argnums") is not None:
        return None
    title = f"jax.grad gives one gradient here, that of {call.argument(0)}, but the line has {names} names"
    words = "argnums names the positions of the arguments to differentiate. The result is a tuple."
    option = f"argnums=({', '.join(map(str, range(names)))})"
    if names > len(call.call.args):
        return Explained(None, title, "", (FoundCure("argnums", None, words),))
    return call.explained(title, "", [call.with_option(option, "argnums", words)])


def _by_name(call: Applied, number: int) -> Explained | None:
    """Explains a keyword argument that grad should differentiate; grad differentiates positional arguments only."""
    raised, call_node, parameters = call.raised, call.call, call.parameters
    if raised is None or call_node is None or number < len(call_node.args) or number >= len(parameters):
        return None
    named = {keyword.arg: keyword for keyword in call_node.keywords if keyword.arg is not None}
    wanted_names = parameters[len(call_node.args) : number + 1]
    if not all(name in named for name in wanted_names):
        return None
    word = called(call.transform) or "grad"
    title = f"jax.{word} differentiates positional arguments, but {wanted_names[-1]} is passed by name"
    values = [raised.source(argument) for argument in call_node.args] + [
        raised.source(named[name].value) for name in wanted_names
    ]
    keywords = [raised.source(keyword) for keyword in call_node.keywords if keyword.arg not in wanted_names]
    code = f"{raised.source(call_node.func)}({', '.join([*values, *keywords])})"
    words = f"Without its name, {wanted_names[-1]} is the argument at position {number}."
    cure = applied(FoundCure("by position", code, words), [edit_of(raised, over(call_node, code))])
    return call.explained(title, "argnums counts from 0, and counts positional arguments only.", [cure])


def _argnums(call: Applied, number: str, passed_count: int) -> Explained:
    is_single = not number.startswith("(")
    if is_single and (named := _by_name(call, int(number))) is not None:
        return named
    argument_count = count(passed_count, "argument")
    title = f"argnums={number} names no argument: the call passes {argument_count}"
    if not is_single:
        title = f"argnums={number} names an argument that the call does not pass: it passes {argument_count}"
    option = call.option("argnums")
    text = "argnums counts from 0, and counts positional arguments only."
    words = f"Write a number from 0 to {passed_count - 1}." if passed_count else "Pass the arguments by position."
    cure = FoundCure("argnums", None, words)
    if is_single and call.raised is not None and option is not None and passed_count == 1:
        words = f"argnums=0 is the first argument, {call.argument(0)}."
        cure = applied(FoundCure("argnums", "0", words), [edit_of(call.raised, over(option, "0"))])
    return call.explained(title, text, [cure])


# --- vmap ---


def _sizes(call: Applied, text: str) -> Explained:
    axes_of_arrays = []
    for row in _SIZE_MANY.finditer(text):
        axes_of_arrays.append((row[1], row[2], row[3], row[4]))
    for row in _SIZE.finditer(text):
        axes_of_arrays.append((row[1], row[2], row[3], row[4] or ""))
    axis_size = _AXIS_SIZE.search(text)
    sizes = list(dict.fromkeys([*([axis_size[1]] if axis_size else []), *(row[0] for row in axes_of_arrays)]))
    title = (
        f"vmap maps axes of different sizes: {' and '.join(sizes)}" if sizes else "vmap maps axes of different sizes"
    )
    sentences = [
        f"{path} ({short_type(type_)}) has {size} elements along axis {axis}."
        if type_
        else f"{path} has {size} elements along axis {axis}."
        for size, axis, path, type_ in axes_of_arrays[:4]
    ]
    if axis_size is not None:
        sentences.insert(0, f"axis_size is {axis_size[1]}.")
        cure = FoundCure("axis_size", None, "Leave axis_size out: vmap takes the size from the arrays.")
        return call.explained(title, " ".join(sentences), [cure])
    names = call.parameters
    cure = FoundCure("in_axes", None, "Write None in in_axes for an argument that is the same for all elements.")
    if len({root_of(row[2]) for row in axes_of_arrays}) == 1 and axes_of_arrays:
        root = root_of(axes_of_arrays[0][2])
        words = f"Write None in in_axes for the parts of {root} that are the same for all elements."
        cure = FoundCure("in_axes", None, words)
    if (
        len(names) == 2
        and len({root_of(row[2]) for row in axes_of_arrays}) == len(axes_of_arrays) == 2
        and call.raised is not None
        and call.option("in_axes") is None
    ):
        code = "in_axes=(0, None)"
        cure = FoundCure(
            "in_axes", code, f"With this option of vmap, each element of {names[0]} meets all of {names[1]}."
        )
    equal = FoundCure("same size", None, "Cut or pad the arrays to one size along the mapped axis.")
    if (
        len(axes_of_arrays) == 2
        and call.option("in_axes") is not None
        and (in_axes_words := _other_axis(axes_of_arrays)) is not None
    ):
        return call.explained(title, " ".join(sentences), [FoundCure("in_axes", None, in_axes_words), equal, cure])
    return call.explained(title, " ".join(sentences), [cure, equal])


def _other_axis(axes_of_arrays: list[tuple[str, str, str, str]]) -> str | None:
    """Return the sentence on an axis of one array that is as long as the mapped axis of the other; None without one."""
    for (size, *_), (_, axis, path, type_) in (axes_of_arrays, axes_of_arrays[::-1]):
        sizes = re.findall(r"\d+", type_.partition("[")[2])
        places = [place for place, axis_size in enumerate(sizes) if axis_size == size and str(place) != axis]
        if len(places) == 1:
            return f"Map axis {places[0]} of {path}, which has {size} elements, too."
    return None


def _in_axes(call: Applied, entries: int, passed_count: int) -> Explained:
    title = f"in_axes has {count(entries, 'entry', 'entries')}, but the call passes {count(passed_count, 'argument')}"
    name = f"{call.name[0].upper()}{call.name[1:]}" if call.name.startswith("the ") else call.name
    text = f"{name} takes {', '.join(call.parameters[:8])}." if call.parameters else ""
    option = call.option("in_axes")
    words = "in_axes has one entry for each argument: the axis that vmap maps, or None."
    cure = FoundCure("in_axes", None, words)
    named = [keyword.arg for keyword in call.call.keywords if keyword.arg] if call.call is not None else []
    if named and entries > passed_count:
        title = title.replace("argument", "positional argument")
        text = f"in_axes has no entry for {named[0]}: vmap maps an argument that is passed by name along axis 0."
        words = f"Pass {' and '.join(named)} by position, or bind the value before vmap with functools.partial."
        return call.explained(title, text, [FoundCure("by position", None, words)])
    if call.raised is not None and isinstance(option, ast.Tuple | ast.List) and entries < passed_count:
        entries_text = [call.raised.source(entry) for entry in option.elts] + ["AXIS"] * (passed_count - entries)
        code = f"in_axes=({', '.join(entries_text)})"
        cure = FoundCure("in_axes", code, f"{words} Set AXIS to 0 to map the argument, or to None.")
        cure = chosen(cure, [edit_of(call.raised, over(option, code.partition("=")[2]))])
    return call.explained(title, text, [cure])


def _rank(call: Applied, axis: int, rank: int) -> Explained:
    culprit = None
    nodes = call.call.args if call.call is not None else []
    option = call.option("in_axes")
    axes: list[int | None] = [0] * len(nodes)
    if isinstance(option, ast.Constant) and type(option.value) is int:
        axes = [option.value] * len(nodes)
    elif isinstance(option, ast.Tuple) and len(option.elts) == len(nodes):
        constants = [entry.value if isinstance(entry, ast.Constant) else None for entry in option.elts]
        axes = [constant if type(constant) is int else None for constant in constants]
    for number, node in enumerate(nodes):
        if axes[number] == axis and (leaf := _flat_leaf(call, number, axis, rank)) is not None:
            return leaf
        shape = getattr(call.value(node), "shape", ())
        has_value = call.value(node) is not None
        if has_value and axes[number] == axis and len(shape) == rank:
            culprit = number
            break
    if culprit is None and (named := _named_without_axis(call, axis, rank)) is not None:
        return named
    if culprit is None and len(nodes) == 1 and call.call is not None and not call.call.keywords:
        culprit = 0
    keys = [number for number, node in enumerate(nodes) if call.raised is not None and makes_key(call.raised, node)]
    if rank == 0 and len(keys) == 1 and axes[keys[0]] == axis and culprit in (None, keys[0]):
        return _one_key(call, keys[0], axis)
    name = f"the argument {call.argument(culprit)}" if culprit is not None else "an argument"
    has = "no axis" if rank == 0 else "only 1 axis" if rank == 1 else f"only {rank} axes"
    title = f"vmap cannot map axis {axis} of {name}, which has {has}"
    cure = FoundCure("in_axes", None, "Write None in in_axes for an argument that vmap does not map.")
    text = ""
    if culprit is not None:
        kind = type_of(call.value(nodes[culprit])) if call.value(nodes[culprit]) is not None else ""
        text = f"{call.argument(culprit)} is {kind}." if kind else ""
    if culprit is not None and len(nodes) > 1 and all(entry is None or type(entry) is int for entry in axes):
        entries = ["None" if number == culprit else str(entry) for number, entry in enumerate(axes)]
        code = f"in_axes=({', '.join(entries)})"
        words = f"None: vmap passes {call.argument(culprit)} whole to each call."
        if call.raised is not None and option is not None:
            change = over(option, code.partition("=")[2])
            cure = applied(FoundCure("in_axes", code, words), [edit_of(call.raised, change)])
        else:
            cure = call.with_option(code, "in_axes", words)
    elif culprit is not None and rank == 1 and option is not None and call.raised is not None:
        words = f"Axis 0 is the only axis of {call.argument(culprit)}."
        cure = applied(FoundCure("in_axes", "0", words), [edit_of(call.raised, over(option, "0"))])
    return call.explained(title, text, [cure])


def _named_without_axis(call: Applied, axis: int, rank: int) -> Explained | None:
    """Explains an argument without an axis that the call of a vmapped function passes by name."""
    keywords = call.call.keywords if call.call is not None and axis == 0 and rank == 0 else []
    names = [keyword.arg for keyword in keywords if keyword.arg and _is_number(call, keyword.value)]
    if len(names) != 1:
        return None
    title = f"vmap cannot map axis 0 of the argument {names[0]}, which has no axis"
    text = "vmap maps an argument that is passed by name along axis 0, whatever in_axes is."
    words = f"Pass {names[0]} by position with None in in_axes, or bind the value before vmap with functools.partial."
    return call.explained(title, text, [FoundCure("by position", None, words)])


def _is_number(call: Applied, node: ast.expr) -> bool:
    """Return whether an argument is certainly a number, or an array without axes."""
    value = node.value if isinstance(node, ast.Constant) else call.value(node)
    return type(value) in (bool, int, float, complex) or getattr(value, "shape", None) == ()


def _one_key(call: Applied, number: int, axis: int) -> Explained:
    """Explains vmap over one random key: split the key, or pass the same key to each call."""
    name = call.argument(number)
    title = f"vmap cannot map axis {axis} of {name}, which is one random key"
    split = FoundCure(
        "jax.random.split",
        None,
        f"Pass jax.random.split({name}, n), a key for each of the n elements: each element then draws other numbers.",
    )
    same = FoundCure("in_axes", None, f"None in in_axes passes {name} whole: each element draws the same numbers.")
    return Explained(None, title, "", (split, same))


def _flat_leaf(call: Applied, number: int, axis: int, rank: int) -> Explained | None:
    """Explains an argument of vmap whose numbers or arrays have no axis to map, such as a list of numbers."""
    import jax

    assert call.call is not None
    node = call.call.args[number]
    value = call.value(node)
    if type(value) not in (list, tuple, dict) or call.raised is None:
        return None
    leaves = jax.tree_util.tree_flatten_with_path(value)[0][:1_000]
    flat = [path for path, leaf in leaves if len(getattr(leaf, "shape", ())) == rank]
    if not flat:
        return None
    name = call.argument(number)
    part = f"{name}{jax.tree_util.keystr(flat[0])}"
    has = "no axis" if rank == 0 else count(rank, "axis", "axes")
    title = f"vmap cannot map axis {axis} of {part}, which has {has}"
    kind = type(value).__name__
    if rank == 0 and type(value) is not dict and len(flat) == len(leaves) == len(value):
        explanation = (
            f"{name} is a {kind} of numbers. vmap maps each array in a {kind}, and does not map the {kind} itself."
        )
        namespace_ = jnp_name(call.raised)
        source = call.raised.source(node)
        code = f"{namespace_}.asarray({source})"
        words = f"asarray makes one array of the {kind}, and vmap maps its axis 0."
        cure = applied(FoundCure(code.partition("(")[0], code, words), [edit_of(call.raised, over(node, code))])
        return call.explained(title, explanation, [cure])
    explanation = f"vmap maps each array in {name}."
    words = f"Write None in in_axes for {part}: an entry of in_axes may be a container with the same keys and elements."
    return call.explained(title, explanation, [FoundCure("in_axes", None, words)])


def _no_axis(call: Applied) -> Explained:
    option = call.option("in_axes")
    words = "in_axes=0 maps the first axis of each argument."
    cure = FoundCure("in_axes", None, words)
    if call.raised is not None and isinstance(option, ast.Constant):
        cure = applied(FoundCure("in_axes", "0", words), [edit_of(call.raised, over(option, "0"))])
    return call.explained("vmap maps no argument: every entry of in_axes is None", "", [cure])
