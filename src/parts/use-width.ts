/** Gives a component the width in pixels of its element. */
import * as React from 'react';

/** The width before the first measurement: the width in a panel of 360 pixels. */
const USUAL = 336;

export function useWidth(): [React.RefObject<HTMLDivElement>, number] {
  const place = React.useRef<HTMLDivElement>(null);
  const [width, setWidth] = React.useState(USUAL);
  React.useLayoutEffect(() => {
    const node = place.current;
    if (node === null || typeof ResizeObserver === 'undefined') {
      return;
    }
    const observer = new ResizeObserver(() => {
      // A hidden view has no width, so the last width stays.
      if (node.clientWidth > 0) {
        setWidth(node.clientWidth);
      }
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
