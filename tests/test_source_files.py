"""Tests the text of a program's source files: the text that ran, or a sentence on why it is missing."""

import ast
import doctest
import importlib
import itertools
import linecache
import sys
import textwrap
import types

import jax
import jax.numpy as jnp
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.program.source import cut_source_text
from jupyter_jaxpr.program.source.cut_source_text import NoText, source_text
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs

pytestmark = pytest.mark.any_jax

LAYERS = """\
import jax


def dense(w, x):
    y = x @ w
    return jax.nn.relu(y)


def unused(x):
    return x
"""

CHANGED = (
    "{name} has changed since its import, so its lines are not the lines that ran. Restart the kernel or import the "
    "module again, then run the cell again."
)

numbers = itertools.count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that writes a module with this text and imports it."""
    monkeypatch.syspath_prepend(tmp_path)
    module_names = []

    def module(text):
        name = f"layers_{next(numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        module_names.append(name)
        return importlib.import_module(name), path

    yield module
    for name in module_names:
        sys.modules.pop(name, None)


@pytest.fixture
def dense(module):
    """Return the snapshot of a function in an imported module, and the path of the module."""
    loaded, path = module(LAYERS)
    snapshot = jj.inspect(loaded.dense, jnp.ones((3, 4)), jnp.ones((2, 3)), stage="trace")
    assert snapshot._sources is not None
    return snapshot, path


def page(snapshot, path):
    return snapshot._sources.source_page(str(path))


def test_a_file_is_given_as_it_ran(dense):
    snapshot, path = dense
    file_page = page(snapshot, path)
    assert file_page.missing is None
    assert file_page.path == str(path)
    assert file_page.lines == 10
    assert [(stretch.first_line, stretch.text) for stretch in file_page.stretches] == [(1, LAYERS.rstrip("\n"))]


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda text: text.replace("x @ w", "w @ x"), id="another expression"),
        pytest.param(lambda text: "\n" + text, id="a line above"),
        pytest.param(lambda text: text.replace("    return jax", "\n    return jax"), id="a line inside"),
        pytest.param(lambda text: text.replace("dense", "dens"), id="another name"),
        pytest.param(lambda text: "def (:\n", id="no Python"),
        pytest.param(lambda text: "", id="nothing"),
    ],
)
def test_a_file_that_changed_since_it_was_imported_is_not_given(dense, edit):
    snapshot, path = dense
    path.write_text(edit(LAYERS), encoding="utf-8")
    file_page = page(snapshot, path)
    assert file_page.stretches == []
    assert file_page.missing == CHANGED.format(name=path.name)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda text: text + "\n\ndef more(x):\n    return x\n", id="a function below"),
        pytest.param(lambda text: text.replace("    return x\n", "    return -x\n"), id="a function that did not run"),
        pytest.param(lambda text: text.replace("x @ w\n", "x @ w  # the layer\n"), id="a comment"),
    ],
)
def test_a_file_that_changed_elsewhere_is_given(dense, edit):
    snapshot, path = dense
    text = edit(LAYERS)
    path.write_text(text, encoding="utf-8")
    file_page = page(snapshot, path)
    assert file_page.missing is None
    assert file_page.stretches[0].text == text.rstrip("\n")


def test_a_file_that_is_gone_is_told(dense):
    snapshot, path = dense
    path.unlink()
    assert page(snapshot, path).missing == (
        f"The kernel cannot read {path.name}. The file may have moved since the run."
    )


def test_of_a_long_file_the_functions_that_ran_are_given(module):
    head = "import jax\n" + "# far\n" * 2500
    loaded, path = module(head + LAYERS.removeprefix("import jax\n"))
    snapshot = jj.inspect(loaded.dense, jnp.ones((3, 4)), jnp.ones((2, 3)), stage="trace")
    file_page = page(snapshot, path)
    assert file_page.lines == 2510
    assert [(stretch.first_line, stretch.text.split("\n")) for stretch in file_page.stretches] == [
        (
            2501,
            [
                "# far",
                "",
                "",
                "def dense(w, x):",
                "    y = x @ w",
                "    return jax.nn.relu(y)",
                "",
                "",
                "def unused(x):",
            ],
        )
    ]


def test_the_encoding_of_a_file_is_its_own(module):
    text = "# -*- coding: latin-1 -*-\ndef über(x):\n    return x * 2\n"
    loaded, path = module("\n")
    path.write_bytes(text.encode("latin-1"))
    loaded = importlib.reload(loaded)
    snapshot = jj.inspect(loaded.über, 1.0, stage="trace")
    assert page(snapshot, path).stretches[0].text == text.rstrip("\n")


def test_a_library_can_be_opened(dense):
    snapshot, _ = dense
    (path,) = (file.path for file in snapshot.document.files if file.path.endswith("nn/functions.py"))
    assert path == "jax/_src/nn/functions.py"
    file_page = page(snapshot, path)
    assert file_page.missing is None
    # Of a library's file, only the functions that ran are in the document, not all of its thousand lines.
    assert "def relu(" in "\n".join(stretch.text for stretch in file_page.stretches)
    assert sum(stretch.text.count("\n") + 1 for stretch in file_page.stretches) < 0.2 * file_page.lines


def test_no_other_file_is_ever_read(dense, tmp_path):
    snapshot, path = dense
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    assert page(snapshot, tmp_path / "secret.txt") is None
    runs = Runs()
    runs.keep(Built(snapshot.document, snapshot._sources))
    request = {"type": "source", "id": 3, "snapshot": snapshot.document.id}
    reply = Answers(runs).answer({**request, "path": str(tmp_path / "secret.txt")})
    assert reply.reason == "This run does not have the text of the file. Run the cell again."
    reply = Answers(runs).answer({**request, "path": str(path)})
    assert reply.result.stretches[0].text == LAYERS.rstrip("\n")


CELL = """\
import jax
import jupyter_jaxpr as jj


def double(x):
    return jax.lax.mul(x, 2.0)


jj.inspect(double, 1.0, stage="trace")
"""


@pytest.fixture
def cell():
    """Return a function that runs a text as notebook hosts do: without a file, and the last expression separately."""
    names = []

    def cell(text, name, kept=True):
        if kept:
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            names.append(name)
        module = ast.parse(text)
        last = ast.Expression(module.body.pop().value)
        namespace = {}
        exec(compile(module, name, "exec", dont_inherit=True), namespace)
        return eval(compile(last, name, "eval", dont_inherit=True), namespace)

    yield cell
    for name in names:
        linecache.cache.pop(name, None)


@pytest.mark.parametrize("name", ["/tmp/marimo_1/__marimo__cell_MJUe_.py", "<a text of the user>"])
def test_a_cell_without_a_file_has_the_text_that_python_keeps(cell, name):
    snapshot = cell(CELL, name)
    # The text that Python keeps for this name then changes, as when marimo runs an edited cell again.
    linecache.cache[name] = (7, None, ["x = 1\n"], name)
    cell_page = page(snapshot, name)
    assert cell_page.missing is None
    assert [(stretch.first_line, stretch.text) for stretch in cell_page.stretches] == [(1, CELL.rstrip("\n"))]


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("/gone/cell_7.py", "The kernel cannot read cell_7.py. The file may have moved since the run."),
        ("<string>", "<string> is not a file, and Python did not keep the text of its code."),
    ],
)
def test_a_cell_whose_text_python_did_not_keep_says_so(cell, name, missing):
    linecache.cache.pop(name, None)
    assert page(cell(CELL, name, kept=False), name).missing == missing


def test_a_cell_has_no_text_of_other_code_of_its_name(cell):
    name = "<one name for all>"
    linecache.cache[name] = (7, None, ["x = 1\n"], name)
    assert page(cell(CELL, name, kept=False), name).missing == (
        "Python has another text of <one name for all> than the text that ran. Run the code again."
    )
    del linecache.cache[name]


NOTEBOOK = """\
import marimo

app = marimo.App()


@app.cell
def _(jax, jj):
    def double(x):
        return jax.lax.mul(x, 2.0)

    snapshot = jj.inspect(double, 1.0, stage="trace")
    snapshot
    return (snapshot,)
"""


def test_a_notebook_of_marimo_that_runs_as_an_app_has_its_lines_and_no_columns(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "marimo", types.ModuleType("marimo"))
    path = tmp_path / "app.py"
    path.write_text(NOTEBOOK, encoding="utf-8")
    # marimo compiles the text of the cell without its indentation, but with the line numbers of the file.
    cell = ast.parse(textwrap.dedent("".join(NOTEBOOK.splitlines(True)[7:12])))
    last = cell.body.pop()
    ast.increment_lineno(cell, 7)
    namespace = {"jax": jax, "jj": jj}
    exec(compile(cell, str(path), "exec", dont_inherit=True), namespace)
    assert isinstance(last, ast.Expr)
    snapshot = namespace["snapshot"]

    file_page = page(snapshot, path)
    assert file_page.missing is None
    assert [stretch.text for stretch in file_page.stretches] == [NOTEBOOK.rstrip("\n")]
    frames = [(frame.line, frame.column) for frame in snapshot.document.frames]
    assert (9, -1) in frames
    assert {column for _, column in frames} == {-1}

    path.write_text(NOTEBOOK.replace("2.0", "3.0"), encoding="utf-8")
    assert page(snapshot, path).missing == CHANGED.format(name="app.py")


def test_an_example_of_doctest_has_its_text():
    example = """
    >>> jj.inspect(lambda x: x * 2.0, 1.0, stage="trace")._sources.source_page("<doctest doubled[0]>").stretches
    [SourceStretch(first_line=1, text='jj.inspect(lambda x: x * 2.0, 1.0, stage="trace")...stretches')]
    """
    test = doctest.DocTestParser().get_doctest(example, {"jj": jj}, "doubled", "example", 1)
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert said == []


def test_the_text_of_a_cell_is_checked_as_the_text_of_a_file_is():
    text = "def made(x):\n    return x\n"
    name = "<generated by a test>"
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    code = namespace["made"].__code__
    assert source_text(name, [code], unfiled=text).stretches[0].lines == ["def made(x):", "    return x"]
    with pytest.raises(NoText, match=r"^Python has another text of <generated by a test> than the text that ran\."):
        source_text(name, [code], unfiled="def (:\n")
    with pytest.raises(NoText, match=r"^It is unknown which code of <generated by a test> ran, so"):
        source_text(name, [], unfiled=text)


def test_what_cannot_be_checked_is_not_given(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(NoText, match=r"It is unknown which code of a\.py ran"):
        source_text(str(path), [])


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "data.py"
    path.write_text("x = 1\n" + "#" * cut_source_text.LARGEST, encoding="utf-8")
    with pytest.raises(
        NoText, match=r"^The panel does not show data\.py: the file is larger than 4 MB\. Open the file in an editor\.$"
    ):
        source_text(str(path), [])
