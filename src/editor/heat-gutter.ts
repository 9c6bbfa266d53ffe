/**
 * Draws a column of bars before a cell's text: the cost of each line. The bars move with the text.
 *
 * An editor with a gutter looks different, so an editor without costs gets no column.
 */
import {
  Compartment,
  Extension,
  Range,
  RangeSet,
  StateEffect,
  StateField
} from '@codemirror/state';
import { EditorView, GutterMarker, gutter } from '@codemirror/view';

import { ILineHeat } from '../parts/drawn-marks';
import { PresentPlaces, redrawn } from '../parts/present-places';

const place = new Compartment();

const setBars = StateEffect.define<readonly ILineHeat[]>();

interface IBars {
  heat: readonly ILineHeat[];
  drawn: RangeSet<GutterMarker>;
}

const bars = StateField.define<IBars>({
  create: () => ({ heat: [], drawn: RangeSet.empty }),
  update(shown, transaction) {
    let { heat } = shown;
    for (const effect of transaction.effects) {
      if (effect.is(setBars)) {
        heat = effect.value;
      }
    }
    const isNew = heat !== shown.heat;
    if (!isNew && (!transaction.docChanged || heat.length === 0)) {
      return shown;
    }
    const places = new PresentPlaces(transaction.state);
    const { edited } = places;
    return isNew || edited === null
      ? { heat, drawn: drawn(places, heat) }
      : {
          heat,
          drawn: redrawn(shown.drawn, transaction.changes, edited, line =>
            heat
              .filter(lineHeat => lineHeat.line === line)
              .flatMap(lineHeat => drawBar(places, lineHeat))
          )
        };
  }
});

/** The extension that lets an editor show heat; every editor of a cell has this extension. */
export const heatGutter: Extension = [bars, place.of([])];

/** The effects that make an editor show the heat of the given lines, as bars. */
export function setHeat(
  view: EditorView,
  heat: readonly ILineHeat[]
): StateEffect<unknown>[] {
  const isShown = view.state.field(bars).heat.length > 0;
  if (heat.length === 0 && !isShown) {
    return [];
  }
  const effects: StateEffect<unknown>[] = [setBars.of(heat)];
  if (heat.length > 0 !== isShown) {
    effects.push(place.reconfigure(heat.length > 0 ? column : []));
  }
  return effects;
}

/** A bar whose length is the line's share of the cost; the share is printed at the end of the line. */
class HeatBar extends GutterMarker {
  constructor(
    private _heat: ILineHeat,
    private _isChanged: boolean
  ) {
    super();
  }

  override eq(other: HeatBar): boolean {
    return (
      other._heat.share === this._heat.share &&
      other._heat.title === this._heat.title &&
      other._isChanged === this._isChanged
    );
  }

  override toDOM(): HTMLElement {
    const { share, title } = this._heat;
    const bar = document.createElement('span');
    bar.className = 'jp-JaxprCell-heatBar';
    bar.classList.toggle('jp-mod-changed', this._isChanged);
    bar.title = title;
    bar.dataset.share = share.toFixed(3);
    bar.style.width = `${100 * share}%`;
    return bar;
  }
}

const column = gutter({
  class: 'jp-JaxprCell-heat',
  markers: view => view.state.field(bars).drawn
});

/** Makes the bars in the gutter of a cell: one for each line with a cost. */
function drawn(
  places: PresentPlaces,
  heat: readonly ILineHeat[]
): RangeSet<GutterMarker> {
  return RangeSet.of(
    heat.flatMap(lineHeat => drawBar(places, lineHeat)),
    true
  );
}

/** The bar of a line; null if nothing of the line that ran is left. */
function drawBar(
  places: PresentPlaces,
  heat: ILineHeat
): Range<GutterMarker>[] {
  const at = places.line(heat.line);
  return at === null
    ? []
    : [new HeatBar(heat, at.isChanged).range(at.line.from)];
}
