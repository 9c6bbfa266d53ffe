"""Explains errors of scan, while_loop, fori_loop, cond or switch: which types differ, and which lines made them."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, missing_return, result_of
from ..trials.harmful_assignments import own_nodes
from ..trials.trial_of_cure import passed
from .loop_bodies import Body, body_of, is_method, passed_in_body
from .scan_results import ORDER, carry_alone, returns_parts, swapped_cure, whole_carry

_CARRY = re.compile(
    r"input carry (?:component )?(?P<path>\S+) has type (?P<before>\S+) but the corresponding output carry component "
    r"has type (?P<after>[^\s,]+(?:,\d+)*\]?)",
)
_BRANCH = re.compile(
    r"output of (?P<one>[\w ]+?)(?: at path (?P<path>\S+))? has type (?P<before>\S+) but the corresponding output of "
    r"(?P<other>[\w ]+?) has type (?P<after>\S+\])",
)
_LOOP = re.compile(r"^(scan|while_loop|fori_loop) body function carry input and carry output must have")
_ABSTRACT = re.compile(r"ShapedArray\((\w+\[[\d,]*\])(?:, weak_type=True)?\)")
_ABSTRACT_TYPE = re.compile(r"(\w+)\[([\d,]*)\]")
_CONTAINER = re.compile(r"The input carry \S+ is a <class '(?!jax\._src\.core\.ShapedArray)")
_PAIR = re.compile(r"^scan body output must be a pair, got (?P<got>.*?)\.?$", re.DOTALL)
_BRANCHES = re.compile(r"^(cond|switch) branch\w* (?:outputs )?must have")
_NONE = re.compile(r"(?P<branch>true_fun|false_fun|branch ?\d+) output is a <class 'NoneType'>")
_NO_RESULT = re.compile(r"PyTreeDef\(None\)|is a (?:<class ')?NoneType")
_IS = re.compile(r"^(?P<branch>true_fun|false_fun|branch ?\d+) is (?P<name>\S+) at ", re.MULTILINE)
_GROWN = re.compile(r"is a (?:list|tuple) of length (\d+) but .*? (?:list|tuple) of length (\d+)")
_GROWING = frozenset("concatenate append stack vstack hstack column_stack insert pad tile repeat expand_dims".split())
_GROWS = "A carry cannot grow from step to step. Return the new part as the step's second result."
_GROWS_ELSE = "A carry cannot grow from step to step. A step of lax.scan returns the new part as its second result."
_SCALAR = re.compile(r"^cond_fun must return a boolean scalar|^Pred must be a scalar|^Pred type must be")
_GIVEN = re.compile(r"\(?((?:bool|int|uint|float|bfloat)\d*\[[\d,]*\])")
_NO_ARRAY = re.compile(r"of type <class '(str|dict|list|tuple|function|NoneType)'>")
_TAKES = re.compile(
    r"^(?P<name>\S+)\(\) (?:takes (?P<takes>\d+) positional arguments? but (?P<given>\d+) (?:was|were) given"
    r"|missing (?P<at_least>\d+) required positional arguments?)"
)
_VALUES = re.compile(r"^lax\.cond: true_fun and false_fun arguments should be callable")
_CALLERS = {
    "cond": "cond(test, f, g, x) calls f(x) or g(x): each branch must take the arguments that follow the branches.",
    "switch": "switch(index, branches, x) calls a branch with x: each branch must take what follows the branches.",
    "scan": "scan calls its body with the carry and one element of xs: def step(carry, x).",
    "map": "lax.map calls its function with one argument, an element of xs, which may be a tuple.",
    "while_loop": "while_loop calls its condition and its body with one argument, the carry.",
    "fori_loop": "fori_loop calls its body with the index and the carry: def body(i, carry).",
}
_PLACES = {"scan": (0, 1), "while_loop": (1, 2), "fori_loop": (2, 3)}


def construct_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains JAX loops and conditionals whose body, branch or condition returns a wrong type."""
    text = message_of(error).strip()
    if not isinstance(error, TypeError | ValueError):
        return None
    loop = _LOOP.search(text)
    if loop is not None:
        return _carry(text, raised, _construct_name(raised, loop[1]))
    pair = _PAIR.search(text)
    if pair is not None:
        return _pair(_ABSTRACT.sub(r"\1", pair["got"]), raised)
    branches = _BRANCHES.search(text)
    if branches is not None:
        return _branches(text, raised, branches[1])
    if _SCALAR.search(text):
        return _scalar(text, raised)
    if raised is not None and _VALUES.search(text):
        return _values(raised)
    match = _TAKES.search(text)
    if match is not None and raised is not None and _maps_trees(raised):
        return _leaves(raised, match)
    if match is not None and raised is not None and called(raised.node) in _CALLERS:
        name, construct = match["name"].rpartition(".")[2], called(raised.node)
        if name == construct:
            return _missing_arguments(raised, construct, text)
        function_text = "a lambda" if name == "<lambda>" else name
        title = f"{construct} passes too few arguments to {function_text}"
        if match["given"]:
            passed_arguments = count(int(match["given"]), "argument")
            title = f"{construct} passes {passed_arguments} to {function_text}"
            if match["takes"]:
                title = f"{construct} passes {passed_arguments} to {function_text}, which takes {match['takes']}"
        words = _CALLERS[construct]
        if construct == "switch" and isinstance(raised.node, ast.Call) and len(raised.node.args) == 2:
            words = f"{words} This call has no argument after the branches."
        cure = FoundCure("arguments", None, words)
        if match["at_least"] and (operand := _operand(raised, construct)) is not None:
            cure = operand
        return Explained(None, title, "", (cure,))
    return None


def _operand(raised: RaisedAt, construct: str) -> FoundCure | None:
    """Return the cure that passes the tested array after the branches; None if the call passes operands already."""
    call, places = raised.node, {"cond": 3, "switch": 2}.get(construct)
    if not isinstance(call, ast.Call) or places != len(call.args) or call.keywords or raised.frame is None:
        return None
    names = {
        node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name) and dtype_of(value_of(raised, node))
    }
    if construct != "cond" or len(names) != 1:
        return None
    arguments = [*map(raised.source, call.args), *names]
    code = f"{raised.source(call.func)}({', '.join(arguments)})"
    return FoundCure("the operand", code, f"The call passes no value to the branches. {_CALLERS[construct]}")


def _values(raised: RaisedAt) -> Explained | None:
    """Explains cond(test, x, -x): jnp.where chooses between two values."""
    call = raised.node
    if not isinstance(call, ast.Call) or len(call.args) != 3 or call.keywords:
        return None
    code = f"{jnp_name(raised)}.where({', '.join(map(raised.source, call.args))})"
    cure = FoundCure(f"{jnp_name(raised)}.where", code, "jnp.where chooses between two values, and computes both.")
    cures = passed(raised, [applied(cure, [edit_of(raised, over(call, code))])])
    words = "cond(test, f, g, x) calls f(x) or g(x)."
    return Explained(None, "cond takes two functions, not two values", words, tuple(cures)) if cures else None


def _maps_trees(raised: RaisedAt) -> bool:
    """Return whether the failing call is jax.tree.map, whose name is that of jax.lax.map."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) not in ("map", "tree_map"):
        return False
    return "tree" in ast.unparse(call.func).split(".")[-2:][0]


def _leaves(raised: RaisedAt, match: re.Match[str]) -> Explained | None:
    """Explains jax.tree.map with fewer or more trees than the function has arguments."""
    call = raised.node
    if not isinstance(call, ast.Call) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    name = match["name"].rpartition(".")[2]
    function_text = "the lambda" if name == "<lambda>" else name
    trees = count(max(len(call.args) - 1, 0), "tree")
    title = f"{raised.source(call.func)} gets {trees}, and {function_text} takes another number of arguments"
    words = "jax.tree.map passes one leaf of each tree. Pass as many trees as the function has arguments."
    return Explained(None, title, "", (FoundCure("trees", None, words),))


def _missing_arguments(raised: RaisedAt, construct: str, text: str) -> Explained:
    """Explains a call of scan, cond or another construct with too few arguments."""
    names = " and ".join(re.findall(r"'(\w+)'", text))
    numbers = _TAKES.search(text)
    if not names and numbers is not None:
        title = f"{construct} takes {numbers['takes']} arguments by position, but gets {numbers['given']}"
        words = _CALLERS[construct]
        if construct == "map":
            words = "Pass several arrays as one tuple: lax.map(lambda pair: pair[0] + pair[1], (a, b))."
        return Explained(None, title, "", (FoundCure("arguments", None, words),))
    title = f"The call of {construct} leaves out {names}"
    call = raised.node
    if construct == "fori_loop" and isinstance(call, ast.Call) and len(call.args) == 3 and not call.keywords:
        words = "fori_loop(lower, upper, body, carry) counts from lower to upper - 1."
        arguments = ["0", *(raised.source(argument) for argument in call.args)]
        code = f"{raised.source(call.func)}({', '.join(arguments)})"
        cures = passed(raised, [applied(FoundCure("lower", code, words), [edit_of(raised, over(call, code))])])
        if cures:
            return Explained(None, title, "", tuple(cures))
    words = f"Pass {names} in the call. {_CALLERS[construct]}"
    return Explained(None, title, "", (FoundCure("pass the argument", None, words),))


# --- carries ---


def _carry(text: str, raised: RaisedAt | None, name: str) -> Explained:
    changes = list(_CARRY.finditer(text))
    if not changes:
        parts = _body_and_carry(raised)
        missing = swapped = None
        if (
            re.search(r"PyTreeDef\(None\)|is a (?:<class ')?NoneType", text)
            and raised is not None
            and parts is not None
        ):
            missing = missing_return(raised, function := _function(body_of(raised, parts[0])))
        if raised is not None and missing is not None:
            cures = passed_in_body(raised, function, [missing])
            return Explained(None, f"The body of {name} returns None", "", tuple(cures))
        if name == "scan" and raised is not None and parts is not None:
            body = body_of(raised, parts[0])
            whole = whole_carry(raised, _function(body), result_of(_function(body)))
            cures = passed(raised, whole)
            if is_method(raised, _function(body)) or (
                cures and cures[0].code is None
            ):  # the cure has no trial, so the names have to show which value is which
                cures = [replace(cure, level="advice", edits=()) for cure in whole] if returns_parts(body) else []
            if cures:
                title = "The body of a scan returns the parts of the carry as the carry and the step's output"
                return Explained(None, title, ORDER, tuple(cures))
            swapped = swapped_cure(raised, body, is_container=_CONTAINER.search(text) is not None)
        if name in ("fori_loop", "while_loop") and raised is not None and parts is not None:
            body = body_of(raised, parts[0])
            if alone := passed_in_body(raised, _function(body), carry_alone(raised, body)):
                title = f"The body of {name} returns a pair, but {name} takes the new carry alone"
                words = "Only the body of a scan returns a pair: the new carry and the step's output."
                return Explained(None, title, words, tuple(alone))
        explanation = next((line for line in text.split("\n\n")[1:2] if "PyTreeDef(" not in line), "")
        explanation = re.sub(r"<class '(?:jax\._src\.core\.)?ShapedArray'>", "array", explanation)
        explanation = re.sub(r"a <class '(?:\w+\.)*(\w+)'>", r"a \1", explanation).replace("is a array", "is an array")
        cure = FoundCure(
            "same structure",
            None,
            "Return the carry in the structure that the step received: the same tuples and the same keys.",
        )
        explanation = explanation.replace("component loop_carry[1]", _carry_name(raised)).replace(
            "loop_carry[1]", _carry_name(raised)
        )
        growth = _GROWN.search(" ".join(explanation.split()))
        if growth is not None and int(growth[2]) > int(growth[1]):
            words = (
                f"A carry keeps its number of elements, here {growth[1]}. To collect an element of each step, return "
                "the element as the output of a step of lax.scan, or start with an array of the final shape and fill "
                "it with .at[i].set(...)."
            )
            cure = FoundCure("a fixed length", None, words)
        explanation = " ".join([*explanation.split(), *_carry_origins(raised, "")])
        cures_of_structure = [cure] if swapped is None else _with_swap(swapped, cure)
        return Explained(None, f"The carry of {name} changes its structure", explanation, tuple(cures_of_structure))
    path, before, after = changes[0]["path"], changes[0]["before"], changes[0]["after"]
    leaf = "the carry" if path == "loop_carry[1]" else path.replace("loop_carry[1]", "carry")
    explanation = (
        f"A carry must have the same type at each step. This step receives {leaf} as {before} and returns {leaf} "
        f"as {after}."
    )
    explanation = " ".join([explanation, *_carry_origins(raised, path)])
    if len(changes) > 1:
        other_changes = ", ".join(
            f"{change['path']} ({change['before']} → {change['after']})" for change in changes[1:5]
        )
        explanation += f" The types of these carry values also change in the step: {other_changes}.".replace(
            "loop_carry[1]", "carry"
        )
    title = f"The carry of {name} changes its type: {before} → {after}"
    cures = _carry_cures(raised, path, before, after)
    if raised is not None:
        cures = passed(raised, cures)
        parts = _body_and_carry(raised)
        has_other_shape = before.partition("[")[2] != after.partition("[")[2]
        if name == "scan" and parts is not None and has_other_shape:
            swapped = swapped_cure(raised, body_of(raised, parts[0]), is_container=False)
            cures = cures if swapped is None else _with_swap(swapped, *cures)
    return Explained(None, title, explanation, tuple(cures))


def _with_swap(swapped: FoundCure, *others: FoundCure) -> list[FoundCure]:
    """Return the given cures and the swap of the two results; if the swap is certain, only the swap."""
    return [swapped] if swapped.level == "applies" else [swapped, *others]


def _body_and_carry(raised: RaisedAt | None) -> tuple[ast.expr, ast.expr] | None:
    """Return the expressions of the body and of the initial carry in the failing call of a loop."""
    call = raised.node if raised is not None else None
    if not isinstance(call, ast.Call):
        return None
    places = _PLACES.get(called(call))
    names = {keyword.arg: keyword.value for keyword in call.keywords}
    if places is None:
        return None
    body, start = (call.args[place] if len(call.args) > place else None for place in places)
    body = body or names.get("f") or names.get("body_fun")
    start = start or names.get("init") or names.get("init_val")
    return None if body is None or start is None else (body, start)


def _carry_origins(raised: RaisedAt | None, path: str) -> list[str]:
    """Return sentences that name the lines of the initial carry and of the returned carry."""
    parts = _body_and_carry(raised)
    if raised is None or parts is None:
        return []
    body, start = parts
    result = _returned_carry(result_of(_function(body_of(raised, body))), called(raised.node))
    leaf = leaf_at(_assigned_value(raised, start), path) or start
    sentences = [f"The first step receives {_short_source(raised, leaf)} (line {leaf.lineno})."]
    if result is not None:
        final_carry = leaf_at(result, path) or result
        sentences.append(f"The step returns {_short_source(raised, final_carry)} (line {final_carry.lineno}).")
    return sentences


def _assigned_value(raised: RaisedAt, node: ast.expr) -> ast.expr:
    """Return the value in the only assignment to a name, in the innermost scope with the name; else the expression."""
    if not isinstance(node, ast.Name):
        return node
    scope: ast.AST | None = raised.node
    while (scope := raised.parents.get(id(scope))) is not None:
        if not isinstance(scope, ast.FunctionDef | ast.Lambda | ast.Module):
            continue
        if not isinstance(scope, ast.Module):
            parameters = [part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)]
            if node.id in parameters:
                return node
        values = [
            statement.value
            for statement in own_nodes(scope)
            if isinstance(statement, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in statement.targets)
        ]
        if values:
            return values[0] if len(values) == 1 and values[0].lineno < raised.place.line else node
    return node


def _short_source(raised: RaisedAt, node: ast.expr) -> str:
    text = " ".join(raised.source(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _returned_carry(result: ast.expr | None, name: str) -> ast.expr | None:
    """Return the expression of the carry in the return value of a loop body."""
    if name != "scan":
        return result
    return result.elts[0] if isinstance(result, ast.Tuple) and len(result.elts) == 2 else None


def leaf_at(node: ast.expr, path: str) -> ast.expr | None:
    """Return the expression in a tuple or dict display at a path such as c['a'][0]."""
    path = path.removeprefix("loop_carry[1]")
    keys = [text or int(number) for text, number in re.findall(r"\['([^']*)'\]|\[(\d+)\]", path)]
    for key in keys:
        match node:
            case ast.Dict(keys=names, values=values):
                pairs = zip(names, values, strict=True)
                fitting_values = [
                    value for name, value in pairs if isinstance(name, ast.Constant) and name.value == key
                ]
                if len(fitting_values) != 1:
                    return None
                node = fitting_values[0]
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if isinstance(key, int) and key < len(elements):
                node = elements[key]
            case _:
                return None
    return node


def _is_growing(raised: RaisedAt | None, before: str, after: str) -> bool:
    """Return whether the loop body grows its carry from one type to another with concatenate, append or stack."""
    types = [_ABSTRACT_TYPE.fullmatch(type_) for type_ in (before, after)]
    parts = _body_and_carry(raised)
    if raised is None or parts is None or types[0] is None or types[1] is None:
        return False
    sizes = [math.prod(int(size) for size in type_[2].split(",") if size) for type_ in types if type_ is not None]
    body = _function(body_of(raised, parts[0]))
    return sizes[1] > sizes[0] and body is not None and any(called(node) in _GROWING for node in ast.walk(body))


def _function(body: Body | None) -> AnyFunction | None:
    return body.function if body is not None else None


def _carry_name(raised: RaisedAt | None) -> str:
    """Return the name of the carry parameter in the body of a fori_loop."""
    parts = _body_and_carry(raised)
    body = body_of(raised, parts[0]) if raised is not None and parts is not None else None
    names = body.parameters if body is not None else []
    return names[1] if len(names) == 2 else "carry"


def _carry_cures(raised: RaisedAt | None, path: str, before: str, after: str) -> list[FoundCure]:
    type_before, type_after = before.partition("[")[0], after.partition("[")[0]
    if before.partition("[")[2] != after.partition("[")[2]:
        if not _is_growing(raised, before, after):
            words = f"Return an array of the type {before}."
            if before.count(",") == after.count(",") and _may_start_with(raised, path, after):
                words = f"Return an array of the type {before}, or start with an array of the type {after}."
            return [FoundCure("same shape", None, words)]
        return [
            FoundCure("same shape", None, "Start with an array of the final shape, and fill it with .at[i].set(...)."),
            FoundCure(
                "ys", None, _GROWS if called(raised.node if raised is not None else None) == "scan" else _GROWS_ELSE
            ),
        ]
    text = f"Convert the initial carry to {type_after}. Then each step receives {type_after}."
    start = FoundCure(f"start with {type_after}", None, text)
    parts = _body_and_carry(raised)
    leaf = _start_at(raised, path)
    if raised is not None and leaf is not None and _promoted(type_before, type_after) == type_after:
        jnp = jnp_name(raised)
        source = raised.source(leaf)
        number = re.fullmatch(rf"{re.escape(jnp)}\.\w*int\d+\((-?\d+)\)|(-?\d+)", source)
        code = (
            f"{jnp}.{type_after}({number[1] or number[2]})"
            if number
            else f"{jnp}.asarray({source}, {jnp}.{type_after})"
        )
        start = applied(FoundCure(f"start with {type_after}", code, text), [edit_of(raised, over(leaf, code))])
        is_of_integers = "int" in type_before and not number
        if is_of_integers and parts is not None and _divides(_function(body_of(raised, parts[0]))):
            # Converting to float may not be meant: a 32-bit float cannot represent all integers.
            words = "In the body, / of two integers gives a float, and // gives an integer."
            start = FoundCure("// or floats", None, f"{words} For floats, convert the initial carry to {type_after}.")
    cures = [start]
    # If each step rounds a float carry to an integer, the condition of a while_loop may never become false.
    if "float" in type_before and "float" in type_after:
        words = f"Convert the new carry back to {type_before} at the end of each step. The conversion may lose digits."
        cures.append(_conversion_at_end(raised, path, type_before, words))
    return cures


def _start_at(raised: RaisedAt | None, path: str) -> ast.expr | None:
    """Return the expression of the initial carry at a path."""
    parts = _body_and_carry(raised)
    if parts is None or raised is None:
        return None
    return leaf_at(_assigned_value(raised, parts[1]), path) if "[" in path.removeprefix("loop_carry[1]") else parts[1]


def _may_start_with(raised: RaisedAt | None, path: str, type_: str) -> bool:
    """Return whether JAX can trace the loop with an initial carry of another type."""
    leaf, given = _start_at(raised, path), _ABSTRACT_TYPE.fullmatch(type_)
    if raised is None or leaf is None or given is None:
        return False
    jnp = jnp_name(raised)
    sizes = "".join(f"{size}, " for size in given[2].split(",") if size)
    edit = edit_of(raised, over(leaf, f"{jnp}.zeros(({sizes.rstrip()}), '{given[1]}')"))
    tried = passed(raised, [applied(FoundCure("same shape", None, ""), [edit])])
    return any(cure.level == "applies" for cure in tried)


def _divides(body: AnyFunction | None) -> bool:
    """Return whether a loop body uses the operator /."""
    return body is not None and any(
        isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div) for node in ast.walk(body)
    )


def _conversion_at_end(raised: RaisedAt | None, path: str, dtype: str, text: str) -> FoundCure:
    cure = FoundCure(f"stay {dtype}", None, text)
    parts = _body_and_carry(raised)
    if raised is None or parts is None:
        return cure
    result = _returned_carry(result_of(_function(body_of(raised, parts[0]))), called(raised.node))
    leaf = leaf_at(result, path) if result is not None else None
    if leaf is None:
        return cure
    source = raised.source(leaf)
    code = f"{source if isinstance(leaf, ast.Name | ast.Call) else f'({source})'}.astype('{dtype}')"
    return applied(FoundCure(f"stay {dtype}", code, text), [edit_of(raised, over(leaf, code))])


def _pair(returned_text: str, raised: RaisedAt | None) -> Explained:
    title = "The body of a scan must return a pair: the new carry and the step's output"
    text = "Return the new carry and the step's output y. Return None as y where the step has no output."
    parts = _body_and_carry(raised)
    if raised is None or parts is None:
        return Explained(None, title, "", (FoundCure("a pair", None, text),))
    body = _function(body_of(raised, parts[0]))
    missing = missing_return(raised, body, pair=True)
    result = result_of(body)
    cures = [FoundCure("a pair", None, text)]
    if missing is not None:
        cures = [missing]
    elif result is not None and not isinstance(result, ast.Tuple):
        source = raised.source(result)
        code = f"{source}, None"
        if _reads_output(raised):
            code = f"{source}, {source}"
            text = "Return the new carry and the step's output y. Here y is the carry, so the scan stacks the carries."
        new = f"({code})" if isinstance(body, ast.Lambda) else code
        cure = FoundCure("a pair", f"return {code}" if isinstance(body, ast.FunctionDef) else new, text)
        cures = [applied(cure, [edit_of(raised, over(result, new))])]
    else:
        cures = passed_in_body(raised, body, whole_carry(raised, body, result)) or cures
    name = body.name if isinstance(body, ast.FunctionDef) else "The body"
    explanation = f"{name} returns {' '.join(returned_text.split())}."
    return Explained(None, title, explanation, tuple(passed_in_body(raised, body, cures)))


def _reads_output(raised: RaisedAt) -> bool:
    """Return whether the code reads the stacked outputs of the scan, as in `carry, ys = lax.scan(...)`."""
    match raised.statement_of(raised.node):
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=value) if value is raised.node:
            module = raised.function or (raised.loops.module if raised.loops is not None else None)
            return module is not None and any(
                isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
                for part in ast.walk(module)
            )
        case ast.Assign(value=ast.Subscript(value=value, slice=ast.Constant(value=1))) if value is raised.node:
            return True
    return False


# --- branches ---


def _branches(text: str, raised: RaisedAt | None, name: str) -> Explained:
    match = _BRANCH.search(text)
    if match is None:
        return _structures(text, raised, name)
    before, after = match["before"], match["after"]
    path = match["path"]
    explanation = f"{match['one']} returns {before}, but {match['other']} returns {after}."
    if path:
        explanation = f"{match['one']} returns {before} at {path}, but {match['other']} returns {after} at {path}."
    nodes = [_branch(raised, branch_name) for branch_name in (match["one"], match["other"])]
    if raised is not None:
        for words, node in zip((match["one"], match["other"]), nodes, strict=True):
            result = result_of(node)
            if result is not None:
                explanation += f" {words} is {_short_source(raised, result)} (line {result.lineno})."
    title = f"The branches of {name} return different types: {before} and {after}"
    cures = _branch_cures(raised, nodes, before, after, path)
    return Explained(None, title, explanation, tuple(cures if raised is None else passed(raised, cures)))


def _branch(raised: RaisedAt | None, words: str) -> ast.FunctionDef | ast.Lambda | None:
    """Return the function in the code that JAX calls true_fun, false_fun or branch 1."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call):
        return None
    number = {"true_fun": 1, "false_fun": 2}.get(words)
    if number is not None and called(call) == "cond":
        return function_of_text(raised, call.args[number] if len(call.args) > number else None)
    digits = re.search(r"\d+", words)
    if digits is not None and len(call.args) > 1 and isinstance(call.args[1], ast.List | ast.Tuple):
        functions = call.args[1].elts
        return function_of_text(raised, functions[int(digits[0])]) if int(digits[0]) < len(functions) else None
    return None


def _structures(text: str, raised: RaisedAt | None, name: str) -> Explained:
    cure = FoundCure("same structure", None, "Return the same tuples and the same keys from all branches.")
    title = f"The branches of {name} return different structures"
    names = {match["branch"]: match["name"] for match in _IS.finditer(text)}
    none = _NONE.search(text)
    if none is not None:
        branch = none["branch"]
        node = _branch(raised, branch)
        written = names.get(branch, branch)
        explanation = f"{branch} returns None" if written == "<lambda>" else f"{written} returns None"
        missing = missing_return(raised, node) if raised is not None else None
        cures = [cure] if missing is None else [missing]
        return Explained(
            None, title, f"{explanation}.", tuple(cures if raised is None else passed(raised, cures)) or (cure,)
        )
    explanation = next((part for part in text.split("\n\n")[2:3]), "")
    explanation = re.sub(r"a <class '(?:\w+\.)*(\w+)'>", r"a \1", explanation)
    if not explanation.startswith(("true_fun", "false_fun", "branch", "At path", "The ")):
        explanation = ""
    return Explained(None, title, " ".join(explanation.split()).replace("a pytree leaf", "an array"), (cure,))


def _branch_cures(
    raised: RaisedAt | None,
    nodes: list[ast.FunctionDef | ast.Lambda | None],
    first_type: str,
    second_type: str,
    path: str | None,
) -> list[FoundCure]:
    types = [first_type.partition("["), second_type.partition("[")]
    if types[0][2] != types[1][2]:
        text = "Return the same shape from both branches: pad, or use jnp.broadcast_to."
        return [FoundCure("same shape", None, text)]
    # The cure converts the branch with the lower dtype: an integer to a float, never the other way round.
    promoted = _promoted(types[0][0], types[1][0])
    place = 1 if promoted == types[0][0] else 0
    target_dtype = types[1 - place][0]
    text = "All branches must return the same types, because the compiled program has one result type."
    result = result_of(nodes[place])
    if raised is not None and result is not None and path is not None:
        result = leaf_at(result, path)
    if raised is None or result is None or promoted != target_dtype:
        return [FoundCure(f"return {promoted or target_dtype}", None, text)]
    jnp = jnp_name(raised)
    code = f"{jnp}.asarray({raised.source(result)}, {jnp}.{target_dtype})"
    return [applied(FoundCure(f"return {target_dtype}", code, text), [edit_of(raised, over(result, code))])]


def _promoted(first_dtype: str, second_dtype: str) -> str | None:
    """Return the dtype to which JAX promotes two dtypes; None if JAX promotes neither."""
    import jax.numpy as jnp

    try:
        return str(jnp.promote_types(first_dtype, second_dtype))
    except TypeError:  # the two dtypes have no common dtype, for example random keys
        return None


# --- others ---


def _scalar(text: str, raised: RaisedAt | None) -> Explained:
    call = raised.node if raised is not None else None
    cures = [FoundCure(".any() or .all()", None, "Reduce the array to a single boolean, with .any() or .all().")]
    if called(call) != "while_loop":
        words = "jnp.where chooses element by element, and computes both values."
        cures.append(FoundCure("jnp.where", None, words))
    if raised is not None and "PyTreeDef(None)" in text and isinstance(call, ast.Call) and call.args:
        missing = missing_return(raised, function_of_text(raised, call.args[0]))
        if missing is not None:
            title = "The condition of while_loop returns None"
            return Explained(None, title, "", tuple(passed(raised, [missing])))
    if (kind := _NO_ARRAY.search(text)) is not None:
        words = "Write a comparison, such as x > 0, or choose with Python's if where no array decides."
        title = f"A condition must be a single boolean, not a {kind[1]}"
        return Explained(None, title, "", (FoundCure("a comparison", None, words),))
    match = _GIVEN.search(text)
    explanation = f"The condition is {match[1]}." if match is not None else ""
    place = None
    if raised is not None and isinstance(raised.node, ast.Call) and called(raised.node) == "while_loop":
        result = result_of(function_of_text(raised, raised.node.args[0] if raised.node.args else None))
        if result is not None:
            place = edit_of(raised, over(result, "")).place
    return Explained(place, "A condition must be a single boolean", explanation, tuple(cures))


def _construct_name(raised: RaisedAt | None, name: str) -> str:
    """Return the name of the loop that the user called; JAX runs a fori_loop with fixed bounds as a scan."""
    word = called(raised.node) if raised is not None else ""
    return word if word in ("scan", "while_loop", "fori_loop", "map") else name
