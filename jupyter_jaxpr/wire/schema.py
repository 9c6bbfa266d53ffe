"""The structs of document.py and messages.py in, their JSON Schema out; `python -m jupyter_jaxpr.schema` writes it.

`--check` writes nothing and fails when the committed schema differs.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from ..document import facts
from ..document.types.document import Snapshot
from .messages import BrowserMessage, KernelMessage

PATH = Path(__file__).parent.parent / "document" / "snapshot.schema.json"
FACTS = Path(__file__).parents[2] / "src" / "protocol" / "facts.ts"
_NEXT_LINE = ",\n  "


def _plain(node: Any) -> Any:
    """Rewrite what json-schema-to-typescript reads differently: tuples, and references with a description."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _plain(value) for key, value in node.items()}
    if isinstance(node.get("description"), str):
        # From Python 3.13 on docstrings come without their indentation, before with it.
        node["description"] = inspect.cleandoc(node["description"])
    if "prefixItems" in node:
        node["items"] = node.pop("prefixItems")
        node["additionalItems"] = False
        node["maxItems"] = len(node["items"])
    if "$ref" in node and len(node) > 1:
        node["allOf"] = [{"$ref": node.pop("$ref")}]
    return node


def schema() -> str:
    """The JSON Schema of every document and message, as the text that is committed."""
    _, components = msgspec.json.schema_components(
        [Snapshot, KernelMessage, BrowserMessage], ref_template="#/definitions/{name}"
    )
    whole = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Wire",
        "oneOf": [{"$ref": f"#/definitions/{name}"} for name in sorted(components)],
        "definitions": {name: _plain(components[name]) for name in sorted(components)},
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def facts_text() -> str:
    """`document/facts.py` as TypeScript."""
    lines = ["/** Facts that Python and TypeScript both use: written by `python -m jupyter_jaxpr.schema`. */"]
    for name in ("TRANSFORM_KINDS", "HLO_TABLES"):
        values = [f"'{value}'" for value in getattr(facts, name)]
        line = f"export const {name} = [{', '.join(values)}] as const;"
        if len(line) > 80:  # as prettier breaks lines
            line = f"export const {name} = [\n  {_NEXT_LINE.join(values)}\n] as const;"
        lines.append(line)
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the schema and the shared facts, or with --check compare them; returns the exit status."""
    texts = {PATH: schema(), FACTS: facts_text()}
    if "--check" not in arguments:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.name} is out of date: run `python -m jupyter_jaxpr.schema`, then `jlpm generate:types`.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
