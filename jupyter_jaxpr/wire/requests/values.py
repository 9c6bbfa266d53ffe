"""Whether the copies that the kernel saves of its runs hold values of the user's."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...document.types.struct import described
from ..request import Request, RequestContext


class ValuesRequest(Request, tag="values"):
    """The page tells the kernel its setting; it holds for later runs. Nothing runs."""

    patience: ClassVar[int] = 30
    is_of_kernel: ClassVar[bool] = True

    saved: Annotated[bool, described("False: outputs and exports leave values out, whatever the kernel's setting is.")]

    def answer(self, context: RequestContext) -> bool:
        context.kernel.page_saves_values = self.saved
        return self.saved
