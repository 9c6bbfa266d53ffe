"""The request about the startup file, which loads the extension in every new kernel of the IPython profile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from IPython.core.getipython import get_ipython

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.startup import StartupState
from ...document.types.struct import described
from ..base_of_requests import Request, RequestContext
from ..startup_file import NO_PROFILE, TEXT, StartupFile


class StartupRequest(Request, tag="startup"):
    """Look at the startup file of the kernel's IPython profile, write the file or remove the file; nothing runs."""

    action: Annotated[
        Literal["look", "write", "remove"],
        described(
            "The action on the file. Before write, the user saw the path and the text of the file; before remove, "
            "the path."
        ),
    ]

    def answer(self, context: RequestContext) -> StartupState:
        profile = getattr(get_ipython(), "profile_dir", None)
        if profile is None:
            raise Unavailable(NO_PROFILE)
        file = StartupFile(Path(profile.startup_dir))
        if self.action == "write":
            file.write()
        elif self.action == "remove":
            file.remove()
        return StartupState(file=str(file.path), text=TEXT, written=file.is_there())
