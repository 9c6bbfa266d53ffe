"""An expression that Python could not evaluate while JAX traced in, ways out in the user's own names out."""

from __future__ import annotations

import ast
import copy
import re
from typing import Literal

from ...observe.observation import FoundCure
from ..loops.rewrites import Form, rewrite
from ..loops.statements import LoopStatement
from .raised import RaisedAt

_COND = "Each call runs one of the two functions. JAX compiles both functions, and both must return the same types."
_WHERE = "jnp.where computes both values and chooses between them element by element, so the condition may be an array."
_SELECTS = ast.If | ast.IfExp


def value_cures(
    raised: RaisedAt | None, function: str, arguments: list[str], of_length: bool = False
) -> list[FoundCure]:
    """Ways out where Python needed the value of a traced array.

    Args:
        raised: Where; None where it is not known.
        function: Name of the traced function.
        arguments: Names of its arguments that the value depends on, as JAX says.
        of_length: It was the length of a scan.
    """
    if raised is None:
        return []
    writer = _Writer(raised)
    if of_length:
        found = writer.length()
    else:
        found = writer.selection() or writer.loop() or writer.combination() or writer.index() or writer.assertion()
    static = _static(raised, function, arguments)
    return [*found, static] if static is not None else found


class _Writer:
    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised
        names = set(raised.module_names)
        self._lax = "lax" if "lax" in names else "jax.lax"
        self._jnp = "jnp" if "jnp" in names or "jax" not in names else "jax.numpy"

    def selection(self) -> list[FoundCure]:
        """Of an if, or of `a if test else b`."""
        at = self._consumer()
        if not isinstance(at, _SELECTS):
            return []
        test = _condition(at.test)
        form = _two_values(at, self._raised)
        if form is None:
            cond = where = None
        else:
            before, one, other = form
            cond = f"{before}{self._lax}.cond({test}, lambda: {one}, lambda: {other})"
            where = f"{before}{self._jnp}.where({test}, {one}, {other})"
        return [FoundCure(f"{self._lax}.cond", cond, _COND), FoundCure(f"{self._jnp}.where", where, _WHERE)]

    def loop(self) -> list[FoundCure]:
        """Of a while, or of a for over a range."""
        at = self._consumer()
        if not isinstance(at, ast.While):
            at = self._raised.around(ast.For)
            iterated = at.iter if isinstance(at, ast.For) else None
            if iterated is None or not any(each is self._raised.node for each in ast.walk(iterated)):
                return []
        loop = self._raised.statement(at) if at is not None else None
        if loop is None:
            return []
        forms: tuple[Form, ...] = ("fori_loop",) if isinstance(at, ast.For) else ("while_loop", "fori_loop")
        found = []
        for form in forms:
            code, reason = self._rewritten(loop, form)
            if form == "fori_loop" and code is None and isinstance(at, ast.While):
                continue
            text = (
                "The loop counts while the program runs, so one program serves every number of steps. jax.grad does "
                "not work through this loop."
            )
            if form == "while_loop":
                text = (
                    "The loop runs until its condition is false, all in one program. jax.grad does not work through a "
                    "while_loop."
                )
            if reason is not None:
                text = f"{text} No code is suggested for this loop. {reason}"
            found.append(FoundCure(f"{self._lax}.{form}", code, text))
        return [*found, self._masked()]

    def length(self) -> list[FoundCure]:
        """Of the length of a scan."""
        text = (
            "The loop counts while the program runs, so one program serves every length. A fori_loop returns no ys, "
            "and jax.grad does not work through this loop."
        )
        return [self._masked(), FoundCure(f"{self._lax}.fori_loop", None, text)]

    def _masked(self) -> FoundCure:
        code = f"{self._lax}.scan(step, carry, {self._jnp}.arange(most))  # in step: {self._jnp}.where(i < n, new, old)"
        text = "Run a fixed number of steps, and let surplus steps change nothing. jax.grad works through a scan."
        return FoundCure("scan with a mask", code, text)

    def _rewritten(self, loop: LoopStatement, form: Form) -> tuple[str | None, str | None]:
        written = rewrite(loop, True, False, lambda node: True, form)
        if written.code is not None and written.form != form:
            return None, None
        return written.code, written.why_not

    def combination(self) -> list[FoundCure]:
        """Of `and`, `or`, `not` on their own."""
        node = self._raised.around(ast.BoolOp, ast.UnaryOp)
        if not isinstance(node, ast.BoolOp) and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return []
        text = (
            "These operators work element by element: & for and, | for or, ~ for not. Put each comparison in "
            "parentheses."
        )
        return [FoundCure("& | ~", _condition(node), text)]

    def index(self) -> list[FoundCure]:
        """Of a list at a traced place."""
        node = self._raised.around(ast.Subscript)
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.List | ast.Tuple | ast.Name):
            return []
        code = f"{self._jnp}.asarray({ast.unparse(node.value)})[{ast.unparse(node.slice)}]"
        return [FoundCure(f"{self._jnp}.asarray", code, "A traced index can read an array, but not a list.")]

    def assertion(self) -> list[FoundCure]:
        """Of an assert."""
        at = self._consumer()
        if not isinstance(at, ast.Assert):
            return []
        text = (
            "checkify checks the condition when the program runs. Wrap the function with checkify.checkify, from "
            "jax.experimental."
        )
        return [FoundCure("checkify", f"checkify.check({_condition(at.test)}, 'what is wrong')", text)]

    def _consumer(self) -> ast.AST | None:
        """What wanted to know whether the expression is true."""
        node = self._raised.node
        while node is not None:
            parent = self._raised.parents.get(id(node))
            if isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert) and parent.test is node:
                return parent
            if not isinstance(parent, ast.BoolOp | ast.UnaryOp | ast.Compare):
                return None
            node = parent
        return None


def _two_values(at: ast.AST, raised: RaisedAt) -> tuple[str, str, str] | None:
    """What stands before a choice, and its two values."""
    if isinstance(at, ast.IfExp):
        return "", ast.unparse(at.body), ast.unparse(at.orelse)
    assert isinstance(at, ast.If)
    other = at.orelse or _after(at, raised)
    match at.body, other:
        case [ast.Return(value=ast.expr() as one)], [ast.Return(value=ast.expr() as two), *_]:
            return "return ", ast.unparse(one), ast.unparse(two)
        case (
            [ast.Assign(targets=[ast.Name(id=name)], value=one)],
            [ast.Assign(targets=[ast.Name(id=same)], value=two)],
        ) if name == same and at.orelse:
            return f"{name} = ", ast.unparse(one), ast.unparse(two)
        case [ast.Assign(targets=[ast.Name(id=name)], value=one)], _ if not at.orelse:
            return f"{name} = ", ast.unparse(one), name
        case [ast.AugAssign(target=ast.Name(id=name), op=op, value=value)], _ if not at.orelse:
            return f"{name} = ", ast.unparse(ast.BinOp(ast.Name(name, ast.Load()), op, value)), name
    return None


def _after(at: ast.If, raised: RaisedAt) -> list[ast.stmt]:
    parent = raised.parents.get(id(at))
    for _, value in ast.iter_fields(parent) if parent is not None else ():
        if isinstance(value, list) and at in value:
            following: list[ast.stmt] = value[value.index(at) + 1 :]
            return following
    return []


def _condition(node: ast.expr) -> str:
    """A condition as arrays know it: `&` in place of `and`."""
    match node:
        case ast.BoolOp(op=op, values=values):
            return (" & " if isinstance(op, ast.And) else " | ").join(f"({_condition(each)})" for each in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"~({_condition(operand)})"
        case ast.Compare(left=left, ops=[_, _, *_] as ops, comparators=rights):
            sides = [left, *rights]
            pairs = zip(sides, ops, rights, strict=False)
            return " & ".join(f"({ast.unparse(ast.Compare(one, [op], [other]))})" for one, op, other in pairs)
    return ast.unparse(node)


def _static(raised: RaisedAt, function: str, arguments: list[str]) -> FoundCure | None:
    if not arguments or not all(name.isidentifier() for name in arguments):
        return None
    if any(not raised.tracers.get(name, "[]").endswith("[]") for name in arguments):
        return None  # an array cannot be a static argument: it has no hash
    if raised.under_grad and not raised.is_decorated(function):
        return None  # what is jitted is the derivative, and its name is not known
    quoted = [f'"{name}"' for name in arguments]
    names = quoted[0] if len(quoted) == 1 else f"({', '.join(quoted)})"
    code = f"{function} = jax.jit({function}, static_argnames={names})"
    if raised.is_decorated(function):
        code = f"@partial(jax.jit, static_argnames={names})"
    said = " and ".join(arguments)
    text = f"JAX compiles once for each value of {said}. Use a static argument for a setting that seldom changes."
    return FoundCure("static_argnames", code, text)


# --- types that differ ----------------------------------------------------------------------------------------

Difference = Literal["dtypes", "shapes", "weak types", "structures"]


def carry_cures(raised: RaisedAt | None, path: str, before: str, after: str) -> list[FoundCure]:
    """Ways out where a loop's carry changes its type.

    Args:
        raised: The call of the loop.
        path: Of the leaf, such as c or c['a'].
        before: Its type when a step begins, such as int32[].
        after: Its type when a step ends.
    """
    one, other = before.partition("[")[0], after.partition("[")[0]
    if before.partition("[")[2] != after.partition("[")[2]:
        return [
            FoundCure("same shape", None, "Start with an array of the final shape, and fill it with .at[i].set(...)."),
            FoundCure(
                "ys", None, "A carry cannot grow from step to step. Return the new part as the step's second result."
            ),
        ]
    call = raised.node if raised is not None else None
    start = ending = None
    if raised is not None and isinstance(call, ast.Call) and (path.isidentifier() or path == "loop_carry[1]"):
        jnp = "jnp" if "jnp" in raised.module_names else "jax.numpy"
        start = _with_start(call, jnp, other)
        ending = _with_ending(call, raised, one)
    return [
        FoundCure(
            f"start with {other}", start, f"Convert the initial carry to {other}. Then each step receives {other}."
        ),
        FoundCure(
            f"stay {one}",
            ending,
            f"Convert the new carry back to {one} at the end of each step. The conversion may lose digits.",
        ),
    ]


def _with_start(call: ast.Call, jnp: str, dtype: str) -> str | None:
    """The call, with its initial carry converted."""
    name = _called(call)
    place = {"scan": 1, "while_loop": 2, "fori_loop": 3}.get(name)
    if place is None or len(call.args) <= place:
        return None
    changed = copy.deepcopy(call)
    start = ast.unparse(call.args[place])
    known = re.fullmatch(rf"{re.escape(jnp)}\.\w*int\d+\((-?\d+)\)|(-?\d+)", start)
    text = f"{jnp}.{dtype}({known[1] or known[2]})" if known else f"{jnp}.asarray({start}, {jnp}.{dtype})"
    changed.args[place] = ast.parse(text, mode="eval").body
    return ast.unparse(changed)


def _with_ending(call: ast.Call, raised: RaisedAt, dtype: str) -> str | None:
    """The last line of the body, with the carry that it gives converted."""
    name = _called(call)
    body = call.args[{"scan": 0, "while_loop": 1, "fori_loop": 2}[name]] if name in _LOOPS and call.args else None
    result = _result_of(body, raised)
    if result is None:
        return None
    if name == "scan":
        if not isinstance(result, ast.Tuple) or len(result.elts) != 2:
            return None
        carry, y = result.elts
        return f"return {_converted(carry, dtype)}, {ast.unparse(y)}"
    return f"return {_converted(result, dtype)}"


_LOOPS = frozenset({"scan", "while_loop", "fori_loop"})


def _result_of(body: ast.expr | None, raised: RaisedAt) -> ast.expr | None:
    """What a function of the text returns, where it is a lambda or a def that ends with its only return."""
    if isinstance(body, ast.Lambda):
        return body.body
    if not isinstance(body, ast.Name) or raised.loops is None:
        return None
    for node in ast.walk(raised.loops.module):
        if isinstance(node, ast.FunctionDef) and node.name == body.id and isinstance(node.body[-1], ast.Return):
            returns = [each for each in ast.walk(node) if isinstance(each, ast.Return)]
            return node.body[-1].value if len(returns) == 1 else None
    return None


def _converted(value: ast.expr, dtype: str) -> str:
    text = ast.unparse(value)
    return f"{text if isinstance(value, ast.Name | ast.Call) else f'({text})'}.astype('{dtype}')"


def pair_cures(raised: RaisedAt | None) -> list[FoundCure]:
    """Ways out where the body of a scan returns only its carry."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or not call.args:
        return []
    result = _result_of(call.args[0], raised)
    code = f"return {ast.unparse(result)}, None" if result is not None else None
    text = "Return the new carry and the step's output y. Return None as y where the step has no output."
    return [FoundCure("a pair", code, text)]


def branch_cures(raised: RaisedAt | None, one: str, other: str) -> list[FoundCure]:
    """Ways out where the branches of a cond give different types.

    Args:
        raised: The call.
        one: Type that the first branch gives, such as float32[].
        other: Type that the second branch gives.
    """
    call = raised.node if raised is not None else None
    types = [one.partition("["), other.partition("[")]
    if types[0][2] != types[1][2]:
        text = "Return the same shape from both branches: pad, or use jnp.broadcast_to."
        return [FoundCure("same shape", None, text)]
    # The other one is converted: an integer becomes a float, not a float an integer.
    place = 1 if "float" in types[0][0] or "float" not in types[1][0] else 0
    wanted = types[1 - place][0]
    code = None
    if raised is not None and isinstance(call, ast.Call) and _called(call) == "cond" and len(call.args) > place + 1:
        branch = call.args[place + 1]
        if isinstance(branch, ast.Lambda):
            jnp = "jnp" if "jnp" in raised.module_names else "jax.numpy"
            changed = copy.deepcopy(call)
            text = f"{jnp}.asarray({ast.unparse(branch.body)}, {jnp}.{wanted})"
            lambda_ = changed.args[place + 1]
            assert isinstance(lambda_, ast.Lambda)
            lambda_.body = ast.parse(text, mode="eval").body
            code = ast.unparse(changed)
    text = "All branches must return the same types, because the compiled program has one result type."
    return [FoundCure(f"return {wanted}", code, text)]


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
