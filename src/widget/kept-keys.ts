/**
 * Keeps key events in the widget: in the notebook around the widget, letters are commands, such as D D (delete cell).
 */

/** Matches the keys that the notebook also receives: Escape and Tab, which leave the widget, and the function keys. */
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
