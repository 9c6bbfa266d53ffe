/** Draws a line of a small program: coloured text, chips, folds, the line of the cell. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ILinked } from '../../model/links';
import { IPrintedRow, PartKind } from '../../program-text/row-printer';
import type { IFold, IRow } from '../../program-text/row';
import { IEquationRef } from '../../tokens';
import { badgeText, whereOf } from '../../workbench/words/describe';
import { Reading } from './cards-of-program';

/** A line: a row, and the rows that are folded into it. */
export interface ILine {
  row: IRow;
  /** The fold of this line; null if the line has none. */
  fold: IFold | null;
  closed: boolean;
}

export function Line(props: {
  id: string;
  line: ILine;
  depth: number;
  current: boolean;
  /** True if the parameters of the equation are shown. */
  open: boolean;
  reading: Reading;
  linked: ILinked;
  trans: TranslationBundle;
  onClick: () => void;
  onEnter: () => void;
  openChips: () => void;
  toggleFold: () => void;
}): JSX.Element {
  const { line, reading, linked, trans } = props;
  const { row, fold, closed } = line;
  const { links } = reading;
  const isLinked = equationsOf(line).some(({ scope, equation }) =>
    linked.equations.has(links.equations.id(scope, equation))
  );
  const origin =
    row.kind === 'equation' ? links.origin(row.scope, row.equation) : null;
  const span = origin && links.cellSpan(origin);
  const stop = (act: () => void) => (event: React.MouseEvent) => {
    event.stopPropagation();
    act();
  };
  const isCall = fold?.kind === 'call' && closed;
  return (
    <div
      id={props.id}
      role="option"
      aria-selected={isLinked}
      data-kind={row.kind}
      className={
        props.current ? 'jp-JaxprFlow-line jp-mod-current' : 'jp-JaxprFlow-line'
      }
      style={{ '--jjx-depth': Math.max(0, props.depth) } as React.CSSProperties}
      onClick={stop(props.onClick)}
      onMouseEnter={props.onEnter}
    >
      <span className="jp-JaxprFlow-code">
        {isCall ? (
          <Call
            fold={fold}
            reading={reading}
            unfold={stop(props.toggleFold)}
            trans={trans}
          />
        ) : (
          <Code
            printed={reading.printer.print(row)}
            open={props.open}
            openChips={stop(props.openChips)}
          />
        )}
        {fold !== null && !isCall && (
          <span
            className="jp-JaxprProgram-chip"
            title={
              closed ? trans.__('Unfold the lines') : trans.__('Fold the lines')
            }
            onClick={stop(props.toggleFold)}
          >
            {closed ? foldedWords(fold, trans) : trans.__('fold')}
          </span>
        )}
      </span>
      {span && (
        <span
          className={
            links.inOwnCell(span)
              ? 'jp-JaxprFlow-badge'
              : 'jp-JaxprFlow-badge jp-mod-other'
          }
          title={whereOf(links, span, trans)}
        >
          {badgeText(links, span)}
        </span>
      )}
    </div>
  );
}

const QUIET = 'jp-JaxprProgram-keyword';
const CLASSES: Record<PartKind, string | undefined> = {
  binder: undefined,
  keyword: QUIET,
  label: QUIET,
  literal: undefined,
  operand: undefined,
  primitive: 'jp-JaxprProgram-primitive',
  type: 'jp-JaxprProgram-type'
};

const LABEL: PartKind = 'label';

/** The text of a row with coloured parts; its parameters are chips until the user opens them. */
function Code(props: {
  printed: IPrintedRow;
  open: boolean;
  openChips: (event: React.MouseEvent) => void;
}): JSX.Element {
  const { text, chips } = props.printed;
  // The name of the body is left out, because the card states it above.
  const label = props.printed.parts.find(part => part.kind === LABEL);
  const parts = props.printed.parts.filter(part => part !== label);
  const pieces: React.ReactNode[] = [];
  const plain = (from: number, to: number): void => {
    let end = from;
    for (const part of parts) {
      if (part.from < end || part.to > to) {
        continue;
      }
      pieces.push(text.slice(end, part.from));
      pieces.push(
        <span key={part.from} className={CLASSES[part.kind]}>
          {text.slice(part.from, part.to)}
        </span>
      );
      end = part.to;
    }
    pieces.push(text.slice(end, to));
  };
  let end = label?.to ?? 0;
  for (const chip of props.open ? [] : chips) {
    plain(end, chip.from);
    pieces.push(
      <span
        key={`chip ${chip.from}`}
        className="jp-JaxprProgram-chip"
        title={text.slice(chip.from, chip.to)}
        onClick={props.openChips}
      >
        {chip.label || '…'}
      </span>
    );
    end = chip.to;
  }
  plain(end, text.length);
  return <>{pieces}</>;
}

/** Draws a folded library call as one line, with the name that the user's code calls it by. */
function Call(props: {
  fold: IFold;
  reading: Reading;
  unfold: (event: React.MouseEvent) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { fold, reading, trans } = props;
  const { inputs, outputs } = reading.printer.call(fold);
  return (
    <>
      <span
        className="jp-JaxprProgram-chip"
        title={trans.__('Unfold the lines')}
        onClick={props.unfold}
      >
        {trans.__('%1 · %2', fold.name, foldedWords(fold, trans))}
      </span>{' '}
      {inputs.slice(0, MOST_OPERANDS).join(' ')}
      <span className="jp-JaxprProgram-keyword">{' → '}</span>
      {outputs.slice(0, MOST_OPERANDS).map(({ name, type }) => (
        <React.Fragment key={name}>
          {name}:<span className="jp-JaxprProgram-type">{type}</span>{' '}
        </React.Fragment>
      ))}
    </>
  );
}

const MOST_OPERANDS = 4;

function foldedWords(fold: IFold, trans: TranslationBundle): string {
  const count = fold.to - fold.from + 1;
  return count > 0
    ? trans._n('%1 equation', '%1 equations', count)
    : trans._n('%1 line', '%1 lines', fold.last.index - fold.first.index);
}

/** The equations that a line stands for: its own, and, if it is a closed call, all equations of the call. */
export function equationsOf({ row, fold, closed }: ILine): IEquationRef[] {
  if (row.kind !== 'equation') {
    return [];
  }
  const last =
    fold?.kind === 'call' && closed && fold.last.scope === row.scope
      ? Math.max(row.equation, fold.last.equation)
      : row.equation;
  return Array.from({ length: last - row.equation + 1 }, (_, i) => ({
    scope: row.scope,
    equation: row.equation + i
  }));
}
