"""Lists the private names of JAX that this package uses.

For each name the table has its purpose, its first version of JAX, and what is missing from the document without it.

- `MODULES`: the modules below `jax._src` that `facts.private` opens.
- `OBJECTS`: attributes of JAX's objects that begin with an underscore.
- `LOCALS`: local variables of JAX's functions, read from frames and closures.

A test compares the table with the code, and another test compares the table with the installed JAX. The self-test of
the hooks (`support`) requires the names with a `tier`. Without one of the other names, the document lacks the part that
`without` describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .facts import private


@dataclass(frozen=True)
class PrivateName:
    """One private name of JAX.

    Attributes:
        where: The module below `jax._src`; the class of the object; or the module and the function that has the
            variable.
        name: The name, as the code writes it.
        since: The first release of JAX with the name; searched from 0.4.20 on, for objects from 0.10.2 on.
        why: What the name is used for.
        without: What is used instead, or what is missing without it.
        tier: The tier that needs the name; None if no tier does.
        until: The last release with the name; None if all newer releases have it.
    """

    where: str
    name: str
    since: str
    why: str
    without: str
    tier: Literal["hooks", "events"] | None = None
    until: str | None = None

    @property
    def id(self) -> str:
        """The place and the name joined by a point, such as `pjit._infer_params`."""
        return f"{self.where}.{self.name}"


def _names(module: str, names: str, since: str, why: str, without: str, **facts: Any) -> Iterator[PrivateName]:
    return (PrivateName(module, name, since, why, without, **facts) for name in names.split())


_N = PrivateName
_NO_HOOKS = "tier events: no call is told, only traces and compiles"
_NO_EVENTS = "tier inspection: no stage is counted or timed"
_NOT_AHEAD = "programs of make_jaxpr, trace and lower are not shown"
_NOT_EAGER = "loops and conditions outside of jit are not shown"
_NO_STATIC_CURE = "the cures static_argnames and static_argnums of an error"
_NO_RECORDING = "the operations of a cell are not recorded"
_NO_WARNINGS = "no note on types that JAX changes and on donated arguments without use"
_NO_UPDATES = "no note on a lost update in a function of an earlier cell"
_NO_KEYS = "keys of calls are not read, nor why a call missed"
_NOT_PARTIAL = "no program of a trace that raised"
_PMAP = "calls of pmap count as JAX's own functions"
_DERIVED = "programs that a transform derived are not shown"

MODULES: tuple[PrivateName, ...] = (
    # --- hooks on calls that miss
    _N("pjit", "_infer_params", "0.4.26", "its frame shows that a call misses, and the arguments", _NO_HOOKS, "hooks"),
    _N("pjit", "get_ctx_mesh", "0.10.0", "the first function that a miss calls", _NO_HOOKS, "hooks"),
    _N("pjit", "_cpp_pjit", "0.4.20", "its code shows what a miss calls", _NO_HOOKS, "hooks"),
    _N("pjit", "_pjit_call_impl_python", "0.4.20", "its frame is under a call about to run", _NO_HOOKS, "hooks"),
    _N("pjit", "_get_fastpath_data", "0.4.20", "called after a miss has run", _NO_HOOKS, "hooks"),
    _N("util", "test_event", "0.4.38", "called as a program is about to run", _NO_HOOKS, "hooks"),
    _N("dispatch", "log_elapsed_time", "0.4.20", "keeps our own look-ups out of the events", _NO_HOOKS, "hooks"),
    _N("pjit", "convert_to_metaty", "0.8.1", "types of a call's arguments, without the arrays", "no programs of calls"),
    _N("pjit", "jit_p", "0.7.0", "the primitive of a recorded call", _NO_RECORDING),
    _N("pjit", "jit_trace", "0.6.0", "all traces without a call come by it", _NOT_AHEAD),
    _N("api", "device_put", "0.4.20", "its frame shows what a recording copies", _NO_HOOKS, "hooks"),
    _N("api", "tree_unflatten", "0.4.20", "the last function that device_put calls", _NO_HOOKS, "hooks"),
    _N("api", "_post_hook_state", "0.8.0", "the hook after each call that hits", "calls on Python 3.11, recordings"),
    _N("util", "fun_name", "0.4.29", "the name that JAX's events give to a function", "stages of odd callables"),
    _N("util", "_caches", "0.7.0", "to leave JAX's list of caches again", "jax.clear_caches is not noticed"),
    _N("util", "register_cache", "0.7.0", "to be told of jax.clear_caches", "jax.clear_caches is not noticed"),
    # --- events
    _N("dispatch", "JAXPR_TRACE_EVENT", "0.4.20", "the name of an event", _NO_EVENTS, "events"),
    _N("dispatch", "JAXPR_TO_MLIR_MODULE_EVENT", "0.4.20", "the name of an event", _NO_EVENTS, "events"),
    _N("dispatch", "BACKEND_COMPILE_EVENT", "0.4.20", "the name of an event", _NO_EVENTS, "events"),
    *_names(
        "monitoring",
        "register_event_duration_secs_listener register_event_listener",
        "0.4.20",
        "to hear of stages; jax.monitoring has it, too",
        _NO_EVENTS,
        tier="events",
    ),
    _N("monitoring", "register_scalar_listener", "0.6.0", "to hear that a stage starts", _NO_EVENTS, "events"),
    *_names(
        "monitoring",
        "get_event_duration_listeners get_event_listeners",
        "0.4.20",
        "whether ours still listen",
        _NO_EVENTS,
        tier="events",
    ),
    _N("monitoring", "get_scalar_listeners", "0.6.0", "whether ours still listen", _NO_EVENTS, "events"),
    *_names(
        "monitoring",
        "unregister_event_duration_listener unregister_event_listener unregister_scalar_listener",
        "0.8.1",
        "to leave JAX as it was",
        _NO_EVENTS,
        tier="events",
    ),
    _N("monitoring", "_event_duration_secs_listeners", "0.4.20", "to ask JAX unheard", "our own work is heard"),
    _N("monitoring", "_event_listeners", "0.4.20", "to ask JAX unheard", "our own work is heard"),
    _N("monitoring", "_event_time_span_listeners", "0.5.1", "to ask JAX unheard", "our own work is heard"),
    _N("monitoring", "_scalar_listeners", "0.6.0", "to ask JAX unheard", "our own work is heard"),
    # --- parts of a cache key
    _N("config", "trace_context", "0.4.25", "settings that JAX's caches depend on", _NO_KEYS),
    _N("config", "trace_context_names", "0.10.2", "the names of those settings", "a changed setting has no name"),
    _N("config", "config_ext", "0.4.36", "whether a thread has a setting of its own", "calls on Python 3.11"),
    _N(
        "config",
        "jax_xla_profile_version",
        "0.4.25",
        "a setting that changes no trace, so that a trace of a cell not yet run is not reused",
        "JAX reuses what Live traced of a helper",
    ),
    _N("config", "debug_nans", "0.4.20", "a recording gives way to the check for NaN", _NO_RECORDING),
    _N("config", "debug_infs", "0.4.20", "a recording gives way to the check for inf", _NO_RECORDING),
    _N("tree_util", "_registry", "0.4.20", "data and meta fields of registered classes", "names of such leaves"),
    _N("array", "ArrayImpl", "0.4.20", "which leaves are JAX's own arrays", _NO_KEYS),
    # --- traces and programs
    _N("core", "trace_ctx", "0.4.36", "whether JAX is tracing now", _NO_HOOKS, "hooks"),
    _N("core", "eval_trace", "0.4.20", "the trace of no transformation", _NO_HOOKS, "hooks"),
    _N("core", "Tracer", "0.4.20", "what stands for values in a trace; jax.core has it, too", "notes on tracers"),
    _N(
        "core",
        "jaxpr_as_fun",
        "0.4.20",
        "jax.extend.core has it, but its import empties caches",
        "steps, times, sweeps",
    ),
    *_names(
        "core",
        "ensure_compile_time_eval eval_context",
        "0.4.36",
        "called as a trace begins to compute arrays",
        "Live keeps arrays that a library computes",
    ),
    _N("core", "typeof", "0.5.3", "the type of a value; jax.typeof is the same", _NO_RECORDING),
    _N("core", "Var", "0.4.20", "a variable of a recorded program", _NO_RECORDING),
    _N("core", "Literal", "0.4.20", "a number in a recorded program", _NO_RECORDING),
    _N("core", "new_jaxpr_eqn", "0.4.20", "an equation of a recorded program", _NO_RECORDING),
    _N("core", "DebugInfo", "0.4.36", "where a recorded program is from", _NO_RECORDING),
    _N("core", "Jaxpr", "0.4.20", "a recorded program", _NO_RECORDING),
    _N("core", "ClosedJaxpr", "0.4.20", "a program with constants", "newer JAX has one class for both", until="0.11"),
    _N("dispatch", "apply_primitive", "0.4.20", "its calls of operations are not counted", "eager cells are slower"),
    _N("dispatch", "xla_primitive_callable", "0.4.20", "returns the jitted function of an eager loop", _NOT_EAGER),
    _N(
        "interpreters.partial_eval",
        "DynamicJaxprTrace",
        "0.4.20",
        "what was traced before an error",
        _NOT_PARTIAL,
    ),
    _N(
        "interpreters.partial_eval",
        "DynamicJaxprTracer",
        "0.4.20",
        "a traced array under no transformation",
        "no types beside the code",
    ),
    _N(
        "interpreters.partial_eval",
        "trace_to_jaxpr",
        "0.8.2",
        "its cache tells how many traces there are of a function",
        "entries without a fast path stay after f.clear_cache()",
    ),
    _N("source_info_util", "current", "0.4.20", "source lines of recorded equations", _NO_RECORDING),
    _N("source_info_util", "new_source_info", "0.4.20", "the mark of no source line", _NO_RECORDING),
    _N(
        "stages",
        "Traced",
        "0.4.29",
        "what a call ran, as jax.stages has it; told of each trace",
        "no programs of calls",
    ),
    _N("stages", "Compiled", "0.4.20", "the executable that ran, as jax.stages has it", "no HLO of calls"),
    _N(
        "compiler",
        "_resolve_compilation_strategy",
        "0.6.0",
        "to compile beside the cache on disk",
        "exact links, passes",
    ),
    _N("dtypes", "warnings", "0.4.20", "told that JAX truncates a type", _NO_WARNINGS),
    _N("dtypes", "_maybe_canonicalize_explicit_dtype", "0.8.1", "its frame shows the types", _NO_WARNINGS),
    _N("numpy.array_constructors", "lax", "0.10.2", "told that JAX takes a NumPy array", _NO_WARNINGS),
    _N("numpy.array_methods", "_IndexUpdateRef", "0.4.20", "tells x.at[i] of arrays from that of Refs", _NO_UPDATES),
    _N("numpy.array_constructors", "array", "0.10.2", "its frame shows the NumPy array", _NO_WARNINGS),
    _N("interpreters.mlir", "warnings", "0.4.20", "told of donated buffers without use", _NO_WARNINGS),
    _N("interpreters.mlir", "lower_jaxpr_to_module", "0.4.20", "its frame shows the arguments", _NO_WARNINGS),
    _N("lax.control_flow.loops", "dtypes", "0.4.20", "told that JAX converts a carry", _NO_WARNINGS),
    _N("lax.control_flow.loops", "_promote_weak_typed_input", "0.8.1", "its frame shows the types", _NO_WARNINGS),
    _N("lax.lax", "literals", "0.10.2", "told that JAX converts a Python number", _NO_WARNINGS),
    _N("lax.lax", "_convert_element_type", "0.10.2", "its frame shows the number", _NO_WARNINGS),
    _N("lax.lax", "_convert_elt_type_folding_rule", "0.10.2", "its frame shows the number", _NO_WARNINGS),
    _N("api", "dispatch", "0.10.2", "told that device_put takes arrays", _NO_WARNINGS),
    _N("xla_bridge", "_backends", "0.4.20", "whether a backend runs, without starting one", "the device is not named"),
)

OBJECTS: tuple[PrivateName, ...] = (
    _N("PjitFunction", "_fun", "0.10.2", "the function that was jitted", "no function is known by its calls", "hooks"),
    _N("PjitFunction", "_jit_info", "0.10.2", "what jax.jit was called with", "held programs", "hooks"),
    _N("PjitFunction", "_cache_size", "0.10.2", "entries of the C++ cache", "the number of entries"),
    _N("PjitFunction", "_cache_miss", "0.10.2", "the derived program behind a jitted function", _DERIVED),
    _N("Traced", "_params", "0.10.2", "to lower the same call with tagged equations", "exact links"),
    _N("Traced", "_lojax", "0.10.2", "to forget the kept translation", "exact links"),
    _N("Lowered", "_lowering", "0.10.2", "whether JAX holds an executable already", "HLO of a call that raised"),
    _N("MeshComputation", "_executable", "0.10.2", "the executable that JAX holds", "HLO of a call that raised"),
    _N("Compiled", "_executable", "0.10.2", "whether this is the executable that ran", "no HLO of calls"),
    _N("ArrayImpl", "_sharding", "0.10.2", "the sharding in a key; faster than .sharding", _NO_KEYS),
    _N("ArrayImpl", "_committed", "0.10.2", "whether an array is bound to a device", _NO_KEYS),
    _N("Sharding", "_device_assignment", "0.10.2", "the devices of a sharding in a key", "which devices changed"),
    _N("PRNGKeyArray", "_base_array", "0.10.2", "the numbers of random keys, to record", _NO_RECORDING),
    _N("PRNGKeyArray", "_impl", "0.10.2", "the kind of random keys, to record", _NO_RECORDING),
    _N("State", "_update_thread_local_hook", "0.10.2", "told that the check for NaN changes", _NO_RECORDING),
)

LOCALS: tuple[PrivateName, ...] = (
    *_names("pjit:cache_miss", "args kwargs p args_flat", "0.9.0", "a call and its trace", _NO_HOOKS, tier="hooks"),
    *_names("pjit:cache_miss", "fun jaxpr", "0.4.31", "the program that ran", _NO_RECORDING),
    _N("pjit:cache_miss", "jit_info", "0.4.31", "which arguments are static already", _NO_STATIC_CURE),
    *_names("ad_checkpoint:fun_remat", "fun args kwargs static_argnums", "0.4.20", "a checkpoint", _NO_STATIC_CURE),
    *_names(
        "pjit:call_impl_cache_miss",
        "args out_flat name jaxpr in_shardings out_shardings in_layouts out_layouts donated_invars ctx_mesh "
        "keep_unused inline compiler_options_kvs",
        "0.5.3",
        "a program that JAX derived",
        _DERIVED,
    ),
    *_names("pjit:jit_trace", "jit_func args kwargs", "0.6.0", "what is traced without a call", _NOT_AHEAD),
    *_names("api:device_put", "x_flat out_flat", "0.4.20", "what is copied", _NO_RECORDING),
    *_names("api:make_jaxpr_f", "fun static_argnums", "0.4.20", "what make_jaxpr traces", _NOT_AHEAD),
    _N("api:grad_f", "value_and_grad_f", "0.4.20", "the function under grad", "how a function under grad ran"),
    *_names("dispatch:prim_fun", "prim params", "0.4.20", "an operation outside of jit", _NOT_EAGER),
    *_names("ad_checkpoint:saved_residuals", "f", "0.4.20", "the function of print_saved_residuals", _NOT_AHEAD),
    *_names("dispatch:__exit__", "exc_type exc_value", "0.5.3", "the error of a trace", _NOT_PARTIAL),
    *_names("core:bind_with_trace", "self params", "0.4.20", "a loop outside of jit", _NOT_EAGER),
    _N(
        "interpreters.partial_eval:trace_to_jaxpr",
        "trace",
        "0.8.2",
        "what was traced",
        _NOT_PARTIAL,
        until="0.10",
    ),
    _N(
        "interpreters.partial_eval:process_primitive",
        "tracers",
        "0.4.20",
        "operands of a call that raised",
        _NOT_PARTIAL,
    ),
    _N("interpreters.partial_eval:trace_to_jaxpr_nocache", "trace", "0.11.0", "what was traced", _NOT_PARTIAL),
    *_names("pmap:wrapped", "infer_params args kwargs cached dyn_args_flat", "0.9.1", "a call of pmap", _PMAP),
    _N("pmap:_fun", "in_tree", "0.8.0", "the structure of the call of pmap", _PMAP),
    *_names("pmap:infer_params", "wrapped_fun static_broadcasted_tuple", "0.9.1", "pmap's options", _PMAP),
    *_names("stages:lower", "self", "0.4.20", "what lower() was asked of", "credits of compile()"),
    *_names("tree_util:flatten_func", "data_fields meta_fields", "0.4.27", "fields of dataclasses", "names of leaves"),
    *_names(
        "dtypes:_maybe_canonicalize_explicit_dtype",
        "dtype canonical_dtype",
        "0.8.1",
        "a type that JAX truncates",
        _NO_WARNINGS,
    ),
    *_names("numpy.array_constructors:array", "object", "0.10.2", "a NumPy array that JAX takes", _NO_WARNINGS),
    *_names(
        "interpreters.mlir:lower_jaxpr_to_module",
        "sharded_in_avals sharded_out_avals donated_args arg_names input_output_aliases module_name "
        "platforms_with_donation",
        "0.10.2",
        "donated buffers without use",
        _NO_WARNINGS,
    ),
    *_names(
        "lax.control_flow.loops:_promote_weak_typed_input",
        "in_aval out_aval",
        "0.8.1",
        "a carry that JAX converts",
        _NO_WARNINGS,
    ),
    *_names("lax.lax:_convert_element_type", "operand new_dtype", "0.10.2", "a Python number", _NO_WARNINGS),
    *_names("lax.lax:_convert_elt_type_folding_rule", "c", "0.10.2", "a Python number", _NO_WARNINGS),
    *_names("pallas.pallas_call:wrapped", "kernel", "0.4.32", "the user's kernel", "the name of the kernel"),
)


def is_there(row: PrivateName) -> bool:
    """Return whether the installed JAX has this name in its module."""
    try:
        return hasattr(private(row.where), row.name)
    except AttributeError:
        return False


def missing(tier: Literal["hooks", "events"]) -> list[PrivateName]:
    """Return the rows of `MODULES` whose names a tier needs and the installed JAX lacks."""
    return [row for row in MODULES if row.tier == tier and not is_there(row)]
