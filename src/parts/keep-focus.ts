/**
 * Keeps the keyboard focus inside a part of the page when its controls are replaced: the focus goes to the slider, or
 * else to the first button.
 */
import * as React from 'react';

/**
 * @param state When this value changes, the controls are replaced. @returns The ref and the event listeners for the part.
 */
export function useKeptFocus(state: string): {
  ref: React.RefObject<HTMLElement>;
  onFocus: () => void;
  onBlur: (event: React.FocusEvent) => void;
} {
  const ref = React.useRef<HTMLElement>(null);
  const isHere = React.useRef(false);
  React.useEffect(() => {
    // The focused control was removed, and nothing else has the focus.
    const isLost =
      document.activeElement === null ||
      document.activeElement === document.body;
    if (isHere.current && isLost) {
      const control =
        ref.current?.querySelector<HTMLElement>('input[type=range]') ??
        ref.current?.querySelector<HTMLElement>('button');
      control?.focus({ preventScroll: true });
    }
  }, [state]);
  return {
    ref,
    onFocus: () => {
      isHere.current = true;
    },
    onBlur: ({ relatedTarget }) => {
      if (relatedTarget !== null) {
        isHere.current = ref.current?.contains(relatedTarget as Node) ?? false;
      }
    }
  };
}
