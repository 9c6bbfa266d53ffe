"""Finds donated arguments whose donation has no effect.

No result can use the memory of the argument, because the shapes or dtypes differ; or the function does not use the
argument, so that JAX removes the argument from the program.

JAX's own warning names neither the user's line nor the argument, and Python shows the warning once.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any

from ...jax.silent_type_and_value_changes import DonatedArgument, UnusedDonation
from ...observe.cache.key_texts import paths
from ...observe.cache.types_and_layouts_of_key import Key, type_text
from ...observe.cell_run import Run
from ...observe.observation import Finding, Place
from ...observe.programs.programs_of_misses import KeptProgram
from ...observe.reprs_of_users_values import NOTHING_CALLED

_TITLE_OF_DONATION = "No result uses the memory of {path}, which {function} donates"
_TITLE_OF_UNNAMED = "No result uses the memory of an argument that {function} donates"
_DONATION = "{function} donates {path} ({type}), but no result can use the memory of {path}. {reason}"
_DONATION_OF_UNNAMED = (
    "{function} donates an argument of the type {type}, but no result can use the memory of the argument. {reason}"
)
_NO_RESULT = "No result has the type {type}. {results}"
_RESULTS = (
    "The program has no result.",
    "The result has the type {types_of_results}.",
    "The results have the types {types_of_results}.",
)
_TAKEN = "Each result of this type uses the memory of another donated argument."
_NOT_ON_PLATFORM = "The platform does not support donation."
_CURE_OF_DONATION = "Do not donate {path}, or return an array of the type {type}, such as the new {path}."
_CURE_WHERE_TAKEN = "Do not donate {path}."
_CURE_OF_UNNAMED = "Do not donate the argument, or return an array of the type {type}."
_CURE_OF_UNNAMED_TAKEN = "Do not donate the argument."
_TITLE_OF_UNREAD = "The program of {function} does not read {path}, so JAX does not donate {path}"
_UNREAD = (
    "{function} donates {path}{type}, and the program of {function} neither reads nor returns {path}. JAX drops "
    "{path} from the program, so the donation has no effect: {path} keeps its memory. JAX gives no warning."
)
_CURE_OF_UNREAD = (
    "Do not donate {path}. With keep_unused=True, jax.jit keeps {path} as an input of the program, and the call can "
    "use the memory of {path}."
)
#: The most arguments of a call that get a finding, and the most results that a sentence lists.
_MOST = 4


def unused_donations(donations: Mapping[tuple[str, Place | None], UnusedDonation]) -> Iterator[Finding]:
    """Yield a finding for each donated argument whose memory no result can use, because the shapes or dtypes differ."""
    for (function, place), donation in donations.items():
        for argument in donation.arguments[:_MOST]:
            facts = {"function": function, "path": argument.path, "type": argument.type}
            is_curable = not argument.results and donation.is_supported
            if argument.path:
                title, text = _TITLE_OF_DONATION, _DONATION
                cure = _CURE_OF_DONATION if is_curable else _CURE_WHERE_TAKEN
            else:
                title, text = _TITLE_OF_UNNAMED, _DONATION_OF_UNNAMED
                cure = _CURE_OF_UNNAMED if is_curable else _CURE_OF_UNNAMED_TAKEN
            yield Finding(
                kind="unused_donation",
                title=title.format(**facts),
                text=text.format(**facts, reason=_reason(argument, donation)).rstrip(),
                cure=cure.format(**facts),
                function=function,
                place=place,
            )


def too_narrow_results(run: Run) -> dict[tuple[str, Place | None], UnusedDonation]:
    """Return the donated arguments that JAX gives to XLA for a result with as many elements, but of another width.

    XLA cannot put an array of int8 into the memory of an array of float32, and leaves the argument alone; JAX gives no
    warning. Programs for several devices are left out, and so are arguments that `run.unused_donations` has.
    """
    found: dict[tuple[str, Place | None], UnusedDonation] = {}
    for activity in run.functions.values():
        record = activity.record
        if record.library or record.construct is not None or record.equinox or record.pmap:
            continue
        at = record.name, record.definition
        known = {argument.path for argument in run.unused_donations[at].arguments} if at in run.unused_donations else ()
        for program, is_new, _ in activity.programs.values():
            if not is_new or program.origin != "ran" or not any(program.donated) or not program.keys:
                continue
            rows = [row for row in _too_narrow(program, program.keys[0]) if row[0] not in known]
            if rows:
                arguments = tuple(DonatedArgument(path, kind, 0, 0) for path, kind in rows)
                results = tuple(type_text(aval) for aval in program.jaxpr.out_avals)
                found.setdefault(at, UnusedDonation("", arguments, results, True))
    return found


def _too_narrow(program: KeptProgram, key: Key) -> Iterator[tuple[str, str]]:
    """Yield (path, type) for each donated leaf that a program uses, if its only results are of another width."""
    # the token of an ordered effect has no size
    arrays = [aval for aval in program.jaxpr.out_avals if hasattr(aval, "size")]
    results = [(aval.size, aval.size * aval.dtype.itemsize) for aval in arrays]
    unused, donated = _unused_inputs(program.jaxpr)[-key.count :], program.donated[-key.count :]
    if not key.count or len(unused) != key.count or len(donated) != key.count:
        return
    rows = zip(paths(key, NOTHING_CALLED), key.leaves, unused, donated, strict=True)
    for path, leaf, is_unused, is_donated in rows:
        if is_unused or not is_donated or leaf.holder != "jax.Array" or len(leaf.sharding.device_set) != 1:
            continue
        size, width = leaf.aval.size, leaf.aval.dtype.itemsize
        as_long = [number_of_bytes for elements, number_of_bytes in results if elements == size]
        if as_long and all(number_of_bytes != size * width for _, number_of_bytes in results):
            yield path, leaf.describe()


def _reason(argument: DonatedArgument, donation: UnusedDonation) -> str:
    if not donation.is_supported:
        return _NOT_ON_PLATFORM
    if not argument.results:
        listed = ", ".join(donation.results[:_MOST]) + ", ..." * (len(donation.results) > _MOST)
        results = _RESULTS[min(len(donation.results), 2)].format(types_of_results=listed)
        return _NO_RESULT.format(type=argument.type, results=results)
    return _TAKEN if argument.taken >= argument.results else ""


def unread_donations(run: Run) -> list[Finding]:
    """Return a finding for each donated argument that no program of the function uses.

    The run must have made a program.
    """
    findings = []
    for activity in run.functions.values():
        record = activity.record
        if record.library or record.construct is not None or record.equinox or record.pmap:
            continue
        # Another program, for another static value or other types, may use the argument: then there is no finding.
        kept: list[KeptProgram] = list(record.programs.values())
        unread = [{path for path, _ in _unread(program, program.keys[0])} for program in kept if program.keys]
        in_all = set.intersection(*unread) if unread else set()
        for program, is_new, _ in activity.programs.values():
            if is_new and program.origin == "ran" and any(program.donated) and program.keys:
                paths_left_out = [row for row in _unread(program, program.keys[0]) if row[0] in in_all]
                for path, kind in paths_left_out[:_MOST]:
                    facts = {"function": record.name, "path": path, "type": kind}
                    finding = Finding(
                        kind="unused_donation",
                        title=_TITLE_OF_UNREAD.format(**facts),
                        text=_UNREAD.format(**facts),
                        cure=_CURE_OF_UNREAD.format(**facts),
                        function=record.name,
                        place=record.definition,
                    )
                    findings.append(finding)
    return list(dict.fromkeys(findings))


def _unread(program: KeptProgram, key: Key) -> Iterator[tuple[str, str]]:
    """Yield (path, type) for each leaf of the donated arguments that a program does not use, such as params['w'].

    Only JAX's own arrays count: JAX cannot donate a NumPy array.
    """
    if key.options.keeps_unused or not key.count:
        return
    unused = _unused_inputs(program.jaxpr)[-key.count :]
    donated = program.donated[-key.count :]
    if len(unused) != key.count or len(donated) != key.count or not any(map(operator.and_, unused, donated)):
        return
    leaves = [
        (path, leaf.describe(), is_unused and is_donated and leaf.holder == "jax.Array")
        for path, leaf, is_unused, is_donated in zip(
            paths(key, NOTHING_CALLED), key.leaves, unused, donated, strict=True
        )
    ]
    for name in key.names:
        of_argument = [leaf for leaf in leaves if leaf[0] == name or leaf[0].startswith((f"{name}[", f"{name}."))]
        if len(of_argument) > 1 and all(is_left_out for *_, is_left_out in of_argument):
            yield name, ""
        else:
            yield from ((path, f" ({kind})") for path, kind, is_left_out in of_argument if is_left_out)


def _unused_inputs(jaxpr: Any) -> list[bool]:
    """Return, for each input of a program, whether it is unused: no equation reads it, and it is no result."""
    inner = getattr(jaxpr, "jaxpr", jaxpr)
    used = {id(operand) for equation in inner.eqns for operand in equation.invars}
    used.update(map(id, inner.outvars))
    return [id(variable) not in used for variable in inner.invars]
