"""Runs a long day's cells with and without the extension; prints the counts of live objects every hundred cells.

python tests/long_day                        300 cells in a plain IPython shell, in each of the three ways
python tests/long_day --place kernel         in a notebook's kernel
python tests/long_day --cells 1000 --ways plain magic
"""

from __future__ import annotations

import argparse

from day import WAYS, Figures, day

COLUMNS = ("rss", "arrays", "executables", "functions", "objects", "comms", "threads", "temporary", "files")


def main() -> None:
    """Print a line for every hundred cells."""
    parser = argparse.ArgumentParser(description="Run many cells, and print what is alive.")
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--place", choices=("shell", "kernel"), default="shell")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    arguments = parser.parse_args()
    print("".join(f"{name:>12}" for name in ("way", "cells", *COLUMNS)))
    for way in arguments.ways:
        for number, figures in day(arguments.place, way, arguments.cells, arguments.every):
            print("".join(f"{text:>12}" for text in (way, number, *texts(figures))), flush=True)


def texts(figures: Figures) -> list[str]:
    return [f"{figures[name] / 1e6:.1f} MB" if name == "rss" else f"{figures[name]:,}" for name in COLUMNS]


if __name__ == "__main__":
    main()
