/** The head of a card: the construct, where it is, its cost. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Control } from '../../protocol/snapshot';
import { Icon } from '../../parts/icons';
import { whereOf } from '../../workbench/words/describe';
import { equations, shortened } from '../../parts/summary';
import { IJaxprModel } from '../../tokens';
import { Acts } from './card-actions';
import { ICard, Reading } from './cards-of-program';
import { useStepping } from './stepper';
import {
  cardName,
  costWords,
  isBranch,
  isNamed,
  otherPrimitive,
  passWords,
  predicateWords,
  titleOf,
  stepsWords
} from './words';

/** Longer names and expressions of the user are shortened in the head of a card. */
const LONGEST = 80;

interface IHeadProps {
  model: IJaxprModel;
  reading: Reading;
  card: ICard;
  acts: Acts;
  trans: TranslationBundle;
}

export function Head(
  props: IHeadProps & {
    /** The id of the element that the head unfolds. */
    id: string;
    open: boolean;
    fold: (index: number, open: boolean) => void;
  }
): JSX.Element {
  const { reading, card, fold, trans, open } = props;
  const { control, index } = card;
  const name = cardName(reading, control, trans);
  const title = titleOf(control);
  const recorded = useStepping(props.model).stepsRecorded(
    reading.snapshot,
    index
  );
  const cost = [
    stepsWords(control, recorded, trans),
    costWords(control, trans)
  ].filter(words => words !== null);
  if (isBranch(control)) {
    cost.unshift(trans._n('%1 branch', '%1 branches', control.branches.length));
  }
  return (
    <>
      <button
        className={
          open ? 'jp-JaxprFlow-fold' : 'jp-JaxprFlow-fold jp-mod-closed'
        }
        aria-expanded={open}
        aria-controls={open ? props.id : undefined}
        aria-label={name}
        title={open ? trans.__('Fold the card') : trans.__('Unfold the card')}
        onClick={event => {
          event.stopPropagation();
          fold(index, !open);
        }}
      >
        <Icon name="caret" />
      </button>
      <div className="jp-JaxprFlow-what">
        <b>{control.kind}</b>
        {title !== '' && ' '}
        {title !== '' && <code>{shortened(title, LONGEST)}</code>}{' '}
        <span className="jp-JaxprPanel-small">
          <About {...props} />
        </span>
      </div>
      {cost.length > 0 && (
        <div className="jp-JaxprFlow-cost">{cost.join(' · ')}</div>
      )}
    </>
  );
}

/** The facts below the title of a card, such as the place and the predicate: `line 7, predicate x > 0`. */
function About(props: IHeadProps & { open: boolean }): JSX.Element {
  const { reading, card, acts, trans, open } = props;
  const { control } = card;
  const span = reading.span(control.frame);
  const own = reading.equationsOf(control);
  const parts: React.ReactNode[] = [];
  let link: JSX.Element | null = null;
  if (span === null) {
    parts.push(
      control.library === null
        ? trans.__('source line unknown')
        : trans.__(
            'called by the library function %1',
            shortened(control.library, LONGEST)
          )
    );
  } else {
    const where = whereOf(reading.links, span, trans);
    if (acts.isInCell(span)) {
      link = (
        <button
          className="jp-JaxprPanel-link"
          title={trans.__('Go to this line')}
          onClick={event => {
            event.stopPropagation();
            acts.goToPlace(span, own);
          }}
        >
          {where}
        </button>
      );
    } else {
      parts.push(where);
    }
  }
  const primitive = otherPrimitive(control);
  if (primitive !== null) {
    parts.push(trans.__('primitive %1', primitive));
  }
  const pass = passWords(control, trans);
  if (pass !== null) {
    parts.push(pass);
  }
  if (card.level > 0 && control.parent_part !== '') {
    parts.push(partWords(control.parent_part, trans));
  }
  if (isNamed(control)) {
    const scope = reading.snapshot.scopes[control.body];
    if (scope) {
      parts.push(equations(scope.total, trans));
    }
  }
  const predicate = isBranch(control) ? predicateWords(reading, control) : null;
  if (predicate !== null) {
    parts.push(
      <>
        {control.kind === 'switch' ? trans.__('index') : trans.__('predicate')}{' '}
        <Predicate {...props} words={predicate} />
      </>
    );
  }
  // The drawing of an open card shows the condition, so only the head of a folded card names the condition.
  if (control.condition_text !== null && !open) {
    parts.push(
      <>
        {trans.__('condition')}{' '}
        <code>{shortened(control.condition_text, LONGEST)}</code>
      </>
    );
  }
  if (control.kind === 'fori_loop' && control.upper !== null) {
    parts.push(
      control.lower === null
        ? trans.__(
            'lower loop bound unknown, upper loop bound %1',
            control.upper
          )
        : trans.__('loop bounds %1 and %2', control.lower, control.upper)
    );
  }
  return (
    <>
      {/* The comma after a button stays on the same line as the button. */}
      {link !== null && (
        <span className="jp-JaxprFlow-link">
          {link}
          {parts.length > 0 && ','}
        </span>
      )}
      {link !== null && parts.length > 0 && ' '}
      {parts.map((part, i) => (
        <React.Fragment key={i}>
          {i > 0 && ', '}
          {part}
        </React.Fragment>
      ))}
    </>
  );
}

/** The predicate as the user wrote it; a click goes to the line that computes it. */
function Predicate(props: IHeadProps & { words: string }): JSX.Element {
  const { card, acts, words, trans } = props;
  const { control } = card;
  if (control.predicate_equation < 0) {
    return <code>{shortened(words, LONGEST)}</code>;
  }
  return (
    <button
      className="jp-JaxprPanel-link"
      title={trans.__('Go to the line that computes this value')}
      onClick={event => {
        event.stopPropagation();
        acts.goToSource([predicateOf(control)]);
      }}
    >
      <code>{shortened(words, LONGEST)}</code>
    </button>
  );
}

function predicateOf(control: Control): { scope: number; equation: number } {
  return { scope: control.scope, equation: control.predicate_equation };
}

function partWords(part: string, trans: TranslationBundle): string {
  switch (part) {
    case 'body':
      return trans.__('in the body of the outer construct');
    case 'condition':
      return trans.__('in the condition of the outer loop');
    default:
      return trans.__('in branch %1 of the outer construct', part);
  }
}
