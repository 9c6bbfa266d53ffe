"""Tests recordings of plain calls: the program, its inputs and its lines."""

from __future__ import annotations

import re

import jax
from conftest import Notebook
from dispatch_recordings import RAN, arguments, lines, outline, program, recorded

OLD_LINE = jax.__version_info__ < (0, 12)


# --- operations ---


def test_each_operation_is_an_equation(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v, w):\n    return lax.mul(lax.sin(v), w)\nf(x, x + 1)")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = sin a
  d:f32[8] = mul c b
in (d,) }
"""
    assert recorded(ran) == expected
    recorded_program = program(ran)
    assert (recorded_program["name"], recorded_program["how"], recorded_program["group"]) == (
        "f",
        "recorded as it ran",
        "eager",
    )
    assert recorded_program["origin_note"] == RAN.format(call="f(x, x + 1)", ran="2 dispatches")
    assert arguments(ran) == ["v: f32[8]", "w: f32[8]"]
    assert recorded_program["result"]["type"] == "f32[8]"
    assert [level["state"] for level in recorded_program["levels"]] == ["absent", "absent"]
    assert recorded_program["levels"][0]["reason"] == (
        "The program is a recording: JAX compiled each of its equations by itself. To see the StableHLO and HLO of one "
        "program, call the function under jax.jit."
    )


def test_the_trace_of_the_call_stands_first(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v):\n    return jnp.sin(v)\nf(x)")
    assert ran.programs == ["traced f(v: f32[8]) -> f32[8]: sin", "recorded f(v: f32[8]) -> f32[8]: jit"]
    assert [program["group"] for program in ran.document["programs"]] == ["traced", "eager"]
    assert ran.document["focus"] == 0


def test_a_hit_and_a_miss_are_the_same_equation(notebook: Notebook) -> None:
    notebook.run("def f(v):\n    return lax.cosh(v) * 2\ntold = []")
    cell = "%%jaxpr --no-trace\ny = f(x)"
    first, second = notebook.run(cell), notebook.run(cell)
    expected = """
{ lambda ; a:f32[8]. let
  b:f32[8] = cosh a
  c:f32[8] = jit[
    name=multiply
    jaxpr={ lambda ; b:f32[8] d:i32[]. let
      e:f32[] = convert_element_type[new_dtype=float32 weak_type=False] d
      c:f32[8] = mul b e
    in (c,) }
  ] b 2:i32[]
in (c,) }
"""
    assert recorded(first) == recorded(second) == expected


def test_a_jitted_function_is_one_equation_whether_it_hits_or_misses(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef g(v):\n    return jnp.cos(v) * v\ndef f(v):\n    return lax.neg(g(g(v)))\ny = f(x)"
    )
    expected = """
let g = { lambda ; a:f32[8]. let
  b:f32[8] = cos a
  c:f32[8] = mul b a
in (c,) } in
{ lambda ; d:f32[8]. let
  e:f32[8] = jit[name=g jaxpr=g] d
  f:f32[8] = jit[name=g jaxpr=g] e
  h:f32[8] = neg f
in (h,) }
"""
    assert recorded(ran) == expected
    assert ran.programs[0] == "ran g(v: f32[8]) -> f32[8]: cos mul"


def test_a_call_of_one_jitted_function_and_nothing_else_is_no_recording(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef g(v):\n    return v * 2\ndef f(v):\n    return g(v)\ny = [f(x), f(x)]")
    assert ran.programs == ["ran g(v: f32[8]) -> f32[8]: mul"]


def test_control_flow_outside_of_jit_is_an_equation_with_its_programs(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n"
        "def f(v):\n"
        "    n = lax.while_loop(lambda c: c < 10, lambda c: c + 1, 0)\n"
        "    return lax.cond(v > 0, jnp.sin, jnp.cos, v), n\n"
        "f(x[1])"
    )
    expected = """
{ lambda ; a:f32[]. let
  b:i32[] = while[
    body_jaxpr={ lambda ; c:i32[]. let
      d:i32[] = add c 1:i32[]
    in (d,) }
    body_nconsts=0
    cond_jaxpr={ lambda ; e:i32[]. let
      f:bool[] = lt e 10:i32[]
    in (f,) }
    cond_nconsts=0
  ] 0:i32[]
  g:bool[] = jit[
    name=greater
    jaxpr={ lambda ; a:f32[] h:i32[]. let
      i:f32[] = convert_element_type[new_dtype=float32 weak_type=False] h
      g:bool[] = gt a i
    in (g,) }
  ] a 0:i32[]
  j:i32[] = convert_element_type[new_dtype=int32 weak_type=False] g
  k:f32[] = cond[
    branches=(
      { lambda ; l:f32[]. let
        m:f32[] = cos l
      in (m,) }
      { lambda ; n:f32[]. let
        o:f32[] = sin n
      in (o,) }
    )
  ] j a
in (k, b) }
"""
    assert recorded(ran) == expected
    assert lines(ran) == [("while", [3, 5]), ("jit", [4, 5]), ("convert_element_type", [4, 5]), ("cond", [4, 5])]
    assert [card["kind"] for card in ran.document["control_flow"]] == ["while_loop", "cond"] * 3
    assert [card["steppable"] for card in ran.document["control_flow"]][4:] == [
        "The program is a recording and holds no values. To step through or to time a loop or a jitted function, "
        "choose the program of the loop or of the function itself."
    ] * 2


def test_a_scan_outside_of_jit_is_an_equation(notebook: Notebook) -> None:
    notebook.run(
        "def step(c, e):\n    return lax.add(c, e), None\ndef f(v):\n    return lax.neg(lax.scan(step, v[0], v)[0])"
    )
    for _ in ("a miss", "a hit"):
        ran = notebook.run("%%jaxpr\ny = f(x)")
        assert [name for name, _ in lines(ran)] == ["dynamic_slice", "squeeze", "scan", "neg"]
        assert recorded(ran).endswith("] c a\n  h:f32[] = neg d\nin (h,) }\n")


def test_a_gradient_without_jit_shows_what_ran_forward_and_backward(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v):\n    return lax.mul(lax.sin(v), lax.exp(v))\njax.grad(f)(x[1])")
    expected = """
{ lambda ; a:f32[] b:f32[]. let
  c:f32[] = sin b
  d:f32[] = cos b
  e:f32[] = exp b
  _:f32[] = mul c e
  f:f32[] = convert_element_type[new_dtype=float32 weak_type=False] a
  g:f32[] = mul c f
  h:f32[] = mul f e
  i:f32[] = mul g e
  j:f32[] = mul h d
  k:f32[] = add i j
in (k,) }
"""
    assert recorded(ran) == expected
    assert program(ran)["origin_note"] == RAN.format(call="jax.grad(f)(x[1])", ran="10 dispatches")


def test_vmap_without_jit_shows_the_batched_operations(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ny = jax.vmap(lambda a, b: lax.mul(lax.sin(a), b), in_axes=(0, None))(x, x[1])")
    expected = """
{ lambda ; a:f32[8] b:f32[]. let
  c:f32[8] = sin a
  d:f32[8] = mul c b
in (d,) }
"""
    assert recorded(ran) == expected


def test_associative_scan(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v):\n    return lax.associative_scan(lax.mul, v)\ny = f(x[:2])")
    expected = """
{ lambda ; a:f32[] b:f32[] c:f32[2]. let
  d:f32[1] = slice[limit_indices=(1,) start_indices=(0,) strides=(2,)] c
  e:f32[1] = slice[limit_indices=(2,) start_indices=(1,) strides=(2,)] c
  f:f32[1] = mul d e
  g:f32[0] = slice[limit_indices=(0,) start_indices=(0,) strides=(1,)] f
  h:f32[0] = slice[limit_indices=(2,) start_indices=(2,) strides=(2,)] c
  i:f32[0] = mul g h
  j:f32[1] = slice[limit_indices=(1,) start_indices=(0,) strides=(1,)] c
  k:f32[1] = concatenate[dimension=0] j i
  l:f32[2] = pad[padding_config=((0, 1, 1),)] k a
  m:f32[2] = pad[padding_config=((1, 0, 1),)] f b
  n:f32[2] = add l m
in (n,) }
"""
    assert recorded(ran) == expected


def test_an_update_of_an_array_at_an_index(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v):\n    return v.at[1].set(5.0)\ny = f(x)")
    assert (
        re.sub(r"scatter\[.*\]", "scatter[...]", recorded(ran))
        == """
{ lambda ; a:i32[] b:f32[8]. let
  c:f32[] = stage 5.0:f32[]
  d:i32[] = convert_element_type[new_dtype=int32 weak_type=False] a
  e:i32[1] = broadcast_in_dim d
  f:f32[] = convert_element_type[new_dtype=float32 weak_type=False] c
  g:f32[] = jit[
    name=_squeeze
    jaxpr={ lambda ; f:f32[]. let
    in (f,) }
  ] f
  h:f32[8] = scatter[...] b e g
in (h,) }
"""
    )


def test_numbers_are_literals_and_numbers_of_numpy_are_inputs(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nimport numpy as np\n"
        "def f(v):\n    return v * 2 * 1.5 * True * float('inf') * np.float64(3) * np.float32(4)\ny = f(x)"
    )
    expected = """
let multiply = { lambda ; a:f32[8] b:f32[]. let
  c:f32[] = convert_element_type[new_dtype=float32 weak_type=False] b
  d:f32[8] = mul a c
in (d,) } in
let multiply1 = { lambda ; e:f32[8] f:f32[]. let
  g:f32[8] = mul e f
in (g,) } in
{ lambda ; h:f32[] i:f32[8]. let
  j:f32[8] = jit[
    name=multiply
    jaxpr={ lambda ; i:f32[8] k:i32[]. let
      l:f32[] = convert_element_type[new_dtype=float32 weak_type=False] k
      j:f32[8] = mul i l
    in (j,) }
  ] i 2:i32[]
  m:f32[8] = jit[name=multiply jaxpr=multiply] j 1.5:f32[]
  n:f32[8] = jit[
    name=multiply
    jaxpr={ lambda ; m:f32[8] o:bool[]. let
      p:f32[] = convert_element_type[new_dtype=float32 weak_type=False] o
      n:f32[8] = mul m p
    in (n,) }
  ] m True:bool[]
  q:f32[8] = jit[name=multiply jaxpr=multiply] n inf:f32[]
  r:f32[8] = jit[name=multiply jaxpr=multiply1] q 3.0:f32[]
  s:f32[8] = jit[name=multiply jaxpr=multiply1] r h
in (s,) }
"""
    assert recorded(ran) == expected


# --- inputs and results of a recording ---


def test_arguments_are_trees_with_numbers_and_numpy_arrays(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nimport numpy as np\n"
        "def f(p, n, *rest, scale, **more):\n"
        "    product = lax.mul(p['w'], p['b'][0])\n"
        "    return {'a': product, 'w': p['w'], 's': lax.neg(rest[0]), 'm': jnp.sin(more['extra'])}\n"
        "y = f({'w': x, 'b': (x + 1,)}, 3, x[0], scale='big', extra=np.ones(2, np.float32))"
    )
    expected = """
{ lambda ; a:f32[8] b:f32[8] c:f32[] d:f32[2]. let
  e:f32[8] = mul b a
  f:f32[] = neg c
  g:f32[2] = jit[
    name=sin
    jaxpr={ lambda ; d:f32[2]. let
      g:f32[2] = sin d
    in (g,) }
  ] d
in (e, g, f, b) }
"""
    assert recorded(ran) == expected
    assert arguments(ran) == [
        "p: {b: (f32[8],), w: f32[8]}",
        "n: 3",
        "rest[0]: f32[]",
        "extra: f32[2]",
        "scale: 'big'",
    ]
    assert program(ran)["result"]["type"] == "{a: f32[8], m: f32[2], s: f32[], w: f32[8]}"


def test_captured_arrays_are_the_first_inputs(notebook: Notebook) -> None:
    notebook.run("table = jnp.ones(8)")
    ran = notebook.run("%%jaxpr\ndef f(v):\n    return lax.mul(lax.add(v, table), table)\ny = f(x)")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = add b a
  d:f32[8] = mul c a
in (d,) }
"""
    assert recorded(ran) == expected
    assert arguments(ran) == ["v: f32[8]"]


def test_an_argument_that_is_returned_is_an_input_and_a_result(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v, w):\n    return w, lax.sin(v), 3, None\ny = f(x, x + 1)")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = sin a
in (b, c) }
"""
    assert recorded(ran) == expected


def test_a_kwarg(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(v, *, w):\n    return lax.mul(v, w)\ny = f(w=x, v=x + 1)")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = mul a b
in (c,) }
"""
    assert recorded(ran) == expected
    assert arguments(ran) == ["v: f32[8]", "w: f32[8]"]


# --- random keys ---


def test_random_keys_are_linked_to_their_numbers(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef f(seed):\n    return jax.random.normal(jax.random.key(seed), (2,))\ny = f(0)")
    assert outline(ran) == [
        "p:i32[] = stage o",
        "q:u32[2] = jit[_threefry_seed] p",
        "x:key<fry>[] = random_wrap[impl=fry] q",
        "y:f32[2] = jit[_normal] x",
    ]


def test_the_numbers_of_a_key_that_is_an_argument_are_unwrapped_first(notebook: Notebook) -> None:
    notebook.run("key = jax.random.key(3)\ndef f(key):\n    return jax.random.key_data(jax.random.split(key))")
    ran = notebook.run("%%jaxpr\ny = f(key)")
    assert outline(ran) == ["b:u32[2] = random_unwrap a", "c:u32[2,2] = jit[_threefry_split] b"]
    assert lines(ran)[0] == ("random_unwrap", [])


# --- lines ---


def test_each_equation_leads_to_the_lines_that_the_user_wrote(notebook: Notebook) -> None:
    notebook.run("def helper(v):\n    return lax.sin(v)")
    ran = notebook.run(
        "%%jaxpr\n"
        "def f(v):\n"
        "    a = helper(v)\n"
        "    b = jnp.mean(\n"
        "        a)\n"
        "    return lax.mul(b, a[0]), lax.mul(a[0], b)\n"
        "\n"
        "y = [\n"
        "    f(x),\n"
        "]"
    )
    first = [("dynamic_slice", [6, 9]), ("squeeze", [6, 9]), ("mul", [6, 9])]
    assert lines(ran) == [("sin", [2, 3, 9]), ("jit", [4, 9]), *first, *first]
    assert not [file["path"] for file in ran.document["files"] if "jupyter_jaxpr" in file["path"]]


def test_the_lines_are_the_same_where_jax_hits_and_where_it_misses(notebook: Notebook) -> None:
    cell = "%%jaxpr --no-trace\ndef f(v):\n    return lax.atan2(\n        v, v)\ny = f(x)"
    assert lines(notebook.run(cell)) == lines(notebook.run(cell)) == [("atan2", [3, 5])]


# --- arrays that end during a recording, threads, and effects ---


def test_an_array_that_was_donated_or_deleted_stays_in_the_program(notebook: Notebook) -> None:
    notebook.run("give = jax.jit(lambda v: v + 1, donate_argnums=0)")
    ran = notebook.run(
        "%%jaxpr\ndef f(v, w):\n    z = give(lax.neg(v))\n    z.delete()\n    return give(v), lax.sin(w)\n"
        "y = f(x * 1, x)"
    )
    expected = """
let lambda = { lambda ; a:f32[8]. let
  b:f32[8] = add a 1.0:f32[]
in (b,) } in
{ lambda ; c:f32[8] d:f32[8]. let
  e:f32[8] = neg c
  _:f32[8] = jit[name=<lambda> donated_invars=(True,) jaxpr=lambda] e
  f:f32[8] = jit[name=<lambda> donated_invars=(True,) jaxpr=lambda] c
  g:f32[8] = sin d
in (f, g) }
"""
    assert recorded(ran) == expected
    assert notebook["y"][0].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_an_array_that_dies_is_no_operand_of_what_comes_after(notebook: Notebook) -> None:
    # Python may give the address of an array that has ended to the next array.
    ran = notebook.run(
        "%%jaxpr\ndef f(v):\n    for k in range(3):\n        lax.mul(lax.sin(v), float(k) + v)\n    return v\ny = f(x)"
    )
    expected = """
let add = { lambda ; a:f32[] b:f32[8]. let
  c:f32[] = convert_element_type[new_dtype=float32 weak_type=False] a
  d:f32[8] = add c b
in (d,) } in
{ lambda ; e:f32[8]. let
  f:f32[8] = sin e
  g:f32[8] = jit[name=add jaxpr=add] 0.0:f32[] e
  _:f32[8] = mul f g
  h:f32[8] = sin e
  i:f32[8] = jit[name=add jaxpr=add] 1.0:f32[] e
  _:f32[8] = mul h i
  j:f32[8] = sin e
  k:f32[8] = jit[name=add jaxpr=add] 2.0:f32[] e
  _:f32[8] = mul j k
in (e,) }
"""
    assert recorded(ran) == expected


def test_a_thread_of_the_call_is_not_recorded(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --no-trace\nfrom threading import Thread\nmade = []\n"
        "def work(v):\n    made.append(lax.cos(lax.sin(v)))\n"
        "def f(v):\n    thread = Thread(target=work, args=(v,))\n    thread.start()\n    thread.join()\n"
        "    return lax.mul(v, made[0])\n"
        "y = f(x)"
    )
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = mul b a
in (c,) }
"""
    assert recorded(ran) == expected


def test_effects_and_callbacks(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --no-trace\nimport numpy as np\n"
        "def f(v):\n    jax.debug.print('seen {}', v[1])\n"
        "    return lax.neg(jax.pure_callback(lambda u: np.asarray(u) * 2, jax.ShapeDtypeStruct((8,), v.dtype), v))\n"
        "y = f(x)"
    )
    assert ran.stdout == "seen 1.0\n"
    assert [name for name, _ in lines(ran)] == ["dynamic_slice", "squeeze", "pure_callback", "neg"]


def test_the_token_of_ordered_effects_is_passed_on_to_a_program_of_another_type(notebook: Notebook) -> None:
    notebook.run(
        "@jax.jit\ndef say(v):\n    jax.debug.print('{}', v, ordered=True)\n    return v\n"
        "def f(v):\n    return say(v) * 2\nf(1)"
    )
    ran = notebook.run("%%jaxpr\nf(2.0)")
    assert [note["kind"] for note in ran.document["notes"]] == []
    assert recorded(ran).count("name=say") == 1


def test_a_jitted_function_with_effects_is_an_equation_at_each_call(notebook: Notebook) -> None:
    # JAX has no fast path for a function with effects, so its Python code handles each call.
    notebook.run(
        "@jax.jit\ndef show(v):\n    jax.debug.print('seen')\n    return v * 2\n"
        "@jax.jit\ndef keys(n):\n    return jax.random.key(n)\n"
        "def f(v):\n    return show(show(v)), keys(3)\nf(x)"
    )
    ran = notebook.run("%%jaxpr --no-trace\ny = f(x)")
    assert ran.stdout == "seen\nseen\n"
    assert [line.partition(" = ")[2] for line in outline(ran)] == [
        "jit[name=show jaxpr=show] c",
        "jit[name=show jaxpr=show] d",
        "jit[keys] 3:i32[]",
    ]


def test_a_reference_that_the_call_changes(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --no-trace\ndef f(v):\n    r = jax.new_ref(v)\n    r[...] = lax.sin(r[...])\n"
        "    return r[...]\ny = f(x)"
    )
    assert [name for name, _ in lines(ran)] == ["copy", "get", "sin", "swap", "get"]
