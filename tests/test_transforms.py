"""Tests derived programs: of the option `--transform`, of `Snapshot.transform`, and of the panel's request."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import Notebook
from jax import lax

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs

pytestmark = pytest.mark.any_jax

X = np.linspace(0.1, 1.0, 4).astype(np.float32)
P = {"w": np.ones((4, 3), np.float32), "b": np.zeros(3, np.float32)}
F = "@jax.jit\ndef f(x):\n    return (jnp.sin(x) * 2).sum()\n"


# --- functions whose derived programs are compared with traces of the same transforms ---


def plain(x):
    return (jnp.sin(x) * 2.0).sum()


def network(p, x):
    return jnp.tanh(x @ p["w"] + p["b"]).sum()


@jax.jit
def inner(x):
    return jnp.exp(x) * x


def jit_of_jit(x):
    return jax.jit(lambda y: inner(y) + inner(2.0 * y))(x).sum()


def scanned(x):
    def step(carry, _):
        return jnp.sin(carry) * x.sum(), carry

    carry, outputs = lax.scan(step, 1.0, None, length=3)
    return carry + outputs.sum()


def chosen(x):
    return lax.cond(x.sum() > 0, lambda y: jnp.sin(y).sum(), lambda y: (y * y).sum(), x)


def dropout(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0.0).sum()


@jax.custom_vjp
def clipped(x):
    return jnp.sin(x)


def clipped_forward(x):
    return clipped(x), jnp.cos(x)


def clipped_backward(residuals, cotangent):
    return (jnp.clip(residuals * cotangent, -0.5, 0.5),)


clipped.defvjp(clipped_forward, clipped_backward)


def with_custom_vjp(x):
    return clipped(x).sum()


def checkpointed(x):
    return jax.checkpoint(lambda y: jnp.sin(jnp.exp(y)))(x).sum()


def with_relu(x):
    return jax.nn.relu(x).sum()


def with_while(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))[1].sum()


def of_integers(x, n):
    return (x * n).sum()


class Model:
    def __init__(self):
        self.scale = 3.0

    def loss(self, x):
        return (jnp.cos(x) * self.scale).sum()


SCALAR = {
    "plain": (plain, (X,), {}),
    "pytree": (network, (P, X), {}),
    "jit of jit": (jit_of_jit, (X,), {}),
    "scan": (scanned, (X,), {}),
    "cond": (chosen, (X,), {}),
    "key": (dropout, (jax.random.key(0), X), {}),
    "custom_vjp": (with_custom_vjp, (X,), {}),
    "checkpoint": (checkpointed, (X,), {}),
    "custom_jvp": (with_relu, (X,), {}),
    "integers beside": (of_integers, (X, 3), {}),
    "method": (Model().loss, (X,), {}),
    "static": (jax.jit(lambda x, n: (x**n).sum(), static_argnums=1), (X, 3), {}),
    "static by name": (jax.jit(lambda x, n: (x**n).sum(), static_argnames="n"), (X,), {"n": 3}),
    "keyword array": (lambda x, y: (x * y).sum(), (X,), {"y": X}),
    "scalar": (lambda x: x * x + 1.0, (2.0,), {}),
    "while": (with_while, (X,), {}),
}


def values_of(call):
    """Return the flat leaves of a call's arguments, without static arguments."""
    fun, args, kwargs = call
    names = {"static": ((0,), {}), "static by name": ((0,), {})}
    places, keep = next((rule for name, rule in names.items() if SCALAR[name][0] is fun), (range(len(args)), kwargs))
    return jax.tree.leaves(([args[place] for place in places], keep))


def run(snapshot, *leaves):
    """Compile and run the derived program in focus, so that its numbers can be compared."""
    observed = snapshot._sources.observed(snapshot.document.focus)
    return jax.tree.leaves(observed.traced.lower().compile()(*leaves))


def close(left, right):
    right = jax.tree.leaves(right)
    assert len(left) == len(right)
    for left_leaf, right_leaf in zip(left, right, strict=True):
        np.testing.assert_allclose(left_leaf, right_leaf, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in SCALAR if name != "while"])
def test_grad_is_the_gradient_that_jax_gives(name):
    fun, args, kwargs = SCALAR[name]
    floats = tuple(
        place
        for place, arg in enumerate(args)
        if any(jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.inexact) for leaf in jax.tree.leaves(arg))
    )
    derived = jj.inspect(fun, *args, stage="trace", **kwargs).transform("grad")
    assert derived.programs[derived.document.focus].name.startswith("grad(")
    close(run(derived, *values_of(SCALAR[name])), jax.grad(fun, argnums=floats)(*args, **kwargs))
    letters = "".join(row.roles for row in derived.transforms[0].parts[0].roles)
    assert "b" in letters or name in ("scalar", "integers beside")


@pytest.mark.parametrize("name", [name for name in SCALAR if name != "key"])
def test_vmap_is_the_function_of_each(name):
    fun, args, kwargs = SCALAR[name]
    derived = jj.inspect(fun, *args, stage="trace", **kwargs).transform("vmap")
    leaves = [jnp.stack([jnp.asarray(leaf)] * 8) for leaf in values_of(SCALAR[name])]
    close(run(derived, *leaves), jnp.stack([fun(*args, **kwargs)] * 8))
    assert derived.transforms[0].parts[0].roles == []


@pytest.mark.parametrize("name", ["plain", "pytree", "jit of jit", "scan", "cond", "checkpoint", "while", "method"])
def test_jvp_gives_the_value_and_its_change(name):
    fun, args, kwargs = SCALAR[name]
    derived = jj.inspect(fun, *args, stage="trace", **kwargs).transform("jvp")
    leaves = values_of(SCALAR[name])
    close(run(derived, *leaves, *leaves), jax.jvp(fun, args, args))
    letters = "".join(row.roles for row in derived.transforms[0].parts[0].roles)
    assert set(letters) >= {"f", "t"}


@pytest.mark.parametrize("name", ["plain", "pytree", "jit of jit", "scan", "cond", "checkpoint", "method"])
def test_linearize_gives_a_primal_program_and_a_linear_one(name):
    fun, args, kwargs = SCALAR[name]
    snapshot = jj.inspect(fun, *args, stage="trace", **kwargs)
    primal = snapshot.transform("linearize")
    leaves = values_of(SCALAR[name])
    value, *residuals = run(primal, *leaves)
    close([value], fun(*args, **kwargs))
    (transform,) = primal.transforms
    assert [part.part for part in transform.parts] == ["primal", "linear"]
    linear = snapshot._sources.observed(transform.parts[1].program).traced.lower().compile()
    tree = jax.tree.structure(linear.args_info[0][0])
    push = jax.tree.unflatten(tree, residuals)
    close(jax.tree.leaves(linear(push, *leaves)), jax.jvp(fun, args, args)[1])
    # checkpoint keeps only the arguments for the backward pass, so no values are listed
    assert bool(transform.parts[0].kept) == (name != "checkpoint")


# --- the sentences on derived programs ---


def test_what_each_equation_of_a_gradient_is():
    derived = jj.inspect(plain, X, stage="trace").transform("grad")
    assert derived.text() == (
        "{ lambda ; a:f32[4]. let\n"
        "  b:f32[4] = sin a\n"
        "  c:f32[4] = cos a\n"
        "  d:f32[4] = mul b 2.0:f32[]\n"
        "  _:f32[] = reduce_sum[axes=(0,) out_sharding=None] d\n"
        "  e:f32[4] = broadcast_in_dim 1.0:f32[]\n"
        "  f:f32[4] = mul e 2.0:f32[]\n"
        "  g:f32[4] = mul f c\n"
        "in (g,) }"
    )
    (transform,) = derived.transforms
    (part,) = transform.parts
    assert [row.roles for row in part.roles] == ["ffffbbb"]
    assert [(value.equation, value.type, value.bytes) for value in part.kept] == [(1, "f32[4]", 16)]
    assert transform.words == "jax.grad of plain. The derivative is with respect to x."
    program = derived.programs[part.program]
    assert (program.origin, program.origin_note) == (
        "traced",
        "grad(plain): traced by jupyter_jaxpr, not run. jax.grad of plain. The derivative is with respect to x.",
    )
    assert (program.input_names, program.result_names) == (["x"], ["d x"])
    assert program.definition == derived.programs[0].definition
    assert program.activity is None and program.stages is None


def test_lines_are_those_of_the_function():
    derived = jj.inspect(plain, X, stage="trace").transform("grad").document
    scope = derived.scopes[derived.programs[derived.focus].scope]
    lines = {
        derived.frames[derived.stacks[stack].frames[0]].line for stack in scope.stack if derived.stacks[stack].frames
    }
    original = derived.scopes[derived.programs[0].scope]
    assert lines == {derived.frames[derived.stacks[stack].frames[0]].line for stack in original.stack}


def test_what_is_computed_again_in_the_backward_part():
    (transform,) = jj.inspect(checkpointed, X, stage="trace").transform("grad").transforms
    assert {"b", "r"} <= set("".join(row.roles for row in transform.parts[0].roles))
    assert transform.parts[0].kept == []


def test_a_loop_keeps_a_value_of_each_step():
    (transform,) = jj.inspect(scanned, X, stage="trace").transform("grad").transforms
    assert "f32[3]" in {value.type for value in transform.parts[0].kept}


def test_a_result_that_is_no_scalar_has_a_vjp():
    derived = jj.inspect(lambda x: (jnp.sin(x), x.sum()), X, stage="trace").transform("grad")
    (transform,) = derived.transforms
    assert transform.words == (
        "<lambda> returns f32[4] and f32[], not a real scalar, so this program is a vjp. The cotangent is an input "
        "with the type of the result. The derivative is with respect to x."
    )
    program = derived.programs[1]
    assert program.name == "vjp(<lambda>)"
    assert program.input_names == ["x", "cotangent[0]", "cotangent[1]"]
    close(run(derived, X, np.ones(4, np.float32), np.float32(1)), jnp.cos(X) + 1)


def test_what_is_not_differentiated_is_said():
    words = jj.inspect(of_integers, X, np.int32(3), stage="trace").transform("grad").transforms[0].words
    assert words == (
        "jax.grad of of_integers. The derivative is with respect to x. The derivative leaves out arguments whose "
        "type is not a float type: n (i32[])."
    )
    words = jj.inspect(lambda x, y: (x * y).sum(), X, y=X, stage="trace").transform("grad").transforms[0].words
    assert words == (
        "jax.grad of <lambda>. The derivative is with respect to x. The derivative leaves out arguments that are "
        "passed by keyword: y."
    )


@pytest.mark.parametrize("kind", ["grad", "jvp", "linearize"])
def test_integers_have_no_derivative(kind):
    with pytest.raises(ValueError) as raised:
        jj.inspect(lambda n: n * 2, np.int32(3), stage="trace").transform(kind)
    assert str(raised.value) == (
        f"{kind} needs an argument of a float type, but the call of <lambda> passes i32[]. Pass floats, such as "
        "x.astype(float)."
    )


def test_a_result_of_integers_has_no_derivative():
    with pytest.raises(ValueError, match=r"grad needs a result of a float type, but argmax returns i32\[\]\."):
        jj.inspect(jnp.argmax, X, stage="trace").transform("grad")


def test_what_jax_refuses_is_a_sentence():
    for kind in ("jvp", "linearize"):
        with pytest.raises(ValueError) as raised:
            jj.inspect(with_custom_vjp, X, stage="trace").transform(kind)
        assert str(raised.value) == (
            f"{kind} of with_custom_vjp is impossible: with_custom_vjp calls a custom_vjp function, which has only a "
            "reverse-mode rule. Choose grad, or define the function with custom_jvp."
        )
    with pytest.raises(ValueError, match=r"^JAX cannot make grad of with_while: ValueError: Reverse-mode") as raised:
        jj.inspect(with_while, X, stage="trace").transform("grad")
    assert str(raised.value).endswith(
        ". A while loop has no reverse-mode derivative. Write the loop as a scan, or choose jvp."
    )
    with pytest.raises(
        ValueError, match=r"^JAX cannot make grad of <lambda>: ValueError: Pure callbacks do not"
    ) as raised:
        jj.inspect(lambda x: jax.pure_callback(abs, x, x), X, stage="trace").transform("grad")
    assert str(raised.value).endswith(
        " gradients. Differentiate only the part of the function that JAX can differentiate."
    )
    with pytest.raises(
        ValueError, match=r"^vmap needs an array argument, but the call of <lambda> passes no array\. Pass an array\.$"
    ):
        jj.inspect(lambda: jnp.ones(3), stage="trace").transform("vmap")


def test_transforms_follow_each_other():
    derived = jj.inspect(lambda x: x**3, 2.0, stage="trace").transform("grad").transform("grad")
    assert [program.name for program in derived.programs] == ["<lambda>", "grad(<lambda>)", "grad(grad(<lambda>))"]
    close(run(derived, 2.0), 12.0)


def test_the_python_of_the_function_does_not_run_again():
    runs = []

    def f(x):
        runs.append(1)
        return jnp.sin(x).sum()

    snapshot = jj.inspect(f, X)
    assert runs == []  # the trace ran f, but its change of `runs` was undone
    for kind in ("grad", "vmap", "jvp", "linearize"):
        snapshot.transform(kind)
    assert runs == []


def test_values_of_64_bits_stay_what_they_are():
    with jax.enable_x64(True):
        snapshot = jj.inspect(plain, X.astype(np.float64), stage="trace")
    derived = snapshot.transform("grad")
    assert "f64[4]" in derived.text() and "f32" not in derived.text()


def test_a_saved_one_reads_back_and_knows_its_parts(tmp_path):
    derived = jj.inspect(scanned, X, stage="trace").transform("linearize")
    read_again = jj.Snapshot.from_json(derived.to_json())
    assert read_again.transforms == derived.transforms
    assert read_again.document.focus == derived.document.focus
    assert read_again.text() == derived.text()
    with pytest.raises(ValueError, match="read from a file cannot be transformed"):
        read_again.transform("grad")


def test_a_damaged_one_is_refused():
    data = jj.inspect(plain, X, stage="trace").transform("grad").to_dict()
    for damage in (
        {"of": 9},
        {"parts": []},
        {"parts": [data["transforms"][0]["parts"][0] | {"roles": [[0, "ff"]]}]},
        {"parts": [data["transforms"][0]["parts"][0] | {"program": 7}]},
        {"parts": [data["transforms"][0]["parts"][0] | {"kept": [[0, 99, 0, "f32[4]", 16]]}]},
    ):
        with pytest.raises(ValueError, match=r"damaged \(transform 0: "):
            read(data | {"transforms": [data["transforms"][0] | damage]})


def test_exports_name_what_was_derived(tmp_path):
    derived = jj.inspect(plain, X, stage="trace").transform("grad")
    derived.save(tmp_path / "f.md")
    derived.save(tmp_path / "f.html")
    for name in ("f.md", "f.html"):
        text = (tmp_path / name).read_text().replace("\\", "")
        assert "grad(plain)" in text
        assert "traced by jupyter_jaxpr, not run" in text


# --- the magics ---


def test_a_cell_shows_what_is_derived_from_the_function_it_calls(notebook: Notebook) -> None:
    notebook.run(
        "compiled = []\njax.monitoring.register_event_duration_secs_listener("
        "lambda name, *_, **__: compiled.append(name) if 'backend_compile' in name else None)"
    )
    ran = notebook.run("%%jaxpr --transform grad,vmap\n" + F + "y = f(x)\nn = len(compiled)\ny")
    document = ran.document
    assert [program["name"] for program in document["programs"]] == ["f", "grad(f)", "vmap(f)"]
    assert [(transform["kind"], transform["of"], transform["error"]) for transform in document["transforms"]] == [
        ("grad", 0, None),
        ("vmap", 0, None),
    ]
    assert document["focus"] == 0
    assert len(notebook["compiled"]) == notebook["n"]
    assert float(ran.result.result) == pytest.approx(float((jnp.sin(notebook["x"]) * 2).sum()))
    (function,) = [function for function in document["ledger"]["functions"] if function["run"]["misses"]]
    assert (function["name"], len(function["misses"])) == ("f", 1)


def test_the_ledger_is_the_same_without_transforms(notebook: Notebook) -> None:
    def rows(ran):
        return [
            (
                {name: count for name, count in function["run"].items() if name != "seconds"},
                [(miss["outcome"], miss["signature"]) for miss in function["misses"]],
                [entry["signature"] for entry in function["entries"]],
            )
            for function in ran.document["ledger"]["functions"]
            if function["run"]["misses"]
        ]

    cell = F + "f(x); f(x[:4]); f(x)"
    assert rows(notebook.run("%%jaxpr --transform grad,vmap,jvp,linearize\n" + cell)) == rows(
        notebook.run("%%jaxpr\n" + cell)
    )


def test_a_call_on_the_line(notebook: Notebook) -> None:
    notebook.run(F)
    ran = notebook.run("%jaxpr f(f32[3]) --transform jvp")
    assert ran.programs == [
        "traced f(x: f32[3]) -> f32[]: sin mul reduce_sum",
        "traced jvp(f)(x: f32[3], dx: f32[3]) -> (f32[], f32[]): sin cos mul mul mul reduce_sum reduce_sum",
    ]


def test_what_a_rule_prints_is_a_note(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --transform grad\n@jax.custom_vjp\ndef c(x):\n    return x\n"
        "def forward(x):\n    print('forward rule')\n    return x, None\n"
        "c.defvjp(forward, lambda kept, cotangent: (cotangent,))\n"
        "@jax.jit\ndef f(x):\n    return c(x).sum()\ny = f(x)"
    )
    assert ran.stdout == ""
    assert "forward rule" in ran.note("printed_while_tracing")["detail"]


def test_a_failed_one_says_why_and_the_cell_is_as_always(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --transform grad,vmap\nf = jax.jit(lambda n: n + 1)\nf(3)")
    assert int(ran.result.result) == 4
    assert ran.stderr == ""
    grad, vmap = ran.document["transforms"]
    assert grad["error"].startswith("grad needs an argument of a float type, but the call of <lambda> passes i32[]")
    assert (grad["parts"], vmap["error"]) == ([], None)


def test_an_unknown_transform_is_said_before_the_cell_runs(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --transform grad,hessian\nhas_run = True")
    assert "has_run" not in notebook.shell.user_ns
    assert str(ran.result.error_in_exec or ran.result.error_before_exec) == (
        "--transform grad,hessian: there is no transform 'hessian'. Write one or more of grad, vmap, jvp, linearize, "
        "separated by commas, such as --transform grad,vmap."
    )


# --- the panel ---


@pytest.fixture
def ask():
    runs = Runs()
    snapshot = jj.inspect(plain, X, stage="trace")
    runs.keep(Built(snapshot.document, snapshot._sources))
    answers = Answers(runs)
    return lambda **request: answers.answer({"type": "transform", "id": 3, "snapshot": snapshot.document.id, **request})


def test_the_panel_asks_for_one(ask):
    reply = ask(program=0, kind="grad")
    assert reply.id == 3
    assert [program.name for program in reply.result.programs] == ["plain", "grad(plain)"]
    second_reply = ask(program=0, kind="grad")
    assert len(second_reply.result.programs) == 2
    linearized = ask(program=0, kind="linearize")
    assert len(linearized.result.programs) == 4
    assert ask(program=9, kind="grad").reason == "This run does not have the requested program. Run the cell again."
    assert "does not understand" in ask(program=0, kind="hessian").reason


def test_a_derived_program_is_lowered_and_priced_but_not_timed(ask):
    document = ask(program=0, kind="grad").result
    assert ask(type="cost", program=1).result.flops > 0
    reply = ask(type="make", program=1, level="hlo").result
    assert [level.state for level in reply.programs[1].levels] == ["on_request", "on_request"]
    assert reply.transforms == document.transforms
    assert ask(type="time", program=1, confirmed=True).reason == (
        "grad(plain) was derived from types, so the kernel has no values to run grad(plain) on. Time the original "
        "program, or call the transform in a cell of its own."
    )


def test_loops_of_a_derived_program_have_cards_without_steps():
    derived = jj.inspect(scanned, X, stage="trace").transform("grad").document
    assert [(card.program, card.kind, card.steppable) for card in derived.control_flow] == [
        (0, "scan", None),
        *[
            (
                1,
                "scan",
                "This derived program has types but no values, so the stepper cannot run. Step through scanned "
                "instead.",
            )
        ]
        * 2,
    ]
