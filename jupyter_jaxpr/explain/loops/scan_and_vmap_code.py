"""Rewrites a Python loop as fori_loop, scan, while_loop or vmap, with the user's own names.

The rewrite is a sketch: this module makes it from the source code and the source positions of equations, and does not
know the values. If the source code does not show that a rewrite computes the same values, there is no rewrite, and the
note says why.
"""

from __future__ import annotations

import ast
import copy
import textwrap
from dataclasses import dataclass
from typing import Literal

from ...typed.syntax_nodes import in_order
from .carried_names import Names, carried_names, check_starts_empty, is_read_later, singular, stored_names
from .iterables_of_loops import Iterated, IteratedReader, MadeAt, ReplaceElements
from .kinds_of_python_loops import Loop, LoopStatement
from .refused_loop_bodies import (
    Body,
    Cannot,
    check_numbers,
    check_side_effects,
    has_long_text,
    single_value,
    target_names,
)
from .refused_value_changes import check_exact, check_whole_numbers

Form = Literal["fori_loop", "scan", "while_loop", "vmap"]

_WIDTH = 72
_ELSE = "The rewrite does not support a loop with an else block."
_UNKNOWN_RESULTS = "jupyter_jaxpr cannot tell from the names in the loop what the loop computes."
_REVERSE_VMAP = "The rewrite does not support jax.vmap over elements in reverse order."


@dataclass(frozen=True)
class Rewrite:
    """A loop of JAX that replaces a loop of Python.

    Attributes:
        form: The function of JAX that makes the loop.
        code: The lines of the sketch, from column 0; None without a sketch.
        stacked: True if the sketch first stacks Python containers of arrays, such as the layers of a model.
        why_not: The reasons why there is no sketch, in sentences.
        before: For a comprehension: the lines that stand before the statement.
        replaced: For a comprehension: the expression that `expression` replaces; None without an edit.
        expression: The code in the place of `replaced`.
    """

    form: Form
    code: str | None
    stacked: bool = False
    why_not: str | None = None
    before: tuple[str, ...] = ()
    replaced: ast.expr | None = None
    expression: str | None = None


def rewrite(
    loop: LoopStatement,
    carried: bool,
    differentiated: bool,
    made_at: MadeAt,
    chosen_form: Form | None = None,
    arrays: frozenset[str] = frozenset(),
) -> Rewrite:
    """Rewrite a Python loop with JAX.

    Args:
        loop: The statement.
        carried: True if an iteration needs the result of the iteration before.
        differentiated: True if the program has a backward pass, which a while_loop does not allow.
        made_at: Returns whether the trace of an expression recorded equations. An iteration over an array records
            equations, an iteration over a list does not.
        chosen_form: `while_loop` to rewrite a counting `while` as a while_loop; None to rewrite it as a fori_loop.
        arrays: Names that hold arrays of JAX before the loop.
    """
    form: Form = "fori_loop" if carried else "vmap"
    if isinstance(loop.node, ast.While):
        form = "while_loop"
    elif carried and isinstance(loop.node, ast.For) and not _is_range(loop.node.iter):
        form = "scan"
    if isinstance(loop.node, ast.Call):
        return Rewrite("scan" if carried else "vmap", None)
    try:
        return _Writer(loop, carried, differentiated, made_at, frozenset(), arrays).write(chosen_form)
    except Cannot as reason:
        return Rewrite(form, None, why_not=str(reason))


class _Writer:
    def __init__(
        self,
        loop: LoopStatement,
        carried: bool,
        differentiated: bool,
        made_at: MadeAt,
        taken_names: frozenset[str],
        arrays: frozenset[str],
    ) -> None:
        self._arrays = arrays
        self._loop = loop
        self._carried = carried
        self._differentiated = differentiated
        self._made_at = made_at
        self._names = Names(loop, taken_names)
        self._iterated = IteratedReader(loop, made_at, self._names)

    def write(self, form: Form | None = None) -> Rewrite:
        node = self._loop.node
        check_side_effects(self._loop)
        if isinstance(node, ast.While):
            return self._while(node, form)
        if isinstance(node, ast.For):
            return self._for(node)
        return self._comprehension(node)

    # --- for -----------------------------------------------------------------------------------

    def _for(self, node: ast.For) -> Rewrite:
        if node.orelse:
            raise Cannot(_ELSE)
        body = Body(node.body)
        targets = target_names(node.target)
        carry = carried_names(self._loop, body, targets)
        iterated = self._iterated.read(node.iter, node.target, node.body)
        check_numbers(node.body, iterated.numbers, targets | set(body.writes))
        check_exact(self._loop, node.body, iterated.numbers, set(carry), self._made_at)
        _no_calls_of(node.body, targets - iterated.numbers)
        if iterated.reverse and body.appends:
            raise Cannot(
                "The loop appends its results in reverse order. jax.lax.scan gives the results in the order of the "
                "elements."
            )
        for name, (_, value) in body.appends.items():
            check_starts_empty(self._loop, name)
            if sum(isinstance(name_node, ast.Name) and name_node.id == name for name_node in self._loop.nodes) > 1:
                raise Cannot(f"The body reads the list {name}, which a loop of JAX has only after the last step.")
            if isinstance(value, ast.Tuple | ast.List | ast.Dict):
                raise Cannot(
                    f"The loop appends a container to {name}. A loop of JAX gives one stacked array for each part of "
                    "the container, not a list of containers."
                )
        if not carry and not body.appends:
            raise Cannot(_UNKNOWN_RESULTS)
        if not carry and self._carried:
            raise Cannot("The loop changes an object without an assignment to a name.")
        lines, ys = self._body(node.body, body)
        if not carry:
            return self._vmap(iterated, lines, ys, ", ".join(body.appends))
        if iterated.bounds is not None and not body.appends and not iterated.stacked and not self._iterated.elements:
            return self._fori(node, iterated, carry, lines)
        return self._scan(iterated, carry, lines, ys, list(body.appends))

    def _fori(self, node: ast.For, iterated: Iterated, carry: list[str], lines: list[str]) -> Rewrite:
        assert iterated.bounds is not None
        low, high = iterated.bounds
        number = ast.unparse(node.target)
        used = any(
            isinstance(name_node, ast.Name) and name_node.id == number
            for part in node.body
            for name_node in in_order(part)
        )
        number = number if used else "_"
        state = _tuple(carry)
        has_comment = any("#" in line for line in self._loop.lines[node.lineno - 1 : node.end_lineno])
        value = None if has_comment else single_value(node.body, carry)
        call = f"{self._names.lax}.fori_loop"
        if value is not None:
            short = f"{state} = {call}({low}, {high}, lambda {number}, {carry[0]}: {value}, {state})"
            if len(short) <= _WIDTH:
                return Rewrite("fori_loop", short)
            inside = f"{low}, {high}, lambda {number}, {carry[0]}: {value}, {state}"
            if len(inside) <= _WIDTH:
                return Rewrite("fori_loop", f"{state} = {call}(\n    {inside}\n)")
        name = self._names.new("body", "inner", "innermost")
        define = self._function(name, [number], carry, lines, state)
        return Rewrite(
            "fori_loop", "\n".join([*define, "", f"{state} = {call}({low}, {high}, {name}, {_init(carry)})"])
        )

    def _scan(self, iterated: Iterated, carry: list[str], lines: list[str], ys: list[str], lists: list[str]) -> Rewrite:
        name = self._names.new("step", "inner_step", "innermost_step")
        element, unpack = self._element(iterated)
        out = _tuple(ys) if len(ys) < 2 else f"({', '.join(ys)})"
        state = f"({', '.join(carry)})" if len(carry) > 1 else carry[0]
        result = f"{state}, {out if ys else 'None'}"
        define = self._function(name, [], carry, [*unpack, *lines], result, after=element)
        xs = iterated.xs[0] if len(iterated.xs) == 1 else f"({', '.join(iterated.xs)})"
        stacked_names = (lists[0] if len(lists) == 1 else f"({', '.join(lists)})") if lists else "_"
        reverse = ", reverse=True" if iterated.reverse else ""
        call = f"{state}, {stacked_names} = {self._names.lax}.scan({name}, {_init(carry)}, {xs}{reverse})"
        notes = [
            f"# {stacked_names} is stacked along axis 0 already" if len(lists) == 1 else "# each is stacked already"
        ]
        before = [*iterated.before, ""] if iterated.before else []
        code = [*before, *define, "", *(notes if lists else []), call]
        return Rewrite("scan", "\n".join(code), stacked=iterated.stacked)

    def _vmap(self, iterated: Iterated, lines: list[str], ys: list[str], stacked_name: str) -> Rewrite:
        if iterated.reverse:
            raise Cannot(_REVERSE_VMAP)
        name = self._names.new("one", "each_one", "single")
        parameters, unpack = [], []
        for target in iterated.targets:
            if isinstance(target, ast.Name):
                parameters.append(target.id)
            else:
                element = self._names.new("each", "element", "item")
                parameters.append(element)
                unpack.append(f"{ast.unparse(target).strip('()')} = {element}")
        define = [
            f"def {name}({', '.join(parameters)}):",
            *(f"    {line}".rstrip() for line in (*unpack, *lines)),
            f"    return {', '.join(ys)}",
        ]
        before = [*iterated.before, ""] if iterated.before else []
        call = f"{stacked_name} = jax.vmap({name})({', '.join(iterated.xs)})"
        note = f"# {stacked_name} is stacked along axis 0 already" if len(ys) == 1 else "# each is stacked already"
        return Rewrite("vmap", "\n".join([*before, *define, "", note, call]), stacked=iterated.stacked)

    # --- while ---------------------------------------------------------------------------------

    def _while(self, node: ast.While, form: Form | None) -> Rewrite:
        if node.orelse:
            raise Cannot(_ELSE)
        counted = self._counted(node) if form != "while_loop" else None
        if counted is not None:
            number, limit = counted
            inner = node.body[:-1]
            body = Body(inner)
            if number in body.writes or body.appends:
                raise Cannot(f"The body of the loop changes the counter {number} or appends to a list.")
            carry = carried_names(self._loop, body, set())
            check_numbers(inner, {number}, {number, *body.writes})
            check_exact(self._loop, inner, {number}, set(carry), self._made_at)
            if not carry:
                raise Cannot(_UNKNOWN_RESULTS)
            lines, _ = self._body(inner, body)
            state = _tuple(carry)
            name = self._names.new("body", "inner", "innermost")
            define = self._function(name, [number], carry, lines, state)
            call = f"{state} = {self._names.lax}.fori_loop({number}, {limit}, {name}, {_init(carry)})"
            return Rewrite("fori_loop", "\n".join([*define, "", call]))
        if self._differentiated:
            raise Cannot(
                "The program has a backward pass, and jax.lax.while_loop has no backward pass. Write the loop as a for "
                "loop over a fixed count, with a mask."
            )
        body = Body([*node.body, ast.Expr(ast.Constant(None))])
        tested = {name_node.id for name_node in in_order(node.test) if isinstance(name_node, ast.Name)}
        carry = carried_names(self._loop, body, set())
        carry += [name for name in body.writes if name in tested and name not in carry]
        if body.appends:
            raise Cannot("JAX does not know how many elements a while loop appends.")
        if not tested & set(carry):
            raise Cannot(
                "jupyter_jaxpr cannot tell from the names in the loop when the loop ends. Write the condition yourself."
            )
        check_numbers(node.body, set(), set(body.writes))
        check_exact(self._loop, node.body, set(), set(carry), self._made_at)
        check_whole_numbers(self._loop, (tested & set(carry)) - self._arrays)
        lines, _ = self._body(node.body, body)
        state = _tuple(carry)
        # Python accepts `while n:` with a number. The condition of a while_loop must be a boolean: n != 0.
        test = f"{node.test.id} != 0" if isinstance(node.test, ast.Name) else ast.unparse(node.test)
        condition = self._function("condition", [], carry, [], test)
        define = self._function(self._names.new("body", "inner", "innermost"), [], carry, lines, state)
        call = f"{state} = {self._names.lax}.while_loop(condition, {define[0][4:].partition('(')[0]}, {_init(carry)})"
        return Rewrite("while_loop", "\n".join([*condition, "", *define, "", call]))

    def _counted(self, node: ast.While) -> tuple[str, str] | None:
        """Return (i, n) for a loop `while i < n: ...; i += 1` (or `i = i + 1`). None for any other `while`."""
        match node.test:
            case ast.Compare(left=ast.Name(id=number), ops=[ast.Lt()], comparators=[limit]) if len(
                node.body
            ) > 1 and ast.unparse(node.body[-1]) in (f"{number} += 1", f"{number} = {number} + 1"):
                changed = stored_names(node.body)
                if is_read_later(self._loop, number):
                    return None  # the code after the loop reads the counter, which a `fori_loop` does not return
                if not changed & {name_node.id for name_node in in_order(limit) if isinstance(name_node, ast.Name)}:
                    return number, ast.unparse(limit)
        return None

    # --- comprehensions ------------------------------------------------------------------------

    def _comprehension(self, node: Loop) -> Rewrite:
        if isinstance(node, ast.For | ast.While | ast.Call | ast.DictComp | ast.SetComp):
            raise Cannot("The comprehension keeps its results by key, not in order.")
        if len(node.generators) > 1 or node.generators[0].ifs or node.generators[0].is_async:
            raise Cannot("The rewrite does not support a comprehension with several for clauses or with an if.")
        generator = node.generators[0]
        iterated = self._iterated.read(
            generator.iter, generator.target, [ast.copy_location(ast.Expr(node.elt), node.elt)]
        )
        check_numbers([node.elt], iterated.numbers, target_names(generator.target))
        check_exact(self._loop, [node.elt], iterated.numbers, set(), self._made_at)
        _no_calls_of([node.elt], target_names(generator.target) - iterated.numbers)
        value = self._replaced(node.elt)
        if iterated.reverse:
            raise Cannot(_REVERSE_VMAP)
        before = [*iterated.before, ""] if iterated.before else []
        called, name = self._loop.call, ""
        if called is not None and isinstance(called.func, ast.Name | ast.Attribute) and not called.keywords:
            name = ast.unparse(called.func)
        if all(isinstance(target, ast.Name) for target in iterated.targets):
            parameters = ", ".join(ast.unparse(target) for target in iterated.targets)
            function = f"lambda {parameters}: {value}"
        else:
            single = self._names.new("one", "each_one", "single")
            element = self._names.new("each", "element", "item")
            if len(iterated.targets) > 1:
                raise Cannot(
                    "The rewrite does not support a comprehension over several sequences with a tuple as a target."
                )
            function = single
            before += [
                f"def {single}({element}):",
                f"    {ast.unparse(iterated.targets[0]).strip('()')} = {element}",
                f"    return {value}",
                "",
            ]
        result = f"jax.vmap({function})({', '.join(iterated.xs)})"
        replaced: ast.expr | None = called
        if name == "sum" and name not in self._names.bound:
            result = f"{result}.sum(axis=0)"
        elif name not in [
            f"{module}.{stacker}" for module in ("jnp", "jax.numpy") for stacker in ("stack", "array", "asarray")
        ]:
            replaced = None
            before.append("# stacked along axis 0, in place of a list")
            result = f"values = {result}"
        lines = [line for line in before if line]
        code = "\n".join([*before, result])
        return Rewrite("vmap", code, iterated.stacked, before=tuple(lines), replaced=replaced, expression=result)

    # --- lines ---------------------------------------------------------------------------------

    def _body(self, statements: list[ast.stmt], body: Body) -> tuple[list[str], list[str]]:
        """Return the lines of the new body, and the expressions that it must return because the loop appends them."""
        lines: list[str] = []
        ys: dict[str, str] = {}
        for place, statement in enumerate(statements):
            appended = next((name for name, (append, _) in body.appends.items() if append is statement), None)
            if appended is not None:
                value = body.appends[appended][1]
                text = self._replaced(value)
                later = stored_names(statements[place:])
                if later & {name_node.id for name_node in in_order(value) if isinstance(name_node, ast.Name)}:
                    name = self._names.new(singular(appended, "now"), "y", "made")
                    lines.append(f"{name} = {text}")
                    text = name
                ys[appended] = text
            else:
                lines += self._statement(statement)
        if len(ys) != len(body.appends):
            raise Cannot(
                "The loop appends to a list in an inner block, such as an if, which the rewrite does not support."
            )
        return lines, list(ys.values())

    def _statement(self, statement: ast.stmt) -> list[str]:
        if isinstance(statement, ast.For) and not self._iterated.elements:
            inner = LoopStatement(statement, self._loop.function, self._loop.module, self._loop.lines, ())
            try:
                taken_names = frozenset(self._names.taken_names)
                written = _Writer(inner, True, self._differentiated, self._made_at, taken_names, self._arrays).write()
            except Cannot:
                written = None
            if written is not None and written.code is not None and written.form in ("fori_loop", "scan"):
                return written.code.split("\n")
        text = self._replaced(statement)
        return text.split("\n")

    def _replaced(self, node: ast.stmt | ast.expr) -> str:
        """Return the user's code of a node.

        If names replace subscripts in it, the code is made from the syntax tree.
        """
        if self._iterated.elements:
            changed = ReplaceElements(self._iterated.elements).visit(copy.deepcopy(node))
            if ast.dump(changed) != ast.dump(node):
                return ast.unparse(changed)
        lines = self._loop.lines
        end = node.end_lineno or node.lineno
        if has_long_text(node):
            return ast.unparse(node)  # indenting the user's lines would change a multi-line string
        if isinstance(node, ast.stmt) and not lines[node.lineno - 1][: node.col_offset].strip():
            first = node.lineno - 1
            while first > self._loop.line and lines[first - 1].lstrip().startswith("#"):
                first -= 1
            return textwrap.dedent("\n".join(lines[first:end])).rstrip()
        return ast.unparse(node)

    def _function(
        self, name: str, first: list[str], carry: list[str], lines: list[str], result: str, after: str | None = None
    ) -> list[str]:
        if len(carry) == 1:
            state, unpack = carry[0], []
        else:
            state = self._names.new("carry", "state", "carried") if first or after or lines else "carry"
            unpack = [f"{', '.join(carry)} = {state}"]
        parameters = ", ".join([*first, state, *([after] if after is not None else [])])
        inside = [*unpack, *lines, f"return {result}"]
        return [f"def {name}({parameters}):", *(f"    {line}".rstrip() for line in inside)]

    def _element(self, iterated: Iterated) -> tuple[str, list[str]]:
        """Return the parameter for one element in a scan's body function, and the lines that unpack the parameter."""
        if len(iterated.targets) == 1 and isinstance(iterated.targets[0], ast.Name):
            return iterated.targets[0].id, []
        name = self._names.new("each", "element", "item")
        parts = [ast.unparse(target) for target in iterated.targets]
        return name, [f"{', '.join(parts) if len(parts) > 1 else parts[0].strip('()')} = {name}"]


def _is_range(iterated: ast.expr) -> bool:
    return isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range"


def _no_calls_of(body: list[ast.stmt] | list[ast.expr], names: set[str]) -> None:
    for part in body:
        for node in in_order(part):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                raise Cannot(
                    f"The loop calls {node.func.id}, which may be another function at each iteration. Stack the arrays "
                    "inside these functions, and call one function."
                )


def _tuple(names: list[str]) -> str:
    return ", ".join(names)


def _init(carry: list[str]) -> str:
    return carry[0] if len(carry) == 1 else f"({', '.join(carry)})"
