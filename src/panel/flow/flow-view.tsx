/**
 * The Flow view: a nested card for each control-flow construct of the program, and the page that helps to choose a
 * construct.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ScreenState } from '../../model/screen-state';
import { IJaxprModel } from '../../tokens';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { Acts } from './card-actions';
import { Card } from './card';
import { Choosing } from './decision-table';
import { ICard, Reading, readingOf } from './cards-of-program';
import { useStepping } from './stepper';
import { cardName, choiceWords, isNamed } from './words';

/** Draws the Flow view, and draws it again when the runs, the program in view or the selection change. */
export class FlowView extends VisibilityReportingWidget {
  /** @param _openProgram Shows the Program view. */
  constructor(
    private _trans: TranslationBundle,
    private _openProgram: () => void
  ) {
    super(['snapshots', 'program', 'hover', 'selection']);
    this.addClass('jp-JaxprFlow');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    return model === null ? null : (
      <Flow model={model} openProgram={this._openProgram} trans={this._trans} />
    );
  }

  /** While this view is on screen, the notebook's cells mark the lines that are linked to the program. */
  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    screenState.flowInView = isSeen && (this.model?.program ?? -1) >= 0;
  }
}

/** If a program has more cards than this, all cards start folded. */
const MANY = 20;
/** If a program has at most this many cards, inner cards start open too. */
const FEW = 3;

export function Flow(props: {
  model: IJaxprModel;
  openProgram: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, trans } = props;
  const { snapshot, program } = model;
  if (snapshot === null || program < 0) {
    return null;
  }
  return (
    <Cards
      key={`${snapshot.id} ${program}`}
      {...props}
      reading={readingOf(snapshot, program)}
      trans={trans}
    />
  );
}

function Cards(props: {
  model: IJaxprModel;
  openProgram: () => void;
  reading: Reading;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, reading, openProgram, trans } = props;
  const place = React.useRef<HTMLDivElement>(null);
  const [folds, setFolds] = React.useState<ReadonlyMap<number, boolean>>(
    new Map()
  );
  /** The card from which the user opened the page of choices; -1 for none, null while the page is closed. */
  const [choosing, setChoosing] = React.useState<number | null>(null);
  /** The card that gets the keyboard focus when the cards are shown again. */
  const [left, setLeft] = React.useState<number | null>(null);
  const acts = React.useMemo(
    () => new Acts(model, reading, openProgram),
    [model, reading, openProgram]
  );
  const linked = reading.links.resolve(model.hover ?? model.selection);
  const { selection } = model;

  const stepping = useStepping(model);
  const stepped = new Set(
    reading.all
      .filter(({ index }) => stepping.isInUse(reading.snapshot, index))
      .flatMap(({ index }) => withAncestors(reading, index))
  );
  const isOpen = (index: number): boolean =>
    folds.get(index) ?? (stepped.has(index) || startsOpen(reading, index));
  React.useEffect(() => {
    if (selection !== null && !acts.isOwn(selection)) {
      place.current
        ?.querySelector('[data-marked] > .jp-JaxprFlow-head')
        ?.scrollIntoView({ block: 'nearest' });
    }
  }, [selection, acts]);
  React.useEffect(() => {
    if (choosing === null && left !== null) {
      place.current
        ?.querySelector<HTMLElement>(`[data-choosing="${left}"]`)
        ?.focus();
      setLeft(null);
    }
  }, [choosing, left]);

  if (choosing !== null) {
    const of = reading.all.find(card => card.index === choosing)?.control;
    return (
      <Choosing
        of={
          of
            ? {
                name: cardName(reading, of, trans),
                choice: of.choice,
                reason: of.choice_reason
              }
            : null
        }
        back={() => {
          setLeft(choosing);
          setChoosing(null);
        }}
        trans={trans}
      />
    );
  }
  if (reading.cards.length === 0) {
    return (
      <div ref={place} className="jp-JaxprPanel-empty">
        <h2>{trans.__('This program has no control flow')}</h2>
        <p>
          {trans.__(
            'A jaxpr holds no loops and branches of Python: tracing unrolls each loop and follows one side of each branch. This view shows the loops and branches that you write with jax.lax.'
          )}
        </p>
        <p className="jp-JaxprFlow-more">
          <button
            className="jp-JaxprPanel-button"
            data-choosing={-1}
            onClick={() => setChoosing(-1)}
          >
            {choiceWords(trans)}
          </button>
        </p>
      </div>
    );
  }
  const foldAll = (open: boolean): void =>
    setFolds(new Map(reading.all.map(({ index }) => [index, open])));
  return (
    <div ref={place}>
      {reading.all.length > 1 && (
        <div
          className="jp-JaxprFlow-tools"
          role="group"
          aria-label={trans.__('Cards of the constructs')}
        >
          <span className="jp-JaxprPanel-small">
            {trans._n('%1 card', '%1 cards', reading.all.length)}
          </span>
          <button className="jp-JaxprPanel-link" onClick={() => foldAll(true)}>
            {trans.__('Unfold all')}
          </button>
          <button className="jp-JaxprPanel-link" onClick={() => foldAll(false)}>
            {trans.__('Fold all')}
          </button>
        </div>
      )}
      <ul
        className="jp-JaxprFlow-cards jp-mod-top"
        aria-label={trans.__('Control flow')}
      >
        {reading.cards.map((card: ICard) => (
          <Card
            key={card.index}
            model={model}
            reading={reading}
            card={card}
            isOpen={isOpen}
            fold={(index, open) => setFolds(new Map(folds).set(index, open))}
            linked={linked}
            acts={acts}
            choosing={setChoosing}
            trans={trans}
          />
        ))}
      </ul>
    </div>
  );
}

/** The index of a card, and the indices of the cards around it. */
function withAncestors({ snapshot }: Reading, index: number): number[] {
  const around: number[] = [];
  for (
    let at = index;
    at >= 0 && !around.includes(at);
    at = snapshot.control_flow?.[at]?.parent ?? -1
  ) {
    around.push(at);
  }
  return around;
}

/** A long list starts with all cards folded; in a short list the outer cards start open. */
function startsOpen({ all }: Reading, index: number): boolean {
  const card = all.find(candidate => candidate.index === index);
  if (!card || all.length > MANY) {
    return false;
  }
  // A scope that is only a name starts open if it has cards inside.
  return isNamed(card.control)
    ? card.children.length > 0
    : card.level === 0 || all.length <= FEW;
}
