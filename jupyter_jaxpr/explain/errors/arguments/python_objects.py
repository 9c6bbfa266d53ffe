"""Explains Python errors in traced code about a field, a list or a type check."""

from __future__ import annotations

import ast
import difflib
import re
import sys
from typing import Any

from ....jax.facts import is_tracer_type
from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import culprits, dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax
from ..message_tables.dtype_names import STRING_IN_TREE, TREE_WITHOUT_STRINGS
from ..message_tables.jax_messages import ELEMENTS_OF_XS, SCAN_OF_A_NUMBER
from ..shapes.missing_axes import AXES_OF_ARRAY
from .functions_of_other_libraries import called_attribute, same_function
from .jit_arguments import packages_of
from .misplaced_arguments import trees_error
from .missing_dict_keys import missing_key
from .moved_imports import moved_member
from .removed_functions import PRESENT_NAME, REMOVED

_NO_FIELD = re.compile(r"^'dict' object has no attribute '(\w+)'")
_NO_WAIT = re.compile(r"^'(\w+)' object has no attribute 'block_until_ready'")
_NO_MEMBER = re.compile(r"^module '(?:jax|optax|flax|equinox|diffrax)(?:\.\w+)*' has no attribute '(\w+)'")
_FIXED = re.compile(r"^(?:can't set attribute|cannot assign to field '(\w+)')")
_NOT_CALLED = re.compile(r"^'?[\w.]*(?:Tracer|ArrayImpl)'? object is not callable")
_CALLED_FIELD = re.compile(r"^'(?:int|tuple)' object is not callable")
_OF_LISTS = re.compile(
    r"^(?:can't multiply sequence by non-int of type '\w+'|unsupported operand type\(s\) for \S+(?: or pow\(\))?: "
    r"'(?:[\w.]*(?:Tracer|ArrayImpl)|list|tuple)' and '(?:[\w.]*(?:Tracer|ArrayImpl)|list|tuple|float|int)'"
    r"|can only concatenate (?:list|tuple) \(not \"\w+\"\) to (?:list|tuple))"
)
_JOINED = re.compile(r"^can only concatenate (list|tuple) \(not \"(list|tuple)\"\) to ")
_FORMAT = re.compile(r"^(?:tuple index out of range|Replacement index \d+ out of range for positional args tuple)")
_AXIS = re.compile(r"^index (-?\d+) is out of bounds for axis 0 with size (\d+)")
#: Functions of JAX that read shape[axis] with a Python index, so a wrong axis raises a Python IndexError.
_LOOK_UP = frozenset({"swapaxes", "categorical", "rollaxis"})
_MODULES = ("numpy", "nn", "lax", "random", "tree", "tree_util", "scipy.special", "ops")
_NUMBERS = (bool, int, float, complex)


def python_object_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an error that Python raised in traced code, or about an object of JAX."""
    if raised is None or raised.frame is None:
        return None
    text = message_of(error).strip()
    if isinstance(error, AttributeError) and (match := _NO_MEMBER.match(text)):
        return _no_member(raised, match[1])
    if isinstance(error, IndexError) and _FORMAT.match(text):
        return _index(raised)
    if isinstance(error, IndexError) and (match := _AXIS.match(text)) and called(raised.node) in _LOOK_UP:
        axis, number_of_axes = match[1], match[2]
        last_axis = int(number_of_axes) - 1
        title = f"The call names the axis {axis}, but the array has {number_of_axes} axes"
        cure = FoundCure("axis", None, AXES_OF_ARRAY.format(last_axis=last_axis))
        return Explained(None, title, "", (cure,))
    if isinstance(error, TypeError) and _NOT_CALLED.match(text):
        return _not_called(raised)
    if isinstance(error, TypeError) and _CALLED_FIELD.match(text) and (explained := called_attribute(raised)):
        return explained
    if isinstance(error, AttributeError) and _FIXED.match(text) and _of_library(raised):
        return _fixed(raised)
    if isinstance(error, AttributeError) and (match := _NO_WAIT.match(text)):
        return _no_wait(raised, match[1])
    if not raised.in_trace and not touches_jax(error):
        return None
    if isinstance(error, KeyError) and (named := _named_place(raised)) is not None:
        return named
    if isinstance(error, TypeError) and (match := _JOINED.match(text)):
        return _list_and_tuple(raised, match[1], match[2])
    if isinstance(error, TypeError) and _OF_LISTS.match(text):
        return _of_list(raised)
    if isinstance(error, KeyError):
        return missing_key(raised)
    if isinstance(error, AttributeError) and (match := _NO_FIELD.match(text)):
        return _no_field(raised, match[1])
    if isinstance(error, AttributeError) and _FIXED.match(text):
        return _fixed(raised)
    return _type_check(raised)


def _no_wait(raised: RaisedAt, kind: str) -> Explained | None:
    """Explains x.block_until_ready() of a container of arrays."""
    call = raised.node
    function = call.func if isinstance(call, ast.Call) else call
    if not isinstance(function, ast.Attribute):
        return None
    title = f"{kind} has no method block_until_ready: only an array has this method"
    words = "jax.block_until_ready waits for all arrays of a container, and returns the container."
    whole = raised.parents.get(id(function)) if call is function else call
    if not isinstance(whole, ast.Call):
        return Explained(None, title, "", (FoundCure("jax.block_until_ready", None, words),))
    code = f"jax.block_until_ready({raised.source(function.value)})"
    cure = applied(FoundCure("jax.block_until_ready", code, words), [edit_of(raised, over(whole, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])) or (FoundCure(cure.name, None, words),))


def _of_library(raised: RaisedAt) -> bool:
    """Return whether the failing statement sets a field of a module of equinox, or of a dataclass of flax."""
    statement = raised.statement_of(raised.node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if not isinstance(target, ast.Attribute):
        return False
    return not {"equinox", "flax"}.isdisjoint(packages_of(value_of(raised, target.value)))


def _named_place(raised: RaisedAt) -> Explained | None:
    """Explains jax.debug.print("{x}", x): the format names x, but the call does not pass x as a keyword argument."""
    call = raised.node
    if not isinstance(call, ast.Call) or not raised.source(call.func).endswith("debug.print") or not call.args:
        return None
    words = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    keyword_names = {keyword.arg for keyword in call.keywords}
    names = (
        [name for name in re.findall(r"\{([A-Za-z_]\w*)", words) if name not in keyword_names]
        if type(words) is str
        else []
    )
    if not names:
        return None
    printer, name_in_format = raised.source(call.func), names[0]
    title = f"The format of {printer} names {name_in_format}, but the call passes no value of this name"
    words_of_cure = "Pass the value as name=value, or write {} without a name in the format."
    sources = [raised.source(argument) for argument in call.args]
    written = re.findall(r"\{([A-Za-z_]\w*)", str(words))
    unread = [keyword for keyword in call.keywords if keyword.arg and keyword.arg not in written]
    if len(names) == len(unread) == len(call.keywords) == 1 and len(sources) == 1:
        value = raised.source(unread[0].value)
        code = f"{raised.source(call.func)}({sources[0]}, {names[0]}={value})"
        passed_name = unread[0].arg
        words_of_cure = (
            f"Pass {value} under the name {name_in_format}, which the format has, not under the name {passed_name}."
        )
        cure = applied(FoundCure("a name", code, words_of_cure), [edit_of(raised, over(call, code))])
        return Explained(None, title, "", tuple(passed(raised, [cure])))
    if sources[1:] != names:
        return Explained(None, title, "", (FoundCure("a name", None, words_of_cure),))
    keywords = [raised.source(keyword) for keyword in call.keywords]
    code = f"{raised.source(call.func)}({', '.join([sources[0], *(f'{name}={name}' for name in names), *keywords])})"
    cure = applied(FoundCure("a name", code, words_of_cure), [edit_of(raised, over(call, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _no_member(raised: RaisedAt, name: str) -> Explained | None:
    node = raised.node
    attribute = node.func if isinstance(node, ast.Call) else node
    if not isinstance(attribute, ast.Attribute) or attribute.attr != name:
        return None
    if name.startswith("tree_") and hasattr(sys.modules.get("jax.tree"), name.removeprefix("tree_")):
        code = f"jax.tree.{name.removeprefix('tree_')}"
        cure = applied(
            FoundCure(code, code, PRESENT_NAME.format(name=code)),
            [edit_of(raised, over(attribute, code))],
        )
        title = f"{raised.source(attribute.value)} has no function {name} any more"
        return Explained(None, title, "", tuple(passed(raised, [cure])))
    modules = [f"jax.{module}" for module in _MODULES if name in vars(sys.modules.get(f"jax.{module}", ast))]
    kind = "" if name[:1].isupper() else "function "  # a name with a capital is a class or a constant
    title = f"{raised.source(attribute.value)} has no {kind}{name}"
    module = value_of(raised, attribute.value)
    if same := same_function(raised, attribute, own_name(module, "__name__") or ""):
        return Explained(None, title, "", same)
    if (moved := moved_member(own_name(module, "__name__") or "", name)) is not None:
        present, cure_name, words = moved
        cure = FoundCure(cure_name, None, words)
        if present is not None:
            code = re.sub(r"^jax\.numpy\b", jnp_name(raised), present)
            cure = applied(FoundCure(code, code, words), [edit_of(raised, over(attribute, code))])
        gone = f"{raised.source(attribute.value)} has no {name} any more"
        return Explained(None, gone, "", tuple(passed(raised, [cure])))
    if modules:
        code = f"{modules[0] if modules[0] != 'jax.numpy' else jnp_name(raised)}.{name}"
        cure = FoundCure(code, code, f"{modules[0]} has {name}.")
        cure = applied(cure, [edit_of(raised, over(attribute, code))])
        return Explained(None, title, "", tuple(passed(raised, [cure])))
    if type(sys.modules.get(f"jax.{name}")) is type(sys) and type(module) is type(sys):
        code = f"jax.{name}"
        cure = FoundCure(code, code, f"{name} is a module of JAX: write {code}.")
        tried = passed(raised, [applied(cure, [edit_of(raised, over(attribute, code))])])
        return Explained(None, title, "", tuple(tried))
    if name in REMOVED:
        instead, words = REMOVED[name]
        return Explained(None, f"{title} any more", "", (FoundCure(instead, None, words),))
    names = [other for other in vars(module) if not other.endswith("_p")] if type(module) is type(sys) else []
    close_names = difflib.get_close_matches(name, names, 1, 0.8)
    if not close_names:
        return Explained(None, title)
    words = f"{raised.source(attribute.value)} has a function with a similar name: {close_names[0]}."
    return Explained(None, title, "", (FoundCure("the name", None, words),))


def _index(raised: RaisedAt) -> Explained | None:
    call = raised.node
    name = raised.source(call.func) if isinstance(call, ast.Call) else ""
    if not isinstance(call, ast.Call):
        return None
    if name.endswith("debug.print") and call.args:
        title = f"The format of {name} has more places {{}} for values than the call passes values"
        cure = FoundCure("a value", None, "Pass a value for each {} in the format.")
        return Explained(None, title, operands(raised, call.args[1:]), (cure,))
    if name.rpartition(".")[2] == "scan":
        xs_nodes = [keyword.value for keyword in call.keywords if keyword.arg == "xs"] + call.args[2:3]
        if xs_nodes and dtype_of(value_of(raised, xs_nodes[0])) and not value_of(raised, xs_nodes[0]).shape:
            title = SCAN_OF_A_NUMBER
            explanation = f"{ELEMENTS_OF_XS} {operands(raised, xs_nodes[:1])}".strip()
            words = "Pass arrays with at least one axis in xs, or put the number into the carry."
            return Explained(None, title, explanation, (FoundCure("xs", None, words),))
    return None


def _not_called(raised: RaisedAt) -> Explained | None:
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    source = raised.source(call.func)
    if not dtype_of(value_of(raised, call.func)) and not isinstance(call.func, ast.BinOp | ast.Call):
        return None
    title = f"{source} is an array, and Python cannot call an array like a function"
    arguments = ", ".join(raised.source(argument) for argument in call.args)
    words = f"Write {source}[{arguments}] to take an element, or {source} * ({arguments}) to multiply."
    return Explained(None, title, operands(raised, [call.func]), (FoundCure("brackets", None, words),))


def _is_text(raised: RaisedAt, node: ast.expr) -> bool:
    return type(node.value if isinstance(node, ast.Constant) else value_of(raised, node)) is str


def _list_and_tuple(raised: RaisedAt, kind_of_left: str, kind_of_right: str) -> Explained | None:
    """Explains (batch,) + [features]: + joins two tuples or two lists, not a tuple and a list."""
    node = raised.node
    if not isinstance(node, ast.BinOp):
        return None
    left, right = (" ".join(raised.source(side).split()) for side in (node.left, node.right))
    title = f"+ joins two lists or two tuples, but {left} is a {kind_of_left} and {right} is a {kind_of_right}"
    code = f"{kind_of_left}({right})"
    words = f"{kind_of_left} makes a {kind_of_left} of the {kind_of_right}."
    cure = applied(FoundCure(kind_of_left, code, words), [edit_of(raised, over(node.right, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _of_list(raised: RaisedAt) -> Explained | None:
    node = raised.node
    texts = (
        [operand for operand in (node.left, node.right) if _is_text(raised, operand)]
        if isinstance(node, ast.BinOp)
        else []
    )
    if texts:
        string = raised.source(texts[0])
        title = STRING_IN_TREE.format(string=string)
        words = f"jax.tree.map calls the function with each leaf of the tree, also with strings. {TREE_WITHOUT_STRINGS}"
        return Explained(None, title, "", (FoundCure("arrays alone", None, words),))
    if not isinstance(node, ast.BinOp):
        return None
    for side in (node.left, node.right):
        value = value_of(raised, side)
        is_list = isinstance(side, ast.List | ast.Tuple) or type(value) in (list, tuple)
        if not is_list:
            continue
        kind = "tuple" if isinstance(side, ast.Tuple) or type(value) is tuple else "list"
        title = f"{raised.source(side)} is a {kind}, not an array"
        code = f"{jnp_name(raised)}.asarray({raised.source(side)})"
        words = f"asarray makes one array from the numbers in the {kind}. For a tree of arrays, use jax.tree.map."
        cure = applied(FoundCure(f"{jnp_name(raised)}.asarray", code, words), [edit_of(raised, over(side, code))])
        if not _is_flat(side, value) and (
            tree := trees_error(raised, _OPERATORS.get(type(node.op), "The operator"), kind, kind)
        ):
            return tree
        if not _is_flat(side, value):
            cure = FoundCure("jax.tree.map", None, f"Use jax.tree.map to compute with each array of the {kind}.")
        return Explained(None, title, operands(raised, [node.left, node.right]), tuple(passed(raised, [cure])))
    return None


_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def _is_flat(node: ast.expr, value: Any) -> bool:
    """Return whether a list holds only numbers."""
    if isinstance(node, ast.List | ast.Tuple):
        return all(isinstance(element, ast.Constant) and type(element.value) in _NUMBERS for element in node.elts)
    return all(type(element) in _NUMBERS or (dtype_of(element) and not element.shape) for element in value)


def _no_field(raised: RaisedAt, name: str) -> Explained | None:
    node = raised.node
    if not isinstance(node, ast.Attribute) or type(value_of(raised, node.value)) is not dict:
        return None
    source = raised.source(node.value)
    title = f"{source} is a dict, and a dict has keys in place of attributes"
    holder = value_of(raised, node.value)
    if name not in holder:
        return Explained(None, title, f"{source} has no key {name!r}.", ())
    quote = '"' if '"' in "".join(raised.loops.lines if raised.loops else []) else "'"
    code = f"{source}[{quote}{name}{quote}]"
    cure = applied(
        FoundCure("brackets", code, f"Write {code}, which reads the value under the key {name!r}."),
        [edit_of(raised, over(node, code))],
    )
    return Explained(None, title, "", tuple(passed(raised, [cure])))


_RETURNED_COPY = (
    "The caller keeps the old module: return {source} from {name}, too, and assign the copy where {name} is called."
)


def _is_returned(function: ast.FunctionDef, source: str) -> bool:
    """Return whether a function returns a value, alone or in a container."""
    results = [part.value for part in ast.walk(function) if isinstance(part, ast.Return) and part.value is not None]
    parts = [part for result in results for part in (result, *getattr(result, "elts", ()))]
    return any(ast.unparse(part) == source for part in parts)


def _fixed(raised: RaisedAt) -> Explained | None:
    """Explains an assignment to a field of a named tuple or a frozen dataclass."""
    statement = raised.statement_of(raised.node)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute):
        return None
    holder, source = value_of(raised, target.value), raised.source(target.value)
    new = raised.source(statement.value)
    title = f"The field {raised.source(target)} cannot be changed"
    if isinstance(holder, tuple):
        code = f"{source} = {source}._replace({target.attr}={new})"
        words = "_replace makes a copy of the named tuple with another value in one field."
        cure = FoundCure("_replace", code, words)
        if isinstance(target.value, ast.Name):
            cure = applied(cure, [edit_of(raised, over(statement, code))])
        return Explained(None, title, "The fields of a named tuple cannot be changed.", tuple(passed(raised, [cure])))
    if (undeclared := _undeclared(raised, target, holder, statement.value)) is not None:
        return undeclared
    is_module = "equinox" in {kind.__module__.partition(".")[0] for kind in type(holder).__mro__}
    code = f"{source} = dataclasses.replace({source}, {target.attr}={new})"
    words = "replace makes a copy of the object with another value in one field."
    cure = FoundCure("dataclasses.replace", code, words)
    text = "The fields of a frozen dataclass cannot be changed."
    if callable(vars(type(holder)).get("replace")):
        code = f"{source} = {source}.replace({target.attr}={new})"
        cure = FoundCure("replace", code, words)
        if isinstance(target.value, ast.Name):
            cure = applied(cure, [edit_of(raised, over(statement, code))])
        return Explained(None, title, text, tuple(passed(raised, [cure])))
    if is_module:
        code = f"{source} = eqx.tree_at(lambda module: module.{target.attr}, {source}, {new})"
        words = "equinox.tree_at makes a copy of the module with another value in one field."
        if isinstance(raised.function, ast.FunctionDef) and not _is_returned(raised.function, source):
            name = raised.function.name
            words = f"{words} {_RETURNED_COPY.format(source=source, name=name)}"
        cure = FoundCure("equinox.tree_at", code, words)
    return Explained(None, title, text, (cure,))


def _undeclared(raised: RaisedAt, target: ast.Attribute, holder: Any, value: ast.expr) -> Explained | None:
    """Explains self.scale = 2.0 in the __init__ of an equinox module that declares no field scale."""
    function = raised.function
    if not isinstance(function, ast.FunctionDef) or function.name != "__init__" or "equinox" not in packages_of(holder):
        return None
    declared = {name for kind in type(holder).__mro__ for name in vars(kind).get("__annotations__", {})}
    declared |= {name for kind in type(holder).__mro__ for name in vars(kind).get("__dataclass_fields__", {})}
    owner = raised.parents.get(id(function))
    if target.attr in declared or not isinstance(owner, ast.ClassDef):
        return None
    constant = value.value if isinstance(value, ast.Constant) else value_of(raised, value)
    kind_of_field = type(constant).__name__ if type(constant) in (bool, int, float, str) else ""
    kind_of_field = "jax.Array" if dtype_of(constant) else kind_of_field
    title = f"{owner.name} declares no field {target.attr}"
    text = "The __init__ of a module of equinox can set only the fields that the class declares."
    words = f"Declare the field in {owner.name}, above its methods."
    cure = FoundCure("a field", f"{target.attr}: {kind_of_field}" if kind_of_field else None, words)
    return Explained(None, title, text, (cure,))


def _type_check(raised: RaisedAt) -> Explained | None:
    """Explains an error that the user's code raises itself, because its isinstance check rejects traced arrays."""
    statement = raised.statement_of(raised.node)
    function = raised.function
    if not isinstance(statement, ast.Raise | ast.Assert) or not isinstance(function, ast.FunctionDef):
        return None
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "isinstance":
            continue
        if len(node.args) != 2 or node.lineno > statement.lineno:
            continue
        value = value_of(raised, node.args[0])
        if value is not None and is_tracer_type(type(value)):
            kind = raised.source(node.args[1])
            if "Array" in kind:
                continue
            source = raised.source(node.args[0])
            title = f"{source} is a traced array, so {raised.source(node)} is false"
            explanation = (
                f"The code of {function.name} raises the error, not JAX. {culprits(raised, [value]).sentence}".strip()
            )
            words = f"Write isinstance({source}, jax.Array), which is true for a traced array, too."
            return Explained(None, title, explanation, (FoundCure("jax.Array", None, words),))
    return None
