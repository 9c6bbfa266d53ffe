"""Tests the tests: if a fact on which a note is based is made false, at least one test of the note must fail.

`test_falsified_facts.py` does the same for the reasons of misses. If a test passed although a fact is false, it would
not notice that a note states something false.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import test_dispatches_of_transforms as transforms
import test_magic as magic
import test_time_unblocked as unblocked
import test_what_jax_changes as changes
import test_what_jax_hides as hides
import test_what_programs_hide as programs
from conftest import Notebook

from jupyter_jaxpr.explain.notes import dropped_updates, leaked_tracers, stale_values
from jupyter_jaxpr.explain.timings import calls_that_do_not_wait
from jupyter_jaxpr.jax import silent_type_and_value_changes
from jupyter_jaxpr.observe import credited_counts
from jupyter_jaxpr.observe.calls import impure_calls_while_tracing, printed_output
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING
from jupyter_jaxpr.observe.observation import EagerCompile, Place
from jupyter_jaxpr.observe.outside_jit import dispatch_recording, function_of_transform_call
from jupyter_jaxpr.observe.outside_values import changes_since_trace as at_trace
from jupyter_jaxpr.observe.programs import transform_names_in_list
from jupyter_jaxpr.program import out_of_bounds, random_key_use

pytestmark = pytest.mark.any_jax

Falsify = Callable[[pytest.MonkeyPatch], None]
Story = Callable[..., None]


def replaced(holder: Any, name: str, value: Any) -> Falsify:
    return lambda patch: patch.setattr(holder, name, value)


def changed(holder: Any, name: str, change: Callable[[Any], Any]) -> Falsify:
    """Return a change that replaces a function by one that changes its result."""
    true = getattr(holder, name)
    return replaced(holder, name, lambda *arguments, **named: change(true(*arguments, **named)))


def twice(patch: pytest.MonkeyPatch) -> None:
    """Make each recording count every dispatch twice."""
    add = dispatch_recording.Recording._add

    def added(self: dispatch_recording.Recording, dispatch: Any) -> None:
        add(self, dispatch)
        self.count += 1

    patch.setattr(dispatch_recording.Recording, "_add", added)


def a_line_below(place: Any) -> Any:
    return place if place is None else Place(place.file, place.line + 1, place.function)


FALSE: dict[str, tuple[Falsify, Story, dict[str, Any]]] = {
    "the type that JAX gives": (
        changed(silent_type_and_value_changes, "_truncated", lambda fact: fact._replace(taken=fact.asked)),
        changes.test_a_type_that_was_not_given,
        {},
    ),
    "the type that a body returns": (
        changed(silent_type_and_value_changes, "_promoted", lambda fact: fact and fact._replace(returned=fact.began)),
        changes.test_a_carry_that_jax_converts,
        {},
    ),
    "the types of the results that could use donated memory": (
        changed(silent_type_and_value_changes, "_unused", lambda fact: fact._replace(results=("f32[9]",))),
        changes.test_a_donated_argument_that_no_result_uses,
        {},
    ),
    "whether a platform knows donation": (
        changed(silent_type_and_value_changes, "_unused", lambda fact: fact._replace(is_supported=False)),
        changes.test_a_donated_argument_that_no_result_uses,
        {},
    ),
    "what a value was at the trace": (
        changed(stale_values, "array_text", lambda text: f"{text}0"),
        hides.test_a_value_that_changed_since_the_trace,
        {},
    ),
    "whether a value is another one now": (
        replaced(at_trace.ValuesAtTrace, "changed", lambda _: []),
        hides.test_the_change_and_the_calls_may_be_in_one_cell,
        {},
    ),
    "which kind of call ran while JAX traced": (
        changed(impure_calls_while_tracing, "impure_source", lambda source: source and (source[0], "input")),
        changes.test_a_value_that_is_read_once,
        {},
    ),
    "the line of a call that ran while JAX traced": (
        changed(impure_calls_while_tracing, "place_of_call", a_line_below),
        changes.test_a_value_that_is_read_once,
        {},
    ),
    "whether an object is a tracer": (
        replaced(leaked_tracers, "is_tracer_type", lambda _: False),
        magic.test_a_tracer_that_was_kept_is_noted_with_its_line,
        {},
    ),
    "whether a tracer was there before the trace": (
        replaced(leaked_tracers, "_was_there", lambda *_: True),
        magic.test_a_tracer_that_was_kept_is_noted_with_its_line,
        {},
    ),
    "the line that printed": (
        changed(printed_output, "user_place", a_line_below),
        magic.test_prints_of_a_trace_reach_the_reader_and_are_noted,
        {},
    ),
    "how long JAX compiled small programs": (
        replaced(credited_counts, "EagerCompile", lambda name, _, place: EagerCompile(name, 0.0, place)),
        magic.test_eager_operations_that_were_compiled,
        {},
    ),
    "which small programs JAX compiled": (
        replaced(credited_counts, "EagerCompile", lambda _, seconds, place: EagerCompile("add", seconds, place)),
        magic.test_eager_operations_that_were_compiled,
        {},
    ),
    "whether what is timed is jitted": (
        replaced(calls_that_do_not_wait, "is_jitted", lambda _: False),
        unblocked.test_the_words,
        {"defined": unblocked.DEFINED},
    ),
    "whether a wait is for something else": (
        replaced(calls_that_do_not_wait.Scope, "_waits_for_other", lambda *_: False),
        unblocked.test_a_timing_that_does_not_wait_is_told_of,
        {
            "defined": unblocked.DEFINED,
            "cell": "t0 = time.time()\ny = f(x)\nx.block_until_ready()\nprint(time.time() - t0)",
            "line": 3,
        },
    ),
    "whether an operation takes a random key": (
        replaced(random_key_use._Reader, "_used_by", lambda *_: iter(())),
        hides.test_a_key_used_twice,
        {},
    ),
    "whether an index is outside": (
        replaced(out_of_bounds, "_indexed", lambda *_: None),
        programs.test_an_index_out_of_bounds,
        {"expression": "v.at[7].set(1.0)", "outcome": "The program leaves out this update of the array."},
    ),
    "where a slice begins": (
        changed(out_of_bounds, "_slice", lambda fact: None),
        programs.test_a_slice_that_reaches_beyond_the_end,
        {},
    ),
    "which array an update leaves as it is": (
        replaced(dropped_updates, "updated_array", lambda _: None),
        hides.test_an_update_that_is_lost,
        {},
    ),
    "how many dispatches a recording covers": (
        twice,
        transforms.test_the_forward_and_the_backward_pass_are_two_programs_of_one_function,
        {"physics": transforms.DEFINED},
    ),
    "the transform around a function": (
        replaced(transform_names_in_list, "transforms_around", lambda _: None),
        transforms.test_a_function_under_a_transform_has_its_name_and_how_it_ran,
        {"physics": transforms.DEFINED},
    ),
    "which function a pass is of": (
        replaced(function_of_transform_call, "linear_of", lambda _: None),
        transforms.test_the_trace_of_a_backward_pass_does_not_say_that_the_python_of_the_function_ran,
        {"physics": transforms.DEFINED},
    ),
}


def given(story: Story, notebook: Notebook, patch: pytest.MonkeyPatch, named: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a test: its fixtures, and the first set of its parameters."""
    by_name: dict[str, Any] = {}
    for mark in getattr(story, "pytestmark", ()):
        if mark.name == "parametrize":
            names, rows = mark.args
            first = rows[0].values if hasattr(rows[0], "values") else rows[0]
            of_one = isinstance(names, str) and "," not in names and not hasattr(rows[0], "values")
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
            by_name.update(zip(names, [first] if of_one else first, strict=True))
    for name, value in named.items():
        if name in ("defined", "physics"):
            assert notebook.run(value).result.success
            value = notebook
        by_name[name] = value
    for name in inspect.signature(story).parameters:
        if name == "notebook":
            by_name[name] = notebook
        if name == "monkeypatch":
            by_name[name] = patch
    return by_name


@pytest.mark.parametrize("fact", FALSE)
def test_a_false_fact_of_a_note_is_noticed(fact: str, notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    falsify, story, named = FALSE[fact]
    if "while JAX traced" in fact and not HAS_MONITORING:
        pytest.skip("On Python 3.11 these calls are not seen.")
    arguments = given(story, notebook, monkeypatch, named)
    falsify(monkeypatch)
    with pytest.raises((AssertionError, LookupError, ValueError)):
        story(**arguments)


@pytest.mark.parametrize("fact", FALSE)
def test_with_the_true_fact_the_test_passes(fact: str, notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    _, story, named = FALSE[fact]
    if "while JAX traced" in fact and not HAS_MONITORING:
        pytest.skip("On Python 3.11 these calls are not seen.")
    story(**given(story, notebook, monkeypatch, named))
