"""Tests the outputs of a run for readers without the panel: plain text, HTML and Markdown, compared in full."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import mistune
import msgspec
import nbclient
import nbconvert
import nbformat
import pytest
from nbformat import v4

from jupyter_jaxpr import inspect
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.sentences.program_summary_line import summary_of
from jupyter_jaxpr.document.types.document import Activity, Argument, Frame, Level, Note
from jupyter_jaxpr.exports import short_texts_of_run
from jupyter_jaxpr.exports.html_of_saved_output import fragment
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.parts_of_saved_output import bundle
from jupyter_jaxpr.exports.terminal_text import plain
from jupyter_jaxpr.scripts import display

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"
MIME = "application/vnd.jupyter-jaxpr.v1+json"
replace = msgspec.structs.replace


def golden(name):
    return read((FIXTURES / f"{name}-0.12.json").read_bytes())


def with_program(document, **fields):
    return replace(document, programs=[replace(document.programs[0], **fields)])


def level(name, text=None, reason=None, state="on_request"):
    return Level(
        name=name,
        state="held" if text else state,
        reason=reason,
        characters=len(text) if text else None,
        lines=text.count("\n") + 1 if text else None,
        sha256="0" * 64 if text else None,
        text=text,
        line_stacks=[-1] * (text.count("\n") + 1) if text else None,
    )


def note(text, **fields):
    defaults = {"kind": "x", "cure": None, "detail": None, "program": -1, "frame": -1, "bytes": None}
    return Note(text=text, **(defaults | fields))


@pytest.fixture
def small():
    """Return a document with three equations, two lines of StableHLO, no HLO, and two notes."""
    document = golden("log2")
    document = with_program(
        document,
        levels=[
            level("stablehlo", "module @jit_log2 {\n} // tensor<f32> & more"),
            level("hlo", reason="JAX has not compiled this function. Compile it.", state="not_made"),
        ],
    )
    assert document.cell is not None
    cell = next(index for index, file in enumerate(document.files) if file.path == document.cell.file)
    frames = [*document.frames, Frame(file=cell, function=0, line=3, column=4, end_line=3, end_column=9)]
    printed = note(
        "log2 printed while it was traced.",
        cure="Use jax.debug.print.",
        detail="x = JitTracer<f32[]>",
        frame=len(frames) - 1,
    )
    return replace(document, frames=frames, notes=[printed, note("1 eager operation was compiled.")])


def test_plain_text_is_three_lines():
    assert plain(golden("rnn")) == (
        "rnn ({b, wh, wo, wx}, f32[100,8]) → (f32[4], f32[100,16])\n"
        "17 equations · 1 scan ×100 · 4 calls, 1 compile · first call 142 ms\n"
        "80.1 k operations and 1,604 transcendental operations per call. "
        "46 % of the operations are on line 6, where a transcendental operation counts as 20 operations."
    )


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("newton", "9 equations · 1 while loop · 4 calls, 1 compile · first call 142 ms"),
        ("solve", "36 equations · 1 switch · 4 calls, 1 compile · first call 142 ms"),
        ("cond", "6 equations · 1 cond · 4 calls, 1 compile · first call 142 ms"),
        ("helpers", "14 equations · 4 calls, 1 compile · 1 more program · first call 142 ms"),
    ],
)
def test_control_flow_and_other_programs_are_counted(name, counts):
    assert plain(golden(name)).split("\n")[1] == counts


def test_where_there_is_no_program_the_message_is_the_text():
    assert plain(golden("nothing")) == (
        "No jitted function was called in this cell. Call one, or end the cell with a call of a function."
    )


ACTIVITY = {"calls": 4, "calls_exact": True, "misses": 1, "traces": 1, "lowerings": 1, "compiles": 1, "from_disk": 0}


@pytest.mark.parametrize(
    ("activity", "words"),
    [
        ({}, "4 calls, 1 compile"),
        ({"calls": 1200, "compiles": 2}, "1,200 calls, 2 compiles"),
        ({"calls_exact": False}, "≥4 calls, 1 compile"),
        ({"compiles": 0}, "4 calls, no compile"),
        ({"compiles": 0, "from_disk": 1}, "4 calls, 1 executable from disk"),
        ({"calls": None, "compiles": None}, "calls unknown, compiles unknown"),
        ({"calls": 0, "compiles": 0, "inlined": 3}, "0 calls, 3 calls inlined"),
        ({"inlined": 3}, "4 calls (3 inlined), 1 compile"),
        ({"inlined": 2, "calls_exact": False}, "≥4 calls (2 inlined), 1 compile"),
        ({"calls": 1200, "compiles": 0, "inlined": 1199}, "1,200 calls (1,199 inlined), no compile"),
        ({"calls": 1, "compiles": 0, "raised": 1}, "1 call, no compile, 1 call raised"),
    ],
)
def test_what_the_run_did_with_the_function(activity, words):
    document = golden("log2")
    run_activity = Activity(**({"inlined": 0, "raised": 0} | ACTIVITY | activity))
    program = replace(document.programs[0], activity=run_activity)
    assert summary_of(document, program).activity == words


@pytest.mark.parametrize(
    ("origin", "counts"),
    [
        ("ran", "3 equations · first call 142\xa0ms"),
        ("derived", "3 equations · made by a transform · first call 142\xa0ms"),
        ("seen_before", "3 equations · made in an earlier run"),
        ("traced", "3 equations · lowered, not run"),
    ],
)
def test_only_a_call_of_this_run_is_timed(origin, counts):
    document = golden("log2")
    program = replace(document.programs[0], origin=origin, activity=None, summary=None)
    assert short_texts_of_run.counts(document, program) == counts


@pytest.mark.parametrize(
    ("stage", "words"), [("trace", "traced only"), ("lower", "lowered, not run"), ("compile", "compiled, not run")]
)
def test_how_far_an_inspected_program_went_is_said(stage, words):
    document = inspect(lambda x: x + 1, 1.0, stage=stage).document
    assert short_texts_of_run.counts(document, document.programs[0]) == f"1 equation · {words}"


def test_a_program_that_is_not_whole_counts_at_least():
    document = golden("rnn")
    program = replace(document.programs[0], complete=False)
    assert summary_of(document, program).size == ["17 equations", "≥1 scans ×100"]


@pytest.mark.parametrize("kind", ["fori_loop", "map"])
def test_a_loop_has_the_name_the_user_called_it_by(kind):
    document = golden("rnn")
    cards = [replace(card, kind=kind) if card.kind == "scan" else card for card in document.control_flow]
    size = summary_of(replace(document, control_flow=cards), document.programs[0]).size
    assert size == ["17 equations", f"1 {kind} ×100"]


def test_html_of_a_run(small):
    expected = [
        '<div class="jjx-static">',
        '<section class="jjx-program">',
        "<h4><code>log2</code></h4>",
        '<details class="jjx-signature"><summary><code>(f32[] weak) → f32[] weak</code></summary>',
        "<code>(x: f32[] weak) → f32[] weak</code></details>",
        '<p class="jjx-counts">3 equations · 4 calls, 1 compile · first call 142\xa0ms</p>',
        '<details class="jjx-stages"><summary>Times of the stages of the call that made the program</summary>',
        "<table>",
        "<thead><tr>",
        '<th scope="col">trace</th><th scope="col">lower</th><th scope="col">compile</th>',
        '<th scope="col">first run</th><th scope="col">rest</th><th scope="col">first call</th>',
        "</tr></thead>",
        "<tbody><tr><td>5.4\xa0ms</td><td>14\xa0ms</td><td>121\xa0ms</td>",
        "<td>0.70\xa0ms</td><td>0.90\xa0ms</td><td>142\xa0ms</td></tr></tbody>",
        "</table></details>",
        '<details class="jjx-listing" open><summary>jaxpr, 3 equations</summary><pre><code>{ lambda ; a:f32[]. let\n',
        "  b:f32[] = log a\n",
        "  c:f32[] = log 2.0:f32[]\n",
        "  d:f32[] = div b c\n",
        "in (d,) }</code></pre></details>",
        '<details class="jjx-listing"><summary>StableHLO, 2 lines</summary><pre><code>module @jit_log2 {\n',
        "} // tensor&lt;f32&gt; &amp; more</code></pre></details>",
        '<p class="jjx-listing">Optimised HLO: JAX has not compiled this function. Compile it.</p>',
        "</section>",
        '<details class="jjx-costs"><summary>Cost</summary>',
        "<p><code>log2</code>: 1 operation and 2 transcendental operations per call. 49\xa0% of the operations are on "
        "line\xa05, where a transcendental operation counts as 20 operations.</p>",
        '<table class="jjx-cost"><caption>Cost by source line, with all steps of loops</caption>',
        '<thead><tr><th scope="col">line</th><td></td><th scope="col">operations</th>',
        '<th scope="col">transcendentals</th><th scope="col">bytes</th><th scope="col">share</th></tr></thead>',
        "<tbody><tr><td>5</td><td>ln_x = jnp.log(x)</td><td>0\xa0op</td><td>1</td><td>8\xa0B</td><td>49\xa0%</td></tr>",
        "<tr><td>6</td><td>ln_2 = jnp.log(2.0)</td><td>0\xa0op</td><td>1</td><td>4\xa0B</td><td>49\xa0%</td></tr>",
        "<tr><td>7</td><td>return ln_x / ln_2</td><td>1\xa0op</td><td></td><td>12\xa0B</td><td>2\xa0%</td></tr>",
        "</tbody></table>",
        "<p>The estimated memory peak is 16\xa0B, if XLA fuses nothing.</p>",
        "</details>",
        '<section class="jjx-notes"><h4>Notes</h4><ul>',
        "<li><strong>Line\xa03</strong>: log2 printed while it was traced. Use jax.debug.print.",
        "<details><summary>Detail</summary><pre><code>x = JitTracer&lt;f32[]&gt;</code></pre></details></li>",
        "<li>1 eager operation was compiled.</li>",
        "</ul></section>",
        '<p class="jjx-made-with"><small>Cell [7] · 2026-02-02 02:40 UTC · jax 0.12.0.1 on cpu, '
        "jupyter_jaxpr 0.1.0</small></p>",
        "</div>",
    ]
    assert fragment(small, characters=10_000) == "".join(expected)


def test_html_of_a_run_without_a_program():
    assert fragment(golden("nothing"), characters=1000) == (
        '<div class="jjx-static"><p class="jjx-message">No jitted function was called in this cell. Call one, or end '
        'the cell with a call of a function.</p><p class="jjx-made-with"><small>Cell [7] · 2026-02-02 02:40 UTC · '
        "jax 0.12.0.1 on cpu, jupyter_jaxpr 0.1.0</small></p></div>"
    )


def test_markdown_of_a_run(small):
    assert markdown(small) == (
        "# Programs\n"
        "\n"
        "## `log2 (f32[] weak) → f32[] weak`\n"
        "\n"
        "3 equations · 4 calls, 1 compile · first call 142 ms\n"
        "\n"
        "`log2 (x: f32[] weak) → f32[] weak`\n"
        "\n"
        "| trace | lower | compile | first run | rest | first call |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| 5\\.4 ms | 14 ms | 121 ms | 0\\.70 ms | 0\\.90 ms | 142 ms |\n"
        "\n"
        "### jaxpr, 3 equations\n"
        "\n"
        "```text\n"
        "{ lambda ; a:f32[]. let\n"
        "  b:f32[] = log a\n"
        "  c:f32[] = log 2.0:f32[]\n"
        "  d:f32[] = div b c\n"
        "in (d,) }\n"
        "```\n"
        "\n"
        "### StableHLO, 2 lines\n"
        "\n"
        "```text\n"
        "module @jit_log2 {\n"
        "} // tensor<f32> & more\n"
        "```\n"
        "\n"
        "### Optimised HLO\n"
        "\n"
        "JAX has not compiled this function\\. Compile it\\.\n"
        "\n"
        "## Cost\n"
        "\n"
        "`log2`: 1 operation and 2 transcendental operations per call\\. 49 % of the operations are on line 5, "
        "where a transcendental operation counts as 20 operations\\.\n"
        "\n"
        "| line |  | operations | transcendentals | bytes | share |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| 5 | ln\\_x = jnp\\.log\\(x\\) | 0 op | 1 | 8 B | 49 % |\n"
        "| 6 | ln\\_2 = jnp\\.log\\(2\\.0\\) | 0 op | 1 | 4 B | 49 % |\n"
        "| 7 | return ln\\_x / ln\\_2 | 1 op |  | 12 B | 2 % |\n"
        "\n"
        "The estimated memory peak is 16 B, if XLA fuses nothing\\.\n"
        "\n"
        "## Notes\n"
        "\n"
        "- Line 3: log2 printed while it was traced\\. Use jax\\.debug\\.print\\.\n"
        "\n"
        "  ```text\n"
        "  x = JitTracer<f32[]>\n"
        "  ```\n"
        "\n"
        "- 1 eager operation was compiled\\.\n"
        "\n"
        "Cell \\[7\\] · 2026\\-02\\-02 02:40 UTC · jax 0\\.12\\.0\\.1 on cpu, jupyter\\_jaxpr 0\\.1\\.0\n"
    )


# --- every golden document, and hostile ones ---


class Checked(HTMLParser):
    """Checks that tags are closed in the right order, and that all elements and attributes are allowed."""

    allowed = {
        *("div", "section", "h1", "h2", "h4", "p", "small", "strong", "code", "pre", "ul", "li", "details", "summary"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    }

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.text = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag in self.allowed, tag
        for name, value in attributes:
            is_class = name == "class" and value.startswith("jjx-")
            assert name in ("scope", "open") or is_class, (name, value)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*-0.1?.json")), ids=lambda path: path.stem)
def test_html_of_every_golden_document_is_well_formed_and_has_no_script_or_style(path):
    document = read(path.read_bytes())
    text = "".join(Checked(fragment(document, characters=64_000)).text)
    for program in document.programs:
        assert program.name in text


HOSTILE = [
    "<script>alert(1)</script>",
    "</code></pre></details><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "&lt;b&gt; <!-- ]]> -->",
    "```\n<script>alert(1)</script>\n````",
    "`[x](javascript:alert(1))`",
    "half \ud83d of a pair\x1b[31m\x00",
]


@pytest.fixture
def hostile(request):
    """Return a document with a hostile text in each place that can hold one."""
    text = request.param
    document = golden("log2")
    argument = Argument(name=text, type=text, summary=text, static=True, donated=True)
    document = with_program(
        document,
        name=text,
        arguments=[argument],
        result=argument,
        origin_note=text,
        levels=[level("stablehlo", text), level("hlo", reason=text, state="absent")],
    )
    return replace(
        document,
        title=text,
        message=text,
        cut=text,
        notes=[note(text, cure=text, detail=text)],
        strings=[text for _ in document.strings],
        environment=replace(document.environment, device=text),
    )


@pytest.mark.parametrize("hostile", HOSTILE, indirect=True)
def test_text_of_a_document_is_never_markup(hostile):
    text = "".join(Checked(fragment(hostile, characters=64_000)).text)
    # The hostile text is shown in at least ten places.
    assert text.count(hostile.title.replace("\x00", "\ufffd")) >= 10 or text.count(hostile.title) >= 10


@pytest.mark.parametrize("hostile", HOSTILE, indirect=True)
def test_a_hostile_document_can_be_displayed(hostile):
    data = bundle(hostile)
    json.dumps(data, ensure_ascii=False).encode()
    assert "\x1b" not in data["text/plain"]
    assert len(data["text/plain"].split("\n")) == 3


@pytest.mark.parametrize("hostile", HOSTILE, indirect=True)
def test_markdown_of_a_hostile_document_renders_as_text(hostile):
    rendered = mistune.html(markdown(replace(hostile, title="Run", message=None)))
    for tag in ("<script", "<img", "<svg", "href=", "<!--"):
        assert tag not in rendered


# --- sizes ---


def test_long_texts_are_cut_after_a_whole_line(small):
    text = "\n".join(f"line {number}" for number in range(1000))
    document = with_program(small, levels=[level("stablehlo", text)])
    # The jaxpr and the StableHLO get half of the characters each; the jaxpr fits.
    html = fragment(document, characters=200)
    assert "in (d,) }</code>" in html
    assert html.count("line ") == 13
    assert (
        "line 12</code></pre><p>This copy leaves out 987 more lines of this text. Run the cell again to see all "
        "lines.</p>" in html
    )


def test_a_text_of_one_endless_line_is_left_out(small):
    document = with_program(small, levels=[level("stablehlo", "x" * 1000)])
    assert (
        '<p class="jjx-listing">StableHLO, 1 line: This copy leaves out 1 more line of this text. '
        "Run the cell again to see all lines.</p>" in fragment(document, characters=200)
    )


def test_the_saved_copy_keeps_to_its_limit():
    document = golden("rnn")
    full_bundle = bundle(document)
    assert full_bundle[MIME] == json.loads(encode(golden("rnn")))
    capped = bundle(document, limit_bytes=6_000)
    assert len(json.dumps(capped[MIME], ensure_ascii=False, separators=(",", ":")).encode()) <= 6_000
    assert capped[MIME]["cut"] in Checked(capped["text/html"]).text
    assert capped["text/plain"] == full_bundle["text/plain"]


@pytest.mark.parametrize("name", ["rnn", "nothing", "cut"])
def test_what_is_displayed_is_a_snapshot_by_its_schema(name):
    schema = json.loads((Path(display.__file__).parents[1] / "document" / "snapshot.schema.json").read_text())
    full_schema = {**schema["definitions"]["Snapshot"], "definitions": schema["definitions"]}
    jsonschema.Draft7Validator(full_schema).validate(bundle(golden(name))[MIME])


# --- hosts that show the document ---


def test_show_displays_one_output_and_leaves_out_alone(make_notebook):
    notebook = make_notebook(extension=False)
    notebook.shell.user_ns["document"] = golden("rnn")
    ran = notebook.run("from jupyter_jaxpr.scripts.display import show\nshow(document)\n1 + 1")
    assert ran.shown == [json.loads(encode(golden("rnn")))]
    assert list(notebook["Out"].values()) == [2]


def test_show_that_is_turned_off_displays_nothing(make_notebook):
    notebook = make_notebook(extension=False)
    notebook.shell.user_ns["document"] = golden("rnn")
    ran = notebook.run("from jupyter_jaxpr.scripts.display import show\nshow(document, enabled=False)")
    assert (ran.shown, ran.stdout, ran.stderr) == ([], "", "")


def test_nbconvert_shows_the_static_html_and_no_style_of_ours():
    output = v4.new_output("display_data", data=bundle(golden("rnn")))
    notebook = v4.new_notebook(cells=[v4.new_code_cell("%%jaxpr\nrnn(p, xs)", outputs=[output])])
    nbformat.validate(notebook)
    html, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    start = html.index('<div class="jjx-static">')
    assert "<summary>jaxpr, 17 equations</summary>" in html[start:]
    assert "<style" not in html[start:]
    assert "jjx-" not in html[:start]
    markdown_text, _ = nbconvert.MarkdownExporter().from_notebook_node(notebook)
    assert "17 equations · 1 scan ×100" in markdown_text
    script, _ = nbconvert.PythonExporter().from_notebook_node(notebook)
    assert "jjx-" not in script


# --- without a front end ---

CELL = "%%jaxpr\n@jax.jit\ndef double(x):\n    return x * 2\ndouble(1.0)"


@pytest.mark.slow
def test_nbconvert_runs_a_notebook_with_the_magic():
    cells = [v4.new_code_cell("%load_ext jupyter_jaxpr\nimport jax"), v4.new_code_cell(CELL)]
    notebook = v4.new_notebook(cells=cells)
    nbclient.execute(notebook, timeout=120, kernel_name="python3")
    nbformat.validate(notebook)
    loading, running = (cell.outputs for cell in notebook.cells)
    assert loading == []
    assert [output.output_type for output in running] == ["execute_result", "display_data"]
    assert running[0].data == {"text/plain": "Array(2., dtype=float32, weak_type=True)"}
    document = read(json.dumps(running[1].data[MIME]))
    assert [program.name for program in document.programs] == ["double"]


def test_a_terminal_shows_the_lines():
    program = f"%load_ext jupyter_jaxpr\nimport jax\n_ = get_ipython().run_cell({CELL!r}, store_history=True)"
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=nocolor", "--HistoryManager.enabled=False"]
    process = subprocess.run([*command, "-c", program], capture_output=True, text=True, check=True)
    out, first, second, third = process.stdout.splitlines()
    assert out == "Out[1]: Array(2., dtype=float32, weak_type=True)"
    assert first == "double (f32[] weak) → f32[] weak"
    calls = "1 call" if sys.version_info >= (3, 12) else "≥1 calls"
    assert re.fullmatch(rf"1 equation · {calls}, 1 compile · first call (\d+ ms|[\d.]+ s)", second)
    assert third == "1 operation per call. 100 % of the operations are on line 4."
    assert process.stderr == ""
