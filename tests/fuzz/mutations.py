"""Makes damaged or hostile documents from the saved documents of both JAX lines; a seed and an index determine each.

Imports only the standard library, so that the TypeScript tests can run it: `python tests/fuzz/mutations.py --seed 1
--first 0 --count 500 FILE` writes a document on each line of FILE.
"""

from __future__ import annotations

import argparse
import copy
import functools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Json = Any
Change = Callable[[random.Random, Json], None]
Place = tuple[Any, ...]  # the keys and indices that lead from the document to a value

NUMBERS = (
    -1, -2, 0, 1, 2, 3, 7, 150, 1000, 99_999, 2**31 - 1, 2**31, 2**32, 2**53 - 1, 2**53, 2**63, 2**64, 10**18, 10**30,
    10**31, 10**308, 10**310, -(10**18), 1e300, -1e300, 1e-300, 5e-324, 0.5,   float("nan"), float("inf"),
)  # fmt: skip
STRINGS = (
    "", " ", "\n", "\n\n", "x\r\ny", "\x00\x1b[31m", "\u2028", "\ufffc", "\ufffc" * 50, "\ud800", "\u202eevil",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "<!--", "]]>",
    "`", "```", "|", "| a |\n| - |", "[x](javascript:alert(1))", "![x](https://evil.example/x.png)", "<b", "&lt;", "\\",
    "__proto__", "constructor", "toString", "hasOwnProperty", "%1", "(" * 5000, "a" * 100_000, "a\n" * 20_000,
    "{" * 5000, "f32[" * 2000, "ROOT %x = f32[] fusion(", "/" * 3000, "a/b(c)" * 2000, "jit", "jaxpr", "scan", "while",
)  # fmt: skip
JUNK = (None, True, False, [], {}, [[]], [None], {"a": 1}, "text", 3, -1, [0], [-1], [0, 0], [1, 2, 3, 4, 5, 6, 7])


@functools.cache
def saved() -> tuple[Json, ...]:
    """Return the documents to change; those with every field occur ten times, because most changes need fields."""
    fixtures = sorted(HERE.parent.glob("fixtures/*-0.1?.json"))
    documents = sorted(HERE.glob("documents/*.json"))
    return tuple(json.loads(path.read_text(encoding="utf-8")) for path in [*fixtures, *documents * 10])


def document(seed: int, number: int, *, everyday: bool = False) -> str:
    """Return a changed document as JSON; the same seed and number always give the same document.

    With `everyday`, fewer documents have a very large list or text, because such documents take seconds.
    """
    rng, sound, change = begun(seed, number, everyday)
    fields = copy.deepcopy(sound)
    if change is not None:
        change(rng, fields)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        rng.choice(SMALL)(rng, fields)
    return json.dumps(fields, ensure_ascii=True)


def begun(seed: int, number: int, everyday: bool = False) -> tuple[random.Random, Json, Change | None]:
    """Return the random generator, the document to change, and the change that makes a very large part (or None)."""
    rng = random.Random(f"{seed}:{number}")
    sound = rng.choice(saved())
    return rng, sound, rng.choice(LARGE) if rng.random() < (0.02 if everyday else 0.12) else None


# --- one value ---


def places(value: Json, above: Place = ()) -> Iterator[Place]:
    """Yield the place of each value inside of a value, at any depth."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*above, key)
        yield from places(inner, (*above, key))


def holder_of(fields: Json, place: Place) -> Json:
    """Return the list or the object that contains a place."""
    for key in place[:-1]:
        fields = fields[key]
    return fields


def pick(rng: random.Random, fields: Json, kind: type | tuple[type, ...] = object) -> Place | None:
    """Return the place of a random value of a type, chosen level by level, so that long lists do not dominate."""
    for _ in range(30):
        fitting: list[Place] = []
        value, place = fields, ()
        while isinstance(value, (dict, list)) and value:
            key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
            value, place = value[key], (*place, key)
            if isinstance(value, kind) and (kind is object or not isinstance(value, bool)):
                fitting.append(place)
        if fitting:
            return rng.choice(fitting)
    return None


def replace(fields: Json, place: Place | None, change: Callable[[Json], Json]) -> None:
    """Replace the value at a place by the result of `change`."""
    if place is not None:
        holder = holder_of(fields, place)
        holder[place[-1]] = change(holder[place[-1]])


def another_type(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields), lambda _: copy.deepcopy(rng.choice(JUNK)))


def another_number(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, (int, float)), lambda _: rng.choice(NUMBERS))


def a_near_number(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, int), lambda number: number + rng.choice((-2, -1, 1, 2, 10)))


def another_string(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, str), lambda _: rng.choice(STRINGS))


def a_longer_string(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, str), lambda text: text + rng.choice(STRINGS))


def all_strings(rng: random.Random, fields: Json) -> None:
    """Put a hostile string into every field with one randomly chosen name."""
    string_place = pick(rng, fields, str)
    text = rng.choice(STRINGS)
    for place in list(places(fields)):
        if (
            string_place is not None
            and place[-1] == string_place[-1]
            and isinstance(holder_of(fields, place)[place[-1]], str)
        ):
            holder_of(fields, place)[place[-1]] = text


def a_field_less(rng: random.Random, fields: Json) -> None:
    place = pick(rng, fields)
    if place is not None:
        del holder_of(fields, place)[place[-1]]


def an_entry_twice(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, list), lambda entries: entries + copy.deepcopy(entries[-1:]))


def entries_in_another_order(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, list), lambda entries: rng.sample(entries, len(entries)))


def an_empty_list(rng: random.Random, fields: Json) -> None:
    replace(fields, pick(rng, fields, list), lambda _: [])


def a_value_of_elsewhere(rng: random.Random, fields: Json) -> None:
    other_place = pick(rng, fields)
    if other_place is not None:
        value = copy.deepcopy(holder_of(fields, other_place)[other_place[-1]])
        replace(fields, pick(rng, fields, type(value)), lambda _: value)


def another_version(rng: random.Random, fields: Json) -> None:
    fields["version"] = rng.choice((0, 2, 10**9, -1, 1.5, "1", None, True, 10**400))


def unknown_fields(rng: random.Random, fields: Json) -> None:
    fields["of_tomorrow"] = rng.choice((NUMBERS, [[]] * 5, {"a": {"b": [1e300]}}, json.loads("[" * 200 + "]" * 200)))


def a_span_beyond(rng: random.Random, fields: Json) -> None:
    if not fields.get("frames"):
        return
    frame = rng.choice(fields["frames"])
    if isinstance(frame, list) and len(frame) == 6:
        frame[2:] = rng.choice(
            (
                [1, 0, 10**9, 5],
                [10**6, 0, 10**6, 9],
                [2**53 - 2, -1, 2**53 - 2, -1],
                [1, 10**6, 1, 2],
                [5, 0, 2, 1],
                [0, 0, 0, 3],
            )
        )


# --- programs that contain or call other programs ---


def empty_scope(**columns: Json) -> Json:
    return {
        "name": -1, "constants": 0, "inputs": 0, "outputs": [], "count": 0, "total": 0, "first_equation": 0,
        "first_variable": 0, "variable_avals": [], "dropped": [], "names": None, "primitive": [], "operands": [],
        "output_counts": [], "parameters": [], "stack": [], "name_stack": [], "children": [], "effects": [], **columns,
    }  # fmt: skip


def calling(fields: Json, scopes: list[int], value: int, complete: bool) -> Json:
    """Return a scope that has one equation for each program that it calls."""
    pool, strings = fields["parameter_lists"], fields["strings"]
    pool.append([[len(strings), value]])
    strings.append("jaxpr")
    number, count = len(pool) - 1, len(scopes)
    return empty_scope(
        count=count,
        total=10**9 if not complete else count,
        names=None if complete else [],
        primitive=[0] * count,
        operands=[[] for _ in scopes],
        output_counts=[0] * count,
        parameters=[number] * count,
        stack=[-1] * count,
        name_stack=[0] * count,
        children=[[place, len(strings) - 1, -1, scope] for place, scope in enumerate(scopes)],
    )


def programs_of(rng: random.Random, fields: Json, calls: Callable[[int, int], list[int]], many: int) -> None:
    """Replace the scopes of the first program: scope n calls the scopes `calls(n, many)`."""
    if not fields.get("programs") or not fields.get("strings") or not isinstance(fields["programs"][0], dict):
        return
    complete = rng.random() < 0.5
    value = -1
    if rng.random() < 0.4:
        value = len(fields["strings"])
        fields["strings"].append("f(\ufffc)")
    first = len(fields["scopes"])
    fields["programs"][0].update(scope=first, complete=complete, lets=None if complete else [])
    for number in range(many):
        inside = [first + inner for inner in calls(number, many) if inner < many]
        fields["scopes"].append(calling(fields, inside, value, complete))
    fields["focus"] = 0


def shared(rng: random.Random, fields: Json) -> None:
    """Let each program call the next one several times: 2**n programs if each is printed."""
    times = rng.choice((2, 2, 3, 10))
    programs_of(rng, fields, lambda number, _: [number + 1] * times, rng.choice((3, 20, 40, 100)))


def shared_by_two(rng: random.Random, fields: Json) -> None:
    programs_of(rng, fields, lambda number, _: [number + 1, number + 2], rng.choice((10, 60, 140)))


def shared_by_all(rng: random.Random, fields: Json) -> None:
    programs_of(rng, fields, lambda number, many: [*range(number + 1, many)], rng.choice((10, 60, 140)))


def chain(rng: random.Random, fields: Json) -> None:
    programs_of(rng, fields, lambda number, _: [number + 1], rng.choice((100, 149, 150, 151, 400, 2_000, 20_000)))


def cycle(rng: random.Random, fields: Json) -> None:
    many = rng.choice((1, 2, 50, 3_000))
    programs_of(rng, fields, lambda number, many: [(number + 1) % many], many)


def many_programs_inside(rng: random.Random, fields: Json) -> None:
    """Make one equation that contains very many programs, or one scope with equally many equations."""
    many = rng.choice((500, 20_000, 130_000))
    programs_of(rng, fields, lambda number, _: [1] * many if number == 0 else [], 2)
    if rng.random() < 0.5 and fields.get("scopes"):
        for child in fields["scopes"][-2]["children"]:
            child[0] = 0


# --- very large lists and texts ---


def a_long_list(rng: random.Random, fields: Json) -> None:
    place = pick(rng, fields, list)
    many = rng.choice((1_000, 20_000, 120_000))

    def longer(entries: Json) -> Json:
        size = max(1, len(json.dumps(entries)))
        return entries * min(many, 4_000_000 // size)

    replace(fields, place, longer)


def long_columns(rng: random.Random, fields: Json) -> None:
    """Make a scope of very many valid equations."""
    if not fields.get("programs") or not fields.get("strings"):
        return
    count = rng.choice((5_000, 60_000))
    stack = 0 if fields["stacks"] and rng.random() < 0.7 else -1
    fields["scopes"].append(
        empty_scope(
            count=count,
            total=count,
            inputs=1,
            outputs=[0],
            variable_avals=[0] * (count + 1) if fields["avals"] else [],
            primitive=[0] * count,
            operands=[[max(0, number - 1)] * rng.choice((1, 1, 3)) for number in range(count)],
            output_counts=[1] * count,
            parameters=[-1] * count,
            stack=[stack] * count,
            name_stack=[0] * count,
        )
    )
    fields["programs"][0].update(scope=len(fields["scopes"]) - 1, complete=True, lets=None)
    fields["focus"] = 0


def wide_equations(rng: random.Random, fields: Json) -> None:
    """Make an equation with very many operands and results."""
    if not fields.get("programs") or not fields.get("strings") or not fields.get("avals"):
        return
    many = rng.choice((1_000, 130_000))
    fields["scopes"].append(
        empty_scope(
            count=2,
            total=2,
            outputs=list(range(many)),
            variable_avals=[0] * (many + 1),
            primitive=[0, 0],
            operands=[[], list(range(many))],
            output_counts=[many, 1],
            parameters=[-1, -1],
            stack=[-1, -1],
            name_stack=[0, 0],
        )
    )
    fields["programs"][0].update(scope=len(fields["scopes"]) - 1, complete=True, lets=None)
    fields["focus"] = 0


def a_long_text(rng: random.Random, fields: Json) -> None:
    """Make a level with very many lines."""
    levels = [level for program in fields.get("programs", []) for level in program.get("levels", [])]
    if levels:
        line, count = rng.choice(
            (("{", 30_000), ("  x = 1", 60_000), ("}" * 50, 20_000), ("%a = f32[] add(%a)", 40_000))
        )
        rng.choice(levels).update(
            state="held", text="\n".join([line] * count), line_stacks=[rng.choice((-1, 0))] * count,
            inferred_lines=[], other_stacks=[], named_equations=[],
        )  # fmt: skip


def many_programs(rng: random.Random, fields: Json) -> None:
    if fields.get("programs"):
        fields["programs"] += [copy.deepcopy(fields["programs"][0])] * rng.choice((30, 300))


def long_stacks(rng: random.Random, fields: Json) -> None:
    if fields.get("frames") and fields.get("stacks"):
        for stack in fields["stacks"]:
            stack[rng.choice((0, 1))] = list(range(len(fields["frames"]))) * rng.choice((1, 20, 300))


SMALL = (
    another_type, another_number, another_number, a_near_number, another_string, a_longer_string, all_strings,
    a_field_less, an_entry_twice, entries_in_another_order, an_empty_list, a_value_of_elsewhere, another_version,
    unknown_fields, a_span_beyond,
)  # fmt: skip
LARGE = (
    shared, shared_by_two, shared_by_all, chain, cycle, many_programs_inside, a_long_list, a_long_list, long_columns,
    wide_equations, a_long_text, many_programs, long_stacks,
)  # fmt: skip


def guarded(change: Change) -> Change:
    """Return a change that does nothing if an earlier change removed the part of the document that it needs."""

    @functools.wraps(change)
    def changed(rng: random.Random, fields: Json) -> None:
        try:
            change(rng, fields)
        except (AttributeError, IndexError, KeyError, TypeError):
            return

    return changed


SMALL, LARGE = tuple(map(guarded, SMALL)), tuple(map(guarded, LARGE))


def main() -> None:
    """Write documents to a file, one a line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--everyday", action="store_true")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with options.file.open("w", encoding="utf-8") as file:
        for number in range(options.first, options.first + options.count):
            file.write(document(options.seed, number, everyday=options.everyday) + "\n")


if __name__ == "__main__":
    main()
