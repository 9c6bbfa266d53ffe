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

from ..document.types.document import Snapshot
from .messages import BrowserMessage, KernelMessage

PATH = Path(__file__).parent.parent / "document" / "snapshot.schema.json"


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


def main(arguments: list[str]) -> int:
    """Write the schema, or with --check compare it; returns the exit status."""
    if "--check" in arguments:
        if PATH.exists() and PATH.read_text(encoding="utf-8") == schema():
            return 0
        print(f"{PATH.name} is out of date: run `python -m jupyter_jaxpr.schema`, then `jlpm generate:types`.")
        return 1
    PATH.write_text(schema(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
