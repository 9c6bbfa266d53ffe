/** The card of a construct: head, drawing, types, stepper, programs, and the cards of the constructs inside. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ILinked } from '../../model/links';
import { IJaxprModel } from '../../tokens';
import { Icon } from '../../parts/icons';
import { shortened } from '../../parts/summary';
import { Acts } from './card-actions';
import { Branches } from './branches';
import { Head } from './card-head';
import { Diagram } from './diagram';
import { ICard, Reading } from './cards-of-program';
import { Slots } from './values-table';
import { SmallProgram } from './small-program';
import { Stepper, useStepping } from './stepper';
import { cardName, choiceWords, isBranch, isNamed } from './words';

export interface ICardProps {
  model: IJaxprModel;
  reading: Reading;
  card: ICard;
  /** Returns true if the card with an index is unfolded. */
  isOpen: (index: number) => boolean;
  fold: (index: number, open: boolean) => void;
  linked: ILinked;
  acts: Acts;
  choosing: (index: number) => void;
  trans: TranslationBundle;
}

export function Card(props: ICardProps): JSX.Element {
  const { reading, card, acts, linked } = props;
  const { control, index } = card;
  const id = React.useId();
  const open = props.isOpen(index);
  // If a linked construct is inside of a folded card, that card is marked instead.
  const marked =
    reading.isLinked(control, linked) || (!open && holdsLinked(props));
  return (
    <li
      className={
        isNamed(control)
          ? 'jp-JaxprFlow-card jp-mod-named'
          : 'jp-JaxprFlow-card'
      }
      data-kind={control.kind}
      data-card={index}
      data-marked={marked ? 'true' : undefined}
    >
      <div
        className="jp-JaxprFlow-head"
        onClick={() => acts.select(reading.equationsOf(control))}
        onMouseEnter={() => acts.hover(reading.equationsOf(control))}
        onMouseLeave={() => acts.hover(null)}
      >
        <Head {...props} id={id} open={open} />
      </div>
      {open && (
        <div
          id={id}
          className="jp-JaxprFlow-content"
          role="group"
          aria-label={cardName(reading, control, props.trans)}
        >
          <Content {...props} />
        </div>
      )}
    </li>
  );
}

function holdsLinked({ reading, card, linked }: ICardProps): boolean {
  const look = (ancestor: ICard): boolean =>
    ancestor.children.some(
      child => reading.isLinked(child.control, linked) || look(child)
    );
  return linked.equations.size > 0 && look(card);
}

function Content(props: ICardProps): JSX.Element {
  const { model, reading, card, linked, acts, trans } = props;
  const { control, index } = card;
  const shared = { reading, linked, acts, trans };
  const name = cardName(reading, control, trans);
  // The values of a step are directly below the drawing, so that both are visible together; the types follow.
  const isRecorded =
    useStepping(model).recordingOf(reading.snapshot, index) !== null;
  const predicate =
    isBranch(control) && control.predicate_equation >= 0
      ? reading.rowOf(control.scope, control.predicate_equation)
      : undefined;
  // A construct without an inner program shows its equations.
  const ownRows =
    control.body < 0 && control.branches.every(({ scope }) => scope < 0)
      ? reading.ownRows(control)
      : [];
  const facts = (
    <React.Fragment key="said">
      {control.facts.length > 0 && (
        <div className="jp-JaxprFlow-facts">
          {control.facts.map(fact => (
            <p key={fact}>{shortened(fact, 1000)}</p>
          ))}
        </div>
      )}
      {control.effects.length > 0 && (
        <p className="jp-JaxprPanel-small">
          {trans.__(
            'The construct has effects: %1.',
            shortened(control.effects.join(', '), 200)
          )}
        </p>
      )}
    </React.Fragment>
  );
  const types = <Slots reading={reading} control={control} trans={trans} />;
  const branches = control.branches.some(({ scope }) => scope >= 0) && (
    <Branches
      key="branches"
      {...shared}
      model={model}
      index={index}
      control={control}
    />
  );
  // The key makes React keep the element, and the keyboard focus in it, when the stepper moves within the card.
  const stepper = (
    <Stepper
      key="stepper"
      model={model}
      card={control}
      index={index}
      trans={trans}
    />
  );
  return (
    <>
      {isNamed(control) ? (
        facts
      ) : (
        <div
          className={
            isRecorded
              ? 'jp-JaxprFlow-first jp-mod-recorded'
              : 'jp-JaxprFlow-first'
          }
        >
          <Diagram reading={reading} card={card} trans={trans} />
          {isRecorded
            ? [
                stepper,
                branches,
                facts,
                control.slots.length > 0 && (
                  <Part
                    key="types"
                    label={trans.__('Types of the values')}
                    open={false}
                  >
                    {types}
                  </Part>
                )
              ]
            : [
                branches,
                <React.Fragment key="types">{types}</React.Fragment>,
                facts,
                stepper
              ]}
        </div>
      )}
      {predicate !== undefined && (
        <Part label={trans.__('Equation that decides the branch')} open={false}>
          <SmallProgram
            {...shared}
            rows={[predicate]}
            label={trans.__('Equation of the predicate of %1', name)}
          />
        </Part>
      )}
      {control.condition >= 0 && (
        <Part label={trans.__('Condition')} open>
          <SmallProgram
            {...shared}
            rows={reading.rowsOf(control.condition)}
            label={trans.__('Condition of %1', name)}
          />
        </Part>
      )}
      {control.body >= 0 && !isBranch(control) && (
        <Part
          label={
            isNamed(control)
              ? trans.__('Program')
              : trans.__('Program of one step')
          }
          open={!isNamed(control)}
        >
          <SmallProgram
            {...shared}
            rows={reading.rowsOf(control.body)}
            label={trans.__('Program of %1', name)}
          />
        </Part>
      )}
      {ownRows.length > 0 && (
        <Part label={trans.__('Equations')} open>
          <SmallProgram
            {...shared}
            rows={ownRows}
            label={trans.__('Equations of %1', name)}
          />
        </Part>
      )}
      {!isNamed(control) && (
        <p className="jp-JaxprFlow-more">
          <button
            className="jp-JaxprPanel-link"
            data-choosing={index}
            onClick={() => props.choosing(index)}
          >
            {choiceWords(trans)}
          </button>
          <button
            className="jp-JaxprPanel-link"
            title={trans.__('Show the equation in the whole program')}
            onClick={() => acts.showInProgram(reading.equationsOf(control))}
          >
            {trans.__('Show equation in Program')}
          </button>
        </p>
      )}
      {card.children.length > 0 && (
        <ul
          className="jp-JaxprFlow-cards"
          aria-label={trans.__('Constructs inside %1', name)}
        >
          {card.children.map(child => (
            <Card key={child.index} {...props} card={child} />
          ))}
        </ul>
      )}
    </>
  );
}

/** A titled part of a card, such as the body, which the user can fold. */
function Part(props: {
  label: string;
  open: boolean;
  children: React.ReactNode;
}): JSX.Element {
  const [open, setOpen] = React.useState(props.open);
  return (
    <div className="jp-JaxprFlow-part">
      <button
        className={
          open ? 'jp-JaxprFlow-fold' : 'jp-JaxprFlow-fold jp-mod-closed'
        }
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="caret" />
        {props.label}
      </button>
      {open && props.children}
    </div>
  );
}
