"""Tests the tests: if a fact of the observer is made false, a test of a reason or a count must fail.

If a test passed although a fact is false, it would not notice that the product states something false.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
import stable_sample
import test_ledger_blocks as blocks
import test_ledger_bound_arguments as bound
import test_ledger_closed_over as closed_over
import test_ledger_entries as entries
import test_ledger_fields as fields
import test_ledger_models as models
import test_ledger_new_functions as new_functions
import test_ledger_outcomes as outcomes
import test_ledger_printed as printed
import test_ledger_reasons as reasons
import test_ledger_settings as settings
import test_ledger_static_values as static_values

from jupyter_jaxpr.jax.cleared_caches import ClearedCaches
from jupyter_jaxpr.jax.facts import Bound
from jupyter_jaxpr.observe import hook_receiver, observer
from jupyter_jaxpr.observe.cache import (
    argument_reasons,
    bound_and_outside_values,
    changed_outside_values,
    held_entries,
    history_of_all_functions,
    history_of_one_function,
    key_of_call,
    key_texts,
    types_and_layouts_of_key,
)
from jupyter_jaxpr.observe.cache.static_values import StaticValue
from jupyter_jaxpr.observe.cache.types_and_layouts_of_key import JitOptions, Key
from jupyter_jaxpr.observe.user_or_library import whose_code

pytestmark = pytest.mark.any_jax

Falsify = Callable[[pytest.MonkeyPatch], None]


def leaf(place: int, value: Callable[[Any], Any]) -> Falsify:
    """Return a change that falsifies one fact of each argument's leaf: type, holder, sharding, commitment or layout."""

    def falsify(patch: pytest.MonkeyPatch) -> None:
        read = types_and_layouts_of_key.leaf_facts

        def facts(*arguments: Any) -> list[Any]:
            return [
                (*argument[:place], value(argument[place]), *argument[place + 1 :]) for argument in read(*arguments)
            ]

        patch.setattr(types_and_layouts_of_key, "leaf_facts", facts)

    return falsify


def aval(**changes: Any) -> Falsify:
    return leaf(0, lambda facts: facts if facts is None else facts.update(**changes))


def replaced(holder: Any, name: str, value: Any) -> Falsify:
    return lambda patch: patch.setattr(holder, name, value)


def key_without(name: str, value: Any) -> Falsify:
    """Return a change that gives this ingredient of all cache keys the same value."""

    def falsify(patch: pytest.MonkeyPatch) -> None:
        make = Key.__init__

        def init(self: Key, *arguments: Any, **named: Any) -> None:
            make(self, *arguments, **named)
            setattr(self, name, value)

        patch.setattr(Key, "__init__", init)

    return falsify


def always_fast(patch: pytest.MonkeyPatch) -> None:
    run = observer.Observer.executed
    patch.setattr(observer.Observer, "executed", lambda self, call, executable, _: run(self, call, executable, True))


def no_clears(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ClearedCaches, "cache_clear", lambda _: None)
    patch.setattr(held_entries, "_size", lambda *_: None)  # otherwise the number of entries would reveal the clear


def one_thread(patch: pytest.MonkeyPatch) -> None:
    begin = history_of_all_functions.History.begin

    def told(self: Any, *arguments: Any) -> Any:
        event = begin(self, *arguments)
        event.thread = 0
        return event

    patch.setattr(history_of_all_functions.History, "begin", told)


FALSE: dict[str, tuple[Falsify, Callable[[], None]]] = {
    "the shape of an argument": (aval(shape=()), reasons.test_shape),
    "the dtype of an argument": (aval(dtype=jnp.dtype("float32")), reasons.test_dtype),
    "the weak type of an argument": (aval(weak_type=False), reasons.test_weak_type),
    "what holds an argument": (leaf(1, lambda _: "jax.Array"), reasons.test_argument_type),
    "whether an argument is committed": (leaf(3, lambda _: False), reasons.test_committed),
    "the layout of an argument": (leaf(4, lambda _: None), reasons.test_layout),
    "the implementation of a random key": (
        aval(dtype=jnp.dtype("float32")),
        fields.test_a_key_of_another_implementation,
    ),
    "The structure of an argument.": (
        replaced(argument_reasons, "_argument_trees", lambda _: {}),
        reasons.test_pytree,
    ),
    "the fields of a data class": (
        replaced(argument_reasons, "_argument_trees", lambda _: {}),
        fields.test_meta_fields_of_a_registered_dataclass,
    ),
    "whether two static values are equal": (
        replaced(StaticValue, "equals", lambda *_: True),
        static_values.test_static_value,
    ),
    "whether a static object is the same": (
        replaced(StaticValue, "equals", lambda *_: True),
        static_values.test_static_identity,
    ),
    "the hash of a static object": (
        replaced(StaticValue, "is_changed", lambda *_: False),
        fields.test_a_static_object_that_was_changed_between_two_calls,
    ),
    "which arguments are passed by keyword": (
        key_without("keywords", ()),
        reasons.test_call_style_positional_or_keyword,
    ),
    "the default values": (
        replaced(key_of_call, "_left_out", lambda *_: {}),
        bound.test_a_static_default_that_a_call_replaces_is_another_static_value,
    ),
    "JAX's settings": (key_without("context", ()), settings.test_config_matmul_precision),
    "the mesh": (key_without("context", ()), settings.test_config_mesh),
    "the options of jit": (
        replaced(JitOptions, "equals", lambda *_: True),
        new_functions.test_another_jit_of_the_same_function_is_compared_with_the_first,
    ),
    "how many function objects there were": (
        replaced(history_of_one_function.FunctionHistory, "count_alike", lambda *_: None),
        new_functions.test_new_nested_def,
    ),
    "what a partial binds": (
        replaced(bound_and_outside_values, "partial_of", lambda value: Bound(value.func, (), {})),
        new_functions.test_new_partial,
    ),
    "what is wrapped around a function": (
        replaced(bound_and_outside_values, "wrappers_of", lambda _: ()),
        settings.test_another_transformation_of_a_function_is_a_function_of_its_own,
    ),
    "what a function reads from outside": (
        replaced(bound_and_outside_values, "values_outside", lambda *_: {}),
        closed_over.test_a_function_that_reads_the_variable_of_the_loop,
    ),
    "whether a value from outside is the same": (
        replaced(changed_outside_values, "is_same", lambda *_: False),
        closed_over.test_a_function_that_reads_nothing_that_changes,
    ),
    "whether JAX held entries before": (
        replaced(history_of_all_functions.History, "_is_held_before", lambda *_: False),
        reasons.test_first_observed,
    ),
    "whether a call took the fast path": (always_fast, reasons.test_no_fast_path),
    "what JAX did for a call": (
        replaced(history_of_all_functions, "_outcome", lambda *_: "compiled"),
        outcomes.test_lowered,
    ),
    "that a call compiled nothing": (
        replaced(history_of_all_functions, "_outcome", lambda *_: "compiled"),
        outcomes.test_dispatch_only_is_a_hit_that_compiles_nothing,
    ),
    "the thread of a call": (one_thread, printed.test_what_another_thread_called_is_not_counted_and_not_denied),
    "whether a function object is there still": (
        replaced(history_of_one_function.FunctionHistory, "is_alive", lambda *_: True),
        entries.test_the_entries_of_function_objects_that_are_gone,
    ),
    "how often the caches were cleared": (
        no_clears,
        entries.test_clear_caches,
    ),
    "the names of nnx": (
        replaced(key_texts, "nnx_variables", lambda *_: []),
        models.test_an_nnx_model_without_a_bias_and_a_wider_one,
    ),
    "whose the executed text is": (
        replaced(whose_code, "_is_users_text", lambda *_: False),
        closed_over.test_text_that_is_executed_again_is_in_no_loop,
    ),
    "where a call stands": (replaced(hook_receiver, "call_place", lambda _: None), blocks.test_recompile_error),
}


@pytest.mark.parametrize("fact", [pytest.param(fact, marks=stable_sample.marks(fact, newest=2)) for fact in FALSE])
def test_a_false_fact_is_noticed(fact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    falsify, story = FALSE[fact]
    jax.clear_caches()
    falsify(monkeypatch)
    with pytest.raises((AssertionError, LookupError, ValueError)):
        story()
