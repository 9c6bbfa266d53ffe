"""Tests `python -m jupyter_jaxpr.lessons` up to the start of JupyterLab."""

import json
import re
import sys
from pathlib import Path

import pytest
from lesson_outputs import FIRST, LESSON, MIME_TYPE

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.lessons.__main__ import COURSE, copy_lessons, main

pytestmark = pytest.mark.any_jax


def test_it_copies_the_lessons_into_a_new_folder(tmp_path, capsys):
    folder = tmp_path / "mine"

    names = copy_lessons("en", folder)

    assert names[0] == "01-what-jit-does.ipynb"
    assert sorted(path.name for path in folder.iterdir()) == names
    assert capsys.readouterr().out == f"The lessons are in {folder}.\n"


def test_it_keeps_what_a_reader_wrote_into_a_lesson(tmp_path, capsys):
    mine = tmp_path / "01-what-jit-does.ipynb"
    mine.write_text("my notes")

    copy_lessons("en", tmp_path)

    assert mine.read_text() == "my notes"
    assert capsys.readouterr().out == (
        f"The lessons are in {tmp_path}.\n"
        "Your copies of these lessons are kept: 01-what-jit-does.ipynb. Delete a copy to start its lesson anew.\n"
    )


def test_without_jupyterlab_it_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "jupyterlab", None)

    with pytest.raises(SystemExit):
        main(["--to", str(tmp_path / "mine")])

    assert capsys.readouterr().err.endswith(
        "error: JupyterLab is not installed in this environment. Run pip install 'jupyter_jaxpr[lab]'.\n"
    )
    assert not (tmp_path / "mine").exists()


def test_the_first_lesson_has_its_first_program_saved_and_no_lesson_has_more():
    """The panel shows the program before anything ran; see tests/lesson_outputs.py."""
    saved = {}
    for path in COURSE.glob("*/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert cell.get("execution_count") is None
            for output in cell.get("outputs", ()):
                saved[path.name, cell["id"]] = (cell, output)
    assert list(saved) == [(LESSON.name, FIRST)]

    ((cell, output),) = saved.values()
    text = json.dumps(output["data"][MIME_TYPE])
    document = read(text)
    assert document.cell is not None
    # If this fails, the cell was edited: run tests/lesson_outputs.py.
    assert document.cell.source == "".join(cell["source"])
    assert [program.name for program in document.programs] == ["log2"]
    assert len(text) < 16_000


def test_the_saved_program_tells_nothing_of_the_machine_that_made_it():
    text = LESSON.read_text(encoding="utf-8")

    assert re.findall(r'"(?:/|[A-Z]:\\)[^"]*"', text) == []
    assert str(Path.home()) not in text
    assert sys.prefix not in text
