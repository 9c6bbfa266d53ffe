"""Implements `--focus NAME`: the panel first shows the program of this name."""

from __future__ import annotations

from ..observe.observation import Finding, Observation


def put_into_focus(observation: Observation, name: str) -> None:
    """Make the program with this name the program in focus of an observation."""
    named = [function for function in [*observation.libraries, *observation.functions] if function.programs]
    chosen = [function for function in named if function.name == name] or [
        function for function in named if function.name.startswith(name)
    ]
    if chosen:
        programs = chosen[-1].programs
        observation.focus = ([program for program in programs if program.origin != "recorded"] or programs)[-1]
        return
    names = ", ".join(dict.fromkeys(function.name for function in named)) or "none"
    observation.findings.append(
        Finding("focus", f"--focus {name}: the run has no program of {name}. Its programs are: {names}.")
    )
