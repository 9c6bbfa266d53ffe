"""Tests notes on a random key that two calls of a cell use."""

from __future__ import annotations

import pytest
from conftest import Notebook

pytestmark = pytest.mark.any_jax

FUNCTIONS = """
import jax, jax.numpy as jnp

@jax.jit
def weights(key):
    return jax.random.normal(key, (3, 2))

@jax.jit
def inputs(key, n=1.0):
    return n * jax.random.uniform(key, (5, 3))

@jax.jit
def noise(key):
    return jax.random.normal(key, (3, 2)) / 10

@jax.jit
def parts(key):
    one, other = jax.random.split(key)
    return jax.random.normal(one, (7,)) + jax.random.normal(other, (7,))

@jax.jit
def dice(key):
    return jax.random.randint(key, (2,), 1, 7)

@jax.jit
def folded(key):
    return jax.random.normal(jax.random.fold_in(key, 1), (4,))
"""
TWICE = "Numbers that are drawn from one key are not independent: numbers of the same shape and distribution are equal."


@pytest.fixture(scope="module")
def defined(notebook_of_module: Notebook) -> Notebook:
    """Return a notebook with the functions in FUNCTIONS; all tests of the file share their compiled programs."""
    assert notebook_of_module.run(FUNCTIONS).result.success
    return notebook_of_module


MOVING = """
from time import perf_counter
from numpy.testing import assert_equal

@jax.jit
def walk(y, key):
    return y + jax.random.normal(key, y.shape)

@jax.jit
def move(state, key, n):
    one, other = jax.random.split(key)
    return {"y": state["y"] + n * jax.random.normal(one, (2,)) + jax.random.normal(other, (2,))}

@jax.jit
def far(y, key, n):
    return y + jax.random.normal(jax.random.fold_in(key, n), y.shape)

@jax.jit
def still(y, key):
    return y + 1.0
"""


@pytest.fixture(scope="module")
def moving(defined: Notebook) -> Notebook:
    """Return the notebook with the functions in MOVING, too."""
    assert defined.run(MOVING).result.success
    return defined


def notes(notebook: Notebook, cell: str) -> list[tuple[str, str | None]]:
    built = notebook.builds()
    assert notebook.run("k = jax.random.key(0)").result.success
    assert notebook.run(f"%%jaxpr\n{cell}").result.success
    return [(note.text, note.cure) for note in built[-1].document.notes if note.kind == "key_used_twice"]


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("w = weights(k)\nx = inputs(k)", "Line 2 and line 3 draw"),
        ("y = inputs(k, n=2.0) @ weights(key=k)", "Two calls of line 2 draw"),
        ("a = jax.random.normal(k, (3,))\nb = jax.random.uniform(k, (3,))\nweights(k)", "Line 2 and line 3 draw"),
        ("a = jax.random.normal(k, (8,))\nb = weights(k)", "Line 2 and line 3 draw"),
        ("a = weights(k)\nb = weights(k)", "Line 2 and line 3 draw"),
        ("a = weights(k)\nprint(a)\nb = weights(key=k)\nprint(a + b)", "Line 2 and line 4 draw"),
        ("a, b = inputs(k), inputs(k, n=2.0)", "Two calls of line 2 draw"),
        (
            "a = jax.random.normal(k, (3,))\nb = jax.random.normal(k, (3,))\nnoise(jax.random.key(1))",
            "Line 2 and line 3 draw",
        ),
    ],
)
def test_two_calls_that_draw_from_one_key(defined: Notebook, cell: str, lines: str) -> None:
    text = f"{lines} from the same random key, k. {TWICE}"
    cure = "Split the key and use each part once: k, subkey = jax.random.split(k)."
    assert notes(defined, cell)[0] == (text, cure)


FOR = "Split the key in each iteration: k, subkey = jax.random.split(k)."
LISTED = "Make a key for each iteration, such as for subkey in jax.random.split(k, {times})."


@pytest.mark.parametrize(
    ("cell", "line", "cure"),
    [
        ("jnp.stack([jax.random.normal(k, (3,)) for _ in range(4)])", 2, LISTED.format(times=4)),
        ("xs = [weights(k) for _ in range(2)]", 2, LISTED.format(times=2)),
        ("xs = [dice(k) for _ in range(2)]", 2, LISTED.format(times=2)),
        ("xs = []\nfor _ in range(3):\n    xs.append(jax.random.normal(k, (3,)))\njnp.stack(xs)", 4, FOR),
        ("xs = []\nfor n in [1, 2]:\n    y = weights(k)\n    xs.append(n * y)", 4, FOR),
    ],
)
def test_a_loop_that_draws_from_one_key(defined: Notebook, cell: str, line: int, cure: str) -> None:
    text = f"Each iteration on line {line} draws from the same random key, k. {TWICE}"
    assert notes(defined, cell) == [(text, cure)]


@pytest.mark.parametrize(
    "cell",
    [
        "xs = jnp.stack([jax.random.normal(key, (3,)) for key in jax.random.split(k, 4)])",
        "xs = jnp.stack([jax.random.normal(jax.random.fold_in(k, n), (3,)) for n in range(4)])",
        "xs = [inputs(k, n) for n in range(3)]",  # the same numbers, scaled: perhaps on purpose
        "xs = [weights(k) for _ in range(1)]",
        "xs = [weights(k) for n in range(3) if n == 1]",
        "for _ in range(2):\n    k, key = jax.random.split(k)\n    weights(key)",
        "for n in range(2):\n    y = weights(k)\n    break",
        "for n in range(2):\n    if n:\n        y = weights(k)",
        "import time\nt0 = time.time()\nfor _ in range(2):\n    weights(k).block_until_ready()\nt1 = time.time() - t0",
        "xs = [(lambda: weights(k)) for _ in range(2)]",
    ],
)
def test_a_loop_without_a_note(defined: Notebook, cell: str) -> None:
    assert notes(defined, cell) == []


EQUAL = "All other arguments of these calls are the same, too, so the calls compute equal results."
STEPS = f"A call goes on with a result of the call before, and uses the same random numbers again. {TWICE}"
ANOTHER = "Pass another key in each call, such as jax.random.fold_in(key, i) with the number i of the call."


@pytest.mark.parametrize(
    ("cell", "line", "function", "times", "fact"),
    [
        ("def run(n):\n    for i in range(n):\n        y = dice(k)\nrun(40)\nz = 1", 4, "dice", 40, EQUAL),
        ("n = 0\nwhile n < 3:\n    n += 1\n    dice(k)", 5, "dice", 3, EQUAL),
        ("y = jnp.zeros(2)\nfor n in range(5):\n    y = walk(y, k)", 4, "walk", 5, STEPS),
        ("s = {'y': jnp.zeros(2)}\nfor n in range(5):\n    s = move(s, k, n)", 4, "move", 5, STEPS),
    ],
)
def test_calls_that_get_one_key(moving: Notebook, cell: str, line: int, function: str, times: int, fact: str) -> None:
    text = f"Line {line} calls {function} {times} times with the same random key, key, and {function} uses this key."
    assert notes(moving, cell) == [(f"{text} {fact}", ANOTHER)]


@pytest.mark.parametrize(
    "cell",
    [
        "for x in jnp.ones((3, 2)):\n    y = walk(x, k)",  # the same noise for several inputs, perhaps on purpose
        "y = jnp.zeros(2)\nfor n in range(3):\n    loss = walk(y, k)\n    y = y + 1.0",  # an evaluation
        "y = jnp.zeros(2)\nfor n in range(3):\n    k, key = jax.random.split(k)\n    y = walk(y, key)",
        "y = jnp.zeros(2)\nfor n in range(3):\n    y = still(y, k)",
        "y = jnp.zeros(2)\nfor n in range(3):\n    y = far(y, k, n)",
        "n = 0\nwhile n < 3:\n    n += 1\n    parts(k)",  # models that are to start from the same numbers
        "def bench(f, n=3):\n    t = perf_counter()\n    f(k)\n    for _ in range(n):\n        f(k)\n"
        "    return perf_counter() - t\nbench(dice)",
        "def check(n=3):\n    for _ in range(n):\n        assert_equal(list(dice(k)), list(dice(k)))\ncheck()",
        "ys = [dice(k) for _ in range(2)]\nprint(jnp.array_equal(*ys))",
    ],
)
def test_calls_that_get_one_key_on_purpose_or_draw_nothing(moving: Notebook, cell: str) -> None:
    assert notes(moving, cell) == []


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("a = weights(k)\nb = parts(k)", "Line 2 and line 3 use"),  # the function `parts` splits the key
        ("b = parts(k)\nc = 1\na = jax.random.normal(k, (3,))", "Line 2 and line 4 use"),
        ("a = weights(k)\nk, other = jax.random.split(k)\nb = inputs(k)", "Line 2 and line 3 use"),
        ("keys = jax.random.split(k, 3)\na = weights(k)", "Line 2 and line 3 use"),
        ("a = parts(k), weights(k)", "Two calls of line 2 use"),
    ],
)
def test_a_key_that_one_call_splits_and_another_call_draws_from(defined: Notebook, cell: str, lines: str) -> None:
    text = (
        f"{lines} the same random key, k. {TWICE} jax.random.split uses a key, too: after a split, draw from the new "
        "keys alone."
    )
    cure = "Split the key and use each part once: k, subkey = jax.random.split(k)."
    assert notes(defined, cell)[0] == (text, cure)


@pytest.mark.parametrize(
    "cell",
    [
        "weights(k)\nb = weights(k)",  # the first call of the two compiles the function, before the second is timed
        "a = weights(k)\na = weights(k)",
        "import time\na = weights(k)\nbefore = time.time()\nb = weights(k)\nprint(time.time() - before)",
        "a = weights(k).block_until_ready()\nb = weights(k)",
        "a = weights(k)\nb = weights(k)\nassert (a == b).all()",
        "a = weights(k)\nb = weights(k)\njnp.allclose(a, b)",
        "a = weights(k)\nb = weights(k)\njnp.max(a - b)",
        "a = parts(k)\nb = jax.jit(lambda key: jax.random.split(key))(k)",
        "a = parts(k)\none, other = jax.random.split(k)",  # each part of the key is the same again, but draws nothing
        "a = weights(k)\nb = noise(k)",  # Both functions draw numbers of one shape, which the user may want to compare.
        "a = weights(k)\nb = folded(k)",
        "k, other = jax.random.split(k)\na = weights(other)\nb = inputs(k)",
        "a = weights(k)\nk = jax.random.key(1)\nb = inputs(k)",
        "for k in jax.random.split(k, 2):\n    weights(k)\ninputs(k)",
        "a = [weights(k) for k in jax.random.split(k, 2)]\ninputs(k)",
        "a = weights(k)\n%time k = jax.random.key(1)\nb = inputs(k)",
        "j = k\ndef renew():\n    global j\n    j = jax.random.key(1)\na = weights(j)\nrenew()\nb = inputs(j)",
        "j = k\na = weights(j)\nrenew()\nb = inputs(j)",  # `renew` is the function that the previous cell defined
        "a = weights(k)\nb = False and inputs(k)",
    ],
)
def test_calls_that_draw_nothing_twice(defined: Notebook, cell: str) -> None:
    assert notes(defined, cell) == []


PLAIN = """
class Dice:
    def __init__(self, seed):
        self.key = jax.random.key(seed)
    def roll(self):
        return jax.random.randint(self.key, (3,), 1, 7)
    def roll_anew(self):
        self.key, part = jax.random.split(self.key)
        return jax.random.randint(part, (3,), 1, 7)

def blurred(key, image, width=1.0):
    return image + width * jax.random.normal(key, image.shape)

dice, image = Dice(5), jnp.zeros((2, 2))
"""


@pytest.mark.parametrize(
    "cell",
    [
        "rolls = [dice.roll() for _ in range(4)]",
        "images = [blurred(k, image) for _ in range(3)]",
        "images = {name: blurred(k, image) for name in ('left', 'right')}",
        "jnp.stack([blurred(k, image, width=0.5) for _ in range(2)])",
    ],
)
def test_a_plain_function_that_draws_from_one_key_in_each_iteration(defined: Notebook, cell: str) -> None:
    assert defined.run(PLAIN).result.success
    text = f"Each iteration on line 2 draws from the same random key. {TWICE}"
    cure = "Draw from another key in each iteration, such as from a part of jax.random.split(key, n)."
    assert notes(defined, cell) == [(text, cure)]


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("pair = blurred(k, image), blurred(k, jnp.zeros(5))", "Two calls of line 2 draw"),
        ("pair = [\n    blurred(k, image),\n    blurred(k, image[0]),\n]", "Line 3 and line 4 draw"),
    ],
)
def test_two_calls_of_plain_functions_in_one_statement(defined: Notebook, cell: str, lines: str) -> None:
    assert defined.run(PLAIN).result.success
    cure = "Split the key and use each part once: key, subkey = jax.random.split(key)."
    assert notes(defined, cell) == [(f"{lines} from the same random key. {TWICE}", cure)]


@pytest.mark.parametrize(
    "cell",
    [
        "pair = blurred(k, image), blurred(k, image + 1)",  # the same noise on two images: perhaps on purpose
        "one, other = jax.random.split(k)\npair = blurred(one, image), blurred(other, image[0])",
        "rolls = [dice.roll_anew() for _ in range(4)]",
        "images = [blurred(key, image) for key in jax.random.split(k, 3)]",
        "images = [blurred(k, image, width) for width in (0.5, 1.0)]",  # the same numbers, scaled: perhaps on purpose
        "images = [blurred(k, photo) for photo in (image, image + 1)]",
        "assert len({float(blurred(k, image).sum()) for _ in range(2)}) == 1",
        "images = [blurred(k, image) for _ in range(1)]",
        "images = [image + 1 for _ in range(3)]",
    ],
)
def test_a_plain_function_that_draws_anew_or_on_purpose(defined: Notebook, cell: str) -> None:
    assert defined.run(PLAIN).result.success
    assert notes(defined, cell) == []


def test_a_helper_that_one_call_in_a_loop_gives_the_same_key(defined: Notebook) -> None:
    """The key is split in the loop: a split within the helper would give equal keys in each call."""
    assert defined.run(PLAIN).result.success
    built = defined.builds()
    cell = "k = jax.random.key(0)\ntotal = 0\nfor _ in range(3):\n    total += blurred(k, image).sum()\nprint(total)"
    assert defined.run(f"%%jaxpr\n{cell}").result.success
    document = built[-1].document
    found = [
        (document.frames[note.frame].line, note.text, [cure.code for cure in note.cures])
        for note in document.notes
        if note.kind == "key_used_twice"
    ]
    code = "k, subkey = jax.random.split(k)\ntotal += blurred(subkey, image).sum()"
    assert found == [(5, f"Line 5 uses the same random key 3 times. {TWICE}", [code])]


def test_a_call_behind_an_error_draws_nothing(defined: Notebook) -> None:
    built = defined.builds()
    cell = "k = jax.random.key(0)\na = weights(k)\nraise ValueError\nb = inputs(k)"
    assert not defined.run(f"%%jaxpr\n{cell}").result.success
    assert "key_used_twice" not in [note.kind for note in built[-1].document.notes]


PARTS = "keys = jax.random.split(k, 3)\n"


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("a = jax.random.normal(keys[0], (2,))\nb = jax.random.normal(keys[0], (3,))", "Line 3 and line 4 draw"),
        ("a = weights(keys[0])\nb = inputs(key=keys[0])", "Line 3 and line 4 draw"),
        ("a, b = weights(keys[2]), inputs(keys[2])", "Two calls of line 3 draw"),
    ],
)
def test_two_calls_that_draw_from_one_part_of_an_array_of_keys(defined: Notebook, cell: str, lines: str) -> None:
    [(text, cure)] = notes(defined, PARTS + cell)
    assert text.startswith(f"{lines} from the same random key, keys[")
    assert cure == "Use another part of keys in each call."


def test_a_loop_that_draws_from_one_part_of_an_array_of_keys(defined: Notebook) -> None:
    [(text, cure)] = notes(defined, f"{PARTS}for _ in range(3):\n    weights(keys[1])")
    assert text == f"Each iteration on line 4 draws from the same random key, keys[1]. {TWICE}"
    assert cure == "Use another key in each iteration i, such as jax.random.fold_in(keys[1], i)."


@pytest.mark.parametrize(
    "cell",
    [
        "a = weights(keys[0])\nb = inputs(keys[1])",
        "a = weights(keys[0])\nkeys = jax.random.split(keys[1])\nb = inputs(keys[0])",
        "keys = list(keys)\na = weights(keys[0])\nkeys.pop(0)\nb = inputs(keys[0])",
        "a = [weights(keys[n]) for n in range(3)]\nb = [inputs(keys[n]) for n in range(3)]",
    ],
)
def test_calls_that_draw_from_parts_that_differ_or_may_differ(defined: Notebook, cell: str) -> None:
    assert notes(defined, PARTS + cell) == []


def of_seed(seed: int, loop: str, line: int) -> tuple[str, str]:
    return (
        f"Iterations of the {loop} on line {line} make a key of the seed {seed} and draw from the key. Keys of one "
        "seed are equal: draws of the same shape and distribution give equal numbers.",
        "Make the key before the loop, and split the key in each iteration: key, subkey = jax.random.split(key).",
    )


SAMPLE = """def sample(n):
    out = []
    for i in range(n):
        key = jax.random.PRNGKey(0)
        out.append(jax.random.normal(key, ()))
    return jnp.stack(out)
"""
JITTED = """@jax.jit
def walk(x):
    for _ in range(3):
        x = x + jax.random.normal(jax.random.key(42), (2,))
    return x
"""
MAKE = "def make(seed):\n    return jax.random.normal(jax.random.key(seed), (3,))\n"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (f"{SAMPLE}s = sample(3)\ns", of_seed(0, "for loop", 4)),
        (f"{SAMPLE}sample(3)", of_seed(0, "for loop", 4)),
        (f"{JITTED}walk(jnp.ones(2))", of_seed(42, "for loop", 4)),
        ("xs = [jax.random.uniform(jax.random.key(1), (2,)) for _ in range(3)]", of_seed(1, "comprehension", 2)),
        (f"{MAKE}for step in range(2):\n    x = make(7)\nweights(k)", of_seed(7, "for loop", 4)),
    ],
)
def test_a_loop_that_makes_a_key_of_one_seed(defined: Notebook, cell: str, expected: tuple[str, str]) -> None:
    assert notes(defined, cell) == [expected]


@pytest.mark.parametrize(
    "cell",
    [
        "for n in range(3):\n    x = jax.random.normal(jax.random.key(n), ())",
        # a start from the same numbers for each setting: perhaps on purpose
        "for rate in (0.1, 0.2):\n    w = jax.random.normal(jax.random.key(0), (2,)) * rate",
        f"{MAKE}x, y = make(0), make(0)",
        f"{MAKE}xs = [make(0) for _ in range(1)]",
        f"{MAKE}import time\nfor _ in range(2):\n    t = time.time(); make(0).block_until_ready(); t = time.time() - t",
        f"{MAKE}xs = [make(0) for _ in range(2)]\nassert bool((xs[0] == xs[1]).all())",
        "for _ in range(2):\n    key, part = jax.random.split(k)\n    k = key\n    jax.random.normal(part, ())",
    ],
)
def test_a_loop_whose_keys_differ_or_are_equal_on_purpose(defined: Notebook, cell: str) -> None:
    assert notes(defined, cell) == []
