/** Keeps the keyboard focus in a part of the page whose controls are replaced: on the slider, or the first button. */
import * as React from 'react';

/**
 * @param state The state that replaces the controls.
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
    // The focused control is gone, and no other control has the focus.
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
