"""Rewrites a Python `if`, `while` or `for` on a traced value as JAX control flow."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace

from ....jax.facts import is_tracer_type
from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ...loops.kinds_of_python_loops import LoopStatement
from ...loops.scan_and_vmap_code import Form, rewrite
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import Change, applied, edit_of, over, source_with
from ..failing_code.module_names import jnp_name, lax_name, namespace
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .branches_as_functions import NotWritten, as_one_statement, as_several_statements, changed_branches
from .calls_of_numpy_and_math import NumPyCalls
from .finite_gradient_of_where import finite_where
from .indexed_lists import SWITCH
from .left_loops import loop_with_exit
from .numbers_in_statements import NumbersInStatement, is_extreme
from .other_numbers import with_other_numbers
from .removed_conversions import without_conversions

_COLLECTED = (
    "The loop gives one element for each step, and JAX must know the number of elements. Write the number of steps "
    "into the code, or take the number from the shape of an argument."
)
MASKED_SCAN = "In a scan, run a fixed number of steps, and let surplus steps change nothing."
_COND = (
    "In each call, cond runs one of the two functions. JAX compiles both functions, and both must return the same "
    "types."
)
_WHERE = "jnp.where computes both values and chooses between them element by element, so the condition may be an array."
_CHECKIFY = (
    "checkify checks the condition when the program runs. Wrap the function with checkify.checkify, from "
    "jax.experimental: the call then returns the error beside the result."
)
_RETURN = (
    "Write the loop with {lax}.while_loop. The loop ends when its condition is false: add the opposite of this test to "
    "the condition, and return the value of the carry after the loop."
)
_LATER = "The later conditions of the block need the same change."
_MASKED = "After the exit, the steps of the loop change nothing. jax.grad works through this loop."
_EXIT = "The loop runs until its condition is false. jax.grad does not work through a while_loop."
_NONE = (
    "The default of {name} is None. The new test asks whether the call passes {name}, which Python knows while JAX "
    "traces."
)
_ASKS = frozenset({"isinstance", "hasattr", "callable", "len"})
_SELECTS = ast.If | ast.IfExp


class Choices:
    """Writes the cures for a statement or operator, such as `if` or `and`, that needed the value of a traced array."""

    def __init__(self, raised: RaisedAt, differentiated: bool = False) -> None:
        self._raised = raised
        self._differentiated = differentiated
        self._lax = lax_name(raised)
        self._jnp = jnp_name(raised)
        self._of_gradient = ""
        self._is_finite = True

    def _cure(self, name: str, code: str | None, text: str, change: Change | None) -> FoundCure:
        cure = FoundCure(name, code, text)
        return cure if change is None else applied(cure, [edit_of(self._raised, change)])

    # --- None ---

    def default_none(self) -> list[FoundCure]:
        """Return the cure of `if mask:` and `w or ones` for an argument whose default is None."""
        node: ast.AST | None = self._raised.node
        parent = self._raised.parents.get(id(node))
        # Python 3.11 reports the operand of `or` as the failing expression
        either = node if isinstance(node, ast.BoolOp) else parent
        match either:
            case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=name), other]) if self._is_none_by_default(name):
                code = f"{self._source(other)} if {name} is None else {name}"
                outer = self._raised.parents.get(id(either))
                code = code if isinstance(outer, ast.Assign | ast.Return) or self._is_enclosed(either) else f"({code})"
                return [self._cure("is None", code, _NONE.format(name=name), over(either, code))]
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            node, parent = parent, self._raised.parents.get(id(parent))
        tested = node.operand if isinstance(node, ast.UnaryOp) else node
        match parent:
            case ast.If(test=test) | ast.IfExp(test=test) if (
                test is node and isinstance(tested, ast.Name) and self._is_none_by_default(tested.id)
            ):
                code = f"{tested.id} is not None" if tested is node else f"{tested.id} is None"
                return [self._cure("is None", code, _NONE.format(name=tested.id), over(test, code))]
        return []

    def _is_enclosed(self, node: ast.expr) -> bool:
        """Return whether the user wrote an expression in parentheses, on one line."""
        lines = self._raised.loops.lines if self._raised.loops is not None else []
        if node.lineno != node.end_lineno or node.lineno > len(lines):
            return False
        line = lines[node.lineno - 1].encode()
        return line[: node.col_offset].rstrip().endswith(b"(") and line[node.end_col_offset :].lstrip().startswith(b")")

    def _is_none_by_default(self, name: str) -> bool:
        function = self._raised.function
        if function is None:
            return False
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
        pairs = [*defaults.items(), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        return any(
            argument.arg == name and isinstance(value, ast.Constant) and value.value is None
            for argument, value in pairs
        )

    # --- if ---

    def selection(self) -> list[FoundCure]:
        """Return the cures of an if statement and of `a if test else b`: jax.lax.cond and jnp.where."""
        at = self.consumer()
        if not isinstance(at, _SELECTS):
            return []
        left = self._loop_exit(at) if isinstance(at, ast.If) else []
        if isinstance(at, ast.If) and (write := self._write_to_references(at)) is not None and not left:
            return [write]
        if isinstance(at, ast.If) and (rewritten := self._rewritten_if(at)):
            return rewritten
        if left:
            return left
        if isinstance(at, ast.IfExp) and all(_is_string(part) for part in (at.body, at.orelse)):
            test = self._raised.source(at.test)
            words = (
                f"A JAX program computes no strings. Return {test} from the traced function, and choose the string "
                "after the call."
            )
            return [FoundCure("the condition", None, words)]
        form = self._choice(at)
        names = f"{self._lax}.cond", f"{self._jnp}.where"
        if form is None and isinstance(at, ast.If) and self._returns_from_loop(at):
            return [FoundCure(f"{self._lax}.while_loop", None, _RETURN.format(lax=self._lax))]
        if form is None:
            return [FoundCure(names[0], None, _COND), FoundCure(names[1], None, _WHERE)]
        last, before, cond, where_code = form
        # No edit for an `elif`: the new line would always run, even if an earlier condition was true. No edit for `x is
        # not None and x > 0`: Python must not evaluate the second operand if the first is false.
        is_edit = not self._is_elif(at) and not self._guards(at.test)
        is_same = self._is_finite or not self._differentiated
        words = " ".join(filter(None, [_WHERE, self._of_gradient]))
        return [
            self._cure(name, before + code, text, (at, last, before + code) if is_edit and is_kept else None)
            for name, code, text, is_kept in ((names[0], cond, _COND, True), (names[1], where_code, words, is_same))
        ]

    def _write_to_references(self, at: ast.If) -> FoundCure | None:
        """Return the cure of an if statement in a Pallas kernel that only writes to references; None for others."""
        targets = [
            target
            for statement in at.body
            for target in (statement.targets if isinstance(statement, ast.Assign) else [None])
        ]
        are_references = all(
            isinstance(target, ast.Subscript) and type_of(value_of(self._raised, target.value)).startswith("Ref")
            for target in targets
        )
        if self._raised.frame is None or at.orelse or not are_references:
            return None
        names = [
            name
            for name, module in namespace(self._raised).items()
            if own_name(module, "__name__") == "jax.experimental.pallas"
        ]
        pallas = names[0] if names else "pallas"
        body = [f"    {line}" for part in at.body for line in self._raised.source_of_statement(part).split("\n")]
        code = "\n".join([f"@{pallas}.when({self.condition(at.test)})", "def _():", *body])
        words = "The Pallas kernel runs the function _ if the condition is true."
        return FoundCure(f"{pallas}.when", code, words)

    def _loop_exit(self, at: ast.If) -> list[FoundCure]:
        """Return the cures of an if statement whose body breaks or continues the loop, or raises an error."""
        kinds = {type(statement) for statement in at.body}
        if kinds & {ast.Break, ast.Continue}:
            words = (
                f"Write the loop with {self._lax}.while_loop, and let the condition of the loop be false when the "
                "test before the break is true."
            )
            if ast.Continue in kinds:
                words = f"Compute the step in any case, and keep the old value with {self._jnp}.where(test, old, new)."
            name = f"{self._jnp}.where" if ast.Continue in kinds else f"{self._lax}.while_loop"
            return [FoundCure(name, None, words)]
        if ast.Raise in kinds:
            message = "'message'"
            match at.body[-1]:
                case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as text])):
                    message = self._source(text)
            check = f"checkify.check(~({self.condition(at.test)}), {message})"
            return [FoundCure("checkify", self._with_throw(check), _CHECKIFY)]
        return []

    def _rewritten_if(self, at: ast.If) -> list[FoundCure]:
        """Return the cure of an `if` that assigns several names or leaves a loop, if its trial passed."""
        name, text = f"{self._lax}.cond", _COND
        change: Change
        try:
            if self._guards(at.test):
                return []
            if isinstance(at.body[-1], ast.Break) or self._returns_from_loop(at):
                names = (self._lax, self._jnp)
                loop, code = loop_with_exit(self._raised, at, names, self.condition, self._differentiated)
                name, text = f"{self._lax}.while_loop", _EXIT
                if self._differentiated:
                    name, text = "steps without effect", _MASKED
                change = over(loop, code)
            elif self._choice(at) is not None or self._is_elif(at):
                return []
            else:
                change = changed_branches(self._raised, at, self._lax, self.condition(at.test))
        except NotWritten:
            return []
        # A trial takes the statement at the line of an edit, so the trial gets the new code as one statement.
        cures = [self._cure(name, change[2], text, as_one_statement(change))]
        tried = passed(self._raised, cures)
        if not any(cure.edits for cure in tried):
            for longer in (with_other_numbers(self._raised, cures), self._with_later_branches(at, cures[0])):
                tried = [cure for cure in passed(self._raised, longer) if cure.edits] or tried
                if any(cure.edits for cure in tried):
                    break
        return [
            replace(cure, code=change[2], edits=tuple(map(as_several_statements, cure.edits)))
            for cure in tried
            if cure.code is not None
        ]

    def _with_later_branches(self, at: ast.If, cure: FoundCure) -> list[FoundCure]:
        """Return the cure of an `if` together with the cures of the later `if` statements of its block; else empty."""
        edits = [*cure.edits]
        last_line = max(edit.place.end_line or edit.place.line for edit in edits)
        for later in self._statements_after(at):
            if not isinstance(later, ast.If) or later.lineno <= last_line:
                continue
            try:
                form = self._choice(later)
                test = self.condition(later.test)
                change = (
                    (later, form[0], form[1] + form[2])
                    if form is not None
                    else changed_branches(self._raised, later, self._lax, test)
                )
            except NotWritten:
                continue
            edits.append(edit_of(self._raised, as_one_statement(change)))
        if len(edits) == len(cure.edits):
            return []
        return [applied(FoundCure(cure.name, cure.code, f"{cure.text} {_LATER}"), edits)]

    def _returns_from_loop(self, at: ast.If) -> bool:
        """Return whether the body of an if statement returns from the function out of a Python loop."""
        if not any(isinstance(statement, ast.Return) for statement in at.body):
            return False
        node: ast.AST | None = at
        while node is not None and not isinstance(node, ast.For | ast.While | ast.FunctionDef):
            node = self._raised.parents.get(id(node))
        return isinstance(node, ast.For | ast.While)

    def cases(self) -> list[FoundCure]:
        """Return the cure of a match statement on a traced value: jax.lax.switch."""
        if not isinstance(self._raised.parents.get(id(self._raised.node)), ast.MatchValue):
            return []
        return [FoundCure(f"{self._lax}.switch", None, SWITCH)]

    def _is_elif(self, at: ast.AST) -> bool:
        parent = self._raised.parents.get(id(at))
        return isinstance(at, ast.If) and isinstance(parent, ast.If) and at in parent.orelse

    def _is_no_array(self, name: ast.Name) -> bool:
        value = value_of(self._raised, name) if self._raised.frame is not None else None
        return value is not None and not dtype_of(value) and type(value) not in (bool, int, float)

    def _guards(self, test: ast.expr) -> bool:
        """Return whether a condition has an operand such as `x is not None` that guards the next operand."""
        if not isinstance(test, ast.BoolOp):
            return False
        return any(
            (isinstance(operand, ast.Compare) and isinstance(operand.ops[0], ast.Is | ast.IsNot))
            or (isinstance(operand, ast.Call) and isinstance(operand.func, ast.Name) and operand.func.id in _ASKS)
            or (isinstance(operand, ast.Name) and self._is_no_array(operand))
            or self._guards(operand)
            for operand in test.values
        )

    def _choice(self, at: ast.If | ast.IfExp) -> tuple[ast.AST, str, str, str] | None:
        """Return the last statement that the new code replaces, the start of the new code ("y = "), and two endings.

        The first ending uses jax.lax.cond, the second jnp.where.
        """
        test = self.condition(at.test)
        if isinstance(at, ast.IfExp):
            true_value, false_value = self._source(at.body), self._source(at.orelse)
            return (
                at,
                "",
                self._cond_code(test, true_value, false_value),
                self._where_code(test, true_value, false_value),
            )
        if len(at.orelse) == 1 and isinstance(at.orelse[0], ast.If):
            inner = self._choice(at.orelse[0])
            single = self._single_value(at.body)
            if inner is None or single is None or single[0] != inner[1]:
                return None
            _, before, cond, where_code = inner
            true_value = single[1]
            return at, before, self._cond_code(test, true_value, cond), self._where_code(test, true_value, where_code)
        values = self._two_values(at)
        if values is None:
            return None
        last, before, true_value, false_value = values
        return (
            last,
            before,
            self._cond_code(test, true_value, false_value),
            self._where_code(test, true_value, false_value),
        )

    def _where_code(self, test: str, true_value: str, false_value: str) -> str:
        code, sentence, is_finite = finite_where(self._jnp, test, true_value, false_value)
        self._of_gradient = self._of_gradient if not self._is_finite else sentence or self._of_gradient
        self._is_finite = self._is_finite and is_finite
        return code

    def _cond_code(self, test: str, true_value: str, false_value: str) -> str:
        return f"{self._lax}.cond({test}, lambda: {true_value}, lambda: {false_value})"

    def _single_value(self, body: list[ast.stmt]) -> tuple[str, str] | None:
        match body:
            case [ast.Return(value=ast.expr() as value)]:
                return "return ", self._source(value)
            case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
                return f"{name} = ", self._source(value)
        return None

    def _two_values(self, at: ast.If) -> tuple[ast.AST, str, str, str] | None:
        """Return the last statement that the new code replaces, its start ("y = "), and the value of each branch."""
        after = [] if at.orelse else self._statements_after(at)
        match at.body, at.orelse or after:
            case (
                [ast.Return(value=ast.expr() as first_value)],
                [ast.Return(value=ast.expr() as second_value) as last, *_],
            ):
                node = at if at.orelse else last
                return node, "return ", self._source(first_value), self._source(second_value)
            case (
                [ast.Assign(targets=[ast.Name(id=name)], value=first_value)],
                [ast.Assign(targets=[ast.Name(id=second_name)], value=second_value)],
            ) if name == second_name and at.orelse:
                return at, f"{name} = ", self._source(first_value), self._source(second_value)
            case [ast.Assign(targets=[ast.Name(id=name)], value=first_value)], _ if not at.orelse:
                return at, f"{name} = ", self._source(first_value), name
            case [ast.AugAssign(target=ast.Name(id=name), op=op, value=value)], _ if not at.orelse:
                return at, f"{name} = ", ast.unparse(ast.BinOp(ast.Name(name, ast.Load()), op, value)), name
        return None

    def _statements_after(self, at: ast.If) -> list[ast.stmt]:
        parent = self._raised.parents.get(id(at))
        for _, value in ast.iter_fields(parent) if parent is not None else ():
            if isinstance(value, list) and at in value:
                following: list[ast.stmt] = value[value.index(at) + 1 :]
                return following
        return []

    # --- loops ---

    def loop(self) -> list[FoundCure]:
        """Return the cures for a `while`, or a `for` over a traced range: while_loop, fori_loop or a masked scan."""
        at: ast.AST | None = self.consumer()
        if not isinstance(at, ast.While):
            at = self._raised.around(ast.For)
            iterated = at.iter if isinstance(at, ast.For) else None
            if iterated is None or not any(node is self._raised.node for node in ast.walk(iterated)):
                return []
        loop = self._raised.statement(at) if at is not None else None
        if loop is None or at is None:
            return []
        if _appends(at):
            return []  # each loop of JAX would give another number of elements than the code
        forms: tuple[Form, ...] = ("fori_loop",) if isinstance(at, ast.For) else ("while_loop", "fori_loop")
        if self._differentiated:
            return [self.masked()]
        cures = []
        for form in forms:
            code, reason = self._rewritten(loop, form)
            if form == "fori_loop" and code is None and isinstance(at, ast.While):
                continue  # a `while` may have no number of steps
            if form == "while_loop" and code is not None and isinstance(at, ast.While):
                code = code.replace(f"return {ast.unparse(at.test)}\n", f"return {self.condition(at.test)}\n", 1)
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
            cures.append(self._cure(f"{self._lax}.{form}", code, text, None if code is None else over(at, code)))
        return [*cures, self.masked()]

    def collecting(self) -> FoundCure | None:
        """Return the cure of a loop or a comprehension that makes one element for each step; None for other code."""
        at = self._raised.around(ast.For, ast.While, ast.comprehension)
        iterated = at.iter if isinstance(at, ast.For | ast.comprehension) else getattr(at, "test", None)
        if at is None or iterated is None or not any(node is self._raised.node for node in ast.walk(iterated)):
            return None
        return (
            FoundCure("a known length", None, _COLLECTED) if isinstance(at, ast.comprehension) or _appends(at) else None
        )

    def length(self) -> list[FoundCure]:
        """Return the cures for a scan of traced length: a masked scan, and a fori_loop if no code reads the ys."""
        text = (
            "The loop counts while the program runs, so one program serves every length. A fori_loop returns no ys, "
            "and jax.grad does not work through this loop."
        )
        if self._reads_outputs():
            return [self.masked()]
        return [self.masked(), FoundCure(f"{self._lax}.fori_loop", None, text)]

    def _reads_outputs(self) -> bool:
        """Return whether the code may read the outputs `ys` of the failing scan. A fori_loop would not return them."""
        node = self._raised.node
        match self._raised.parents.get(id(node)):
            case ast.Subscript(slice=ast.Constant(value=place)):
                return place != 0
            case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=name)])]):
                module = self._raised.loops.module if self._raised.loops is not None else ast.Module([], [])
                around = self._raised.function or module
                names = [part for part in ast.walk(around) if isinstance(part, ast.Name) and part.id == name]
                return any(isinstance(part.ctx, ast.Load) for part in names)
        return True

    def masked(self) -> FoundCure:
        """Return the cure for a loop with a traced number of steps: a scan of fixed length with masked steps."""
        first, mask = self._mask_of_step()
        steps = f"{first} + {self._jnp}.arange(MOST)" if first else f"{self._jnp}.arange(MOST)"
        code = f"{self._lax}.scan(step, carry, {steps})  # in step: {self._jnp}.where({mask}, new, old)"
        text = f"{MASKED_SCAN} jax.grad works through a scan."
        return FoundCure("scan with a mask", code, text)

    def _mask_of_step(self) -> tuple[str, str]:
        """Return (number of the first step, condition under which a step of a masked scan counts), as code.

        The condition is that of the user's `while`, or compares the name of the user's `for` with the end of the range.
        The number is empty if it is 0, and the condition is `active` if the code shows no condition.
        """
        at = self.consumer()
        if isinstance(at, ast.While):
            return "", " ".join(self.condition(at.test).split())
        match self._raised.around(ast.For):
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[stop])):
                return "", self._before(name, stop)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[start, stop])):
                return self._source(start), self._before(name, stop)
        length = passed_node(self._raised, "length")
        return "", "active" if length is None else self._before("_", length)

    def _before(self, name: str, end: ast.expr) -> str:
        """Return the code that compares a number with an end. The name `_` of an unused number becomes i, j or k."""
        read = {part.id for part in ast.walk(end) if isinstance(part, ast.Name)}
        name = next(other for other in "ijk" if other not in read) if name == "_" and not read >= set("ijk") else name
        return f"{name} < {self._source(end)}"

    def _rewritten(self, loop: LoopStatement, form: Form) -> tuple[str | None, str | None]:
        values = self._raised.frame.f_locals if self._raised.frame is not None else {}
        arrays = frozenset(name for name, value in values.items() if _is_jax_array(value))
        written = rewrite(loop, True, False, lambda node: True, form, arrays)
        if written.code is not None and written.form != form:
            return None, None
        return written.code, written.why_not

    # --- conditions ---

    def combination(self) -> list[FoundCure]:
        """Return the cures for `and`, `or`, `not`, `in` and chained comparisons: &, |, jnp.logical_not, jnp.where."""
        node = self._raised.around(ast.BoolOp, ast.UnaryOp, ast.Compare)
        outer = node
        while node is not None:
            if isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
                outer = node
            parent = self._raised.parents.get(id(node))
            node = parent if isinstance(parent, ast.BoolOp | ast.UnaryOp | ast.Compare) else None
        match outer:
            case ast.BoolOp(op=op, values=values) if not all(self._is_boolean(operand) for operand in values):
                code = self._source(values[-1])
                for value in reversed(values[:-1]):
                    value_code = self._source(value)
                    pair = (value_code, code) if isinstance(op, ast.Or) else (code, value_code)
                    code = f"{self._jnp}.where({self._boolean(value)}, {pair[0]}, {pair[1]})"
                and_or_or = "or" if isinstance(op, ast.Or) else "and"
                text = f"jnp.where chooses between the values as {and_or_or} does, and computes both values."
                return [self._cure(f"{self._jnp}.where", code, text, over(outer, code))]
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.In() | ast.NotIn()]):
                code = self.condition(outer)
            case ast.Compare(ops=[_, _, *_]):
                code = self.condition(outer)
            case _:
                return []
        text = (
            "Work element by element: & for and, | for or, jnp.logical_not for not. Put each comparison in parentheses."
        )
        if isinstance(outer, ast.Compare):
            text = "The comparisons give arrays, and & and | combine arrays element by element."
        if isinstance(outer, ast.UnaryOp):
            text = "jnp.logical_not works element by element on an array, and takes a Python bool, too."
            return [self._cure(f"{self._jnp}.logical_not", code, text, over(outer, code))]
        return [self._cure("& |", code, text, over(outer, code))]

    def condition(self, node: ast.expr) -> str:
        """Return the code of a condition that arrays allow: `&` in place of `and`, `x` in place of `x.item()`."""
        return without_conversions(self._condition(node))

    def _condition(self, node: ast.expr) -> str:
        match node:
            case ast.BoolOp(op=op, values=values):
                sign = " & " if isinstance(op, ast.And) else " | "
                return sign.join(_enclosed(self._boolean(operand)) for operand in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                # The cure avoids ~, because another call may pass a Python bool: ~True is -2, which is true.
                return f"{self._jnp}.logical_not({self._boolean(operand)})"
            case ast.Compare(left=left, ops=[(ast.In() | ast.NotIn()) as op], comparators=[right]):
                return self._membership(left, op, right)
            case ast.Compare(left=left, ops=[_, _, *_] as ops, comparators=rights):
                sides = [left, *rights]
                pairs = zip(sides, ops, rights, strict=False)
                return " & ".join(f"({ast.unparse(ast.Compare(left, [op], [right]))})" for left, op, right in pairs)
            case ast.Call():
                return NumPyCalls(self._raised).of_arrays(node) or self._source(node)
        failing = self._raised.node
        if is_extreme(failing) and any(part is failing for part in ast.walk(node)):
            return source_with(self._raised, node, NumbersInStatement(self._raised, failing).changes)
        return NumPyCalls(self._raised).with_jax(node)

    def _membership(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
        negation = "~" if isinstance(op, ast.NotIn) else ""
        if isinstance(right, ast.Tuple | ast.List | ast.Set) and right.elts:
            tests = " | ".join(f"({self._source(left)} == {self._source(element)})" for element in right.elts)
            return f"{self._jnp}.logical_not({tests})" if negation else tests
        return f"{negation}({self._source(right)} == {self._source(left)}).any()"

    def _boolean(self, node: ast.expr) -> str:
        """Return the code of an operand of `and`, `or` or `not` as an array of booleans."""
        text = self.condition(node)
        if self._is_boolean(node):
            return text
        return f"{text} != 0" if isinstance(node, ast.Name | ast.Call | ast.Subscript) else f"({text}) != 0"

    def _is_boolean(self, node: ast.expr) -> bool:
        match node:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
                return True
            case ast.BoolOp(values=values):
                return all(map(self._is_boolean, values))
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._is_boolean(operand)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor(), left=left, right=right):
                return self._is_boolean(left) and self._is_boolean(right)
            case ast.Call(func=ast.Attribute(attr=name)) if name in _TRUTHS or name.startswith(("is", "logical_")):
                return True
            case ast.Call(func=ast.Name(id=("any" | "all" | "isnan" | "isinf" | "isfinite"))):
                return True
        value = value_of(self._raised, node) if self._raised.frame is not None else None
        return dtype_of(value) == "bool" or type(value) is bool

    def assertion(self) -> list[FoundCure]:
        """Return the cure checkify.check for an assert with a traced condition."""
        at = self.consumer()
        if not isinstance(at, ast.Assert):
            return []
        message = self._source(at.msg) if at.msg is not None else "'the condition does not hold'"
        check = f"checkify.check({self.condition(at.test)}, {message})"
        return [FoundCure("checkify", self._with_throw(check), _CHECKIFY)]

    def _with_throw(self, check: str) -> str:
        """Return the code of a check and, if the cell calls the traced function by itself, of the call around."""
        frames = [frame for frame in self._raised.callers[:1] if frame.f_code.co_name == "<module>"]
        at = at_caller(self._raised, frames[0]) if frames else None
        if at is None or not isinstance(at.node, ast.Call):
            return check
        call = at.node
        arguments = at.source(call)[len(at.source(call.func)) :]
        lines = [
            "from jax.experimental import checkify",
            check,
            f"error, result = checkify.checkify({at.source(call.func)}){arguments}",
            "error.throw()",
        ]
        return check if "\n" in arguments else "\n".join(lines)

    # --- syntax ---

    def consumer(self) -> ast.If | ast.IfExp | ast.While | ast.Assert | None:
        """Return the if, while, assert or conditional expression whose condition contains the failing expression."""
        node = self._raised.node
        while node is not None:
            parent = self._raised.parents.get(id(node))
            if isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert) and parent.test is node:
                return parent
            if not isinstance(parent, ast.BoolOp | ast.UnaryOp | ast.Compare) and not self._of_numpy(parent):
                return None
            node = parent
        return None

    def _of_numpy(self, node: ast.AST | None) -> bool:
        """Return whether a node is a NumPy call around the failing expression: np.any in np.any(np.isnan(x))."""
        return (
            isinstance(node, ast.Call) and self._raised.node is not node and NumPyCalls(self._raised).is_of_numpy(node)
        )

    def _source(self, node: ast.expr) -> str:
        text = self._raised.source(node)
        if "\n" in text:
            text = ast.unparse(copy.deepcopy(node))
        return f"({text})" if isinstance(node, ast.Tuple) and not text.startswith("(") else text


def _appends(loop: ast.AST) -> bool:
    """Return whether a loop appends to a list."""
    return any(isinstance(node, ast.Attribute) and node.attr == "append" for node in ast.walk(loop))


def _is_jax_array(value: object) -> bool:
    import jax

    return is_tracer_type(type(value)) or issubclass(type(value), jax.Array)


def _enclosed(text: str) -> str:
    """Return the code of an operand of `&`, in parentheses unless the code is a single name."""
    return text if text.isidentifier() else f"({text})"


_TRUTHS = frozenset({"any", "all", "array_equal", "allclose"})


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is str
