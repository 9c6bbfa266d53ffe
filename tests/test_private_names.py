"""Compares the table of JAX's private names with our code, and with the installed JAX."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jax
import names_at_hand
import newest
import pytest

import jupyter_jaxpr
from jupyter_jaxpr.jax import facts, private_names, support
from jupyter_jaxpr.jax.hooks import Hooks
from jupyter_jaxpr.jax.private_names import LOCALS, MODULES, OBJECTS, PrivateName
from jupyter_jaxpr.observe.process_observer import observer

PACKAGE = Path(jupyter_jaxpr.__file__).parent
ROOM = PACKAGE / "jax"


# --- every private name that the code uses has a row ---


@cache
def parsed(folder: Path) -> dict[str, ast.Module]:
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py"))}


def text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def module_opened(node: ast.AST) -> str | None:
    """Return the name of the module that an expression such as `private("core")` returns; None for all others."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "private":
        return text(node.args[0])
    return None


def opened_in(function: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (variable, module of JAX) for each assignment of such a module in a function."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and module_opened(value):
            yield target.id, str(module_opened(value))
        elif isinstance(target, ast.Tuple):
            modules: list[str | None] = []
            if isinstance(value, ast.Tuple):
                modules = [module_opened(elt) for elt in value.elts]
            elif isinstance(value, ast.Call) and ast.unparse(value).startswith("map(private, "):
                modules = [text(elt) for elt in value.args[1].elts]  # type: ignore[attr-defined]
            for target_name, module in zip(target.elts, modules, strict=False):
                if module is not None:
                    assert isinstance(target_name, ast.Name)
                    yield target_name.id, module


def tables_of_texts(tree: ast.Module) -> dict[str, list[str | None]]:
    """Return {name: its texts} for each tuple of strings that a module defines."""
    return {
        node.targets[0].id: [text(element) for element in node.value.elts]
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Tuple)
    }


def used_of_modules() -> set[str]:
    """Return names such as `core.Tracer` that the package uses: attributes of these modules, and names in `getattr`."""
    names_used: set[str] = set()
    for tree in parsed(PACKAGE).values():
        tables = tables_of_texts(tree)
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            modules = dict(opened_in(function))
            texts = {
                node.targets[0].id: [text(node.value)]
                for node in ast.walk(function)
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            }
            for node in ast.walk(function):  # finds loops such as `for name in TABLE`
                if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Name):
                    texts[node.target.id] = tables.get(node.iter.id, [])
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute):
                    module = module_opened(node.value)
                    if module is None and isinstance(node.value, ast.Name):
                        module = modules.get(node.value.id)
                    if module is not None and node.attr != "__file__":
                        names_used.add(f"{module}.{node.attr}")
                elif isinstance(node, ast.Call):
                    # Finds getattr(module, name), setattr(module, name, ...) and self._put(module, name, ...).
                    for holder, name in zip(node.args, node.args[1:], strict=False):
                        module = module_opened(holder) or (
                            modules.get(holder.id) if isinstance(holder, ast.Name) else None
                        )
                        names = texts.get(name.id, []) if isinstance(name, ast.Name) else [text(name)]
                        if module is not None:
                            names_used |= {f"{module}.{named}" for named in names if named is not None}
    return names_used


def test_the_table_has_each_name_of_a_private_module_and_no_other() -> None:
    assert used_of_modules() == {row.id for row in MODULES}


def test_private_modules_are_opened_at_one_door() -> None:
    doors = []
    for name, tree in parsed(PACKAGE).items():
        for node in ast.walk(tree):
            sources = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            sources += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                sources.append(ast.unparse(node.args[0]))
            doors += [name for source in sources if "jax._src" in source]
    assert doors == ["jax/facts.py"]


# Private names of Python, of named tuples and of equinox.
NOT_JAX = {
    "_getframe",
    "_current_frames",
    "_fields",
    "_replace",
    "_asdict",
    "_make",
    "_lru_cache_wrapper",
    "_signature",
    "_static_fun",
}
NOT_JAX |= {"_varname_from_oparg"}
# A private name of ipykernel.
NOT_JAX |= {"_reply_subshell_for"}


def used_of_objects() -> set[str]:
    """Return the attributes with an underscore that this package reads but does not itself define."""
    used: set[str] = set()
    own_names: set[str] = set()
    for tree in parsed(PACKAGE).values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                (own_names if is_own else used).add(node.attr)
            elif isinstance(node, ast.FunctionDef):
                own_names.add(node.name)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                own_names.add(node.target.id)
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr") and text(node.args[1]):
                used.add(str(text(node.args[1])))
    private = {name for name in used if name.startswith("_") and not name.startswith("__")}
    return private - NOT_JAX - {row.name for row in MODULES} - (own_names - {row.name for row in OBJECTS})


def test_the_table_has_each_private_attribute_of_an_object_and_no_other() -> None:
    assert used_of_objects() == {row.name for row in OBJECTS}


def is_of_a_frame(value: ast.AST) -> bool:
    source = ast.unparse(value)
    return any(word in source for word in (".f_locals", "co_freevars", "_captured("))


def strings(node: ast.AST) -> set[str]:
    return {string for part in ast.walk(node) if (string := text(part)) is not None}


def used_of_frames() -> set[str]:
    """Return the names of local and free variables that this package reads in frames and closures of JAX."""
    names: set[str] = set()
    for tree in parsed(ROOM).values():
        constants = {
            node.targets[0].id: strings(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            by_name = {
                node.targets[0].id
                for node in ast.walk(function)
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_of_a_frame(node.value)
            }
            # `local_values` contains variables that another function has read from a frame.
            by_name |= {argument.arg for argument in function.args.args if argument.arg == "local_values"}
            by_name |= {
                node.target.id
                for node in ast.walk(function)
                if isinstance(node, ast.NamedExpr) and "_raising(" in ast.unparse(node.value)
            }

            def holds(node: ast.AST, holders: set[str] = by_name) -> bool:
                return any(
                    (isinstance(part, ast.Name) and part.id in holders)
                    or (isinstance(part, ast.Attribute) and part.attr in ("f_locals", "co_freevars"))
                    for part in ast.walk(node)
                )

            for node in ast.walk(function):
                if isinstance(node, ast.Subscript) and ast.unparse(node.value).rpartition(".")[2] in {
                    *by_name,
                    "f_locals",
                }:
                    names |= {key} if (key := text(node.slice)) else set()
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    if node.func.attr in ("get", "index") and holds(node.func.value) and text(node.args[0]):
                        names.add(str(text(node.args[0])))
                elif isinstance(node, ast.Compare) and any(holds(comparator) for comparator in node.comparators):
                    names |= strings(node.left)
                elif isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Name):
                    names |= constants.get(node.iter.id, set())
    return names


def test_the_table_has_each_variable_of_a_function_of_jax_and_no_other() -> None:
    rows = {row.name for row in LOCALS}
    # The free variables of pmap are optional: the code reads them by `bound.get(name)`, and a missing one is an option
    # that the user did not set.
    optional = {"axis_name", "in_axes", "out_axes", "devices", "backend", "axis_size", "donate_tuple"}
    assert used_of_frames() - optional == rows


# --- the installed JAX has each name ---


def named(*tables: tuple[PrivateName, ...]) -> list[Any]:
    """Return the rows of these tables that apply to the installed JAX, as parameters of a test."""
    return [pytest.param(row, id=row.id) for row in names_at_hand.expected() if any(row in table for table in tables)]


@pytest.mark.parametrize("row", named(MODULES, OBJECTS, LOCALS))
def test_this_jax_has_the_name(row: PrivateName) -> None:
    assert names_at_hand.is_here(row), f"{row.id} is gone: {row.why}. Without it: {row.without}."


@pytest.mark.any_jax
def test_the_report_on_a_newest_jax_compares_with_each_name_of_the_table() -> None:
    tested = json.loads(newest.TESTED.read_text())
    assert list(tested["names"]) == [row.id for row in MODULES]
    assert {id for id, shape in tested["names"].items() if shape is None} == {"core.ClosedJaxpr"}


def test_the_report_on_a_newest_jax_names_what_is_gone_and_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in MODULES if row.id == "pjit.jit_trace")
    newest.report()  # the first report itself calls a jitted function, which needs `jit_trace`
    monkeypatch.delattr("jax._src.pjit.jit_trace")
    monkeypatch.setattr("jax._src.util.register_cache", lambda cache: None)
    text, fine = newest.report()
    assert not fine
    assert f"| `pjit.jit_trace` | {row.why} | {row.without} |" in text
    assert "| `util.register_cache` | (cache, for_what) | (cache) | to be told of jax.clear_caches |" in text


# --- a JAX that lacks a name ---


class Without:
    """Stands in for a module of JAX in this package's imports, and lacks one name; JAX itself uses the real module."""

    def __init__(self, module: Any, lacks: str) -> None:
        self.__dict__["held"] = module, lacks

    def __getattr__(self, name: str) -> Any:
        module, lacks = self.__dict__["held"]
        if name == lacks:
            raise AttributeError(f"module {module.__name__} has no attribute {name}")
        return getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["held"][0], name, value)


CELL = """
import jax, jax.numpy as jnp

@jax.jit
def step(p, x):
    return jnp.sin(x) * p["w"]

first = step({"w": 2.0}, jnp.ones(3))
second = step({"w": 2.0}, jnp.ones(3))
third = step({"w": 2.0}, jnp.ones(4))
slope = jax.grad(lambda x: step({"w": 3.0}, x).sum())(jnp.ones(3))
total, _ = jax.lax.scan(lambda c, x: (c + x, None), 0.0, jnp.arange(3.0))
ahead = jax.make_jaxpr(step)({"w": 2.0}, jnp.ones(3))
moved = jax.device_put(jnp.arange(2))
[round(float(each), 3) for each in (first[0], third[0], slope[0], total)], moved.tolist()
"""
VALUES = "([1.683, 1.683, 1.621, 3.0], [0, 1])"


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch, make_notebook: Any) -> Iterator[Any]:
    """Yield a function that makes a notebook in which this package cannot find these private names of JAX."""

    def lack(*rows: PrivateName) -> Any:
        for row in rows:
            module = sys.modules[f"jax._src.{row.where}"]
            monkeypatch.setitem(sys.modules, module.__name__, Without(module, row.name))
        facts.private.cache_clear()
        notebook = make_notebook()
        notebook.run("import jax")
        return notebook

    observer().hooks.remove()
    yield lack
    observer().hooks.remove()
    monkeypatch.undo()
    facts.private.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("row", named(MODULES))
def test_without_a_name_the_cell_runs_as_ever(row: PrivateName, lacking: Any) -> None:
    notebook = lacking(row)
    built = notebook.builds()
    ran = notebook.run("%%jaxpr" + CELL)
    assert (ran.result.error_in_exec, repr(ran.result.result)) == (None, VALUES)
    (built_run,) = built
    tier = {"hooks": "events", "events": "inspection", None: "hooks"}[row.tier]
    environment = built_run.document.environment
    assert environment.tier == tier
    assert (environment.tier_note is None) == (tier == "hooks")
    assert "Traceback" not in ran.stderr + ran.stdout
    notebook.shell.run_line_magic("unload_ext", "jupyter_jaxpr")


# --- a JAX that is newer than the tested one ---

NEWER = (
    "This kernel has JAX 0.99.1, which is newer than the JAX that this version of jupyter_jaxpr is tested with (JAX "
    "0.10.2 to 0.12)."
)
EVENTS = (
    "This version of jupyter_jaxpr does not know the internals of JAX 0.99.1. jupyter_jaxpr counts traces and "
    "compiles, but cannot tell which call caused a trace or a compile. Run `pip install -U jupyter_jaxpr` when a "
    "newer version exists."
)
INSPECTION = (
    "This version of jupyter_jaxpr does not know the internals of JAX 0.99.1. Programs can be shown, but traces and "
    "compiles are not counted. Run `pip install -U jupyter_jaxpr` when a newer version exists."
)


@pytest.mark.parametrize(
    ("lacks", "tier", "note", "programs"),
    [
        ((), "hooks", NEWER, ["ran f", "ran f"]),
        (("pjit.get_ctx_mesh",), "events", f"{NEWER} {EVENTS}", ["traced f"]),
        (("dispatch.JAXPR_TRACE_EVENT",), "inspection", f"{NEWER} {INSPECTION}", ["traced f"]),
        (("pjit.get_ctx_mesh", "monitoring.get_event_listeners"), "inspection", f"{NEWER} {INSPECTION}", ["traced f"]),
    ],
)
def test_a_newer_jax_runs_at_the_tier_of_its_self_test_and_says_so(
    lacks: tuple[str, ...], tier: str, note: str, programs: list[str], lacking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jax, "__version__", "0.99.1")
    notebook = lacking(*(row for row in MODULES if row.id in lacks))
    built = notebook.builds()
    notebook.run("import jax.numpy as jnp\n@jax.jit\ndef f(x):\n    return x * 2")
    ran = notebook.run("%%jaxpr\nf(jnp.ones(3))\nf(jnp.ones(4)).tolist()")
    assert ran.result.result == [2.0, 2.0, 2.0, 2.0]
    (built_run,) = built
    environment = built_run.document.environment
    assert (environment.tier, environment.jax, environment.tier_note) == (tier, "0.99.1", note)
    assert [
        f"{program.origin} {program.name}" for program in built_run.document.programs if not program.library
    ] == programs


def test_a_script_on_a_newer_jax_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "NEWEST_TESTED", (0, 9))
    observer().hooks.remove()
    with jupyter_jaxpr.observe() as ledger:
        jax.jit(lambda x: x + 5)(1.0)
    assert (ledger.note or "").startswith(f"This kernel has JAX {jax.__version__}, which is newer than the JAX")
    observer().hooks.remove()


def test_hooks_that_do_not_go_in_leave_jax_as_it_was(lacking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> None:
        raise TypeError("this JAX is another one")

    monkeypatch.setattr(Hooks, "_wrap", refuses)
    before = {row.id: getattr(facts.private(row.where), row.name) for row in MODULES if private_names.is_there(row)}
    notebook = lacking()
    built = notebook.builds()
    ran = notebook.run("%%jaxpr" + CELL)
    assert (ran.result.error_in_exec, repr(ran.result.result)) == (None, VALUES)
    assert built[0].document.environment.tier == "events"
    lists = {id for id in before if id.endswith("_listeners")}
    after = {id: getattr(facts.private(row.where), row.name) for row in MODULES if (id := row.id) in before}
    assert {id for id in before if before[id] is not after[id]} - lists == set()
