/** Keeps keys from the notebook around the widget, where a letter is a command: D D deletes the cell. */

/** The keys by which the user leaves the widget, and those of the application. */
const OF_THE_PAGE = /^(Escape|Tab|F\d+)$/;

/** Keep the keys that are pressed in an element, except for those with Ctrl, Alt or Meta, Escape, Tab and Shift+Enter. */
export function keepKeys(node: HTMLElement): void {
  node.addEventListener('keydown', event => {
    const { key, shiftKey } = event;
    if (
      !(event.altKey || event.ctrlKey || event.metaKey) &&
      !OF_THE_PAGE.test(key) &&
      !(key === 'Enter' && shiftKey)
    ) {
      event.stopPropagation();
    }
  });
}
