"""Tests the head of the panel: the run in view, its times, and the chosen program."""

import re
import sys

import pytest
from page_checks import clipboard, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"

# On Python 3.11, calls that raise early are not counted, so the count is a lower bound with the sign ≥.
AT_LEAST = "≥" if sys.version_info < (3, 12) else ""

THREE_CALLS = """\
%%jaxpr
@jax.jit
def scaled(x, factor):
    return jnp.tanh(x) * factor

for step in range(3):
    y = scaled(jnp.ones((8, 128)), 2.0)"""

MANY_PROGRAMS = """\
%%jaxpr
for number in range(14):
    def step(x):
        return x * 2
    step.__name__ = f"step_{number}"
    jax.jit(step)(jnp.ones(number + 1))"""

SEVERAL = """\
%%jaxpr
@jax.jit
def double(x):
    return x * 2

@jax.jit
def mean(x):
    return x.mean()

double(jnp.ones(3))
mean(jnp.ones(3))
double(jnp.ones(5))"""


def test_it_says_which_function_where_when_and_what_it_cost(notebook, page):
    nb = notebook(LOAD, THREE_CALLS)
    nb.run_all()

    expect(nb.panel.get_by_role("button", name="scaled", exact=True)).to_be_visible()
    head = nb.panel.locator(".jp-JaxprPanel-header")
    expect(head).to_contain_text("x: f32[8,128], factor: f32[] weak → f32[8,128]")
    expect(head).to_contain_text(re.compile(rf"Cell \[2\] · \d\d:\d\d · {AT_LEAST}3 calls, 1 compile$"))

    time = r"(0|[\d.]+\xa0(µs|ms|s))"
    expect(nb.panel.get_by_role("img", name="First call")).to_have_accessible_name(
        re.compile(
            rf"^The first call took {time}: trace {time}, lower {time}, compile {time}, first run {time}, "
            rf"rest {time}\.$"
        )
    )
    for stage in ("trace", "lower", "compile", "first run", "total"):
        number = nb.panel.locator("dt", has_text=re.compile(f"^{stage}$")).locator("xpath=../dd")
        expect(number, stage).to_have_text(re.compile(f"^{time}$"))


@pytest.mark.slow
def test_a_program_made_earlier_says_so_and_keeps_its_price(notebook):
    nb = notebook(LOAD, THREE_CALLS, "%%jaxpr\nscaled(jnp.ones((8, 128)), 3.0)")
    nb.run(0)
    nb.run(1)
    expect(nb.panel).to_contain_text("Cell [2] · ")
    price = nb.panel.get_by_role("img", name="First call").get_attribute("aria-label")

    nb.run(2)

    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(
        re.compile(rf"Cell \[3\] · \d\d:\d\d · {AT_LEAST}1 calls?, no compile · made in an earlier run$")
    )
    assert nb.panel.get_by_role("img", name="First call").get_attribute("aria-label") == price


def test_all_programs_of_a_run_can_be_chosen(notebook, page):
    nb = notebook(LOAD, SEVERAL)
    nb.run_all()
    head = nb.panel.locator(".jp-JaxprPanel-header")
    expect(head).to_contain_text("3 of 3")  # the last function of the run that compiled is in view
    expect(head).to_contain_text("x: f32[3] → f32[]")
    expect(nb.listing()).to_contain_text("reduce_sum")

    nb.panel.get_by_role("button", name="mean", exact=True).click()
    programs = nb.panel.get_by_role("listbox", name="Programs")
    expect(programs.get_by_role("option")).to_have_text(
        ["double (f32[3]) → f32[3]", "double (f32[5]) → f32[5]", "mean (f32[3]) → f32[]", "Show 3 programs"]
    )
    expect(programs.get_by_role("group", name=re.compile(r"^Cell \[2\] · \d\d:\d\d ran under jit$"))).to_be_visible()
    expect(programs.get_by_role("option", selected=True)).to_have_text("mean (f32[3]) → f32[]")
    programs.get_by_role("option", name="double (f32[5])").click()
    expect(head).to_contain_text("2 of 3")
    expect(head).to_contain_text("x: f32[5] → f32[5]")
    expect(nb.listing()).to_contain_text("b:f32[5] = mul a 2.0:f32[]")

    # In the list, a letter moves to the next program whose name begins with it.
    nb.panel.get_by_role("button", name="double", exact=True).press("ArrowDown")
    expect(programs).to_be_focused()
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    expect(head).to_contain_text("3 of 3")
    expect(nb.panel.get_by_role("button", name="mean", exact=True)).to_be_focused()


def test_pinned_it_stays_and_says_that_there_is_a_newer_run(notebook):
    nb = notebook(LOAD, "%%jaxpr\njax.jit(jnp.sin)(1.0)", "%%jaxpr\njax.jit(jnp.cos)(1.0)")
    nb.run(0)
    nb.run(1)
    pin = nb.panel.get_by_role("button", name="Pin this program")
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")

    nb.run(2)
    newer = nb.panel.get_by_role("status").filter(has_text="There is a newer run: ")
    expect(newer).to_have_text(re.compile(r"^There is a newer run: Cell \[3\] · \d\d:\d\d$"))
    expect(nb.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()

    newer.get_by_role("button").click()
    expect(nb.panel.get_by_role("button", name="cos", exact=True)).to_be_visible()


def test_paused_runs_wait_and_are_counted(notebook):
    nb = notebook(LOAD, "%%jaxpr\njax.jit(jnp.sin)(1.0)", "%%jaxpr\njax.jit(jnp.cos)(1.0)")
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("button", name="Pause updates").click()
    expect(nb.panel.get_by_text("Updates of the panel are paused.")).to_be_visible()

    nb.run(2)
    expect(nb.panel.get_by_text("Updates of the panel are paused. 1 new run is not shown.")).to_be_visible()
    nb.run(2)
    expect(nb.panel.get_by_text("Updates of the panel are paused. 2 new runs are not shown.")).to_be_visible()
    expect(nb.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()

    nb.panel.get_by_role("button", name="Resume", exact=True).click()
    expect(nb.panel.get_by_role("button", name="cos", exact=True)).to_be_visible()
    expect(nb.panel.get_by_text("Updates of the panel are paused")).to_be_hidden()


@pytest.mark.slow
def test_the_copied_text_is_the_one_python_gives(notebook, page):
    nb = notebook(
        LOAD,
        THREE_CALLS,
        "import jupyter_jaxpr\n"
        'print(jupyter_jaxpr.inspect(scaled, jnp.ones((8, 128)), 2.0, stage="trace").text("jaxpr"))',
        "print(jax.make_jaxpr(scaled.__wrapped__)(jnp.ones((8, 128)), 2.0))",
    )
    nb.run(0)
    nb.run(1)
    nb.run(2)
    nb.run(3)
    copy = nb.panel.get_by_role("button", name="Copy the program")
    copy.click()
    expect(nb.panel.get_by_text("The program was copied.")).to_be_visible()
    assert clipboard(page) == nb.outputs(2).text_content().rstrip("\n")
    assert clipboard(page) == (
        "{ lambda ; a:f32[8,128] b:f32[]. let\n"
        "  c:f32[8,128] = tanh a\n"
        "  d:f32[] = convert_element_type[new_dtype=float32 weak_type=False] b\n"
        "  e:f32[8,128] = mul c d\n"
        "in (e,) }"
    )
    assert clipboard(page).split() == nb.outputs(3).text_content().split()  # JAX indents more

    nb.panel.get_by_role("button", name="More actions", exact=True).click()
    page.get_by_role("menuitem", name="Copy as Markdown").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('## '))")
    heading, facts, ran, *text, made_by, _ = clipboard(page).split("\n\n")
    assert heading == "## `scaled(x: f32[8,128], factor: f32[] weak) → f32[8,128]`"
    assert facts.startswith(f"3 equations · {AT_LEAST}3 calls, 1 compile · first call ")
    assert ran == "The text of cell [2] when the cell ran:"
    assert "\n\n".join(text).startswith(
        f"```python\n{THREE_CALLS}\n```\n\n```text\n{{ lambda ; a:f32[8,128] b:f32[]. let\n"
    )
    assert re.fullmatch(r"Cell \[2\] · \d\d:\d\d · jax \S+ on cpu, jupyter_jaxpr \S+", made_by)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_many_programs_are_filtered_by_keyboard(notebook, page, theme):
    nb = notebook("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp", MANY_PROGRAMS)
    nb.run_all()
    nb.theme(theme)
    nb.set_panel_width(320)
    button = nb.panel.get_by_title("Choose a program")
    expect(button).to_contain_text("step_13")
    button.focus()
    page.keyboard.press("ArrowDown")
    programs = nb.panel.get_by_role("listbox", name="Programs")
    expect(programs).to_be_focused()
    page.keyboard.type("step_4")
    expect(programs.locator(".jp-mod-active")).to_have_text("step_4 (f32[5]) → f32[5]")

    page.keyboard.press("/")
    field = nb.panel.get_by_role("combobox", name="Filter the programs")
    expect(field).to_be_focused()
    page.keyboard.type("step f32[12]")
    expect(programs.get_by_role("option")).to_have_text(["step_11 (f32[12]) → f32[12]"])
    expect(nb.panel.get_by_text(re.compile(r"^1 of \d\d programs$"))).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(programs).to_have_count(0)
    expect(button).to_contain_text("step_11")
    expect(button).to_be_focused()
