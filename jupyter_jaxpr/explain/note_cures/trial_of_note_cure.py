"""Tries the edit of a note's cure: the edit must keep the types of the results and remove the cause of the note.

An edit within a function is tried in each program that reaches the edited line: the edited function is traced with the
types of the call. For an edit outside of functions, the cell's statements are traced with the present values of the
notebook's names. JAX only traces, and computes nothing.
"""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CellType, FunctionType
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted
from ...observe.observation import ObservedProgram
from ...observe.user_or_library.whose_code import is_installed
from ...plain_text import file_of
from ...program.jaxpr.parameters import open_jaxpr, programs_in
from ...program.nan_gradients_of_square_roots import count_roots_of_squares
from ...program.nan_gradients_of_where import count_masked_derivatives
from ...program.random_key_use import count_key_uses
from ..compiled_edits import EditedCode
from ..errors.failing_code.edits import edited
from ..loops.trial_of_loop_rewrite import given_of, gives, types_before
from ..traced_result_types import Fixed, ResultTypes, Untried, result_types, spec_of_aval
from ..trials.copied_values import NotCopied, copied
from ..trials.trial_time_limit import Budget
from .expressions_at_positions import Sketch

Outcome = Literal["applies", "fails", "untried", "elsewhere"]

_NAME = "__jupyter_jaxpr_trial__"
_numbers = itertools.count(1)
#: Kind of note -> the function that counts the causes of such a note in a program. A cure must lower the count.
_COUNTS: Mapping[str, Callable[[Any], int]] = {
    "key_used_twice": count_key_uses,
    "masked_derivative": count_masked_derivatives,
    "root_of_squares": lambda jaxpr: count_roots_of_squares(jaxpr) + count_masked_derivatives(jaxpr),
}


def tried_in(sketch: Sketch, observed: ObservedProgram, budget: Budget) -> Outcome:
    """Try an edit in one program and return the outcome.

    Returns:
        `applies`: the edited function gives the same types, and the cause of the note is gone. `fails`: the edited
        function raises an error or gives other types, or the cause of the note remains. `untried`: nothing was traced,
        or the traced program does not have the cause of the note.
        `elsewhere`: the program does not reach the edited line.
    """
    fun = None if observed.held is None else observed.held.fun
    if type(fun) is not FunctionType:
        return "untried"
    try:
        codes = EditedCode(sketch.lines, sketch.line, sketch.cure.edits, sketch.file)
        _copied_through(fun, {}, codes)
        if not codes.is_met:
            return "elsewhere"
        args, kwargs = given_of(observed)
        before = types_before(observed)
    except not_of_a_signal(Untried, NotCopied, SyntaxError, ValueError):
        return "untried"
    return _outcome(
        sketch,
        before,
        lambda: result_types(fun, args, kwargs, budget, copy=lambda _, copies: _copied_through(fun, copies, codes)),
    )


def tried_at_top(sketch: Sketch, names: Mapping[str, Any], budget: Budget) -> Outcome:
    """Try an edit of statements of a cell that are outside of functions, and return the outcome.

    Args:
        sketch: The edit.
        names: The values of the notebook's names.
        budget: The time that is left.
    """
    text = "\n".join(sketch.lines)
    lines = [*(edit.place.line for edit in sketch.cure.edits), sketch.line]
    shift = sum(edit.text.count("\n") for edit in sketch.cure.edits)
    try:
        old = _statements(ast.parse(text), min(lines), max(lines))
        new = _statements(ast.parse(edited(text, sketch.cure.edits)), min(lines), max(lines) + shift)
        # The trial compares the types of these names: the unedited statements assign them, or the notebook has them
        # and the edited statements assign them.
        stored = sorted(_stored(old) | (_stored(new) & names.keys()))
        passed = [name for name in stored if name in names]
        functions = [_function(body, passed, stored, names) for body in (old, new)]
        args = [_given(names[name]) for name in passed]
        before = result_types(functions[0], args, {}, budget)
    except not_of_a_signal(Untried, NotCopied, SyntaxError, ValueError):
        return "untried"
    # the unedited statements fail, for example because a name of the notebook has another value than when the cell ran
    except not_of_a_signal(Exception):
        return "untried"
    return _outcome(sketch, before, lambda: result_types(functions[1], args, {}, budget))


def _outcome(sketch: Sketch, before: ResultTypes, trace: Callable[[], ResultTypes]) -> Outcome:
    try:
        after = trace()
    except Untried:
        return "untried"
    except not_of_a_signal(NameError):
        return "untried"  # the edited code needs an import that the file does not have
    except not_of_a_signal(Exception):
        return "fails"
    counted = _COUNTS.get(sketch.kind)
    if counted is not None:
        causes = _everywhere(counted, before.program)
        if not causes:
            return "untried"  # the traced program has no gradient: JAX differentiates the function elsewhere
        if _everywhere(counted, after.program) >= causes:
            return "fails"
    return "applies" if gives(after, before) else "fails"


def _everywhere(counted: Callable[[Any], int], program: Any) -> int:
    return sum(map(counted, _programs(open_jaxpr(program))))


def _programs(jaxpr: Any) -> Iterator[Any]:
    yield jaxpr
    for equation in jaxpr.eqns:
        for value in equation.params.values():
            for _, inside, _ in programs_in(value):
                yield from _programs(inside)


def _copied_through(value: Any, copies: dict[int, Any], codes: EditedCode) -> Any:
    """Return a copy of a user's function.

    For a library's function, such as a result of `jax.grad`, copy the user's function in it.
    """
    if type(value) is not FunctionType or not is_installed(file_of(value.__code__)) or not value.__closure__:
        return copied(value, copies, codes=codes)
    cells = []
    for cell in value.__closure__:
        try:
            content = cell.cell_contents
        except not_of_a_signal(ValueError):  # the variable of the closure has no value yet (an empty cell)
            content = None
        if is_jitted(content) and type(content.__wrapped__) is FunctionType:
            content = content.__wrapped__  # as in jax.vmap(jax.jit(jax.grad(f)))
        cells.append(CellType(_copied_through(content, copies, codes)) if type(content) is FunctionType else cell)
    copy = FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, tuple(cells))
    copy.__kwdefaults__ = value.__kwdefaults__
    return copy


def _statements(module: ast.Module, first: int, last: int) -> list[ast.stmt]:
    return [
        statement
        for statement in module.body
        if statement.lineno <= last and first <= (statement.end_lineno or statement.lineno)
    ]


def _stored(body: Sequence[ast.stmt]) -> set[str]:
    nodes = [node for statement in body for node in ast.walk(statement)]
    if any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom) for node in nodes):
        raise Untried
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _function(
    body: Sequence[ast.stmt], parameters: Sequence[str], stored: Sequence[str], names: Mapping[str, Any]
) -> Any:
    """Return a function with the given statements.

    Its arguments and its results are the names that the statements assign.
    """
    module = ast.parse(f"def {_NAME}({', '.join(parameters)}):\n    return [{', '.join(stored)}]\n")
    made_of = module.body[0]
    assert isinstance(made_of, ast.FunctionDef)
    made_of.body[:0] = body
    text = ast.unparse(ast.fix_missing_locations(module))
    file = f"<jupyter_jaxpr trial {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = dict(names)
    exec(compile(text, file, "exec", dont_inherit=True), space)
    return space[_NAME]


def _given(value: Any) -> Any:
    import jax

    return jax.tree_util.tree_map(
        lambda leaf: spec_of_aval(jax.typeof(leaf)) if isinstance(leaf, jax.Array) else Fixed(leaf), value
    )
