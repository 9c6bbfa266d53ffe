"""Tests the README's command that opens JupyterLab on the first lesson, and the entry in JupyterLab's Help menu."""

import json
import re
import shutil
import sys

import pytest
from lab_server import running_server
from playwright.sync_api import expect

EQUATIONS = ["b:f32[]ln_xweak = log a", "c:f32[]ln_2weak = log 2.0:f32[]", "d:f32[]weak = div b c"]


@pytest.mark.fresh_page
def test_it_opens_the_first_lesson_with_its_first_program_beside_it(page, tmp_path):
    with running_server(tmp_path, sys.executable, "-m", "jupyter_jaxpr.lessons") as address:
        page.goto(address)

        notebook = page.locator(".jp-NotebookPanel")
        expect(notebook.get_by_role("heading", name="1. What jit does")).to_be_visible(timeout=60_000)
        panel = page.locator(".jp-JaxprPanel")
        assert (tmp_path / "jaxpr-lessons" / "01-what-jit-does.ipynb").exists()

        equations = panel.get_by_role("textbox", name=re.compile("^jaxpr of ")).locator('[data-kind="equation"]')
        expect(equations).to_have_text(EQUATIONS, timeout=60_000)
        saved = panel.locator("[data-status=saved]")
        expect(saved).to_contain_text("This is a saved copy.")
        expect(saved).to_contain_text("Press Shift+Enter to run the cells, beginning with the first cell.")
        prompts = notebook.locator(".jp-CodeCell .jp-InputArea-prompt")
        expect(prompts.nth(0)).to_have_text("[ ]:")
        expect(prompts.nth(1)).to_have_text("[ ]:")

        # No cell ran when the lesson was opened: the first cell that runs gets number 1.
        saved.get_by_role("button", name="Run up to this cell").click()
        expect(prompts.nth(1)).to_have_text("[2]:", timeout=60_000)
        expect(prompts.nth(0)).to_have_text("[1]:")
        expect(prompts.nth(2)).to_have_text("[ ]:")
        expect(saved).to_have_count(0)
        expect(panel.locator(".jp-JaxprPanel-run")).to_contain_text("Cell [2]")
        expect(equations).to_have_text(EQUATIONS)


@pytest.mark.slow
@pytest.mark.fresh_page
def test_the_help_menu_opens_the_lessons_and_keeps_what_a_reader_wrote(notebook, lab, page):
    nb = notebook("# my notebook")
    folder = lab.root / "jaxpr-lessons"
    try:
        folder.mkdir()
        mine = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        (folder / "02-the-cache.ipynb").write_text(mine)
        nb.page.get_by_role("menuitem", name="Help", exact=True).click()
        page.locator(".lm-Menu").get_by_role("menuitem", name="JAX Lessons").click()

        expect(page.get_by_role("heading", name="1. What jit does")).to_be_visible()
        expect(nb.panel).to_contain_text("This is a saved copy.")
        assert (folder / "02-the-cache.ipynb").read_text() == mine
        assert len(list(folder.glob("*.ipynb"))) == 6
        nb.command("launcher:create")
        expect(page.locator('.jp-LauncherCard[title^="Copy the lessons"]')).to_be_visible()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
