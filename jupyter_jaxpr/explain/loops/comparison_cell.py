"""Writes a cell that compares an unrolled loop with its rewrite.

The user reads and runs the cell; this module does not run it. There is a cell only if the function with the loop is at
the top level of the source code, and the code has a call of this function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .kinds_of_python_loops import COMPREHENSIONS, Loops, LoopStatement

_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)


def trial(loop: LoopStatement, code: str, calls: Loops | None, line: int) -> str | None:
    """Return the source code of a cell that compares the function as it is with its rewrite.

    None if no cell can be written.

    Args:
        loop: The loop statement; its function must be at the top level of the source code.
        code: The code that replaces the loop statement, without indentation.
        calls: The source code that contains the call of the function.
        line: The line of that call, from 1.
    """
    function, node = loop.function, loop.node
    if not isinstance(function, ast.FunctionDef) or not isinstance(node, ast.For | ast.While):
        return None
    if function not in loop.module.body or calls is None:
        return None
    call = _call(calls, function.name, line)
    if call is None or loop.lines[node.lineno - 1][: node.col_offset].strip():
        return None
    name = f"{function.name}_loop"
    names = {name_node.id for name_node in loop.nodes_of_module if isinstance(name_node, ast.Name)}
    while name in names:
        name += "_"
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    head = loop.lines[first - 1 : node.lineno - 1]
    defined = function.lineno - first
    head[defined] = head[defined].replace(f"def {function.name}", f"def {name}", 1)
    indent = loop.lines[node.lineno - 1][: node.col_offset]
    body = [indent + text_line if text_line else text_line for text_line in code.split("\n")]
    tail = loop.lines[node.end_lineno or node.lineno : function.end_lineno]
    return "\n".join([f"%%jaxpr --compare {function.name},{name}", *head, *body, *tail, "", call])


def _call(calls: Loops, name: str, line: int) -> str | None:
    """Return the source code of a call of a name on a line, outside of any function. None if there is no such call."""
    text = "\n".join(calls.lines)
    for node in _at_the_top(calls.module):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == name
            and node.lineno <= line <= (node.end_lineno or node.lineno)
        ):
            return ast.get_source_segment(text, node)
    return None


def _at_the_top(module: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes outside of functions, classes and comprehensions.

    The names in these nodes still exist after the cell.
    """
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [node_inside for node_inside in ast.iter_child_nodes(node) if not isinstance(node_inside, _APART)]
