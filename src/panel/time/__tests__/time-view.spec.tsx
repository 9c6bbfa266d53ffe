import {
  IRenderMimeRegistry,
  RenderMimeRegistry
} from '@jupyterlab/rendermime';
import { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { Unanswered } from '../../../kernel/channel-interface';
import {
  AnyReply,
  FakeChannel,
  answered,
  confirm,
  working
} from '../../../model/__tests__/fake-channel';
import { JaxprModel } from '../../../model/model';
import { program, snapshot } from '../../../protocol/__tests__/documents';
import { Snapshot } from '../../../protocol/snapshot';
import {
  act,
  byRole,
  click,
  press,
  render,
  words
} from '../../../parts/__tests__/render';
import { Time } from '../time-view';
import { point, selu, timing, warmTime } from './times';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
});

const SELU = program({
  name: 'selu',
  arguments: [
    {
      name: 'x',
      type: 'f32[1000000]',
      summary: 'f32[1000000]',
      static: false,
      donated: false
    }
  ]
});

const run = (changes: Partial<Snapshot> = {}): Snapshot =>
  snapshot({ programs: [SELU], ...changes });

function shown(
  document: Snapshot,
  registry: IRenderMimeRegistry | null = null,
  saved = false
): { model: JaxprModel; kernel: FakeChannel; node: HTMLElement } {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  if (saved) {
    model.show(document, true);
  } else {
    model.setChannel(kernel);
    kernel.greets();
    kernel.sends(document);
  }
  const { node } = render(
    <Time model={model} registry={registry} trans={trans} />
  );
  return { model, kernel, node };
}

/** Focuses the button before the click, as a browser does for a user. */
const pressed = async (node: HTMLElement, name: string): Promise<void> =>
  act(async () => {
    const button = byRole(node, 'button', name)[0];
    button.focus();
    click(button);
  });

const rows = (table: Element): string[] =>
  [...table.querySelectorAll('tr')].map(row =>
    [...row.querySelectorAll('th, td')].map(words).filter(Boolean).join(' | ')
  );

describe('the Time view of a run that was not measured', () => {
  it('shows the first call by stages', () => {
    const { node } = shown(run());
    expect(words(node.querySelector('.jp-JaxprTime-lead'))).toBe(
      'The first call took 142 ms. The longest stage is “compile”, with 85 % of that time.'
    );
    expect(rows(node.querySelector('table') as Element)).toEqual([
      'trace | 5.4 ms | 4 % | JAX runs the Python code on tracers',
      'lower | 14 ms | 10 % | JAX turns the jaxpr into StableHLO',
      'compile | 121 ms | 85 % | XLA turns StableHLO into an executable',
      'first run | 0.70 ms | < 1 % | the first run ends when the call returns; the work of the call may end later',
      'rest | 1.2 ms | 1 % | time that belongs to no stage that JAX reports',
      'first call | 142 ms'
    ]);
  });

  it('runs nothing before the button is pressed', async () => {
    const { node, kernel } = shown(run());
    expect(kernel.asked).toEqual([]);
    kernel.answer = async () => answered(timing());
    await pressed(node, 'Time the calls');
    expect(kernel.asked).toEqual([
      { type: 'time', snapshot: 'run-1', program: 0, confirmed: false }
    ]);
    expect(words(node.querySelector('.jp-JaxprTime-lead'))).toBe(
      timing().sentence
    );
    expect(byRole(node, 'button', 'Time the calls again')).toHaveLength(1);
  });

  it('says why it cannot be run where no kernel is', () => {
    const { node } = shown(run(), null, true);
    const again = byRole(node, 'button', 'Time the calls')[0];
    expect(again.getAttribute('aria-disabled')).toBe('true');
    expect(
      words(
        document.getElementById(again.getAttribute('aria-describedby') ?? '')
      )
    ).toBe(
      'This run comes from a saved copy. Run the cell again to measure times.'
    );
    click(again);
    expect(byRole(node, 'button', 'Stop')).toHaveLength(0);
  });

  it("says the kernel's sentence where it cannot, and may be asked again", async () => {
    const { node, kernel } = shown(run());
    kernel.answer = () =>
      Promise.reject(new Unanswered({ kernel: 'The values are gone.' }));
    await pressed(node, 'Time the calls');
    expect(words(byRole(node, 'alert')[0])).toBe('The values are gone.');
    expect(byRole(node, 'button', 'Time the calls')).toHaveLength(1);
  });

  it('asks before effects are repeated; Escape is no', async () => {
    const { node, kernel } = shown(run());
    kernel.answer = async () => confirm('It prints. Run it again?');
    await pressed(node, 'Time the calls');
    const question = byRole(node, 'alertdialog')[0];
    expect(question.getAttribute('aria-label')).toBe(
      'Measure the time of selu?'
    );
    expect(words(question)).toBe(
      'It prints. Run it again?Do not run the measurementRun the measurement'
    );
    expect(words(document.activeElement)).toBe('Do not run the measurement');
    press(question, 'Escape');
    expect(byRole(node, 'alertdialog')).toHaveLength(0);
    expect(kernel.asked).toHaveLength(1);
    await pressed(node, 'Time the calls');
    kernel.answer = async () => answered(timing());
    await pressed(node, 'Run the measurement');
    expect(kernel.asked[2]).toMatchObject({ confirmed: true });
    expect(words(node)).toContain('A warm call takes 0.36 ms.');
  });

  it('tells how far it is, and stops', async () => {
    const { node, kernel } = shown(run());
    let end: (reply: AnyReply) => void = () => undefined;
    kernel.answer = () => new Promise(resolve => (end = resolve));
    await pressed(node, 'Time the calls');
    act(() =>
      kernel.works(working({ text: 'eager', done: 1, total: 2, elapsed: 0.8 }))
    );
    const progress = node.querySelector('progress');
    expect(progress?.getAttribute('aria-label')).toBe('1 of 2');
    expect(words(document.activeElement)).toBe('Stop');
    await pressed(node, 'Stop');
    expect(kernel.stops).toBe(1);
    expect(words(node)).toContain(
      'Stopping. The measurements made so far are kept.'
    );
    const stopped = 'Stopped before it ran without jit.';
    await act(async () =>
      end(answered(timing({ eager: null, ratio: null, stopped })))
    );
    expect(words(node)).toContain(stopped);
    expect(rows(node.querySelectorAll('table')[1])[1]).toBe(
      'eager | not measured'
    );
  });
});

describe('the same call, again', () => {
  const measured = run({
    timings: [
      timing({
        warm: warmTime({ batch: 16 }),
        notes: ['x was donated: it was copied outside the clock.']
      })
    ]
  });

  it('has eager and warm with their quartiles, and dispatch beside done', () => {
    const { node } = shown(measured, null, true);
    expect(rows(node.querySelectorAll('table')[1])).toEqual([
      'median | quartiles | fastest call | time until the call returns',
      'eager | 6.2 ms | 5.2 to 6.9 ms | 5.0 ms | 6.1 ms',
      'warm | 0.36 ms | 0.36 to 0.43 ms | 0.35 ms | 22 µs'
    ]);
    expect(words(node.querySelector('.jp-JaxprTime-again'))).toContain(
      'A warm call returns after 22 µs, before its work is done.'
    );
    expect(words(node.querySelector('.jp-JaxprTime-again'))).toContain(
      '100 eager calls were timed. The fastest call took 5.0 ms. 200 warm calls were timed in batches of 16. In the fastest batch, a call took 0.35 ms.'
    );
    expect(words(node.querySelector('.jp-JaxprTime-notes'))).toBe(
      'x was donated: it was copied outside the clock.'
    );
  });

  it('draws the longest time to the end', () => {
    const { node } = shown(measured, null, true);
    const brackets = [
      ...node.querySelectorAll<HTMLElement>('.jp-JaxprTime-bracket')
    ];
    const ends = brackets.map(
      ({ style }) => parseFloat(style.left) + parseFloat(style.width)
    );
    expect(ends[0]).toBeCloseTo(100);
    expect(ends[1]).toBeCloseTo((100 * 0.43) / 6.9);
  });
});

function type(node: HTMLElement, label: string, text: string): void {
  const input = [...node.querySelectorAll('label')]
    .find(one => words(one) === label)
    ?.querySelector('input') as HTMLInputElement;
  act(() => {
    Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value'
    )?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

describe('a sweep', () => {
  it('is asked for as it stands in the form', async () => {
    const { node, kernel, model } = shown(run());
    kernel.answer = async () => answered(selu());
    type(node, 'Values', 'n=100,1000000');
    type(node, 'Functions', 'selu, selu2');
    await pressed(node, 'Run the sweep');
    expect(kernel.asked).toEqual([
      {
        type: 'sweep',
        snapshot: 'run-1',
        sweep: 'n=100,1000000',
        call: 'selu(jnp.ones(n))',
        functions: ['selu', 'selu2'],
        confirmed: false
      }
    ]);
    expect(words(node)).toContain('Sweep over n');
    // The form of a later run of the same function keeps the text that the user typed.
    act(() => kernel.sends(run({ id: 'run-2' })));
    const { node: later } = render(
      <Time model={model} registry={null} trans={trans} />
    );
    expect(
      [...later.querySelectorAll('input')].map(({ value }) => value)
    ).toEqual(['n=100,1000000', 'selu(jnp.ones(n))', 'selu, selu2']);
  });

  it('asks for what is missing', () => {
    const { node, kernel } = shown(run());
    type(node, 'Values', ' ');
    const button = byRole(node, 'button', 'Run the sweep')[0];
    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(words(node)).toContain(
      'Type a name and its values, such as n=64,256,1024.'
    );
    type(node, 'Values', 'n=1,2');
    type(node, 'Call', '');
    expect(words(node)).toContain('Type a call, such as f(make(n)).');
    click(button);
    expect(kernel.asked).toEqual([]);
  });

  const fields = (node: HTMLElement): string[] =>
    [...node.querySelectorAll('input')].map(({ value }) => value);
  const HOSTILE = 'f(harm(), n)';
  const hostile = (changes: Partial<Snapshot> = {}): Snapshot =>
    run({
      id: 'run-0',
      created: 1,
      sweep: selu({ call: HOSTILE, functions: ['harm', 'more'] }),
      ...changes
    });

  it('of a saved notebook is told, and not filled in', () => {
    const { node } = shown(hostile(), null, true);
    expect(fields(node)).toEqual(['', '', '']);
    expect(words(node)).toContain(
      'The saved sweep called f(harm(), n) with n=100,1000000. To repeat the sweep, type the call.'
    );
  });

  it('of a saved notebook that only has shapes is not filled in either', () => {
    const { node } = shown(run(), null, true);
    expect(fields(node)).toEqual(['', '', '']);
    expect(words(node)).not.toContain('filled in');
  });

  it.each([
    ['Values', 'n=1,2', ['n=1,2', 'selu(jnp.ones(n))', '']],
    ['Call', 'selu(n)', ['n=1000,10000,100000,1000000', 'selu(n)', '']],
    [
      'Functions',
      'g',
      ['n=1000,10000,100000,1000000', 'selu(jnp.ones(n))', 'g']
    ]
  ])(
    'has of a saved notebook nothing, once its field %s was edited and the cell ran',
    async (name, text, expected) => {
      const { node, kernel, model } = shown(hostile(), null, true);
      type(node, name, text);
      kernel.answer = async () => answered(selu());
      act(() => {
        model.setChannel(kernel);
        kernel.greets();
        kernel.sends(run());
        model.setRun('run-1');
      });
      const { node: later } = render(
        <Time model={model} registry={null} trans={trans} />
      );
      expect(fields(later)).toEqual(expected);
      await pressed(later, 'Run the sweep');
      expect(kernel.asked).toMatchObject([
        { type: 'sweep', snapshot: 'run-1', sweep: expected[0] }
      ]);
      expect(JSON.stringify(kernel.asked)).not.toContain('harm');
    }
  );

  it('of an earlier kernel is told, and what the user typed stays', async () => {
    const { node, kernel, model } = shown(
      run({ sweep: selu({ functions: ['selu', 'selu2'] }) })
    );
    expect(fields(node)).toEqual([
      'n=100,1000000',
      'selu(jnp.ones(n))',
      'selu, selu2'
    ]);
    type(node, 'Values', 'n=3,4');
    act(() => kernel.turns({ kind: 'lost', loss: 'restarting' }));
    const { node: later } = render(
      <Time model={model} registry={null} trans={trans} />
    );
    expect(fields(later)).toEqual(['n=3,4', '', '']);
    expect(words(later)).toContain(
      'The sweep of an earlier kernel called selu(jnp.ones(n)) with n=100,1000000. To repeat the sweep, type the call.'
    );
  });

  it('is a table where nothing draws Vega-Lite, and says so', () => {
    const sweep = selu({
      notes: ['n=1: not timed without jit.'],
      stopped: 'Stopped after n=1000000.'
    });
    const { node } = shown(run({ sweep }), null, true);
    expect(words(node)).toContain(
      'This application has no Vega-Lite renderer to draw the plot. The table has the same numbers.'
    );
    expect(words(node)).toContain('Stopped after n=1000000.');
    expect(words(node)).toContain('n=1: not timed without jit.');
    expect(rows(node.querySelectorAll('table')[1])).toEqual([
      'n | eager | first call | warm | eager / warm',
      '100 | 71 µs | 46 ms | 9.0 µs | 7.9×',
      '1,000,000 | 4.2 ms | 33 ms | 0.43 ms | 9.8×'
    ]);
    expect(
      [...node.querySelectorAll('.jp-JaxprTime-lines li')].map(words)
    ).toEqual([
      'n = 100warm: 9.0 µseager: 71 µs · first call: 46 ms · eager / warm: 7.9×',
      'n = 1,000,000warm: 0.43 mseager: 4.2 ms · first call: 33 ms · eager / warm: 9.8×'
    ]);
  });

  it('shows the columns that go with what is chosen, and what raised', () => {
    const sweep = selu({
      functions: ['selu', 'g'],
      points: [
        point({ from_disk: true }),
        point({
          function: 'g',
          error: 'TypeError: no',
          warm: null,
          eager: null,
          first: null
        })
      ]
    });
    const { node } = shown(run({ sweep }), null, true);
    const select = node.querySelector('select') as HTMLSelectElement;
    act(() => {
      select.value = 'compile';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(rows(node.querySelectorAll('table')[1])).toEqual([
      'n | function | trace | lower | compile | equations | bytes | operations',
      '100 | selu | 3.0 ms | 7.0 ms | 30 ms from disk | 7 | 800 B | 500 op',
      '100 | g | the call raised TypeError: no'
    ]);
  });
});

/** A renderer that records the models that it should draw. */
class Drawn extends Widget implements IRenderMime.IRenderer {
  static models: IRenderMime.IMimeModel[] = [];
  static fails = false;

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    if (Drawn.fails) {
      throw new Error('no');
    }
    Drawn.models.push(model);
  }
}

const VEGA_LITE = 'application/vnd.vegalite.v5+json';

function registry(): IRenderMimeRegistry {
  return new RenderMimeRegistry({
    initialFactories: [
      {
        safe: true,
        mimeTypes: [VEGA_LITE],
        createRenderer: () => new Drawn()
      }
    ]
  });
}

describe('the plot of a sweep', () => {
  beforeEach(() => {
    Drawn.models = [];
    Drawn.fails = false;
    // jsdom computes no layout.
    globalThis.ResizeObserver = class {
      constructor(private _tell: ResizeObserverCallback) {}
      observe(): void {
        this._tell(
          [{ contentRect: { width: 600 } } as ResizeObserverEntry],
          this
        );
      }
      unobserve(): void {
        return;
      }
      disconnect(): void {
        return;
      }
    };
  });

  it("is drawn by the application's own renderer, with a sentence for who does not see it", async () => {
    const { node } = shown(run({ sweep: selu() }), registry(), true);
    await act(async () => undefined);
    const model = Drawn.models[Drawn.models.length - 1];
    expect(model.data[VEGA_LITE]).toMatchObject({
      $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
      padding: { left: 56 }
    });
    expect(model.metadata[VEGA_LITE]).toMatchObject({
      embed_options: { actions: false, renderer: 'svg' }
    });
    expect(
      byRole(node, 'img').map(one =>
        one.getAttribute('aria-label')?.replace(/\u00a0/g, ' ')
      )[1]
    ).toBe(
      'Plot of “Time” against n. The series “eager” starts with 71 µs at the value 100 and ends with 4.2 ms at the value 1000000. ' +
        'The series “first call” starts with 46 ms at the value 100 and ends with 33 ms at the value 1000000. The series “warm” starts with 9.0 µs at the value 100 and ends with 0.43 ms at the value 1000000.'
    );
    expect(
      [
        ...node.querySelectorAll('[aria-label="Zoom and save the plot"] button')
      ].map(one => one.getAttribute('aria-label'))
    ).toEqual([
      'Zoom in',
      'Zoom out',
      'Show the whole plot',
      'Save the plot as SVG',
      'Save the plot as PNG'
    ]);
  });

  it('is drawn anew when the theme changes', async () => {
    shown(run({ sweep: selu() }), registry(), true);
    await act(async () => undefined);
    const before = Drawn.models.length;
    await act(async () => {
      document.body.dataset.jpThemeLight = 'false';
    });
    await act(async () => undefined);
    expect(Drawn.models.length).toBeGreaterThan(before);
    expect(Drawn.models[before].metadata[VEGA_LITE]).toMatchObject({
      embed_options: { tooltip: { theme: 'dark' } }
    });
    await act(async () => {
      delete document.body.dataset.jpThemeLight;
    });
  });

  it('leaves the table where the renderer fails', async () => {
    Drawn.fails = true;
    const said = jest.spyOn(console, 'error').mockImplementation();
    const { node } = shown(run({ sweep: selu() }), registry(), true);
    await act(async () => undefined);
    expect(words(byRole(node, 'alert')[0])).toBe(
      'Vega-Lite could not draw this sweep. The table has the same numbers.'
    );
    expect(said).toHaveBeenCalled();
    said.mockRestore();
  });
});
