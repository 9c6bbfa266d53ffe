"""Tests programs on eight devices: a picture of each sharding, and the collectives with links to their causes.

The kernel's eight devices are threads of its CPU; XLA makes them if a variable requests them before JAX starts.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from open_notebook import OpenNotebook
from page_checks import cut, violations
from playwright.sync_api import Locator, expect

LOAD = """\
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
def put(x, *axes):
    return jax.device_put(x, NamedSharding(mesh, P(*axes)))"""

STEP = """\
%%jaxpr
p = {"b": put(jnp.ones(32)), "v": put(jnp.ones((16, 32))), "w": put(jnp.ones((32, 4)))}
x, y = put(jnp.ones((8, 16)), "data"), put(jnp.ones((8, 4)), "data")

def loss(p, x, y):
    h = jnp.tanh(x @ p["v"] + p["b"])
    return jnp.mean((h @ p["w"] - y) ** 2)

@jax.jit
def step(p, x, y):
    value, slopes = jax.value_and_grad(loss)(p, x, y)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, slopes), value

new, value = step(p, x, y)"""

MAPPED = """\
%%jaxpr
def exchange(part):
    total = jax.lax.psum(part, "data")
    passed = jax.lax.ppermute(total, "model", [(0, 1), (1, 0)])
    return jax.lax.all_gather(passed, "model", axis=1, tiled=True)

@jax.jit
def mapped(x):
    specs = dict(in_specs=P("data", "model"), out_specs=P(), check_vma=False)
    return jax.shard_map(exchange, mesh=mesh, **specs)(x)

z = mapped(put(jnp.ones((8, 16)), "data", "model"))"""

SCAN = """\
%%jaxpr
@jax.jit
def rnn(x, w):
    def body(h, _):
        return jnp.tanh(h @ w), None
    return jax.lax.scan(body, x, None, length=10)[0]

h = rnn(put(jnp.ones((8, 16)), "data"), put(jnp.ones((16, 16)), "model"))"""


@pytest.fixture
def spread(shared_notebook):
    """Return a function that opens a notebook whose kernel has eight devices and has run a cell."""

    def make(cell: str) -> OpenNotebook:
        nb = shared_notebook(LOAD, cell)
        nb.page.set_viewport_size({"width": 1600, "height": 1100})
        expect(nb.listing()).to_contain_text("lambda")
        return nb

    return make


def head(place: Locator) -> Locator:
    return place.get_by_role("button", name="Shardings")


def shown(place: Locator, name: str) -> Locator:
    """Return the entries of the list with this name."""
    return place.get_by_role("listbox", name=name).get_by_role("option")


def level(nb: OpenNotebook, name: str) -> None:
    nb.panel.get_by_role("group", name="Level").get_by_role("button", name=name, exact=True).click()
    expect(nb.listing(name)).to_be_visible()


def linked(listing: Locator) -> Locator:
    return listing.locator(".cm-line[data-linked='true']")


@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_the_gradients_of_a_data_parallel_step_are_summed(spread, width):
    nb = spread(STEP)
    nb.set_panel_width(width)
    expect(head(nb.panel)).to_contain_text("8 devices · 1 collective · results of 2.7\u00a0kB on each device per call")
    nb.listing().focus()
    nb.page.keyboard.press("d")
    expect(head(nb.panel)).to_be_focused()
    expect(head(nb.panel)).to_have_attribute("aria-expanded", "true")
    nb.page.keyboard.press("Escape")
    expect(nb.listing()).to_be_focused()

    arrays = shown(nb.panel, "Arrays")
    expect(arrays).to_have_text(
        [
            "argument p['b'] f32[32] P() sharding set before compiling",
            "argument p['v'] f32[16,32] P() sharding set before compiling",
            "argument p['w'] f32[32,4] P() sharding set before compiling",
            "argument x f32[8,16] P('data',) sharding set before compiling",
            "argument y f32[8,4] P('data',) sharding set before compiling",
            "result result[0]['b'] f32[32] P() sharding chosen by XLA",
            "result result[0]['v'] f32[16,32] P() sharding chosen by XLA",
            "result result[0]['w'] f32[32,4] P() sharding chosen by XLA",
            "result result[1] f32[] P() sharding chosen by XLA",
        ]
    )
    picture = nb.panel.get_by_role("group", name="Shardings").get_by_role("img")
    expect(picture).to_have_accessible_name(
        "p['b'] has the type f32[32] and the sharding P(). Every device holds the whole array: 0–7."
    )
    chosen = nb.panel.get_by_role("listbox", name="Arrays")
    for _ in range(3):
        chosen.press("ArrowDown")
    expect(arrays.nth(3)).to_have_attribute("aria-selected", "true")
    expect(picture).to_have_accessible_name(
        "x has the type f32[8,16] and the sharding P('data',). Devices 0, 1 hold [0:2, 0:16]. "
        "Devices 2, 3 hold [2:4, 0:16]. Devices 4, 5 hold [4:6, 0:16]. Devices 6, 7 hold [6:8, 0:16]."
    )

    # XLA joined the all-reduces of two lines into one, which moves four arrays.
    [summed] = shown(nb.panel, "Collectives").all()
    expect(summed).to_contain_text(
        "all-reduce result of 2.7\u00a0kB on each device, once per call, 4 arrays in one collective"
    )
    expect(summed).to_contain_text(
        "line 6: reduce_sum, dot_general (3 equations) · line 7: dot_general, reduce_sum (3 equations)"
    )
    expect(summed).to_contain_text("{0,2,4,6} {1,3,5,7}")
    region = nb.panel.get_by_role("group", name="Shardings")
    expect(region).to_contain_text("Each device sends about 4.0\u00a0kB per call (estimate for the ring algorithm).")

    summed.hover()
    expect(linked(nb.listing()).first).to_be_visible()  # previewed
    nb.panel.get_by_role("listbox", name="Collectives").press("End")
    expect(summed).to_have_attribute("aria-selected", "true")
    found = linked(nb.listing())
    expect(found.filter(has_text="dot_general").first).to_be_visible()
    equations = [text for text in found.all_inner_texts() if " = " in text]
    assert all(re.search(r"= (dot_general|reduce_sum)", text) for text in equations), equations
    underlined = nb.cell(1).locator(".jp-JaxprCell-line")
    expect(underlined).to_have_count(2)

    level(nb, "HLO")
    expect(linked(nb.listing("HLO"))).to_have_count(1)
    expect(linked(nb.listing("HLO"))).to_contain_text("all-reduce(")
    expect(linked(nb.listing("HLO"))).to_be_in_viewport()

    for theme in ("light", "dark"):
        nb.theme(theme)
        level(nb, "jaxpr")
        assert violations(nb.page) == []
        assert cut(nb.panel, ".jp-JaxprShardings *", "svg") == []


@pytest.mark.slow
def test_collectives_of_a_shard_map_are_its_own_equations(spread):
    nb = spread(MAPPED)
    nb.set_panel_width(600)
    head(nb.panel).click()
    expect(shown(nb.panel, "Arrays")).to_have_text(
        [
            "argument x f32[8,16] P('data', 'model') sharding set before compiling",
            "result result f32[2,16] P() sharding chosen by XLA",
            "shard_map in_specs[0] f32[8,16] P('data', 'model') sharding set on line 10",
            "shard_map out_specs[0] f32[2,16] P() sharding set on line 10",
        ]
    )
    for kind, primitive in (("all-reduce", "psum"), ("collective-permute", "ppermute"), ("all-gather", "all_gather")):
        shown(nb.panel, "Collectives").filter(has_text=kind).click()
        expect(linked(nb.listing())).to_have_count(1)
        expect(linked(nb.listing())).to_contain_text(primitive)
    nb.expect_linked(1, 'jax.lax.all_gather(passed, "model", axis=1, tiled=True)')
    shown(nb.panel, "Arrays").nth(2).click()
    expect(linked(nb.listing()).first).to_contain_text("shard_map")


@pytest.mark.slow
def test_a_collective_in_a_scan_counts_for_every_trip(spread):
    nb = spread(SCAN)
    expect(head(nb.panel)).to_contain_text("8 devices · 1 collective · results of 1.3\u00a0kB on each device per call")
    level(nb, "HLO")
    nb.panel.get_by_role("button", name="Unfold all").click()
    head(nb.panel.locator("[data-level='hlo']")).click()
    [reduced] = shown(nb.panel.locator("[data-level='hlo']"), "Collectives").all()
    expect(reduced).to_contain_text("all-reduce result of 128\u00a0B on each device, 10 times per call")
    expect(reduced).to_contain_text("line 5: dot_general")
    reduced.click()
    expect(linked(nb.listing("HLO"))).to_have_count(1)
    expect(linked(nb.listing("HLO"))).to_contain_text("all-reduce(")


@pytest.mark.slow
def test_side_by_side_a_collective_is_marked_in_every_column(spread):
    nb = spread(STEP)
    nb.panel.get_by_role("button", name="Open levels side by side").click()
    wide = nb.page.locator(".jp-JaxprWide")
    hlo = wide.get_by_role("group", name="HLO", exact=True)
    jaxpr = wide.get_by_role("group", name="jaxpr", exact=True)
    head(hlo).click()
    shown(hlo, "Collectives").first.click()
    expect(linked(hlo)).to_contain_text(["all-reduce("])
    expect(linked(jaxpr).filter(has_text="dot_general").first).to_be_in_viewport()
    assert violations(nb.page, ".jp-JaxprWide") == []
    # If a column is closed and opened again, its list of shardings is closed.
    columns = wide.get_by_role("toolbar", name="Columns")
    columns.get_by_role("button", name="HLO", exact=True).click()
    expect(hlo).to_have_count(0)
    columns.get_by_role("button", name="HLO", exact=True).click()
    expect(head(hlo)).to_have_attribute("aria-expanded", "false")
    expect(hlo).to_contain_text("HloModule")


@pytest.mark.slow
def test_a_picture_can_be_taken_along(spread, tmp_path):
    nb = spread(STEP)
    head(nb.panel).click()
    shown(nb.panel, "Arrays").nth(3).click()
    with nb.page.expect_download() as download:
        nb.panel.get_by_role("button", name="Save the diagram as SVG").click()
    assert download.value.suggested_filename == "sharding-x.svg"
    file = Path(tmp_path / "x.svg")
    download.value.save_as(file)
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(file).getroot()
    assert [text.text for text in root.iter(f"{svg}text")] == [
        "Rows: axis 0 of the array. Columns: axis 1.",
        "0:16",
        *("0, 1", "2, 3", "4, 5", "6, 7"),
        *("0:2", "2:4", "4:6", "6:8"),
    ]
    assert "var(" not in file.read_text()


@pytest.mark.slow
def test_a_program_on_one_device_has_none(notebook):
    nb = notebook("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp", "%%jaxpr\njax.jit(lambda x: x + 1)(1.0)")
    nb.run_all()
    expect(nb.listing()).to_contain_text("add")
    expect(head(nb.panel)).to_have_count(0)
