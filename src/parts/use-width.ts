/** Gives a component the present width of its element, in pixels. */
import * as React from 'react';

/** The width that is assumed before the first measurement: that in a panel of 360 pixels. */
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
      // A hidden view has the width 0; then the last width is kept.
      if (node.clientWidth > 0) {
        setWidth(node.clientWidth);
      }
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
