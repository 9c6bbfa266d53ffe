"""Tests notes on programs that raise no error: indices outside of an array, and gradients that are NaN."""

import pytest

pytestmark = pytest.mark.any_jax

# --- an index that is out of bounds ---

OUTSIDE = "{} is out of bounds: {}axis 0 of the array has the size 3. JAX raises no error. "
FILLED = "At this index, the result holds a fill value: NaN, or the smallest or the largest number of an integer type."
NOT_CHECKED = (
    "JAX assumes that indices are in bounds and does not check them. JAX documents for the current XLA that the "
    "program reads the nearest element of the axis, and that gradients are not correct."
)


@pytest.mark.parametrize(
    ("expression", "indices", "outcome"),
    [
        ("v[10]", "", "The program reads the element 2 of the axis."),
        ("v[-5]", "", "The program reads the element 0 of the axis."),
        ("m[3, 1]", "", "The program reads the element 2 of the axis."),
        ("v[np.array([0, 5])]", "the indices include 5, and ", NOT_CHECKED),
        ("v.at[7].set(1.0)", "", "The program leaves out this update of the array."),
        (
            "v.at[np.array([0, 7])].add(1.0)",
            "the indices include 7, and ",
            "The program leaves out this update of the array.",
        ),
        ("jnp.take(v, 9)", "", FILLED),
        ("jnp.take_along_axis(m, np.array([[0, 1, 2, 3]]), axis=0)", "the indices include 3, and ", FILLED),
        ("jnp.take_along_axis(w, np.array([[1], [3]]), 0)", "the indices include 3, and ", FILLED),
        ("lax.dynamic_index_in_dim(v, 9)", "", "The program reads the element 2 of the axis."),
    ],
)
def test_an_index_out_of_bounds(notebook, expression, indices, outcome):
    notebook.run("import numpy as np\nv = jnp.arange(3.0); m = jnp.ones((3, 4))")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(v, m, w):\n    return {expression}\nf(v, m, m[:, :1])")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"]) == (OUTSIDE.format(expression, indices) + outcome, "Use an index from -3 to 2.")
    assert ran.line_of(note) == 4


@pytest.mark.parametrize(
    ("cell", "expression", "indices", "outcome"),
    [
        ("a = v[10]", "v[10]", "", "The program reads the element 2 of the axis."),
        ("a = m[3, 1]", "m[3, 1]", "", "The program reads the element 2 of the axis."),
        (
            "a = [v[i] for i in range(4)]",
            "v[i]",
            "the index is 3, and ",
            "The program reads the element 2 of the axis.",
        ),
        ("a = v[-4]", "v[-4]", "", "The program reads the element 0 of the axis."),
        ("a = v.at[8].set(1.0)", "v.at[8].set(1.0)", "", "The program leaves out this update of the array."),
        (
            "a = v.at[i].add(1.0)",
            "v.at[i].add(1.0)",
            "the indices include 5, and ",
            "The program leaves out this update of the array.",
        ),
        ("a = v[jnp.array([1, 9])]", "v[jnp.array([1, 9])]", "the indices include 9, and ", NOT_CHECKED),
        ("a = v[np.array([1, -4])]", "v[np.array([1, -4])]", "the indices include -4, and ", NOT_CHECKED),
        ("a = v[i]", "v[i]", "the indices include 5, and ", NOT_CHECKED),
        ("a = m[i, 0]", "m[i, 0]", "the indices include 5, and ", NOT_CHECKED),
        ("a = m[i, jnp.arange(2)]", "m[i, jnp.arange(2)]", "the indices include 5, and ", NOT_CHECKED),
        (
            "a = jnp.take_along_axis(m, jnp.full((2, 4), 3), axis=0)",
            "jnp.take_along_axis(m, jnp.full((2, 4), 3), axis=0)",
            "the indices include 3, and ",
            FILLED,
        ),
        (
            "k = jnp.argmax(v) + 5; a = v[k]",
            "v[k]",
            "the index is 7, and ",
            "The program reads the element 2 of the axis.",
        ),
        (
            "a = lax.dynamic_index_in_dim(v, 3)",
            "lax.dynamic_index_in_dim(v, 3)",
            "",
            "The program reads the element 2 of the axis.",
        ),
    ],
)
def test_an_index_out_of_bounds_outside_of_jit(notebook, cell, expression, indices, outcome):
    notebook.run("import numpy as np\nv = jnp.arange(3.0); m = jnp.ones((3, 4)); i = jnp.array([0, 5])")
    ran = notebook.run(f"%%jaxpr\n{cell}")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"]) == (
        OUTSIDE.format(expression, indices) + outcome,
        "Use an index from -3 to 2.",
    )
    assert ran.line_of(note) == 2


@pytest.mark.parametrize(
    "cell",
    [
        "a = x[7], x[-8], x[0], [x[i] for i in range(8)], x[2:20]",
        "a = x[i], x[i - 8], x.at[i].set(0.0), x[jnp.array([0, -8])], x[x > 3.0], x[jnp.argsort(x)]",
        "a = jnp.where(i < 5, x[i + 1], 0.0)",
        "a = jnp.take_along_axis(x, jnp.array([7, -8, 0]), axis=0)",
        "a = jnp.take_along_axis(x[None], jnp.argsort(x[None], axis=1)[:, :3], axis=1)",
        "a = x[jnp.arange(9)] * (jnp.arange(9) < 8), x[counted] * (counted < 8)",
        "a = x.at[i + 5].set(0.0, mode='drop'), x.at[i + 5].get(mode='fill', fill_value=0.0)",
    ],
)
def test_an_index_outside_of_jit_that_is_in_bounds_or_outside_on_purpose(notebook, cell):
    notebook.run("i = jnp.array([0, 7]); counted = jnp.arange(9)")
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.result.success
    assert "out_of_bounds" not in ran.notes


@pytest.mark.parametrize(
    "end",
    [
        "jitted(v)",  # the program of a jitted function
        "doubled(v)",  # the trace and the recording of a plain call
        "v.at[0].set(3.0)",  # the trace of a call of JAX
    ],
)
def test_an_index_outside_of_jit_in_a_cell_that_ends_with_a_call(notebook, end):
    notebook.run("jitted = jax.jit(lambda v: v + 1)\ndef doubled(v):\n    return v * 2\nv = jnp.arange(3.0)")
    ran = notebook.run(f"%%jaxpr\nlast = v[2]\nbeyond = v[3]\n{end}")
    notes = [note for note in ran.document["notes"] if note["kind"] == "out_of_bounds"]
    outcome = "The program reads the element 2 of the axis."
    assert [note["text"] for note in notes] == [OUTSIDE.format("v[3]", "") + outcome]
    assert ran.line_of(notes[0]) == 3


@pytest.mark.parametrize("call", ["jitted(v)", "doubled(v)", "for _ in range(9):\n    jitted(v)"])
def test_an_index_outside_of_jit_after_a_call(notebook, call):
    notebook.run("jitted = jax.jit(lambda v: v + 1)\ndef doubled(v):\n    return v * 2\nv = jnp.arange(3.0)")
    ran = notebook.run(f"%%jaxpr\n{call}\nv[3]")
    outcome = "The program reads the element 2 of the axis."
    assert ran.note("out_of_bounds")["text"] == OUTSIDE.format("v[3]", "") + outcome


@pytest.mark.parametrize("expression", ["v[9]", "v.at[9].set(1.0)"])
def test_an_index_under_a_vmap_is_of_the_axis_of_the_function(notebook, expression):
    """The program has the axis of the vmap first, so its array has other axes than the array of the function."""
    cell = f"f = jax.jit(lambda v: {expression})\njax.vmap(f)(jnp.ones((4, 3)))"
    ran = notebook.run(f"%%jaxpr\n{cell}")
    assert ran.note("out_of_bounds")["text"].startswith(OUTSIDE.format(expression, ""))


@pytest.mark.parametrize(
    ("expression", "axis", "size"),
    [
        ("v[5, 0]", 0, 3),
        ("v[1, 9]", 1, 2),
        ("v[9, :]", 0, 3),
        ("v[..., 9]", 1, 2),
        ("v[None, 9]", 0, 3),
        ("v[:, jnp.array([0, 9])]", 1, 2),
        ("v.at[0, 9].add(1.0)", 1, 2),
        ("lax.dynamic_slice(v, (1, 0), (3, 2))", 0, 3),
    ],
)
@pytest.mark.parametrize("call", ["jax.vmap(f)({})", "jax.vmap(jax.jit(f))({})", "jax.jit(jax.vmap(f))({})"])
def test_an_index_of_several_axes_under_a_vmap(notebook, call, expression, axis, size):
    call = call.format("jnp.ones((4, 3, 2))")
    ran = notebook.run(f"%%jaxpr\ndef f(v):\n    return {expression}\n{call}")
    assert f" axis {axis} of the array has the size {size}." in ran.note("out_of_bounds")["text"]


def test_the_axis_is_left_out_where_only_the_program_under_the_vmap_shows_the_axis(notebook):
    ran = notebook.run("%%jaxpr\njax.vmap(lambda v: jnp.take(v, 9, axis=1))(jnp.ones((4, 3, 2)))")
    assert ran.note("out_of_bounds")["text"] == (
        "jnp.take(v, 9, axis=1) is out of bounds: an axis of the array has the size 2. JAX raises no error. " + FILLED
    )


def test_an_index_that_is_a_tuple_in_a_variable(notebook):
    ran = notebook.run("%%jaxpr\nplace = (0, 9)\njnp.ones((3, 2))[place]")
    assert " axis 1 of the array has the size 2." in ran.note("out_of_bounds")["text"]


def test_an_index_in_the_program_of_the_last_call_has_one_note(notebook):
    notebook.run("v = jnp.arange(3.0)")
    ran = notebook.run("%%jaxpr\ndef fourth(v):\n    return v[3]\nfourth(v)")
    assert [note["kind"] for note in ran.document["notes"] if note["kind"] == "out_of_bounds"] == ["out_of_bounds"]


def test_a_slice_outside_of_jit_that_reaches_beyond_the_end(notebook):
    ran = notebook.run("%%jaxpr\ni = jnp.int32(6)\na = lax.dynamic_slice(x, (i,), (4,))")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"], ran.line_of(note)) == (
        "lax.dynamic_slice(x, (i,), (4,)) is out of bounds: the slice has the length 4, and axis 0 of the array has "
        "the size 8. JAX raises no error. JAX moves the slice into the array: the slice begins at 4.",
        "Begin the slice at 4 or before.",
        3,
    )


def test_a_slice_that_reaches_beyond_the_end(notebook):
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(x):\n    return lax.dynamic_slice(x, (6,), (4,))\nf(x)")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"]) == (
        "lax.dynamic_slice(x, (6,), (4,)) is out of bounds: the slice has the length 4, and axis 0 of the array has "
        "the size 8. JAX raises no error. JAX moves the slice into the array: the slice begins at 4.",
        "Begin the slice at 4 or before.",
    )


def test_slices_under_vmap_that_reach_beyond_the_end(notebook):
    slices = "jax.vmap(lambda i: lax.dynamic_slice(x, (i,), (3,)))(jnp.arange({}))"
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    return {slices.format(8)}\nf(x)")
    note = ran.note("out_of_bounds")
    assert (note["text"], note["cure"]) == (
        "lax.dynamic_slice(x, (i,), (3,)) is out of bounds: the slice has the length 3, and axis 0 of the array has "
        "the size 8. JAX raises no error. JAX moves the slice into the array: the slice begins at 5.",
        "Begin the slice at 5 or before.",
    )
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    return {slices.format(6)}\nf(x)")
    assert "out_of_bounds" not in ran.notes


def test_an_index_in_the_body_of_a_loop(notebook):
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(x):\n    def step(c, _):\n        return c + x[8], None\n"
        "    return lax.scan(step, 0.0, length=3)[0]\nf(x)"
    )
    assert ran.line_of(ran.note("out_of_bounds")) == 5


IN_BODIES = """%%jaxpr
table, beyond = jnp.array([0, 3, 10]), jnp.array(12)
@jax.jit
def f(x, p):
    a = lax.scan(lambda c, i: (c + x[i], None), 0.0, table)[0]
    b = lax.scan(lambda c, _: (c + x[beyond], None), 0.0, length=2)[0]
    c = lax.map(lambda i: x[i - 12], table)
    d = lax.fori_loop(0, 3, lambda i, c: c + x[table[i]], 0.0)
    e = lax.while_loop(lambda c: c < 9.0, lambda c: c + x[beyond], 0.0)
    g = lax.cond(p, lambda: x[table], lambda: x[:3])
    h = lax.scan(lambda c, i: (c.at[i].add(1.0), None), x, table)[0]
    k = jax.checkpoint(lambda i: x[i])(beyond)
    return a, b, c, d, e, g, h, k
f(x, True)"""


def test_indices_in_bodies_that_constants_decide(notebook):
    ran = notebook.run(IN_BODIES)
    notes = [note for note in ran.document["notes"] if note["kind"] == "out_of_bounds"]
    size = "axis 0 of the array has the size 8. JAX raises no error."
    last = "The program reads the element 7 of the axis."
    among = f"is out of bounds: the indices include 10, and {size}"
    one = f"is out of bounds: the index is 12, and {size} {last}"
    assert [(ran.line_of(note), note["text"]) for note in notes] == [
        (5, f"x[i] {among} {last}"),
        (6, f"x[beyond] {one}"),
        (
            7,
            f"x[i - 12] is out of bounds: the indices include -12 and -9, and {size} The program reads the element 0 "
            "of the axis.",
        ),
        (8, f"x[table[i]] {among} {last}"),
        (9, f"x[beyond] {one}"),
        (10, f"x[table] {among} {NOT_CHECKED}"),
        (11, f"c.at[i].add(1.0) {among} The program leaves out this update of the array."),
        (12, f"x[i] {one}"),
    ]
    ran = notebook.run("%%jaxpr\ndef step(c, i):\n    return c + x[i], None\nlax.scan(step, 0.0, table)[0]")
    assert ran.note("out_of_bounds")["text"] == f"With the recorded values of a call, x[i] {among} {last}"


IN_BODIES_ON_PURPOSE = """%%jaxpr
padded, valid = jnp.array([0, 3, 8]), jnp.array([True, True, False])
@jax.jit
def f(x, ok):
    a = lax.scan(lambda c, i: (c + jnp.where(i < 8, x[i], 0.0), None), 0.0, padded)[0]
    b = lax.scan(lambda c, xs: (c + jnp.where(xs[1], x[xs[0]], 0.0), None), 0.0, (padded, valid))[0]
    c = lax.scan(lambda c, i: (lax.cond(i < 8, lambda: c + x[i], lambda: c), None), 0.0, padded)[0]
    d = lax.scan(lambda c, xs: (lax.cond(xs[1] > 0, lambda: c + x[xs[0]], lambda: c), None), 0.0, (padded, ok))[0]
    e = lax.map(lambda i: x[i], padded) * jnp.array([1.0, 1.0, 0.0])
    g = jnp.where(valid, jax.jit(lambda i: x[i])(padded), 0.0)
    h = lax.fori_loop(0, 8, lambda i, c: c + jnp.where(i < 7, x[i + 1] - x[i], 0.0), 0.0)
    k = lax.while_loop(lambda s: s[0] < 8, lambda s: (s[0] + 1, s[1] + x[s[0]]), (0, 0.0))
    m = lax.scan(lambda i, _: ((i + 3) % 8, x[i]), 0, length=20)[1]
    n = lax.scan(lambda c, i: (c.at[i].add(1.0, mode='drop'), None), x, padded)[0]
    o = lax.while_loop(lambda n: padded[n] > 5, lambda n: jnp.where(x[n] > 1, n, 0), 0)
    return a, b, c, d, e, g, h, k, m, n, o
f(x, jnp.array([1.0, 1.0, 0.0]))"""


def test_indices_in_bodies_that_are_in_bounds_or_outside_on_purpose(notebook):
    ran = notebook.run(IN_BODIES_ON_PURPOSE)
    assert ran.result.success
    assert "out_of_bounds" not in ran.notes


@pytest.mark.parametrize(
    "body",
    [
        "return x[7] + x[-8] + x[-1]",
        "return x[2:99]",
        "return x.at[9].set(1.0, mode='drop')",
        "return x.at[9].get(mode='fill', fill_value=0.0)",
        "return jnp.take(x, 9, mode='clip')",
        "i = 9\n    return jnp.where(i < 8, x[i], 0.0)",
        "i = jnp.argmax(x) + 100\n    return x[i]",
        "i = jnp.arange(8)\n    return x[i + 1] * (i < 7) + x[(i + 1) % 8] + x[i - 1]",
        "return lax.fori_loop(0, 20, lambda i, c: c + x[i], 0.0)",
        "return jnp.roll(x, 3) + jnp.pad(x, 2)[2:10] + jnp.sort(x)[::-1]",
        "return jnp.nonzero(x, size=12, fill_value=99)[0]",
        "return jax.nn.one_hot(jnp.array([9]), 8)",
        "return jax.ops.segment_sum(x, np.arange(8) % 4, num_segments=2)",
        "return jax.grad(lambda v: v[3] * v[-1])(x)",
        "return jax.vmap(lambda v: v[-1] + v[0])(x.reshape(2, 4))",
        "return lax.dynamic_slice(x, (4,), (4,)) + lax.dynamic_slice_in_dim(x, 0, 4)",
        "return lax.dynamic_update_slice(x, jnp.ones(2), (6,))",
    ],
)
def test_indices_that_are_in_bounds_or_outside_on_purpose(notebook, body):
    notebook.run("import numpy as np")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    {body}\nf(x)")
    assert ran.result.success
    assert "out_of_bounds" not in ran.notes


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (
            "x[i]",
            "the index is 9, and axis 0 of the array has the size 8. JAX raises no error. The program reads the "
            "element 7 of the axis.",
        ),
        (
            "x[i + 3]",
            "the index is 12, and axis 0 of the array has the size 8. JAX raises no error. The program reads the "
            "element 7 of the axis.",
        ),
        (
            "x.at[i].set(1.0)",
            "the index is 9, and axis 0 of the array has the size 8. JAX raises no error. The program leaves out this "
            "update of the array.",
        ),
        (
            "lax.dynamic_slice(x, (i,), (2,))",
            "the slice has the length 2, and axis 0 of the array has the size 8. JAX raises no error. JAX moves the "
            "slice into the array: the slice begins at 6.",
        ),
    ],
)
def test_an_index_that_a_call_passes(notebook, body, outcome):
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x, i):\n    return {body}\nf(x, 9)")
    note = ran.note("out_of_bounds")
    assert note["text"] == f"With the recorded values of a call, {body} is out of bounds: {outcome}"
    assert ran.line_of(note) == 4
    # the same program, called with an index in bounds
    assert "out_of_bounds" not in notebook.run("%%jaxpr\nf(x, 2)").notes
    # an index on the device
    assert notebook.run("%%jaxpr\ni = jnp.int32(9)\nf(x, i)").note("out_of_bounds")["text"] == note["text"]
    assert "out_of_bounds" not in notebook.run("%%jaxpr\nf(x, jnp.int32(2))").notes


@pytest.mark.parametrize(
    ("arguments", "subject"),
    [
        ("l, y", "With the recorded values of a call, l[jnp.arange(3), {}]"),
        ("l, None", "l[jnp.arange(3), {}]"),  # the function reads an array that is not its argument
    ],
)
def test_labels_on_the_device_that_are_out_of_bounds(notebook, arguments, subject):
    notebook.run("l = jnp.ones((3, 4)); y = jnp.array([0, 2, 5])")
    label = "y" if "None" in arguments else "i"
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(l, i):\n    return l[jnp.arange(3), {label}]\nf({arguments})")
    assert ran.note("out_of_bounds")["text"] == (
        f"{subject.format(label)} is out of bounds: the indices include 5, and axis 1 of the array has the size 4. JAX "
        f"raises no error. {NOT_CHECKED}"
    )


@pytest.mark.parametrize(
    ("calls", "is_outside"),
    [
        ("f(x, jnp.array([0, 8]))", True),
        ("y = f(x, jnp.array([0, 8])); print(y)", True),  # the call that compiles the program
        ("f(x, jnp.array([0, 8])); f(x, jnp.array([0, 1]))", True),
        ("y = f(x, jnp.array([0, 1])); y = f(x, jnp.array([0, 8]))", True),  # the call that ends the cell
        ("f(x, jnp.array([0, 7])); f(x, jnp.array([0, -8]))", False),
        ("f(x, jnp.arange(2) + 7)", False),  # such as x[i + 1] where a later operation leaves out the last element
    ],
)
def test_index_arrays_that_only_a_call_holds(notebook, calls, is_outside):
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x, i):\n    return x[i]\n{calls}")
    texts = [note["text"] for note in ran.document["notes"] if note["kind"] == "out_of_bounds"]
    assert texts == is_outside * [
        "With the recorded values of a call, x[i] is out of bounds: the indices include 8, and axis 0 of the array has "
        f"the size 8. JAX raises no error. {NOT_CHECKED}"
    ]


@pytest.mark.parametrize(
    ("body", "mask", "is_told"),
    [
        ("(x[i] * m).sum()", "jnp.array([1.0, 0.0])", False),
        ("(x[i] * m).sum()", "jnp.array([1.0, 2.0])", True),
        ("(x[i] * (i < 8)).sum()", "1.0", False),
        ("(jnp.ones((8, 2))[i] * m[:, None]).sum(0)", "jnp.array([1.0, 0.0])", False),
        ("x[i] + x[i] * m", "jnp.array([1.0, 0.0])", True),
    ],
)
def test_an_index_of_padding_that_a_factor_masks(notebook, body, mask, is_told):
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x, i, m):\n    return {body}\nf(x, jnp.array([0, 8]), {mask})")
    assert ran.result.success
    assert ("out_of_bounds" in ran.notes) is is_told


def test_an_index_array_of_an_earlier_cell_is_no_index_of_this_cell(notebook):
    notebook.run("%%jaxpr\nf = jax.jit(lambda x, i: x[i])\nf(x, jnp.array([0, 8]))")
    assert "out_of_bounds" not in notebook.run("%%jaxpr\ny = f(x, jnp.array([0, 1])); print(y)").notes


@pytest.mark.parametrize(
    "body", ["jnp.where(i < 8, x[i], 0.0)", "x.at[i].get(mode='fill')", "x[jnp.clip(i, 0, 7)]", "x[i % 8]", "x[i - 9]"]
)
def test_an_index_that_a_call_passes_outside_on_purpose(notebook, body):
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x, i):\n    return {body}\nf(x, 9)")
    assert ran.result.success
    assert "out_of_bounds" not in ran.notes


# --- a gradient that can be NaN ---


@pytest.mark.parametrize(
    "selection",
    [
        "jnp.where(x > 0, jnp.log(x), 0.0)",
        "jnp.where(x != 0, 1 / x, 0.0)",
        "jnp.where(x == 0, 0.0, 1 / x)",
        "jnp.where(x > 1, jnp.sqrt(x), x)",
        "jnp.where(x <= 0, 0.0, jnp.log(x) * 3.0)",
        "lax.select(x > 0, jnp.log(x), jnp.zeros_like(x))",
        "jnp.where(x > 0, x * jnp.log(x), 0.0)",
        "jnp.where(x > 0, jnp.log(x) / (x + 1), 0.0)",
        "jnp.where(x > 0, x**0.5, 0.0)",
    ],
)
@pytest.mark.parametrize("transform", ["jax.grad", pytest.param("jax.value_and_grad", marks=pytest.mark.slow)])
def test_a_gradient_that_is_nan_at_zero(notebook, transform, selection):
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    return {selection}.sum()\ng = jax.jit({transform}(f))(x)")
    note = ran.note("masked_derivative")
    assert (note["title"], note["text"], note["cure"]) == (
        "The gradient can be NaN",
        "The gradient of this selection is NaN where the compared value is 0. The derivative of the branch "
        "that is not taken there is infinite or NaN, and JAX multiplies the derivative by zero.",
        "Write jnp.where(c, f(jnp.where(c, x, a)), y) instead of jnp.where(c, f(x), y), so that f never gets 0. "
        "For a, choose a number at which f and its derivative are finite.",
    )
    assert ran.line_of(note) == 3
    gradient = notebook["g"][1] if "value" in transform else notebook["g"]
    assert notebook["jnp"].isnan(gradient[0])  # x[0] is 0


@pytest.mark.parametrize(
    "selection",
    [
        "jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0)",
        "jnp.where(x > 0, x**1.5, 0.0)",
        "jnp.where(x > 0, jnp.log(x + 2) / (x + 1), 0.0)",
        "jnp.where(x != 1, jnp.exp(x) / (x + 1), 1.0)",
        "jnp.where(x > 0, jnp.log(x + 1e-6), 0.0)",
        "jnp.where(x > 0, jnp.log(jnp.maximum(x, 1e-6)), 0.0)",
        "jnp.where(x > 0, jnp.exp(x), x)",
        "jnp.where(x > 0, x**2, x**3)",
        "jnp.where(x > 0, x / 2, 0.0)",
        "jax.nn.relu(x) + jax.nn.softplus(x) + jax.nn.selu(x) + jax.nn.gelu(x) + jax.nn.log_sigmoid(x)",
        "jnp.sinc(x) + jnp.abs(x) + jnp.clip(x, 0, 1)",
    ],
)
def test_a_gradient_that_is_a_number(notebook, selection):
    ran = notebook.run(f"%%jaxpr\ndef f(x):\n    return ({selection}).sum()\ng = jax.jit(jax.grad(f))(x)")
    assert ran.result.success
    assert "masked_derivative" not in ran.notes
    assert not notebook["jnp"].isnan(notebook["g"]).any()


DISTANCES = "def f(x):\n    d2 = (x[:, None] - x[None]) ** 2\n    off = ~jnp.eye(len(x), dtype=bool)\n"


@pytest.mark.parametrize(
    "selection",
    [
        "jnp.where(off, 1 / d2, 0.0)",
        "jnp.where(off & (d2 < 4), jnp.log(d2), 0.0)",
        "jnp.where(jnp.arange(len(x))[:, None] < jnp.arange(len(x)), 1 / d2, 0.0)",
    ],
)
def test_a_gradient_that_is_nan_below_a_mask(notebook, selection):
    ran = notebook.run(f"%%jaxpr\n{DISTANCES}    return {selection}.sum()\ng = jax.jit(jax.grad(f))(x)")
    note = ran.note("masked_derivative")
    assert note["text"] == (
        "The gradient of this selection is NaN where the mask leaves out a 0. The branch below the mask reads values "
        "of which some are 0 for all arguments, as on the diagonal of x[:, None] - x. The derivative of the branch "
        "that is not taken there is infinite or NaN, and JAX multiplies the derivative by zero."
    )
    assert ran.line_of(note) == 5
    assert notebook["jnp"].isnan(notebook["g"]).all()


@pytest.mark.parametrize(
    "selection",
    [
        "jnp.where(off, 1 / jnp.where(off, d2, 1), 0.0)",
        "jnp.where(off, 1 / (d2 + jnp.eye(len(x))), 0.0)",
        "jnp.where(off, jnp.exp(-d2), 0.0)",
        "jnp.where(off, 1 / (x[:, None] + x[None] + 1), 0.0)",
        "jnp.where(off, d2, 1 / d2.max())",
    ],
)
def test_a_gradient_that_is_a_number_below_a_mask(notebook, selection):
    ran = notebook.run(f"%%jaxpr\n{DISTANCES}    return {selection}.sum()\ng = jax.jit(jax.grad(f))(x)")
    assert ran.result.success
    assert "masked_derivative" not in ran.notes
    assert not notebook["jnp"].isnan(notebook["g"]).any()


def test_a_selection_in_the_rule_of_a_function_that_a_jitted_function_calls(notebook):
    """JAX knows only the call of the function whose rule has the selection."""
    notebook.run(
        "%%jaxpr\n@jax.custom_jvp\ndef root(x):\n    return jnp.sqrt(jnp.maximum(x, 0))\n"
        "@root.defjvp\ndef rule(primals, tangents):\n    (x,), (dx,) = primals, tangents\n"
        "    return root(x), jnp.where(x > 0, dx / (2 * jnp.sqrt(x)), 0.0)\n"
        "@jax.jit\ndef f(x):\n    return root(x).sum()\nf(jnp.ones(2))"
    )
    ran = notebook.run("%%jaxpr\ng = jax.jit(jax.grad(f))(jnp.array([4.0, 0.0]))")
    assert notebook["jnp"].isnan(notebook["g"]).tolist() == [False, True]
    note = ran.note("masked_derivative")
    assert note["text"] == (
        "The gradient of a selection that the call root(x) runs is NaN where the compared value is 0. The derivative "
        "of the branch that is not taken there is infinite or NaN, and JAX multiplies the derivative by zero."
    )
    assert ran.line_of(note) == 11


def test_a_gradient_that_is_nan_at_the_compared_number(notebook):
    cell = "def f(x):\n    return jnp.where(x != 1, jnp.log(x) / (x - 1), 1.0).sum()"
    ran = notebook.run(f"%%jaxpr\n{cell}\ng = jax.jit(jax.grad(f))(jnp.array([0.5, 1]))")
    note = ran.note("masked_derivative")
    assert (note["text"], note["cure"]) == (
        "The gradient of this selection is NaN where the compared value is 1. The derivative of the branch "
        "that is not taken there is infinite or NaN, and JAX multiplies the derivative by zero.",
        "Write jnp.where(c, f(jnp.where(c, x, a)), y) instead of jnp.where(c, f(x), y), so that f never gets 1. "
        "For a, choose a number at which f and its derivative are finite.",
    )
    assert notebook["jnp"].isnan(notebook["g"]).tolist() == [False, True]


@pytest.mark.parametrize(
    "cell",
    [
        "g = f(x), jax.grad(f)(x)",  # JAX runs two programs of f, the forward and the backward pass
        "g = f(x), jax.value_and_grad(f)(x)[1]",
        "g = f(x), jax.vjp(f, x)[1](1.0)[0]",
        # JAX runs one program, which contains the forward and the backward pass of f
        "g = f(x), jax.jit(jax.grad(f))(x)",
        "df = jax.grad(f)\nfor _ in range(2):\n    g = f(x), df(x)",
    ],
)
@pytest.mark.parametrize(
    ("selection", "is_nan"),
    [
        ("jnp.where(x > 0, jnp.sqrt(x), 0.0)", True),
        ("jnp.where(x > 0, jnp.log(x), 0.0) + 1 / (x + 2)", True),
        ("jnp.where(x > 0, x * jnp.log(x), 0.0)", True),
        ("jnp.where(x > 0, x / (x + 1), 0.0) * jnp.log(x + 1)", False),
        ("jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)", False),
        ("jnp.where(x > 0, jnp.exp(x), x) * jnp.sqrt(x + 1)", False),
    ],
)
def test_a_gradient_of_a_jitted_function(notebook, selection, is_nan, cell):
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(x):\n    return ({selection}).sum()\n{cell}")
    assert ran.result.success
    masked = [note for note in ran.document["notes"] if note["kind"] == "masked_derivative"]
    assert [ran.line_of(note) for note in masked] == ([4] if is_nan else [])
    assert bool(notebook["jnp"].isnan(notebook["g"][1][0])) == is_nan  # x[0] is 0


def test_a_selection_without_a_gradient(notebook):
    ran = notebook.run("%%jaxpr\ny = jax.jit(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))(x)")
    assert "masked_derivative" not in ran.notes
