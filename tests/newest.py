"""Reports, as Markdown, which of the private JAX names that we use have changed in the installed JAX.

    python tests/newest.py            names that are gone, and names that take other arguments than in the tested JAX
    python tests/newest.py --write    saves the arguments of each name; run this on the newest JAX line that is tested

The exit status is 1 if the installed JAX lacks a name that it should have. `nox -s newest` prints the report, and the
weekly workflow shows it.
"""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import jax
from names_at_hand import expected, is_here, shapes

from jupyter_jaxpr.jax.private_names import MODULES
from jupyter_jaxpr.jax.support import support

TESTED = Path(__file__).with_name("tested_names.json")
PACKAGES = ("jaxlib", "jupyterlab", "ipykernel", "ipython")


def report() -> tuple[str, bool]:
    """Return the report, and whether every expected name exists."""
    tested = json.loads(TESTED.read_text())
    before, current = tested["names"], shapes()
    missing_rows = [row for row in expected() if not is_here(row)]
    collected = [row for row in MODULES if current[row.id] is not None and current[row.id] != before.get(row.id)]
    tier_support = support()
    lines = [
        f"## JAX {jax.__version__}, beside the tested JAX {tested['jax']}",
        f"Python {platform.python_version()}, {', '.join(f'{name} {installed(name)}' for name in PACKAGES)}.",
        f"The self-test of the hooks reaches the tier {tier_support.tier}. {tier_support.note or ''}".rstrip(),
    ]
    if missing_rows:
        lines.append(
            table("gone", ["why we use the name", "without the name"], [[r.id, r.why, r.without] for r in missing_rows])
        )
    if collected:
        rows = [[r.id, before.get(r.id) or "not there", str(current[r.id]), r.why] for r in collected]
        lines.append(table("changed", ["was", "is", "why we use the name"], rows))
    if not missing_rows and not collected:
        lines.append(f"All {len(expected())} private names are as in JAX {tested['jax']}.")
    return "\n\n".join(lines), not missing_rows


def table(state: str, heads: list[str], rows: list[list[str]]) -> str:
    lines = [[f"private name that is {state}", *heads], ["---"] * (len(heads) + 1)]
    lines += [[f"`{name}`", *cells] for name, *cells in rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(none)"


def main() -> int:
    if "--write" in sys.argv:
        TESTED.write_text(json.dumps({"jax": jax.__version__, "names": shapes()}, indent=2) + "\n")
        return 0
    text, fine = report()
    print(text)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
