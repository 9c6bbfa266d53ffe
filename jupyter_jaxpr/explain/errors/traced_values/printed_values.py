"""Writes the cures for code that needs a traced value as text: jax.debug.print in place of print or a format."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ..failing_code.called_names import called_by_name
from ..failing_code.edits import replacing
from ..failing_code.place_of_error import RaisedAt
from .removed_conversions import without_conversion

PRINTED_EACH_TIME = "jax.debug.print prints the value each time that the program runs."


class PrintedValues:
    """Writes the cures for a text that contains the value of a traced array."""

    def __init__(self, raised: RaisedAt) -> None:
        self._raised = raised

    def str_format(self, node: ast.Call) -> FoundCure | None:
        """Return the cure jax.debug.print for print("{:.2f}".format(x))."""
        match node, self._raised.parents.get(id(node)):
            case (
                ast.Call(func=ast.Attribute(value=ast.Constant(value=str()) as words, attr="format"), keywords=[]),
                ast.Call(func=ast.Name(id="print"), args=[_], keywords=[]) as call,
            ) if not any(isinstance(argument, ast.Starred) for argument in node.args):
                code = f"jax.debug.print({', '.join(map(self._source, [words, *node.args]))})"
                text = PRINTED_EACH_TIME
                return replacing(self._raised, call, "jax.debug.print", code, text)
        return None

    def percent_format(self) -> list[FoundCure]:
        """Return the cure jax.debug.print for print("%.2f" % x)."""
        node = self._raised.node
        call = self._raised.parents.get(id(node)) if node is not None else None
        match node, call:
            case (
                ast.BinOp(left=ast.Constant(value=str(words)), op=ast.Mod(), right=right),
                ast.Call(func=ast.Name(id="print"), args=[_], keywords=[]),
            ):
                values = right.elts if isinstance(right, ast.Tuple) else [right]
            case _:
                return []
        parts = re.split(r"%((?:\.\d+)?[dfegs]|%)", words)
        specs = [part for part in parts[1::2] if part != "%"]
        if "%" in "".join(parts[::2]) or len(specs) != len(values):
            return []
        text = ""
        for place, part in enumerate(parts):
            if place % 2 == 0:
                text += part.replace("{", "{{").replace("}", "}}")
            else:
                text += "%" if part == "%" else "{}" if part in ("s", "d") else f"{{:{part}}}"
        code = f"jax.debug.print({', '.join([repr(text), *map(self._source, values)])})"
        return [replacing(self._raised, call, "jax.debug.print", code, PRINTED_EACH_TIME)]

    def text_in_call(self) -> list[FoundCure]:
        """Return the advice to use jax.debug.callback for logging.info("%.2f" % x), so that x has a value."""
        node = self._raised.node
        match node, self._raised.parents.get(id(node)) if node is not None else None:
            case ast.BinOp(left=ast.Constant(value=str()) as words, op=ast.Mod(), right=value), parent:
                pass
            case _:
                return []
        text = (
            "A JAX program cannot compute strings. jax.debug.callback calls a function with the values each time that "
            "the program runs."
        )
        if isinstance(value, ast.Tuple) or not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
            return [FoundCure("jax.debug.callback", None, text)]
        call = f"{self._source(parent.func)}({self._source(words)} % value)"
        code = f"jax.debug.callback(lambda value: {call}, {self._source(value)})"
        return [FoundCure("jax.debug.callback", code, text)]

    def debug_print(self) -> list[FoundCure]:
        """Return the cure jax.debug.print for an f-string or a call of `format` with a traced value."""
        text = PRINTED_EACH_TIME
        call = self.printing()
        match call:
            case ast.Call(func=ast.Name(id="print"), args=[_, *_] as parts, keywords=[]):
                function = "jax.debug.print"
            case ast.Call(
                func=ast.Attribute(attr="print") as printing, args=[ast.JoinedStr()] as parts, keywords=[]
            ) if self._source(printing).endswith("debug.print"):
                function = self._source(printing)
                text = (
                    "When the program runs, jax.debug.print formats the values that the call passes after the format."
                )
            case _:
                return [FoundCure("jax.debug.print", None, text)]
        words: list[str] = []
        values: list[str] = []
        for part in parts:
            written = _as_format(part)
            if written is None:
                return [FoundCure("jax.debug.print", None, text)]
            words.append(written[0])
            values += [self._source(without_conversion(value)) for value in written[1]]
        code = f"{function}({', '.join([repr(' '.join(words)), *values])})"
        return [replacing(self._raised, call, "jax.debug.print", code, text)]

    def printing(self) -> ast.AST | None:
        """Return the call, such as print, that has the failing expression, or an f-string with it, as an argument."""
        node: ast.AST | None = self._raised.node
        text = self._raised.around(ast.JoinedStr)
        outer = self._raised.parents.get(id(text if text is not None else node))
        is_print = isinstance(outer, ast.Call) and called_by_name(outer) == "print"
        return outer if is_print or text is not None else None

    def _source(self, node: ast.expr) -> str:
        return self._raised.source(node)


def _as_format(node: ast.expr) -> tuple[str, list[ast.expr]] | None:
    """Return the format string and values of an f-string for `str.format`; None if it has a conversion such as !r."""
    if isinstance(node, ast.Starred):
        return None
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    words = ""
    values: list[ast.expr] = []
    for part in parts:
        match part:
            case ast.Constant(value=value):
                words += str(value).replace("{", "{{").replace("}", "}}")
            case ast.FormattedValue(value=value, conversion=-1, format_spec=spec):
                text = ast.unparse(spec)[2:-1] if spec is not None else ""
                words += f"{{:{text}}}" if text else "{}"
                values.append(value)
            case ast.FormattedValue():
                return None
            case _:
                words += "{}"
                values.append(part)
    return words, values
