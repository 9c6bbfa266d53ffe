/** Lets the Tab key reach a row of controls only once; arrow keys move between the controls. */
import * as React from 'react';

/** The attribute that marks the controls between which the arrow keys move. */
export const STOP = 'data-jaxpr-stop';

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  Home: () => 0,
  End: (_, last) => last
};

/**
 * Returns the control to which a key moves the focus; undefined for other keys, or if the focus is outside of the row.
 */
export function stepped<Control extends Element>(
  key: string,
  row: readonly Control[],
  from: Element | null
): Control | undefined {
  const at = row.findIndex(control => control === from);
  return at < 0 ? undefined : row[STEPS[key]?.(at, row.length - 1) ?? -1];
}

/**
 * Returns the properties for the element of a row, and a function that returns the properties of a control by its
 * index.
 */
export function useRoving(start = 0): {
  row: {
    ref: React.RefObject<HTMLDivElement>;
    onKeyDown: (event: React.KeyboardEvent<HTMLElement>) => void;
    onFocus: (event: React.FocusEvent<HTMLElement>) => void;
  };
  stop: (place: number) => { tabIndex: number; [STOP]: string };
} {
  const [current, setCurrent] = React.useState(start);
  const row = React.useRef<HTMLDivElement>(null);
  const stops = (): HTMLElement[] => [
    ...(row.current?.querySelectorAll<HTMLElement>(`[${STOP}]`) ?? [])
  ];
  // A presentation hides controls, so the control that Tab reaches must be one that is displayed.
  React.useEffect(() => {
    const controls = stops();
    if (current in controls && !isDisplayed(controls[current])) {
      setCurrent(Math.max(controls.findIndex(isDisplayed), 0));
    }
  });
  return {
    row: {
      ref: row,
      onKeyDown: event => {
        const next = stepped(
          event.key,
          stops().filter(isDisplayed),
          rootOf(event.currentTarget).activeElement
        );
        if (next) {
          event.preventDefault();
          next.focus();
        }
      },
      onFocus: event => {
        const at = stops().indexOf(event.target);
        if (at >= 0) {
          setCurrent(at);
        }
      }
    },
    stop: place => ({ tabIndex: place === current ? 0 : -1, [STOP]: '' })
  };
}

function isDisplayed(control: HTMLElement): boolean {
  // Browsers without checkVisibility only offer the computed style.
  return (
    control.checkVisibility?.() ?? getComputedStyle(control).display !== 'none'
  );
}

/** Returns the document, or the shadow tree, that contains an element. */
function rootOf(element: Element): Document | ShadowRoot {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}
