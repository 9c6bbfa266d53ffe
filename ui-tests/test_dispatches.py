"""Tests recordings: the programs of eager operations that JAX ran for a cell without jit; and the list of programs."""

from __future__ import annotations

import re

import pytest
from open_notebook import OpenNotebook
from page_checks import cut, violations
from playwright.sync_api import Locator, expect

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
from jax import lax
xs = jnp.arange(1.0, 6.0)
x, y = jnp.ones((4, 3)), jnp.zeros(4)"""

PRINTED = """\
%%jaxpr
def total(xs):
    def add(c, x):
        return c + x, c * x
    c, ys = lax.scan(add, 0.0, xs * 2)
    return c + ys.sum()

print(total(xs))"""

FIT = """\
%%jaxpr
class Trainer:
    def __init__(self):
        self.w = jnp.ones(3)

    def fit(self, x, y):
        for _ in range(2):
            error = x @ self.w - y
            self.w = self.w - 0.1 * (error @ x)
        return self.w

trainer = Trainer()
trainer.fit(x, y)"""

LOOK = "print(type(trainer.w).__name__, [f'{each:.2f}' for each in trainer.w])"

LOOP = """\
%%jaxpr
result = 0.0
for value in [1.0, 2.0, 3.0]:
    result = result + jnp.sin(value)"""

RAISED = """\
%%jaxpr
@jax.jit
def half(x):
    y = jnp.sin(x) * 2
    if y > 0:
        return y
    return -y

half(1.0)"""

SEVERAL = """\
%%jaxpr
@jax.jit
def double(x):
    return x * 2

def cube(x):
    return double(x) * x * x

for n in range(8):
    double(jnp.ones(n))
cosines = lax.map(jnp.cos, xs)
jax.make_jaxpr(cube)(xs)
print(cube(xs))"""

RECORDED_TOTAL = [
    "{ lambda ; a:f32[5]xs. let",
    "xs * 2 · 1 to 3 a → b:f32[5]",
    "e:f32[] f:f32[5] = scanlength=5 … 0.0:f32[] b",
    "{ lambda ; g:f32[]cweak h:f32[]xs * 2. let",
    "i:f32[] = convert_element_type… g",
    "j:f32[] = add i h",
    "k:f32[] = convert_element_type… g",
    "l:f32[] = mul k h",
    "in (j, l) }",
    "ys.sum · 9 to 10 f → m:f32[]",
    "c + ys.sum() · 11 to 12 e m → n:f32[]",
    "in (n,) }",
]
NO_VALUES = (
    "The program is a recording and holds no values. To step through or to time a loop or a jitted function, choose "
    "the program of the loop or of the function itself."
)
NO_TEXT = (
    "The program is a recording: JAX compiled each of its equations by itself. To see the StableHLO and HLO of one "
    "program, call the function under jax.jit."
)


def head(nb: OpenNotebook) -> Locator:
    """Return the head of the panel: the name and the signature of the program in view, its cell and its origin."""
    return nb.panel.locator(".jp-JaxprPanel-header")


def rows(nb: OpenNotebook) -> Locator:
    """Return the lines of the program in view."""
    return nb.listing().locator(".cm-line")


def programs(nb: OpenNotebook) -> Locator:
    """Return the open list of programs."""
    return nb.panel.get_by_role("listbox", name="Programs")


def choose(nb: OpenNotebook, option: str) -> None:
    """Choose a program in the list by a part of its entry's text."""
    nb.panel.get_by_title("Choose a program").click()
    programs(nb).get_by_role("option", name=option).click()


def expect_at(nb: OpenNotebook, option: str) -> None:
    """Wait until the list's active entry has this text and is in view."""
    at = nb.page.locator(f'[role="option"][id="{programs(nb).get_attribute("aria-activedescendant")}"]')
    expect(at).to_have_text(option)
    expect(at).to_be_in_viewport(ratio=1)


# --- a call without jit ----------------------------------------------------------------------------------------


@pytest.fixture
def printed(shared_notebook) -> OpenNotebook:
    """Return a notebook whose cell printed the result of a call without jit."""
    nb = shared_notebook(LOAD, PRINTED)
    expect(nb.panel.get_by_title("Choose a program")).to_have_text("total")
    return nb


def test_a_printed_call_shows_what_ran_and_the_trace_beside_it(printed):
    nb = printed
    expect(nb.outputs(1)).to_have_text(
        [
            re.compile(r"^370\.0\s*$"),
            "total (f32[5]) → f32[]8 equations · 1 scan ×5 · as jit would trace it · 2 more programs of the run",
        ]
    )
    expect(head(nb)).to_have_text(
        re.compile(r"^total3 of 3xs: f32\[5\] → f32\[\]Cell \[2\] · \d\d:\d\d · as jit would trace it$")
    )
    expect(nb.panel).to_contain_text(
        "jupyter_jaxpr traced the whole call total(xs) as jit would trace it: the call ran without jit."
    )
    expect(nb.equation(1)).to_have_text("b:f32[5] = mul a 2.0:f32[]")

    nb.panel.get_by_title("Choose a program").click()
    outside = programs(nb).get_by_role("group", name=re.compile(r"^Cell \[2\] · \d\d:\d\d ran outside of jit$"))
    expect(outside.get_by_role("option")).to_have_text(
        [
            "scan(add) (f32[] weak, f32[5]) → [f32[], f32[5]] · ran as an eager scan",
            "total (f32[5]) → f32[] · recorded as it ran",
        ]
    )
    traced = programs(nb).get_by_role("group", name=re.compile(r"^Cell \[2\] · \d\d:\d\d traced, not run$"))
    expect(traced.get_by_role("option")).to_have_text(["total (f32[5]) → f32[] · as jit would trace it"])
    expect(programs(nb).get_by_role("option", selected=True)).to_have_text(
        "total (f32[5]) → f32[] · as jit would trace it"
    )

    outside.get_by_role("option", name="recorded as it ran").click()
    expect(head(nb)).to_have_text(
        re.compile(r"^total2 of 3xs: f32\[5\] → f32\[\]Cell \[2\] · \d\d:\d\d · recorded as it ran$")
    )
    expect(nb.panel).to_contain_text(
        "jupyter_jaxpr recorded what JAX ran for the call total(xs): 4 dispatches, in this order. JAX compiled each "
        "dispatch by itself. For the recording, nothing ran a second time."
    )
    expect(rows(nb)).to_have_text(RECORDED_TOTAL)


def test_the_recording_and_the_lines_point_at_each_other(printed):
    nb = printed
    choose(nb, "recorded as it ran")
    expect(rows(nb)).to_have_text(RECORDED_TOTAL)
    linked = nb.listing().locator('.cm-line[data-linked="true"]')
    for row, expression in (
        ("scan", "lax.scan(add, 0.0, xs * 2)"),
        ("add i h", "c + x"),
        ("mul k h", "c * x"),
        ("xs * 2 · 1 to 3", "xs * 2"),
        ("ys.sum · 9 to 10", "ys.sum()"),
        ("c + ys.sum() · 11 to 12", "c + ys.sum()"),
    ):
        nb.point_at(rows(nb).filter(has_text=row).first, position={"x": 60, "y": 8})
        nb.expect_linked(1, expression)

    nb.page.mouse.move(1, 1)
    nb.lines(1).filter(has_text="return c + x, c * x").click()
    nb.page.keyboard.press("End")
    expect(linked).to_have_text(["k:f32[] = convert_element_type… g", "l:f32[] = mul k h"])


def test_what_a_call_of_jax_numpy_ran_is_folded_and_unfolds(printed):
    nb = printed
    choose(nb, "recorded as it ran")
    expect(rows(nb)).to_have_text(RECORDED_TOTAL)
    nb.listing().get_by_role("button", name="Unfold xs * 2, 3 equations").first.click()
    expect(rows(nb)).to_have_text(
        [
            RECORDED_TOTAL[0],
            "b:f32[5] = jitname=multiply a 2:i32[]",
            "{ lambda ; a:f32[5] c:i32[]weak. let",
            "d:f32[] = convert_element_type… c",
            "b:f32[5] = mul a d",
            "in (b,) }",
            *RECORDED_TOTAL[2:],
        ]
    )
    nb.panel.get_by_role("button", name="Unfold all").click()
    expect(nb.equation(12)).to_contain_text("add")
    nb.panel.get_by_role("button", name="Fold all", exact=True).click()
    expect(rows(nb)).to_have_text(
        [
            *RECORDED_TOTAL[:2],
            "e:f32[] f:f32[5] = scanlength=5 … 0.0:f32[] b4 equations",
            *RECORDED_TOTAL[9:],
        ]
    )


def test_a_scan_in_a_recording_has_a_card_and_its_steps_are_with_the_other_programs(printed):
    nb = printed
    choose(nb, "recorded as it ran")
    nb.panel.get_by_role("tab", name="Control flow").click()
    card = nb.panel.get_by_role("group", name="scan add, line 5")
    expect(card.get_by_role("img")).to_have_accessible_name(
        "Drawing of scan. The carry c passes through 5 steps. Each step takes a row of xs * 2. Each step returns a "
        "row of ys."
    )
    steps = card.get_by_role("group", name="Steps of scan add")
    button = steps.get_by_role("button", name="Record the steps")
    expect(button).to_be_disabled()
    expect(button).to_have_accessible_description(NO_VALUES)
    assert violations(nb.page) == []

    nb.panel.get_by_role("tab", name="Time").click()
    expect(nb.panel.get_by_role("tabpanel", name="Time")).to_contain_text(
        "This program is a recording: JAX ran each equation of the program separately, "
        "so the program has no first call."
    )
    nb.panel.get_by_role("tab", name="Program").click()
    for level in ("StableHLO", "HLO"):
        nb.panel.get_by_role("button", name=level, exact=True).click()
        expect(nb.panel.get_by_role("tabpanel", name="Program")).to_contain_text(NO_TEXT)


@pytest.mark.slow
def test_the_loop_is_stepped_through_in_the_program_that_jit_would_trace(notebook):
    nb = notebook(LOAD, PRINTED)
    nb.run_all()
    choose(nb, "as jit would trace it")
    nb.panel.get_by_role("tab", name="Control flow").click()
    steps = nb.panel.get_by_role("group", name="Steps of scan add")
    steps.get_by_role("button", name="Record the steps").click()
    expect(steps.get_by_role("heading", level=3)).to_have_text("Step 1 of 5")


# --- a call that changes Python objects ------------------------------------------------------------------------


def test_a_method_with_side_effects_is_recorded_and_traced_on_request(notebook):
    nb = notebook(LOAD, FIT, LOOK)
    nb.run_all()
    expect(nb.outputs(2)).to_have_text(re.compile(r"^ArrayImpl \['0\.04', '0\.04', '0\.04'\]\s*$"))
    expect(head(nb)).to_have_text(
        re.compile(r"^fitx: f32\[4,3\], y: f32\[4\] → f32\[3\]Cell \[2\] · \d\d:\d\d · recorded as it ran$")
    )
    expect(nb.panel).to_contain_text(
        "jupyter_jaxpr recorded what JAX ran for the call trainer.fit(x, y): 10 dispatches, in this order. JAX "
        "compiled each dispatch by itself. For the recording, nothing ran a second time."
    )
    expect(rows(nb)).to_have_text(
        [
            "{ lambda ; q:f32[3] r:f32[4,3]x s:f32[4]y. let",
            "x @ self.w · 1 to 2 r q → t:f32[4]",
            "x @ self.w - y · 3 to 4 t s → u:f32[4]",
            "error @ x · 5 to 6 u r → v:f32[3]",
            "0.1 * (error @ x) · 7 to 9 v → w:f32[3]",
            "self.w - 0.1 * (error @ x) · 10 to 11 q w → x:f32[3]",
            "x @ self.w · 12 r x → y:f32[4]",
            "x @ self.w - y · 13 y s → z:f32[4]",
            "error @ x · 14 z r → ba:f32[3]",
            "0.1 * (error @ x) · 15 ba → bb:f32[3]",
            "self.w - 0.1 * (error @ x) · 16 x bb → bc:f32[3]",
            "in (bc,) }",
        ]
    )
    note = nb.panel.get_by_role("article").filter(has_text="fit ran without jit and was not traced")
    nb.panel.get_by_role("tab", name="Notes").click()
    expect(note).to_contain_text(
        "fit ran without jit and was not traced, because a trace runs the Python of fit a second time. Line 9 changes "
        "self.w, part of an object that existed before the call."
    )

    button = nb.panel.get_by_role("button", name="Trace the call")
    expect(button).to_have_accessible_description(
        "The trace runs the Python of trainer.fit(x, y) a second time, with tracers in place of arrays. Afterwards "
        "jupyter_jaxpr restores the Python objects that the call changes."
    )
    button.press("Enter")
    expect(head(nb)).to_contain_text("2 of 2")
    expect(nb.panel.get_by_role("button", name="Trace the call")).to_have_count(0)
    expect(nb.panel.get_by_title("Choose a program")).to_be_focused()
    expect(nb.panel).to_contain_text(
        "You asked for this trace: the Python of trainer.fit(x, y) ran a second time, with tracers in place of arrays."
    )
    nb.panel.get_by_role("tab", name="Program").click()
    expect(rows(nb)).to_have_text(
        [
            "{ lambda a:f32[3]; b:f32[4,3]x c:f32[4]y. let",
            "d:f32[4] = dot_general… b a",
            "e:f32[4]error = sub d c",
            "f:f32[3] = dot_general… e b",
            "g:f32[3] = mul 0.10000000149011612:f32[] f",
            "h:f32[3] = sub a g",
            "i:f32[4] = dot_general… b h",
            "j:f32[4]error = sub i c",
            "k:f32[3] = dot_general… j b",
            "l:f32[3] = mul 0.10000000149011612:f32[] k",
            "m:f32[3] = sub h l",
            "in (m,) }",
        ]
    )
    nb.panel.get_by_title("Choose a program").click()
    expect(programs(nb).get_by_role("option")).to_have_text(
        [
            "fit (f32[4,3], f32[4]) → f32[3] · recorded as it ran",
            re.compile(r"^fit \(f32\[4,3\], f32\[4\]\) → f32\[3\]"),
            re.compile(r"^Show \d programs?$"),  # of libraries
        ]
    )
    nb.page.keyboard.press("Escape")

    nb.run(2)  # the trace did not change the user's object
    expect(nb.outputs(2)).to_have_text(re.compile(r"^ArrayImpl \['0\.04', '0\.04', '0\.04'\]\s*$"))


# --- cells without a call, and calls that raise ----------------------------------------------------------------


def test_a_loop_of_python_is_shown_as_the_program_of_the_cell(notebook):
    nb = notebook(LOAD, LOOP)
    nb.run_all()
    expect(head(nb)).to_have_text(re.compile(r"^cell \[2\]\(\) → f32\[\]Cell \[2\] · \d\d:\d\d · recorded as it ran$"))
    expect(nb.panel).to_contain_text(
        "jupyter_jaxpr recorded what JAX ran for the cell outside of jit: 6 dispatches, in this order. JAX compiled "
        "each dispatch by itself. The cell called no jitted function of yours."
    )
    expect(rows(nb)).to_have_text(
        [
            "{ lambda ; . let",
            "jnp.sin · 1 to 2 → f:f32[]",
            "result + jnp.sin(value) · 3 to 4 f → g:f32[]",
            "jnp.sin · 5 → h:f32[]",
            "result + jnp.sin(value) · 6 g h → i:f32[]",
            "jnp.sin · 7 → j:f32[]",
            "result + jnp.sin(value) · 8 i j → k:f32[]",
            "in (k,) }",
        ]
    )
    rows(nb).filter(has_text="jnp.sin · 5").hover(position={"x": 60, "y": 8})
    nb.expect_linked(1, "jnp.sin(value)")
    expect(nb.outputs(1)).to_have_text(["cell [2] () → f32[]8 equations · recorded as it ran"])

    # With the option `--eager`, the whole cell is recorded, in addition to the programs of its jitted functions.
    nb.write(1, "%%jaxpr --eager\n@jax.jit\ndef double(x):\n    return x * 2\n\ndouble(xs)\nresult = jnp.sin(xs) + xs")
    nb.run(1)
    expect(head(nb)).to_contain_text(re.compile(r"^cell \[3\]2 of 2"))
    expect(nb.panel).to_contain_text(
        re.compile(
            "jupyter_jaxpr recorded what JAX ran for the cell outside of jit: 3 dispatches, in this order. JAX "
            "compiled each dispatch by itself. The recording took .*s of the cell's time."
        )
    )
    nb.panel.get_by_title("Choose a program").click()
    expect(programs(nb).get_by_role("group", name=re.compile(r"^Cell \[3\]")).get_by_role("option")).to_have_text(
        ["double (f32[5]) → f32[5]", re.compile(r"^cell \[3\] \(\) → .* · recorded as it ran$")]
    )


@pytest.mark.slow
def test_a_trace_that_raised_shows_the_equations_until_then(notebook):
    nb = notebook(LOAD, RAISED)
    nb.run_all()
    expect(head(nb)).to_contain_text(
        re.compile(
            r"Cell \[2\] · \d\d:\d\d · (≥1|1) call, no compile, 1 call raised · "
            r"traced until the trace raised an error$"
        )
    )
    expect(nb.panel).to_contain_text(
        "The trace of half raised TracerBoolConversionError. The program shows the equations that JAX had traced "
        "before the error. JAX did not compile or run the program."
    )
    expect(rows(nb)).to_have_text(
        [
            "{ lambda ; a:f32[]xweak. let",
            "b:f32[]weak = sin a",
            "c:f32[]yweak = mul b 2.0:f32[]",
            "_:bool[]failing operand = gt c 0.0:f32[]",
            re.compile("^in "),
        ]
    )
    nb.equation(3).hover(position={"x": 60, "y": 8})
    nb.expect_linked(1, "y > 0")

    nb.panel.get_by_role("tab", name="Notes").click()
    note = nb.panel.get_by_role("article").filter(has_text="half could not be traced")
    expect(note).to_contain_text("Line 5: Python cannot know whether y > 0 is true while JAX traces")
    # The note does not suggest static_argnames, because `jnp.sin` traces even a static number.
    expect(note.get_by_role("term")).to_have_text([re.compile(f"^{name}") for name in ("jax.lax.cond", "jnp.where")])

    nb.panel.get_by_role("tab", name="Program").click()
    nb.panel.get_by_role("button", name="HLO", exact=True).click()
    expect(nb.panel.get_by_role("tabpanel", name="Program")).to_contain_text(
        "JAX did not lower the program, because its trace raised an error. Correct the function and run the cell again."
    )


# --- the list of programs --------------------------------------------------------------------------------------

SHORT_LIST = [
    "double (f32[0]) → f32[0]",
    "double (f32[1]) → f32[1]",
    "double (f32[2]) → f32[2]",
    "Show 5 more programs of double",
    "map(<lambda>) (f32[5]) → [f32[5]] · ran as an eager map",
    "cube (f32[5]) → f32[5] · recorded as it ran",
    "cube (f32[5]) → f32[5] · traced by make_jaxpr, line 12",
    "Show 7 programs",  # of libraries
]
WHOLE_LIST = [
    *[f"double (f32[{n}]) → f32[{n}]" for n in range(8)],
    *SHORT_LIST[4:],
]


@pytest.fixture
def several(shared_notebook) -> OpenNotebook:
    """Return a notebook whose cell ran, recorded and traced many programs."""
    nb = shared_notebook(LOAD, SEVERAL)
    expect(head(nb)).to_contain_text(re.compile("^cube10 of 11"))
    return nb


def test_the_list_has_groups_and_folds_the_many_programs_of_one_name(several):
    nb = several
    nb.panel.get_by_title("Choose a program").click()
    options = programs(nb).get_by_role("option")
    expect(options).to_have_text(SHORT_LIST)
    expect(programs(nb).get_by_role("option", selected=True)).to_have_text(SHORT_LIST[5])
    in_groups = {
        "ran under jit": SHORT_LIST[:4],
        "ran outside of jit": SHORT_LIST[4:6],
        "traced, not run": SHORT_LIST[6:7],
        "jitted by libraries": SHORT_LIST[7:],
    }
    for words, members in in_groups.items():
        group = programs(nb).get_by_role("group", name=re.compile(rf"^Cell \[2\] · \d\d:\d\d {words}$"))
        expect(group.get_by_role("option")).to_have_text(members)

    options.filter(has_text="Show 5 more programs of double").click()
    expect(options).to_have_text(WHOLE_LIST)
    options.filter(has_text="double (f32[6])").click()
    expect(programs(nb)).to_have_count(0)
    expect(head(nb)).to_contain_text(re.compile(r"^double7 of 11x: f32\[6\] → f32\[6\]"))

    # The program in view is in the list even while the list is shortened.
    nb.panel.get_by_title("Choose a program").click()
    expect(options).to_have_text(WHOLE_LIST)
    expect(programs(nb).get_by_role("option", selected=True)).to_have_text("double (f32[6]) → f32[6]")
    options.filter(has_text="recorded as it ran").click()
    nb.panel.get_by_title("Choose a program").click()
    expect(options).to_have_text(SHORT_LIST)


def test_the_keyboard_goes_through_the_list_and_unfolds_it(several):
    nb = several
    button = nb.panel.get_by_title("Choose a program")
    press = nb.page.keyboard.press
    button.press("ArrowDown")
    expect(programs(nb)).to_be_focused()
    expect_at(nb, SHORT_LIST[5])
    press("ArrowDown")
    expect_at(nb, SHORT_LIST[6])
    press("End")
    press("ArrowDown")
    expect_at(nb, SHORT_LIST[7])
    press("Home")
    expect_at(nb, SHORT_LIST[0])
    for _ in range(3):
        press("ArrowDown")
    expect_at(nb, "Show 5 more programs of double")
    press("Enter")
    expect(programs(nb).get_by_role("option")).to_have_text(WHOLE_LIST)
    expect(programs(nb)).to_be_focused()
    expect_at(nb, "double (f32[3]) → f32[3]")

    # A letter moves to the next program whose name begins with it; further letters extend the searched beginning.
    press("m")
    expect_at(nb, SHORT_LIST[4])
    press("Escape")
    expect(programs(nb)).to_have_count(0)
    expect(button).to_be_focused()
    expect(head(nb)).to_contain_text("recorded as it ran")

    button.press("ArrowUp")
    expect_at(nb, SHORT_LIST[5])
    press("c")
    expect_at(nb, SHORT_LIST[6])
    press("u")
    expect_at(nb, SHORT_LIST[6])
    press("Enter")
    expect(head(nb)).to_contain_text(re.compile("^cube11 of 11.* · traced by make_jaxpr, line 12$"))
    expect(button).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_open_list_is_readable_at_every_width_and_in_both_themes(several, width, theme):
    nb = several
    nb.page.set_viewport_size({"width": 1800, "height": 800})
    nb.theme(theme)
    nb.set_panel_width(width)
    nb.panel.get_by_title("Choose a program").click()
    options = programs(nb).get_by_role("option")
    expect(options).to_have_text(SHORT_LIST)
    assert violations(nb.page) == []
    options.filter(has_text="Show 5 more programs of double").click()
    expect(options).to_have_text(WHOLE_LIST)
    assert violations(nb.page) == []
    assert cut(nb.panel, "[role=listbox] *") == []
    assert programs(nb).evaluate("list => list.scrollWidth <= list.clientWidth")


OF_LIBRARIES = """\
%%jaxpr
@jax.jit
def double(x):
    return x * 2

double(xs)
z = jnp.linspace(0, 1, 77)
z = jnp.sort(z)"""


@pytest.mark.slow
def test_what_libraries_jitted_is_folded_behind_the_users_programs(notebook):
    nb = notebook(LOAD, OF_LIBRARIES)
    nb.run_all()
    expect(head(nb)).to_contain_text(re.compile(r"^doublex: f32\[5\] → f32\[5\]"))
    button = nb.panel.get_by_title("Choose a program")
    button.click()
    options = programs(nb).get_by_role("option")
    expect(options).to_have_text(["double (f32[5]) → f32[5]", "Show 2 programs"])
    group = programs(nb).get_by_role("group", name=re.compile(r"^Cell \[2\] · \d\d:\d\d jitted by libraries$"))
    group.get_by_role("option").click()
    expect(group.get_by_role("option")).to_have_text(
        [
            re.compile(r"^_linspace .+ → f32\[77\] · jitted by jax, line 7$"),
            "sort (f32[77]) → f32[77] · jitted by jax, line 8",
        ]
    )
    assert violations(nb.page) == []
    options.filter(has_text="sort").click()
    expect(head(nb)).to_contain_text(re.compile(r"^sort2 of 2"))
    expect(nb.panel).to_contain_text("jitted by jax, line 8")
    expect(nb.listing()).to_contain_text("sort")
    nb.panel.get_by_role("button", name="HLO", exact=True).click()
    expect(nb.panel.get_by_role("tabpanel", name="Program")).to_contain_text("HloModule jit_sort")
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_role("button", name="Time the calls").click()
    expect(nb.panel.get_by_role("tabpanel", name="Time")).to_contain_text(
        "A library made the call, and jupyter_jaxpr holds no values of the call."
    )


# --- the program that the panel shows first --------------------------------------------------------------------

TWO = """\
@jax.jit
def double(x):
    return x * 2

@jax.jit
def triple(x):
    return x * 3

double(xs)
triple(xs)"""


@pytest.mark.slow
def test_focus_chooses_the_program_that_is_shown_first(notebook):
    nb = notebook(LOAD, f"%%jaxpr\n{TWO}", f"%%jaxpr --focus double\n{TWO}", f"%%jaxpr --focus quadruple\n{TWO}")
    nb.run(0)
    nb.run(1)
    expect(head(nb)).to_contain_text(re.compile("^triple2 of 2"))
    nb.run(2)
    expect(head(nb)).to_contain_text(re.compile("^double1 of 2"))
    expect(nb.equation(1)).to_have_text("b:f32[5] = mul a 2.0:f32[]")
    expect(nb.outputs(2).last).to_contain_text("double (f32[5]) → f32[5]")

    nb.run(3)
    expect(head(nb)).to_contain_text(re.compile("^triple2 of 2"))
    nb.panel.get_by_role("tab", name="Notes").click()
    expect(nb.panel.get_by_role("article")).to_contain_text(
        "--focus quadruple: the run has no program of quadruple. Its programs are: double, triple."
    )
