"""Tests the text of a program's source files: the text that ran, or a sentence on why it is missing."""

import importlib
import itertools
import linecache
import sys

import jax.numpy as jnp
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.program.source import source_files
from jupyter_jaxpr.program.source.source_files import NoText, source_text
from jupyter_jaxpr.wire.answers import Answers
from jupyter_jaxpr.wire.runs import Runs

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
    """Return a function that writes a module of the user's and imports it."""
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
    """Return a run of a function in a file."""
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
    # For a library, the document has the functions that ran, without the other thousand lines.
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


def test_code_that_a_program_wrote_has_the_text_it_left():
    text = "def made(x):\n    return x\n"
    name = "<generated by a test>"
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    code = namespace["made"].__code__
    with pytest.raises(NoText, match=r"<generated by a test> is generated code: there is no file to show\."):
        source_text(name, [code])
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    try:
        assert source_text(name, [code]).stretches[0].lines == ["def made(x):", "    return x"]
    finally:
        del linecache.cache[name]


def test_what_cannot_be_checked_is_not_given(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(NoText, match=r"It is unknown which code of a\.py ran"):
        source_text(str(path), [])


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "data.py"
    path.write_text("x = 1\n" + "#" * source_files.LARGEST, encoding="utf-8")
    with pytest.raises(NoText, match=r"^data\.py is larger than 4 MB\. Open the file in an editor\.$"):
        source_text(str(path), [])
