"""Compares the golden documents with the documents that the code makes, and with the schema."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jax
import jsonschema
import pytest

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.wire import schema_and_typescript

FIXTURES = Path(__file__).parent / "fixtures"
sys.path.insert(0, str(FIXTURES))

import make  # noqa: E402  # it lies beside what it makes
from cells import EXAMPLES  # noqa: E402  # likewise

SAVED = sorted(path for path in FIXTURES.glob("*-*.json") if "page" not in path.name)
MADE_WITH = (
    json.loads((FIXTURES / f"rnn-{make.LINE}.json").read_text())["environment"]["jax"]
    if (FIXTURES / f"rnn-{make.LINE}.json").exists()
    else None
)
only_with_its_jax = pytest.mark.skipif(
    jax.__version__ != MADE_WITH,
    reason=f"the golden documents of this line were made with jax {MADE_WITH}, this is {jax.__version__}",
)


@only_with_its_jax
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_document_is_made_as_before(name):
    built_run = make.built(name)
    assert make.document_json(built_run) == (FIXTURES / f"{name}-{make.LINE}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_the_text_is_printed_as_before(path):
    document = read(path.read_text(encoding="utf-8"))
    texts = [program_text(document, index) for index in range(len(document.programs))]
    expected = path.with_name(f"{path.stem}.jaxpr.txt")
    assert "\n---\n".join(texts) + "\n" == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_the_document_fits_the_schema(path):
    definitions = json.loads(schema_and_typescript.PATH.read_text(encoding="utf-8"))["definitions"]
    validator = jsonschema.Draft7Validator({"$ref": "#/definitions/Snapshot", "definitions": definitions})
    validator.validate(json.loads(path.read_text(encoding="utf-8")))


def test_the_committed_schema_is_that_of_the_types():
    assert schema_and_typescript.PATH.read_text(encoding="utf-8") == schema_and_typescript.schema(), (
        "run `python -m jupyter_jaxpr.schema`"
    )


def test_every_field_of_the_schema_is_described():
    definitions = json.loads(schema_and_typescript.PATH.read_text(encoding="utf-8"))["definitions"]
    missing = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, row in definition.get("properties", {}).items()
        if field != "type" and not row.get("description") and "allOf" not in row
    ]
    assert missing == []


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_no_golden_document_names_a_folder_of_this_machine(path):
    files = {file["path"] for file in json.loads(path.read_text(encoding="utf-8"))["files"]}
    assert all(name.startswith(("/tmp/ipykernel_1/", "jax/")) for name in files), files
