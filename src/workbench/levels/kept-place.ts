/** Saves the user's reading position in a text (scroll position and closed folds) whenever the position changes. */
import type { ITextPlace } from '../../model/reading-place';
import type { ListingView } from '../listing/listing-view';

/**
 * Call `keep` with the reading position of a view whenever the user scrolls, clicks or presses a key.
 *
 * @param node The element around the view.
 * @param isShown Whether the view is on screen.
 * @param signal When it is aborted, `keep` is not called any more.
 */
export function keepPlace(
  view: ListingView,
  node: HTMLElement,
  isShown: () => boolean,
  keep: (place: ITextPlace) => void,
  signal: AbortSignal
): void {
  // A click or a key may close a fold; its lines are hidden only after the event.
  const later = (): void => {
    requestAnimationFrame(() => {
      if (isShown()) {
        keep(view.place);
      }
    });
  };
  const options = { signal };
  view.view.scrollDOM.addEventListener('scroll', later, options);
  // The browser sends no click if the button of a fold is redrawn under the mouse: listen for pointerup.
  node.addEventListener('pointerup', later, options);
  node.addEventListener('keyup', later, options);
}
