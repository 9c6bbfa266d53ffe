"""Tests that a cell's code under the magic has the same instructions as without it."""

from __future__ import annotations

import builtins
import dis
import inspect
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import pytest
from conftest import Notebook

Make = Callable[..., Notebook]

SETUP = "import jax, jax.numpy as jnp, functools\nx = jnp.arange(3.0)\ndef spy(f):\n    return f"

CELL = """\
step = jax.jit(lambda y: y + 1)

@spy
def decorated(y, default=step(x), *, other=[step(x) for _ in range(2)]):
    return step(step(y)) + sum(step(each) for each in [y])

@jax.jit
def jitted(y):
    return step(y)

class Model:
    first = step(x)
    def run(self, n: "int" = 3) -> "list[int]":
        return [self.call(i) for i in range(n)]
    @staticmethod
    def call(i):
        return step(x)
    @property
    def size(self):
        return super().__sizeof__()

async def waited(y):
    async for each in y:
        yield step(each)

def outer(y):
    def inner(z):
        nonlocal y
        y = step(z)
        return lambda: {k: step(v) for k, v in {"a": y}.items()}
    return inner

kept = lambda y, z=step(x): print(f"{step(y)=}")
later = (step(each) for each in [x, step(x)])
annotated: "Model" = Model()
for i in range(2):
    with jax.named_scope("scope"):
        step(x)
outer(*[x], **{})(step(x))()
"""


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def described(code: CodeType) -> tuple[Any, ...]:
    """Return the parts of a code object, except inner code objects and the file name, which has the cell's number."""
    constants = [co_const for co_const in code.co_consts if not isinstance(co_const, CodeType)]
    return (
        code.co_qualname,
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        repr(constants),
        code.co_firstlineno,
        code.co_flags,
        list(code.co_positions()),
    )


def compiled(notebook: Notebook, cell: str) -> list[CodeType]:
    """Run a cell, and return the code objects of its statements, with the code objects inside of them."""
    collected: list[CodeType] = []
    run_code = notebook.shell.run_code

    async def listen(code: CodeType, *arguments: Any, **options: Any) -> Any:
        collected.extend(codes(code))
        return await run_code(code, *arguments, **options)

    notebook.shell.run_code = listen
    assert notebook.run(cell).result.success
    notebook.shell.run_code = run_code
    return collected


def names_of_ours(code: CodeType) -> set[str]:
    return {"__import__", "last_call"} & set(code.co_names)


def test_the_code_within_a_cell_is_the_users(make_notebook: Make) -> None:
    collected = []
    for extension in (True, False):
        notebook = make_notebook(extension)
        notebook.run(SETUP)
        magic = "%%jaxpr" if extension else "# the cell"
        collected.append([code for code in compiled(notebook, f"{magic}\n{CELL}") if code.co_name != "<module>"])
    observed, unobserved = ([described(code) for code in entry] for entry in collected)
    assert observed == unobserved
    assert {qualname for qualname, *_ in observed} >= {"jitted", "Model.run", "waited", "outer.<locals>.inner"}
    assert {name for code in collected[0] for name in names_of_ours(code)} == set()


def test_nothing_of_ours_is_among_the_names_of_the_user_or_of_python(make_notebook: Make) -> None:
    notebook = make_notebook()
    notebook.run(SETUP)
    cell = "%%jaxpr\nimport builtins\ninside = sorted(vars(builtins)), sorted(globals())\njax.jit(lambda y: y + 1)(x)"
    # the names that exist in every cell, with those that IPython adds
    before = {*vars(builtins), "get_ipython"}, set(notebook.shell.user_ns)
    notebook.run(cell)
    in_builtins, in_globals = notebook["inside"]
    assert (set(in_builtins) - before[0], set(vars(builtins)) - before[0]) == (set(), set())
    assert {name for name in in_globals if "jaxpr" in name} == set()
    assert {name for name in set(notebook.shell.user_ns) - before[1] if not name.startswith("_")} == {
        "builtins",
        "inside",
    }


def test_the_calls_of_the_last_statement_alone_are_rewritten(make_notebook: Make) -> None:
    notebook = make_notebook()
    notebook.run(SETUP)
    cell = "%%jaxpr\nf = jax.jit(lambda y: y + 1)\nf(x)\nmax([f(y).sum() for y in [x]], key=lambda y: f(y))"
    names_by_code = [(code.co_name, names_of_ours(code)) for code in compiled(notebook, cell)]
    assert names_by_code == [
        ("<module>", set()),
        ("<lambda>", set()),
        ("<module>", set()),
        ("<module>", {"__import__", "last_call"}),
        *([("<listcomp>", {"__import__", "last_call"})] if sys.version_info < (3, 12) else []),
        ("<lambda>", set()),
    ]


def test_a_decorator_that_reads_code_reads_the_users(notebook: Notebook) -> None:
    notebook.run(
        "import dis, io, inspect\nread = []\n"
        "def reader(f):\n    read.append((dis.Bytecode(f).dis(), inspect.getsource(f)))\n    return f"
    )
    notebook.run("%%jaxpr\ng = jax.jit(lambda y: y + 1)\n@reader\ndef f(y):\n    return g(g(y))\nf(x)")
    ((instructions, source),) = notebook["read"]
    assert source == "@reader\ndef f(y):\n    return g(g(y))\n"
    assert "jaxpr" not in instructions
    text = io.StringIO()
    dis.dis(notebook["f"], file=text)
    assert "jaxpr" not in text.getvalue()
    assert inspect.getsource(notebook["f"]) == source


ELSEWHERE = """\
import base64, pickle, sys
assert not any(name.startswith("jupyter_jaxpr") for name in sys.modules)
step, train = pickle.loads(base64.b64decode(sys.stdin.read()))
print(train(20), step(1))
assert not any(name.startswith("jupyter_jaxpr") for name in sys.modules)
"""


def test_a_function_of_the_cell_runs_in_another_process(notebook: Notebook) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    import base64

    notebook.run(
        "%%jaxpr\ng = jax.jit(lambda y: y + 1)\ng(x)\n"
        "def step(y):\n    return sum(abs(each) for each in [y, y])\n"
        "def train(n):\n    return [step(i) for i in range(n)][-1]\ntrain(3)"
    )
    functions: tuple[FunctionType, FunctionType] = (notebook["step"], notebook["train"])
    text = base64.b64encode(cloudpickle.dumps(functions)).decode()
    process = subprocess.run([sys.executable, "-c", ELSEWHERE], input=text, capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == ("38 2\n", "")


CALLS = {
    "in a function": "def run(n):\n    for _ in range(n):\n        f(x)\nrun(4)",
    "in a lambda": "(lambda: [f(x) for _ in range(4)])()",
    "in a generator": "list(f(x) for _ in range(4))",
    "in a method": "class Model:\n    def run(self):\n        return f(f(f(f(x))))\nModel().run()",
    "in a decorated function": "@functools.cache\ndef run():\n    return [f(x) for _ in range(4)]\nrun()",
    "on a line of the cell": "for _ in range(4):\n    y = f(x)",
}


@pytest.mark.parametrize("place", CALLS)
def test_calls_within_functions_are_counted_all_the_same(notebook: Notebook, place: str) -> None:
    notebook.run("import functools\nf = jax.jit(lambda y: y + 1)\nf(x)")
    ran = notebook.run(f"%%jaxpr\n{CALLS[place]}")
    (counts,) = [function["run"] for function in ran.document["ledger"]["functions"] if function["run"]["calls"]]
    exact = sys.version_info >= (3, 12)
    assert (counts["calls"], counts["calls_exact"], counts["hits"], counts["compiles"]) == (4, exact, 4, 0)


STARS = {
    "a tuple": ("(x, x)", True),
    "a list": ("[x, x]", True),
    "a named tuple": ("Pair(x, x)", True),
    "a generator": ("(x for _ in range(2))", True),
    "a map": ("map(jnp.sin, [x, x])", True),
    "an array": ("jnp.stack([x, x])", True),
    "an object that iterates in Python": ("Twice()", False),
}


@pytest.mark.parametrize("expression", STARS)
def test_values_behind_a_star_are_read_once(notebook: Notebook, expression: str) -> None:
    """The call or C code reads the values behind a star; a user's iterator runs once, without a frame of ours."""
    values, is_known = STARS[expression]
    notebook.run(
        "import collections, traceback\nPair = collections.namedtuple('Pair', 'a b')\nread = []\n"
        "class Twice:\n    def __iter__(self):\n        read.append([f.name for f in traceback.extract_stack()])\n"
        "        yield x\n        yield x\ndef add(a, b):\n    return a + b"
    )
    ran = notebook.run(f"%%jaxpr\nadd(*{values})")
    assert ran.result.success
    if is_known:
        assert [program.split("(")[0] for program in ran.programs] == ["traced add", "recorded add"]
        return
    assert [names[-2] for names in notebook["read"]] == ["<module>"]
    assert ran.shown == [] or ran.document["message"] == (
        f"The call add(*{values}) was not traced: reading the values behind the star would run your code a second "
        "time. To trace the call, put the values into a tuple first: args = tuple(...), then add(*args)."
    )


def test_an_error_behind_a_star_is_pythons_own(make_notebook: Make) -> None:
    collected = []
    for extension in (True, False):
        notebook = make_notebook(extension)
        ran = notebook.run(("%%jaxpr\n" if extension else "#\n") + "def add(a, b):\n    return a + b\nadd(*5)")
        collected.append(repr(ran.result.error_in_exec))
    assert collected[0] == collected[1]
