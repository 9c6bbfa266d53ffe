/**
 * Draws a column of bars before a cell's text: the cost of each line. The bars move with the text.
 *
 * The column is made only where there is something in it: an editor with a gutter looks different from one without.
 */
import {
  Compartment,
  EditorState,
  Extension,
  RangeSet,
  StateEffect,
  StateField
} from '@codemirror/state';
import { EditorView, GutterMarker, gutter } from '@codemirror/view';

import { ILineHeat } from '../parts/cell-marks';
import { MovedText, movedText } from '../parts/moved-text';

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
    return heat !== shown.heat || (transaction.docChanged && heat.length > 0)
      ? { heat, drawn: drawn(transaction.state, heat) }
      : shown;
  }
});

/** Belongs into every editor that may show heat. */
export const heatGutter: Extension = [bars, place.of([])];

/** What makes an editor show this heat, and no other. */
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

/** A bar as long as the line's part of the cost; the number stands at the end of the line. */
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

function drawn(
  state: EditorState,
  heat: readonly ILineHeat[]
): RangeSet<GutterMarker> {
  const moved = state.field(movedText, false) ?? null;
  const { doc } = state;
  const lineNow = (number: number): ReturnType<MovedText['line']> =>
    moved !== null
      ? moved.line(number)
      : number >= 1 && number <= doc.lines
        ? { line: doc.line(number), isChanged: false }
        : null;
  const markers = heat.flatMap(one => {
    const at = lineNow(one.line);
    return at === null
      ? []
      : [new HeatBar(one, at.isChanged).range(at.line.from)];
  });
  return RangeSet.of(markers, true);
}
