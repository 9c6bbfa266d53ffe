import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { JaxprModel } from '../../../model/model';
import { FakeChannel } from '../../../model/__tests__/fake-channel';
import { snapshot } from '../../../protocol/__tests__/documents';
import { IJaxprModel, IJaxprTracker } from '../../../tokens';
import { JaxprPanel } from '../panel';
import { byRole, words } from '../../../parts/__tests__/render';

const trans = nullTranslator.load('jupyter_jaxpr');

/** A tracker for tests: the test sets the model of the notebook in front. */
class FakeTracker implements IJaxprTracker {
  current: IJaxprModel | null = null;
  currentChanged = new Signal<this, IJaxprModel | null>(this);
  panelRequested = new Signal<this, 'user' | 'run'>(this);

  open(): void {
    // No test in this file opens a saved output.
  }

  shows(model: IJaxprModel | null): void {
    this.current = model;
    this.currentChanged.emit(model);
  }
}

// Widgets draw asynchronously; the tests wait for the content that they look for.
(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = false;

let panel: JaxprPanel;
let tracker: FakeTracker;
let model: JaxprModel;
let kernel: FakeChannel;

/** Waits until the lazily loaded parts are loaded and drawn. */
async function drawn(until: () => unknown): Promise<void> {
  for (let i = 0; i < 200 && !until(); i++) {
    MessageLoop.flush();
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  expect(until()).toBeTruthy();
}

const tab = (name: string): HTMLElement => byRole(panel.node, 'tab', name)[0];

beforeEach(() => {
  tracker = new FakeTracker();
  panel = new JaxprPanel(tracker, trans, {
    copy: () => undefined,
    more: () => undefined,
    insert: () => undefined,
    run: () => undefined
  });
  model = new JaxprModel(trans);
  kernel = new FakeChannel();
  model.setChannel(kernel);
});

afterEach(() => {
  panel.dispose();
  model.dispose();
  document.body.replaceChildren();
});

describe('the panel', () => {
  it('is empty until it is seen', async () => {
    panel.hide();
    Widget.attach(panel, document.body);
    tracker.shows(model);
    MessageLoop.flush();
    expect(panel.node.childElementCount).toBe(0);
    panel.show();
    await drawn(() =>
      words(panel.node).startsWith('jupyter_jaxpr is not loaded')
    );
  });

  it('goes from a notebook without a program to its first one, and to none', async () => {
    Widget.attach(panel, document.body);
    await drawn(() => words(panel.node).startsWith('No notebook'));
    tracker.shows(model);
    kernel.greets();
    await drawn(() => words(panel.node).startsWith('No program yet'));
    kernel.sends(snapshot());
    await drawn(() => tab('Program'));
    expect(tab('Program').getAttribute('aria-selected')).toBe('true');
    await drawn(() => panel.node.querySelector('.jp-JaxprProgram'));
    tracker.shows(null);
    await drawn(() => words(panel.node).startsWith('No notebook'));
    expect(
      byRole(panel.node, 'tabpanel').every(view =>
        view.classList.contains('lm-mod-hidden')
      )
    ).toBe(true);
  });

  it('changes its view by tab, by mouse and by keyboard', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    kernel.sends(snapshot());
    await drawn(() => tab('Notes, 1 note'));
    tab('Notes, 1 note').click();
    await drawn(() => panel.node.querySelector('article'));
    const notes = document.getElementById(
      tab('Notes, 1 note').getAttribute('aria-controls') ?? ''
    );
    expect(notes?.getAttribute('role')).toBe('tabpanel');
    expect(notes?.classList.contains('lm-mod-hidden')).toBe(false);
    expect(notes?.getAttribute('aria-labelledby')).toBe(
      tab('Notes, 1 note').id
    );

    tab('Notes, 1 note').focus();
    tab('Notes, 1 note').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true })
    );
    expect(document.activeElement).toBe(tab('Cost'));
    tab('Program').click();
    await drawn(() => notes?.classList.contains('lm-mod-hidden'));
  });

  it('has few tabs where a person wants few, and the tab of what is asked for', async () => {
    const tabs = (): string[] =>
      byRole(panel.node, 'tab').map(
        each => each.getAttribute('aria-label') ?? ''
      );
    panel.simple = true;
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    kernel.sends(snapshot());
    await drawn(() => tab('Notes, 1 note'));
    expect(tabs()).toEqual(['Program', 'Time', 'Notes, 1 note']);
    await panel.showView('cost');
    await drawn(() => tab('Cost'));
    expect(tab('Cost').getAttribute('aria-selected')).toBe('true');
    tab('Program').click();
    await drawn(() => !tab('Cost'));
    panel.simple = false;
    await drawn(() => tab('Cost'));
    expect(tabs().length).toBeGreaterThan(4);
  });

  it('shows a message, and its notes, where a run made no program', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    kernel.sends(
      snapshot({
        programs: [],
        focus: -1,
        message: 'No jitted function was called in this cell.',
        notes: snapshot().notes.map(note => ({ ...note, program: -1 }))
      })
    );
    await drawn(() => tab('Notes, 1 note'));
    expect(words(panel.node)).toContain(
      'No jitted function was called in this cell.'
    );
    expect(byRole(panel.node, 'tab')).toHaveLength(1);
    await drawn(() => panel.node.querySelector('article'));
  });

  it('leaves a message to the note that says it', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    const [note] = snapshot().notes;
    kernel.sends(
      snapshot({
        programs: [],
        focus: -1,
        message: 'step ran without jit and was not traced.',
        notes: [
          { ...note, kind: 'not_traced', text: 'Said here.', program: -1 }
        ]
      })
    );
    await drawn(() => words(panel.node).includes('Said here.'));
    expect(words(panel.node)).not.toContain('step ran without jit');
  });

  it('offers to trace a call that was not traced by itself', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    const run = snapshot({
      programs: [],
      focus: -1,
      notes: [],
      message: 'step ran without jit and was not traced.',
      retrace: {
        call: 'trainer.step(x)',
        frame: -1,
        question: 'This runs the Python of trainer.step(x) once more.',
        undoable: true
      }
    });
    kernel.sends(run);
    await drawn(() => byRole(panel.node, 'button', 'Trace the call')[0]);
    const button = byRole(panel.node, 'button', 'Trace the call')[0];
    const described = button.getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(described)?.textContent).toBe(
      'This runs the Python of trainer.step(x) once more.'
    );

    button.focus();
    button.click();
    button.click();
    await drawn(() => button.getAttribute('aria-disabled') === 'true');
    expect(kernel.traces).toEqual([run.id]);
    expect(words(panel.node)).toContain(
      'The kernel traces the call when no cell runs.'
    );

    kernel.sends(snapshot({ id: run.id, created: run.created + 1 }));
    await drawn(() => !byRole(panel.node, 'button', 'Trace the call')[0]);
    await drawn(() => tab('Program'));
    expect(model.program).toBe(0);
    // The focused button is gone, so the focus moves to the button that chooses another program.
    expect(document.activeElement?.getAttribute('aria-haspopup')).toBe(
      'listbox'
    );
  });

  it('does not offer to trace what a saved document says', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    model.show(
      snapshot({
        programs: [],
        focus: -1,
        notes: [],
        message: 'step ran without jit and was not traced.',
        retrace: {
          call: 'trainer.step(x)',
          frame: -1,
          question: 'This runs the Python of trainer.step(x) once more.',
          undoable: false
        }
      }),
      true
    );
    await drawn(() => words(panel.node).includes('was not traced'));
    expect(byRole(panel.node, 'button', 'Trace the call anyway')).toEqual([]);
  });

  it('greys what is from before', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    kernel.sends(snapshot());
    kernel.turns({ kind: 'lost', loss: 'dead' });
    await drawn(() => panel.node.querySelector('[data-status=stale]'));
    expect(
      panel.node.querySelector('.jp-JaxprPanel-shell.jp-mod-stale')
    ).not.toBeNull();
    kernel.greets();
    kernel.sends(snapshot({ id: 'run-2', created: 1_786_900_060 }));
    await drawn(() => !panel.node.querySelector('.jp-mod-stale'));
  });

  it('takes the keyboard when the user opens it, and leaves it when a run does', async () => {
    Widget.attach(panel, document.body);
    tracker.shows(model);
    kernel.greets();
    await drawn(() => byRole(panel.node, 'button', 'Run in the notebook')[0]);
    panel.keepFocus = true;
    panel.activate();
    MessageLoop.flush();
    expect(document.activeElement).toBe(document.body);
    panel.activate();
    await drawn(() => document.activeElement !== document.body);
    expect(words(document.activeElement)).toBe('Run in the notebook');
  });
});
