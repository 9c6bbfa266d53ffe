"""Writes or removes the file in an IPython profile's startup folder that loads the extension in every new kernel.

The file is written or removed only after the user has seen its path and its text, and has agreed. A file of the same
name with another text belongs to someone else and is left unchanged.
"""

from __future__ import annotations

from pathlib import Path

from ..build.texts.stablehlo_and_hlo import Unavailable
from ..interruptions import not_of_a_signal

NAME = "50-jupyter_jaxpr.py"
TEXT = """\
# Loads jupyter_jaxpr in every new kernel of this IPython profile.
# jupyter_jaxpr wrote this file; the menu of its panel removes it.
from importlib.util import find_spec as _find_spec

if hasattr(get_ipython(), "kernel") and _find_spec("jupyter_jaxpr"):
    get_ipython().run_line_magic("load_ext", "jupyter_jaxpr")
del _find_spec
"""

NO_PROFILE = (
    "This kernel has no IPython profile to write to. Load the extension in the notebook with %load_ext jupyter_jaxpr."
)
_NOT_OURS = (
    "The file {path} exists and has another text than jupyter_jaxpr wrote, so jupyter_jaxpr does not change the file. "
    "Read the file. If you no longer need the file, delete the file yourself."
)
_NOT_WRITTEN = (
    "The file {path} was not written: {why}. Make its folder writable, or load the extension in the notebook with "
    "%load_ext jupyter_jaxpr."
)
_NOT_REMOVED = "The file {path} was not removed: {why}. Delete the file yourself."
_NOT_READ = "The file {path} cannot be read: {why}. Make the file readable, or delete the file yourself."


class StartupFile:
    """The file in a startup folder.

    Args:
        folder: The folder; it may not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def is_there(self) -> bool:
        """Return whether the startup file of this package exists.

        Raises:
            Unavailable: A file of this name belongs to someone else, or cannot be read.
        """
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        except UnicodeDecodeError:
            raise Unavailable(_NOT_OURS.format(path=self.path)) from None
        except not_of_a_signal(OSError) as error:
            raise self._failed(_NOT_READ, error) from error
        if text != TEXT:
            raise Unavailable(_NOT_OURS.format(path=self.path))
        return True

    def write(self) -> None:
        """Write the file, if it does not exist.

        Raises:
            Unavailable: The file cannot be written, or a file of this name belongs to someone else.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except not_of_a_signal(OSError) as error:
            raise self._failed(_NOT_WRITTEN, error) from error
        try:
            # Mode "x" never overwrites a file: another page may have written it since the user was asked.
            file = self.path.open("x", encoding="utf-8")
        except FileExistsError:
            self.is_there()
            return
        except not_of_a_signal(OSError) as error:
            raise self._failed(_NOT_WRITTEN, error) from error
        try:
            with file:
                file.write(TEXT)
        except not_of_a_signal(OSError) as error:
            # An incomplete file is removed, because it would raise an error in every new kernel.
            try:
                self.path.unlink()
            except not_of_a_signal(OSError):
                pass
            raise self._failed(_NOT_WRITTEN, error) from error

    def remove(self) -> None:
        """Remove the startup file of this package.

        Raises:
            Unavailable: The file cannot be removed, or belongs to someone else.
        """
        if not self.is_there():
            return
        try:
            self.path.unlink(missing_ok=True)
        except not_of_a_signal(OSError) as error:
            raise self._failed(_NOT_REMOVED, error) from error

    def _failed(self, sentence: str, error: OSError) -> Unavailable:
        return Unavailable(sentence.format(path=self.path, why=error.strerror or type(error).__name__))
