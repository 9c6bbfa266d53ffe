"""Names the constructs of control flow, the primitives that make them, and the words for named scopes such as remat."""

from __future__ import annotations

#: The kinds of construct that are control flow. Other cards are named scopes (jit, custom rule, remat) around them.
CONTROL_KINDS = frozenset({"cond", "switch", "scan", "while_loop", "fori_loop", "map", "associative_scan"})

SCAN = "scan"
WHILE = "while"
COND = "cond"
CONTROL_PRIMITIVES = frozenset({SCAN, WHILE, COND})

#: The kind of an equation that only calls an inner program, such as that of remat; it gets no card.
CALL = "call"
#: Primitive that makes a named scope -> the word that the user knows.
SCOPE_PRIMITIVES = {
    "jit": "jit",
    "pjit": "jit",
    "custom_jvp_call": "custom_jvp",
    "custom_vjp_call": "custom_vjp",
    "custom_vjp_call_jaxpr": "custom_vjp",
    "remat": "remat",
    "remat2": "remat",
    "checkpoint": "remat",
    "closed_call": CALL,
    "core_call": CALL,
    "eval_jaxpr": CALL,
    # JAX makes the three primitives below if the setting jax_remat3, jax_custom_jvp3 or jax_custom_vjp3 is on.
    "RematTraced": "remat",
    "CustomJVPTraced": "custom_jvp",
    "CustomVJPTraced": "custom_vjp",
}
