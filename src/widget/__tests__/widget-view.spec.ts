import { Widget } from '@lumino/widgets';

import { act, byRole, click } from '../../parts/__tests__/render';
import { golden } from '../../program-text/__tests__/documents';
import { environment, snapshot } from '../../protocol/__tests__/documents';
import type { Snapshot } from '../../protocol/snapshot';
import { WidgetView } from '../widget-view';

/** Stands in for anywidget, which gives a view the saved traits and the kernel's messages. */
class Host {
  constructor(private _traits: Record<string, unknown>) {}

  get(name: string): unknown {
    return this._traits[name];
  }

  set(name: string, value: unknown): void {
    this._traits[name] = value;
  }

  save_changes(): void {
    // Without a kernel, there is nobody to send the changes to.
  }

  send(): void {
    // Without a kernel, there is nobody to send the message to.
  }

  on(event: string, listener: (content?: unknown) => void): void {
    if (event === 'msg:custom') {
      this._listeners.add(listener);
    }
  }

  off(event: string, listener: (content?: unknown) => void): void {
    this._listeners.delete(listener);
  }

  says(content: unknown): void {
    this._listeners.forEach(listener => listener(content));
  }

  private _listeners = new Set<(content?: unknown) => void>();
}

// jsdom computes no layout, so methods that measure text find nothing.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect = () => new DOMRect();

beforeEach(() => {
  global.ResizeObserver = class {
    observe = jest.fn();
    unobserve = jest.fn();
    disconnect = jest.fn();
  };
  Object.assign(global, { JAXPR_STYLES: '' });
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Shows saved documents, each in a widget, as a host does without a kernel. */
async function shown(...documents: Snapshot[]): Promise<WidgetView[]> {
  jest.useRealTimers();
  const views = documents.map(
    saved =>
      new WidgetView(new Host({ document: saved, program: 0, selection: null }))
  );
  views.forEach(view => Widget.attach(view, document.body));
  const shows = ({ node }: WidgetView): boolean =>
    byRole(node, 'group', 'Details of the selection').length > 0;
  // A widget shows its saved document when its modules are loaded and no kernel has answered for some time.
  await act(async () => {
    while (!views.every(shows)) {
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  });
  return views;
}

/** The landmarks of a page, each as its role and its name. */
function landmarks(root: Element): string[] {
  const named = 'section:not([role]), form:not([role])';
  return [
    ...root.querySelectorAll(
      `[role=region], [role=search], [role=form], :is(${named})[aria-label]`
    )
  ].map(
    node =>
      `${node.getAttribute('role') ?? node.tagName.toLowerCase()}: ${node.getAttribute('aria-label') ?? ''}`
  );
}

describe('several widgets of a page', () => {
  it('have one landmark each, with a name of its own', async () => {
    const views = await shown(golden('rnn-0.12'), golden('rnn-0.12'));
    for (const { node } of views) {
      expect(
        byRole(node, 'group', 'Details of the selection')
      ).not.toHaveLength(0);
      click(byRole(node, 'button', 'Find in program')[0]);
      expect(byRole(node, 'group', 'Search')).toHaveLength(1);
      click(byRole(node, 'tab', 'Flow')[0]);
    }
    expect(landmarks(document.body)).toEqual([
      'region: Jaxpr, widget 1',
      'region: Jaxpr, widget 2'
    ]);
    views.forEach(view => act(() => view.dispose()));
  });
});

describe('a widget whose run the kernel holds no longer', () => {
  it('shows the saved document, although the kernel has greeted', () => {
    const host = new Host({
      document: snapshot(),
      program: 0,
      selection: null
    });
    const view = new WidgetView(host);
    Widget.attach(view, document.body);
    host.says({
      type: 'hello',
      seq: 1,
      protocol: 2,
      environment: environment()
    });
    expect(view.node.textContent).toBe('');
    jest.advanceTimersByTime(2000);
    expect(view.node.textContent).toContain('rnn(p, xs)');
    view.dispose();
  });
});

describe('a widget whose run has not arrived', () => {
  const waits = ({ node }: WidgetView): boolean =>
    node.querySelector('.jp-JaxprWidget-columns.jp-mod-waiting') !== null;
  const hello = {
    type: 'hello',
    seq: 1,
    protocol: 2,
    environment: environment()
  };
  const says = (host: Host, shown: Snapshot, seq: number): void => {
    act(() => {
      host.says({ type: 'snapshot', seq, snapshot: shown });
      jest.advanceTimersByTime(100);
    });
  };

  it('shows neither that there is no program nor an earlier run', () => {
    const run = snapshot();
    const earlier = {
      ...snapshot(),
      id: 'earlier',
      created: run.created - 60
    };
    const host = new Host({ document: run, program: 0, selection: null });
    const view = new WidgetView(host);
    act(() => {
      Widget.attach(view, document.body);
      host.says(hello);
      jest.advanceTimersByTime(100);
    });
    expect(waits(view)).toBe(true);
    says(host, earlier, 2);
    expect(waits(view)).toBe(true);
    says(host, run, 3);
    expect(waits(view)).toBe(false);
    act(() => view.dispose());
  });

  it('shows a refusal alone', () => {
    const view = new WidgetView(new Host({ document: { version: 1 } }));
    act(() => {
      Widget.attach(view, document.body);
      jest.advanceTimersByTime(2000);
    });
    const [alert] = byRole(view.node, 'alert');
    expect(alert.textContent).toContain('This output cannot be shown.');
    expect(
      view.node.querySelector('.jp-JaxprWidget-columns.lm-mod-hidden')
    ).not.toBeNull();
    act(() => view.dispose());
  });
});
