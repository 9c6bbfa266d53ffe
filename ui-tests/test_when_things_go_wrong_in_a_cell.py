"""Tests cells that raise, take long, are interrupted or make a huge program, and failures of this package."""

import re

import pytest
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"


def test_a_trace_that_raises_leaves_the_error_as_it_is_and_a_note_beside_it(notebook):
    cell = """\
@jax.jit
def clip(x, low):
    if x.sum() > low:
        return x
    return x * 2

clip(jnp.ones(3), 1.0)"""
    nb = notebook(LOAD, "%%jaxpr\n" + cell, "# without the magic\n" + cell)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.run(2)
    expect(nb.outputs(1)).to_have_count(2)
    with_magic, without = (name_free(nb.outputs(index).first.inner_text()) for index in (1, 2))
    assert "Cell In[], line 4, in clip(x, low)" in without
    assert with_magic == without

    # Below the traceback, the output states how many equations JAX had traced before the error.
    expect(nb.outputs(1).last.get_by_role("button")).to_have_text(
        re.compile(r"^clip \(f32\[3\], f32\[\] weak\).*3 equations · .* · traced until the trace raised an error$")
    )
    expect(nb.panel.get_by_role("paragraph").first).to_have_text(
        "The trace of clip raised TracerBoolConversionError. The program shows the equations that JAX had traced "
        "before the error. JAX did not compile or run the program."
    )
    expect(nb.equation(1)).to_have_text(re.compile(r"^c:f32\[\] = reduce_sum.* a$"))
    expect(nb.equation(2)).to_have_text(re.compile(r"^d:f32\[\] = convert_element_type.* b$"))
    expect(nb.equation(3)).to_have_text("_:bool[]failing operand = gt c d")
    expect(nb.equation(3).get_by_title("The call that raised the error received this value.")).to_be_visible()
    nb.panel.get_by_role("tab", name=re.compile("^Notes")).click()
    # On a slow machine there may be another note, on the compile of `jnp.ones`.
    note = nb.panel.get_by_role("article").filter(has_text="clip could not be traced")
    expect(note).to_contain_text("Line 4")
    expect(note).to_contain_text(
        "clip could not be traced. Python's if, while, and, or and not need a value that is true or false. This value "
        "depends on the arguments x (f32[3]) and low (f32[]). While JAX traces, arguments have shapes but no values."
    )
    expect(note).to_contain_text("Python cannot know whether x.sum() > low is true while JAX traces")
    expect(note.get_by_role("group", name="Code as written").locator("mark")).to_have_text("x.sum() > low")
    # Each term is followed by the result of the cure's trial; on a busy machine the trial may end without a result.
    expect(note.get_by_role("term")).to_have_text([re.compile(f"^{name}") for name in ("jax.lax.cond", "jnp.where")])


def test_the_cure_of_an_error_is_applied_and_undone_in_one_press_and_ends_the_error(notebook):
    cell = """\
%%jaxpr
@jax.jit
def size(x):
    if x.sum() > 0:
        return x
    return -x

size(jnp.full(2, -3.0))"""
    # On a busy machine the trial of a cure may take long, so its time limit is raised.
    patient = "\nfrom jupyter_jaxpr.explain.trials import trial_time_limit\ntrial_time_limit.SECONDS = 60.0"
    nb = notebook(LOAD + patient, cell)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.panel.get_by_role("tab", name=re.compile("^Notes")).click()
    cures = nb.panel.get_by_role("article").filter(has_text="size could not be traced").locator("dl > div")
    where = cures.filter(has_text="jnp.where")
    expect(where).to_contain_text("Cell [2], line 4")
    change = where.get_by_role("group", name="How the cure changes the cell")
    expect(change.locator("[data-change=removed]")).to_contain_text(["if x.sum() > 0:", "return x", "return -x"])
    expect(change.locator("[data-change=added]")).to_contain_text("return jnp.where(x.sum() > 0, x, -x)")

    apply = where.get_by_role("button", name="Apply to the cell")
    apply.click()
    edited = cell.replace("if x.sum() > 0:\n        return x\n    return -x", "return jnp.where(x.sum() > 0, x, -x)")
    expect(nb.lines(1)).to_have_text(edited.split("\n"))
    expect(nb.prompt(1)).to_have_text("[2]:")  # nothing ran
    expect(where.get_by_role("status")).to_have_text(
        re.compile("^The cure was applied. Press Shift.Enter to run the cell again. .+Z undoes the change.$")
    )
    expect(nb.editor(1)).to_be_focused()
    nb.page.keyboard.press("ControlOrMeta+z")
    expect(nb.lines(1)).to_have_text(cell.split("\n"))

    apply.click()
    expect(nb.lines(1)).to_have_text(edited.split("\n"))
    expect(nb.editor(1)).to_be_focused()
    nb.page.keyboard.press("Shift+Enter")
    nb.wait_for_end(1, before="[2]:")
    expect(nb.outputs(1).first).to_have_text("Array([3., 3.], dtype=float32, weak_type=True)")
    expect(nb.panel.get_by_role("article").filter(has_text="could not be traced")).to_have_count(0)


def name_free(traceback: str) -> str:
    """Return a traceback without the number of the cell and the name of its file, which differ between cells."""
    return re.sub(r"In\[\d+\]", "In[]", re.sub(r"ipykernel_\d+/\d+\.py", "", traceback))


def test_a_long_trace_can_be_interrupted(notebook):
    # The trace sleeps, so an interrupt arrives in the sleep. Python drops an interrupt that arrives in a callback of
    # the garbage collector, and a trace without a pause has many of these.
    nb = notebook(
        f"{LOAD}\nimport time",
        "%%jaxpr\n@jax.jit\ndef endless(x):\n    while True:\n        x = x + 1\n        time.sleep(0.1)\n\n"
        "endless(1.0)",
        "%%jaxpr\njax.jit(lambda x: x + 1)(1.0)",
    )
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1, wait=False)
    running = nb.panel.locator('[data-stage="trace"]')
    expect(running).to_contain_text(re.compile(r"Tracing, [1-9]\d*\xa0s"))

    # Only one interrupt: a second one would interrupt this package while it builds the document.
    nb.command("notebook:interrupt-kernel")
    nb.wait_for_end(1)
    expect(nb.outputs(1).first).to_contain_text("KeyboardInterrupt")
    expect(nb.outputs(1).last).to_contain_text("traced until the trace raised an error")
    expect(running).to_have_count(0)
    expect(nb.panel).to_contain_text(
        "The trace of endless raised KeyboardInterrupt. The program shows the equations that JAX had traced before the "
        "error. JAX did not compile or run the program."
    )
    expect(nb.equation(1)).to_have_text(re.compile(r"b:f32\[\]xweak = add a 1\.0:f32\[\]"))
    # After the interrupted trace, the next cell runs as usual.
    nb.run(2)
    expect(nb.listing()).to_contain_text("b:f32[]weak = add a 1.0:f32[]")


@pytest.mark.slow
def test_a_long_compilation_says_its_stage_its_time_and_that_it_cannot_be_stopped(notebook):
    nb = notebook(
        LOAD,
        "%%jaxpr\n@jax.jit\ndef deep(x):\n    for _ in range(600):\n        x = jnp.sin(x) @ x\n    return x\n\n"
        "deep(jnp.ones((3, 3))).shape",
    )
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1, wait=False)
    running = nb.panel.locator('[data-stage="compile"]')
    expect(running.get_by_role("status")).to_have_text("Compiling", timeout=30_000)
    expect(running).to_contain_text("deep")
    # The sentence depends on the version of JAX: the cell stops at once, or when XLA has compiled.
    expect(running).to_contain_text(
        re.compile("Interrupt the kernel to stop the cell|the cell stops after the compile")
    )
    for stage in ("trace", "lower"):
        row = running.get_by_role("row", name=re.compile(f"^{stage}"))
        expect(row).to_have_text(re.compile(rf"{stage}[\d.]+\s(ms|s)done$"))
    expect(running.get_by_role("row", name=re.compile("^compile"))).to_have_text(re.compile(r"compile\d+\ss…$"))
    nb.wait_for_end(1)
    expect(running).to_have_count(0)
    expect(nb.panel.get_by_role("img", name=re.compile("^The first call took"))).to_be_visible()


@pytest.mark.slow
def test_a_program_too_large_to_send_whole_comes_page_by_page(notebook):
    nb = notebook(
        LOAD,
        "def big(x):\n    for _ in range(12_000):\n        x = jax.lax.add(jax.lax.mul(x, x), x)\n    return x",
        "%jaxpr big(f32[3])",
    )
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.run(2)
    expect(nb.panel.get_by_title("24,000 equations")).to_have_text("24,000 eq")
    expect(nb.outputs(2)).to_contain_text("24,000 equations")
    expect(nb.equation(1)).to_have_text(re.compile(r"b:f32\[3\] = mul a a"))
    # The other equations are loaded when the user scrolls to them; until then the panel shows their number.
    nb.equation(1).click()
    for first in (5001, 10_001):
        nb.page.keyboard.press("Control+End")
        expect(nb.equation(first)).to_be_visible()
    nb.page.keyboard.press("Control+End")
    expect(nb.equation(15_001)).to_be_visible()

    nb.command("kernelmenu:shutdown")
    expect(nb.panel.locator("[data-status=stale]")).to_be_visible()
    nb.page.keyboard.press("Control+End")
    nb.listing().focus()
    nb.page.keyboard.press("Control+End")
    expect(nb.listing()).to_contain_text("… 4,000 more equations")
    expect(nb.panel).to_contain_text(
        "Only the kernel holds the other equations, and the kernel is not available. "
        "Run the cell again to see all equations."
    )


BROKEN = """\
def broken(*args, **kwargs):
    raise RuntimeError("no such thing")

import importlib
module = importlib.import_module("jupyter_jaxpr.{module}")
sound = module.{name}
module.{name} = broken"""


@pytest.mark.parametrize(
    ("module", "name", "doing"),
    [
        ("observe.observer", "Observer.begin", "observe the cell"),
        pytest.param("observe.observer", "Observer.end", "end the observation of the cell", marks=pytest.mark.slow),
        pytest.param("build.document_of_run", "build", "show the run", marks=pytest.mark.slow),
        pytest.param("scripts.display", "show", "show the run", marks=pytest.mark.slow),
    ],
)
def test_a_mistake_of_ours_is_a_line_in_the_panel_and_the_cell_runs_as_always(notebook, module, name, doing):
    cell = "%%jaxpr\nprint('printed')\ny = jax.jit(lambda x: x + 1)(1.0)\nfloat(y)"
    nb = notebook(LOAD, BROKEN.format(module=module, name=name), cell, f"module.{name} = sound", cell, "_4, y")
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.run(2)
    expect(nb.outputs(2).filter(has_text=re.compile(r"^printed\s*$"))).to_have_count(1)
    expect(nb.outputs(2).filter(has_text=re.compile(r"^2\.0\s*$"))).to_have_count(1)

    alert = nb.panel.get_by_role("alert")
    expect(alert).to_contain_text(f"jupyter_jaxpr could not {doing}. The cell itself ran as always.")
    expect(alert).to_contain_text("Report this failure to the developers of jupyter_jaxpr, with the details below.")
    alert.get_by_text("Details", exact=True).click()
    expect(alert).to_contain_text("RuntimeError: no such thing")

    # The next run has no failure.
    nb.run(3)
    nb.run(4)
    expect(alert).to_have_count(0)
    expect(nb.listing()).to_contain_text("b:f32[]weak = add a 1.0:f32[]")


@pytest.mark.slow
def test_a_mistake_of_ours_while_jax_traces_costs_no_program(notebook):
    """The hooks of this package fail during the user's call."""
    nb = notebook(
        LOAD,
        BROKEN.format(module="observe.observer", name="Observer.traced"),
        "%%jaxpr\ny = jax.jit(lambda x: x + 1)(1.0)\nfloat(y)",
    )
    nb.run(0)
    nb.run(1)
    nb.run(2)
    expect(nb.outputs(2).filter(has_text="2.0")).to_have_count(1)
    nb.panel.get_by_role("tab", name=re.compile("Notes")).click()
    expect(nb.panel).to_contain_text("jupyter_jaxpr failed on a part of this run; the cell itself ran as always.")


def test_what_cannot_be_sent_is_said(notebook):
    """The document is built, but sending it to the panel fails."""
    nb = notebook(
        LOAD,
        "import jupyter_jaxpr.wire.connection_to_panel as module\nsound = module.encode\n"
        "def broken(message):\n    if type(message).__name__ == 'SnapshotMessage':\n"
        "        raise RuntimeError('no such thing')\n    return sound(message)\nmodule.encode = broken",
        "%%jaxpr\njax.jit(lambda x: x + 1)(1.0)",
    )
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.run(2)
    expect(nb.outputs(2).first).to_have_text("Array(2., dtype=float32, weak_type=True)")
    alert = nb.panel.get_by_role("alert")
    expect(alert).to_contain_text("jupyter_jaxpr could not send a message to the panel. Your cell is not affected.")
