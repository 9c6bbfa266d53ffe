/** Decorates the lines of a listing that are on screen, for example with numbers, tags, chips and buttons. */
import { Range } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  PluginValue,
  ViewUpdate,
  WidgetType
} from '@codemirror/view';

import type { IHeat } from '../../model/cost-shares';
import { shortened } from '../../parts/summary';
import { binderChips } from './binder-chips';
import { narrowChips } from './narrow-chips';
import { ChosenField, Life, lifeOf } from './chosen-variable';
import { closedBetween, foldsChanged } from './folding';
import { isGap } from './hidden-lines';
import { columnsOf } from './line-columns';
import { lineName } from './line-names';
import type { IListedLine, IListing } from './listing';
import {
  Chip,
  IListingHost,
  Marker,
  MoreButton,
  Reference,
  StepsButton,
  Tag
} from './listing-buttons';
import { marks, openChips, startsAt } from './listing-marks';

/** The tooltip of a chip shows at most this many characters of the text that the chip hides. */
const LONGEST_TOOLTIP = 1000;

/** The bar before a line; its length is the line's share of the program's cost. */
class HeatBar extends WidgetType {
  constructor(private _heat: IHeat) {
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
    const node = document.createElement('span');
    node.className = 'jp-JaxprProgram-heat';
    node.setAttribute('role', 'img');
    node.setAttribute('aria-label', title);
    node.title = title;
    node.style.setProperty('--jjx-share', share.toFixed(3));
    return node;
  }
}

/**
 * The mark before a line that shows whether the line binds or reads the chosen variable, or the variable is alive
 * there.
 */
class Rail extends WidgetType {
  constructor(private _life: Life) {
    super();
  }

  override eq(other: Rail): boolean {
    return other._life === this._life;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = `jp-JaxprProgram-rail jp-mod-${this._life}`;
    node.setAttribute('aria-hidden', 'true');
    return node;
  }
}

/** The decorations of the lines on screen. */
export class Display implements PluginValue {
  constructor(
    view: EditorView,
    private _owner: IListingHost,
    private _chosen: ChosenField
  ) {
    this.decorations = this._build(view);
  }

  decorations: DecorationSet;

  update(update: ViewUpdate): void {
    const { startState, state } = update;
    const before = startState.selection.main;
    const after = state.selection.main;
    if (
      update.docChanged ||
      update.viewportChanged ||
      update.geometryChanged ||
      foldsChanged(startState, state) ||
      startState.field(marks) !== state.field(marks) ||
      startState.field(this._chosen) !== state.field(this._chosen) ||
      startState.field(openChips) !== state.field(openChips) ||
      before.head !== after.head ||
      before.anchor !== after.anchor
    ) {
      this.decorations = this._build(update.view);
    }
  }

  private _build(view: EditorView): DecorationSet {
    const { doc } = view.state;
    const { listing, trans } = this._owner;
    const ranges: Range<Decoration>[] = [];
    const { lines: linked, variables } = view.state.field(marks);
    const { main } = view.state.selection;
    const { head, anchor } = main;
    const chosen = doc.lineAt(head).number - 1;
    const variable = view.state.field(this._chosen);
    for (const block of view.viewportLineBlocks) {
      if (isGap(block)) {
        continue;
      }
      const line = doc.lineAt(block.from);
      const index = line.number - 1;
      const last = doc.lineAt(block.to).number - 1;
      const isLinked = firstBetween(linked, index, last) !== null;
      const shown = withBadge(listing, linked, index, last);
      const isMore = shown.button !== null;
      const life = variable && lifeOf(variable.range, index, last);
      ranges.push(
        lineDecoration(
          shown,
          isLinked,
          chosen === index,
          life,
          lineName(shown, line.text, listing.level, trans)
        ).range(line.from)
      );
      if (life) {
        ranges.push(
          Decoration.widget({ widget: new Rail(life), side: -1 }).range(
            line.from
          )
        );
      }
      const folds = this._owner.foldsAt(index);
      const closed = closedBetween(view.state, line.from, line.to).filter(
        ({ fold }) => fold.first === index
      );
      if (folds.length > 0) {
        const [outer] = closed;
        const fold = outer?.fold ?? folds[0];
        const isClosed = outer !== undefined;
        const title = isClosed
          ? trans.__('Unfold %1', fold.label)
          : trans.__('Fold %1', fold.label);
        ranges.push(
          Decoration.widget({
            widget: new Marker(fold, isClosed, title),
            side: -1
          }).range(line.from)
        );
      }
      const isWhole = closed.some(({ fold }) => fold.whole);
      const heat = listing.heat(index, isWhole ? last : index);
      if (heat !== null) {
        ranges.push(
          Decoration.widget({ widget: new HeatBar(heat), side: -1 }).range(
            line.from
          )
        );
      }
      if (isWhole) {
        continue;
      }
      if (isMore) {
        // The call is deferred, because the editor is in the middle of an update.
        queueMicrotask(() => this._owner.more(index));
        ranges.push(
          Decoration.replace({
            widget: new MoreButton(shown.button as string)
          }).range(line.from, line.to)
        );
        continue;
      }
      for (const part of shown.parts) {
        const used =
          part.variable !== undefined &&
          (variables.has(part.variable) ||
            part.variable === variable?.place.key);
        if (part.className === '' && !used) {
          continue;
        }
        ranges.push(
          Decoration.mark({
            class: used ? 'jp-JaxprProgram-used' : part.className
          }).range(line.from + part.from, line.from + part.to)
        );
      }
      const chips = shown.binders
        ? binderChips(
            shown,
            line.length,
            columnsOf(view, shown.depth, shown.badge?.text)?.further ?? null,
            trans
          )
        : narrowChips(
            shown,
            line.length,
            columnsOf(view, shown.depth, shown.badge?.text)
          );
      const open =
        startsAt(view.state.field(openChips), line.from) ||
        chips.some(chip => {
          const [from, to] = [line.from + chip.from, line.from + chip.to];
          return (
            (head > from && head < to) ||
            (anchor > from && anchor < to) ||
            // A search selects its match, which may be exactly the text behind a chip: then the chip opens.
            (main.from < main.to && main.from >= from && main.to <= to)
          );
        });
      for (const chip of open ? [] : chips) {
        const { label } = chip;
        const name = trans.__('%1: show all', label);
        const hidden = shortened(
          line.text.slice(chip.from, chip.to).trim(),
          LONGEST_TOOLTIP
        );
        ranges.push(
          Decoration.replace(
            label ? { widget: new Chip(label, name, hidden) } : {}
          ).range(line.from + chip.from, line.from + chip.to)
        );
        for (const [from, to] of chip.also ?? []) {
          ranges.push(
            Decoration.replace({}).range(line.from + from, line.from + to)
          );
        }
      }
      for (const tag of shown.tags ?? []) {
        const at = line.from + tag.at;
        const isCut =
          !open && chips.some(({ from, to }) => from < tag.at && tag.at <= to);
        if (!isCut) {
          ranges.push(
            Decoration.widget({ widget: new Tag(tag), side: 1 }).range(at)
          );
        }
      }
      const construct = this._owner.constructAt(index);
      if (construct !== null) {
        const title = trans.__(
          'Record the steps of %1 and show the values of each step',
          construct.name
        );
        ranges.push(
          Decoration.widget({
            widget: new StepsButton(construct, trans.__('steps'), title),
            side: 1
          }).range(line.to)
        );
      }
      if (shown.reference) {
        ranges.push(
          Decoration.widget({
            widget: new Reference(shown.reference),
            side: 1
          }).range(line.to)
        );
      }
    }
    return Decoration.set(ranges, true);
  }
}

/** The line, with the badge of a linked line that is folded into it. */
function withBadge(
  listing: IListing,
  linked: readonly number[],
  index: number,
  last: number
): IListedLine {
  const line = listing.line(index);
  if (line.badge || last === index) {
    return line;
  }
  const inside = firstBetween(linked, index, last);
  return inside === null
    ? line
    : { ...line, badge: listing.line(inside).badge };
}

function lineDecoration(
  line: IListedLine,
  linked: boolean,
  chosen: boolean,
  life: Life | null,
  name: string | null
): Decoration {
  const { badge } = line;
  const attributes: Record<string, string> = {
    ...(name === null ? {} : { role: 'group', 'aria-label': name }),
    style: `--jjx-depth: ${line.depth}; --jjx-badge: ${badge?.text.length ?? 0}`,
    'data-kind': line.kind,
    'data-number': line.number
  };
  if (badge) {
    attributes['data-cell-line'] = badge.text;
    attributes['data-badge'] = badge.kind;
  }
  if (linked) {
    attributes['data-linked'] = 'true';
  }
  if (life !== null) {
    attributes['data-life'] = life;
  }
  return Decoration.line({
    class: chosen
      ? 'jp-JaxprProgram-line jp-JaxprProgram-current'
      : 'jp-JaxprProgram-line',
    attributes
  });
}

/** The first member of an ascending list between first and last; null if there is none. */
export function firstBetween(
  list: readonly number[],
  first: number,
  last: number
): number | null {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < list.length && list[low] <= last ? list[low] : null;
}
