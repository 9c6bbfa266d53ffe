"""Tests sweeps of a function: the measured points, the points left out, and the sentences."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jupyter_jaxpr.build.times.sweep_of_sizes import sweep_document
from jupyter_jaxpr.measure.compare.compared_functions import Candidate
from jupyter_jaxpr.measure.times import sweep_point, sweep_time_limit
from jupyter_jaxpr.measure.times.sweep_point import Point, Swept
from jupyter_jaxpr.measure.times.sweep_run import Sweep, Values, sweep
from jupyter_jaxpr.measure.times.sweep_time_limit import Growth
from jupyter_jaxpr.observe.process_observer import observer
from jupyter_jaxpr.typed.targets_and_array_types import parse_target

pytestmark = pytest.mark.any_jax

SOURCE = """
def looped(n):
    return lax.scan(lambda c, _: (jnp.sin(c), None), jnp.ones(3), length=n)[0]

def unrolled(n):
    x = jnp.ones(3)
    for _ in range(n):
        x = jnp.sin(x)
    return x

@jax.jit
def product(a):
    return a @ a

def shown(x):
    jax.debug.print("{}", x)
    return x

def told(x):
    print("told")
    return x * 2

def branching(x):
    return x * 2 if x.sum() > 0 else x

def narrow(x):
    return x @ jnp.ones((4, 2))
"""


@pytest.fixture(autouse=True)
def _ready(monkeypatch):
    observer().hooks.ensure()
    # seconds for the runs of one call; short, because the times need not be exact
    monkeypatch.setattr(sweep_point, "BUDGET", 0.01)
    # no call is left out, however long it takes on a busy machine
    monkeypatch.setattr(sweep_time_limit, "TOO_LONG", math.inf)


@pytest.fixture
def names() -> dict[str, Any]:
    space: dict[str, Any] = {"jax": jax, "jnp": jnp, "lax": lax}
    exec(SOURCE, space)
    return space


def swept_over(names: dict[str, Any], call: str, name: str, *values: str, functions=(), **options: Any) -> Sweep:
    target = parse_target(call)
    names_of_functions = functions or [target.function_text]
    candidates = [Candidate(function_name, names[function_name]) for function_name in names_of_functions]
    return sweep(observer(), candidates, Values(name, values, target, names), **options)


def programs(sweep_result: Sweep) -> list[tuple[str, str, int | None, int | None, int | None]]:
    return [(point.function, point.value, point.equations, point.bytes, point.flops) for point in sweep_result.points]


def measured(sweep_result: Sweep) -> list[tuple[str, str, str]]:
    """Return, for each point of a sweep, the names of the times that were measured."""
    names = ("eager", "first", "warm", "trace", "lower", "compile")
    return [
        (point.function, point.value, " ".join(name for name in names if getattr(point, name) is not None))
        for point in sweep_result.points
    ]


ALL = "eager first warm trace lower compile"


# --- the measurements of a sweep -------------------------------------------------------------------------


def test_one_loop_of_xlas_is_the_same_program_at_every_length(names):
    swept = swept_over(names, "looped(n)", "n", "100", "1_000", "10_000")
    assert programs(swept) == [
        ("looped", "100", 3, swept.points[0].bytes, 0),
        ("looped", "1_000", 3, swept.points[0].bytes, 0),
        ("looped", "10_000", 3, swept.points[0].bytes, 0),
    ]
    assert [point.number for point in swept.points] == [100.0, 1000.0, 10000.0]
    assert measured(swept) == [("looped", value, ALL) for value in ("100", "1_000", "10_000")]
    assert swept.notes == ["looped was called with static arguments (n): JAX cannot trace looped otherwise."]
    (fit,) = [fit for fit in swept.fits if fit.series == "equations"]
    assert (fit.function, round(fit.law.exponent, 9), fit.law.first_number) == ("looped", 0.0, 100.0)


def test_unrolled_the_program_grows_with_the_loop(names):
    swept = swept_over(names, "unrolled(n)", "n", "1", "10", "100", functions=["unrolled", "looped"])
    assert [(point.function, point.value, point.equations) for point in swept.points] == [
        ("unrolled", "1", 2),
        ("looped", "1", 3),
        ("unrolled", "10", 11),
        ("looped", "10", 3),
        ("unrolled", "100", 101),
        ("looped", "100", 3),
    ]
    # The equations of `unrolled` have no fit, because only two points exceed the fixed cost.
    equations = {fit.function: round(fit.law.exponent, 2) for fit in swept.fits if fit.series == "equations"}
    assert equations == {"looped": 0.0}
    assert (swept.total, swept.stopped) == (6, None)


def test_a_product_of_matrices(names):
    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "16", "32", "64", "128")
    assert programs(swept) == [
        ("product", "16", 1, 2 * 16 * 16 * 4, 2 * 16**3),
        ("product", "32", 1, 2 * 32 * 32 * 4, 2 * 32**3),
        ("product", "64", 1, 2 * 64 * 64 * 4, 2 * 64**3),
        ("product", "128", 1, 2 * 128 * 128 * 4, 2 * 128**3),
    ]
    assert measured(swept) == [("product", value, ALL) for value in ("16", "32", "64", "128")]
    (fit,) = [fit for fit in swept.fits if fit.series == "bytes"]
    assert (round(fit.law.exponent, 9), round(fit.law.error, 9), fit.law.first_number) == (2.0, 0.0, 32.0)
    # other series may have a fit, too; this depends on the machine
    assert {"bytes", "equations"} <= {fit.series for fit in swept.fits}


def test_the_first_call_compiles_though_the_function_was_compiled_before(names):
    names["product"](jnp.ones((16, 16)))
    before = names["product"]._cache_size()
    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "16", "17")
    assert all(point.compile for point in swept.points)
    assert names["product"]._cache_size() == before


def test_the_name_stays_what_it_was(names):
    names["n"] = 7
    swept_over(names, "product(jnp.ones((n, n)))", "n", "2", "3")
    assert names["n"] == 7


def test_a_name_that_the_user_has_not_is_not_left_behind(names):
    swept_over(names, "product(jnp.ones((m, m)))", "m", "2", "3")
    assert "m" not in names


def test_values_that_are_no_numbers_have_no_fit(names):
    swept = swept_over(names, "product(jnp.ones(shape))", "shape", "(2, 2)", "(3, 3)")
    assert [(point.value, point.number, point.equations) for point in swept.points] == [
        ("(2, 2)", None, 1),
        ("(3, 3)", None, 1),
    ]
    assert swept.fits == []


def test_values_may_be_any_expression_of_the_users(names):
    names["size"] = 4
    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "size", "2 * size")
    assert [(point.value, point.number) for point in swept.points] == [("size", 4.0), ("2 * size", 8.0)]


def test_the_options_of_jit_are_kept(names):
    names["given"] = jax.jit(lambda x, axis: x + x.sum(axis), static_argnames="axis", donate_argnums=0)
    names["held"] = jnp.ones((3, 3))
    swept = swept_over(names, "given(held, axis=k)", "k", "0", "1")
    assert [point.error for point in swept.points] == [None, None]
    assert measured(swept) == [("given", "0", ALL), ("given", "1", ALL)]
    assert not names["held"].is_deleted()


def test_shardings_are_kept(names):
    from jax.sharding import SingleDeviceSharding

    sharding = SingleDeviceSharding(jax.devices()[0])
    names["placed"] = jax.jit(lambda x: x * 2, in_shardings=sharding, out_shardings=sharding)
    swept = swept_over(names, "placed(jnp.ones(n))", "n", "2", "3")
    assert programs(swept) == [("placed", "2", 1, 16, 2), ("placed", "3", 1, 24, 3)]


def test_a_function_that_is_only_a_jitted_call_has_no_eager_run_of_its_own(names):
    names["wrapped"] = lambda x: names["product"](x)
    swept = swept_over(names, "wrapped(jnp.ones((n, n)))", "n", "2", "3")
    assert measured(swept) == [("wrapped", "2", ALL), ("wrapped", "3", ALL)]
    assert swept.notes == [
        "wrapped only calls product, which is jitted, so the eager times of wrapped are of compiled code too."
    ]


# --- the calls that are left out, and why -----------------------------------------------------------------------------


def test_an_error_at_one_value_is_that_points(names):
    swept = swept_over(names, "narrow(jnp.ones((3, n)))", "n", "3", "4", "5")
    assert [(point.value, point.equations is None, point.error) for point in swept.points] == [
        (
            "3",
            True,
            "TypeError: dot_general requires contracting dimensions to have the same shape, got (3,) and (4,).",
        ),
        ("4", False, None),
        (
            "5",
            True,
            "TypeError: dot_general requires contracting dimensions to have the same shape, got (5,) and (4,).",
        ),
    ]
    assert (swept.stopped, swept.notes) == (None, [])


def test_arguments_that_cannot_be_made_are_that_points_error(names):
    swept = swept_over(names, "product(jnp.ones((4 // n, 4)))", "n", "0", "1")
    assert [(point.value, point.number, point.error) for point in swept.points] == [
        ("0", 0.0, "ZeroDivisionError: integer division or modulo by zero (in the arguments)"),
        ("1", 1.0, None),
    ]


POSITIONAL = """
def scaled(x, mode, /):
    return x * 2 if mode == "double" else x

def filled(x, size, /):
    return jnp.zeros(size) + x.sum()

def both(x, size, /, mode):
    return jnp.zeros(size) + x.sum() if mode == "sum" else x

def either(x, *rest):
    return x * rest[0] if rest[1] == "times" else x
"""


@pytest.mark.parametrize(
    ("call", "notes"),
    [
        ("scaled(jnp.ones(n), 'double')", []),
        (
            "filled(jnp.ones(3), n)",
            ["filled was called with static arguments (size): JAX cannot trace filled otherwise."],
        ),
        (
            "both(jnp.ones(3), n, 'sum')",
            ["both was called with static arguments (size, mode): JAX cannot trace both otherwise."],
        ),
        ("either(jnp.ones(n), 3, 'times')", []),
    ],
)
def test_static_arguments_without_a_name(names, call, notes):
    exec(POSITIONAL, names)
    swept = swept_over(names, call, "n", "2", "3")
    assert [(point.error, point.first is None, point.eager is None) for point in swept.points] == [
        (None, False, False)
    ] * 2
    assert swept.notes == notes


def test_numbers_are_static_to_a_filter_jit(names):
    exec("import equinox\n@equinox.filter_jit\ndef times(x, k):\n    return x * k if isinstance(k, int) else x", names)
    swept = swept_over(names, "times(jnp.ones(n), 3)", "n", "2", "4")
    assert [(point.error, point.flops) for point in swept.points] == [(None, 2), (None, 4)]


def test_a_function_that_cannot_be_traced_has_eager_times_alone(names):
    swept = swept_over(names, "branching(jnp.ones(n))", "n", "2", "3")
    assert measured(swept) == [("branching", "2", "eager"), ("branching", "3", "eager")]
    (note,) = swept.notes
    assert note.startswith("JAX cannot trace branching, so branching has only eager times. TracerBoolConversionError: ")


def test_a_function_with_effects_is_not_called(names, capsys):
    swept = swept_over(names, "shown(jnp.ones(n))", "n", "2", "3")
    jax.effects_barrier()
    assert measured(swept) == [("shown", "2", "trace"), ("shown", "3", "trace")]
    assert [point.equations for point in swept.points] == [1, 1]
    assert swept.notes == [
        "shown has effects (Debug), which each call repeats, so shown was traced and not called. To time the calls, "
        "run the sweep from the Time tab, which asks first."
    ]
    assert capsys.readouterr().out == ""


def test_the_panel_is_asked_before_effects_and_nothing_is_called(names, capsys):
    swept = swept_over(names, "shown(jnp.ones(n))", "n", "2", "3", ask=True)
    jax.effects_barrier()
    assert swept.question == (
        "shown has effects (Debug). The sweep calls shown many times at each value, and each call repeats the effects. "
        "Run the sweep?"
    )
    assert capsys.readouterr().out == ""


def test_confirmed_effects_happen(names):
    totals: list[float] = []
    names["counted"] = lambda x: (jax.debug.callback(lambda total: totals.append(float(total)), x.sum()), x * 2)[1]
    swept = swept_over(names, "counted(jnp.ones(n))", "n", "2", "3", ask=True, confirmed=True)
    jax.effects_barrier()
    assert measured(swept) == [("counted", "2", ALL), ("counted", "3", ALL)]
    assert swept.question is None
    assert set(totals) == {2.0, 3.0}


def test_what_a_function_prints_is_not_shown_again_and_again(names, capsys):
    swept = swept_over(names, "told(jnp.ones(n))", "n", "2", "3")
    assert measured(swept) == [("told", "2", ALL), ("told", "3", ALL)]
    assert capsys.readouterr().out == ""


def test_a_call_that_would_take_too_long_is_left_out(names, monkeypatch):
    monkeypatch.setattr(sweep_time_limit, "TOO_LONG", 0.0)  # each call after the first one is expected to take longer
    sizes: list[int] = []
    names["make"] = lambda n: (sizes.append(n), jnp.ones((n, n)))[1]
    swept = swept_over(names, "product(make(n))", "n", "2", "4", "8")
    assert measured(swept) == [("product", "2", ALL)]
    assert swept.stopped == (
        "The sweep ended before n = 4, after 1 of 3 points: a call was expected to take over 10\u00a0s. To measure "
        "n = 4 anyway, make 4 the first value."
    )
    assert sizes == [2]


def test_only_the_kind_of_call_that_would_take_too_long_is_left_out(names, monkeypatch):
    monkeypatch.setattr(sweep_time_limit, "TOO_LONG", 10.0)
    swept = Swept(observer(), Candidate("product", names["product"]), notes := [], "n", False, False, lambda: False)
    # 9 s at n = 1 let us expect 36 s at n = 4; the first and the warm calls have no earlier times
    swept._eager.took(1.0, 9.0)
    point = Point("product", "4", 4.0)
    swept.measure(point, (jnp.ones((4, 4)),), {}, lambda doing: None)
    assert (point.eager, point.warm is not None, point.first is not None) == (None, True, True)
    assert notes == [
        "product at n = 4: The eager calls are left out from this value of n on: a call was expected to take "
        "36\u00a0s. To measure n = 4 anyway, make 4 the first value."
    ]


def test_confirmed_calls_may_take_long(names, monkeypatch):
    monkeypatch.setattr(sweep_time_limit, "TOO_LONG", 0.0)
    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "2", "4", confirmed=True)
    assert measured(swept) == [("product", "2", ALL), ("product", "4", ALL)]


def test_a_slow_call_is_measured_once(names, monkeypatch):
    monkeypatch.setattr(sweep_point, "SLOW", 0.0)  # every call is slow
    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "2", "4")
    assert [point.warm is not None and point.warm.runs for point in swept.points] == [1, 1]
    assert "The warm time is a single sample: the execution in the first call." in swept.notes[0]


def test_growth_is_expected_to_go_on():
    growth = Growth()
    assert growth.expected(10) is None
    growth.took(10, 0.5)
    assert growth.expected(20) == pytest.approx(1.0)  # from a single time, growth in proportion is expected
    growth.took(20, 2.0)
    # the time grew fourfold when the number doubled, and this growth is expected to continue
    assert growth.expected(40) == pytest.approx(8.0)
    assert growth.expected(15) is None  # there is no prediction for a smaller number than the last
    assert growth.expected(None) is None


def test_a_missing_function_is_a_note(names):
    target = parse_target("product(jnp.ones((n, n)))")
    candidates = [
        Candidate("product", names["product"]),
        Candidate("other", missing="other is not defined. Define other."),
    ]
    swept = sweep(observer(), candidates, Values("n", ("2", "3"), target, names))
    assert swept.functions == ["product"]
    assert swept.total == 2
    assert swept.notes == ["The sweep leaves out other. other is not defined. Define other."]


# --- sweeps that are stopped -------------------------------------------------------------------------------


def test_stop_keeps_what_is_done(names):
    rows: list[tuple[str, int, int]] = []

    def report(text: str, points_done: int, total: int) -> None:
        rows.append((text, points_done, total))

    swept = swept_over(
        names,
        "product(jnp.ones((n, n)))",
        "n",
        "2",
        "3",
        "4",
        report=report,
        stop=lambda: any(points_done == 1 for _, points_done, _ in rows),
    )
    assert measured(swept)[0] == ("product", "2", ALL)
    assert swept.stopped == "The sweep was stopped after 1 of 3 points. Run the sweep again for all points."
    assert rows == [
        ("n=2: making the arguments of the calls", 0, 3),
        ("n=2: tracing", 0, 3),
        ("n=2: first call", 0, 3),
        ("n=2: warm calls", 0, 3),
        ("n=2: eager calls", 0, 3),
        ("n=3: making the arguments of the calls", 1, 3),
    ]


def test_an_interrupt_keeps_what_is_done(names):
    def report(text: str, points_done: int, total: int) -> None:
        if text == "n=3: warm calls":
            raise KeyboardInterrupt

    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "2", "3", report=report)
    assert swept.interrupted
    assert swept.stopped == "The sweep was interrupted after 2 of 2 points. Run the sweep again for all points."
    assert measured(swept) == [("product", "2", ALL), ("product", "3", "first trace lower compile")]
    assert swept.fits == []  # two points


def test_the_document_says_the_same(names):
    swept = swept_over(names, "product(jnp.ones((n, n)))", "n", "2", "3")
    document = sweep_document(swept)
    assert (document.name, document.call, document.functions, document.total) == (
        "n",
        "product(jnp.ones((n, n)))",
        ["product"],
        2,
    )
    assert [(point.value, point.equations, point.bytes, point.flops) for point in document.points] == [
        ("2", 1, 32, 16),
        ("3", 1, 72, 54),
    ]
    first = swept.points[0]
    assert first.warm is not None
    assert document.points[0].warm is not None
    assert (document.points[0].warm.median, document.points[0].warm.runs) == (first.warm.median, first.warm.runs)
