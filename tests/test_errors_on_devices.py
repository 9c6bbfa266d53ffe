"""The error cards of arrays on several devices: one process with four devices prints the card of each cell."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_jax

TESTS = Path(__file__).parent
START = """
import sys
from conftest import Notebook, new_shell
from error_table.cards import Cells

shell = new_shell()
shell.run_line_magic("load_ext", "jupyter_jaxpr")
cells = Cells(Notebook(shell))
shell.run_cell('''
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("d",))
first, second = (jax.device_put(jnp.ones(3), device) for device in jax.devices()[:2])
split, whole = (NamedSharding(jax.make_mesh((4,), ("x",)), spec) for spec in (P("x"), P()))
def double(x): return x * 2
def add(a, b): return a + b
''', silent=True)
for cell in sys.stdin.read().split("\\n"):
    print(cells.card(cell))
    print("-----")
"""
CARDS = {
    'jax.device_put(jnp.ones((6, 2)), NamedSharding(mesh, P("d")))': """
marks: jax.device_put(jnp.ones((6, 2)), NamedSharding(mesh, P("d")))
title: Axis 0 has 6 elements, which cannot be split evenly over 4 devices
text: A sharding gives each device the same number of elements. The array has the shape (6, 2).
cure: pad (advice)
    Pad axis 0 to a multiple of 4 elements, or split another axis.
""",
    'jax.shard_map(double, mesh=mesh, in_specs=P("d"), out_specs=P("d"))(jnp.ones(6))': """
marks: jax.shard_map(double, mesh=mesh, in_specs=P("d"), out_specs=P("d"))(jnp.ones(6))
title: Axis 0 of an argument has 6 elements, which cannot be split evenly over 4 devices
text: in_specs of shard_map has the entry P('d',) for the argument args[0] of the type float32[6]. shard_map gives
    each device the same number of elements.
cure: pad (advice)
    Pad axis 0 to a multiple of 4 elements, or write None for this axis in in_specs.
""",
    'jax.device_put(jnp.ones((6, 2)), NamedSharding(jax.make_mesh((4,), ("x",)), P("x")))': """
marks: jax.device_put(jnp.ones((6, 2)), NamedSharding(jax.make_mesh((4,), ("x",)), P("x")))
title: Axis 0 has 6 elements, which cannot be split evenly over 4 devices
text: A sharding gives each device the same number of elements. The array has the shape (6, 2).
cure: pad (advice)
    Pad axis 0 to a multiple of 4 elements, or split another axis.
""",
    "jax.jit(double, in_shardings=split)(jax.device_put(jnp.ones(8), whole))": """
marks: jax.jit(double, in_shardings=split)(jax.device_put(jnp.ones(8), whole))
title: in_shardings of jit says P('x'), but the argument float32[8] is split as P()
text: jit does not change the sharding of a committed array, such as a result of jax.device_put.
cure: jax.device_put (advice)
    Split the array before the call with jax.device_put(x, sharding), or leave in_shardings out: the jitted
    function then takes the array as it is split.
""",
    "first + second": """
marks: first + second
title: The arrays first and second are on different devices
text: first is on the devices [0], and second is on the devices [1].
cure: jax.device_put (advice)
    Move second to the device of first, or first to the device of second, with jax.device_put.
""",
    "jax.jit(add)(first, second)": """
marks: jax.jit(add)(first, second)
title: The arguments a and b of add are on different devices
text: All arrays of a jitted function must be on the same devices. a is on the devices [0], and b is on the devices
    [1].
cure: jax.device_put (advice)
    Move the arrays to the same devices with jax.device_put before the call.
""",
}


def test_the_cards_of_errors_on_several_devices() -> None:
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), str(TESTS.parent), environment.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(START)],
        input="\n".join(CARDS),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    cards = [card.strip() for card in ran.stdout.split("-----\n")[:-1]]
    shown = [card[card.index("marks: ") :] for card in cards]
    assert dict(zip(CARDS, shown, strict=True)) == {cell: card.strip() for cell, card in CARDS.items()}
