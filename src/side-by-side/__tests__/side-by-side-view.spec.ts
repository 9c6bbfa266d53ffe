import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { EditorView, runScopeHandlers } from '@codemirror/view';

import { screenStateOf } from '../../model/screen-state';
import { Unanswered } from '../../kernel/channel-interface';
import { FakeChannel, answered } from '../../model/__tests__/fake-channel';
import { JaxprModel } from '../../model/model';
import { golden } from '../../program-text/__tests__/documents';
import type { Snapshot } from '../../protocol/snapshot';
import { IArrangement } from '../column-arrangement';
import { WideView } from '../side-by-side-view';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so methods that measure text find nothing.
const nowhere = (): DOMRectList => [] as unknown as DOMRectList;
Range.prototype.getClientRects = nowhere;
Range.prototype.getBoundingClientRect = () => new DOMRect();

let opened: WideView[] = [];

afterEach(() => {
  for (const view of opened) {
    view.dispose();
  }
  opened = [];
});

async function open(
  snapshot: Snapshot,
  remembered?: unknown,
  given?: FakeChannel
): Promise<{
  model: JaxprModel;
  view: WideView;
  channel: FakeChannel;
  kept: IArrangement[];
}> {
  const channel = given ?? new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(snapshot);
  const kept: IArrangement[] = [];
  const view = new WideView({
    trans,
    actions: { copy: () => undefined, more: () => undefined },
    memory: {
      load: () => Promise.resolve(remembered),
      keep: arrangement => kept.push(arrangement)
    },
    python: () => Promise.resolve([])
  });
  opened.push(view);
  view.model = model;
  Widget.attach(view, document.body);
  await settled();
  return { model, view, channel, kept };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}

function column(view: WideView, name: string): HTMLElement {
  const found = [
    ...view.node.querySelectorAll<HTMLElement>('.jp-JaxprWide-column')
  ].find(one => one.getAttribute('aria-label') === name);
  if (!found) {
    throw new Error(`no column ${name}`);
  }
  return found;
}

function columns(view: WideView): string[] {
  return [...view.node.querySelectorAll('.jp-JaxprWide-column')].map(
    one => one.getAttribute('aria-label') ?? ''
  );
}

function counts(view: WideView): string[] {
  return [...view.node.querySelectorAll('.jp-JaxprWide-column')].map(
    one => one.querySelector('.jp-JaxprWide-count')?.textContent ?? ''
  );
}

/** The text of the linked lines of a column. */
function linked(view: WideView, name: string): string[] {
  return [
    ...column(view, name).querySelectorAll<HTMLElement>(
      '[data-linked="true"], .jp-JaxprCell-line'
    )
  ].map(line => (line.textContent ?? '').trim());
}

function button(root: HTMLElement, name: string): HTMLButtonElement {
  const found = [...root.querySelectorAll('button')].find(
    one => (one.getAttribute('aria-label') ?? one.textContent) === name
  );
  if (!found) {
    throw new Error(`no button ${name}`);
  }
  return found;
}

function lineWith(root: HTMLElement, text: string): HTMLElement {
  const found = [...root.querySelectorAll<HTMLElement>('.cm-line')].find(line =>
    line.textContent?.includes(text)
  );
  if (!found) {
    throw new Error(`no line with ${text}`);
  }
  return found;
}

describe('levels side by side', () => {
  it('are the cell, jaxpr, StableHLO and HLO, each with what it holds', async () => {
    const { view } = await open(golden('rnn-0.12'));
    expect(columns(view)).toEqual(['Source', 'jaxpr', 'StableHLO', 'HLO']);
    expect(
      [...view.node.querySelectorAll('h2')].map(title => title.textContent)
    ).toEqual(['Cell [7]', 'jaxpr', 'StableHLO', 'HLO']);
    expect(counts(view).slice(0, 2)).toEqual(['13 lines', '17 equations']);
    expect(column(view, 'Source').textContent).toContain('def step(h, x):');
  });

  it('mark what belongs to an equation in every column, and count it', async () => {
    const { model, view } = await open(golden('rnn-0.12'));
    lineWith(column(view, 'jaxpr'), 'tanh').click();
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 4 }]
    });
    expect(linked(view, 'Source')).toEqual(['h = jnp.tanh(a + r + p["b"])']);
    expect(linked(view, 'jaxpr')).toEqual(['r:f32[16] = tanh q']);
    expect(linked(view, 'StableHLO')).toEqual([
      '%19 = stablehlo.tanh %18 : tensor<16xf32>'
    ]);
    expect(counts(view).slice(0, 2)).toEqual([
      '1 of 13 lines linked',
      '1 of 17 equations linked'
    ]);
    expect(
      [...column(view, 'Source').querySelectorAll('.jp-JaxprCell-span')].map(
        span => span.textContent
      )
    ).toEqual(['jnp.tanh(a + r + p["b"])']);
  });

  it('mark what belongs to a place in the source', async () => {
    const { model, view } = await open(golden('rnn-0.12'));
    const path = model.snapshot?.cell?.file ?? '';
    model.setSelection({ kind: 'source', path, line: 7, column: 2 });
    expect(linked(view, 'jaxpr')).toEqual([
      'p:f32[16] = add n o',
      'q:f32[16] = add p k',
      'r:f32[16] = tanh q'
    ]);
    expect(counts(view)[1]).toBe('3 of 17 equations linked');
    expect(view.node.textContent).toContain(
      'The whole line is selected. Put the caret into an expression to select the expression alone.'
    );
  });

  it('are gone through by keyboard: place by place, and from level to level', async () => {
    const { model, view } = await open(golden('rnn-0.12'));
    const path = model.snapshot?.cell?.file ?? '';
    model.setSelection({ kind: 'source', path, line: 7, column: 2 });
    const jaxpr = column(view, 'jaxpr').querySelector('.cm-content');
    const press = (node: Element | null, init: KeyboardEventInit): void => {
      node?.dispatchEvent(
        new KeyboardEvent('keydown', { bubbles: true, ...init })
      );
    };
    const said = (): string =>
      view.node.querySelector('.jp-JaxprWide-said')?.textContent ?? '';
    press(jaxpr, { key: 'n' });
    expect(said()).toBe('linked place 1 of 3');
    press(jaxpr, { key: 'n' });
    press(jaxpr, { key: 'n' });
    expect(said()).toBe('linked place 3 of 3');
    expect(
      column(view, 'jaxpr').querySelector('.jp-JaxprProgram-current')
        ?.textContent
    ).toContain('tanh');
    press(jaxpr, { key: 'p' });
    expect(said()).toBe('linked place 2 of 3');
    // Moving between linked places does not change the selection.
    expect(counts(view)[1]).toBe('3 of 17 equations linked');

    press(jaxpr, { key: 'ArrowRight', altKey: true });
    expect(column(view, 'StableHLO').contains(document.activeElement)).toBe(
      true
    );
    expect(
      column(view, 'StableHLO').querySelector('.jp-JaxprProgram-current')
        ?.textContent
    ).toContain('stablehlo.add');
  });

  it('go to the cell and come back to the column that was left', async () => {
    const { model, view } = await open(golden('rnn-0.12'));
    const screenState = screenStateOf(model);
    const wanted: number[] = [];
    screenState.cellWanted.connect((_, span) => wanted.push(span.line));
    lineWith(column(view, 'jaxpr'), 'tanh').click();
    const content = column(view, 'StableHLO').querySelector<HTMLElement>(
      '.cm-content'
    );
    content?.focus();
    content?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })
    );
    expect(wanted.length).toBe(1);
    content?.blur();
    screenState.goToProgram();
    expect(document.activeElement).toBe(content);
  });

  it('say that they are in view, so that cells are marked', async () => {
    const { model, view } = await open(golden('rnn-0.12'));
    expect(screenStateOf(model).linksInView).toBe(true);
    view.hide();
    expect(screenStateOf(model).linksInView).toBe(false);
  });

  it('say what to do where there is no program', async () => {
    const { view } = await open(golden('nothing-0.12'));
    expect(view.hasClass('jp-mod-empty')).toBe(true);
    expect(view.node.querySelector('.cm-editor')).toBe(null);
  });
});

describe('the columns of the view', () => {
  it('are hidden and shown, and kept so', async () => {
    const { view, kept } = await open(golden('rnn-0.12'));
    const toggle = button(view.node, 'StableHLO');
    expect(toggle.getAttribute('aria-pressed')).toBe('true');
    toggle.click();
    expect(toggle.getAttribute('aria-pressed')).toBe('false');
    expect(columns(view)).toEqual(['Source', 'jaxpr', 'HLO']);
    expect(kept[0].hidden).toEqual(['stablehlo']);
    toggle.click();
    expect(columns(view)).toEqual(['Source', 'jaxpr', 'StableHLO', 'HLO']);
    expect(column(view, 'StableHLO').textContent).toContain('module @jit_rnn');
  });

  it('stand as they did', async () => {
    const { view } = await open(golden('rnn-0.12'), {
      order: ['hlo', 'jaxpr', 'stablehlo', 'source'],
      hidden: ['stablehlo'],
      weights: { source: 1, jaxpr: 3, stablehlo: 1, hlo: 1 },
      together: false
    });
    expect(columns(view)).toEqual(['HLO', 'jaxpr', 'Source']);
    expect(column(view, 'jaxpr').style.flexGrow).toBe('3');
    expect(
      button(view.node, 'Scroll to linked lines').getAttribute('aria-pressed')
    ).toBe('false');
  });

  it('are moved and made wider by keyboard', async () => {
    const { view, kept } = await open(golden('rnn-0.12'));
    button(view.node, 'Move HLO to the left').click();
    expect(columns(view)).toEqual(['Source', 'jaxpr', 'HLO', 'StableHLO']);
    const divider = view.node.querySelector<HTMLElement>('[role="separator"]');
    expect(divider?.getAttribute('aria-label')).toBe(
      'Width of Source beside jaxpr, in per cent'
    );
    expect(divider?.getAttribute('aria-valuenow')).toBe('50');
    divider?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })
    );
    expect(divider?.getAttribute('aria-valuenow')).toBe('55');
    expect(kept[kept.length - 1].weights.source).toBeCloseTo(1.1);
  });
});

describe('the source column', () => {
  it('goes place by place, and back to the levels', async () => {
    const { model, view } = await open(golden('rnn-0.12'));
    lineWith(column(view, 'jaxpr'), 'tanh').click();
    const content = column(view, 'Source').querySelector<HTMLElement>(
      '.cm-content'
    );
    const editor = content && EditorView.findFromDOM(content);
    if (!editor) {
      throw new Error('no editor');
    }
    runScopeHandlers(
      editor,
      new KeyboardEvent('keydown', { key: 'n' }),
      'editor'
    );
    const head = editor.state.selection.main.head;
    expect(editor.state.doc.sliceString(head, head + 8)).toBe('jnp.tanh');
    expect(model.selection?.kind).toBe('equations');
    runScopeHandlers(
      editor,
      new KeyboardEvent('keydown', { key: 'ArrowRight', altKey: true }),
      'editor'
    );
    expect(column(view, 'jaxpr').contains(document.activeElement)).toBe(true);
  });

  const ofAFile = (): Snapshot => {
    const snapshot = golden('rnn-0.12');
    const path = snapshot.cell?.file ?? '';
    return {
      ...snapshot,
      cell: snapshot.cell && { ...snapshot.cell, file: 'another' },
      files: snapshot.files.map(file =>
        file.path === path
          ? { ...file, path: '/home/me/models.py', kind: 'user' as const }
          : file
      )
    };
  };

  it('asks for the text of a file, and says why it is not there', async () => {
    const snapshot = ofAFile();
    const { view, channel } = await open(snapshot);
    const source = column(view, 'Source');
    expect(source.textContent).toContain(
      'models.pyThe kernel is reading the file … Equations of the program come from lines 5, 6, 7, 10, 11, 13.'
    );
    expect(channel.asked).toEqual([
      { type: 'source', snapshot: snapshot.id, path: '/home/me/models.py' }
    ]);
  });

  it('shows the stretches of a file that is long, with the numbers of its lines', async () => {
    const snapshot = ofAFile();
    const channel = new FakeChannel();
    channel.answer = () =>
      Promise.resolve(
        answered({
          path: '/home/me/models.py',
          lines: 4000,
          stretches: [
            { first_line: 5, text: 'five\nsix\nseven' },
            { first_line: 10, text: 'ten\neleven' }
          ],
          missing: null
        })
      );
    const { view, model } = await open(snapshot, undefined, channel);
    const source = column(view, 'Source');
    expect(
      [...source.querySelectorAll('.jp-JaxprWide-heading')].map(
        one => one.textContent
      )
    ).toEqual(['models.py, lines 5 to 7', 'models.py, lines 10 to 11']);
    model.setSelection({
      kind: 'source',
      path: '/home/me/models.py',
      line: 10,
      column: 1
    });
    expect(
      [...source.querySelectorAll('.jp-JaxprCell-line')].map(
        one => one.textContent
      )
    ).toEqual(['ten']);
  });

  it('names a file whose text cannot be had any more, with the lines', async () => {
    const channel = new FakeChannel();
    channel.answer = () => Promise.reject(new Unanswered('closed'));
    const { view } = await open(ofAFile(), undefined, channel);
    expect(column(view, 'Source').textContent).toContain(
      'Equations of the program come from lines 5, 6, 7, 10, 11, 13.'
    );
    expect(
      column(view, 'Source').querySelector('button.jp-JaxprProgram-link')
    ).not.toBeNull();
  });
});
