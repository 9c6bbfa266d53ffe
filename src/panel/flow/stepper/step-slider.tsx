/** A slider over the steps of a recording, with the values of one leaf as a line below it. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IPlace } from '../../../model/stepping';
import { GOES_ON } from '../../../protocol/steps';
import { Leaf } from '../../../protocol/snapshot';
import { grouped } from '../../../quantities';
import { Steady, widestOf } from '../../../parts/reserved-width';
import { shortened } from '../../../parts/summary';
import {
  IDrawing,
  drawingOf,
  firstDrawn,
  hasEdge,
  lineOf
} from './scaled-picture';
import { IStep, Walk } from './places';
import { figure, leafName, roleWords, spoken } from './words';

/** Each point has a mark if there are at most this many points. */
const MARKED = 40;
const WIDTH = 1000;
const HEIGHT = 100;

interface IChartProps {
  walk: Walk;
  place: IPlace;
  move: (place: IPlace) => void;
  trans: TranslationBundle;
}

export function Chart(props: IChartProps): JSX.Element | null {
  const { walk, place, move, trans } = props;
  const { leaves } = walk;
  const [chosen, setChosen] = React.useState<number | null>(null);
  const first = React.useMemo(() => firstDrawn(leaves), [leaves]);
  const leaf = leaves[chosen ?? first] as Leaf | undefined;
  const drawing = React.useMemo(
    () => (leaf === undefined ? null : drawingOf(walk, leaf, place)),
    // The picture is the same for all points of a visit, so it is computed once.
    [walk, leaf, place.visit]
  );
  const length = walk.lengthAt(place);
  if (length < 2) {
    // If any visit has a line, its space is always reserved, so that the parts below do not move.
    return walk.recording.visits.some(({ points }) => points > 1) ? (
      <div className="jp-JaxprStepper-chart jp-mod-empty" />
    ) : null;
  }
  const step = walk.stepAt(place);
  const position = walk.positionAt(place);
  const edge = hasEdge(walk);
  const style = {
    '--jjx-first': edge ? 1 / length : 0,
    '--jjx-at': edge ? (position + 1) / length : position / (length - 1)
  } as React.CSSProperties;
  return (
    <div className="jp-JaxprStepper-chart" style={style}>
      <input
        type="range"
        min={0}
        max={length - 1}
        step={1}
        value={position}
        aria-label={walk.byCalls ? trans.__('Execution') : trans.__('Step')}
        aria-valuetext={spoken(walk, step, trans)}
        onChange={event =>
          move(walk.placeAt(Number(event.target.value), place))
        }
      />
      {leaf !== undefined && drawing !== null && (
        <Picture
          {...props}
          leaf={leaf}
          drawing={drawing}
          step={step}
          length={length}
          chosen={chosen ?? first}
          choose={setChosen}
        />
      )}
    </div>
  );
}

function Picture(
  props: IChartProps & {
    leaf: Leaf;
    drawing: IDrawing;
    step: IStep;
    length: number;
    chosen: number;
    choose: (leaf: number) => void;
  }
): JSX.Element {
  const { walk, leaf, drawing, step, length, place, trans } = props;
  const { points, threshold } = drawing;
  const line = React.useMemo(() => lineOf(points, WIDTH, HEIGHT), [points]);
  const at = GOES_ON.has(leaf.role)
    ? walk.after(leaf, step)
    : walk.before(leaf, step);
  const here = points[at - drawing.from] ?? null;
  const name = nameOfNumber(walk, leaf, trans);
  const valueAt = (index: number): string => {
    if (leaf.elements === 1) {
      return shortened(leaf.texts[index] ?? '', 40);
    }
    const number = leaf.numbers?.[index] ?? null;
    return number === null ? trans.__('not finite') : figure(number);
  };
  const widest = React.useMemo(
    () => widestOf([...leaf.texts.keys()].map(valueAt)),
    [leaf, trans]
  );
  const hasChoice = walk.leaves.filter(isDrawn).length > 1;
  const edge = hasEdge(walk);
  const limit = threshold === null ? '' : figure(leaf.threshold ?? Number.NaN);
  const goTo = (event: React.MouseEvent<HTMLElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const part = (event.clientX - box.left) / Math.max(1, box.width);
    const position = edge ? part * length - 1 : part * (length - 1);
    props.move(
      walk.placeAt(
        Math.max(0, Math.min(length - 1, Math.round(position))),
        place
      )
    );
  };
  return (
    <>
      <div
        className={`jp-JaxprStepper-plot ${threshold !== null ? 'jp-mod-threshold' : ''}`}
        onClick={goTo}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describe(walk, leaf, drawing, name, limit, trans)}
        >
          {threshold !== null && (
            <path
              className="jp-JaxprStepper-threshold"
              d={`M0 ${threshold * HEIGHT}H${WIDTH}`}
            />
          )}
          <path className="jp-JaxprStepper-line" d={line} />
          {points.length <= MARKED && (
            <path
              className="jp-JaxprStepper-marks"
              d={points
                .map(point =>
                  point === null
                    ? ''
                    : `M${point.x * WIDTH} ${point.y * HEIGHT}h0`
                )
                .join('')}
            />
          )}
        </svg>
        {threshold !== null && (
          <span
            className="jp-JaxprStepper-limit"
            aria-hidden="true"
            style={{ top: `${threshold * 100}%` }}
          >
            {limit}
          </span>
        )}
        <span className="jp-JaxprStepper-here" aria-hidden="true" />
        {here !== null && (
          <span
            className="jp-JaxprStepper-dot"
            aria-hidden="true"
            style={{ top: `${here.y * 100}%` }}
          />
        )}
      </div>
      <div className="jp-JaxprStepper-axis">
        <span aria-hidden="true">{edge ? '0' : numberAt(walk, place, 0)}</span>
        <Choice {...props} />
        <span className="jp-JaxprStepper-reading" aria-hidden="true">
          {hasChoice && leaf.elements === 1 ? '' : name} ={' '}
          <Steady widest={widest}>{valueAt(at)}</Steady>
        </span>
        <span aria-hidden="true">{numberAt(walk, place, length - 1)}</span>
      </div>
    </>
  );
}

function Choice(props: {
  walk: Walk;
  chosen: number;
  choose: (leaf: number) => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { walk, chosen, choose, trans } = props;
  const options = React.useMemo(
    () =>
      walk.leaves.flatMap((leaf, at) =>
        isDrawn(leaf)
          ? [
              <option key={at} value={at}>
                {optionWords(walk, leaf, trans)}
              </option>
            ]
          : []
      ),
    [walk, trans]
  );
  if (options.length < 2) {
    return null;
  }
  return (
    <label className="jp-JaxprStepper-choice">
      <select
        aria-label={trans.__('Plotted value')}
        title={trans.__('Plotted value')}
        value={chosen}
        onChange={event => choose(Number(event.target.value))}
      >
        {options}
      </select>
    </label>
  );
}

function isDrawn({ numbers }: Leaf): boolean {
  return numbers?.some(number => number !== null) ?? false;
}

/** The role and the name of a leaf, such as `carry h` or `condition`. */
function optionWords(walk: Walk, leaf: Leaf, trans: TranslationBundle): string {
  const name = leafName(walk, leaf, trans);
  const role = roleWords(leaf.role, trans);
  return name === role ? role : `${role} ${shortened(name, 60)}`;
}

/** The name of a leaf's number: the name of the leaf, or `‖h‖` for a norm. */
function nameOfNumber(
  walk: Walk,
  leaf: Leaf,
  trans: TranslationBundle
): string {
  return leaf.elements === 1 || leaf.number_name === ''
    ? leafName(walk, leaf, trans)
    : shortened(leaf.number_name, 60);
}

function numberAt(walk: Walk, place: IPlace, position: number): string {
  return grouped(walk.stepAt(walk.placeAt(position, place)).number);
}

/** Describes the plot in words: the smallest and the largest value, the axis, the limit, the values left out. */
function describe(
  walk: Walk,
  leaf: Leaf,
  drawing: IDrawing,
  name: string,
  limit: string,
  trans: TranslationBundle
): string {
  const sentences = [
    trans.__(
      'The plot shows %1 at each step. Smallest value %2, largest value %3.',
      name,
      figure(drawing.smallest),
      figure(drawing.largest)
    )
  ];
  if (drawing.logarithmic) {
    sentences.push(trans.__('The axis of the values is logarithmic.'));
  }
  if (limit !== '') {
    sentences.push(trans.__('The dashed line shows the limit %1.', limit));
  }
  if (drawing.missing > 0) {
    sentences.push(
      trans._n(
        '%2 value is not finite, so the plot leaves the value out.',
        '%2 values are not finite, so the plot leaves the values out.',
        drawing.missing,
        grouped(drawing.missing)
      )
    );
  }
  return sentences.join(' ');
}
