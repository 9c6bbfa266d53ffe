"""Measures the user's waits for control flow: until the card of a loop appears, and from a key to the next step."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from pages import open_page, shown_after
from rows import Row, milliseconds

RUNS = 10
STEPS = 22
# A scan over twelve layers; in each layer, attention is a scan over the queries, whose body is a scan over the keys.
TRANSFORMER = """\
%%jaxpr
import numpy as np
w = 32

def layer_{number}(x, p):
    def queries(_, q):
        def keys(carry, kv):
            top, total, out = carry
            k, v = kv
            score = q @ k.T / np.sqrt(w)
            best = jnp.maximum(top, score.max(-1))
            weight = jnp.exp(score - best[:, None])
            shrink = jnp.exp(top - best)
            return (best, total * shrink + weight.sum(-1), out * shrink[:, None] + weight @ v), None
        start = (jnp.full(4, -1e9), jnp.zeros(4), jnp.zeros((4, w)))
        (_, total, out), _ = lax.scan(keys, start, (blocks(x @ p["k"]), blocks(x @ p["v"])))
        return None, out / total[:, None]
    blocks = lambda y: y.reshape(-1, 4, w)
    attended = lax.scan(queries, None, blocks(x @ p["q"]))[1].reshape(x.shape)
    x = x + attended @ p["o"]
    return x + jax.nn.gelu(x @ p["w1"]) @ p["w2"], None

@jax.jit
def step_{number}(params, x, y):
    def loss(params):
        return ((lax.scan(layer_{number}, x, params)[0] - y) ** 2).mean() + {number}.0
    value, gradients = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, gradients)

shapes = dict(q=(w, w), k=(w, w), v=(w, w), o=(w, w), w1=(w, 4 * w), w2=(4 * w, w))
params = {{name: jnp.full((12, *shape), 0.01) for name, shape in shapes.items()}}
x, y = jnp.ones((16, w)), jnp.zeros((16, w))
jax.block_until_ready(step_{number}(params, x, y));
"""


def cards() -> Iterator[Row]:
    """Measure the time until the card of a nested scan appears, and the time of one step in the stepper."""
    with open_page() as notebook:
        yield from _cards(notebook)
        yield from _steps(notebook)


def _cards(notebook: Any) -> Iterator[Row]:
    notebook.write(1, TRANSFORMER.format(number=0))
    notebook.run(1)
    notebook.panel.get_by_role("tab", name="Control flow").click()
    seconds = []
    for number in range(1, RUNS + 1):
        card = f'.jp-JaxprPanel [role="group"][aria-label*="layer_{number}"]'
        duration, size = shown_after(notebook, card, TRANSFORMER.format(number=number))
        seconds.append(duration)
    yield Row(
        what="message to the cards of a 12-layer step with nested scans",
        budget="100 ms",
        measured=f"{milliseconds(median(seconds))} ({size / 1000:.0f} kB)",
        ratio=None,
        ok=median(seconds) <= 0.100,
        figures={"median": median(seconds), "max": max(seconds), "bytes": size, "runs": RUNS},
    )


def _steps(notebook: Any) -> Iterator[Row]:
    page = notebook.page
    notebook.panel.get_by_role("button", name="Record the steps").first.click()
    slider = notebook.panel.get_by_role("slider", name="Step").first
    slider.focus()
    seconds = []
    for number in range(STEPS):
        forth = number % 22 < 11
        page.evaluate(
            """() => {
              window.pressed = new Promise(done => {
                document.addEventListener('keydown', event => done(event.timeStamp), {capture: true, once: true});
              });
              const slider = document.activeElement;
              const before = slider.getAttribute('aria-valuetext');
              window.stepped = window.painted(() => slider.getAttribute('aria-valuetext') !== before);
            }"""
        )
        page.keyboard.press("ArrowRight" if forth else "ArrowLeft")
        pressed, stepped = page.evaluate("async () => [await window.pressed, await window.stepped]")
        seconds.append((stepped - pressed) / 1000)
    yield Row(
        what="a key to the next step of the 12",
        budget="100 ms",
        measured=milliseconds(median(seconds)),
        ratio=None,
        ok=median(seconds) <= 0.100,
        figures={"median": median(seconds), "max": max(seconds), "steps": STEPS},
    )
