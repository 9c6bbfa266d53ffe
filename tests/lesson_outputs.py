"""Puts the output of the first program into the first lesson, so that the panel can show it before a cell has run.

    python tests/lesson_outputs.py

Run this script again when the cell of the first program, or a cell above it, changes. The other cells have no outputs,
and no cell has a number, because in the reader's kernel nothing has run. The output has the document for the panel and
three lines of text, but no HTML, which is only for front ends without the panel. The names of this machine's folders
are removed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

LESSON = Path(__file__).parents[1] / "jupyter_jaxpr" / "lessons" / "en" / "01-what-jit-does.ipynb"
FIRST = "a1-log2"
MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"
# Matches the folder of a kernel's cells, and the path of an environment up to its packages.
CELLS = re.compile(r'[^"]*/ipykernel_\d+/')
PACKAGES = re.compile(r'[^"]*/(site|dist)-packages/')


def without_places(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the names of this machine's folders."""
    text = json.dumps(document, ensure_ascii=False)
    text = PACKAGES.sub("site-packages/", CELLS.sub("ipykernel/", text))
    return json.loads(text)


def first_output(notebook: Any) -> dict[str, Any]:
    """Run the cells up to the first program, and return the output of that cell."""
    number = next(i for i, cell in enumerate(notebook.cells) if cell.id == FIRST)
    short = nbformat.from_dict({**notebook, "cells": notebook.cells[: number + 1]})
    NotebookClient(short, timeout=120, kernel_name="python3").execute()
    (output,) = [output for output in short.cells[number].outputs if MIME_TYPE in output.get("data", {})]
    document = without_places(output.data[MIME_TYPE])
    # nbclient, unlike JupyterLab, does not send the kernel the id of a cell.
    document["cell"] |= {"id": FIRST, "execution_count": None}
    for file in document["files"]:
        file |= {"cell_id": FIRST if file["kind"] == "cell" else None, "execution_count": None}
    data = {MIME_TYPE: document, "text/plain": output.data["text/plain"]}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def main() -> None:
    """Write the lesson with its first output."""
    notebook = nbformat.read(LESSON, as_version=4)
    output = first_output(notebook)
    lesson = json.loads(LESSON.read_text(encoding="utf-8"))
    (cell,) = [cell for cell in lesson["cells"] if cell["id"] == FIRST]
    output["data"]["text/plain"] = output["data"]["text/plain"].splitlines(keepends=True)
    cell["outputs"] = [output]
    text = json.dumps(lesson, indent=1, ensure_ascii=False)
    # The document is written on one line; with one number a line, it would have thousands of lines.
    document = json.dumps(output["data"][MIME_TYPE], ensure_ascii=False)
    spread = json.dumps(output["data"][MIME_TYPE], indent=1, ensure_ascii=False)
    indented = spread.replace("\n", "\n" + " " * 6)
    assert indented in text, "the document is not where it was put"
    LESSON.write_text(text.replace(indented, document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
