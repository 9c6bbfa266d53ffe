"""The request that sets whether the saved copies of later runs contain values of the user's variables."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...document.types.struct import described
from ..base_of_requests import Request, RequestContext


class ValuesRequest(Request, tag="values"):
    """Receive the page's setting on saved values; the setting holds for later runs. Nothing runs."""

    is_of_kernel: ClassVar[bool] = True

    saved: Annotated[
        bool,
        described(
            "True if outputs and exports contain values. False: outputs and exports leave values out, whatever the "
            "kernel's setting is."
        ),
    ]

    def answer(self, context: RequestContext) -> bool:
        context.kernel.page_saves_values = self.saved
        return self.saved
