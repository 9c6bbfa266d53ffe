"""Tests that own traces change no object of the user: a hundred functions with side effects, traced in several ways."""

from __future__ import annotations

import contextlib
import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
import stable_sample
from conftest import Notebook
from side_effects import hidden
from side_effects.world import EFFECTS, PURE, WORLD, state_of

import jupyter_jaxpr as jj
from jupyter_jaxpr.magic.cell_observer import CellObserver
from jupyter_jaxpr.observe.side_effects.proof import side_effects
from jupyter_jaxpr.observe.side_effects.saved_state import SavedState

pytestmark = pytest.mark.any_jax


class World:
    """A notebook in which the cell of `side_effects/world.py` can run again and again, each time with new objects."""

    def __init__(self, notebook: Notebook, code: types.CodeType, empty: dict[str, Any], folder: Path) -> None:
        self.notebook = notebook
        self._code = code
        self._empty = empty
        self._folder = folder
        self._worlds = 0
        self._names: set[str] = set()
        self.folder = folder

    def begin(self) -> None:
        """Make all objects of the world anew, with a new folder for files."""
        import os

        os.environ.pop("JUPYTER_JAXPR_TEST", None)
        log = self.notebook.shell.user_ns.get("LOG")
        if log is not None:
            log.close()
        # IPython's `%reset` would do the same, but collects garbage, which takes longer than making the world.
        names = self.notebook.shell.user_ns
        names.clear()
        names.update(self._empty)
        self._worlds += 1
        self.folder = self._folder / str(self._worlds)
        self.folder.mkdir()
        before = set(names)
        names["FOLDER"] = str(self.folder)
        exec(self._code, names)
        self._names = set(names) - before

    def state(self) -> dict[str, Any]:
        names = self.notebook.shell.user_ns
        by_name = {name: value for name, value in names.items() if name in self._names or name == "FRESH"}
        state = state_of(by_name, self.folder)
        state.pop("FOLDER")
        return state


@pytest.fixture(scope="module")
def shared_notebook() -> Iterator[Notebook]:
    """Yield one shell for all tests of this file."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config({"HistoryManager": {"hist_file": ":memory:"}, "InteractiveShell": {"colors": "nocolor"}})
    shell = InteractiveShell.instance(config=config)
    shell.run_line_magic("load_ext", "jupyter_jaxpr")
    yield Notebook(shell)
    with contextlib.suppress(KeyError):
        shell.user_ns["LOG"].close()
    shell.run_line_magic("unload_ext", "jupyter_jaxpr")
    shell.restore_sys_module_state()
    InteractiveShell.clear_instance()


@pytest.fixture(scope="module")
def world_code(shared_notebook: Notebook) -> types.CodeType:
    """Return the compiled code of the cell that makes the world, because compiling its 720 lines takes long."""
    return compile(WORLD, shared_notebook.shell.compile.cache(WORLD, number=1), "exec")


@pytest.fixture(scope="module")
def empty_namespace(shared_notebook: Notebook) -> dict[str, Any]:
    """Return the names of the shell before the first world."""
    return dict(shared_notebook.shell.user_ns)


@pytest.fixture
def world(
    shared_notebook: Notebook, world_code: types.CodeType, empty_namespace: dict[str, Any], tmp_path: Path
) -> World:
    return World(shared_notebook, world_code, empty_namespace, tmp_path)


@pytest.fixture(scope="module")
def pure_world(
    shared_notebook: Notebook,
    world_code: types.CodeType,
    empty_namespace: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> World:
    shared_world = World(shared_notebook, world_code, empty_namespace, tmp_path_factory.mktemp("world"))
    shared_world.begin()
    return shared_world


@pytest.mark.parametrize("name", [pytest.param(name, marks=stable_sample.marks(name, newest=3)) for name in EFFECTS])
def test_a_function_with_effects_is_called_once_and_traced_only_on_request(world: World, name: str) -> None:
    call = f"{name}(x)"
    world.begin()
    before = world.state()
    assert world.notebook.run(call).result.success
    after = world.state()
    assert after != before, "the function has an effect"

    # Under the magic, the cell changes the world in the same way as without it.
    world.begin()
    retraces: list[Any] = []
    publisher = CellObserver.of(world.notebook.shell).publisher
    publish = publisher.publish
    publisher.publish = lambda built: retraces.append((built.document, built.retrace)) or publish(built)
    ran = world.notebook.run(f"%%jaxpr\n{call}")
    assert ran.result.success
    assert world.state() == after
    document, retrace = retraces.pop()
    assert [program.name for program in document.programs if program.origin == "traced"] == []
    if any(program.origin == "ran" for program in document.programs):
        retrace = None  # the function is jitted, so the panel shows the program that ran and offers no trace
    else:
        check_offer(document, call)

    # Calling `retrace` does the same as a press on the button of the offer.
    if retrace is not None:
        retrace()
        retraces.clear()
        if ran.document["retrace"]["undoable"]:
            assert world.state() == after
    publisher.publish = publish  # type: ignore[method-assign]

    # These cells request a trace by name. The traces do not call the function, so the world stays unchanged.
    for cell in (f"%jaxpr {call}", f"%jaxpr {call} --transform grad"):
        world.begin()
        world.notebook.run(cell)
        assert world.state() == before, cell
    for make in (lambda fun: fun, jax.jit):
        world.begin()
        fun = eval(name, world.notebook.shell.user_ns)
        with contextlib.suppress(jj.EffectsError, TypeError):
            jj.inspect(make(fun), world.notebook["x"], stage="trace")
        assert world.state() == before, make


def check_offer(document: Any, call: str) -> None:
    """Check that the document names a line with a side effect and offers to trace the call."""
    assert document.retrace.call == call
    (note,) = [note for note in document.notes if note.kind == "not_traced"]
    assert document.frames[note.frame].line > 0
    name, _, why = note.text.partition(" ")
    assert why.startswith(
        f"ran without jit and was not traced, because a trace runs the Python of {name} a second time. Line "
    )


@pytest.mark.parametrize("call", PURE)
def test_a_function_without_effects_is_traced(pure_world: World, call: str) -> None:
    ran = pure_world.notebook.run(f"%%jaxpr\n{call}")
    assert "not_traced" not in ran.notes, ran.note("not_traced")["text"]
    # If the call runs a jitted function, the panel shows this function's program in place of a trace.
    assert {program["origin"] for program in ran.document["programs"]} & {"traced", "ran"}


@pytest.fixture
def hidden_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[types.ModuleType]:
    lines = [f"def function_{number}(x):\n    {text}\n" for number, text in enumerate(hidden.expressions())]
    (tmp_path / "hidden_world.py").write_text(hidden.WORLD + "\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("hidden_world")
    del sys.modules["hidden_world"]


def test_no_hidden_effect_is_taken_for_none(hidden_world: types.ModuleType) -> None:
    functions = [getattr(hidden_world, f"function_{number}") for number in range(len(hidden.expressions()))]
    x = jax.numpy.ones(3)
    by_name = dict(zip(hidden.expressions(), (side_effects(function, (x,), {}) for function in functions), strict=True))
    assert [text for text, effects in by_name.items() if not effects] == []
    for function in functions:
        SavedState(function, (x,), {}).restore()
    assert hidden_world.seen == []  # neither the search for side effects nor the saving of state runs user code


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_trace_that_is_asked_for_leaves_no_hidden_effect(hidden_world: types.ModuleType) -> None:
    before = hidden.state_of(hidden_world)
    for number, text in enumerate(hidden.expressions()):
        with contextlib.suppress(Exception):
            jj.inspect(getattr(hidden_world, f"function_{number}"), jax.numpy.ones(3), stage="trace")
        assert hidden.state_of(hidden_world) == before, text


def writes(x: Any) -> Any:
    with open("/dev/null", "a") as file:
        file.write("x")
    return x


def test_an_error_names_the_line_that_cannot_be_undone() -> None:
    line = writes.__code__.co_firstlineno + 1
    with pytest.raises(jj.EffectsError) as caught:
        jj.inspect(writes, jax.numpy.ones(3), stage="trace")
    assert str(caught.value) == (
        f"The Python code of writes did not run again. Line {line} of test_side_effects.py calls open, which may "
        "change files, processes, connections, queues or threads. This side effect cannot be undone."
    )
