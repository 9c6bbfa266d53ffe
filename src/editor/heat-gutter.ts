/**
 * What the lines of a cell cost comes in; a column of bars before its text goes out, gone once the text changes.
 *
 * The column is made only where there is something in it: an editor with a gutter looks different from one without.
 */
import {
  Compartment,
  EditorState,
  Extension,
  RangeSet,
  StateEffect
} from '@codemirror/state';
import { EditorView, GutterMarker, gutter } from '@codemirror/view';

import { ILineHeat } from '../parts/cell-marks';

const place = new Compartment();

/** Belongs into every editor that may show heat. */
export const heatGutter: Extension = [
  place.of([]),
  EditorState.transactionExtender.of(transaction =>
    transaction.docChanged && isShown(transaction.startState)
      ? { effects: place.reconfigure([]) }
      : null
  )
];

/** What makes an editor show this heat, and no other. */
export function setHeat(
  view: EditorView,
  heat: readonly ILineHeat[]
): StateEffect<unknown>[] {
  return heat.length === 0 && !isShown(view.state)
    ? []
    : [place.reconfigure(column(view.state, heat))];
}

function isShown(state: EditorState): boolean {
  const shown = place.get(state);
  return !(Array.isArray(shown) && shown.length === 0);
}

/** A bar as long as the line's part of the cost; the number stands at the end of the line. */
class HeatBar extends GutterMarker {
  constructor(private _heat: ILineHeat) {
    super();
  }

  override eq(other: HeatBar): boolean {
    return (
      other._heat.share === this._heat.share &&
      other._heat.title === this._heat.title
    );
  }

  override toDOM(): HTMLElement {
    const { share, title } = this._heat;
    const bar = document.createElement('span');
    bar.className = 'jp-JaxprCell-heatBar';
    bar.title = title;
    bar.dataset.share = share.toFixed(3);
    bar.style.width = `${100 * share}%`;
    return bar;
  }
}

function column(state: EditorState, heat: readonly ILineHeat[]): Extension {
  const { doc } = state;
  const bars = heat
    .filter(({ line }) => line >= 1 && line <= doc.lines)
    .map(one => new HeatBar(one).range(doc.line(one.line).from));
  if (bars.length === 0) {
    return [];
  }
  const markers = RangeSet.of(bars, true);
  return gutter({ class: 'jp-JaxprCell-heat', markers: () => markers });
}
