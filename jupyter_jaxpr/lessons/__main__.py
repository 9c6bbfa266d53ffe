"""Starts JupyterLab on a copy of the first lesson, with the panel beside it.

python -m jupyter_jaxpr.lessons [--language en] [--to FOLDER] [options of `jupyter lab`]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

COURSE = Path(__file__).parent
LANGUAGES = sorted(folder.name for folder in COURSE.iterdir() if any(folder.glob("*.ipynb")))
WORKSPACE = "jaxpr-lessons"
PANEL = "jupyter-jaxpr-panel"  # the id of the panel in JupyterLab's layout


def main(arguments: list[str] | None = None) -> int:
    """Copy the lessons, then run JupyterLab on them until it is stopped.

    Args:
        arguments: The command line; what is not known here goes to `jupyter lab`.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m jupyter_jaxpr.lessons",
        description="Open JupyterLab on a copy of the first lesson, with the jaxpr panel beside it.",
        epilog="All other options go to `jupyter lab`, such as --no-browser or --port=9000.",
    )
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="Language of the lessons.")
    parser.add_argument(
        "--to",
        type=Path,
        default=Path("jaxpr-lessons"),
        metavar="FOLDER",
        help="Folder that receives the copies of the lessons.",
    )
    options, lab_options = parser.parse_known_args(arguments)
    if importlib.util.find_spec("jupyterlab") is None:
        parser.error("JupyterLab is not installed in this environment. Run pip install 'jupyter_jaxpr[lab]'.")
    lessons = copy_lessons(options.language, options.to)
    command = lab_command(options.to, lessons[0], lab_options)
    if os.name == "nt":
        return subprocess.call(command)
    os.execv(command[0], command)  # this process becomes the server, which gets Ctrl-C and other signals


def copy_lessons(language: str, folder: Path) -> list[str]:
    """Copy the lessons of a language into a folder; those already there keep the reader's work.

    Returns:
        The lessons' file names, in order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in (COURSE / language).glob("*.ipynb"))
    kept = [name for name in names if (folder / name).exists()]
    for name in names:
        if name not in kept:
            shutil.copyfile(COURSE / language / name, folder / name)
    print(f"The lessons are in {folder.resolve()}.", flush=True)
    if kept:
        print(f"Your copies of these lessons are kept: {', '.join(kept)}. Delete a copy to start its lesson anew.")
    return names


def lab_command(folder: Path, lesson: str, options: list[str]) -> list[str]:
    """Return the command that opens a lesson in a workspace of JupyterLab in which the panel is open."""
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    workspaces = folder.resolve() / ".workspaces"
    workspaces.mkdir(exist_ok=True)
    WorkspacesManager(str(workspaces)).save(WORKSPACE, workspace())
    command = [
        *(sys.executable, "-m", "jupyterlab"),
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.workspaces_dir={workspaces}",
        f"--LabApp.default_url=/lab/workspaces/{WORKSPACE}/tree/{lesson}",
        *options,
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in options:
        print("You are root, so JupyterLab starts with --allow-root.", flush=True)
        command.append("--allow-root")
    return command


def workspace() -> str:
    """Return JupyterLab's layout with the panel in the right area, as JSON."""
    layout: dict[str, Any] = {
        "main": {"dock": None, "current": None},
        "down": {"size": 0, "widgets": []},
        "left": {"collapsed": True, "visible": True, "widgets": []},
        "right": {"collapsed": False, "visible": True, "current": PANEL, "widgets": [PANEL]},
        "relativeSizes": [0, 0.6, 0.4],
        "top": {"simpleVisibility": True},
    }
    data = {"layout-restorer:data": layout}
    return json.dumps({"data": data, "metadata": {"id": WORKSPACE}})


if __name__ == "__main__":
    sys.exit(main())
