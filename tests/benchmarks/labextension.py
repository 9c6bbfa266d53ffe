"""Measures the gzipped size of our own code in the built labextension."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

from rows import Row

import jupyter_jaxpr

LIMIT = 150_000


def size(urls: Sequence[str]) -> Iterator[Row]:
    """Measure our gzipped JavaScript and styles: the part that a page loads before the panel opens, and all of them.

    Args:
        urls: The addresses that a page has loaded so far.
    """
    static = Path(jupyter_jaxpr.__file__).parent / "labextension" / "static"
    files = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in sorted(static.glob("*.js"))}
    package_files = {name for name in files if name.startswith(("vendors", "node_modules"))}
    loaded = {url.split("?")[0].rsplit("/", 1)[1] for url in urls if "/jupyter-jaxpr/static/" in url}
    first = sum(files[name] for name in loaded - package_files)
    total = sum(packed for name, packed in files.items() if name not in package_files)
    build = "development build" if any(b"\n  " in (static / name).read_bytes() for name in loaded) else "production"
    yield Row(
        what=f"labextension, our own code, gzipped ({build})",
        budget="150 kB before lazily loaded parts",
        measured=f"{first / 1000:.1f} kB, and {(total - first) / 1000:.1f} kB lazily",
        ratio=None,
        ok=first <= LIMIT,
        figures={
            "first": first,
            "whole": total,
            "loaded": sorted(loaded),
            "files": files,
            "packages": sorted(package_files),
        },
    )
