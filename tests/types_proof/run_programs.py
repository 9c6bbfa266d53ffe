"""Compares the types that the package shows for names with the types that Python's trace function sees.

    python run_programs.py OUT.json FILE...

A file is a program, which runs as one cell under `%%jaxpr`, or a notebook, whose cells run unchanged. The programs
run in their own process, because the trace function would slow down every other test.

This module does not use the package to find the values: names come from the syntax tree, values from the locals of
frames when the next line begins.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import linecache
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import comm
import jax
from comm.base_comm import BaseComm
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import jupyter_jaxpr as jj

TRACER = jax.core.Tracer


class NoComm(BaseComm):
    """A comm that has no front end and drops its messages."""

    def publish_msg(self, *_: Any, **__: Any) -> None:
        pass


def type_of(value: Any) -> str | None:
    """Return the type of a traced array or of a Python container with one; None for other values."""
    text, has_array = _text(value)
    return text if has_array else None


def _text(value: Any) -> tuple[str, bool]:
    kind = type(value)
    if isinstance(value, TRACER):
        aval = value.aval
        return aval.str_short(short_dtypes=True).lstrip("~") + (
            "{weak}" if getattr(aval, "weak_type", False) else ""
        ), True
    if kind is dict:
        parts = [_text(item) for item in value.values()]
        keys = [repr(key) if type(key) in (str, int) else "…" for key in value]
        inside = ", ".join(f"{key}: {text}" for key, (text, _) in zip(keys, parts, strict=True))
        return "{" + inside + "}", any(has for _, has in parts)
    if kind is list or kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        parts = [_text(item) for item in tuple(value)]
        texts = [text for text, _ in parts]
        has_array = any(has for _, has in parts)
        if kind is list:
            return f"[{', '.join(texts)}]", has_array
        if kind is tuple:
            return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})", has_array
        named = ", ".join(f"{field}={text}" for field, text in zip(kind._fields, texts, strict=True))
        return f"{kind.__name__}({named})", has_array
    if dataclasses.is_dataclass(kind):
        fields = {field.name: _text(getattr(value, field.name)) for field in dataclasses.fields(kind)}
        named = ", ".join(f"{name}={text}" for name, (text, _) in fields.items())
        return f"{kind.__name__}({named})", any(has for _, has in fields.values())
    return kind.__name__, False


class Names:
    """The names to which a file assigns values, found in its syntax tree.

    Attributes:
        assigned: Line -> the names that are assigned on the line.
        parameters: (line, name) of a parameter -> the first lines of the functions that have the parameter.
    """

    def __init__(self, text: str) -> None:
        self.assigned: dict[int, set[str]] = defaultdict(set)
        self.parameters: dict[tuple[int, str], set[int]] = defaultdict(set)
        hidden = set[int]()
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(
                node, ast.ListComp | ast.SetComp | ast.DictComp
            ):  # these names belong to the outer frame, in which they are hidden
                targets = (inner for generator in node.generators for inner in ast.walk(generator.target))
                hidden |= set(map(id, targets))
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in hidden:
                self.assigned[node.lineno].add(node.id)
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
                first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
                for argument in _arguments(node.args):
                    self.parameters[argument.lineno, argument.arg].add(first)


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


class Watcher:
    """A trace function that collects the types of names: (file, kind of name, line, name) -> types."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str, int, str], set[str]] = defaultdict(set)
        self.arrays: set[tuple[str, int, str]] = set()
        self._names: dict[str, Names] = {}
        self._lines: dict[int, int] = {}

    def names(self, file: str) -> Names:
        """Return the names that the source of a file assigns."""
        if file not in self._names:
            self._names[file] = Names("".join(linecache.getlines(file)))
        return self._names[file]

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Record the values of names; this is Python's trace function."""
        code = frame.f_code
        if "ipython-input" not in code.co_filename and "ipykernel" not in code.co_filename:
            return None
        if code.co_name == "<module>":
            return None
        file = code.co_filename
        if event == "call":
            self._lines.pop(id(frame), None)
            count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
            for name in code.co_varnames[:count]:
                self._note(file, "parameter", code.co_firstlineno, name, frame.f_locals.get(name))
            return self
        line = self._lines.pop(id(frame), None)
        if line is not None:
            for name in self.names(file).assigned.get(line, ()):
                if name in frame.f_locals:
                    value = frame.f_locals[name]
                    self._note(file, "assigned", line, name, value)
                    if isinstance(value, TRACER):
                        self.arrays.add((file, line, name))
        if event == "line":
            self._lines[id(frame)] = frame.f_lineno
        elif event == "return":
            self._note(file, "returned", frame.f_lineno, "return", argument)
        return self

    def _note(self, file: str, kind: str, line: int, name: str, value: Any) -> None:
        text = type_of(value)
        if text is not None:
            self.seen[file, kind, line, name].add(text)


def last_run() -> jj.Snapshot | None:
    """Return the document of the newest run; None before the first run."""
    try:
        return jj.last().snapshot
    except LookupError:
        return None


def run(shell: InteractiveShell, cells: list[str], watcher: Watcher) -> dict[str, Any]:
    """Run cells; return the wrong types that the package shows, and the number of names with a type."""
    watcher.seen.clear()
    watcher.arrays.clear()
    shown_names: set[tuple[str, int, str]] = set()
    wrong: list[str] = []
    errors: list[str] = []
    programs = checked = 0
    for cell in cells:
        before = last_run()
        sys.settrace(watcher)
        try:
            with capture_output():
                result = shell.run_cell(cell, store_history=True)
        finally:
            sys.settrace(None)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            errors.append(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
        last = last_run()
        if last is None or (before is not None and last.document.id == before.document.id):
            continue
        document = last.document
        programs += sum(not program.library for program in document.programs)
        for program in range(len(document.programs)):
            for at in last.types(program):
                if at.kind == "assigned":
                    shown_names.add((at.file, at.line, at.name))
                places = [at.line]
                if at.kind == "parameter":
                    places = sorted(watcher.names(at.file).parameters[at.line, at.name])
                had = set().union(*(watcher.seen.get((at.file, at.kind, line, at.name), set()) for line in places))
                for text in at.types:
                    checked += 1
                    if text not in had and not (
                        text.endswith("…") and any(text_had.startswith(text[:-1]) for text_had in had)
                    ):
                        wrong.append(f"{at.file}:{at.line} {at.name}: {text}, not {sorted(had)}")
    missing = sorted(watcher.arrays - shown_names)
    lines = [f"{line}: {name} | {linecache.getline(file, line).strip()}" for file, line, name in missing]
    return {
        "programs": programs,
        "errors": errors,
        "checked": checked,
        "wrong": wrong,
        "names": len(watcher.arrays),
        "missing": lines,
    }


def cells_of(path: Path) -> list[str]:
    """Return the cells of a notebook, or a program as one cell."""
    if path.suffix != ".ipynb":
        return [f"%%jaxpr\n{path.read_text()}"]
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main(out: str, *files: str) -> None:
    """Run files, each in an empty namespace."""
    comm.create_comm = NoComm
    shell = InteractiveShell.instance(colors="nocolor")
    shell.run_line_magic("load_ext", "jupyter_jaxpr")
    watcher = Watcher()
    results = {}
    for file in files:
        shell.reset()
        results[Path(file).stem] = run(shell, cells_of(Path(file)), watcher)
    Path(out).write_text(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
