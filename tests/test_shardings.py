"""Tests programs on eight devices: pictures of their arrays, and the causes of their collectives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.read.shardings_for_scripts import exchanged
from jupyter_jaxpr.document.types.shardings import ProgramShardings

pytestmark = pytest.mark.any_jax

SETUP = """
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import jupyter_jaxpr as jj

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def put(array, *axes):
    return jax.device_put(array, NamedSharding(mesh, P(*axes)))


def told(found):
    for each in found.collectives:
        print(each)
    print(found.exchanged)


a, w = put(jnp.ones((8, 16)), "x", "y"), put(jnp.ones((16, 4)), "y", None)
"""


# A program that reads paths of scripts, runs the scripts one after the other, and writes the output and the error of
# each.
STORYTELLER = """
import contextlib, io, json, os, sys, traceback

for path in map(str.strip, sys.stdin):
    os.chdir(os.path.dirname(path))
    printed, raised = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(open(path, encoding="utf-8").read(), path, "exec"), {"__name__": "__main__"})
        except Exception:
            raised = traceback.format_exc()
    print(json.dumps([printed.getvalue(), raised]), flush=True)
"""

Tell = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def storyteller() -> Iterator[subprocess.Popen[str]]:
    """Yield a process with eight JAX devices; the tests share it, because its start takes longer than a test."""
    flags = "--xla_force_host_platform_device_count=8"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    with subprocess.Popen(
        [sys.executable, "-c", STORYTELLER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def on_eight_devices(storyteller: subprocess.Popen[str], tmp_path: Path) -> Tell:
    """Return a function that runs the code of a story with eight JAX devices, and returns the lines that it prints."""

    def tell(story: str) -> list[str]:
        script = tmp_path / "story.py"
        script.write_text(SETUP + textwrap.dedent(story))
        storyteller.stdin.write(f"{script}\n")
        storyteller.stdin.flush()
        printed, raised = json.loads(storyteller.stdout.readline())
        assert raised is None, raised
        return printed.replace("\u00a0", " ").splitlines()

    return tell


def test_a_matrix_product_over_a_mesh(on_eight_devices):
    output = on_eight_devices(
        """
        @jax.jit
        def f(a, w):
            h = a @ w
            return h.sum(), h

        print(jj.inspect(f, a, w).shardings())
        """
    )
    assert output == [
        "8 devices",
        "",
        "argument a: f32[8,16] · P('x', 'y') · shard [2,8] on each device · sharding set before compiling",
        "      │ 0:8 │ 8:16",
        "  0:2 │ 0   │ 1",
        "  2:4 │ 2   │ 3",
        "  4:6 │ 4   │ 5",
        "  6:8 │ 6   │ 7",
        "",
        "argument w: f32[16,4] · P('y', None) · shard [8,4] on each device · 4 copies of each shard · sharding set "
        "before compiling",
        "       │ 0:4",
        "  0:8  │ 0, 2, 4, 6",
        "  8:16 │ 1, 3, 5, 7",
        "",
        "result result[0]: f32[] · P() · shard [] on each device · 8 copies of each shard · sharding chosen by XLA",
        "  Every device holds the whole array: 0 to 7",
        "",
        "result result[1]: f32[8,4] · P('x',) · shard [2,4] on each device · 2 copies of each shard · sharding chosen "
        "by XLA",
        "      │ 0:4",
        "  0:2 │ 0, 1",
        "  2:4 │ 2, 3",
        "  4:6 │ 4, 5",
        "  6:8 │ 6, 7",
        "",
        "The results of 2 collectives take 36 B on each device per call. "
        "Each device sends about 38 B per call (estimate for the ring algorithm).",
        "all-reduce: 32 B on each device · once per call · line 26: dot_general · 4 groups of 2 devices",
        "all-reduce: 4 B on each device · once per call · line 27: reduce_sum · 2 groups of 4 devices",
    ]


def test_a_data_parallel_step_sums_its_gradients(on_eight_devices):
    output = on_eight_devices(
        """
        from jupyter_jaxpr.document.copies.saved_copy import saved_copy

        p = {"b": put(jnp.ones(32)), "v": put(jnp.ones((16, 32))), "w": put(jnp.ones((32, 4)))}
        x, y = put(jnp.ones((8, 16)), "x"), put(jnp.ones((8, 4)), "x")

        def loss(p, x, y):
            h = jnp.tanh(x @ p["v"] + p["b"])
            return jnp.mean((h @ p["w"] - y) ** 2)

        @jax.jit
        def step(p, x, y):
            value, slopes = jax.value_and_grad(loss)(p, x, y)
            return jax.tree.map(lambda a, b: a - 0.1 * b, p, slopes), value

        found = jj.inspect(step, p, x, y).shardings()
        told(found)
        print(saved_copy(jj.inspect(step, p, x, y).document, 2_000).shardings)
        for cause in found.collectives[0].collective.causes:
            print(cause.bytes, cause.line, cause.op_name, len(cause.equations))
        """
    )
    assert output == [
        "all-reduce: 2.7 kB on each device · once per call · lines 30, 31: reduce_sum, dot_general · "
        "2 groups of 4 devices · 4 arrays in one collective",
        "The results of 1 collective take 2.7 kB on each device per call. "
        "Each device sends about 4.0 kB per call (estimate for the ring algorithm).",
        "[]",
        "128 30 jit(step)/transpose(jvp())/reduce_sum 2",
        "2048 30 jit(step)/transpose(jvp())/dot_general 1",
        "512 31 jit(step)/transpose(jvp())/dot_general 2",
        "4 31 jit(step)/jvp()/reduce_sum 1",
    ]


def test_a_tensor_parallel_product(on_eight_devices):
    output = on_eight_devices(
        """
        x = put(jnp.ones((8, 16)), "x", None)
        up, down = put(jnp.ones((16, 32)), None, "y"), put(jnp.ones((32, 16)), "y", None)

        @jax.jit
        def layer(x, up, down):
            h = jax.nn.relu(x @ up)
            o = jax.lax.with_sharding_constraint(h @ down, NamedSharding(mesh, P("x", "y")))
            whole = jax.lax.with_sharding_constraint(o, NamedSharding(mesh, P(None, None)))
            return o, whole.sum()

        found = jj.inspect(layer, x, up, down).shardings()
        told(found)
        print(found.arrays[-1].head)
        print(found.arrays[-1].picture)
        print([sorted(group) for each in found.collectives for group in each.collective.groups])
        """
    )
    # From JAX 0.12 on, XLA names the other of the two sharding constraints as the cause of an exchange between them.
    line = 31 if jax.__version_info__ < (0, 12) else 30
    assert output == [
        "all-reduce: 128 B on each device · once per call · line 30: dot_general · 4 groups of 2 devices",
        f"all-gather: 128 B on each device · once per call · line {line}: sharding_constraint · 4 groups of 2 devices",
        f"all-gather: 512 B on each device · once per call · line {line}: sharding_constraint · 2 groups of 4 devices",
        "The results of 3 collectives take 768 B on each device per call. "
        "Each device sends about 576 B per call (estimate for the ring algorithm).",
        "sharding_constraint: f32[8,16] · P(None, None) · shard [8,16] on each device · 8 copies of each shard · "
        "sharding set on line 31",
        "Every device holds the whole array: 0 to 7",
        "[[0, 1], [2, 3], [4, 5], [6, 7], [0, 1], [2, 3], [4, 5], [6, 7], [0, 2, 4, 6], [1, 3, 5, 7]]",
    ]


def test_shard_map(on_eight_devices):
    output = on_eight_devices(
        """
        def exchange(part):
            total = jax.lax.psum(part, "x")
            passed = jax.lax.ppermute(total, "y", [(0, 1), (1, 0)])
            wide = jax.lax.all_gather(passed, "y", axis=1, tiled=True)
            spread = jax.lax.psum_scatter(wide, "x", scatter_dimension=1, tiled=True)
            return spread, jax.lax.all_to_all(part, "x", 1, 0, tiled=True)

        specs = {"in_specs": P("x", "y"), "out_specs": (P(None, "x"), P("x", "y"))}
        found = jj.inspect(jax.jit(jax.shard_map(exchange, mesh=mesh, check_vma=False, **specs)), a).shardings()
        told(found)
        for array in found.arrays[-3:]:
            print(array.head)
        """
    )
    assert sorted(output[:5]) == [
        "all-gather: 128 B on each device · once per call · line 27: all_gather · 4 groups of 2 devices",
        "all-reduce: 64 B on each device · once per call · line 25: psum · 2 groups of 4 devices",
        "all-to-all: 64 B on each device · once per call · line 29: all_to_all · 2 groups of 4 devices",
        "collective-permute: 64 B on each device · once per call · line 26: ppermute · 8 pairs of devices",
        "reduce-scatter: 32 B on each device · once per call · line 28: reduce_scatter · 2 groups of 4 devices",
    ]
    assert output[5:] == [
        # sent by each device: all-gather 64, all-reduce 96, all-to-all 48, collective-permute 64, reduce-scatter 96
        "The results of 5 collectives take 352 B on each device per call. "
        "Each device sends about 368 B per call (estimate for the ring algorithm).",
        "shard_map in_specs[0]: f32[8,16] · P('x', 'y') · shard [2,8] on each device · sharding set by an equation",
        "shard_map out_specs[0]: f32[2,16] · P(None, 'x') · shard [2,4] on each device · 2 copies of each shard · "
        "sharding set by an equation",
        "shard_map out_specs[1]: f32[32,4] · P('x', 'y') · shard [8,2] on each device · sharding set by an equation",
    ]


def test_a_collective_in_a_scan_counts_once_a_trip(on_eight_devices):
    output = on_eight_devices(
        """
        square = put(jnp.ones((16, 16)), "y", None)

        @jax.jit
        def rnn(x, w):
            def body(h, _):
                return jnp.tanh(h @ w), None
            return jax.lax.scan(body, x, None, length=10)[0]

        @jax.jit
        def until(x, w):
            return jax.lax.while_loop(lambda h: h.sum() > 1, lambda h: h @ w / 2, x)

        told(jj.inspect(rnn, a, square).shardings())
        print(*(each.collective.per_trip for each in jj.inspect(until, a, square).shardings().collectives))
        """
    )
    assert output[:2] == [
        "all-reduce: 128 B on each device · 10 times per call · line 29: dot_general · 4 groups of 2 devices",
        "The results of 1 collective take 1.3 kB on each device per call. "
        "Each device sends about 1.3 kB per call (estimate for the ring algorithm).",
    ]
    assert set(output[2].split()) == {"True"}


def test_what_may_run_once_or_often_or_not_is_said_of_the_sum(on_eight_devices):
    output = on_eight_devices(
        """
        def until(x):
            return jax.lax.while_loop(lambda h: h.max() > 1, lambda h: jax.lax.psum(h, "x") / 8, x)

        def perhaps(x):
            return jax.lax.cond(x.sum() > 0, lambda h: jax.lax.psum(h, "y"), lambda h: h, x)

        specs = {"mesh": mesh, "in_specs": P("x"), "out_specs": P("x"), "check_vma": False}
        for function in until, perhaps:
            told(jj.inspect(jax.shard_map(function, **specs), put(jnp.ones((8, 16)), "x")).shardings())
        print(jj.inspect(lambda x: jnp.sort(x, axis=0), a).shardings().exchanged)
        """
    )
    assert output == [
        "all-reduce: 128 B on each device · once per loop step · line 25: psum · 2 groups of 4 devices",
        "The results of 1 collective take 128 B on each device per call. "
        "Each device sends about 192 B per call (estimate for the ring algorithm). "
        "For a loop with an unknown number of steps, these numbers count one step.",
        "all-reduce: 128 B on each device · at most once per call · line 28: psum · 4 groups of 2 devices",
        "The results of 1 collective take 128 B on each device per call. "
        "Each device sends about 128 B per call (estimate for the ring algorithm). "
        "These numbers count the collectives of every branch, as if each branch ran.",
        "The results of 2 collectives take 128 B on each device per call. "
        "Each device sends about 96 B per call (estimate for the ring algorithm).",
    ]


def test_one_axis_and_three(on_eight_devices):
    output = on_eight_devices(
        """
        cube = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("x", "y", "z"))
        line = put(jnp.ones(8), "x")
        block = jax.device_put(jnp.ones((2, 2, 2)), NamedSharding(cube, P("x", "y", "z")))
        for array in (line, block):
            print(jj.inspect(jax.jit(lambda x: x + 1), array).shardings().arrays[0].picture)
        """
    )
    assert output == [
        "0:2 │ 0, 1",
        "2:4 │ 2, 3",
        "4:6 │ 4, 5",
        "6:8 │ 6, 7",
        "    │ 0:1  │ 1:2",
        "0:1 │ 0, 1 │ 2, 3",
        "1:2 │ 4, 5 │ 6, 7",
        "The array is also split along axis 2.",
    ]


def test_what_was_given_and_what_was_chosen(on_eight_devices):
    output = on_eight_devices(
        """
        rows = NamedSharding(mesh, P("x"))
        f = jax.jit(lambda x, y: (x + y, x * 2), in_shardings=(rows, None), out_shardings=(None, rows))
        for array in jj.inspect(f, np.ones((8, 2)), np.ones((8, 2))).shardings().arrays:
            print(array.role, array.name, array.spec, array.origin)
        """
    )
    assert output == [
        "argument x P('x',) given",
        "argument y P('x',) chosen",
        "result result[0] P('x',) chosen",
        "result result[1] P('x',) given",
    ]


def test_devices_in_another_order(on_eight_devices):
    output = on_eight_devices(
        """
        turned = Mesh(np.array(jax.devices())[::-1].reshape(4, 2), ("x", "y"))
        x = jax.device_put(jnp.ones((8, 2)), NamedSharding(turned, P("x", "y")))
        found = jj.inspect(jax.jit(lambda x: x.sum(1)), x).shardings()
        print(found.arrays[0].picture)
        print(found.collectives[0].collective.groups)
        """
    )
    assert output == [
        "    │ 0:1 │ 1:2",
        "0:2 │ 7   │ 6",
        "2:4 │ 5   │ 4",
        "4:6 │ 3   │ 2",
        "6:8 │ 1   │ 0",
        "[[7, 6], [5, 4], [3, 2], [1, 0]]",
    ]


def test_an_argument_that_is_not_used(on_eight_devices):
    output = on_eight_devices(
        """
        found = jj.inspect(jax.jit(lambda unused, w: w * 2), a, w).shardings()
        print([(array.role, array.name, array.copies) for array in found.arrays])
        print(str(found).splitlines()[-1])
        """
    )
    assert output == [
        "[('argument', 'w', 4), ('result', 'result', 4)]",
        "The program has no collectives: the devices exchange no data.",
    ]


def test_a_saved_snapshot_and_its_exports_say_the_same(on_eight_devices):
    output = on_eight_devices(
        """
        from pathlib import Path

        f = jax.jit(lambda a, w: (a @ w).sum())
        found = jj.inspect(f, a, w)
        again = jj.Snapshot.from_json(found.to_json())
        print(str(again.shardings()) == str(found.shardings()))
        for name in ("spread.md", "spread.html", "spread.json"):
            found.save(name)
            text = Path(name).read_text().replace(chr(92), "").replace(chr(160), " ")
            exchanged = "The results of 2 collectives" in text or '"kind":"all-reduce"' in text
            print(name, "Shardings" in text, exchanged, len(text) < 1e5)
        print(jj.inspect(lambda x: x + 1, 1.0).document.shardings)
        """
    )
    assert output == [
        "True",
        "spread.md True True True",
        "spread.html True True True",
        "spread.json False True True",
        "[]",
    ]


def test_a_large_program_is_read_when_it_is_asked_about(on_eight_devices):
    output = on_eight_devices(
        """
        from jupyter_jaxpr.wire.answers_to_requests import Answers
        from jupyter_jaxpr.wire.kept_runs import Runs
        from jupyter_jaxpr.build.document_of_run import Built

        def many(a, w):
            for _ in range(400):
                a = jnp.sin(a)
            return a @ w

        found = jj.inspect(jax.jit(many), a, w)
        [held] = found.document.shardings
        print(len(held.arrays), held.collectives)
        runs = Runs()
        runs.keep(Built(found.document, found._sources))
        ask = {"type": "shardings", "id": 1, "snapshot": found.document.id}
        reply = Answers(runs).answer({**ask, "program": 0})
        print([each.kind for each in reply.result.collectives], reply.result.bytes)
        print(Answers(runs).answer({**ask, "program": 7}).reason)
        print([each.kind for each in found._sources.document.shardings[0].collectives])
        """
    )
    assert output == [
        "3 None",
        "['all-reduce'] 32",
        "This run does not have the requested program. Run the cell again.",
        "['all-reduce']",
    ]


def test_what_is_derived_from_a_spread_program(on_eight_devices):
    derived = on_eight_devices(
        """
        specs = {"in_specs": P("x", "y"), "out_specs": P(None, "y")}
        spread = jax.shard_map(lambda part: jax.lax.psum(part, "x"), mesh=mesh, **specs)
        found = jj.inspect(jax.jit(lambda a: (spread(a) ** 2).sum()), a)
        for kind in ("grad", "vmap", "jvp", "linearize"):
            made = found.transform(kind).transforms[-1]
            letters = {letter for part in made.parts for row in part.roles for letter in row.roles}
            print(kind, made.error, *sorted(letters))
        """
    )
    assert derived == ["grad None - b f", "vmap None", "jvp None f m t", "linearize None f t"]


def test_damaged_shardings_are_refused(on_eight_devices):
    output = on_eight_devices(
        """
        print(jj.inspect(jax.jit(lambda a, w: a @ w), a, w).to_json())
        """
    )
    document = msgspec.json.decode(output[0])
    read(document)
    [shardings] = document["shardings"]
    [collective] = shardings["collectives"]
    cases = [
        (shardings, "program", 3, "program"),
        (shardings, "collectives", [collective] * 10_001, "a list of more than 10,000 collectives"),
        (shardings["arrays"][0], "layout", 9, "a layout"),
        (shardings["arrays"][0], "shard", [2], "a shard"),
        (shardings["layouts"][0], "holders", [[0]], "holders"),
        (collective, "groups", [[99]], "groups"),
        (collective, "runs", -1, "a collective's numbers"),
        (collective["causes"][0], "equations", [[0, 99]], "an equation"),
    ]
    for part, name, wrong, message in cases:
        right_value, part[name] = part[name], wrong
        with pytest.raises(ValueError, match=message):
            read(document)
        part[name] = right_value
    read(document)


def test_one_device():
    snapshot = jj.inspect(lambda x: jnp.sin(x), np.ones(3, np.float32))
    assert snapshot.document.shardings == []
    spread = snapshot.shardings()
    assert str(spread).startswith("1 device\n\nargument x: f32[3] · ")
    assert spread.collectives == ()
    assert snapshot.document.shardings == []


def test_what_cannot_be_said():
    snapshot = jj.inspect(lambda x: jnp.sin(x), 1.0, stage="trace")
    with pytest.raises(ValueError, match=r"^JAX has not compiled this program.* stage='compile'\.$"):
        snapshot.shardings()
    with pytest.raises(ValueError, match=r"does not hold the shardings of <lambda>: .* Inspect the function again\.$"):
        jj.Snapshot.from_json(snapshot.to_json()).shardings()


def test_collectives_that_were_not_read_are_not_said_to_be_none():
    shardings = ProgramShardings(program=0, devices=[0, 1], layouts=[], arrays=[])
    assert exchanged(shardings) == (
        "The document does not hold the collectives of this program. "
        "Open Shardings in the panel, or call shardings() on the snapshot of a new run."
    )
    assert exchanged(msgspec.structs.replace(shardings, collectives=[])) == (
        "The program has no collectives: the devices exchange no data."
    )
