"""Compares a cell under the magic with the same cell without it: only the panel differs."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import Notebook, Ran, plain

pytestmark = pytest.mark.any_jax

Make = Callable[..., Notebook]

SETUP = "import jax, jax.numpy as jnp\nx = jnp.arange(3.0)"

F = "@jax.jit\ndef f(x):\n    return x * 2\n"


@pytest.fixture(autouse=True)
def numpy_prints_as_before() -> Iterator[None]:
    """Restore NumPy's print options after each test, because `%precision` sets them for the whole process."""
    with np.printoptions():
        yield


CELLS = {
    "a value": F + "f(x)",
    "an assignment": F + "y = f(x)",
    "silenced": F + "f(x);",
    "silenced, with a comment": F + "f(x);  # quiet",
    "printed": F + "print('before')\nprint(f(x))\nprint('after')",
    "a value that is waited for": F + "f(x).block_until_ready()",
    "no call": "1 + 1",
    "only a comment": "# nothing",
    "only a docstring": "'a text'",
    "None": "None",
    "unpacked arguments": "def g(*args, **kwargs):\n    return args, kwargs\ng(1, *iter([2, 3]), k=4, **{'l': 5})",
    "a generator as argument": "sum(i for i in range(5))",
    "a lambda called": "(lambda a, b=2: a + b)(1)",
    "a method called": "'abc'.upper()",
    "a class called": "class Point:\n    def __repr__(self):\n        return 'P'\nPoint()",
    "super": "class A:\n    def m(self):\n        return 1\n"
    "class B(A):\n    def m(self):\n        return super().m() + 1\nB().m()",
    "private names": "class C:\n    __n = 3\n    def get(self):\n        return self.__n\nC().get()",
    "locals and globals": "def h():\n    a = 1\n    return sorted(locals()), 'x' in globals()\nh()",
    "a future import": "from __future__ import annotations\ndef f(a: Undefined):\n    return f.__annotations__\nf(1)",
    "an indented cell": "    a = 1\n    a + 1",
    "the walrus": "(n := 5)\nn",
    "a loop": F + "for _ in range(3):\n    y = f(x)\ny",
    "await": "import asyncio\nawait asyncio.sleep(0, 'slept')",
    "async for": "async def ticks():\n    for i in range(2):\n        yield i\n[i async for i in ticks()]",
    "await and a jitted call": F + "import asyncio\nawait asyncio.sleep(0)\nf(x)",
    "getsource": F + "import inspect\nprint(inspect.getsource(f.__wrapped__))",
    "a line magic": "%precision 2\n3.14159",
    "a line magic's value": "y = %pwd\ntype(y)",
    "a shell line's value": "words = !echo a b\nwords.fields()",
    "help inside": "a = 1\na?",
    "another cell magic below": "%%capture captured\nprint('kept')",
    "a cell magic that is not Python below": "%%writefile /dev/null\nf(x",
    "a nested cell": "get_ipython().run_cell('40 + 2')\nNone",
    "an error": "a = 1\n\n1 / 0",
    "an error in a function": "def g(x):\n    return x.nothing\n\n\ng(x)",
    "an error below blank lines": "\n\n\n1 / 0",
    "an error in a trace": "@jax.jit\ndef f(x):\n    if x.sum() > 0:\n        return x\n    return -x\nf(x)",
    "an error in the arguments": F + "f(undefined)",
    "an error in a deep trace": F + "@jax.jit\ndef g(x):\n    return f(x) + jnp.ones(7)\ng(x)",
    "a missing argument": F + "f()",
    "not callable": "a = 3\na(x)",
    "a syntax error": "a = 1\nb = = 2",
    "an indentation error": "def f():\nreturn 1",
    "a name error": "nothing",
    "an exception group": "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
    "an interrupt": "raise KeyboardInterrupt",
    "an exit": "raise SystemExit(3)",
    "an assertion": "assert 1 == 2, 'no'",
    "an error while displaying": "class Bad:\n    def __repr__(self):\n        raise ValueError('bad repr')\nBad()",
}


def seen(notebook: Notebook, ran: Ran, before: set[str]) -> dict[str, Any]:
    """Return all that a user can see of a cell that ran."""
    shell = notebook.shell
    outputs = shell.user_ns["Out"]
    return {
        "success": ran.result.success,
        "value": text_of(ran.result.result),
        "error": repr(ran.result.error_in_exec or ran.result.error_before_exec),
        "stdout": printed(ran.stdout),
        "stderr": plain(ran.stderr),
        "_": text_of(shell.user_ns["_"]),
        "Out": sorted(outputs),
        "names": set(shell.user_ns) - before,
        "count": shell.execution_count,
        "succeeded": shell.last_execution_succeeded,
    }


def text_of(value: Any) -> str:
    try:
        return plain(repr(value))
    except ValueError as error:
        return repr(error)


def printed(text: str) -> list[str]:
    """Return the lines of a text; lines on hidden frames are left out, because this package's hook adds one frame."""
    return [
        line
        for line in plain(text).splitlines()
        if "skipping hidden" not in line and not line.startswith(("# %%jaxpr", "      1 # ", "----> 1 # "))
    ]


@pytest.mark.parametrize("name", CELLS)
def test_the_same_as_without_the_magic(make_notebook: Make, name: str) -> None:
    results = []
    for extension in (True, False):
        notebook = make_notebook(extension, tracebacks=True)
        notebook.run(SETUP)
        if extension:
            notebook.run("%config JaxprMagics.output = False")
        else:
            notebook.run("'one cell more, so that the numbers are the same';")
        before = set(notebook.shell.user_ns)
        cell = ("%%jaxpr\n" if extension else blank_line(CELLS[name])) + CELLS[name]
        ran = notebook.run(cell)
        assert notebook.shell.history_manager.input_hist_raw[-1] == cell
        results.append(seen(notebook, ran, before))
    observed, unobserved = results
    assert observed == unobserved


def blank_line(cell: str) -> str:
    """Return a line that does nothing, in the place of the magic's line."""
    if cell.startswith("%%"):
        return ""
    return "    # %%jaxpr\n" if cell.startswith("    ") else "# %%jaxpr\n"


def test_a_shell_line() -> None:
    # IPython forks for a shell command, which may hang with JAX's threads; so the test runs in a process without JAX.
    program = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_line_magic('load_ext', 'jupyter_jaxpr')\n"
        "shell.run_line_magic('config', 'JaxprMagics.output = False')\n"
        "print(shell.run_cell('%%jaxpr\\n!echo from the shell').success)\n"
        "import sys\n"
        "assert 'jax' not in sys.modules"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["from", "the", "shell", "True"]


@pytest.mark.parametrize("interactivity", ["all", "last", "last_expr", "last_expr_or_assign", "none"])
def test_what_ipython_displays_is_ipython_s_choice(make_notebook: Make, interactivity: str) -> None:
    texts = []
    for magic in ("%%jaxpr\n", "# no magic\n"):
        notebook = make_notebook()
        notebook.run(SETUP)
        notebook.run("%config JaxprMagics.output = False")
        notebook.shell.ast_node_interactivity = interactivity
        texts.append(notebook.run(magic + F + "1\nf(x)\nz = 3").stdout)
    assert texts[0] == texts[1]


def test_other_magics_see_the_cell_too(notebook: Notebook) -> None:
    below = notebook.run("%%jaxpr\n%%time\ntimed = jax.jit(lambda x: x + 1)(x)")
    assert "CPU times" in below.stdout
    assert below.programs == ["ran <lambda>(x: f32[8]) -> f32[8]: add"]
    above = notebook.run("%%time\n%%jaxpr\ntimed = jax.jit(lambda x: x - 1)(x)")
    assert "CPU times" in above.stdout
    assert above.programs == ["ran <lambda>(x: f32[8]) -> f32[8]: sub"]
    inside = notebook.run("%%jaxpr\ng = jax.jit(lambda x: x * 3)\n%timeit -n 5 -r 2 g(x)")
    assert "per loop" in inside.stdout
    assert inside.programs == ["ran <lambda>(x: f32[8]) -> f32[8]: mul"]


def test_the_magic_called_by_a_program_returns_the_last_value(notebook: Notebook) -> None:
    ran = notebook.run("get_ipython().run_cell_magic('jaxpr', '', 'k = jax.jit(lambda x: x + 5)\\nk(x)[0]')")
    assert float(ran.result.result) == 5.0
    assert ran.programs == ["ran <lambda>(x: f32[8]) -> f32[8]: add"]


def test_lines_keep_their_numbers_whatever_stands_above(notebook: Notebook) -> None:
    for above in ("", "\n", "\n\n   \n"):
        ran = notebook.run(above + "%%jaxpr\n@jax.jit\ndef f(x):\n    print(x)\n    return x\nf(x)")
        assert ran.line_of(ran.note("printed_while_tracing")) == 4 + above.count("\n")


@pytest.mark.parametrize(
    "cell",
    [
        "%%jaxpr\n\n%%time\n\n@jax.jit\ndef f(x):\n    return x + 1\ny = f(x)",
        "%%jaxpr\n\n%%capture out\n\n@jax.jit\ndef f(x):\n    return x + 1\ny = f(x)",
        "%%time\n\n%%jaxpr\n\n@jax.jit\ndef f(x):\n    return x + 1\ny = f(x)",
    ],
)
def test_lines_of_a_cell_within_magics_are_the_cell_s(notebook: Notebook, cell: str) -> None:
    document = notebook.run(cell).document
    (program,) = document["programs"]
    definition, call = (document["frames"][program[name]] for name in ("definition", "call"))
    assert (definition[2], call[2]) == (5, 8)
    assert document["files"][definition[0]]["kind"] == "cell"
    assert document["cell"]["source"] == cell


def test_the_extension_leaves_nothing_behind(make_notebook: Make) -> None:
    import builtins

    from jax._src import monitoring, pjit  # noqa: TID251  # looks at what the door has let in

    notebook = make_notebook(False)
    shell = notebook.shell

    def state() -> dict[str, Any]:
        return {
            "builtins": set(vars(builtins)),
            "events": {event: list(callbacks) for event, callbacks in shell.events.callbacks.items()},
            "transforms": list(shell.input_transformer_manager.cleanup_transforms),
            "trees": list(shell.ast_transformers),
            "magics": {kind: set(magics) for kind, magics in shell.magics_manager.magics.items()},
            "settings": [
                configurable
                for configurable in shell.configurables
                if type(configurable).__module__.startswith("jupyter_jaxpr")
            ],
            "hooks": (pjit._infer_params, pjit._get_fastpath_data),
            "listeners": (
                monitoring.get_event_listeners(),
                monitoring.get_event_duration_listeners(),
                monitoring.get_scalar_listeners(),
            ),
        }

    notebook.run("import builtins")
    before = state()
    notebook.run("%load_ext jupyter_jaxpr")
    notebook.run("%%jaxpr\nimport jax, jax.numpy as jnp\njax.jit(lambda x: x + 1)(jnp.ones(3))")
    loaded = state()
    assert loaded["hooks"] != before["hooks"]
    assert loaded["builtins"] == before["builtins"]
    notebook.run("%unload_ext jupyter_jaxpr")
    assert state() == before
    missing = notebook.run("%%jaxpr\n1")
    assert "Cell magic `%%jaxpr` not found" in missing.stderr + missing.stdout


@pytest.mark.parametrize(
    "cell",
    [
        F + "label = '\\d'\nf(x)",
        "import time\n" + F + "label = '\\d'\nstart = time.time()\ny = f(x)\nprint(time.time() - start)",
        "def g(x):\n    label = '\\d'\n    return x if x > 0 else -x\njax.jit(g)(1.0)",
        "def h(x):\n    for i in range(3):\n        x = x * 2\n    return x, '\\d'.count('d')\nh(x)",
    ],
)
def test_python_shows_the_warnings_of_a_text_as_often_as_without_the_magic(make_notebook: Make, cell: str) -> None:
    messages_by_magic = {}
    for magic in ("# no magic\n", "%%jaxpr\n"):
        notebook = make_notebook()
        notebook.run(SETUP)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            notebook.run(magic + cell)
        messages = [str(warning.message) for warning in caught]
        messages_by_magic[magic] = [message for message in messages if message.startswith("invalid escape sequence")]
    assert messages_by_magic["%%jaxpr\n"] == messages_by_magic["# no magic\n"]
    assert messages_by_magic["%%jaxpr\n"]
