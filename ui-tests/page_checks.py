"""Checks a page: violations that axe-core finds, texts cut off at the right edge, the begin of a long request."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

_CUT = """(panel, [inside, except]) => {
  const edge = panel.getBoundingClientRect().right + 0.5;
  return [...panel.querySelectorAll(inside)]
    .filter(one => !except || !one.closest(except))
    .filter(one => one.getClientRects().length && one.getBoundingClientRect().right > edge)
    .map(one => one.outerHTML);
}"""


# axe ignores the browser's top layer, and reports that elements below a modal dialog cover the dialog; hide them.
_ONLY_THE_MODAL = """
  :root:has(dialog:modal) * { visibility: hidden; }
  dialog:modal, dialog:modal * { visibility: visible !important; }
"""


# For some texts axe does not decide the contrast: arrows, single characters, texts that an edge cuts. This script
# computes the contrast of such a text from the colours behind it: those of the elements below the middle of the text,
# or, if the middle is out of sight, those of the elements around the text. Behind an image the contrast is unknown,
# which counts as a violation.
_CONTRAST = """([targets, everywhere]) => {
  const COLOURS = /(?:rgba?|color|oklch|oklab|lab|lch|hsla?)\\([^()]*\\)/g;
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([red, green, blue, alpha], ground) =>
    [red, green, blue].map((part, at) => part * alpha + ground[at] * (1 - alpha));
  const luminance = colour => {
    const [red, green, blue] = colour.map(part => part / 255).map(part =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const around = node => node.parentElement ?? node.getRootNode().host ?? null;
  const ancestors = node => node === null ? [] : [node, ...ancestors(around(node))];
  const behind = node => {
    const {x, y, width, height} = node.getBoundingClientRect();
    const painted = node.getRootNode().elementsFromPoint(x + width / 2, y + height / 2);
    const at = painted.indexOf(node);
    return at < 0 ? ancestors(node) : [...new Set([...painted.slice(at), ...ancestors(node)])];
  };
  const find = target =>
    target.flat().reduce((inside, selector) => (inside.shadowRoot ?? inside).querySelector(selector), document);
  const hasText = node => [...node.childNodes].some(child => child instanceof Text && child.data.trim() !== '');
  const isSeen = node => {
    const {width, height} = node.getBoundingClientRect();
    const isOff = node.closest(':disabled, [aria-disabled=true]') !== null;
    return width > 1 && height > 1 && !isOff && node.checkVisibility({visibilityProperty: true, opacityProperty: true});
  };
  const texts = everywhere.flatMap(selector => [...document.querySelectorAll(`${selector}, ${selector} *`)]);
  return [...targets.map(find), ...texts.filter(hasText).filter(isSeen)].map(node => {
    const style = getComputedStyle(node);
    let opacity = 1;
    for (const element of ancestors(node)) {
      opacity *= Number(getComputedStyle(element).opacity);
    }
    const layers = [];
    for (const element of behind(node)) {
      const {backgroundColor, backgroundImage} = getComputedStyle(element);
      if (backgroundImage.includes('url(')) {
        return {ratio: null, wanted: 0, html: node.outerHTML};
      }
      layers.unshift({colour: rgba(backgroundColor), gradient: (backgroundImage.match(COLOURS) ?? []).map(rgba)});
      if (layers[0].colour[3] === 1) {
        break;
      }
    }
    // Behind a gradient, each of its colours counts.
    const grounds = layers.reduce(
      (below, {colour, gradient}) => {
        const above = below.map(ground => over(colour, ground));
        return [...above, ...gradient.flatMap(part => above.map(ground => over(part, ground)))];
      },
      [[255, 255, 255]]
    );
    const [red, green, blue, alpha] = rgba(style.color);
    const ratio = Math.min(...grounds.map(ground => {
      const text = over([red, green, blue, alpha * opacity], ground);
      const [low, high] = [luminance(text), luminance(ground)].sort((one, two) => one - two);
      return (high + 0.05) / (low + 0.05);
    }));
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    return {ratio, wanted: isLarge ? 3 : 4.5, html: node.outerHTML};
  });
}"""


def violations(page: Page, *selectors: str) -> list[str]:
    """Return the rule and the element of each violation that axe-core finds in these elements (default: the panel).

    If axe does not decide the contrast of a text, `_CONTRAST` computes it from the colours on the page; if axe's rule
    for contrast fails, `_CONTRAST` computes the contrast of every text.
    """
    selectors = selectors or (".jp-JaxprPanel",)
    # The body of JupyterLab has no height, so axe takes all elements in the body for hidden.
    page.evaluate("document.body.style.height = '100vh'")
    style = page.add_style_tag(content=_ONLY_THE_MODAL)
    response = Axe().run(page, context={"include": [[selector] for selector in selectors]}).response
    style.evaluate("style => style.remove()")
    undecided = [node for rule in response["incomplete"] if rule["id"] == "color-contrast" for node in rule["nodes"]]
    failed = [node for node in undecided if any(check["id"] == "error-occurred" for check in node["none"])]
    targets = [node["target"] for node in undecided if node not in failed]
    contrasts = page.evaluate(_CONTRAST, [targets, list(selectors) if failed else []])
    assert contrasts or "color-contrast" in {rule["id"] for rule in response["passes"]}  # the contrast was checked
    return [
        *(
            f"{rule['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for rule in response["violations"]
            for node in rule["nodes"]
        ),
        *(
            f"color-contrast: {contrast['html'][:200]} has {contrast['ratio']}, not {contrast['wanted']}"
            for contrast in contrasts
            if contrast["ratio"] is None or contrast["ratio"] < contrast["wanted"]
        ),
    ]


def cut(panel: Locator, inside: str, scrolls: str = "") -> list[str]:
    """Return the elements that extend beyond the right edge of the panel.

    Args:
        panel: The panel.
        inside: A selector of the elements to check.
        scrolls: A selector of elements that may be wider, because they have their own scroll bar.
    """
    return list(panel.evaluate(_CUT, [inside, scrolls]))


def clipboard(page: Page) -> str:
    """Return the text in the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return str(page.evaluate("navigator.clipboard.readText()"))


def stop_once_begun(place: Locator) -> None:
    """Press Stop after the kernel has begun to answer; a request that is stopped earlier has no results."""
    stop = place.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    expect(place.get_by_text("Waiting for the kernel.")).to_have_count(0)
    stop.click()
