"""The request to call functions at several sizes and time the calls."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...build.times.sweep_of_sizes import sweep_document
from ...document.types.struct import described
from ...document.types.timing import Sweep
from ...measure.compare.named_function import functions_of
from ...measure.times.sweep_run import Values, sweep
from ...observe.process_observer import observer
from ...typed.sweep_values import parse_sweep
from ...typed.targets_and_array_types import SpecError, parse_target
from ..base_of_requests import LongRequest, RequestContext
from ..messages import Confirm
from ..sentences_of_refusals import NO_JAX, NO_VALUES_TO_SWEEP


class SweepRequest(LongRequest, tag="sweep"):
    """Call functions at several sizes and time the calls; the user typed the values and pressed the button."""

    into: ClassVar[str | None] = "sweep"

    sweep: Annotated[str, described("The name and the values of the sweep as in --sweep, such as n=64,256,1024.")]
    call: Annotated[str, described("The call as a target of the magic, such as f(make(n)).")]
    functions: Annotated[
        list[str],
        described("The names of functions to call instead of the function of the call, as in --compare; may be empty."),
    ]

    def answer(self, context: RequestContext) -> Sweep | Confirm:
        support, work = observer().hooks.support, context.work
        if support.tier == "none":
            raise Unavailable(support.note or NO_JAX)
        namespace = context.namespace()
        try:
            target = parse_target(self.call)
            swept = parse_sweep(self.sweep, target)
        except SpecError as error:
            raise Unavailable(str(error)) from None
        if target.has_specs:
            raise Unavailable(NO_VALUES_TO_SWEEP.format(call=self.call, name=target.function_text, n=swept.name))
        functions = functions_of(target, self.functions, namespace)
        missing = next((function.missing for function in functions if function.missing is not None), None)
        if missing is not None:
            raise Unavailable(missing)
        observer().hooks.ensure()
        begun = -1

        def report(text: str, done: int | None, total: int | None) -> None:
            # The start of each value is always reported: a value may take long, and no report comes while it runs.
            nonlocal begun
            always, begun = done != begun, done or 0
            work.tell(text, done, total, always=always)

        measured = sweep(
            observer(),
            functions,
            Values(swept.name, swept.values, target, namespace),
            confirmed=self.confirmed,
            ask=True,
            report=report,
            stop=work.is_stopped,
        )
        if measured.question is not None:
            return self.confirm(measured.question)
        return sweep_document(measured)
