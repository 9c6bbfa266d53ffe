"""A Python loop in, the same as a loop of JAX's out, in the user's own names: fori_loop, scan, while_loop or vmap.

It is a sketch: made from the text and from where equations came from, without the values. Where the text does not
tell enough for a sketch that computes the same, there is none, and the reason is said.
"""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from .bodies import Body, Cannot, check_numbers, target_names
from .statements import Loop, LoopStatement

Form = Literal["fori_loop", "scan", "while_loop", "vmap"]
#: Whether an expression of the loop left equations of its own; None where positions are not known.
MadeAt = Callable[[ast.expr], bool | None]

_WIDTH = 72


@dataclass(frozen=True)
class Rewrite:
    """A loop of JAX's.

    Attributes:
        form: What it is made with.
        code: The lines, from column 0; None where there is no sketch.
        stacked: Parameters are stacked for it.
        why_not: Why there is no sketch, as the end of a sentence.
    """

    form: Form
    code: str | None
    stacked: bool = False
    why_not: str | None = None


def rewrite(
    loop: LoopStatement, carried: bool, differentiated: bool, made_at: MadeAt, wanted: Form | None = None
) -> Rewrite:
    """Write a loop of Python's with JAX.

    Args:
        loop: The statement.
        carried: A turn needs the one before.
        differentiated: The program has a backward pass, which a while_loop does not allow.
        made_at: Tells arrays from lists: iterating over an array leaves equations, over a list none.
        wanted: For a `while` that counts: while_loop; None for the fori_loop that it also is.
    """
    form: Form = "fori_loop" if carried else "vmap"
    if isinstance(loop.node, ast.While):
        form = "while_loop"
    elif carried and isinstance(loop.node, ast.For) and not _is_range(loop.node.iter):
        form = "scan"
    try:
        return _Writer(loop, carried, differentiated, made_at, frozenset()).write(wanted)
    except Cannot as reason:
        return Rewrite(form, None, why_not=str(reason))


@dataclass
class _Turns:
    """What a loop runs over."""

    xs: list[str]  # of scan and vmap
    targets: list[ast.expr]  # bound to each of them
    before: list[str]  # lines that make them
    numbers: set[str]  # names that count
    bounds: tuple[str, str] | None = None  # of a fori_loop
    stacked: bool = False
    reverse: bool = False


class _Writer:
    def __init__(
        self, loop: LoopStatement, carried: bool, differentiated: bool, made_at: MadeAt, taken: frozenset[str]
    ) -> None:
        self._loop = loop
        self._carried = carried
        self._differentiated = differentiated
        self._made_at = made_at
        self._names = [each for each in ast.walk(loop.function) if isinstance(each, ast.Name)]
        self._taken = (
            {each.id for each in self._names}
            | {each.arg for each in ast.walk(loop.function) if isinstance(each, ast.arg)}
            | taken
        )
        everywhere = {each.id for each in ast.walk(loop.module) if isinstance(each, ast.Name)}
        imported = {
            (name.asname or name.name)
            for each in ast.walk(loop.module)
            if isinstance(each, ast.Import | ast.ImportFrom)
            for name in each.names
        }
        self._lax = "lax" if "lax" in everywhere | imported else "jax.lax"
        self._jnp = "jnp" if "jnp" in everywhere | imported or "jax" not in everywhere else "jax.numpy"
        #: Subscripts of the body that are replaced by a name.
        self._elements: dict[str, str] = {}

    def write(self, wanted: Form | None = None) -> Rewrite:
        node = self._loop.node
        if isinstance(node, ast.While):
            return self._while(node, wanted)
        if isinstance(node, ast.For):
            return self._for(node)
        return self._comprehension(node)

    # --- for -----------------------------------------------------------------------------------

    def _for(self, node: ast.For) -> Rewrite:
        if node.orelse:
            raise Cannot("it has an else")
        body = Body(node.body)
        targets = target_names(node.target)
        carry = self._carry(body, targets)
        turns = self._turns(node.iter, node.target, node.body)
        check_numbers(node.body, turns.numbers, targets | set(body.writes))
        _no_calls_of(node.body, targets - turns.numbers)
        for name in body.appends:
            self._starts_empty(name)
        if not carry and not body.appends:
            raise Cannot("its names alone do not tell what it computes")
        if not carry and self._carried:
            raise Cannot("it changes an object that is not named in an assignment")
        lines, ys = self._body(node.body, body)
        if not carry:
            return self._vmap(turns, lines, ys, ", ".join(body.appends))
        if turns.bounds is not None and not body.appends and not turns.stacked and not self._elements:
            return self._fori(node, turns, carry, lines)
        return self._scan(turns, carry, lines, ys, list(body.appends))

    def _fori(self, node: ast.For, turns: _Turns, carry: list[str], lines: list[str]) -> Rewrite:
        assert turns.bounds is not None
        low, high = turns.bounds
        number = ast.unparse(node.target)
        used = any(isinstance(each, ast.Name) and each.id == number for part in node.body for each in ast.walk(part))
        number = number if used else "_"
        state = _tuple(carry)
        value = _single_value(node.body, carry)
        call = f"{self._lax}.fori_loop"
        if value is not None:
            short = f"{state} = {call}({low}, {high}, lambda {number}, {carry[0]}: {value}, {state})"
            if len(short) <= _WIDTH:
                return Rewrite("fori_loop", short)
            inside = f"{low}, {high}, lambda {number}, {carry[0]}: {value}, {state}"
            if len(inside) <= _WIDTH:
                return Rewrite("fori_loop", f"{state} = {call}(\n    {inside}\n)")
        name = self._name("body", "inner", "innermost")
        define = self._function(name, [number], carry, lines, state)
        return Rewrite(
            "fori_loop", "\n".join([*define, "", f"{state} = {call}({low}, {high}, {name}, {_init(carry)})"])
        )

    def _scan(self, turns: _Turns, carry: list[str], lines: list[str], ys: list[str], lists: list[str]) -> Rewrite:
        name = self._name("step", "inner_step", "innermost_step")
        element, unpack = self._element(turns)
        out = _tuple(ys) if len(ys) < 2 else f"({', '.join(ys)})"
        state = f"({', '.join(carry)})" if len(carry) > 1 else carry[0]
        result = f"{state}, {out if ys else 'None'}"
        define = self._function(name, [], carry, [*unpack, *lines], result, after=element)
        xs = turns.xs[0] if len(turns.xs) == 1 else f"({', '.join(turns.xs)})"
        made = (lists[0] if len(lists) == 1 else f"({', '.join(lists)})") if lists else "_"
        reverse = ", reverse=True" if turns.reverse else ""
        call = f"{state}, {made} = {self._lax}.scan({name}, {_init(carry)}, {xs}{reverse})"
        notes = [f"# {made} is stacked along axis 0 already" if len(lists) == 1 else "# each is stacked already"]
        before = [*turns.before, ""] if turns.before else []
        code = [*before, *define, "", *(notes if lists else []), call]
        return Rewrite("scan", "\n".join(code), stacked=turns.stacked)

    def _vmap(self, turns: _Turns, lines: list[str], ys: list[str], made: str) -> Rewrite:
        if turns.reverse:
            raise Cannot("it runs backwards over its elements")
        name = self._name("one", "each_one", "single")
        parameters, unpack = [], []
        for target in turns.targets:
            if isinstance(target, ast.Name):
                parameters.append(target.id)
            else:
                whole = self._name("each", "element", "item")
                parameters.append(whole)
                unpack.append(f"{ast.unparse(target).strip('()')} = {whole}")
        define = [
            f"def {name}({', '.join(parameters)}):",
            *(f"    {line}".rstrip() for line in (*unpack, *lines)),
            f"    return {', '.join(ys)}",
        ]
        before = [*turns.before, ""] if turns.before else []
        call = f"{made} = jax.vmap({name})({', '.join(turns.xs)})"
        note = f"# {made} is stacked along axis 0 already" if len(ys) == 1 else "# each is stacked already"
        return Rewrite("vmap", "\n".join([*before, *define, "", note, call]), stacked=turns.stacked)

    # --- while ---------------------------------------------------------------------------------

    def _while(self, node: ast.While, wanted: Form | None) -> Rewrite:
        if node.orelse:
            raise Cannot("it has an else")
        counted = self._counted(node) if wanted != "while_loop" else None
        if counted is not None:
            number, limit = counted
            inner = node.body[:-1]
            body = Body(inner)
            if number in body.writes or body.appends:
                raise Cannot(f"it changes {number} or a list in the middle of a turn")
            carry = self._carry(body, set())
            check_numbers(inner, {number}, {number, *body.writes})
            if not carry:
                raise Cannot("its names alone do not tell what it computes")
            lines, _ = self._body(inner, body)
            state = _tuple(carry)
            name = self._name("body", "inner", "innermost")
            define = self._function(name, [number], carry, lines, state)
            call = f"{state} = {self._lax}.fori_loop({number}, {limit}, {name}, {_init(carry)})"
            return Rewrite("fori_loop", "\n".join([*define, "", call]))
        if self._differentiated:
            raise Cannot("a while_loop has no backward pass: write it as a for over a fixed count, with a mask")
        body = Body([*node.body, ast.Expr(ast.Constant(None))])
        tested = {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)}
        carry = self._carry(body, set())
        carry += [name for name in body.writes if name in tested and name not in carry]
        if body.appends:
            raise Cannot("how many elements a while loop appends is not known to JAX")
        if not tested & set(carry):
            raise Cannot("its names alone do not tell when it ends")
        check_numbers(node.body, set(), set(body.writes))
        lines, _ = self._body(node.body, body)
        state = _tuple(carry)
        condition = self._function("condition", [], carry, [], ast.unparse(node.test))
        define = self._function(self._name("body", "inner", "innermost"), [], carry, lines, state)
        call = f"{state} = {self._lax}.while_loop(condition, {define[0][4:].partition('(')[0]}, {_init(carry)})"
        return Rewrite("while_loop", "\n".join([*condition, "", *define, "", call]))

    def _counted(self, node: ast.While) -> tuple[str, str] | None:
        """Counter and limit of `while i < n: ...; i += 1`, or with `i = i + 1`."""
        match node.test:
            case ast.Compare(left=ast.Name(id=number), ops=[ast.Lt()], comparators=[limit]) if len(
                node.body
            ) > 1 and ast.unparse(node.body[-1]) in (f"{number} += 1", f"{number} = {number} + 1"):
                changed = _stored(node.body)
                if not changed & {each.id for each in ast.walk(limit) if isinstance(each, ast.Name)}:
                    return number, ast.unparse(limit)
        return None

    # --- comprehensions ------------------------------------------------------------------------

    def _comprehension(self, node: Loop) -> Rewrite:
        if isinstance(node, ast.For | ast.While | ast.DictComp | ast.SetComp):
            raise Cannot("its results are kept by key, not in order")
        if len(node.generators) > 1 or node.generators[0].ifs or node.generators[0].is_async:
            raise Cannot("it has more than one for, or an if")
        generator = node.generators[0]
        turns = self._turns(generator.iter, generator.target, [ast.copy_location(ast.Expr(node.elt), node.elt)])
        check_numbers([node.elt], turns.numbers, target_names(generator.target))
        _no_calls_of([node.elt], target_names(generator.target) - turns.numbers)
        value = self._replaced(node.elt)
        if turns.reverse:
            raise Cannot("it runs backwards over its elements")
        before = [*turns.before, ""] if turns.before else []
        called, name = self._loop.call, ""
        if called is not None and isinstance(called.func, ast.Name | ast.Attribute) and not called.keywords:
            name = ast.unparse(called.func)
        if all(isinstance(target, ast.Name) for target in turns.targets):
            parameters = ", ".join(ast.unparse(target) for target in turns.targets)
            function = f"lambda {parameters}: {value}"
        else:
            one = self._name("one", "each_one", "single")
            whole = self._name("each", "element", "item")
            if len(turns.targets) > 1:
                raise Cannot("its elements are taken apart in more than one place")
            function = one
            before += [
                f"def {one}({whole}):",
                f"    {ast.unparse(turns.targets[0]).strip('()')} = {whole}",
                f"    return {value}",
                "",
            ]
        result = f"jax.vmap({function})({', '.join(turns.xs)})"
        if name == "sum":
            result = f"{result}.sum(axis=0)"
        elif name.rpartition(".")[2] not in ("stack", "array", "asarray"):
            before.append("# stacked along axis 0, in place of a list")
            result = f"values = {result}"
        return Rewrite("vmap", "\n".join([*before, result]), stacked=turns.stacked)

    # --- what is run over ----------------------------------------------------------------------

    def _turns(self, iterated: ast.expr, target: ast.expr, body: list[ast.stmt]) -> _Turns:
        if any(isinstance(each, ast.Starred) for each in ast.walk(target)):
            raise Cannot("it takes a variable number of elements apart")
        called = iterated.func.id if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) else ""
        arguments = iterated.args if isinstance(iterated, ast.Call) else []
        if called == "range":
            return self._range(arguments, target, body)
        if called == "enumerate" and len(arguments) == 1 and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            turns = self._turns(arguments[0], target.elts[1], body)
            number = target.elts[0]
            counted = arguments[0]
            if isinstance(counted, ast.Call) and counted.args:  # zip or reversed
                counted = counted.args[0]
            count = f"{self._jnp}.arange(len({ast.unparse(counted)}))"
            return replace(turns, xs=[count, *turns.xs], targets=[number, *turns.targets], numbers=target_names(number))
        if called == "zip" and isinstance(target, ast.Tuple) and len(target.elts) == len(arguments):
            if self._made_at(iterated):  # some are arrays, and it is not known which
                xs = [f"{self._jnp}.asarray({ast.unparse(each)})" for each in arguments]
                return _Turns(xs=xs, targets=list(target.elts), before=[], numbers=set())
            parts = [self._elements_of(each, iterated, name) for each, name in zip(arguments, target.elts, strict=True)]
            return _Turns(
                xs=[x for part in parts for x in part.xs],
                targets=list(target.elts),
                before=[line for part in parts for line in part.before],
                numbers=set(),
                stacked=any(part.stacked for part in parts),
            )
        if called == "reversed" and len(arguments) == 1:
            return replace(self._elements_of(arguments[0], iterated, target), reverse=True)
        return self._elements_of(iterated, iterated, target)

    def _range(self, arguments: list[ast.expr], target: ast.expr, body: list[ast.stmt]) -> _Turns:
        if not isinstance(target, ast.Name) or not 1 <= len(arguments) <= 3:
            raise Cannot("its range is of an unusual form")
        bounds = [ast.unparse(each) for each in arguments]
        turns = _Turns(
            xs=[f"{self._jnp}.arange({', '.join(bounds)})"], targets=[target], before=[], numbers={target.id}
        )
        if len(bounds) < 3:
            turns.bounds = ("0", bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        for each in _subscripts(body, target.id):
            attribute = each.value.attr if isinstance(each.value, ast.Attribute) else ""
            if attribute in ("shape", "strides"):
                raise Cannot(f"{ast.unparse(each)} is a number of Python's")
            if attribute == "at":
                continue
            made = self._made_at(each)
            if made is None:
                raise Cannot("the positions of its lines are not known")
            if made:
                continue  # an array may be read at a traced index
            base = ast.unparse(each.value)
            simple = isinstance(each.slice, ast.Name) and len(bounds) == 1
            if not simple or {"carry", target.id} & target_names(each.value) or _changes(body, each.value):
                raise Cannot(f"{ast.unparse(each)} is an element of a list: stack it into an array first")
            if base not in {text.rpartition("[")[0] for text in self._elements}:
                self._stack(each.value, turns, limit=bounds[0])
                element = self._name(_singular(base, target.id), f"{_word(base)}_{target.id}", "element")
                self._elements[ast.unparse(each)] = element
                turns.targets.append(ast.Name(element, ast.Load()))
        if self._elements:
            turns.bounds = None
            rest = [name for part in body for name in _names_outside(part, self._elements)]
            if target.id not in rest:
                del turns.xs[0], turns.targets[0]
        return turns

    def _elements_of(self, iterated: ast.expr, whole: ast.expr, target: ast.expr) -> _Turns:
        match iterated:
            case ast.Call(func=ast.Attribute(attr="items" | "keys")):
                raise Cannot("it runs over a dictionary, whose entries have names")
            case ast.List(elts=[ast.Constant(value=str()), *_]) | ast.Tuple(elts=[ast.Constant(value=str()), *_]):
                raise Cannot("it runs over names")
            case ast.Call(func=ast.Name(id=name)):
                raise Cannot(f"what {name} gives is not known from the text")
        turns = _Turns(xs=[], targets=[target], before=[], numbers=set())
        made = self._made_at(whole)
        if not made and isinstance(self._loop.node, ast.For):
            made = self._made_at(self._loop.node.iter)  # enumerate takes the elements, and left their equations
        if made is None:
            raise Cannot("the positions of its lines are not known")
        if made:
            turns.xs.append(ast.unparse(iterated))
        else:
            self._stack(iterated, turns)
        return turns

    def _stack(self, iterated: ast.expr, turns: _Turns, limit: str | None = None) -> None:
        text = ast.unparse(iterated)
        name = self._name(f"stacked_{_word(text)}", "stacked", "stacked_elements")
        part = text if limit is None or limit == f"len({text})" else f"{text}[:{limit}]"
        turns.before.append(f"{name} = jax.tree.map(lambda *leaves: {self._jnp}.stack(leaves), *{part})")
        turns.xs.append(name)
        turns.stacked = True

    # --- names ---------------------------------------------------------------------------------

    def _carry(self, body: Body, targets: set[str]) -> list[str]:
        """Names whose values go from turn to turn, or out of the loop."""
        carry = [name for name in body.writes if name in body.reads_first and name not in targets]
        end = (self._loop.node.end_lineno or 0, self._loop.node.end_col_offset or 0)
        inside = set(map(id, ast.walk(self._loop.node)))
        names = [
            each for each in ast.walk(self._loop.function) if isinstance(each, ast.Name) and id(each) not in inside
        ]
        around = self._outer_loops()
        later = {
            each.id
            for each in names
            if isinstance(each.ctx, ast.Load) and ((each.lineno, each.col_offset) >= end or id(each) in around)
        }
        for name in body.writes:
            if name in later and name not in carry:
                raise Cannot(f"{name} is made in each turn and used after the loop")
        if targets & later:
            raise Cannot(f"{', '.join(sorted(targets & later))} is used after the loop")
        return carry

    def _outer_loops(self) -> set[int]:
        """Nodes of the loops around this one: what they read may be of the turn before."""
        found: set[int] = set()
        for each in ast.walk(self._loop.function):
            if isinstance(each, ast.For | ast.While) and each is not self._loop.node:
                nodes = set(map(id, ast.walk(each)))
                if id(self._loop.node) in nodes:
                    found |= nodes
        return found

    def _starts_empty(self, name: str) -> None:
        for each in ast.walk(self._loop.function):
            match each:
                case ast.Assign(targets=[ast.Name(id=stored)], value=ast.List(elts=[])) if stored == name:
                    return
                case ast.AnnAssign(target=ast.Name(id=stored), value=ast.List(elts=[])) if stored == name:
                    return
        raise Cannot(f"what {name} holds before the loop is not known")

    def _name(self, *wanted: str) -> str:
        for name in (*wanted, *(f"{wanted[0]}_{i}" for i in range(2, 100))):
            if name not in self._taken:
                self._taken.add(name)
                return name
        raise Cannot("all names are taken")

    # --- lines ---------------------------------------------------------------------------------

    def _body(self, statements: list[ast.stmt], body: Body) -> tuple[list[str], list[str]]:
        """The lines of a body, and what it gives for each list that it appended to."""
        lines: list[str] = []
        ys: dict[str, str] = {}
        for place, statement in enumerate(statements):
            appended = next((name for name, (each, _) in body.appends.items() if each is statement), None)
            if appended is not None:
                value = body.appends[appended][1]
                text = self._replaced(value)
                later = _stored(statements[place:])
                if later & {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}:
                    name = self._name(_singular(appended, "now"), "y", "made")
                    lines.append(f"{name} = {text}")
                    text = name
                ys[appended] = text
            else:
                lines += self._statement(statement)
        if len(ys) != len(body.appends):
            raise Cannot("it appends in an inner block")
        return lines, list(ys.values())

    def _statement(self, statement: ast.stmt) -> list[str]:
        if isinstance(statement, ast.For) and not self._elements:
            inner = LoopStatement(statement, self._loop.function, self._loop.module, self._loop.lines, ())
            try:
                written = _Writer(inner, True, self._differentiated, self._made_at, frozenset(self._taken)).write()
            except Cannot:
                written = None
            if written is not None and written.code is not None and written.form in ("fori_loop", "scan"):
                return written.code.split("\n")
        text = self._replaced(statement)
        return text.split("\n")

    def _replaced(self, node: ast.stmt | ast.expr) -> str:
        """The text of a node as the user wrote it, or written anew where elements of lists are replaced by names."""
        if self._elements:
            changed = _Replace(self._elements).visit(copy.deepcopy(node))
            if ast.dump(changed) != ast.dump(node):
                return ast.unparse(changed)
        lines = self._loop.lines
        end = node.end_lineno or node.lineno
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
            state = self._name("carry", "state", "carried") if first or after or lines else "carry"
            unpack = [f"{', '.join(carry)} = {state}"]
        parameters = ", ".join([*first, state, *([after] if after is not None else [])])
        inside = [*unpack, *lines, f"return {result}"]
        return [f"def {name}({parameters}):", *(f"    {line}".rstrip() for line in inside)]

    def _element(self, turns: _Turns) -> tuple[str, list[str]]:
        """Parameter of a scan's step for its x, and the line that takes it apart."""
        if len(turns.targets) == 1 and isinstance(turns.targets[0], ast.Name):
            return turns.targets[0].id, []
        name = self._name("each", "element", "item")
        parts = [ast.unparse(target) for target in turns.targets]
        return name, [f"{', '.join(parts) if len(parts) > 1 else parts[0].strip('()')} = {name}"]


class _Replace(ast.NodeTransformer):
    def __init__(self, elements: dict[str, str]) -> None:
        self._elements = elements

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        name = self._elements.get(ast.unparse(node))
        return self.generic_visit(node) if name is None else ast.copy_location(ast.Name(name, ast.Load()), node)


def _is_range(iterated: ast.expr) -> bool:
    return isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range"


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are written in some nodes."""
    return {
        each.id
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _subscripts(body: list[ast.stmt], number: str) -> list[ast.Subscript]:
    """Subscripts whose index uses the counting name."""
    return [
        each
        for part in body
        for each in ast.walk(part)
        if isinstance(each, ast.Subscript)
        and any(isinstance(name, ast.Name) and name.id == number for name in ast.walk(each.slice))
    ]


def _changes(body: list[ast.stmt], base: ast.expr) -> bool:
    """Whether a name of an expression is written in the body."""
    return bool(_stored(body) & target_names(base))


def _names_outside(part: ast.stmt, elements: dict[str, str]) -> list[str]:
    """Names that are left when elements are replaced."""
    changed = _Replace(elements).visit(copy.deepcopy(part))
    return [each.id for each in ast.walk(changed) if isinstance(each, ast.Name)]


def _no_calls_of(body: list[ast.stmt] | list[ast.expr], names: set[str]) -> None:
    for part in body:
        for each in ast.walk(part):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in names:
                raise Cannot(f"{each.func.id} is called: stack the arrays inside these functions, and call one of them")


def _single_value(body: list[ast.stmt], carry: list[str]) -> str | None:
    """The expression of a body that is one assignment to the only name it carries."""
    if len(body) != 1 or len(carry) != 1:
        return None
    match body[0]:
        case ast.Assign(targets=[ast.Name()], value=value):
            return ast.unparse(value)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return ast.unparse(ast.BinOp(ast.Name(name, ast.Load()), op, value))
    return None


def _tuple(names: list[str]) -> str:
    return ", ".join(names)


def _init(carry: list[str]) -> str:
    return carry[0] if len(carry) == 1 else f"({', '.join(carry)})"


def _word(text: str) -> str:
    """The last name of an expression: `blocks` of `ps["blocks"]`."""
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split()
    named = [word for word in words if word.isidentifier()]
    return named[-1] if named else "elements"


def _singular(text: str, suffix: str) -> str:
    word = _word(text)
    return f"{word[:-1] if len(word) > 1 and word.endswith('s') else word}_{suffix}"
