/** Keeps the keyboard's focus in a part of the page whose controls are replaced: on the slider, or the first button. */
import * as React from 'react';

/**
 * @param state What the controls are replaced with.
 * @returns The ref and the listeners of the part.
 */
export function useKeptFocus(state: string): {
  ref: React.RefObject<HTMLElement>;
  onFocus: () => void;
  onBlur: (event: React.FocusEvent) => void;
} {
  const ref = React.useRef<HTMLElement>(null);
  const isHere = React.useRef(false);
  React.useEffect(() => {
    // The control that had it is gone, and nothing else has taken it.
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
