"""Tests `JaxprMagics.host_copies`: the stepper can use the arguments of the last calls until the next run."""

from __future__ import annotations

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook

from jupyter_jaxpr.build.steps.recording_of_steps import record_focus
from jupyter_jaxpr.magic.cell_observer import CellObserver
from jupyter_jaxpr.observe.calls.held_or_gone_values import CallValues, ValuesGone

pytestmark = pytest.mark.any_jax

ON = "%config JaxprMagics.host_copies = True"
CELL = """\
%%jaxpr
@jax.jit
def walk(x):
    return jax.lax.scan(lambda c, row: (c + row, c), 0.0, x)
walk({x})"""


def copies(notebook: Notebook) -> list[CallValues]:
    return CellObserver.of(notebook.shell).host_copies.values


def test_arguments_that_nothing_holds_are_stepped_through_until_the_next_run(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run(ON)
    notebook.run(CELL.format(x="jnp.arange(5.0) * 2"))
    notebook.run("0;")  # a cell without the magic is no run, so the copies stay
    gc.collect()
    document = record_focus(built[-1].sources)
    (recording,) = document.recordings
    assert recording.verdict == "The recorded results equal the original function's results, bit for bit."
    assert recording.step == [0, 1, 2, 3, 4]
    (values,) = copies(notebook)
    notebook.run("%%jaxpr\njax.jit(jnp.sin)(1.0)")
    with pytest.raises(ValuesGone):
        values.get()
    assert copies(notebook) == []


def test_copies_are_off_at_first(notebook: Notebook) -> None:
    notebook.run(CELL.format(x="jnp.arange(5.0) * 2"))
    assert copies(notebook) == []


def test_at_most_8_mb_of_a_call_are_copied_and_64_mb_in_all(notebook: Notebook) -> None:
    notebook.run(ON)
    notebook.run(CELL.format(x="xs := jnp.ones(2_000_001)"))
    assert copies(notebook) == []
    calls = "\n".join(f"jax.jit(lambda x: x + {number})(xs[{number}])" for number in range(9))
    notebook.run(f"%%jaxpr\nxs = [jnp.ones(1_990_000) for _ in range(9)]\n{calls}")
    assert len(copies(notebook)) == 8


def test_a_copy_is_as_the_array_was_also_where_the_array_is_given_away_or_written_to() -> None:
    half, keys = jnp.arange(4, dtype=jnp.bfloat16), jax.random.split(jax.random.key(3))
    numbers = jax.random.key_data(keys).tolist()
    written, deleted = np.arange(2_000.0), jnp.arange(3.0)
    values = CallValues([half, keys, written, deleted, 2.5], "last")
    assert values.copy_to_host(100) == 0
    assert values.copy_to_host(1_000_000) > 16_000
    jax.jit(lambda x: x + 1, donate_argnums=0)(deleted)
    assert deleted.is_deleted()
    written[:] = 0
    del half, keys
    gc.collect()
    halves, split, array, donated, scalar = values.get()
    assert (halves.dtype, halves.tolist()) == (jnp.bfloat16, [0, 1, 2, 3])
    assert jax.random.key_data(split).tolist() == numbers
    assert array.tolist() == list(range(2_000))
    assert donated.tolist() == [0.0, 1.0, 2.0]
    assert scalar == 2.5
    values.drop_copies()
    with pytest.raises(ValuesGone):
        values.get()
