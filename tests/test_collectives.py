"""Tests the collectives read from a text of HLO: their bytes, their groups of devices, and how often they run."""

from __future__ import annotations

from jupyter_jaxpr.program.texts.collectives import Collective, Piece, collectives


def of(*lines: str) -> list[Collective]:
    """Return the collectives of an HLO module whose entry computation has these lines."""
    return collectives(["HloModule m", "", "ENTRY %main (a: f32[8]) -> f32[8] {", *lines, "}"])


def test_kinds_and_their_bytes():
    exchanges = of(
        "  %ar = f32[2,4]{1,0} all-reduce(%a), replica_groups={{0,1},{2,3}}, to_apply=%add",
        "  %cp = pred[5]{0} collective-permute(%d), source_target_pairs={{0,1},{1,0}}",
        "  %rs = bf16[8]{0} reduce-scatter(%d), replica_groups=[2,4]<=[8], dimensions={0}, to_apply=%add",
        "  %aa = (f32[2]{0}, f32[2]{0}) all-to-all(%a, %b), replica_groups=[4,2]<=[2,4]T(1,0)",
        "  %no = f4e2m1fn[] all-reduce(%a), replica_groups={}, to_apply=%add",
        '  %x = f32[3]{0} add(%a, %b), metadata={op_name=" = f32[3] all-reduce("}',
    )
    assert [
        (exchange.kind, exchange.line, exchange.bytes, exchange.arrays, exchange.groups) for exchange in exchanges
    ] == [
        ("all-reduce", 3, 32, 1, ((0, 1), (2, 3))),
        ("collective-permute", 4, 5, 1, ((0, 1), (1, 0))),
        ("reduce-scatter", 5, 16, 1, ((0, 1, 2, 3), (4, 5, 6, 7))),
        ("all-to-all", 6, 16, 1, ((0, 4), (1, 5), (2, 6), (3, 7))),
        ("all-reduce", 7, 1, 1, ()),
    ]
    # With b bytes and groups of n devices, a device sends: 2 b (n-1)/n; b; b (n-1); b (n-1)/n; the last group has all
    # eight devices.
    assert [exchange.sent(8) for exchange in exchanges] == [32, 5, 48, 8, 2]


def test_what_is_started_and_ended_counts_once():
    exchanges = of(
        "  %ag = (f32[2]{0}, f32[8]{0}) all-gather-start(%c), replica_groups=[2,4]<=[8], dimensions={0}",
        "  %agd = f32[8]{0} all-gather-done(%ag)",
        "  %ar = (f32[2]{0}, f32[3]{0}) all-reduce-start(%a, %b), replica_groups={}, to_apply=%add",
        "  %ard = (f32[2]{0}, f32[3]{0}) all-reduce-done(%ar)",
        "  %cp = (f32[4]{0}, f32[4]{0}, u32[], u32[]) collective-permute-start(%d), source_target_pairs={{0,1}}",
        "  %cpd = f32[4]{0} collective-permute-done(%cp)",
        "  %lost = (f32[4]{0}, f32[4]{0}) all-gather-start(%d), replica_groups={}",
    )
    assert [(exchange.name, exchange.bytes, exchange.arrays) for exchange in exchanges] == [
        ("ag", 32, 1),
        ("ar", 20, 2),
        ("cp", 16, 1),
        ("lost", None, 0),
    ]


def test_groups_by_the_axes_of_a_mesh():
    exchanges = of(
        "  %a1 = f32[] all-reduce(%a), replica_groups=mesh['x'=4,'y'=2] {'x'}, to_apply=%add",
        "  %a2 = f32[] all-reduce(%a), replica_groups=mesh['x'=4,'y'=2] {'y'}, to_apply=%add",
        "  %a3 = f32[] all-reduce(%a), replica_groups=mesh['x'=2,'y'=2,'z'=2] {'z','x'}, to_apply=%add",
        "  %a4 = f32[] all-reduce(%a), replica_groups=mesh['x'=4,'y'=2] {'x':(1)2}, to_apply=%add",
    )
    assert [exchange.groups for exchange in exchanges] == [
        ((0, 2, 4, 6), (1, 3, 5, 7)),
        ((0, 1), (2, 3), (4, 5), (6, 7)),
        ((0, 4, 1, 5), (2, 6, 3, 7)),
        None,
    ]
    assert exchanges[3].groups_text == "mesh['x'=4,'y'=2] {'x':(1)2}"
    assert exchanges[3].sent(8) is None


def test_groups_on_a_mesh_whose_devices_do_not_count_upwards():
    """XLA writes groups on such a mesh, for example for a sort along a sharded axis."""
    mesh = "mesh['a'=1,'b'=2,'c'=4], device_ids="
    exchanges = of(
        f"  %a1 = f32[4] all-to-all(%a), replica_groups={mesh}([4,2]T(1,0)) {{'c'}}, metadata={{op_name=\"sort\"}}",
        f"  %a2 = f32[4] all-to-all(%a), replica_groups={mesh}([8]) {{'b'}}",
        f"  %a3 = f32[4] all-to-all(%a), replica_groups={mesh}([2,2]) {{'b'}}",
        "  %a4 = f32[4] all-to-all(%a), replica_groups=in a new way 7, dimensions={0}",
        "  %a5 = f32[4] all-to-all(%a), dimensions={0}",
    )
    assert [exchange.groups for exchange in exchanges] == [
        ((0, 2, 4, 6), (1, 3, 5, 7)),
        ((0, 4), (1, 5), (2, 6), (3, 7)),
        None,
        None,
        None,
    ]
    assert [exchange.groups_text for exchange in exchanges[2:]] == [f"{mesh}([2,2]) {{'b'}}", "in a new way 7", ""]


def test_arrays_that_were_combined_are_told_apart():
    line = "  %all = (f32[2]{0}, f32[3]{0}) all-reduce(%a, %b), replica_groups={}, to_apply=%add"
    first = '  %g0 = f32[2]{0} get-tuple-element(%all), index=0, metadata={op_name="jit(f)/dot_general"}'
    second = '  %g1 = f32[3]{0} get-tuple-element(%all), index=1, metadata={op_name="jit(f)/reduce_sum"}'
    [exchanges] = of(line, second, first)
    assert exchanges.pieces == (Piece(5, 8, "jit(f)/dot_general"), Piece(4, 12, "jit(f)/reduce_sum"))
    [whole] = of(line, first, "  %g1 = f32[3]{0} get-tuple-element(%all), index=1")
    assert whole.pieces == (Piece(3, 20, ""),)


def test_how_often_they_run():
    lines = """\
HloModule m

%inner (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %r = f32[4]{0} all-reduce(%p), replica_groups={}, to_apply=%add
}

%outer (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %w = f32[4]{0} while(%p), condition=%go, body=%inner, backend_config={"known_trip_count":{"n":"3"}}
}

%open (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %o = f32[4]{0} all-gather(%p), replica_groups={}, dimensions={0}
}

%branch (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %b = f32[4]{0} all-reduce(%p), replica_groups={}, to_apply=%add
}

ENTRY %main (a: f32[4]) -> f32[4] {
  %a = f32[4]{0} parameter(0)
  %x = f32[4]{0} while(%a), condition=%go, body=%outer, backend_config={"known_trip_count":{"n":"10"}}
  %y = f32[4]{0} while(%x), condition=%go, body=%open
  %z = f32[4]{0} conditional(%n, %y, %y), branch_computations={%branch, %outer}
  ROOT %c = f32[4]{0} call(%z), to_apply=%outer
}""".split("\n")
    assert [
        (collective.name, collective.runs, collective.per_trip, collective.conditional)
        for collective in collectives(lines)
    ] == [
        ("r", 36, False, True),  # 3 in each of 10 steps, 3 in the branch, and 3 in the called computation
        ("o", 1, True, False),
        ("b", 1, False, True),
    ]
