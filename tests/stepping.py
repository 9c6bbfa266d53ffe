"""Holds functions that the stepper's tests share: they find a card by its kind, and a recorded column by its name."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.steps.recording_of_steps import construct_of, recording_document


def snapshot_of(function, *arguments, stage="run", **keywords):
    snapshot = jj.inspect(function, *arguments, stage=stage, **keywords)
    assert snapshot._sources is not None
    return snapshot


def card(snapshot, kind, number=0):
    """Return the index of the card with this number among the cards of a kind."""
    cards = [index for index, card in enumerate(snapshot.document.control_flow) if card.kind == kind]
    return cards[number]


def record(function, *arguments, kind, number=0, **run):
    """Record the steps of a construct, and return the recording."""
    snapshot = snapshot_of(function, *arguments, stage="trace" if "stopped" in run else "run")
    control = card(snapshot, kind, number)
    rerun = construct_of(snapshot._sources, control).run(**run)
    return recording_document(snapshot.document, control, rerun)


def column(recording, role, path=None):
    """Return the texts of a recorded leaf, found by its role and optionally by its path."""
    (leafs,) = [leaf for leaf in recording.leaves if leaf.role == role and (path is None or leaf.path == path)]
    return leafs.texts


def bits(value):
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    return np.asarray(value).tobytes()
