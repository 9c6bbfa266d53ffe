"""The type of the answer about the file that loads the extension in every new kernel; no document holds this answer."""

from __future__ import annotations

from typing import Annotated

from .struct import Struct
from .struct import described as _text


class StartupState(Struct):
    """The file of the IPython profile that loads the extension in every new kernel."""

    file: Annotated[str, _text("The path of the file, or the path that the file would have.")]
    text: Annotated[str, _text("The text that the file holds, or would hold.")]
    written: Annotated[bool, _text("True if the file exists.")]
