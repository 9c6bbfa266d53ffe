"""Makes a copy of the user's namespace and runs the definitions of an edited cell in it.

Only statements that define a name without computing anything run. All others are skipped. The names that a skipped
statement would assign are recorded, because in the copy they have their old values or no value.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import linecache
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from ..interruptions import not_of_a_signal
from ..observe.functions.function_inside_wrappers import code_of
from ..observe.side_effects.source_of_code_objects import CodesOfText
from ..typed.edited_cell import FunctionStatement, WrittenCell, names_stored
from .allowed_expressions import NotHarmless, NotThere, check, check_definition, completes, is_plain_class

_ANNOTATIONS_ARE_TEXT = __future__.annotations.compiler_flag


@dataclass(frozen=True)
class Skipped:
    """A statement of the cell that was skipped.

    Attributes:
        line: The first line of the statement.
        why: The source of the part that may not run; None if no statement of this kind may run.
        is_missing: True if `why` is a name that does not exist yet.
        is_import: True if the statement imports a module that the kernel has not imported.
    """

    line: int
    why: str | None = None
    is_missing: bool = False
    is_import: bool = False


@dataclass
class Definitions:
    """The result of running the definitions of a cell in a copy of the namespace.

    Attributes:
        namespace: The copy of the user's namespace.
        functions: First line of a top-level definition -> its function object.
        skipped: Name -> the skipped statement that would assign it.
    """

    namespace: dict[str, Any]
    functions: dict[int, Any] = field(default_factory=dict)
    skipped: dict[str, Skipped] = field(default_factory=dict)


class DefinedClasses:
    """The classes that Live made from edited cells; a class with the same source text stays the same object."""

    def __init__(self) -> None:
        self._classes: dict[tuple[str, str], tuple[str, Any]] = {}

    def get(self, cell: str, name: str, text: str) -> Any:
        """Return the class that was made from this source text; None if there is none."""
        kept_text, kept_class = self._classes.get((cell, name), ("", None))
        return kept_class if kept_text == text else None

    def keep(self, cell: str, name: str, text: str, kind: Any) -> None:
        """Store a class; a class from an earlier text of the same cell is replaced."""
        self._classes[cell, name] = text, kind
        if len(self._classes) > 200:
            del self._classes[next(iter(self._classes))]


@contextmanager
def text_known(file: str, source: str) -> Iterator[None]:
    """Within the block, let Python find the source lines of a file name that belongs to no file."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        yield
    finally:
        linecache.cache.pop(file, None)


def define(
    cell: WrittenCell,
    cell_id: str,
    file: str,
    names: dict[str, Any],
    namespace: dict[str, Any],
    kept_classes: DefinedClasses,
    codes: CodesOfText,
) -> Definitions:
    """Run the definitions of a cell in a copy of the user's namespace.

    Args:
        cell: The parsed text of the cell.
        cell_id: The id of the cell.
        file: The file name under which the cell's code is compiled.
        names: The user's namespace, which is copied.
        namespace: The dictionary that is filled with the copy.
        kept_classes: The classes made from earlier texts.
        codes: The code objects of the definitions are added to it.

    Raises:
        Exception: Python or JAX raised at a definition, for example at a decorator with a wrong argument.
    """
    namespace.clear()
    namespace.update(names)
    namespace.pop("__warningregistry__", None)
    namespace["__builtins__"] = builtins
    definer = _Definer(cell, cell_id, file, Definitions(namespace), kept_classes, codes)
    for statement in cell.module.body:
        definer.run(statement)
    return definer.definitions


class _Definer:
    def __init__(
        self,
        cell: WrittenCell,
        cell_id: str,
        file: str,
        definitions: Definitions,
        kept_classes: DefinedClasses,
        codes: CodesOfText,
    ) -> None:
        self.definitions = definitions
        self._codes = codes
        self._cell = cell
        self._cell_id = cell_id
        self._file = file
        self._kept_classes = kept_classes

    def run(self, statement: ast.stmt) -> None:
        """Run a statement of the cell in the copy of the namespace, or skip the statement."""
        names = set(names_stored([statement]))
        try:
            is_defined = self._run(statement)
        except (NotHarmless, NotThere) as error:
            is_import = isinstance(statement, ast.Import | ast.ImportFrom)
            self._skip(names, Skipped(statement.lineno, str(error), isinstance(error, NotThere), is_import))
            return
        if is_defined:
            for name in names:
                self.definitions.skipped.pop(name, None)
        else:
            self._skip(names, Skipped(statement.lineno))

    def _skip(self, names: set[str], skipped: Skipped) -> None:
        self.definitions.skipped.update(dict.fromkeys(names, skipped))

    def _run(self, statement: ast.stmt) -> bool:
        names = self.definitions.namespace
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(statement)
                return True
            case ast.ClassDef():
                return self._class(statement)
            case ast.Import():
                return self._import(statement)
            case ast.ImportFrom():
                return self._import_from(statement)
            case ast.Assign():
                if not all(_is_target(target, statement.value) for target in statement.targets):
                    return False
                check(statement.value, names)
            case ast.AnnAssign():
                if statement.value is None or not isinstance(statement.target, ast.Name):
                    return isinstance(statement.target, ast.Name)
                check(statement.value, names)
            case ast.Expr():
                if not completes(statement.value, names) or not self._is_own(statement.value):
                    return isinstance(statement.value, ast.Constant)
            case ast.Pass():
                return True
            case _:
                return False
        self._execute(statement)
        return True

    def _is_own(self, call: ast.expr) -> bool:
        """Return whether a method call changes an object that this run of the cell's definitions has made."""
        owner = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        if not isinstance(owner, ast.Name):
            return False
        value = self.definitions.namespace.get(owner.id)
        return any(value is function for function in self.definitions.functions.values())

    def _function(self, statement: FunctionStatement) -> None:
        check_definition(statement, self.definitions.namespace)
        for decorator in statement.decorator_list:
            if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
                owner = self.definitions.namespace.get(decorator.value.id)
                is_module = isinstance(owner, type(sys))
                if not is_module and not any(owner is function for function in self.definitions.functions.values()):
                    raise NotHarmless(ast.unparse(decorator))
        self._execute(statement)
        self.definitions.functions[statement.lineno] = self.definitions.namespace[statement.name]

    def _class(self, statement: ast.ClassDef) -> bool:
        text = ast.unparse(statement)
        names = self.definitions.namespace
        existing = names.get(statement.name)
        if isinstance(existing, type) and is_class_of(existing, text):
            return True
        kept_class = self._kept_classes.get(self._cell_id, statement.name, text)
        if kept_class is not None:
            names[statement.name] = kept_class
            return True
        if not is_plain_class(statement, names):
            raise NotHarmless(f"class {statement.name}")
        self._execute(statement)
        self._kept_classes.keep(self._cell_id, statement.name, text, names[statement.name])
        return True

    def _import(self, statement: ast.Import) -> bool:
        modules = []
        for alias in statement.names:
            module = sys.modules.get(alias.name)
            if module is None:
                raise NotThere(alias.name)
            modules.append((alias, module))
        for alias, module in modules:
            root = alias.name.partition(".")[0]
            self.definitions.namespace[alias.asname or root] = module if alias.asname else sys.modules[root]
        return True

    def _import_from(self, statement: ast.ImportFrom) -> bool:
        if statement.module == "__future__":
            return True
        module = sys.modules.get(statement.module or "")
        if statement.level or module is None:
            raise NotThere(statement.module or ".")
        names_of_module = vars(module)
        for alias in statement.names:
            if alias.name == "*":
                public = names_of_module.get("__all__", [name for name in names_of_module if not name.startswith("_")])
                self.definitions.namespace.update(
                    {name: names_of_module[name] for name in public if name in names_of_module}
                )
                continue
            name = f"{statement.module}.{alias.name}"
            if alias.name not in names_of_module and name not in sys.modules:
                raise NotThere(name)
            self.definitions.namespace[alias.asname or alias.name] = names_of_module.get(
                alias.name, sys.modules.get(name)
            )
        return True

    def _execute(self, statement: ast.stmt) -> None:
        module = ast.Module([statement], [])
        code = compile(module, self._file, "exec", flags=_ANNOTATIONS_ARE_TEXT, dont_inherit=True)
        self._codes.add(code)
        exec(code, self.definitions.namespace)


def _is_target(target: ast.expr, value: ast.expr) -> bool:
    """Return whether an assignment binds only names, such as `a = b` or `a, b = c, d`."""
    if isinstance(target, ast.Name):
        return True
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        return len(target.elts) == len(value.elts) and all(map(_is_target, target.elts, value.elts))
    return False


def is_class_of(existing: type, text: str) -> bool:
    """Return whether a class was made by a class statement with this source text.

    The text is found by the code of a method, so a class without methods gives False.
    """
    code = next((value.__code__ for value in vars(existing).values() if _is_own_function(value, existing)), None)
    if code is None:
        return False
    try:
        module = ast.parse("".join(linecache.getlines(code.co_filename)))
    except not_of_a_signal(SyntaxError, ValueError, RecursionError):
        return False
    return any(
        isinstance(node, ast.ClassDef)
        and node.name == existing.__name__
        and node.lineno <= code.co_firstlineno <= (node.end_lineno or 0)
        and ast.unparse(node) == text
        for node in module.body
    )


def _is_own_function(value: Any, owner: type) -> bool:
    return (
        isinstance(value, FunctionType)
        and value.__code__.co_qualname == f"{owner.__qualname__}.{value.__name__}"
        and value.__code__.co_filename != "<string>"
    )


def outdated_calls(function: Any, definitions: Definitions, names: Mapping[str, Any]) -> dict[str, str]:
    """Return the functions of earlier cells that still call the old version of a function in this cell.

    Args:
        function: The traced function.
        definitions: The definitions of the cell.
        names: The user's global namespace.

    Returns:
        {name of such a function: name of the function of which it has the old version}.
    """
    changed = {
        name
        for name, value in names.items()
        if any(definitions.namespace.get(name) is function for function in definitions.functions.values())
        and not _are_alike(code_of(value), code_of(definitions.namespace[name]))
    }
    outdated_by_name: dict[str, str] = {}
    waiting, visited = list(read_by(function)), set()
    while waiting and changed:
        name = waiting.pop()
        value = definitions.namespace.get(name)
        if name in visited or code_of(value) is None:
            continue
        visited.add(name)
        reads = list(read_by(value))
        if value is names.get(name):
            outdated = next((read for read in reads if read in changed), None)
            if outdated is not None:
                outdated_by_name[name] = outdated
        waiting.extend(reads)
    return outdated_by_name


def _are_alike(code: CodeType | None, later: CodeType | None) -> bool:
    """Return whether two code objects do the same; their line numbers may differ."""
    if code is None or later is None:
        return code is later
    if (code.co_code, code.co_names, code.co_varnames) != (later.co_code, later.co_names, later.co_varnames):
        return False
    pairs = list(zip(code.co_consts, later.co_consts, strict=False))
    return len(code.co_consts) == len(later.co_consts) and all(
        _are_alike(constant, later_constant)
        if isinstance(constant, CodeType) and isinstance(later_constant, CodeType)
        else repr(constant) == repr(later_constant)
        for constant, later_constant in pairs
    )


def read_by(function: Any) -> Iterator[str]:
    """Yield the global names that a function, or a function inside it, reads."""
    code = code_of(function)
    waiting = [] if code is None else [code]
    while waiting:
        inner = waiting.pop()
        yield from inner.co_names
        waiting.extend(constant for constant in inner.co_consts if isinstance(constant, CodeType))
