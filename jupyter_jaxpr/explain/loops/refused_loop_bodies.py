"""Reads from a Python loop's body which names it reads and writes, and to which lists it appends.

If the names do not show all effects of the body (a method changes a list, an attribute is set), or a loop of XLA cannot
have such an effect, `Cannot` is raised with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...typed.syntax_nodes import in_order
from .kinds_of_python_loops import LoopStatement

#: The first names of calls that need a Python number, not a traced array, such as math in math.sqrt(x).
_NEED_NUMBERS = frozenset({"math", "np", "numpy", "int", "float", "bool", "str", "range", "len", "format", "getattr"})


_ONLY_WHILE_TRACING = "In a loop of JAX, the side effect would happen only once, during the trace."
_CHOOSE = "Choose values with jnp.where or jax.lax.cond instead."
_GROWS = "The body makes a list longer at each iteration. The carry of a JAX loop cannot change its structure."


class Cannot(Exception):
    """Raised if a loop cannot be rewritten; the message gives the reason, in sentences."""


class Body:
    """The names that some statements read and write, and the lists to which they append.

    Attributes:
        reads_first: Names that the body reads before it writes them, in the order of the reads.
        writes: Names that the body writes, in the order of the writes.
        appends: For each list that the body appends to: the statement, and the appended expression.
    """

    def __init__(self, statements: Iterable[ast.stmt]) -> None:
        """Read the statements.

        Raises:
            Cannot: The statements do something that a loop of XLA cannot do.
        """
        self.reads_first: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.appends: dict[str, tuple[ast.Expr, ast.expr]] = {}
        self._written: set[str] = set()
        self._block(statements)

    def _block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign():
                if _grows(statement):
                    raise Cannot(_GROWS)
                self._read(statement.value)
                for target in statement.targets:
                    self._write(target)
            case ast.AnnAssign():
                if statement.value is not None:
                    self._read(statement.value)
                    self._write(statement.target)
            case ast.AugAssign():
                if isinstance(statement.value, ast.List | ast.ListComp):
                    raise Cannot(_GROWS)
                if isinstance(statement.target, ast.Name):
                    self._read(ast.copy_location(ast.Name(statement.target.id, ast.Load()), statement.target))
                self._read(statement.value)
                self._write(statement.target)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])):
                if name in self.appends:
                    raise Cannot(
                        f"The body of the loop appends to {name} in several places; the rewrite supports one append."
                    )
                self._read(value)
                self.appends[name] = statement, value
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call(func=called)) if _dotted(called).startswith("jax.debug."):
                self._read(statement.value)
            case ast.Expr():
                raise Cannot(f"The body runs {_short(statement)} for a side effect. {_ONLY_WHILE_TRACING}")
            case ast.If():
                self._read(statement.test)
                self._branches(statement.body, statement.orelse)
            case ast.For() if not statement.orelse:
                self._read(statement.iter)
                self._write(statement.target)
                self._branches(statement.body, [])
            case ast.While() if not statement.orelse:
                self._read(statement.test)
                self._branches(statement.body, [])
            case ast.With():
                for item in statement.items:
                    self._read(item.context_expr)
                    if item.optional_vars is not None:
                        self._write(item.optional_vars)
                self._block(statement.body)
            case ast.FunctionDef() if not statement.decorator_list:
                for name in free_names(statement):
                    self._name(name)
                self._store(statement.name)
            case ast.Continue():
                raise Cannot(f"The body has a continue. {_CHOOSE}")
            case ast.Break() | ast.Return() | ast.Raise():
                word = type(statement).__name__.lower()
                raise Cannot(f"The body has a {word}. Write a loop that can end early with jax.lax.while_loop.")
            case _:
                raise Cannot(f"The rewrite does not support {_short(statement)}.")

    def _branches(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """Read two blocks of which Python runs only one.

        After them, only names that both blocks assign count as assigned.
        """
        before = set(self._written)
        ends = []
        for block in (body, orelse):
            self._written = set(before)
            self._block(block)
            ends.append(self._written)
        self._written = ends[0] & ends[1]

    def _read(self, expression: ast.expr) -> None:
        for name in free_names(expression):
            self._name(name)

    def _name(self, name: str) -> None:
        if name not in self._written:
            self.reads_first.setdefault(name)

    def _write(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._store(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._write(element)
        else:
            raise Cannot(
                f"The body assigns to {_short(target)}. In a loop of JAX, this assignment would happen only once, "
                "during the trace: make the value a part of the carry."
            )

    def _store(self, name: str) -> None:
        self.writes.setdefault(name)
        self._written.add(name)


def free_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node reads from outside of itself, in the order of the reads."""
    parts = tuple(in_order(node))
    bound = {parameter.arg for parameter in parts if isinstance(parameter, ast.arg)}
    for part in parts:
        if isinstance(part, ast.comprehension):
            bound |= target_names(part.target)
        elif isinstance(part, ast.NamedExpr):
            raise Cannot(f"The rewrite does not support {_short(part)}.")
        elif isinstance(part, ast.Await | ast.Yield | ast.YieldFrom):
            raise Cannot("The rewrite does not support a loop body that uses await or yield.")
        elif isinstance(node, ast.FunctionDef) and isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            bound.add(part.id)
    name_nodes = [
        name_node for name_node in parts if isinstance(name_node, ast.Name) and isinstance(name_node.ctx, ast.Load)
    ]
    for name in sorted(
        name_nodes, key=lambda name_node: (getattr(name_node, "lineno", 0), getattr(name_node, "col_offset", 0))
    ):
        if name.id not in bound:
            yield name.id


def target_names(target: ast.expr) -> set[str]:
    """Return the names to which a target, such as `a, b` in `for a, b in xs`, assigns."""
    return {name_node.id for name_node in in_order(target) if isinstance(name_node, ast.Name)}


def has_long_text(node: ast.AST) -> bool:
    """Return whether a string in the syntax spans several lines."""
    return any(
        isinstance(text_node, ast.JoinedStr | ast.Constant) and text_node.end_lineno not in (None, text_node.lineno)
        for text_node in in_order(node)
    )


def single_value(body: list[ast.stmt], carry: list[str]) -> str | None:
    """Return the expression if a body only assigns one expression to the only carried name; otherwise None."""
    if len(body) != 1 or len(carry) != 1:
        return None
    match body[0]:
        case ast.Assign(targets=[ast.Name()], value=value):
            return ast.unparse(value)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return ast.unparse(ast.BinOp(ast.Name(name, ast.Load()), op, value))
    return None


def check_numbers(nodes: Iterable[ast.AST], numbers: set[str], changing: set[str]) -> None:
    """Check that the body works if some names, which have Python numbers now, become traced arrays.

    Args:
        nodes: The nodes of the body.
        numbers: Names that count the iterations.
        changing: Names whose values differ from iteration to iteration, including `numbers`.

    Raises:
        Cannot: The body needs the Python number, for example for `math.sqrt` or an `if`.
    """
    for node in nodes:
        parts = tuple(in_order(node))
        counts = _read_any(parts, numbers)
        for part in parts:
            used = counts and _read_any(in_order(part), numbers)
            if isinstance(part, ast.If | ast.IfExp | ast.While | ast.Assert):
                tested = changing & {name.id for name in in_order(part.test) if isinstance(name, ast.Name)}
                if tested:
                    raise Cannot(f"Python evaluates the condition {_short(part.test)} at each iteration. {_CHOOSE}")
            if not used:
                continue
            if isinstance(part, ast.Slice):
                raise Cannot(
                    f"The slice {_short(part)} depends on the loop counter, which JAX does not know while it traces. "
                    "Use jax.lax.dynamic_slice."
                )
            if isinstance(part, ast.JoinedStr):
                raise Cannot(
                    f"Python formats the text {_short(part)} at each iteration. In a loop of JAX, Python would run "
                    "only once, during the trace."
                )
            if isinstance(part, ast.Call) and _dotted(part.func).partition(".")[0] in _NEED_NUMBERS:
                raise Cannot(
                    f"{_short(part)} needs a Python number, but the counter of a loop of JAX is a traced value."
                )
            if isinstance(part, ast.For) and numbers & {n.id for n in in_order(part.iter) if isinstance(n, ast.Name)}:
                raise Cannot(
                    f"The inner loop over {_short(part.iter)} depends on the counter of the outer loop, which is a "
                    "traced value in a loop of JAX."
                )


def _read_any(nodes: Iterable[ast.AST], names: set[str]) -> bool:
    """Return whether some syntax nodes include one of the names."""
    return any(isinstance(node, ast.Name) and node.id in names for node in nodes)


def _grows(statement: ast.Assign) -> bool:
    value = statement.value
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add)
        and any(isinstance(side, ast.List | ast.ListComp) for side in (value.left, value.right))
    )


#: Functions of Python with side effects.
_CHANGING = frozenset({"print", "input", "next", "setattr", "delattr", "open", "exec"})
#: Methods of containers, files and iterators with side effects.
_CHANGING_METHODS = frozenset(
    {"append", "extend", "insert", "remove", "discard", "pop", "popitem", "setdefault", "write", "send", "__setitem__"}
)


def check_side_effects(loop: LoopStatement) -> None:
    """Check that the expressions of a loop have no side effects.

    Args:
        loop: The loop. Statements that are one call, such as `xs.append(y)`, are not checked here but in `Body`.

    Raises:
        Cannot: The loop writes to a global or nonlocal name, or an expression of the loop has a side effect.
    """
    inside = () if isinstance(loop.function, ast.Module) else loop.nodes_of_function
    declared = {name for node in inside if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    statements = {id(node.value) for node in loop.nodes if isinstance(node, ast.Expr)}
    for node in loop.nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in declared:
            raise Cannot(f"The loop writes to {node.id}, a name from outside of its function.")
        if isinstance(node, ast.Call) and id(node) not in statements and _changes(node.func):
            raise Cannot(f"The loop runs {_short(node)} for a side effect. {_ONLY_WHILE_TRACING}")


def _changes(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in _CHANGING_METHODS
    return isinstance(called, ast.Name) and called.id in _CHANGING


def _dotted(node: ast.expr) -> str:
    """Return a name with its attributes, such as `jax.debug.print`; an empty string for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
