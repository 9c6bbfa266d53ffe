"""Writes an `if` statement that assigns several names as two functions and a call of jax.lax.cond."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import Edit
from ..failing_code.edits import Change
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt


class NotWritten(Exception):
    """Raised if a statement does more than assign names, so that no function of JAX can run the statement."""


@dataclass(frozen=True)
class Branches:
    """The two branches of an `if` statement.

    Attributes:
        test: The code of the condition.
        body: The statements that run if the condition is true.
        orelse: The statements that run if the condition is false.
    """

    test: str
    body: Sequence[ast.stmt]
    orelse: Sequence[ast.stmt]


def changed_branches(raised: RaisedAt, at: ast.If, lax: str, test: str) -> Change:
    """Return the change of an `if` statement that assigns names to a call of jax.lax.cond.

    An `if` that ends with `return` returns the result of the call. An `if` that ends with `continue` runs the other
    statements of the loop if its condition is false. Equal statements at the ends of both branches, such as
    `path.append(x)`, come after the call.

    Args:
        raised: Where the error was raised.
        at: The `if` statement.
        lax: The name of jax.lax in the user's code.
        test: The code of the condition.
    """
    last = at.body[-1]
    body, orelse = ([with_new_arrays(raised, statement) for statement in part] for part in (at.body, at.orelse))
    replaced: list[ast.stmt] = [at]
    if isinstance(last, ast.Continue):
        loop = raised.parents.get(id(at))
        if orelse or not isinstance(loop, ast.For | ast.While) or at not in loop.body:
            raise NotWritten
        rest = loop.body[loop.body.index(at) + 1 :]
        body, orelse = body[:-1], [with_new_arrays(raised, statement) for statement in rest]
        replaced += rest
    if isinstance(last, ast.Return):
        function = raised.function
        if not isinstance(function, ast.FunctionDef) or at not in function.body:
            raise NotWritten
        after = [] if orelse else function.body[function.body.index(at) + 1 :]
        code = _cond_of_returns(raised, lax, Branches(test, body, orelse or after), names_before(raised, at))
        return at, (after or [at])[-1], code
    common: list[ast.stmt] = []
    while body and orelse and ast.dump(body[-1]) == ast.dump(orelse[-1]):
        common.insert(0, orelse.pop())
        body.pop()
    defined = names_before(raised, at)
    read = read_outside(raised, replaced, defined) | names_read(common)
    code = cond_of_branches(raised, lax, Branches(test, body, orelse), defined, read)
    code = "\n".join([code, *(code_of_statement(raised, statement) for statement in common)])
    return replaced[0], replaced[-1], code


_ONE = "if True:"


def as_one_statement(change: Change) -> Change:
    """Return a change whose new code is one compound statement, for a trial."""
    first, last, code = change
    return first, last, f"{_ONE}\n{textwrap.indent(code, '    ')}"


def as_several_statements(edit: Edit) -> Edit:
    """Return the edit of a change whose new code `as_one_statement` made one statement, with the code itself."""
    head, *lines = edit.text.split("\n")
    if head != _ONE:
        return edit
    first, *rest = [line[4:] for line in lines]
    return replace(edit, text="\n".join([first.lstrip(), *rest]))


def cond_of_branches(raised: RaisedAt, lax: str, branches: Branches, defined: frozenset[str], read: set[str]) -> str:
    """Return the code that runs one of two branches with jax.lax.cond.

    Args:
        raised: Where the error was raised.
        lax: The name of jax.lax in the user's code.
        branches: The branches; each only assigns names.
        defined: The names that have a value before the statement.
        read: The names that other code reads; the code returns no other name from the branches.
    """
    in_body, in_orelse = (assigned_names(part) for part in (branches.body, branches.orelse))
    names = [
        name
        for name in dict.fromkeys([*in_body, *in_orelse])
        if name in read and (name in defined or (name in in_body and name in in_orelse))
    ]
    if not names or any(name in read and name not in names for name in [*in_body, *in_orelse]):
        raise NotWritten
    operands = [name for name in names if name in defined]
    parameters, result = ", ".join(operands), ", ".join(names)
    functions, definitions = [], []
    for function, part in (("if_true", branches.body), ("if_false", branches.orelse)):
        if not part and operands == names:
            functions.append(f"lambda {parameters}: {result}" if len(names) == 1 else "lambda *old: old")
            continue
        function = free_name(raised, function)
        lines = [textwrap.indent(code_of_statement(raised, statement), "    ") for statement in part]
        definitions.append("\n".join([f"def {function}({parameters}):", *lines, f"    return {result}", ""]))
        functions.append(function)
    arguments = ", ".join([branches.test, *functions, *operands])
    return "\n".join([*definitions, f"{result} = {lax}.cond({arguments})"])


def _cond_of_returns(raised: RaisedAt, lax: str, branches: Branches, defined: frozenset[str]) -> str:
    """Return the code that returns the result of one of two branches, which both end with `return`."""
    parts = [(free_name(raised, "if_true"), branches.body), (free_name(raised, "if_false"), branches.orelse)]
    if any(not part or not isinstance(part[-1], ast.Return) or part[-1].value is None for _, part in parts):
        raise NotWritten
    assigned = [name for _, part in parts for name in assigned_names(part[:-1])]
    operands = [name for name in dict.fromkeys(assigned) if name in defined]
    lines = []
    for function, part in parts:
        inside = [textwrap.indent(raised.source_of_statement(statement), "    ") for statement in part]
        lines += [f"def {function}({', '.join(operands)}):", *inside, ""]
    arguments = ", ".join([branches.test, *(function for function, _ in parts), *operands])
    return "\n".join([*lines, f"return {lax}.cond({arguments})"])


#: The method of `.at[...]` for an operator such as +=.
METHODS_OF_AT = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


def with_new_arrays(raised: RaisedAt, statement: ast.stmt) -> ast.stmt:
    """Return a statement whose writes into elements of JAX arrays make new arrays: x = x.at[0].add(1) for x[0] += 1."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name() as array) as target], value=value):
            method = "set"
        case ast.AugAssign(target=ast.Subscript(value=ast.Name() as array) as target, op=op, value=value) if (
            type(op) in METHODS_OF_AT
        ):
            method = METHODS_OF_AT[type(op)]
        case _:
            return statement
    held = value_of(raised, array)
    if not dtype_of(held) or type(held).__module__ == "numpy" or type_of(held).startswith("Ref"):
        return statement
    place = raised.source(target.slice)
    return ast.parse(f"{array.id} = {array.id}.at[{place}].{method}({raised.source(value)})").body[0]


def code_of_statement(raised: RaisedAt, statement: ast.stmt) -> str:
    """Return the code of a statement of the user, or of a new statement."""
    return raised.source_of_statement(statement) if id(statement) in raised.parents else ast.unparse(statement)


def assigned_names(statements: Sequence[ast.stmt]) -> list[str]:
    """Return the names that statements assign, in order; raise NotWritten if a statement does anything else."""
    names: list[str] = []
    for statement in statements:
        match statement:
            case ast.Assign(targets=targets):
                for target in targets:
                    names += _names_of(target)
            case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                names.append(name)
            case ast.For(target=target, body=body, orelse=[]):
                names += [*_names_of(target), *assigned_names(body)]
            case ast.If(body=body, orelse=orelse):
                names += [*assigned_names(body), *assigned_names(orelse)]
            case ast.Pass():
                continue
            case _:
                raise NotWritten
        if any(isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for part in ast.walk(statement)):
            raise NotWritten
    return list(dict.fromkeys(names))


def _names_of(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return [name for element in elements for name in _names_of(element)]
    raise NotWritten


def names_read(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that syntax nodes read; `n += 1` reads n."""
    parts = [part for node in nodes for part in ast.walk(node)]
    read = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    return read | {
        part.target.id for part in parts if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)
    }


def names_before(raised: RaisedAt, statement: ast.stmt) -> frozenset[str]:
    """Return the names that have a value before a statement of a function, as far as the code shows."""
    function = raised.function
    if not isinstance(function, ast.FunctionDef):
        raise NotWritten
    names = {part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)}
    names |= {
        part.id
        for part in ast.walk(function)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.lineno < statement.lineno
    }
    return frozenset(names)


def read_outside(raised: RaisedAt, statements: Sequence[ast.stmt], defined: frozenset[str]) -> set[str]:
    """Return the names that a function reads outside of some of its statements.

    The names with a value before the statements that the statements read count, too: a loop may run them again.
    """
    function = raised.function
    if not isinstance(function, ast.FunctionDef):
        raise NotWritten
    inside = {id(part) for statement in statements for part in ast.walk(statement)}
    read = names_read(statements) & defined
    for part in ast.walk(function):
        if id(part) in inside:
            continue
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            read.add(part.id)
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            read.add(part.target.id)
    return read


def free_name(raised: RaisedAt, name: str) -> str:
    """Return a name that the user's code does not use."""
    nodes = list(ast.walk(raised.loops.module)) if raised.loops is not None else []
    used = {part.id for part in nodes if isinstance(part, ast.Name)}
    used |= {part.name for part in nodes if isinstance(part, ast.FunctionDef)}
    while name in used:
        name = f"{name}_"
    return name
