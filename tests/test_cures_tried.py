"""The cures of misses are tried when the panel asks; a trial runs nothing of the user's and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable

from conftest import Notebook

from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.page import page
from jupyter_jaxpr.wire.answers import Answers
from jupyter_jaxpr.wire.messages import Answered
from jupyter_jaxpr.wire.runs import Runs

CELL = """\
%%jaxpr
import jax, jax.numpy as jnp

seen = []

@jax.jit
def inner(x):
    return x + 1

@jax.jit
def f(x, s):
    return inner(x) * s

f(jnp.ones(3), 1.0)
f(jnp.ones(3), jnp.float32(2))
"""


def asked(built, notebook: Notebook):
    runs = Runs()
    runs.keep(built)
    answers = Answers(runs, lambda: notebook.shell.user_ns)
    reply = answers.answer({"type": "cures", "id": 1, "snapshot": built.document.id})
    assert isinstance(reply, Answered)
    return reply.result


def cures_of(document) -> list[tuple[str, str, str | None]]:
    found = [cure for function in document.ledger.functions for miss in function.misses for cure in miss.cures]
    return [(cure.name, cure.level, cure.code) for cure in found]


def test_a_request_tries_the_cures_and_keeps_them(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(CELL)
    assert cures_of(built[-1].document) == []
    document = asked(built[-1], notebook)
    wanted = [("one type", "applies", "f(jnp.ones(3), jnp.asarray(1.0, dtype=jnp.float32))")]
    assert cures_of(document) == wanted
    assert built[-1].sources.document is document
    assert cures_of(asked(built[-1], notebook)) == wanted
    words = (
        "One type (applies as it stands): Both calls pass arguments of the same types, so they share one cache entry."
    )
    assert words in markdown(document).replace("\\", "")
    assert words in page(document).replace("\xa0", " ")


def test_a_trial_is_no_call_of_the_function_and_no_trace_in_the_caches(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(CELL)
    names = set(notebook.shell.user_ns)
    asked(built[-1], notebook)
    assert set(notebook.shell.user_ns) == names
    notebook.run("%%jaxpr\ninner(jnp.ones(3, jnp.bfloat16))")
    (inner,) = [each for each in built[-1].document.ledger.functions if each.name == "inner"]
    assert (inner.run.misses, inner.run.traces, inner.run.compiles) == (1, 1, 1)


def test_a_function_with_an_effect_is_not_traced_again(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(CELL.replace("    return inner(x) * s", "    seen.append(1)\n    return inner(x) * s"))
    assert cures_of(asked(built[-1], notebook)) == []
    assert notebook["seen"] == [1, 1]


def test_a_rewrite_of_a_loop_has_its_level_in_the_exports(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(
        "%%jaxpr\nimport jax, jax.numpy as jnp\n\n@jax.jit\ndef f(x):\n    for i in range(20):\n"
        "        x = jnp.sin(x) + i\n    return x\n\nf(jnp.ones(3))"
    )
    document = built[-1].document
    (note,) = [note for note in document.notes if note.kind == "unrolled_loop"]
    assert (note.level, note.code) == ("applies", "x = jax.lax.fori_loop(0, 20, lambda i, x: jnp.sin(x) + i, x)")
    assert "The rewrite applies as it stands." in markdown(document).replace("\\", "")
    assert "The rewrite applies as it stands." in page(document).replace("\xa0", " ")
