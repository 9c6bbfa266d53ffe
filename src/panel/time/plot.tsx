/** Draws series with JupyterLab's Vega-Lite renderer, with controls that zoom and save. */
import { IRenderMimeRegistry } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { saveAs } from '../../parts/standalone-svg';
import { Icon, IconName } from '../../parts/icons';
import { useRoving } from '../../parts/arrow-key-focus';
import { pictureOf, svgOf } from './saved-plot';
import { IInk, PLOT_HEIGHT, plotSpec } from './plot-spec';
import { Choice, ISeries } from './series';

const VEGA_LITE = 'application/vnd.vegalite.v5+json';

/** The registry of renderers if one of them can draw Vega-Lite; else null. */
export function plotting(
  registry: IRenderMimeRegistry | null
): IRenderMimeRegistry | null {
  return registry?.getFactory(VEGA_LITE) === undefined ? null : registry;
}

export function Plot(props: {
  registry: IRenderMimeRegistry;
  series: readonly ISeries[];
  choice: Choice;
  /** The name of the varied size. */
  name: string;
  /** A sentence that describes the plot. */
  label: string;
  /** The control that chooses the series, beside the tools. */
  children: React.ReactNode;
  trans: TranslationBundle;
}): JSX.Element {
  const { registry, series, choice, name, label, trans } = props;
  const host = React.useRef<HTMLDivElement>(null);
  const [failed, setFailed] = React.useState(false);
  const [shownChoice, setShownChoice] = React.useState<Choice | null>(null);
  const [drawn, setDrawn] = React.useState(0);
  const width = useWidth(host);
  const theme = useTheme();
  const { row, stop } = useRoving();
  const shown = React.useRef<Widget | null>(null);

  React.useEffect(() => {
    const node = host.current;
    if (node === null || width === 0) {
      return;
    }
    const ink = inkOf(node);
    const spec = plotSpec(series, {
      name,
      choice,
      width,
      ink,
      words: {
        series: trans.__('plotted series'),
        shown: trans.__('measured value')
      }
    });
    const renderer = registry.createRenderer(VEGA_LITE);
    const dark = document.body.dataset.jpThemeLight === 'false';
    const model = registry.createModel({
      data: { [VEGA_LITE]: JSON.parse(JSON.stringify(spec)) },
      metadata: {
        [VEGA_LITE]: {
          embed_options: {
            actions: false,
            renderer: 'svg',
            tooltip: { theme: dark ? 'dark' : 'light' }
          }
        }
      }
    });
    let gone = false;
    renderer
      .renderModel(model)
      .then(() => {
        if (gone) {
          renderer.dispose();
          return;
        }
        // The earlier plot stays until the new one is drawn, so that nothing flickers.
        shown.current?.dispose();
        shown.current = renderer;
        // The renderer is not attached as a widget, because React may remove the parent first, which Lumino forbids.
        node.replaceChildren(renderer.node);
        setShownChoice(choice);
        setFailed(false);
      })
      .catch((reason: unknown) => {
        console.error(
          'jupyter-jaxpr: Vega-Lite did not draw the sweep',
          reason
        );
        renderer.dispose();
        setFailed(true);
      });
    return () => {
      gone = true;
    };
  }, [registry, series, choice, name, width, theme, drawn]);

  React.useEffect(
    () => () => {
      shown.current?.dispose();
      shown.current = null;
    },
    []
  );

  const zoom = (delta: number): void => turnWheel(host.current, delta);
  const save = async (format: 'svg' | 'png'): Promise<void> => {
    const node = host.current;
    const svg = node?.querySelector('svg') ?? null;
    if (node !== null && svg !== null) {
      const text = svgOf(svg, inkOf(node).ground);
      saveAs(
        `sweep-${choice}.${format}`,
        format === 'svg' ? text : await pictureOf(text, svg)
      );
    }
  };
  const tools: {
    icon?: IconName;
    word?: string;
    label: string;
    hint?: string;
    do: () => void;
  }[] = [
    {
      icon: 'plus',
      label: trans.__('Zoom in'),
      hint: trans.__(
        'Zoom in. Ctrl and the wheel zoom too; dragging moves the plot.'
      ),
      do: () => zoom(-ZOOM)
    },
    {
      icon: 'minus',
      label: trans.__('Zoom out'),
      hint: trans.__('Zoom out. Ctrl and the wheel zoom too.'),
      do: () => zoom(ZOOM)
    },
    {
      icon: 'whole',
      label: trans.__('Show the whole plot'),
      hint: trans.__(
        'Show the whole plot. A double click on the plot does the same.'
      ),
      do: () => setDrawn(drawn + 1)
    },
    {
      word: trans.__('SVG'),
      label: trans.__('Save the plot as SVG'),
      do: () => void save('svg')
    },
    {
      word: trans.__('PNG'),
      label: trans.__('Save the plot as PNG'),
      do: () => void save('png')
    }
  ];
  return (
    <div className="jp-JaxprTime-figure">
      <div className="jp-JaxprTime-choice">
        {props.children}
        <div
          className="jp-JaxprTime-plotTools"
          role="toolbar"
          aria-label={trans.__('Zoom and save the plot')}
          {...row}
        >
          {tools.map((tool, place) => (
            <button
              key={tool.label}
              {...stop(place)}
              className="jp-JaxprPanel-action"
              aria-label={tool.label}
              title={tool.hint ?? tool.label}
              onClick={tool.do}
            >
              {tool.icon === undefined ? tool.word : <Icon name={tool.icon} />}
            </button>
          ))}
        </div>
      </div>
      {failed && (
        <p role="alert">
          {trans.__(
            'Vega-Lite could not draw this sweep. The table has the same numbers.'
          )}
        </p>
      )}
      <div
        className="jp-JaxprTime-plot"
        style={{ height: failed ? 0 : PLOT_HEIGHT }}
        role="img"
        aria-label={label}
        data-drawn={shownChoice}
      >
        {/* Vega's marks have ARIA roles without names, so the drawing is hidden from screen readers, which read the
            sentence instead. */}
        <div ref={host} aria-hidden="true" />
      </div>
    </div>
  );
}

/** A press on a zoom button counts as this much of the wheel. */
const ZOOM = 300;

/** Vega-Lite zooms only by the wheel, so a button sends a wheel event over the middle of the plot. */
function turnWheel(host: HTMLElement | null, deltaY: number): void {
  const plot = host?.querySelector('.role-frame .background') ?? null;
  if (plot !== null) {
    const box = plot.getBoundingClientRect();
    plot.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY,
        ctrlKey: true,
        bubbles: true,
        cancelable: true,
        clientX: box.left + box.width / 2,
        clientY: box.top + box.height / 2
      })
    );
  }
}

/** The width of a node, in whole pixels; 0 until it is laid out. */
function useWidth(node: React.RefObject<HTMLElement>): number {
  const [width, setWidth] = React.useState(0);
  React.useEffect(() => {
    if (node.current === null || typeof ResizeObserver === 'undefined') {
      return;
    }
    const observer = new ResizeObserver(([{ contentRect }]) => {
      // A hidden node has no width, so the drawn plot stays.
      if (contentRect.width > 0) {
        setWidth(Math.floor(contentRect.width));
      }
    });
    observer.observe(node.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Counts the changes of JupyterLab's theme, so that a plot is drawn again in the new colours. */
function useTheme(): number {
  const [changes, count] = React.useReducer((n: number) => n + 1, 0);
  React.useEffect(() => {
    const observer = new MutationObserver(count);
    observer.observe(document.body, {
      attributeFilter: ['data-jp-theme-name', 'data-jp-theme-light']
    });
    return () => observer.disconnect();
  }, []);
  return changes;
}

/** The theme's present colours, in a notation that a picture file understands. */
function inkOf(node: HTMLElement): IInk {
  const probe = document.createElement('span');
  probe.className = 'jp-JaxprPanel-small';
  node.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const ink: IInk = {
    text: colour('--jp-ui-font-color1'),
    second: colour('--jjx-ink2'),
    grid: colour('--jp-border-color2'),
    ground: colour('--jp-layout-color1'),
    eager: colour('--jjx-stage2'),
    first: colour('--jjx-compile'),
    warm: colour('--jp-ui-font-color1'),
    font: getComputedStyle(probe).fontFamily,
    fontSize: parseFloat(getComputedStyle(probe).fontSize) || 11
  };
  probe.remove();
  return ink;
}
