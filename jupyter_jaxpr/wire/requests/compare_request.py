"""The request to run several programs of a run again, side by side."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.comparison import VariantComparison
from ...document.types.struct import described
from ...measure.compare.compared_programs import compare_programs, question
from ...observe.process_observer import observer
from ..base_of_requests import LongRequest, RequestContext
from ..indices_in_requests import ProgramIndex
from ..messages import Confirm
from ..sentences_of_refusals import TOO_FEW_PROGRAMS


class CompareRequest(LongRequest, tag="compare"):
    """Run several programs of a run again, timed and side by side: the user pressed the button."""

    into: ClassVar[str | None] = "comparison"

    programs: Annotated[
        list[ProgramIndex], described("The indices into `programs` of the run of two or more programs.")
    ]

    def answer(self, context: RequestContext) -> VariantComparison | Confirm:
        run, work = context.run, context.work
        programs = run.document.programs
        chosen = list(dict.fromkeys(self.programs))
        if len(chosen) < 2:
            raise Unavailable(TOO_FEW_PROGRAMS)
        names = [programs[program].name for program in chosen]
        named = [
            (name if names.count(name) == 1 else f"{name} ({program + 1})", run.sources.observed(program))
            for name, program in zip(names, chosen, strict=True)
        ]
        confirmation = question(named)
        if confirmation is not None and not self.confirmed:
            return self.confirm(confirmation)

        def report(doing: str, done: int, total: int) -> None:
            work.tell(doing, done, total, always=True)

        comparison = compare_programs(observer(), named, report=report, stop=work.is_stopped)
        return run.sources.comparison(comparison)
