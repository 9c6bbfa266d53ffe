"""Tests lesson 2, "The cache": the Cache tab shows what each claim says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from open_notebook import OpenNotebook
from playwright.sync_api import expect

import jupyter_jaxpr.lessons

LESSON = Path(jupyter_jaxpr.lessons.__file__).parent / "en" / "02-the-cache.ipynb"

# The text of the Cache tab after each cell: its beginning, and the reasons of the misses in order.
CLAIMS = {
    "a7-selu": ("2 compiles:", ["first call", "f32[1000000] → f32[2000000]"]),
    "a8-key": (
        "5 compiles:",
        [
            "i32[10] → f32[10]",
            "2 → 3",
            "3 → 4",
            "not committed → committed",
        ],
    ),
    "a9-traces": (
        "2 compiles:",
        ["first call", "f32[10] → f32[20]", "jax.Array → numpy"],
    ),
    "a10-mode": ("2 compiles:", ["first call", "'train' → 'eval'"]),
    "a11-many": ("20 compiles:", ["0 → 1", "18 → 19"]),
    "b3-static": (
        "6 compiles:",
        ["first call", "3 → 4", "The call passes n by keyword, not by position"],
    ),
    "a12-loop": ("1 compile:", ["first call", "int → jax.Array"]),
    "a13-overhead": ("1 compile:", ["first call"]),
    "a14-same": ("1 compile:", ["first call"]),
    "a14-lambda": (
        "3 compiles:",
        ["second function object of lambda from line 3", "third function object of lambda from line 3"],
    ),
    "a14-partial": (
        "3 compiles:",
        ["another partial of scaled: by changed from 1.0 to 2.0", "by changed from 2.0 to 3.0"],
    ),
    "a15-batches": ("2 compiles:", ["first call", "f32[32,3] → f32[4,3]"]),
    "a16-clear": ("1 compile:", ["cleared the caches"]),
    "a18-devices": (
        "3 compiles:",
        ["first call", "cpu:0 → cpu:1", "on cpu:1 → P('half',) over half=2"],
    ),
}


@pytest.fixture
def lesson(notebook) -> tuple[OpenNotebook, list[str]]:
    cells = [cell for cell in json.loads(LESSON.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    return notebook(*("".join(cell["source"]) for cell in cells)), [cell["id"] for cell in cells]


@pytest.mark.slow
def test_every_claim_is_to_be_seen(lesson):
    nb, ids = lesson
    assert ids[1:] == list(CLAIMS)
    nb.run(0)
    for index, name in enumerate(ids[1:], start=1):
        nb.run(index)
        sentence, reasons = CLAIMS[name]
        nb.panel.get_by_role("tab", name="Cache").click()
        cache = nb.panel.get_by_role("tabpanel")
        expect(cache).to_contain_text(sentence)
        function = cache.get_by_role("row").nth(1)
        if function.get_attribute("aria-expanded") == "false":
            function.click()
        for reason in reasons:
            expect(cache, f"{name}: {reason}").to_contain_text(reason)
