/**
 * Makes the Vega-Lite specification of a plot for a theme and a width.
 *
 * Series differ in colour, marker and dash, and have a name at their end; the axes are logarithmic if all values allow
 * it.
 */
import { Choice, IPlotted, ISeries, SeriesName, quantity } from './series';

/** The values of the theme that the plot uses: colours in a notation that a picture file understands, and fonts. */
export interface IInk {
  text: string;
  second: string;
  grid: string;
  ground: string;
  eager: string;
  first: string;
  warm: string;
  font: string;
  /** The size of the font, in pixels. */
  fontSize: number;
}

export const PLOT_HEIGHT = 212;

/** The pixels around the lines, for the labels of the ticks and for a letter of a label at the end of a line. */
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

/** The markers in a plot of one function, which distinguish its series. */
const MARKERS: Readonly<Record<SeriesName, string>> = {
  eager: 'square',
  first: 'diamond',
  warm: 'circle',
  compile: 'diamond',
  equations: 'circle',
  bytes: 'circle'
};

/** The markers in a plot of several functions, which distinguish the functions. */
const FUNCTION_MARKERS = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'cross',
  'triangle-down'
];

/** The dashes of the functions, if each function has one line. */
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

/** A row of the data that Vega-Lite plots: one measured value. */
interface IDatum {
  key: string;
  /** The swept value: a number if all swept values are numbers, else the text of the value. */
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
    /** The width of the whole plot in pixels. */
    width: number;
    ink: IInk;
    words: { series: string; shown: string };
  }
): object {
  const { name, choice, width, ink, words } = options;
  const points = series.flatMap(plotted => plotted.points);
  const numbers = points.map(({ number }) => number);
  const isNumeric = numbers.every(number => number !== null);
  const isLog = isNumeric && numbers.every(number => (number ?? 0) > 0);
  const data = series.flatMap((plotted, at) =>
    plotted.points.map(point => datum(plotted, at, point, isNumeric, choice))
  );
  const ends = labelPlaces(series, isNumeric);
  const longest = Math.max(0, ...series.map(({ label }) => label.length));
  const right = Math.min(
    Math.ceil(longest * ink.fontSize * LETTER) + 12,
    Math.round(width * 0.45)
  );
  const keys = series.map((_, at) => String(at));
  const many = new Set(series.map(plotted => plotted.place)).size > 1;
  const colour = {
    field: 'key',
    type: 'nominal',
    legend: null,
    scale: {
      domain: keys,
      range: series.map(plotted => colourOf(plotted.name, ink))
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
              // The wheel alone scrolls the panel; with Ctrl it zooms.
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
              range: series.map(plotted => dashOf(plotted, choice, many))
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
              // An open square remains visible where it meets a filled circle.
              range: series.map(plotted =>
                plotted.name === 'eager'
                  ? ink.ground
                  : colourOf(plotted.name, ink)
              )
            }
          },
          shape: {
            field: 'key',
            type: 'nominal',
            legend: null,
            scale: {
              domain: keys,
              range: series.map(plotted =>
                many
                  ? FUNCTION_MARKERS[plotted.place % FUNCTION_MARKERS.length]
                  : MARKERS[plotted.name]
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
          clip: false, // in a plot that can be zoomed, Vega-Lite by default cuts all marks at the plot's edges
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
  plotted: ISeries,
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
    // A logarithmic axis has no zero, so the range then begins at the value itself.
    lower: lower > 0 ? lower : y,
    upper,
    label: plotted.label,
    size: value,
    // A value that was measured once has no 25 % to 75 % range.
    shown:
      upper > lower
        ? `${quantity(choice, y)} (${quantity(choice, lower)} – ${quantity(choice, upper)})`
        : quantity(choice, y)
  };
}

function dashOf(
  plotted: ISeries,
  choice: Choice,
  many: boolean
): readonly number[] {
  const dash =
    many && choice !== 'time'
      ? FUNCTION_DASHES[plotted.place % FUNCTION_DASHES.length]
      : DASHES[plotted.name];
  // Vega takes an empty list of dashes as missing, so an unbroken line gets `[1, 0]`.
  return dash.length === 0 ? [1, 0] : dash;
}

/** The least distance between two labels, in pixels. */
const LABEL_LINE = 14;

/** The places of the labels: at the ends of their lines, moved up or down so that none overlaps another. */
function labelPlaces(
  series: readonly ISeries[],
  isNumeric: boolean
): { key: string; label: string; x: number | string; y: number }[] {
  const [low, high] = widened(
    ...extent(series.flatMap(plotted => plotted.points)),
    true
  );
  const height = PLOT_HEIGHT - TOP - BOTTOM;
  const ends = series
    .map((plotted, at) => {
      const { number, value, y } = plotted.points[plotted.points.length - 1];
      return {
        key: String(at),
        label: plotted.label,
        x: isNumeric ? (number ?? 0) : value,
        place: (height * Math.log(high / y)) / Math.log(high / low)
      };
    })
    .sort((a, b) => a.place - b.place);
  for (let at = 1; at < ends.length; at++) {
    ends[at].place = Math.max(ends[at].place, ends[at - 1].place + LABEL_LINE);
  }
  // Labels that were pushed below the plot move up again, starting with the last one.
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

/** The share of the range that stays free at either side, so that no marker is cut. */
const FREE = 0.04;

function widened(low: number, high: number, isLog: boolean): [number, number] {
  if (isLog) {
    // An axis spans at least half a power of ten, so that small changes do not look large.
    const span = Math.max(Math.log10(high / low), 0.5);
    const middle = (Math.log10(high) + Math.log10(low)) / 2;
    const half = span * (0.5 + FREE);
    return [Math.pow(10, middle - half), Math.pow(10, middle + half)];
  }
  const span = high > low ? high - low : Math.abs(high) || 1;
  return [low - span * FREE, high + span * FREE];
}

/**
 * The ticks: powers of ten, and for less than two powers also their doubles and fives; more ticks on both sides, for
 * zooming out.
 */
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

/** Vega's own number formats have no microseconds, so each tick has its text. */
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

/** Prints `100`, `1,000`, `10 k`, `1 M`: as short as an exact number can be. */
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

/** A Vega expression that maps numbers to these texts, which hold numbers and units but no text of the user. */
function chosen(texts: readonly (readonly [number, string])[]): string {
  return texts.reduceRight(
    (otherwise, [number, text]) =>
      `abs(datum.value - (${number})) <= ${Math.abs(number) * 1e-6} ? ${JSON.stringify(text)} : ${otherwise}`,
    "''"
  );
}
