"""Tests the setting that keeps the user's values out of saved outputs and exports."""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from conftest import Notebook

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.copies.without_values import LEFT_OUT, as_saved, without_values
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.types.document import Snapshot
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.parts_of_saved_output import bundle
from jupyter_jaxpr.magic.cell_observer import CellObserver
from jupyter_jaxpr.wire.messages import Answered

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"
FUZZED = Path(__file__).parent / "fuzz" / "documents"
OFF = "%config JaxprMagics.values = False"

# The fields whose texts stay in a document without values. If a field is added here, its texts must not contain values.
STAYS = {
    # Fields on the identity, the environment, the cell, the files and the machine.
    *("Snapshot.id", "Snapshot.title", "Environment.*", "Cell.*", "File.*", "Machine.*"),
    # Fields with names and types of programs, and with the parameters of equations as JAX prints them.
    *("Aval.*", "Argument.name", "Argument.type", "Argument.summary", "Program.*", "Summary.*", "Level.sha256"),
    *("Snapshot.strings", "Snapshot.cut", "Scope.names"),
    # Fields of notes and reasons of known kinds; sentences of unknown kinds are left out.
    *("Note.kind", "LedgerReason.kind", "LedgerReason.argument", "LedgerFunction.name", "LedgerMiss.outcome_text"),
    *("LedgerMiss.signature", "LedgerEntry.signature", "Ledger.library_functions", "Ledger.calls_note", "Ledger.lead"),
    # Fields with names, types, sizes and counts in cards, costs, shardings and passes.
    *("Slot.path", "Branch.label", "Branch.name", "Control.*"),
    *("CostRow.label", "CostNode.label", "CostDifference.text", "XlaCost.text", "ProgramCost.*"),
    *("LiveBuffer.name", "LiveBuffer.type", "Residual.type", "Residual.name", "Memory.peak_text"),
    *("MeshAxis.name", "Layout.kind", "Layout.spec", "SpreadArray.*", "Cause.*", "Collective.*", "ProgramShardings.*"),
    *("XlaPass.name", "XlaPass.pipeline", "ProgramPasses.*", "ExactLevel.words", "ExactLinks.*"),
    *("ScopeRoles.*", "KeptValue.*", "TransformPart.*", "Transform.words"),
    # Fields with times, and with the texts that the user typed for sweeps and comparisons.
    *("ProgramTiming.sentence", "SweepPoint.function", "SweepPoint.value", "SweepFit.function", "SweepFit.sentence"),
    *("Sweep.name", "Sweep.call", "Sweep.functions", "Variant.name", "VariantComparison.call"),
}


def of_type(kind: Any, place: str) -> Any:
    """Return a value of this type, in which each text is the place of its field."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return of_type(arguments[0], place)
    if origin is Literal:
        return arguments[0]
    if origin in (types.UnionType, Union):
        return of_type(next(argument for argument in arguments if argument is not type(None)), place)
    if origin is list:
        return [of_type(arguments[0], place)]
    if origin is tuple:
        return tuple(of_type(argument, place) for argument in arguments)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return made(kind)
    if kind is str:
        return f"S3CRET<{place}>"
    return {int: 0, float: 0.5, bool: False}[kind]


def made(struct: type[msgspec.Struct]) -> Any:
    hints = get_type_hints(struct, include_extras=True)
    fields = {name: of_type(hints[name], f"{struct.__name__}.{name}") for name in struct.__struct_fields__}
    return struct(**fields)


def whole() -> Snapshot:
    """Return a document with an object of each kind, in which each field for a text has a text."""
    document = made(Snapshot)
    document = msgspec.structs.replace(
        document, values="live", strings=[*document.strings, "S3CRET<literal>", "x='S3CRET<parameter>'"]
    )
    (literal,), ((parameter,),) = document.literals, document.parameter_lists
    return msgspec.structs.replace(
        document,
        literals=[msgspec.structs.replace(literal, text=1)],
        parameter_lists=[[msgspec.structs.replace(parameter, value=2)]],
    )


def places(text: str) -> set[str]:
    return {part.partition(">")[0] for part in text.split("S3CRET<")[1:]}


def stays(place: str) -> bool:
    return place in STAYS or f"{place.partition('.')[0]}.*" in STAYS


def test_each_text_of_the_format_stays_or_goes_as_it_is_written_here() -> None:
    document = whole()
    before = places(encode(document).decode())
    assert {"Argument.type", "Note.text", "Leaf.texts", "literal", "parameter", "Variant.result"} <= before
    after = places(encode(without_values(document)).decode())
    assert {place for place in after if not stays(place)} == set()


def test_a_document_says_that_values_are_left_out_and_reads_again() -> None:
    for file in sorted([*FIXTURES.glob("*-0.12.json"), *FUZZED.glob("*.json")]):
        document = msgspec.structs.replace(read(file.read_text("utf-8")), values="live")
        saved = as_saved(document)
        assert (saved.values, saved.cut is not None and saved.cut.startswith(LEFT_OUT)) == ("left_out", True)
        assert as_saved(saved) is saved is without_values(saved)
        assert read(encode(saved)) == saved
        assert len(saved.programs) == len(document.programs)
        cut = json.loads(json.dumps(bundle(document, 4_000)))["application/vnd.jupyter-jaxpr.v1+json"]["cut"]
        assert cut.startswith(LEFT_OUT)


def test_a_document_under_no_setting_is_saved_as_it_is() -> None:
    document = read((FIXTURES / "rnn-0.12.json").read_text("utf-8"))
    assert as_saved(document) is document


SETUP = """\
import functools, jax, jax.numpy as jnp
secret, number = "_".join(["S3CRET", "VALUE"]), float("98" + "7654.25")
scale = number
@functools.partial(jax.jit, static_argnames="mode")
def f(x, mode):
    print(mode)
    return x * scale
"""
CELLS = {
    "static values, and what is printed": "y = f(jnp.ones(3), mode=secret + '1'), f(jnp.ones(3), mode=secret)",
    "a value that changed": "scale = number\nf(jnp.ones(3), mode='a')\nscale = number + 1\nf(jnp.ones(3), mode='a')",
    "an error": "def g(x):\n    raise ValueError(secret, number)\njax.jit(g)(1.0)",
    "a static argument that is not hashable": "f(jnp.ones(3), mode=[secret])",
    "an argument of another kind": "jax.jit(lambda x: x)(secret)",
    "steps": "jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, v: v + number, x))(number)",
    "a callback": "jax.jit(lambda x: jax.debug.print(secret + ' {}', x))(1.0)",
    "a result": "jnp.float32(number) + 1",
    "what was passed to a partial": "jax.jit(functools.partial(lambda s, x: x * number, secret))(1.0)",
}
CELLS["a condition"] = "jax.jit(lambda x: jax.lax.while_loop(lambda v: v < number, lambda v: v * number, x))(1.0)"
CELLS["a comparison"] = "def a(x):\n    return x * number\ndef b(x):\n    return x * scale + 1\na(number)"
OPTIONS = {"steps": " --steps --time", "a comparison": " --compare a,b", "a condition": " --transform grad"}
# The values as Python, JAX, StableHLO and XLA print them.
TEXTS = ("S3CRET_VALUE", "987654", "987655", "9.8765", "0x49712")


@pytest.fixture
def hiding(make_notebook: Callable[..., Notebook]) -> Notebook:
    notebook = make_notebook()
    notebook.run(f"{OFF}\n{SETUP}")
    return notebook


@pytest.mark.parametrize("name", CELLS)
def test_no_value_is_in_what_is_saved(hiding: Notebook, tmp_path: Path, name: str) -> None:
    from IPython.utils.capture import capture_output

    options = OPTIONS.get(name, "")
    built = hiding.builds()
    with capture_output() as captured:
        hiding.shell.run_cell(f"%%jaxpr{options}\n{CELLS[name]}", store_history=True)
    texts = [json.dumps(output.data) for output in captured.outputs if any("jaxpr" in kind for kind in output.data)]
    assert len(texts) == 1
    snapshot = jj.last().snapshot
    assert snapshot is not None
    for ending in (".json", ".html", ".md"):
        snapshot.save(tmp_path / f"run{ending}")
        texts.append((tmp_path / f"run{ending}").read_text("utf-8"))
    texts += [snapshot.to_json(), json.dumps(snapshot.to_dict()), repr(snapshot), json.dumps(bundle(snapshot.document))]
    texts += [page(built[-1].sources.with_texts(whole=True)), markdown(built[-1].document)]
    rows = [
        (hidden_text, text[max(0, text.find(hidden_text) - 60) :][:120])
        for text in texts
        for hidden_text in TEXTS
        if hidden_text in text
    ]
    assert rows == []
    # The live panel does show the values.
    assert any(text in encode(built[-1].document).decode() for text in TEXTS)


def test_the_setting_counts_for_exports_of_earlier_runs_and_of_inspections_too(
    make_notebook: Callable[..., Notebook],
) -> None:
    notebook = make_notebook()
    ran = notebook.run(f"{SETUP}\nNone\n")
    ran = notebook.run("%%jaxpr\ny = f(jnp.ones(3), mode=secret)")
    assert "S3CRET_VALUE" in json.dumps(ran.document)
    notebook.run(OFF)
    snapshot = jj.last().snapshot
    inspected = jj.inspect(lambda x: x * notebook["number"], 1.0, stage="trace")
    assert snapshot is not None and "S3CRET_VALUE" not in snapshot.to_json()
    assert "987654" in str(inspected.text()) and "987654" not in inspected.to_json()
    notebook.run("%config JaxprMagics.values = True")
    assert "S3CRET_VALUE" in snapshot.to_json()


def test_what_stands_in_the_place_of_values(hiding: Notebook) -> None:
    document = hiding.run(f"%%jaxpr\n{CELLS['static values, and what is printed']}").document
    assert document["cut"] == LEFT_OUT
    arguments = [[argument["type"] for argument in program["arguments"]] for program in document["programs"]]
    assert [argument for argument in arguments if len(argument) == 2] == [["f32[3]", "not saved"]] * 2
    function = document["ledger"]["functions"][0]
    assert [miss["signature"] for miss in function["misses"]][-2:] == ["x: f32[3], mode=…"] * 2
    changed = function["misses"][-1]["reasons"][0]
    assert (changed["kind"], changed["argument"], changed["before"], changed["after"]) == (
        "static_value",
        "mode",
        "not saved",
        "not saved",
    )
    assert changed["text"] == "The value of a static argument changed. The values of the call are not saved."
    assert "The text of this note is not saved." in [note["text"] for note in document["notes"]]


def test_the_setting_of_the_page_leaves_values_out_and_the_kernel_s_own_setting_holds(notebook: Notebook) -> None:
    publisher = CellObserver.of(notebook.shell).publisher
    answer = publisher._answers.answer({"type": "values", "id": 1, "snapshot": "", "saved": False})
    assert answer == Answered(id=1, result=False)
    assert notebook.run("%%jaxpr\njax.jit(jnp.sin)(1.0)").document["values"] == "left_out"
    publisher._answers.answer({"type": "values", "id": 2, "snapshot": "", "saved": True})
    assert notebook.run("%%jaxpr\njax.jit(jnp.sin)(1.0)").document.get("values", "kept") == "kept"
    notebook.run(OFF)
    publisher._answers.answer({"type": "values", "id": 3, "snapshot": "", "saved": True})
    assert notebook.run("%%jaxpr\njax.jit(jnp.sin)(1.0)").document["values"] == "left_out"
