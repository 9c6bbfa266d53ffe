"""The struct of the answer about the file that loads the extension in every new kernel; no document holds it."""

from __future__ import annotations

from typing import Annotated

from .struct import Struct
from .struct import described as _text


class StartupState(Struct):
    """The file of the IPython profile that loads the extension in every new kernel."""

    file: Annotated[str, _text("Its path, or the path that it would have.")]
    text: Annotated[str, _text("What the file holds, or would hold.")]
    written: Annotated[bool, _text("Whether the file is there.")]
