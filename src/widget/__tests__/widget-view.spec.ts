import { Widget } from '@lumino/widgets';

import { environment, snapshot } from '../../protocol/__tests__/documents';
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
    // no kernel
  }

  send(): void {
    // no kernel
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

describe('a widget whose run the kernel holds no longer', () => {
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
