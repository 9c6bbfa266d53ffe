"""Makes the JSON Schema of document, messages and requests, and the TypeScript of facts, limits and requests.

`jupyter_jaxpr/schema.py` is the command that writes these texts into files, or compares the texts with the files.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import msgspec

from ..document import limits
from ..document.diff.rows_near_differences import DIFF_CONTEXT
from ..document.hlo_tables import HLO_TABLES
from ..document.merged_answers import subject_fields
from ..document.telling_parameters import LONGEST_TELLING_PARAMETER, LONGEST_WHOLE_PARAMETERS, TELLING_PARAMETERS
from ..document.transcendental_weight import TRANSCENDENTAL_WEIGHT
from ..document.types.document import Snapshot
from ..document.types.transform import TRANSFORM_KINDS
from .base_of_requests import DOCUMENT, NAMES, Request, answer_type, request_type
from .messages import Announcement, Reply, Resend, Stop, TraceCall
from .waiting_times_of_page import SECONDS_WITHOUT_REPLY

PATH = Path(__file__).parent.parent / "document" / "snapshot.schema.json"
FACTS = Path(__file__).parents[2] / "src" / "protocol" / "facts.ts"
LIMITS = Path(__file__).parents[2] / "src" / "protocol" / "limits.ts"
REQUESTS = Path(__file__).parents[2] / "src" / "protocol" / "request-table.ts"
_NEXT_LINE = ",\n  "
_NEXT_FIELD = ",\n    "


def _plain(node: Any) -> Any:
    """Rewrite tuples and references with a description, which json-schema-to-typescript treats differently."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _plain(value) for key, value in node.items()}
    if isinstance(node.get("description"), str):
        # Before Python 3.13, docstrings keep the indentation of the source; it is removed, so that all versions give
        # the same text.
        node["description"] = inspect.cleandoc(node["description"])
    if "prefixItems" in node:
        node["items"] = node.pop("prefixItems")
        node["additionalItems"] = False
        node["maxItems"] = len(node["items"])
    if "$ref" in node and len(node) > 1:
        node["allOf"] = [{"$ref": node.pop("$ref")}]
    return node


def _components() -> dict[str, Any]:
    """Return the schema of each struct."""
    kinds = [request_type(name) for name in NAMES]
    answers = [answer_type(kind) for kind in kinds]
    types = [Snapshot, Announcement, Reply, Resend, TraceCall, Stop, *kinds, *answers]
    return msgspec.json.schema_components(types, ref_template="#/definitions/{name}")[1]


def schema() -> str:
    """Return the JSON Schema of all documents and messages, in the form that is committed."""
    kinds = [request_type(name) for name in NAMES]
    components = _components()
    schema_document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Wire",
        "oneOf": [{"$ref": f"#/definitions/{name}"} for name in sorted(components)],
        "definitions": {name: _plain(components[name]) for name in sorted(components)},
        "requests": {name: _request(name, kind) for name, kind in zip(NAMES, kinds, strict=True)},
    }
    return json.dumps(schema_document, indent=2, ensure_ascii=False) + "\n"


_PLAIN_TYPES = {str: "string", bool: "boolean"}


def _request(name: str, kind: type[Request]) -> dict[str, Any]:
    """Return what the schema states on a request: patience, field of the document and so on."""
    answer = answer_type(kind)
    assert kind.into in (None, DOCUMENT) or _field(kind.into) is not None, f"{kind.into} is no field of the document"
    return {
        "params": kind.__name__,
        "answer": _PLAIN_TYPES.get(answer) or answer.__name__,
        "patience": SECONDS_WITHOUT_REPLY[name],
        "into": kind.into,
        "by": subject_fields(answer) if kind.into is not None and get_origin(_field(kind.into)) is list else None,
        "long": kind.is_long,
    }


def _field(name: str) -> Any:
    """Return the type of a field of the document; None for the document itself."""
    return get_type_hints(Snapshot).get(name)


def requests_text() -> str:
    """Return TypeScript with the types of each request's parameters and answer, and the patience of each."""
    requests = {name: _request(name, request_type(name)) for name in NAMES}
    types = sorted(
        {request[side] for request in requests.values() for side in ("params", "answer")} - {*_PLAIN_TYPES.values()}
    )
    lines = [
        "/** The requests of the panel to the kernel; written by `python -m jupyter_jaxpr.schema`. */",
        "import type {",
        *(f"  {name}{',' if name != types[-1] else ''}" for name in types),
        "} from './snapshot';",
        "",
        "/** Parameters and answer of each request, as they are on the wire. */",
        "export interface IRequestTypes {",
        *(
            f"  {name}: {{ params: {request['params']}; answer: {request['answer']} }};"
            for name, request in requests.items()
        ),
        "}",
        "",
        "/**",
        " * - patience: in seconds.",
        " * - into: the field of the document that receives the answer; 'document': the answer takes its place.",
        " * - by: where that field holds several answers, the fields of an answer that tell them apart.",
        " */",
        "export const REQUESTS = {",
    ]
    for name, request in requests.items():
        into = "null" if request["into"] is None else f"'{request['into']}'"
        by = "null" if request["by"] is None else "[" + ", ".join(f"'{path}'" for path in request["by"]) + "]"
        fields = {"patience": request["patience"], "into": into, "by": by, "isLong": json.dumps(request["long"])}
        entry = f"  {name}: {{ {', '.join(f'{field}: {value}' for field, value in fields.items())} }}"
        if len(entry) > 79:  # prettier breaks a line that is longer
            inner = _NEXT_FIELD.join(f"{field}: {value}" for field, value in fields.items())
            entry = f"  {name}: {{\n    {inner}\n  }}"
        lines.append(entry if name == NAMES[-1] else f"{entry},")
    return "\n".join([*lines, "} as const;"]) + "\n"


def facts_text() -> str:
    """Return the constants of `document/` that TypeScript uses, too, as TypeScript."""
    lines = ["/** Facts that Python and TypeScript both use: written by `python -m jupyter_jaxpr.schema`. */"]
    for name, words in {"TRANSFORM_KINDS": TRANSFORM_KINDS, "HLO_TABLES": HLO_TABLES}.items():
        values = [f"'{word}'" for word in words]
        line = f"export const {name} = [{', '.join(values)}] as const;"
        if len(line) > 80:  # prettier breaks a line that is longer
            line = f"export const {name} = [\n  {_NEXT_LINE.join(values)}\n] as const;"
        lines.append(line)
    numbers = {
        "TRANSCENDENTAL_WEIGHT": TRANSCENDENTAL_WEIGHT,
        "DIFF_CONTEXT": DIFF_CONTEXT,
        "LONGEST_WHOLE_PARAMETERS": LONGEST_WHOLE_PARAMETERS,
        "LONGEST_TELLING_PARAMETER": LONGEST_TELLING_PARAMETER,
    }
    lines += [f"export const {name} = {number};" for name, number in numbers.items()]
    parameters = [f"{primitive}: '{name}'" for primitive, name in TELLING_PARAMETERS.items()]
    lines.append("export const TELLING_PARAMETERS: Readonly<Record<string, string>> = {")
    lines += [f"  {_NEXT_LINE.join(parameters)}", "};"]
    return "\n".join(lines) + "\n"


def limits_text() -> str:
    """Return `document/limits.py` as TypeScript, and the largest length of each list that has its own limit."""
    lines = [
        "/** The largest sizes of a document and of its printed texts; written by `python -m jupyter_jaxpr.schema`. */",
        "export const LIMITS = {",
        *_fields({name: value for name, value in vars(limits).items() if name.isupper()}, "  "),
        "} as const;",
        "",
        "/** Most entries of lists, by struct and field. */",
        "export const MOST = {",
    ]
    limits_by_name = {
        name: {field: maximum for field, kind in component.get("properties", {}).items() if (maximum := _maximum(kind))}
        for name, component in sorted(_components().items())
    }
    blocks = [
        f"  {name}: {{\n" + "\n".join(_fields(fields, "    ")) + "\n  }"
        for name, fields in limits_by_name.items()
        if fields
    ]
    return "\n".join([*lines, ",\n".join(blocks), "} as const;"]) + "\n"


def _fields(values: dict[str, Any], indent: str) -> list[str]:
    rows = [
        f"{indent}{name}: {f'{value:g}'.replace('+', '') if isinstance(value, float) else value}"
        for name, value in values.items()
    ]
    return [*(f"{row}," for row in rows[:-1]), *rows[-1:]]


def _maximum(kind: dict[str, Any]) -> int | None:
    """Return the largest number of entries of a list; None if only the general limit of lists (`LIST`) holds."""
    return kind.get("maxItems") if kind.get("type") == "array" and "prefixItems" not in kind else None


def texts() -> dict[Path, str]:
    """Return the text of each file that is generated."""
    return {PATH: schema(), FACTS: facts_text(), LIMITS: limits_text(), REQUESTS: requests_text()}
