"""How a program is spread over eight devices: pictures of its arrays, and the collectives by what caused them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.program.shardings import Collective, collectives

SETUP = """
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import jupyter_jaxpr as jj

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def put(array, *axes):
    return jax.device_put(array, NamedSharding(mesh, P(*axes)))


a, w = put(jnp.ones((8, 16)), "x", "y"), put(jnp.ones((16, 4)), "y", None)
"""


def on_eight_devices(story: str, folder: Path) -> list[str]:
    """The lines that a script prints where JAX has eight devices."""
    script = folder / "story.py"
    script.write_text(SETUP + textwrap.dedent(story))
    flags = "--xla_force_host_platform_device_count=8"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def without_groups(lines: list[str]) -> list[str]:
    """XLA prints the groups of devices in other words on each line of JAX."""
    return [line.rpartition("), ")[0] + ")" if line.startswith("all-") else line for line in lines]


def test_a_matrix_product_over_a_mesh(tmp_path):
    said = on_eight_devices(
        """
        @jax.jit
        def f(a, w):
            h = a @ w
            return h.sum(), h

        print(jj.inspect(f, a, w).shardings())
        """,
        tmp_path,
    )
    assert without_groups(said) == [
        "8 devices",
        "",
        "argument a: float32[8, 16], P('x', 'y'): float32[2, 8] on each device",
        "      │ 0:8 │ 8:16",
        "  0:2 │ 0   │ 1",
        "  2:4 │ 2   │ 3",
        "  4:6 │ 4   │ 5",
        "  6:8 │ 6   │ 7",
        "",
        "argument w: float32[16, 4], P('y', None): float32[8, 4] on each device, 4 copies of each part",
        "       │ 0:4",
        "  0:8  │ 0, 2, 4, 6",
        "  8:16 │ 1, 3, 5, 7",
        "",
        "result result[0]: float32[], P(): float32[] on each device, 8 copies of each part",
        "  every device holds all of it: 0 to 7",
        "",
        "result result[1]: float32[8, 4], P('x',): float32[2, 4] on each device, 2 copies of each part",
        "      │ 0:4",
        "  0:2 │ 0, 1",
        "  2:4 │ 2, 3",
        "  4:6 │ 4, 5",
        "  6:8 │ 6, 7",
        "",
        "all-reduce: 32\u00a0B on each device, line 20 (dot_general)",
        "all-reduce: 4\u00a0B on each device, line 21 (reduce_sum)",
    ]


def test_shard_map(tmp_path):
    said = on_eight_devices(
        """
        def total(part):
            part = jax.lax.psum(part, "x")
            return jax.lax.all_gather(part, "y", axis=1, tiled=True)

        spread = jax.jit(jax.shard_map(total, mesh=mesh, in_specs=P("x", "y"), out_specs=P(), check_vma=False))
        found = jj.inspect(spread, a).shardings()
        for each in found.collectives:
            print(each.collective.kind, each.collective.bytes, each.line, *each.equations)
        print(found.bytes)
        print(found.arrays[1].picture)
        """,
        tmp_path,
    )
    assert said == [
        "all-reduce 64 19 psum",
        "all-gather 128 20 all_gather",
        "192",
        "every device holds all of it: 0 to 7",
    ]


def test_one_axis_and_three(tmp_path):
    said = on_eight_devices(
        """
        cube = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("x", "y", "z"))
        line = put(jnp.ones(8), "x")
        block = jax.device_put(jnp.ones((2, 2, 2)), NamedSharding(cube, P("x", "y", "z")))
        for array in (line, block):
            print(jj.inspect(jax.jit(lambda x: x + 1), array).shardings().arrays[0].picture)
        """,
        tmp_path,
    )
    assert said == [
        "0:2 │ 0, 1",
        "2:4 │ 2, 3",
        "4:6 │ 4, 5",
        "6:8 │ 6, 7",
        "    │ 0:1  │ 1:2",
        "0:1 │ 0, 1 │ 2, 3",
        "1:2 │ 4, 5 │ 6, 7",
        "split along axis 2 too",
    ]


def test_an_argument_that_is_not_used(tmp_path):
    said = on_eight_devices(
        """
        found = jj.inspect(jax.jit(lambda unused, w: w * 2), a, w).shardings()
        print([(array.role, array.name, array.copies) for array in found.arrays])
        print(str(found).splitlines()[-1])
        """,
        tmp_path,
    )
    assert said == [
        "[('argument', 'w', 4), ('result', 'result', 4)]",
        "no collectives: the devices exchange nothing",
    ]


def test_what_is_derived_from_a_spread_program(tmp_path):
    said = on_eight_devices(
        """
        specs = {"in_specs": P("x", "y"), "out_specs": P(None, "y")}
        spread = jax.shard_map(lambda part: jax.lax.psum(part, "x"), mesh=mesh, **specs)
        found = jj.inspect(jax.jit(lambda a: (spread(a) ** 2).sum()), a)
        for kind in ("grad", "vmap", "jvp", "linearize"):
            made = found.transform(kind).transforms[-1]
            letters = {letter for part in made.parts for row in part.roles for letter in row.roles}
            print(kind, made.error, *sorted(letters))
        """,
        tmp_path,
    )
    assert said == ["grad None - b f", "vmap None", "jvp None f m t", "linearize None f t"]


def test_one_device():
    found = jj.inspect(lambda x: jnp.sin(x), np.ones(3, np.float32)).shardings()
    assert str(found).startswith("1 device\n\nargument x: float32[3], ")
    assert found.collectives == ()


def test_what_cannot_be_said():
    snapshot = jj.inspect(lambda x: jnp.sin(x), 1.0, stage="trace")
    with pytest.raises(ValueError, match=r"^JAX has not compiled this program.* stage='compile'\.$"):
        snapshot.shardings()
    with pytest.raises(ValueError, match="read from a file does not hold shardings"):
        jj.Snapshot.from_json(snapshot.to_json()).shardings()


def test_collectives_of_a_text():
    lines = [
        "  %all-reduce.1 = (f32[2,4]{1,0}, bf16[8]{0}) all-reduce(%a, %b), replica_groups={{0,1},{2,3}}, to_apply=%add",
        "  %ag = (f32[2]{0}, f32[8]{0}) all-gather-start(%c), replica_groups=[2,4]<=[8], dimensions={0}",
        "  %agd = f32[8]{0} all-gather-done(%ag)",
        "  %cp = pred[5]{0} collective-permute(%d), source_target_pairs={{0,1},{1,0}}",
        '  %x = f32[3]{0} add(%a, %b), metadata={op_name="all-reduce("}',
    ]
    assert collectives(lines) == [
        Collective("all-reduce", 0, 48, "{{0,1},{2,3}}"),
        Collective("all-gather", 1, 32, "[2,4]<=[8]"),
        Collective("collective-permute", 3, 5, "{{0,1},{1,0}}"),
    ]
