"""Tries a cure: traces the edited statements with the types that their values had when the cell raised the error.

A trial traces the edited and the failing statement, and the later statements of the function, in a temporary namespace.
There, traced values become new tracers of the same types, and other values become copies. JAX compiles nothing; Python
runs the statements, as in any trace. A statement with side effects gets no trial, and the trials of one error share a
time limit (`trial_time_limit.error_budget`). A cure without a trial keeps its sentence, but loses its edit.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import linecache
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import is_tracer_type
from ...jax.hidden_events import unheard
from ...jax.transform_and_inputs_of_tracer import RaisedCall
from ...observe.calls.printed_output import PrintRecorder
from ...observe.observation import Edit, FoundCure
from ...observe.process_observer import observer
from ...observe.side_effects.proof import side_effects
from ...observe.silenced_warnings import silenced_warnings
from ...observe.user_or_library.whose_code import is_users_frame
from ...plain_text import file_of
from ..compiled_edits import EditedCode
from ..errors.control_flow.carries import carry_around
from ..errors.failing_code.edits import edited
from ..errors.failing_code.module_names import namespace
from ..errors.failing_code.place_of_error import RaisedAt, at_caller
from ..loops.kinds_of_python_loops import parsed
from .copied_values import NotCopied, copied, has_handler
from .edited_methods import with_edited_methods
from .trial_in_callers import Outcome, outcome_in_callers, statements_after
from .trial_time_limit import Budget, TooLong, left_for_error

_NAME = "__jupyter_jaxpr_trial__"
#: Placeholders in the code of a cure, which the user must fill in -> the code with which a trial fills them.
_FILLS = {"FILL": "0", "OUTPUT": "0.0", "REDUCTION": "jax.numpy.all", "REST": "jupyter_jaxpr_rest"}
_FILL = re.compile(rf"\b({'|'.join(_FILLS)})\b")
_numbers = itertools.count(1)


def passed(raised: RaisedAt, cures: Sequence[FoundCure]) -> list[FoundCure]:
    """Return the cures without those that failed their trial. A cure that could not be tried has only its sentence."""
    passed_cures = []
    budget = left_for_error()
    for cure in cures:
        if cure.level == "choice" and _FILL.search(cure.code or ""):
            tried = [replace(edit, text=_FILL.sub(lambda name: _FILLS[name[0]], edit.text)) for edit in cure.edits]
            passed_cures += [cure] if _outcome_of_edits(raised, tried, budget) != "failed" else []
            continue
        if cure.level != "applies":
            passed_cures.append(cure)
            continue
        outcome = _outcome_of_edits(raised, cure.edits, budget)
        if outcome == "traced":
            passed_cures.append(cure)
        elif outcome == "later error":
            passed_cures.append(replace(cure, level="advice", edits=()))
        elif outcome == "untried":
            passed_cures.append(replace(cure, level="advice", code=None, edits=()))
    return passed_cures


class _OtherCarry(Exception):
    """Raised if the edited loop body returns a carry of another type, which a loop of JAX does not accept."""


def _outcome_of_edits(raised: RaisedAt, edits: Sequence[Edit], budget: Budget) -> Outcome:
    """Trace the edited statements, the later statements of the function and its callers, and return the outcome."""
    if raised.loops is None or raised.frame is None:
        return "untried"
    all_edits, edits = edits, [edit for edit in edits if edit.place.file == raised.place.file]
    if not edits and all_edits:
        return _outcome_of_functions(raised, all_edits, budget)
    text = edited("\n".join(raised.loops.lines), edits)
    try:
        module = ast.parse(text)
    except SyntaxError:
        return "failed"
    if _is_within_settings(ast.parse("\n".join(raised.loops.lines)), raised.place.line):
        return "untried"
    function = raised.function
    if isinstance(function, ast.Lambda):
        line = function.lineno + _shift(edits, function.lineno)
        lambdas = [node for node in ast.walk(module) if isinstance(node, ast.Lambda) and node.lineno == line]
        lambdas_at_column = [node for node in lambdas if node.col_offset == function.col_offset]
        if len(lambdas_at_column) != 1:
            return "untried"
        return _trace_outcome(raised, [ast.Return(lambdas_at_column[0].body)], budget)
    lines = sorted({*(edit.place.line for edit in edits), raised.place.line})
    raising = raised.place.line + _shift(edits, raised.place.line)
    body: list[ast.stmt] = []
    for line in lines:
        statement = _statement_at(module, line + _shift(edits, line), raising)
        if statement is None:
            return "untried"
        if statement not in body:
            body.append(statement)
    statements = with_edited_methods(module, _with_dependents(module, body))
    if statements is None:
        return "untried"
    outcome = _outcome_of_statements(raised, statements, statements_after(module, statements[-1]), budget)
    if outcome == "traced":
        if _outcome_of_whole_call(raised, all_edits, budget) == "failed":
            return "later error"
        return outcome_in_callers(raised, all_edits, functools.partial(_trace_outcome, budget=budget))
    if outcome == "failed" and function is not None and not any(_is_in(edit, function) for edit in all_edits):
        # The failing function may get the edited function as an argument, as f in minimize(f, x).
        if _outcome_of_functions(raised, all_edits, budget) == "traced":
            return "traced"
    return outcome


def _outcome_of_whole_call(raised: RaisedAt, edits: Sequence[Edit], budget: Budget) -> Outcome:
    """Trace the whole statement of the cell that called the edited function, if the failing line is in a loop.

    A trial of the failing statement alone shows nothing of the next statements and iterations of the loop. "failed" if
    a line of the edited source raises an error: the statement of the cell may need values, which a trial has not.
    """
    if not isinstance(raised.around(ast.For, ast.While, ast.FunctionDef, ast.Lambda), ast.For | ast.While):
        return "untried"
    if not raised.callers or raised.callers[0].f_code.co_name != "<module>":
        return "untried"
    caller = at_caller(raised, raised.callers[0])
    statement = caller.statement_of(caller.node)
    if statement is None or any(
        edit.place.file == caller.place.file and statement.lineno <= edit.place.line <= (statement.end_lineno or 0)
        for edit in edits
    ):
        return "untried"
    return _outcome_of_functions(caller, edits, budget, inside=edits[0].place.file)


def _is_in(edit: Edit, function: ast.FunctionDef) -> bool:
    return function.lineno <= edit.place.line <= (function.end_lineno or function.lineno)


def _outcome_of_statements(
    raised: RaisedAt,
    body: list[ast.stmt],
    following: list[ast.stmt],
    budget: Budget,
    codes: Mapping[types.CodeType, types.CodeType] = types.MappingProxyType({}),
) -> Outcome:
    outcome = _trace_outcome(raised, body + following, budget, codes)
    if outcome == "failed" and following and _trace_outcome(raised, body, budget, codes) == "traced":
        return "later error"
    return outcome


def _outcome_of_functions(
    raised: RaisedAt, edits: Sequence[Edit], budget: Budget, inside: str | None = None
) -> Outcome:
    """Trace the failing statement and the later statements of its function, with edited functions of another cell.

    The edits may also change assignments at the top level of the other cell, such as step = jax.jit(f). "untried" if
    the failing statement reaches no edited function through the functions that it names. With a file, only an error at
    a line of this file makes the trial fail.
    """
    file = edits[0].place.file
    loops = parsed("".join(linecache.getlines(file)))
    statement = raised.statement_of(raised.node)
    if loops is None or raised.loops is None or statement is None or any(edit.place.file != file for edit in edits):
        return "untried"
    if _is_within_settings(raised.loops.module, raised.place.line):
        return "untried"
    following = statements_after(raised.loops.module, statement)
    try:
        codes = EditedCode(loops.lines, edits[0].place.line, edits, file)
        module = ast.parse(edited("\n".join(loops.lines), edits))
    except SyntaxError:
        return "failed"
    lines = [edit.place.line + _shift(edits, edit.place.line) for edit in edits]
    edited_statements = [
        node for node in module.body if any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in lines)
    ]
    if all(isinstance(node, ast.Assign) for node in edited_statements):
        return _outcome_of_statements(raised, [*edited_statements, statement], following, budget)
    if inside is not None:
        outcome = _trace_outcome(raised, [statement], budget, codes, inside)
    else:
        earlier = _calls_before(raised.loops.module, statement, edited_statements)
        outcome = _outcome_of_statements(raised, [*earlier, statement], following, budget, codes)
    return outcome if codes.is_met else "untried"


def _calls_before(module: ast.Module, statement: ast.stmt, definitions: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a cell that call edited functions before the failing statement, and their dependents.

    For example, params = init(key) made the arrays of which the failing statement computes, and init is edited.
    """
    written = {node.name for node in definitions if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    if statement not in module.body:
        return []
    statements: list[ast.stmt] = []
    for node in module.body[: module.body.index(statement)]:
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and any(part.id in written for part in names):
            statements.append(node)
            written |= {part.id for part in names if isinstance(part.ctx, ast.Store)}
    return statements


#: Context managers of JAX that change the types of values. The trial runs after their `with` blocks have ended.
_SETTINGS = re.compile(r"\b(?:enable_x64|disable_x64|numpy_dtype_promotion|numpy_rank_promotion|disable_jit)\b")


def _is_within_settings(module: ast.Module, line: int) -> bool:
    """Return whether a line of the user's code stands in a `with` block that changes the types of values."""
    return any(
        isinstance(node, ast.With)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
        and any(_SETTINGS.search(ast.unparse(item.context_expr)) for item in node.items)
        for node in ast.walk(module)
    )


def _with_dependents(module: ast.Module, body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the edited statements of a block, and the statements between them that read a name which these assign.

    A loop or a condition of the block that contains an edited statement runs as a whole.
    """
    if len(body) < 2:
        return body
    inside = {
        id(statement): {id(part) for part in ast.walk(statement)} for block in _blocks(module) for statement in block
    }
    chosen: list[ast.stmt] = []
    block_around: list[ast.stmt] = []
    for block in _blocks(module):
        around = [next((outer for outer in block if id(edit) in inside[id(outer)]), None) for edit in body]
        found = [outer for outer in around if outer is not None]
        # The last such block is the innermost: ast.walk yields an outer block before the blocks inside it.
        if len(found) == len(body):
            block_around, chosen = block, found
    scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    if any(isinstance(outer, scopes) and outer not in body for outer in chosen) or not chosen:
        return body  # the definition of a function does not run the statements of the function
    statements: list[ast.stmt] = []
    written: set[str] = set()
    places = [block_around.index(outer) for outer in chosen]
    for statement in block_around[min(places) : max(places) + 1]:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if statement in chosen or any(node.id in written for node in names):
            statements.append(statement)
            written |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
            written |= {statement.name} if isinstance(statement, ast.FunctionDef | ast.ClassDef) else set()
    return statements


def _blocks(module: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(module):
        for name in ("body", "orelse", "finalbody"):
            inside = getattr(node, name, None)
            if isinstance(inside, list):
                yield inside


def _shift(edits: Sequence[Edit], line: int) -> int:
    """Return by how many lines a line moves down when the edits above this line are made."""
    above = [edit for edit in edits if edit.place.end_line < line]
    return sum(edit.text.count("\n") - (edit.place.end_line - edit.place.line) for edit in above)


def _statement_at(module: ast.Module, line: int, raising: int) -> ast.stmt | None:
    """Return the innermost statement at a line, or the whole def if the failing line is outside of that def."""
    innermost: ast.stmt | None = None
    inside: list[ast.stmt] = module.body
    while True:
        statement_here = next(
            (
                statement
                for statement in inside
                if _first_line(statement) <= line <= (statement.end_lineno or statement.lineno)
            ),
            None,
        )
        if statement_here is None:
            return innermost
        innermost = statement_here
        contains_line = _first_line(innermost) <= raising <= (innermost.end_lineno or innermost.lineno)
        if isinstance(innermost, ast.FunctionDef | ast.ClassDef) and not contains_line:
            return innermost
        if not isinstance(innermost, ast.FunctionDef | ast.ClassDef) and innermost.lineno == line:
            return innermost
        inside = [statement for name in ("body", "orelse", "finalbody") for statement in getattr(innermost, name, [])]
        if not inside:
            return innermost


def _first_line(node: ast.stmt) -> int:
    lines: list[int] = [node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]
    return min(lines)


def _trace_outcome(
    raised: RaisedAt,
    body: list[ast.stmt],
    budget: Budget,
    codes: Mapping[types.CodeType, types.CodeType] = types.MappingProxyType({}),
    inside: str | None = None,
) -> Outcome:
    import jax

    frame = raised.frame
    assert frame is not None
    last = body[-1]
    if isinstance(last, ast.Expr):
        body = [*body[:-1], ast.Return(last.value)]
    body = [*_copied_containers(namespace(raised), body), *body]
    nodes = [part for node in body for part in ast.walk(node) if isinstance(part, ast.Name)]
    nodes_written = {name_node.id for name_node in nodes if isinstance(name_node.ctx, ast.Store)}
    nodes_written |= {part.name for node in body for part in ast.walk(node) if isinstance(part, ast.FunctionDef)}
    names = namespace(raised)
    # Names that the statements assign are local to the trial function, so it gets their earlier values as arguments.
    before = sorted(name for name in nodes_written if name in names)
    head = f"def {_NAME}({', '.join(before)}):\n    pass\n"
    module = ast.parse(head)
    trial_function = module.body[0]
    assert isinstance(trial_function, ast.FunctionDef)
    trial_function.body = list(body)
    text = ast.unparse(ast.fix_missing_locations(module))
    file = f"<jupyter_jaxpr trial {next(_numbers)}>"
    trial_names: dict[str, Any] = dict(names)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    prints = PrintRecorder(lambda: "", swallow=True)
    try:
        exec(compile(text, file, "exec"), trial_names)
        function = trial_names[_NAME]
        if has_handler(function.__code__):
            return "untried"
        copies: dict[int, Any] = {}
        for name in ({name_node.id for name_node in nodes} & names.keys()) - _assigned_first(body):
            trial_names[name] = copied(names[name], copies, codes=codes)
        specs, tracers = _specs(
            {name_node.id: trial_names[name_node.id] for name_node in nodes if name_node.id in names}
        )

        carry = carry_around(raised) if isinstance(last, ast.Return) else None
        has_carry = carry is not None and carry.parameter in names and carry.parameter not in nodes_written

        def run(*leaves: Any) -> list[Any]:
            run_names = {**trial_names, **_with_new_leaves(tracers, leaves)}
            result = types.FunctionType(function.__code__, run_names)(*[run_names[name] for name in before])
            if carry is not None and has_carry and not carry.is_kept(run_names[carry.parameter], result):
                raise _OtherCarry
            return [leaf for leaf in jax.tree_util.tree_leaves(result) if hasattr(leaf, "dtype")]

        with observer().looking_away(), unheard(), silenced_warnings():
            prints.start()
            with budget.limited():
                abstract = {name: _types_of_tree(names[name]) for name in tracers}
                checked = types.FunctionType(function.__code__, {**trial_names, **names, **abstract})
                if side_effects(checked, [_types_of_tree(names[name]) for name in before], {}, first=True):
                    return "untried"
                jax.eval_shape(run, *specs)
    except (NotCopied, TooLong, SystemExit, GeneratorExit):
        return "untried"
    except _OtherCarry:
        return "later error"
    except not_of_a_signal(Exception) as error:
        if inside is not None and not _is_raised_in(error, inside):
            return "untried"
        # Outside of a trace, x[x > 0] is allowed, but a trial always traces, so this error does not show that the cure
        # is wrong.
        is_of_trial = isinstance(error, jax.errors.NonConcreteBooleanIndexError) and not raised.in_trace
        return "later error" if is_of_trial and not raised.tracers else "failed"
    finally:
        prints.stop()
        linecache.cache.pop(file, None)
    return "traced"


def _is_raised_in(error: BaseException, file: str) -> bool:
    """Return whether the innermost line of the user's code in a traceback is in a file."""
    last, traceback = None, error.__traceback__
    while traceback is not None:
        if is_users_frame(traceback.tb_frame):
            last = traceback.tb_frame
        traceback = traceback.tb_next
    return last is not None and file_of(last.f_code) == file


#: Type of a container of Python -> the code of a copy.
_COPIES: dict[type, str] = {list: "{name} = [*{name}]", dict: "{name} = {{**{name}}}", set: "{name} = {{*{name}}}"}


def _copied_containers(names: Mapping[str, Any], body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return statements that copy the containers which the statements read.

    The trial has copies of these containers anyway. With these statements, the search for side effects knows it, too:
    `losses.append(x)` and `out["mean"] = x` change a copy.
    """
    nodes = [part for node in body for part in ast.walk(node) if isinstance(part, ast.Name)]
    read = dict.fromkeys(part.id for part in nodes if isinstance(part.ctx, ast.Load))
    codes = [_COPIES[type(names[name])].format(name=name) for name in read if type(names.get(name)) in _COPIES]
    return list(ast.parse("\n".join(codes)).body)


def _assigned_first(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that the statements assign before they read them, so that their earlier values do not matter."""
    assigned: set[str] = set()
    read: set[str] = set()
    for statement in body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        read |= {node.id for node in names if not isinstance(node.ctx, ast.Store)}
        if not isinstance(statement, ast.Assign):
            read |= {node.id for node in names}
        elif len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            assigned |= {statement.targets[0].id} - read
    return assigned


def traced_with(call: RaisedCall, values: Mapping[str, Any], names: Sequence[str]) -> Outcome:
    """Trace the failing call with some of its arguments as Python values instead of tracers, and return the outcome.

    JAX traces no argument that the call leaves out: the function gets its default.

    Args:
        call: The failing call of the jitted function.
        values: The argument for each parameter.
        names: The names of the arguments that stay Python values.
    """
    import jax

    fun = call.function
    signature = inspect.signature(fun)
    kinds = {parameter.name: parameter.kind for parameter in signature.parameters.values()}
    passed_names = {*signature.bind(*call.args, **call.kwargs).arguments, *names}
    by_position = list(signature.bind(*call.args).arguments) if not call.kwargs else []
    values = {name: value for name, value in values.items() if name in passed_names}
    if any(kinds.get(name) not in (_POSITIONAL, _KEYWORD) for name in (*names, *values)):
        return "untried"
    traced = {name: value for name, value in values.items() if name not in names}
    leaves, tree = jax.tree_util.tree_flatten(traced)
    if not all(_is_number_or_array(leaf) for leaf in leaves):
        return "untried"
    specs = [_type_of_leaf(leaf) for leaf in leaves]
    prints = PrintRecorder(lambda: "", swallow=True)
    try:
        copies: dict[int, Any] = {}
        plain = copied(fun, copies)
        static = {name: copied(values[name], copies) for name in names}

        def run(*inputs: Any) -> list[Any]:
            arguments = {**jax.tree_util.tree_unflatten(tree, inputs), **static}
            # jax.grad and jax.vmap take the arguments by position.
            positional = [arguments.pop(name) for name in by_position]
            # asarray raises for a string or an object in the result, as jit does.
            return [jax.numpy.asarray(leaf) for leaf in jax.tree_util.tree_leaves(plain(*positional, **arguments))]

        with observer().looking_away(), unheard(), silenced_warnings():
            prints.start()
            with left_for_error().limited():
                argument_values = {
                    **jax.tree_util.tree_unflatten(tree, specs),
                    **{name: values[name] for name in names},
                }
                positional_values = [argument_values.pop(name) for name in by_position]
                if side_effects(fun, positional_values, argument_values, first=True):
                    return "untried"
                jax.eval_shape(run, *specs)
    except (NotCopied, TooLong, SystemExit, GeneratorExit):
        return "untried"
    except not_of_a_signal(Exception):
        return "failed"
    finally:
        prints.stop()
    return "traced"


_POSITIONAL, _KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


def _is_number_or_array(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float | complex) or (hasattr(leaf, "shape") and hasattr(leaf, "dtype"))


def _type_of_leaf(leaf: Any) -> Any:
    import jax

    aval = jax.typeof(leaf)
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


Tracers = dict[str, tuple[list[Any], Any, list[int]]]


def _specs(names: dict[str, Any]) -> tuple[list[Any], Tracers]:
    """Return the types of the traced leaves in some values, and, for each name, the positions of its traced leaves."""
    import jax

    specs: list[Any] = []
    tracers: Tracers = {}
    for name, value in names.items():
        leaves, tree = jax.tree_util.tree_flatten(value)
        places = [number for number, leaf in enumerate(leaves) if is_tracer_type(type(leaf))]
        if places:
            tracers[name] = (leaves, tree, places)
            specs += [_type_of_tracer(leaves[number]) for number in places]
    return specs, tracers


def _with_new_leaves(tracers: Tracers, new: Sequence[Any]) -> dict[str, Any]:
    import jax

    new_leaves = iter(new)
    values = {}
    for name, (leaves, tree, places) in tracers.items():
        filled = list(leaves)
        for number in places:
            filled[number] = next(new_leaves)
        values[name] = jax.tree_util.tree_unflatten(tree, filled)
    return values


def _type_of_tracer(tracer: Any) -> Any:
    import jax

    aval = tracer.aval
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def _types_of_tree(value: Any) -> Any:
    import jax

    return jax.tree_util.tree_map(lambda leaf: _type_of_tracer(leaf) if is_tracer_type(type(leaf)) else leaf, value)
