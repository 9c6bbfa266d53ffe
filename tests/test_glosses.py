"""Tests that each primitive of JAX has a gloss, and that each linked function of JAX is public."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import jax
import jax.extend.core.primitives as public
import jax.numpy as jnp
import pytest
from jax import lax
from jax.experimental import pallas as pl

TABLE = Path(__file__).parent.parent / "src" / "workbench" / "words" / "primitive-glosses.ts"

# Matches a row on one line, such as `add: [trans.__('sum, element by element'), 'lax.add', 'x, y'],`.
ROW = re.compile(
    r"""^\ {4}(?:'([^']+)'|(\w+)):\ \[              # the primitive
    trans\.__\((?:'([^'\\]*)'|"([^"]*)")\),\     # its words
    (null|'[\w.]+'),\                            # where it is documented
    '([^']*)'\],$                                # its operands""",
    re.MULTILINE | re.VERBOSE,
)


def glosses() -> dict[str, tuple[str, str | None, str]]:
    by_name: dict[str, tuple[str, str | None, str]] = {}
    text = TABLE.read_text(encoding="utf-8")
    rows = list(ROW.finditer(text))
    assert len(rows) == text.count("trans.__("), "the table has a row that this test cannot read"
    for quoted, plain, words, word, documented, operands in (row.groups() for row in rows):
        name = quoted or plain
        assert name not in by_name, f"{name} has two rows"
        by_name[name] = (words or word, None if documented == "null" else documented.strip("'"), operands)
    return by_name


def primitives() -> set[str]:
    """Return the names of all primitives in JAX's public modules."""
    return {getattr(module, name).name for module in (public, lax) for name in dir(module) if name.endswith("_p")}


def public_function(path: str) -> object:
    at: object = jax
    for name in path.split("."):
        if inspect.ismodule(at) and not hasattr(at, name):
            __import__(f"{at.__name__}.{name}")
        at = getattr(at, name)
    return at


def test_every_public_primitive_has_its_words():
    assert sorted(primitives() - glosses().keys()) == []
    assert {"scan", "while", "cond", "jit", "remat2", "custom_jvp_call", "dot_general", "psum"} <= primitives()


def test_what_a_jaxpr_prints_has_its_words():
    def everything(x):
        jax.debug.print("{}", x)
        y = jax.checkpoint(jnp.sin)(x) + jax.random.normal(jax.random.key(0), x.shape)
        y = lax.fori_loop(0, 3, lambda _, y: jnp.where(y > 0, y, -y), y)
        y = lax.cond(y.sum() > 0, jnp.cos, jnp.tanh, y)
        y = jax.pure_callback(lambda y: y, y, y)
        return lax.scan(lambda c, x: (jax.nn.relu(c) * x, c), 1.0, y), jnp.sort(y), jax.nn.softmax(y), y[jnp.argmax(y)]

    printed = set(
        re.findall(r"(?:= |^ +)([a-z][\w-]*)(?=\[| )", str(jax.make_jaxpr(everything)(jnp.ones(4))), re.MULTILINE)
    )
    assert {"scan", "cond", "sort", "sin", "random_bits", "pure_callback"} <= printed
    assert sorted(printed - {"in", "let", "lambda"} - glosses().keys() - {"branches", "jaxpr"}) == []


def test_what_jnp_is_made_of_has_its_words():
    def everything(x):
        return jnp.frexp(x), jnp.ldexp(x, 2), jnp.searchsorted(x, x), jnp.nonzero(x, size=2), jnp.interp(x, x, x)

    printed = set(re.findall(r"= ([A-Z]\w+)(?=\[| )", str(jax.make_jaxpr(everything)(jnp.ones(4)))))
    assert sorted(printed - glosses().keys()) == []


def test_kernels_and_references_have_their_words():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * pl.program_id(0) + pl.num_programs(0)

    def everything(x):
        reference = jax.new_ref(x)
        reference[0] += pl.pallas_call(kernel, out_shape=x, grid=(1,), interpret=True)(x)[0]
        return reference[...]

    printed = set(
        re.findall(
            r"(?:= |^ +)([a-z][\w-]*)(?=\[(?:\w+=|\n))", str(jax.make_jaxpr(everything)(jnp.ones(4))), re.MULTILINE
        )
    )
    assert {"pallas_call", "program_id", "new_ref"} <= printed
    assert sorted(printed - glosses().keys() - {"lambda", "Ref"}) == []


@pytest.mark.parametrize("documented", sorted({path for _, path, _ in glosses().values() if path}))
def test_a_link_leads_to_a_public_function(documented):
    assert callable(public_function(documented))


def test_words_are_short_and_end_without_a_full_stop():
    assert [words for words, _, _ in glosses().values() if len(words) > 70 or words.endswith(".")] == []


# --- operations of StableHLO and HLO ---

OPERATIONS = TABLE.with_name("operation-glosses.ts")

# Matches the name of an operation, but not an attribute such as `#stablehlo.output_operand_alias<` or `{stablehlo.mesh
# = `.
OPERATION = re.compile(r"(?<![#\w])(?:stablehlo|chlo)\.(\w+)(?!\w| =)")


def operations() -> dict[str, str]:
    _, _, table = OPERATIONS.read_text(encoding="utf-8").partition("function operationTable(")
    rows = re.findall(r"^    (\w+): \[trans\.__\('([^']*)'\), (?:true|false)\],$", table, re.MULTILINE)
    assert len(rows) == table.count("trans.__(") == len(dict(rows)) > 0
    return dict(rows)


def everything(x):
    y = jax.checkpoint(jnp.sin)(x) + jax.random.normal(jax.random.key(0), x.shape)
    y = lax.fori_loop(0, 3, lambda _, y: jnp.where(y > 0, y, -y), y)
    y = lax.cond(y.sum() > 0, jnp.cos, jnp.tanh, y)
    matrix = jnp.outer(y, y) + jnp.eye(4)
    parts = y.at[2].set(1.0), jnp.sort(y), y[jnp.argmax(y)], jnp.cumsum(y), jnp.pad(y, 1), jnp.concatenate([y, y])
    products = matrix @ y, jnp.linalg.cholesky(matrix), jnp.fft.fft(y), jnp.convolve(y, y), jnp.round(y), y[::-1]
    mathematics = (
        jnp.log1p(y),
        jnp.expm1(y),
        lax.rsqrt(y),
        y**2.5,
        y % 3,
        jax.nn.sigmoid(y),
        jnp.isfinite(y),
        lax.erf(y),
    )
    numbers = jnp.arange(4) << 1, jnp.arange(4) ^ 3, lax.population_count(jnp.arange(4)), y.astype(jnp.int32)
    return lax.scan(lambda c, x: (c * x, c), 1.0, y), parts, products, mathematics, numbers, jnp.arctan2(y, 2.0)


def test_what_stablehlo_and_hlo_print_has_its_words():
    lowered = jax.jit(everything).lower(jnp.ones(4))
    stablehlo = set(OPERATION.findall(lowered.as_text()))
    hlo = set(re.findall(r" = (?:\([^=]*?\)|\S+) ([a-z][\w-]*)\(", lowered.compile().as_text()))
    assert {"add", "while", "sort", "dot_general", "dynamic_update_slice"} <= stablehlo
    assert {"add", "fusion", "get-tuple-element", "parameter", "while"} <= hlo
    assert sorted((stablehlo | {name.replace("-", "_") for name in hlo}) - operations().keys()) == []


def test_the_texts_of_the_fixtures_have_their_words():
    names: set[str] = set()
    for path in (Path(__file__).parent / "fixtures").glob("*.json"):
        text = path.read_text(encoding="utf-8").replace('\\"', '"').replace("\\n", "\n")
        names |= set(OPERATION.findall(text))
        names |= {name.replace("-", "_") for name in re.findall(r"%[\w.-]+ = \S+ ([a-z][\w-]*)\(", text)}
    assert len(names) > 30
    assert sorted(names - operations().keys()) == []


def test_words_of_operations_are_short_and_end_without_a_full_stop():
    assert [words for words in operations().values() if len(words) > 90 or words.endswith(".")] == []
