"""`python -m jupyter_jaxpr.lessons`, as far as it goes without a JupyterLab."""

import sys

import pytest

from jupyter_jaxpr.lessons.__main__ import copy_lessons, main

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
