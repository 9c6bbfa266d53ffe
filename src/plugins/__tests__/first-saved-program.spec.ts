/** Tests that a notebook which was saved with a program shows the program before any cell runs. */
import type { Notebook, INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { FakeChannel } from '../../model/__tests__/fake-channel';
import { JaxprModel } from '../../model/model';
import { readingPlaceOf } from '../../model/reading-place';
import { MIME_TYPE } from '../../output/mime-renderer';
import { snapshot } from '../../protocol/__tests__/documents';
import { IJaxprModel, IJaxprTracker } from '../../tokens';
import { cellOfCopy, showSavedCopies } from '../first-saved-program';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Makes a code cell with saved documents in its outputs; it has only the members that the plugin reads. */
function cell(id: string, ...values: unknown[]): object {
  const outputs = [{ data: { 'text/plain': '3' } }].concat(
    values.map(value => ({ data: { [MIME_TYPE]: value } as never }))
  );
  return {
    id,
    type: 'code',
    outputs: { length: outputs.length, get: (i: number) => outputs[i] }
  };
}

const saved = snapshot({ id: 'saved' });

/** A panel beside a notebook with these cells; the notebook's kernel has not sent a message. */
class Page {
  constructor(...cells: object[]) {
    this.model.setChannel(this.kernel);
    this.currentWidget.content.model.cells = cells;
    showSavedCopies(
      this.panel,
      this.tracker as unknown as IJaxprTracker,
      this as unknown as INotebookTracker,
      () => this.runBefore
    );
  }

  model = new JaxprModel(trans);
  /** The run that was in view when the user left the page. */
  runBefore: Promise<string | null> = Promise.resolve(null);
  kernel = new FakeChannel();
  /** The notebooks that have a kernel, as the server knows. */
  running: string[] = [];
  currentWidget = {
    context: { ready: Promise.resolve() },
    sessionContext: {
      path: 'lesson.ipynb',
      sessionManager: {
        ready: Promise.resolve(),
        running: () => this.running.map(path => ({ path }))
      }
    },
    content: { model: { cells: [] as object[] } }
  };
  panel = {
    isVisible: true,
    visibilityChanged: new Signal<never, void>({} as never)
  };
  tracker = {
    current: this.model as IJaxprModel | null,
    currentChanged: new Signal<object, IJaxprModel | null>({})
  };

  /** The id of the run in view, after all pending promises and timers have run. */
  async inView(): Promise<string | null> {
    await new Promise(resolve => setTimeout(resolve));
    await new Promise(resolve => setTimeout(resolve));
    return this.model.snapshot?.id ?? null;
  }
}

describe('a program that was saved with a notebook', () => {
  it('is shown while the extension is not loaded, the first that can be', async () => {
    const page = new Page(
      { id: 'prose', type: 'markdown' },
      cell('broken', { version: 1 }, { version: 99 }),
      cell(
        'message',
        snapshot({ id: 'none', programs: [], focus: -1, notes: [] })
      ),
      cell('first', saved),
      cell('second', snapshot({ id: 'later' }))
    );
    expect(await page.inView()).toBe('saved');
    expect(page.model.fromSaved).toBe(true);
    expect(page.model.requests).toBeNull();
  });

  it('is the one that was in view when the user left the page, at its program', async () => {
    const two = snapshot({ id: 'two' });
    two.programs.push({ ...two.programs[0], name: 'second' });
    const page = new Page(cell('first', saved), cell('second', two));
    page.runBefore = Promise.resolve().then(() => {
      readingPlaceOf(page.model).restore({
        run: 'two',
        program: 1,
        level: 'jaxpr',
        selection: null
      });
      return 'two';
    });
    expect(await page.inView()).toBe('two');
    expect(page.model.program).toBe(1);
    expect(page.model.fromSaved).toBe(true);
  });

  it('is the first one where the one in view was not saved', async () => {
    const page = new Page(cell('first', saved));
    page.runBefore = Promise.resolve('never saved');
    expect(await page.inView()).toBe('saved');
  });

  it('gives way to the first run of the kernel', async () => {
    const page = new Page(cell('first', saved));
    expect(await page.inView()).toBe('saved');
    page.kernel.greets();
    expect(await page.inView()).toBe('saved');
    page.kernel.sends(snapshot());
    expect(await page.inView()).toBe('run-1');
    expect(page.model.runs.map(run => run.snapshot.id)).toEqual(['run-1']);
  });

  it('stays where it is pinned', async () => {
    const page = new Page(cell('first', saved));
    await page.inView();
    page.model.setPinned(true);
    page.kernel.greets();
    page.kernel.sends(snapshot());
    expect(await page.inView()).toBe('saved');
    expect(page.model.runs).toHaveLength(2);
  });

  it('is not looked for where a kernel may have runs, or the panel is hidden', async () => {
    const page = new Page(cell('first', saved));
    page.kernel.turns({ kind: 'connecting' });
    expect(await page.inView()).toBeNull();
    page.panel.isVisible = false;
    page.kernel.turns({ kind: 'not-loaded' });
    expect(await page.inView()).toBeNull();
    page.panel.isVisible = true;
    page.panel.visibilityChanged.emit();
    expect(await page.inView()).toBe('saved');
  });

  it('waits for the kernel of the page before, which may have runs', async () => {
    const page = new Page(cell('first', saved));
    page.model.setChannel(null);
    page.running = ['lesson.ipynb'];
    expect(page.model.status.kind).toBe('no-kernel');
    expect(await page.inView()).toBeNull();
    page.running = ['other.ipynb'];
    page.panel.visibilityChanged.emit();
    expect(await page.inView()).toBe('saved');
  });

  it('is left alone after eight outputs that cannot be shown', async () => {
    const broken = Array.from({ length: 8 }, (_, i) => cell(`${i}`, null));
    expect(await new Page(...broken, cell('first', saved)).inView()).toBeNull();
    expect(
      await new Page(...broken.slice(1), cell('first', saved)).inView()
    ).toBe('saved');
  });

  it('belongs to the cell that has it, whatever the document says', () => {
    const cells = [cell('other'), cell('its-own', saved)];
    const notebook = { model: { cells } } as unknown as Notebook;
    expect(saved.cell?.id).not.toBe('its-own');
    expect(cellOfCopy(notebook, saved)).toBe('its-own');
    expect(cellOfCopy(notebook, snapshot({ id: 'elsewhere' }))).toBeNull();
  });
});
