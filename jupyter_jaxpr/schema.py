"""Writes the JSON Schema and the TypeScript of the wire into their files: `python -m jupyter_jaxpr.schema`.

`--check` writes nothing and fails if a committed file differs. `wire.schema_and_typescript` makes the texts.
"""

from __future__ import annotations

import sys

from .wire.schema_and_typescript import texts


def main(arguments: list[str]) -> int:
    """Write the generated files, or with --check compare them; returns the exit status."""
    generated = texts()
    if "--check" not in arguments:
        for path, text in generated.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in generated.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.name} is out of date: run `python -m jupyter_jaxpr.schema`, then `jlpm generate:types`.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
