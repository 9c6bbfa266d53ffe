/** Draws the cost of a tree of scopes or of names as an icicle: a bar for each node, its children below. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import {
  Measure,
  amountWords,
  measured,
  percent
} from '../../model/cost-shares';
import { shortened } from '../../parts/summary';
import { useWidth } from '../../parts/use-width';
import { CostReading } from './cost-rows';
import { IBar, icicleOf, neighbour } from './icicle-layout';
import { times } from './words';

const ROW = 24;
const GAP = 1;
/** The width in pixels of a letter in the panel's small size. */
const LETTER = 6.3;

export function Icicle(props: {
  reading: CostReading;
  group: 'scope' | 'name_stack';
  measure: Measure;
  goTo: (index: number) => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { reading, group, measure, goTo, trans } = props;
  const nodes = reading.nodes(group);
  const icicle = React.useMemo(
    () => icicleOf(nodes, measure),
    [nodes, measure]
  );
  const [place, width] = useWidth();
  const [current, setCurrent] = React.useState(0);
  const svg = React.useRef<SVGSVGElement>(null);
  const { bars, levels, left } = icicle;
  if (bars.length < 2) {
    return null;
  }
  const stop = Math.min(current, bars.length - 1);
  const total = reading.total(measure);

  /** The words of a bar: `scan × 100, line 10: 80.0 kop, 99.8 %`. */
  const describe = ({ index }: IBar): string => {
    const node = nodes[index];
    const amount = measured(node, measure);
    return trans.__(
      '%1: %2, %3',
      nameOf(node.label, node.runs),
      amountWords(node, measure, trans),
      percent(total > 0 ? Math.min(1, amount / total) : 0)
    );
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowRight':
      case 'ArrowUp':
      case 'ArrowDown': {
        const next = neighbour(icicle, stop, event.key);
        setCurrent(next);
        svg.current?.querySelector<SVGElement>(`[data-bar="${next}"]`)?.focus();
        break;
      }
      case 'Enter':
      case ' ':
        goTo(bars[stop].index);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const label =
    group === 'scope'
      ? trans.__('Cost by scope: each bar is inside the bar above')
      : trans.__('Cost by name stack: each bar is inside the bar above');
  return (
    <section className="jp-JaxprCost-section">
      <h2>
        {group === 'scope'
          ? trans.__('Cost by scope')
          : trans.__('Cost by name stack')}
      </h2>
      <div ref={place} className="jp-JaxprCost-drawing">
        <svg
          ref={svg}
          role="group"
          aria-label={label}
          className="jp-JaxprCost-icicle"
          width={width}
          height={levels * ROW}
          onKeyDown={onKeyDown}
        >
          {bars.map((bar, at) => {
            const x = bar.left * width;
            const wide = Math.max(1, bar.width * width - GAP);
            const node = nodes[bar.index];
            const words = describe(bar);
            return (
              <g
                key={bar.index}
                role="button"
                tabIndex={at === stop ? 0 : -1}
                data-bar={at}
                aria-label={words}
                onClick={() => goTo(bar.index)}
                onFocus={() => setCurrent(at)}
              >
                <title>{words}</title>
                <rect
                  x={x + 0.5}
                  y={bar.level * ROW + 0.5}
                  width={Math.max(0.5, wide - 1)}
                  height={ROW - 2}
                />
                <text x={x + 6} y={bar.level * ROW + 16} aria-hidden="true">
                  {fitting(nameOf(node.label, node.runs), wide - 10)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <p className="jp-JaxprPanel-small">
        {trans.__(
          'The width of a bar is its share of the cost. Choose a bar to mark its equations in the program.'
        )}
        {left > 0 &&
          ` ${trans._n(
            '%1 bar is too narrow to draw.',
            '%1 bars are too narrow to draw.',
            left
          )}`}
      </p>
    </section>
  );
}

function nameOf(label: string, runs: number): string {
  const name = shortened(label, 80);
  return runs > 1 ? `${name} ${times(runs)}` : name;
}

/** The start of a text that fits into this width. */
function fitting(text: string, room: number): string {
  const letters = Math.floor(room / LETTER);
  return text.length <= letters
    ? text
    : letters < 3
      ? ''
      : `${text.slice(0, letters - 1)}…`;
}
