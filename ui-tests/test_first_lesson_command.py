"""The README's command that opens JupyterLab on the first lesson."""

import sys

import pytest
from lab_server import running_server
from playwright.sync_api import expect


@pytest.mark.fresh_page
def test_it_opens_the_first_lesson_with_the_panel_beside_it(page, tmp_path):
    with running_server(tmp_path, sys.executable, "-m", "jupyter_jaxpr.lessons") as address:
        page.goto(address)

        notebook = page.locator(".jp-NotebookPanel")
        expect(notebook.get_by_role("heading", name="1. What jit does")).to_be_visible(timeout=60_000)
        expect(page.locator(".jp-JaxprPanel")).to_be_visible()
        assert (tmp_path / "jaxpr-lessons" / "01-what-jit-does.ipynb").exists()
