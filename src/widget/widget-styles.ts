/** Gives an element of the widget its styles, and the colours of the page around the widget. */

/** The style sheets of ../../style/ and of the widget, put in by the build. */
declare const JAXPR_STYLES: string;

const dressed = new Set<HTMLElement>();
let watching: MutationObserver | null = null;

/** True if the page around the widget is dark. */
export function isDark(): boolean {
  const { body, documentElement: root } = document;
  const themeMarks = [body, root].flatMap(({ dataset, classList }) => [
    dataset.jpThemeLight === undefined ? '' : `light-${dataset.jpThemeLight}`, // JupyterLab, Notebook 7
    dataset.vscodeThemeKind ?? '', // VS Code
    dataset.theme ?? '', // marimo
    ...classList
  ]);
  themeMarks.push(root.getAttribute('theme') ?? ''); // Colab
  if (themeMarks.some(word => LIGHT.has(word))) {
    return false;
  }
  if (themeMarks.some(word => DARK.has(word))) {
    return true;
  }
  return matchMedia?.('(prefers-color-scheme: dark)').matches ?? false;
}

const LIGHT = new Set([
  'light-true',
  'vscode-light',
  'vscode-high-contrast-light',
  'light'
]);
const DARK = new Set([
  'light-false',
  'vscode-dark',
  'vscode-high-contrast',
  'dark',
  'dark-theme'
]);

/** Puts the styles into an element, and follows the page's colours until `undress`. */
export function dress(node: HTMLElement): void {
  node.classList.add('jp-JaxprWidget');
  const styles = document.createElement('style');
  styles.textContent = JAXPR_STYLES;
  node.prepend(styles);
  dressed.add(node);
  colour(node);
  if (watching === null) {
    watching = new MutationObserver(() => dressed.forEach(colour));
    for (const watched of [document.body, document.documentElement]) {
      watching.observe(watched, { attributes: true });
    }
    matchMedia?.('(prefers-color-scheme: dark)').addEventListener(
      'change',
      () => dressed.forEach(colour)
    );
  }
}

export function undress(node: HTMLElement): void {
  dressed.delete(node);
}

function colour(node: HTMLElement): void {
  const light = String(!isDark());
  // The views use the attributes of JupyterLab's theme; in a page without that theme, the widget sets these attributes.
  const isTheHostsOwn = document.body.dataset.jpThemeLight !== undefined;
  if (node.dataset.jpThemeLight !== light) {
    node.dataset.jpThemeLight = light;
  }
  node.classList.toggle('jp-mod-ownTheme', !isTheHostsOwn);
}
