"""Tests that no text of an untrusted saved notebook is evaluated, whatever its reader presses."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from control_walk import ControlWalk
from jupyter_client.manager import start_new_kernel
from lab_server import code
from open_notebook import OpenNotebook
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.ones(64)"

# The cell produces contents for every tab: a loop, an unrolled loop with its rewrite, a print, a static argument.
DOUBLE = """\
@jax.jit
def inner(x):
    return x - 1

@jax.jit
def double(x, k=2):
    print("traced")
    for _ in range(40):
        x = jnp.sin(x)
    total, _ = jax.lax.scan(lambda c, y: (c + y, c * y), 0.0, x)
    return total * k

y = double(inner(x))"""
LIVE = f"%%jaxpr\n{DOUBLE}"
MEASURED = f"%%jaxpr --steps --time --transform grad,vmap\n{DOUBLE}"
SWEPT = "%jaxpr --sweep n=4,8 double(jnp.ones(n))"
COMPARED = "%jaxpr --compare double,inner double(x)"

MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"
SCHEMA = json.loads((Path(__file__).parent.parent / "jupyter_jaxpr" / "document" / "snapshot.schema.json").read_text())[
    "definitions"
]
# Fields whose texts are not free: `roles` has code letters, and the browser compares `sha256` with other fields.
CODED = {"roles", "sha256"}

Document = dict[str, Any]


def documents_of(*cells: str) -> Iterator[Document]:
    """Run cells in a new kernel, and yield the documents that they display."""
    manager, client = start_new_kernel()
    try:
        for cell in cells:
            shown: list[Document] = []

            def collect(message: dict[str, Any], shown: list[Document] = shown) -> None:
                data = message["content"].get("data", {})
                if MIME_TYPE in data:
                    shown.append(data[MIME_TYPE])

            reply = client.execute_interactive(cell, timeout=120, output_hook=collect)
            assert reply["content"]["status"] == "ok"
            yield from shown
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


# The walk over all controls closes every other page of its browser context, so each test has its own page.
pytestmark = [pytest.mark.slow, pytest.mark.fresh_page]


@pytest.fixture(scope="module")
def harmless() -> Document:
    """Return the saved document of a run with contents for every tab."""
    measured, swept, compared = documents_of(LOAD, MEASURED, SWEPT, COMPARED)
    variants = [{**variant, "program": -1} for variant in compared["comparison"]["variants"]]
    return measured | {"sweep": swept["sweep"], "comparison": compared["comparison"] | {"variants": variants}}


class Hostile:
    """Makes texts of Python code; if a kernel evaluates a text, this creates a file whose name identifies the text.

    Args:
        folder: The folder in which the files are created.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._fields: list[str] = []
        self._texts: dict[str, str] = {}

    def text(self, field: str) -> str:
        """Return code that creates a file for this field."""
        self._fields.append(field)
        return f"__import__('pathlib').Path({str(self.folder / str(len(self._fields) - 1))!r}).touch()"

    @property
    def evaluated(self) -> list[str]:
        """Return the fields whose text was evaluated."""
        return [self._fields[int(each.name)] for each in self.folder.iterdir()]

    def document(self, harmless: Document) -> Document:
        """Return a document in which such code replaces every text, except the function name `double`."""
        return self._value(copy.deepcopy(harmless), {"$ref": "#/definitions/Snapshot"}, "")

    def _value(self, value: Any, schema: dict[str, Any], field: str) -> Any:
        if "$ref" in schema:
            schema = SCHEMA[schema["$ref"].rpartition("/")[2]]
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            kind = {str: "string", list: "array", dict: "object"}.get(type(value), "")
            fitting = [each for each in map(resolved, choices) if each.get("type") == kind]
            return self._value(value, fitting[0], field) if fitting else value
        if isinstance(value, dict):
            fields = schema.get("properties", {})
            return {each: self._value(of, fields.get(each, {}), f"{field}.{each}") for each, of in value.items()}
        if isinstance(value, list):
            items = schema.get("items", {})
            kinds = items if isinstance(items, list) else schema.get("prefixItems") or [items] * len(value)
            return [self._value(of, kind, field) for of, kind in zip(value, kinds, strict=False)]
        is_any = schema.get("type") == "string" and not {"enum", "const"} & set(schema)
        if not isinstance(value, str) or not is_any or field.rpartition(".")[2] in CODED or value in ("double", ""):
            return value
        # Equal texts are replaced by equal texts, because the document refers to a file by its path.
        if value not in self._texts:
            attack = self.text(field)
            self._texts[value] = f"{value}  # {attack}" if "\n" in value else attack
        return self._texts[value]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    return SCHEMA[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def with_a_sweep(harmless: Document, hostile: Hostile) -> Document:
    """Return a hostile document of a run with a sweep; the form of the Time tab repeats this sweep."""
    document = hostile.document(harmless)
    sweep = document["sweep"]
    sweep.update(name="n", call=f"print({hostile.text('sweep.call')}, n)")
    sweep["functions"] = [f"print if {hostile.text('sweep.functions')} else print"]
    for number, point in enumerate(sweep["points"]):
        point.update(function=sweep["functions"][0], value=f"{hostile.text('sweep.points.value')} or {number + 1}")
    return document


def without_a_sweep(harmless: Document, hostile: Hostile) -> Document:
    """Return a hostile document without a sweep; the Time tab's form starts with the arguments of the saved call."""
    document = hostile.document(harmless)
    del document["sweep"]
    program = document["programs"][document["focus"]]
    (argument, *_) = harmless["programs"][harmless["focus"]]["arguments"]
    static = {**argument, "name": "k", "static": True, "type": hostile.text("arguments.type")}
    program["arguments"] = [{**argument, "type": "f32[64]"}, static]
    return document


def saved(document: Document) -> dict[str, Any]:
    """Return a cell with this document as the output of an earlier run."""
    data = {MIME_TYPE: document, "text/plain": "saved by an earlier run"}
    return code("%%jaxpr", [{"output_type": "display_data", "data": data, "metadata": {}}], 7)


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    folder = tmp_path / "evaluated"
    folder.mkdir()
    return Hostile(folder)


# --- the actions of a user ---------------------------------------------------------------------------------

_RUN = """async ([path, id]) => {
  const { shell, commands } = window.jupyterapp;
  const panel = [...shell.widgets('main')].find(widget => widget.context?.path === path);
  shell.activateById(panel.id);
  const { content } = panel;
  // The keyboard may be in a cell that the panel inserted.
  content.mode = 'command';
  content.activeCellIndex = content.widgets.findIndex(cell => cell.model.id === id);
  await commands.execute('notebook:run-cell');
}"""
_GO_ON = """async () => {
  const { commands } = window.jupyterapp;
  for (const id of ['jupyter-jaxpr:toggle-pin', 'jupyter-jaxpr:toggle-pause']) {
    if (commands.isToggled(id)) {
      await commands.execute(id);
    }
  }
}"""


class Reader:
    """Acts as a user. Cell 0 loads the extension, cell 1 has the hostile output, cell 2 is the user's own."""

    def __init__(self, nb: OpenNotebook) -> None:
        self.nb = nb
        # The wide view has the class jp-JaxprPanel, too, so the panel is found by its id.
        self.panel = nb.page.locator("#jupyter-jaxpr-panel")
        self.saved = self.panel.locator(".jp-JaxprPanel-run").filter(has_text="saved copy")
        self.chooser = self.panel.get_by_title("Choose a program")

    def runs(self, index: int) -> None:
        """Run one of the first three cells, found by its id, because cells may have been inserted between them."""
        self.nb.page.evaluate(_RUN, [self.nb.name, f"cell-{index}"])

    def opens_the_output(self) -> None:
        """Show the program `double` of the saved run, unless the panel already shows it."""
        if not self.saved.count():
            self.nb.page.evaluate(_GO_ON)
            self.nb.outputs(1).get_by_role("button").click()
            expect(self.saved).to_be_visible()
        if self.chooser.inner_text() != "double":
            self.chooser.click()
            self.panel.get_by_role("option", name=re.compile(r"^double\b")).first.click()
            expect(self.chooser).to_have_text("double")

    def runs_the_cell(self) -> None:
        """Show the program `double` of a run of this kernel, unless the panel already shows it."""
        in_view = self.chooser.inner_text() if self.chooser.count() else ""
        if self.saved.count() or in_view != "double":
            self.nb.page.evaluate(_GO_ON)
            self.runs(2)
            expect(self.chooser).to_have_text("double")
            expect(self.saved).to_have_count(0)

    def inserted(self) -> list[dict[str, Any]]:
        """Return the cells that buttons of the panel have inserted into the notebook."""
        return [cell for cell in self.nb.save()["cells"] if not re.fullmatch(r"cell-\d", cell["id"])]


def field(nb: OpenNotebook, name: str):
    return nb.panel.get_by_role("textbox", name=name)


def test_no_control_of_a_saved_run_evaluates_text_of_the_document(notebook, harmless, hostile):
    nb = notebook(LOAD, saved(with_a_sweep(harmless, hostile)), LIVE)
    reader = Reader(nb)
    reader.runs(0)
    used = ControlWalk(nb.page, reader.panel, reader.opens_the_output).all()
    for control in ("time: Run the sweep", "notes: Copy rewrite", "compare: Compare", "cost: Heat"):
        assert control in used
    reader.runs(0)
    assert hostile.evaluated == []


def test_no_control_of_a_live_run_beside_it_evaluates_text_of_the_document(notebook, harmless, hostile):
    nb = notebook(LOAD, saved(with_a_sweep(harmless, hostile)), LIVE)
    reader = Reader(nb)
    reader.runs(0)
    reader.opens_the_output()
    reader.runs_the_cell()
    used = ControlWalk(nb.page, reader.panel, reader.runs_the_cell).all()
    for control in (
        "time: Time the calls",
        "time: Run the sweep",
        "notes: Insert a cell with a comparison",
        "compare: Compare",
    ):
        assert control in used
    reader.runs(0)
    assert hostile.evaluated == []
    # The inserted cells have not run, and contain no text of the document.
    inserted = reader.inserted()
    assert inserted
    for cell in inserted:
        assert cell["execution_count"] is None
        assert str(hostile.folder) not in cell["source"]


@pytest.mark.parametrize(
    ("attack", "summary"),
    [
        (with_a_sweep, "Run another sweep …"),
        (without_a_sweep, "Sweep over sizes …"),
    ],
)
def test_an_edit_of_one_field_does_not_send_the_others(notebook, harmless, hostile, attack, summary):
    nb = notebook(LOAD, saved(attack(harmless, hostile)), LIVE)
    reader = Reader(nb)
    reader.runs(0)
    reader.opens_the_output()
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_text(summary).click()
    for name in ("Values", "Call", "Functions"):
        expect(field(nb, name)).to_have_value("")
    told = nb.panel.get_by_text(re.compile("^The saved sweep called .*To repeat the sweep, type the call.$"))
    expect(told).to_have_count(1 if attack is with_a_sweep else 0)
    field(nb, "Values").fill("n=1,2")
    reader.runs_the_cell()
    nb.panel.get_by_role("tab", name="Time").click()
    # The typed values stay; the other fields now have the call of this kernel's run.
    expect(field(nb, "Values")).to_have_value("n=1,2")
    expect(field(nb, "Call")).to_have_value("double(jnp.ones(n))")
    expect(field(nb, "Functions")).to_have_value("")
    nb.panel.get_by_role("button", name="Run the sweep").click()
    expect(nb.panel.get_by_role("heading", name="Sweep over n")).to_contain_text("double(jnp.ones(n))", timeout=60_000)
    assert hostile.evaluated == []


def test_what_the_user_types_is_evaluated(notebook, hostile):
    """Checks the method of the other tests: code that the user types is evaluated, and `hostile.evaluated` shows it."""
    nb = notebook(LOAD, "", LIVE)
    reader = Reader(nb)
    reader.runs(0)
    reader.runs_the_cell()
    nb.panel.get_by_role("tab", name="Time").click()
    expect(field(nb, "Call")).to_have_value("double(jnp.ones(n))")
    field(nb, "Values").fill("n=1,2")
    field(nb, "Call").fill(f"double(jnp.ones(n), k={hostile.text('typed')} or 2)")
    nb.panel.get_by_role("button", name="Run the sweep").click()
    expect(nb.panel.get_by_role("heading", name="Sweep over n")).to_be_visible(timeout=60_000)
    assert hostile.evaluated == ["typed"]


def test_a_call_of_an_earlier_kernel_is_shown_and_not_filled_in(notebook):
    nb = notebook(LOAD, LIVE, SWEPT)
    nb.run_all()
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_text("Run another sweep …").click()
    expect(field(nb, "Call")).to_have_value("double(jnp.ones(n))")
    nb.restart_kernel()
    for name in ("Values", "Call", "Functions"):
        expect(field(nb, name)).to_have_value("")
    expect(nb.panel).to_contain_text(
        "The sweep of an earlier kernel called double(jnp.ones(n)) with n=4,8. To repeat the sweep, type the call."
    )
