/**
 * Makes the Vega-Lite specification of a plot for a theme and a width.
 *
 * Series differ in colour, marker and dash, and are named at their end; the axes are logarithmic where all values allow.
 */
import { Choice, IPlotted, ISeries, SeriesName, quantity } from './series';

/** What the plot takes from the theme: colours that a picture file understands, and its fonts. */
export interface IInk {
  text: string;
  second: string;
  grid: string;
  ground: string;
  eager: string;
  first: string;
  warm: string;
  font: string;
  /** In pixels. */
  fontSize: number;
}

export const PLOT_HEIGHT = 212;

/** Room around the lines, in pixels: for the ticks' labels, and for a letter of a label at their end. */
const LEFT = 56;
const TOP = 10;
const BOTTOM = 36;
const LETTER = 0.56;

const DASHES: Readonly<Record<SeriesName, readonly number[]>> = {
  eager: [4, 3],
  first: [1, 3],
  warm: [],
  compile: [1, 3],
  equations: [],
  bytes: []
};

/** Of a plot of one function: its series differ. */
const MARKERS: Readonly<Record<SeriesName, string>> = {
  eager: 'square',
  first: 'diamond',
  warm: 'circle',
  compile: 'diamond',
  equations: 'circle',
  bytes: 'circle'
};

/** Of a plot of several functions: they differ. */
const FUNCTION_MARKERS = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'cross',
  'triangle-down'
];

/** Lines of several functions, where each has one. */
const FUNCTION_DASHES: readonly (readonly number[])[] = [
  [],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
  [1, 3],
  [12, 4]
];

export function colourOf(name: SeriesName, ink: IInk): string {
  switch (name) {
    case 'eager':
      return ink.eager;
    case 'first':
    case 'compile':
      return ink.first;
    default:
      return ink.warm;
  }
}

/** A row of the plot's data. */
interface IDatum {
  key: string;
  /** A number, or as it was typed. */
  x: number | string;
  y: number;
  lower: number;
  upper: number;
  label: string;
  size: string;
  shown: string;
}

export function plotSpec(
  series: readonly ISeries[],
  options: {
    name: string;
    choice: Choice;
    /** In pixels, of the whole plot. */
    width: number;
    ink: IInk;
    words: { series: string; shown: string };
  }
): object {
  const { name, choice, width, ink, words } = options;
  const points = series.flatMap(one => one.points);
  const numbers = points.map(({ number }) => number);
  const isNumeric = numbers.every(number => number !== null);
  const isLog = isNumeric && numbers.every(number => (number ?? 0) > 0);
  const data = series.flatMap((one, at) =>
    one.points.map(point => datum(one, at, point, isNumeric, choice))
  );
  const ends = labelPlaces(series, isNumeric);
  const longest = Math.max(0, ...series.map(({ label }) => label.length));
  const right = Math.min(
    Math.ceil(longest * ink.fontSize * LETTER) + 12,
    Math.round(width * 0.45)
  );
  const keys = series.map((_, at) => String(at));
  const many = new Set(series.map(one => one.place)).size > 1;
  const colour = {
    field: 'key',
    type: 'nominal',
    legend: null,
    scale: {
      domain: keys,
      range: series.map(one => colourOf(one.name, ink))
    }
  };
  const x = {
    field: 'x',
    type: isNumeric ? 'quantitative' : 'ordinal',
    title: name,
    sort: null,
    ...(isNumeric && {
      scale: {
        type: isLog ? 'log' : 'linear',
        domain: widened(
          Math.min(...(numbers as number[])),
          Math.max(...(numbers as number[])),
          isLog
        )
      }
    }),
    axis: {
      grid: false,
      labelAngle: 0,
      labelOverlap: 'greedy',
      labelSeparation: 6,
      ...(isNumeric && {
        values: [...new Set(numbers)],
        labelExpr: sizeLabels(numbers as number[])
      })
    }
  };
  const range = widened(...extent(points), true);
  const ticks = decades(range, choice);
  const y = {
    field: 'y',
    type: 'quantitative',
    title: null,
    scale: { type: 'log', domain: range },
    axis: {
      values: ticks,
      labelOverlap: 'greedy',
      labelExpr: tickLabels(ticks, choice)
    }
  };
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
    background: 'transparent',
    width: Math.max(80, width - LEFT - right),
    height: PLOT_HEIGHT - TOP - BOTTOM,
    padding: { left: LEFT, right, top: TOP, bottom: BOTTOM },
    autosize: { type: 'none' },
    data: { values: data },
    layer: [
      {
        params: [
          {
            name: 'zoomed',
            select: {
              type: 'interval',
              encodings: isNumeric ? ['x', 'y'] : ['y'],
              // The panel itself is scrolled by the wheel alone.
              zoom: 'wheel![event.ctrlKey || event.metaKey]'
            },
            bind: 'scales'
          }
        ],
        mark: { type: 'line', clip: true, strokeWidth: 1.5 },
        encoding: {
          x,
          y,
          color: colour,
          strokeDash: {
            field: 'key',
            type: 'nominal',
            legend: null,
            scale: {
              domain: keys,
              range: series.map(one => dashOf(one, choice, many))
            }
          }
        }
      },
      {
        mark: { type: 'rule', clip: true, strokeWidth: 1.5 },
        transform: [{ filter: 'datum.upper > datum.lower' }],
        encoding: {
          x,
          y: { ...y, field: 'lower' },
          y2: { field: 'upper' },
          color: colour
        }
      },
      {
        mark: { type: 'point', clip: true, opacity: 1, size: 44 },
        encoding: {
          x,
          y,
          color: colour,
          fill: {
            field: 'key',
            type: 'nominal',
            legend: null,
            scale: {
              domain: keys,
              // An open square stays apart from a filled circle where they meet.
              range: series.map(one =>
                one.name === 'eager' ? ink.ground : colourOf(one.name, ink)
              )
            }
          },
          shape: {
            field: 'key',
            type: 'nominal',
            legend: null,
            scale: {
              domain: keys,
              range: series.map(one =>
                many
                  ? FUNCTION_MARKERS[one.place % FUNCTION_MARKERS.length]
                  : MARKERS[one.name]
              )
            }
          },
          tooltip: [
            { field: 'label', type: 'nominal', title: words.series },
            { field: 'size', type: 'nominal', title: name },
            { field: 'shown', type: 'nominal', title: words.shown }
          ]
        }
      },
      {
        data: { values: ends },
        mark: {
          type: 'text',
          align: 'left',
          baseline: 'middle',
          clip: false, // Vega-Lite cuts what can be zoomed, but for this
          dx: 10,
          fontSize: ink.fontSize
        },
        encoding: {
          x,
          y,
          text: { field: 'label', type: 'nominal' },
          color: colour
        }
      }
    ],
    config: {
      aria: false,
      font: ink.font,
      view: { stroke: null, cursor: 'default' },
      axis: {
        labelColor: ink.second,
        titleColor: ink.second,
        labelFontSize: ink.fontSize,
        titleFontSize: ink.fontSize,
        titleFontWeight: 'normal',
        labelFont: ink.font,
        titleFont: ink.font,
        gridColor: ink.grid,
        domain: false,
        ticks: false,
        labelPadding: 6,
        titlePadding: 4
      },
      text: { font: ink.font }
    }
  };
}

function datum(
  one: ISeries,
  at: number,
  point: IPlotted,
  isNumeric: boolean,
  choice: Choice
): IDatum {
  const { value, number, y, lower, upper } = point;
  return {
    key: String(at),
    x: isNumeric ? (number ?? 0) : value,
    y,
    // A logarithmic axis has no zero.
    lower: lower > 0 ? lower : y,
    upper,
    label: one.label,
    size: value,
    // What was measured once has no middle half.
    shown:
      upper > lower
        ? `${quantity(choice, y)} (${quantity(choice, lower)} – ${quantity(choice, upper)})`
        : quantity(choice, y)
  };
}

function dashOf(
  one: ISeries,
  choice: Choice,
  many: boolean
): readonly number[] {
  const dash =
    many && choice !== 'time'
      ? FUNCTION_DASHES[one.place % FUNCTION_DASHES.length]
      : DASHES[one.name];
  // Vega takes an empty list for none at all.
  return dash.length === 0 ? [1, 0] : dash;
}

/** Pixels between two labels. */
const LABEL_LINE = 14;

/** Where the labels stand: at the end of their lines, moved up or down until none is over another. */
function labelPlaces(
  series: readonly ISeries[],
  isNumeric: boolean
): { key: string; label: string; x: number | string; y: number }[] {
  const [low, high] = widened(
    ...extent(series.flatMap(one => one.points)),
    true
  );
  const height = PLOT_HEIGHT - TOP - BOTTOM;
  const ends = series
    .map((one, at) => {
      const { number, value, y } = one.points[one.points.length - 1];
      return {
        key: String(at),
        label: one.label,
        x: isNumeric ? (number ?? 0) : value,
        place: (height * Math.log(high / y)) / Math.log(high / low)
      };
    })
    .sort((a, b) => a.place - b.place);
  for (let at = 1; at < ends.length; at++) {
    ends[at].place = Math.max(ends[at].place, ends[at - 1].place + LABEL_LINE);
  }
  // Pushed below the plot: back up, from the last one.
  for (let at = ends.length - 1, room = height; at >= 0; at--) {
    ends[at].place = Math.min(ends[at].place, room);
    room = ends[at].place - LABEL_LINE;
  }
  return ends.map(({ key, label, x, place }) => ({
    key,
    label,
    x,
    y: high * Math.pow(low / high, place / height)
  }));
}

function extent(points: readonly IPlotted[]): [number, number] {
  return [
    Math.min(...points.map(({ y, lower }) => (lower > 0 ? lower : y))),
    Math.max(...points.map(({ upper }) => upper))
  ];
}

/** Of what spans it, so much is free at either side: no marker is cut. */
const FREE = 0.04;

function widened(low: number, high: number, isLog: boolean): [number, number] {
  if (isLog) {
    // At least half a power of ten: what hardly changes is no mountain.
    const span = Math.max(Math.log10(high / low), 0.5);
    const middle = (Math.log10(high) + Math.log10(low)) / 2;
    const half = span * (0.5 + FREE);
    return [Math.pow(10, middle - half), Math.pow(10, middle + half)];
  }
  const span = high > low ? high - low : Math.abs(high) || 1;
  return [low - span * FREE, high + span * FREE];
}

/** Powers of ten, and where the plot spans less than two of them their doubles and fives; more on both sides, to zoom out. */
function decades([low, high]: [number, number], choice: Choice): number[] {
  const isCount = choice === 'equations' || choice === 'bytes';
  const from = Math.floor(Math.log10(low)) - 3;
  const to = Math.ceil(Math.log10(high)) + 3;
  const mantissas = Math.log10(high / low) < 2 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = from; power <= to; power++) {
    ticks.push(...mantissas.map(mantissa => Number(`${mantissa}e${power}`)));
  }
  return isCount ? ticks.filter(tick => tick >= 1) : ticks;
}

/** Vega's own formats know no microseconds: each tick with its words. */
function tickLabels(ticks: readonly number[], choice: Choice): string {
  return chosen(ticks.map(tick => [tick, short(quantity(choice, tick))]));
}

/** A round number needs no second figure: `1 ms`, `0.2 ms`. */
function short(words: string): string {
  return words.replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');
}

function sizeLabels(numbers: readonly number[]): string {
  return chosen(
    [...new Set(numbers)].map(number => [number, shortNumber(number)])
  );
}

/** `100`, `1,000`, `10 k`, `1 M`: as short as it stays exact. */
export function shortNumber(value: number): string {
  for (const [unit, letter] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k']
  ] as const) {
    if (value >= 10 * unit || (value >= unit && unit > 1e3)) {
      const scaled = value / unit;
      if (Number.isInteger(scaled * 10)) {
        return `${scaled}\u00a0${letter}`;
      }
    }
  }
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

/** A Vega expression that gives the text of a number, one of these; they hold numbers and units, nothing of the user's. */
function chosen(texts: readonly (readonly [number, string])[]): string {
  return texts.reduceRight(
    (otherwise, [number, text]) =>
      `abs(datum.value - (${number})) <= ${Math.abs(number) * 1e-6} ? ${JSON.stringify(text)} : ${otherwise}`,
    "''"
  );
}
