"""The request for a program that JAX derives from another one, such as its gradient."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...build.programs.derived_programs import transform_program
from ...document.types.document import Snapshot
from ...document.types.struct import described
from ...document.types.transform import TransformKind
from ...observe.process_observer import observer
from ..base_of_requests import DOCUMENT, Request, RequestContext
from ..indices_in_requests import ProgramIndex


class TransformRequest(Request, tag="transform"):
    """Derive a program by a transform; JAX traces the derived program, and nothing runs.

    If JAX refuses the transform, the document has a sentence with the reason.
    """

    into: ClassVar[str | None] = DOCUMENT
    is_kept: ClassVar[bool] = True

    program: ProgramIndex
    kind: Annotated[TransformKind, described("The name of the transform.")]

    def answer(self, context: RequestContext) -> Snapshot:
        with context.alone() as run:
            return transform_program(observer(), run.sources, self.program, self.kind)
