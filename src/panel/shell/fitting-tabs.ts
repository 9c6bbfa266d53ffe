/** Chooses the tabs that fit into the row. */
import * as React from 'react';

/** While a row has this class, all its tabs are laid out, so that their widths can be measured. */
const MEASURED = 'jp-mod-measured';

/**
 * The indices of the tabs that stand in the row, in order; the other tabs are in a menu.
 * @param widths The width of each tab.
 * @param row The width of the row.
 * @param menu The width of the button that opens the menu.
 * @param kept The index of a tab that stands in the row in any case, even if it is one of the last.
 */
export function fitting(
  widths: readonly number[],
  row: number,
  menu: number,
  kept: number
): number[] {
  const all = widths.map((_, place) => place);
  const sum = widths.reduce((total, width) => total + width, 0);
  if (sum <= row) {
    return all;
  }
  let left = row - menu - (widths[kept] ?? 0);
  const places: number[] = [];
  for (const place of all) {
    if (place !== kept && left < widths[place]) {
      break;
    }
    left -= place === kept ? 0 : widths[place];
    places.push(place);
  }
  return places.includes(kept) || kept < 0 ? places : [...places, kept];
}

/**
 * Fits the tabs whenever the width of a row changes.
 *
 * @param tabs The number of tabs.
 * @param kept As in `fitting`.
 * @param words A text that changes whenever a tab's width may change: the words and numbers of the tabs.
 * @returns The indices in the row; the ref of the row, whose children are the tabs; the ref of the menu's button.
 */
export function useFitting(
  tabs: number,
  kept: number,
  words: string
): {
  places: number[];
  row: React.RefObject<HTMLDivElement>;
  menu: React.RefObject<HTMLButtonElement>;
} {
  const row = React.useRef<HTMLDivElement>(null);
  const menu = React.useRef<HTMLButtonElement>(null);
  const [places, setPlaces] = React.useState<number[] | null>(null);
  React.useLayoutEffect(() => {
    const around = row.current?.parentElement;
    const measure = (): void => {
      // A hidden panel has no width, so the last result stays.
      if (!around || !row.current || around.clientWidth === 0) {
        return;
      }
      around.classList.add(MEASURED);
      const style = getComputedStyle(around);
      const room =
        around.clientWidth -
        parseFloat(style.paddingLeft) -
        parseFloat(style.paddingRight);
      const widths = [...row.current.children].map(
        tab => tab.getBoundingClientRect().width
      );
      const button = menu.current?.getBoundingClientRect().width ?? 0;
      around.classList.remove(MEASURED);
      const now = fitting(widths, room, button, kept);
      setPlaces(before => (before?.join() === now.join() ? before : now));
    };
    measure();
    if (!around || typeof ResizeObserver === 'undefined') {
      return;
    }
    const observer = new ResizeObserver(measure);
    observer.observe(around);
    return () => observer.disconnect();
  }, [tabs, kept, words]);
  const valid = places?.every(place => place < tabs) ? places : null;
  return {
    places: valid ?? Array.from({ length: tabs }, (_, place) => place),
    row,
    menu
  };
}
