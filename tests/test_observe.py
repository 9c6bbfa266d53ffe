"""Compares the observer with independent counts: calls, misses, stages, programs, and memory."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jupyter_jaxpr.jax.support import Support, support
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction
from jupyter_jaxpr.observe.observer import Observer


@pytest.fixture
def observer() -> Iterator[Observer]:
    new_observer = Observer()
    new_observer.hooks.ensure()
    yield new_observer
    new_observer.hooks.remove()


@pytest.fixture
def observe(observer: Observer) -> Callable[[Callable[[], Any]], Observation]:
    """Return a function that observes a function."""

    def run(code: Callable[[], Any]) -> Observation:
        started = observer.begin(code.__code__.co_filename)
        try:
            code()
        finally:
            observation = observer.end(started)
        assert observation.failures == []
        return observation

    return run


Observe = Callable[[Callable[[], Any]], Observation]


def only(observation: Observation) -> ObservedFunction:
    (function,) = observation.functions
    return function


def counts(function: ObservedFunction) -> dict[str, int | None]:
    names = ("misses", "traces", "lowerings", "compiles", "from_disk", "inlined", "raised")
    return {name: getattr(function, name) for name in names if getattr(function, name)}


# --- counts ---


def test_a_loop_of_calls(observe: Observe) -> None:
    f, x = jax.jit(lambda x: x + 1), jnp.ones(4)

    def cell() -> None:
        for _ in range(20):
            f(x)

    function = only(observe(cell))
    assert counts(function) == {"misses": 1, "traces": 1, "lowerings": 1, "compiles": 1}
    assert (function.calls, function.calls_exact) == (20, HAS_MONITORING)


def test_dispatch_only_misses_reuse_the_program(observe: Observe) -> None:
    f = jax.jit(lambda x: x + 1)

    def cell() -> None:
        f(jnp.ones(4, jnp.float32))
        f(np.ones(4, np.float32))

    function = only(observe(cell))
    assert counts(function) == {"misses": 2, "traces": 1, "lowerings": 1, "compiles": 1}
    assert len(function.programs) == 1


def test_functions_of_one_line_are_one(observe: Observe) -> None:
    x = jnp.ones(4)

    def cell() -> None:
        for n in range(3):
            jax.jit(lambda x, n=n: x + n)(x)

    function = only(observe(cell))
    assert counts(function) == {"misses": 3, "traces": 3, "lowerings": 3, "compiles": 3}
    assert len(function.programs) == 3


def test_at_most_32_programs_of_a_function_are_listed_and_all_are_counted(observe: Observe) -> None:
    f = jax.jit(lambda x: x + 1)

    def cell() -> None:
        for n in range(1, 41):
            f(np.ones(n, np.float32))

    function = only(observe(cell))
    assert counts(function) == {"misses": 40, "traces": 40, "lowerings": 40, "compiles": 40}
    assert len(function.programs) == 32


def test_calls_that_raise(observe: Observe) -> None:
    @jax.jit
    def refuses(x: Any) -> Any:
        raise ValueError("while tracing")

    @jax.jit
    def fails(x: Any) -> Any:
        def fail(_: Any) -> Any:
            raise ValueError("while running")

        return jax.pure_callback(fail, x, x)

    def cell() -> None:
        for f in (refuses, fails, refuses):
            with pytest.raises(Exception, match="while"):
                f(jnp.ones(2)).block_until_ready()

    refused, failed = observe(cell).functions
    assert (counts(refused), refused.programs) == ({"misses": 2, "traces": 2, "raised": 2}, [])
    assert counts(failed) == {"misses": 1, "traces": 1, "lowerings": 1, "compiles": 1, "raised": 1}


@pytest.mark.skipif(not HAS_MONITORING, reason="3.11 counts the calls that are written in a cell; test_magic has those")
def test_calls_however_they_are_made(observe: Observe) -> None:
    class Model:
        @functools.partial(jax.jit, static_argnums=0)
        def __call__(self, x: Any) -> Any:
            return x + 1

        @functools.partial(jax.jit, static_argnums=0)
        def step(self, x: Any) -> Any:
            return x + 2

    @jax.jit
    def f(x: Any) -> Any:
        return x + 3

    model, x = Model(), jnp.ones(2)
    bound = functools.partial(f, x)

    def call(function: Any) -> Any:
        return function(x)

    def cell() -> None:
        model(x), model(x), model.step(x), model.step(x), call(len), call(f), call(f), bound()

    called = {function.name: (function.calls, function.calls_exact) for function in observe(cell).functions}
    assert called == {"__call__": (2, True), "step": (2, True), "f": (3, True)}


@pytest.mark.skipif(not HAS_MONITORING, reason="3.11 says ≥ for every count")
def test_calls_made_by_c_code_are_a_lower_bound(observe: Observe) -> None:
    f = jax.jit(lambda x: x + 1)

    def cell() -> None:
        list(map(f, [jnp.ones(1), jnp.ones(2)]))

    function = only(observe(cell))
    assert (function.calls, function.calls_exact) == (2, False)


def test_inlined_calls_are_no_top_level_ones(observe: Observe) -> None:
    inner = jax.jit(lambda x: x + 1)

    @jax.jit
    def outer(x: Any) -> Any:
        return inner(inner(x)) + inner(2.0)

    def cell() -> None:
        outer(jnp.ones(3))

    functions = {function.name: function for function in observe(cell).functions}
    assert (functions["outer"].top_level, functions["<lambda>"].top_level) == (True, False)
    assert counts(functions["<lambda>"]) == {"inlined": 3}
    assert functions["<lambda>"].programs == []


def test_jax_s_own_functions_are_not_listed(observe: Observe) -> None:
    observation = observe(lambda: jnp.where(jnp.ones(3) > 0, jax.random.normal(jax.random.key(0), (3,)), 0))
    assert observation.functions == []


def test_only_the_observed_thread_counts(observe: Observe) -> None:
    f, g = jax.jit(lambda x: x + 1), jax.jit(lambda x: x * 2)

    def cell() -> None:
        thread = threading.Thread(target=lambda: g(jnp.ones(5)))
        thread.start()
        f(jnp.ones(5))
        thread.join()

    assert len(observe(cell).functions) == 1


# --- programs ---


def test_what_is_shown_is_what_jax_ran(observe: Observe) -> None:
    f, x = jax.jit(lambda x: jnp.sin(x) @ x), jnp.ones((8, 8))
    (program,) = only(observe(lambda: f(x))).programs
    assert program.executable.runtime_executable() is f.lower(x).compile().runtime_executable()
    assert program.jaxpr is f.trace(x).jaxpr
    assert program.lowered.as_text() == f.lower(x).as_text()


def test_a_replay_works_in_the_context_of_the_call(observe: Observe) -> None:
    f = jax.jit(lambda x: x @ x)

    def cell() -> None:
        with jax.default_matmul_precision("float32"):
            f(jnp.ones((4, 4)))

    (program,) = only(observe(cell)).programs
    assert "precision = [HIGHEST, HIGHEST]" in program.lowered.as_text()


def test_the_hooks_are_in_no_program(observer: Observer, observe: Observe) -> None:
    f, x = jax.jit(lambda x: jnp.sin(x)), jnp.ones(3)
    (program,) = only(observe(lambda: f(x))).programs
    text = program.lowered.as_text(debug_info=True)
    assert "test_observe.py" in text
    assert "jupyter_jaxpr" not in text


def test_derived_programs_that_are_reused(observe: Observe) -> None:
    f, x = jax.jit(lambda x: (x**2).sum()), jnp.ones(4)

    def grad() -> None:
        jax.grad(f)(x)

    first = only(observe(grad))
    assert [program.origin for program in first.programs] == ["derived", "derived"]
    observe(lambda: jax.vmap(f)(jnp.ones((2, 4))))
    second_run = only(observe(grad))
    assert counts(second_run) == {"misses": 1}
    assert [program.jaxpr for program in second_run.programs] == [program.jaxpr for program in first.programs]
    assert {program.origin for program in second_run.programs} == {"seen_before"}


def test_an_executable_from_the_persistent_cache(observe: Observe, tmp_path: Any) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    settings = {
        "jax_compilation_cache_dir": str(tmp_path),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in settings}

    def cell() -> None:
        jax.jit(lambda x: jnp.cos(x) * 7)(jnp.ones(9))

    try:
        for name, value in settings.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        compiled = only(observe(cell))
        jax.clear_caches()
        retrieved = only(observe(cell))
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
    assert counts(compiled) == {"misses": 1, "traces": 1, "lowerings": 1, "compiles": 1}
    assert counts(retrieved) == {"misses": 1, "traces": 1, "lowerings": 1, "from_disk": 1}
    stages = retrieved.programs[0].stages
    assert stages is not None
    assert stages.from_disk


# --- memory ---


def test_no_array_is_kept_alive(observe: Observe) -> None:
    f = jax.jit(lambda p, k: p["w"] * k)
    arrays = [jnp.ones(1000), jnp.ones(1000)]
    alive = [weakref.ref(array) for array in arrays]
    observation = observe(lambda: f({"w": arrays[0]}, k=arrays[1]))
    assert len(only(observation).programs) == 1
    arrays.clear()
    gc.collect()
    assert [array() for array in alive] == [None, None]


def test_a_function_that_is_gone_is_forgotten(observer: Observer) -> None:
    def f(x: Any) -> Any:
        return x + 1

    jitted = jax.jit(f)
    jitted(jnp.ones(3))
    assert observer.functions.record_of(f) is not None
    reference, count_before = weakref.ref(f), len(observer.functions._records)
    del jitted, f
    gc.collect()
    assert reference() is None
    assert len(observer.functions._records) < count_before


def test_few_programs_are_kept_between_runs(observer: Observer) -> None:
    def f(x: Any) -> Any:
        return x + 1

    jitted = jax.jit(f)
    for n in range(1, 20):
        jitted(np.ones(n, np.float32))
    record = observer.functions.record_of(f)
    assert record is not None
    assert len(record.programs) == 8


# --- the tiers of the observer ---


def run_python(program: str, *path: str) -> str:
    code = f"import sys\nsys.path[:0] = {list(path)!r}\n" + program
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout


IN_A_SHELL = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jupyter_jaxpr")
from jupyter_jaxpr.magic.cell_observer import CellObserver
cell_observer = CellObserver.of(shell)
messages = []
publish = cell_observer.publisher.publish
cell_observer.publisher.publish = lambda built: messages.append(built.document)
def run(cell):
    shell.run_cell(cell, store_history=True)
    document = messages.pop()
    return document.environment.tier, document.environment.tier_note, document.message
"""


@pytest.mark.any_jax
def test_a_kernel_without_jax_runs_the_cell_and_says_what_to_install() -> None:
    out = run_python("sys.modules['jax'] = None\n" + IN_A_SHELL + "print(run('%%jaxpr\\n40 + 2'))")
    note = "JAX is not installed in this kernel. Run `pip install -U jax` and restart the kernel."
    assert out.splitlines() == ["Out[1]: 42", note, repr(("none", note, note))]


@pytest.mark.any_jax
def test_a_kernel_with_a_jax_that_is_too_old(tmp_path: Any) -> None:
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("__version__ = '0.4.30'\njit = lambda f: f\n")
    out = run_python(IN_A_SHELL + "print(run('%%jaxpr\\nimport jax\\njax.jit(lambda x: x + 2)(40)'))", str(tmp_path))
    note = (
        "jupyter_jaxpr needs JAX 0.10.2 or newer, and this kernel has JAX 0.4.30. Run `pip install -U jax` and restart "
        "the kernel."
    )
    assert out.splitlines() == ["Out[1]: 42", note, repr(("none", note, note))]


CHANGED = (
    IN_A_SHELL
    + """
import jax, jax.numpy as jnp
from jax._src import pjit
cell_observer.observer.hooks.remove()
{change}
shell.run_cell("import jax, jax.numpy as jnp\\nx = jnp.ones(3)\\n@jax.jit\\ndef f(x):\\n    return jnp.sin(x)")
shell.run_cell("%%jaxpr\\ny = f(x)\\nf(x)")
document = messages.pop()
print(document.environment.tier, [(p.name, p.origin, p.activity.calls, p.activity.compiles) for p in document.programs])
print(document.environment.tier_note)
"""
)


# A JAX in which a hooked function has other parameters, and a JAX in which events have other names.
OTHER_PARAMETERS = """
real = pjit._infer_params
def changed(fun, *rest):
    return real(fun, *rest)
pjit._infer_params = changed
"""
OTHER_EVENTS = "from jax._src import dispatch\ndispatch.JAXPR_TRACE_EVENT = '/jax/other'\n"


@pytest.mark.parametrize(
    ("change", "tier", "compiles", "note"),
    [
        (
            OTHER_PARAMETERS,
            "events",
            1,
            "jupyter_jaxpr counts traces and compiles, but cannot tell which call caused a trace or a compile.",
        ),
        (
            OTHER_PARAMETERS + OTHER_EVENTS,
            "inspection",
            0,
            "Programs can be shown, but traces and compiles are not counted.",
        ),
    ],
)
def test_a_jax_that_has_changed_inside_lowers_the_tier(change: str, tier: str, compiles: int, note: str) -> None:
    out = run_python(CHANGED.replace("{change}", change)).splitlines()
    calls = 2 if HAS_MONITORING else 1  # without the hook that changed, Python 3.11 sees the hit but not the miss
    assert f"{tier} [('f', 'traced', {calls}, {compiles})]" in out
    assert (
        f"This version of jupyter_jaxpr does not know the internals of JAX {jax.__version__}. {note} Run `pip install "
        "-U jupyter_jaxpr` when a newer version exists."
    ) in out


def test_listeners_that_someone_cleared_come_back(observer: Observer, observe: Observe) -> None:
    monitoring = sys.modules["jax._src.monitoring"]
    listeners = list(monitoring.get_event_duration_listeners())
    for listener in listeners:
        monitoring.unregister_event_duration_listener(listener)
    try:
        function = only(observe(lambda: jax.jit(lambda x: x - 9)(jnp.ones(3))))
    finally:
        for listener in listeners:
            if listener not in monitoring.get_event_duration_listeners():
                monitoring.register_event_duration_secs_listener(listener)
    assert counts(function) == {"misses": 1, "traces": 1, "lowerings": 1, "compiles": 1}


def test_no_backend_is_started(tmp_path: Any) -> None:
    out = run_python(
        IN_A_SHELL
        + "shell.run_cell('import jax')\nprint(run('%%jaxpr\\n1'))\nfrom jax._src import xla_bridge\n"
        + "print(list(xla_bridge._backends))"
    )
    assert out.splitlines()[-1] == "[]"


def test_loading_the_extension_does_not_import_jax() -> None:
    assert run_python(IN_A_SHELL + "print('jax' in sys.modules)").splitlines()[-1] == "False"


def test_the_private_parts_of_this_jax_are_as_known() -> None:
    assert support() == Support("hooks")
