/** Draws a React element into the page, for tests to read. */
import * as React from 'react';
import { act } from 'react';
import { createRoot } from 'react-dom/client';

(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = true;

// jsdom computes no layout and lacks this method.
Element.prototype.scrollIntoView = () => undefined;

export { act };

/** Draws an element and returns its node; `redraw` draws it anew. */
export function render(element: JSX.Element): {
  node: HTMLElement;
  redraw: (element: JSX.Element) => void;
} {
  const node = document.createElement('div');
  document.body.append(node);
  const root = createRoot(node);
  const redraw = (element: JSX.Element): void =>
    act(() => root.render(<React.StrictMode>{element}</React.StrictMode>));
  redraw(element);
  return { node, redraw };
}

/** The text that a reader sees, with single spaces. */
export function words(node: Element | null): string {
  return (node?.textContent ?? '')
    .replace(/\u00a0/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export function press(node: Element | null, key: string): void {
  act(() => {
    node?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    );
  });
}

export function click(node: Element | null): void {
  act(() => {
    (node as HTMLElement | null)?.click();
  });
}

/** Finds elements by role and, if given, by accessible name. */
export function byRole(
  node: Element,
  role: string,
  name?: string
): HTMLElement[] {
  const implied: Record<string, string> = {
    button: 'button:not([role]), [role=button]'
  };
  return [
    ...node.querySelectorAll<HTMLElement>(implied[role] ?? `[role=${role}]`)
  ].filter(
    one =>
      name === undefined ||
      (one.getAttribute('aria-label') ?? words(one)) === name
  );
}
