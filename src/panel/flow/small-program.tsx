/**
 * Shows the first lines of a program inside a card, and the rest on request.
 *
 * The lines are one stop of the Tab key: up and down move between lines, right and left unfold and fold, Enter goes to
 * the cell.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ILinked } from '../../model/links';
import type { IFold, IRow } from '../../program-text/row';
import { grouped } from '../../quantities';
import { Acts } from './card-actions';
import { ILine, Line, equationsOf } from './program-line';
import { Reading } from './cards-of-program';

/** A longer program shows this many lines until the user asks for more. */
const SHOWN_FIRST = 8;
/** A program with this many lines more is shown in full, since the button for more takes a line too. */
const SPARED = 2;
/** The card shows at most this many lines; a longer program is better read in the Program view. */
const MOST = 300;

export interface IProgramProps {
  reading: Reading;
  rows: readonly IRow[];
  /** The name of the list for a screen reader. */
  label: string;
  /** True to leave out the lambda line and the results. */
  bare?: boolean;
  linked: ILinked;
  acts: Acts;
  trans: TranslationBundle;
}

export function SmallProgram(props: IProgramProps): JSX.Element | null {
  const { reading, rows, linked, acts, trans } = props;
  const id = React.useId();
  const [unfolded, setUnfolded] = React.useState<ReadonlySet<string>>(
    new Set()
  );
  const [whole, setWhole] = React.useState(false);
  const [at, setAt] = React.useState(0);
  const lines = React.useMemo(
    () => linesOf(rows, unfolded, props.bare ?? false),
    [rows, unfolded, props.bare]
  );
  if (rows.length === 0) {
    return (
      <p className="jp-JaxprPanel-small">
        {trans.__(
          'These equations are not loaded yet. A search in the Program tab loads all equations.'
        )}
      </p>
    );
  }
  if (lines.length === 0) {
    return null;
  }
  const most = whole ? MOST : SHOWN_FIRST;
  const shown = lines.length <= most + SPARED ? lines : lines.slice(0, most);
  const current = Math.min(at, shown.length - 1);
  const depth = Math.min(...shown.map(({ row }) => row.depth));

  const toggle = (key: string, open: boolean): void => {
    const keys = new Set(unfolded);
    if (open) {
      keys.add(key);
    } else {
      keys.delete(key);
    }
    setUnfolded(keys);
  };
  const choose = (index: number): void => {
    setAt(index);
    const equations = equationsOf(shown[index]);
    if (equations.length > 0) {
      acts.select(equations);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const line = shown[current];
    const last = shown.length - 1;
    switch (event.key) {
      case 'ArrowDown':
        choose(Math.min(current + 1, last));
        break;
      case 'ArrowUp':
        choose(Math.max(current - 1, 0));
        break;
      case 'Home':
        choose(0);
        break;
      case 'End':
        choose(last);
        break;
      case 'ArrowRight':
        if (line.fold !== null && line.closed) {
          toggle(foldKey(line.fold), true);
        } else {
          toggle(chipKey(line.row), true);
        }
        break;
      case 'ArrowLeft':
        if (unfolded.has(chipKey(line.row))) {
          toggle(chipKey(line.row), false);
        } else if (line.fold !== null && !line.closed) {
          toggle(foldKey(line.fold), false);
        }
        break;
      case 'Enter':
        if (equationsOf(line).length > 0) {
          acts.goToSource(equationsOf(line));
        }
        break;
      case 'Escape':
        acts.deselect();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const first = shown.find(({ row }) => row.kind === 'equation');
  return (
    <div className="jp-JaxprFlow-program">
      <div
        role="listbox"
        tabIndex={0}
        aria-label={props.label}
        aria-activedescendant={`${id}-${current}`}
        onKeyDown={onKeyDown}
        onMouseLeave={() => acts.hover(null)}
      >
        {shown.map((line, index) => (
          <Line
            key={lineKey(line)}
            id={`${id}-${index}`}
            line={line}
            depth={line.row.depth - depth}
            current={index === current}
            open={unfolded.has(chipKey(line.row))}
            reading={reading}
            linked={linked}
            trans={trans}
            onClick={() => choose(index)}
            onEnter={() => {
              const equations = equationsOf(line);
              acts.hover(equations.length > 0 ? equations : null);
            }}
            openChips={() => toggle(chipKey(line.row), true)}
            toggleFold={() =>
              line.fold !== null && toggle(foldKey(line.fold), line.closed)
            }
          />
        ))}
      </div>
      {(shown.length < lines.length || whole || first) && (
        <div className="jp-JaxprFlow-programTools">
          {shown.length < lines.length && !whole && (
            <button
              className="jp-JaxprPanel-link"
              onClick={() => setWhole(true)}
            >
              {lines.length > MOST
                ? trans.__('Show %1 of %2 lines', MOST, grouped(lines.length))
                : trans.__('Show all %1 lines', lines.length)}
            </button>
          )}
          {whole && (
            <button
              className="jp-JaxprPanel-link"
              onClick={() => setWhole(false)}
            >
              {trans.__('Show fewer lines')}
            </button>
          )}
          {first && (
            <button
              className="jp-JaxprPanel-link"
              title={trans.__('Show the line in the whole program')}
              onClick={() =>
                acts.showInProgram(
                  equationsOf(shown[current]).length > 0
                    ? equationsOf(shown[current])
                    : equationsOf(first)
                )
              }
            >
              {trans.__('Show line in Program')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** The lines of some rows; the rows inside an equation are folded into its line until the user unfolds them. */
function linesOf(
  rows: readonly IRow[],
  unfolded: ReadonlySet<string>,
  bare: boolean
): ILine[] {
  const lines: ILine[] = [];
  const from = rows[0]?.index ?? 0;
  const [start, end] =
    bare && rows.length > 2 ? [1, rows.length - 1] : [0, rows.length];
  for (let i = start; i < end; i++) {
    const row = rows[i];
    // The card itself folds the program, so the program's own fold is left out.
    const folds = (row.folds ?? []).filter(
      fold => row.kind === 'equation' || fold.kind === 'call'
    );
    const shut = folds.find(fold => !unfolded.has(foldKey(fold)));
    lines.push({
      row,
      fold: shut ?? folds[folds.length - 1] ?? null,
      closed: shut !== undefined
    });
    if (shut !== undefined) {
      i = Math.min(end - 1, shut.last.index - from);
    }
  }
  return lines;
}

// The key uses scope and equation, which stay the same when more equations arrive and rows move.
function lineKey({ row }: ILine): string {
  return `${row.kind} ${row.scope} ${row.equation}`;
}

function foldKey({ kind, first }: IFold): string {
  return `${kind} ${first.scope} ${first.equation}`;
}

function chipKey(row: IRow): string {
  return `chips ${row.kind} ${row.scope} ${row.equation}`;
}
