import { nullTranslator } from '@jupyterlab/translation';
import { DisposableSet } from '@lumino/disposable';

import {
  environment,
  program,
  snapshot
} from '../../protocol/__tests__/documents';
import { Snapshot } from '../../protocol/snapshot';
import { MIME_TYPE, Open, rendererFactory } from '../mime-renderer';

const trans = nullTranslator.load('jupyter_jaxpr');

let renderers: DisposableSet;
beforeEach(() => {
  renderers = new DisposableSet();
});
afterEach(() => renderers.dispose());

/** The element in which JupyterLab shows a saved value. */
async function shown(
  value: unknown,
  open: Open | null = null
): Promise<HTMLElement> {
  const factory = rendererFactory(trans, open);
  const renderer = factory.createRenderer({
    mimeType: MIME_TYPE,
    sanitizer: { sanitize: html => html },
    resolver: null,
    linkHandler: null,
    latexTypesetter: null
  });
  renderers.add(renderer);
  await renderer.renderModel({
    data: { [MIME_TYPE]: JSON.parse(JSON.stringify(value)) },
    metadata: {},
    trusted: false,
    setData: () => undefined
  });
  return renderer.node;
}

/** Lists the lines of the output as a reader sees them. */
function lines(node: HTMLElement): string[] {
  return [...node.querySelectorAll('.jp-JaxprOutput-line')].map(line =>
    (line.textContent ?? '').replace(/\u00a0/g, ' ')
  );
}

describe('the output of a cell', () => {
  it('is two lines', async () => {
    expect(lines(await shown(snapshot()))).toEqual([
      'rnn ({b, wh}, f32[100,8]) → (f32[4], f32[100,16])',
      '3 equations · 1 scan ×100 · 4 calls, 1 compile · first call 142 ms'
    ]);
  });

  it('says that a copy of a large run left all programs out', async () => {
    const cut =
      'To keep the notebook under 256 kB, this saved copy leaves out all programs. Run the cell again to see everything.';
    const copy = snapshot({ programs: [], focus: -1, notes: [], cut });
    expect(lines(await shown(copy))).toEqual([cut]);
  });

  it('counts the equations where an earlier version did not sum up', async () => {
    const programs = [program({ summary: null, equations: 1 })];
    expect(lines(await shown(snapshot({ programs })))[1]).toBe(
      '1 equation · first call 142 ms'
    );
  });

  it('says what else was seen, and where the program is from', async () => {
    const programs = [
      program({
        origin: 'seen_before',
        summary: {
          size: ['3 equations'],
          activity: '4 calls, 1 compile',
          origin: 'made in an earlier run'
        }
      }),
      program({ name: 'loss' }),
      program({ name: 'grad' })
    ];
    expect(lines(await shown(snapshot({ programs })))[1]).toBe(
      '3 equations · 4 calls, 1 compile · made in an earlier run · 2 more programs of the run'
    );
  });

  it('is the message where there is no program', async () => {
    const nothing = snapshot({
      programs: [],
      notes: [],
      focus: -1,
      message: 'No jitted function was called.'
    });
    expect(lines(await shown(nothing))).toEqual([
      'No jitted function was called.'
    ]);
  });

  it('opens the panel on its snapshot', async () => {
    const saved = snapshot();
    const opened: Snapshot[] = [];
    const node = await shown(saved, one => opened.push(one));
    const button = node.querySelector('button');
    expect(button?.title).toBe('Open in the Jaxpr panel');
    button?.click();
    expect(opened).toEqual([saved]);
  });

  it('is no button where there is no panel', async () => {
    const node = await shown(snapshot());
    expect(node.querySelector('button')).toBeNull();
  });
});

describe('an output whose notebook is closed', () => {
  it('keeps nothing in its node, which JupyterLab keeps', async () => {
    const node = await shown(snapshot(), () => undefined);
    expect(node.childElementCount).toBe(1);
    renderers.dispose();
    expect(node.childNodes.length).toBe(0);
  });

  it('draws nothing if it was closed before it was drawn', async () => {
    const drawing = shown(snapshot());
    renderers.dispose();
    expect((await drawing).childElementCount).toBe(0);
  });
});

describe('an output that nobody vouches for', () => {
  it.each<[string, unknown, string]>([
    [
      'of a newer version',
      { ...snapshot(), version: 2 },
      'A newer version of jupyter_jaxpr made the document (format 2; this panel reads format 1). Update jupyter_jaxpr where JupyterLab is installed and reload this page.'
    ],
    [
      'of a text instead of a document',
      '{"version": 1',
      'The document is damaged at the field snapshot (expected: an object). Run the cell again.'
    ],
    [
      'with an index out of range',
      { ...snapshot(), focus: 12 },
      'The document is damaged at the field focus (expected: an integer from -1 to 0). Run the cell again.'
    ]
  ])('%s says so', async (_, value, reason) => {
    const node = await shown(value, () => undefined);
    expect(lines(node)).toEqual(['This output cannot be shown.']);
    expect(node.textContent).toBe(`This output cannot be shown.${reason}`);
    expect(node.querySelector('button')).toBeNull();
  });

  it('shows markup and scripts as the text they are', async () => {
    const hostile =
      '<img src=x onerror="window.hacked=1"><script>hacked</script>';
    const node = await shown(
      snapshot({
        programs: [
          program({
            name: hostile,
            arguments: [
              {
                name: hostile,
                type: hostile,
                summary: hostile,
                static: false,
                donated: false
              }
            ],
            result: null
          })
        ],
        environment: environment({ jax: hostile })
      })
    );
    expect(node.querySelector('img, script')).toBeNull();
    expect(lines(node)[0]).toBe(`${hostile} (${hostile})`);
    expect((window as { hacked?: number }).hacked).toBeUndefined();
  });

  it('cuts huge texts', async () => {
    const node = await shown(
      snapshot({ programs: [program({ name: 'x'.repeat(1_000_000) })] })
    );
    expect(node.textContent?.length).toBeLessThan(1000);
  });
});
