"""The built labextension in, the size of our own code as it travels out."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

from rows import Row

import jupyter_jaxpr

LIMIT = 150_000


def size() -> Iterator[Row]:
    """JavaScript and styles that the page loads of us, gzipped; other people's packages apart."""
    folder = Path(jupyter_jaxpr.__file__).parent / "labextension"
    static = folder / "static"
    if not static.is_dir():
        raise FileNotFoundError("The labextension is not built: run `jlpm build:prod` first.")
    ours, theirs = 0, 0
    files = {}
    for path in sorted(static.glob("*.js")):
        packed = len(gzip.compress(path.read_bytes(), 9))
        files[path.name] = packed
        if re.match(r"(vendors|node_modules)", path.name):
            theirs += packed
        else:
            ours += packed
    name = json.loads((folder / "package.json").read_text())["jupyterlab"]["_build"]["load"]
    yield Row(
        what="labextension, all of our own code, gzipped",
        budget="150 kB before lazily loaded parts",
        measured=f"{ours / 1000:.1f} kB" + (f", and {theirs / 1000:.1f} kB of packages" if theirs else ""),
        ratio=None,
        ok=ours <= LIMIT,
        figures={"ours": ours, "packages": theirs, "files": files, "entry": name},
    )
