/**
 * What the views take of the page that shows the widget. The build of the widget puts this file in the place of
 * ../host.ts, so the names are the same.
 */
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import * as React from 'react';
import { Root, createRoot } from 'react-dom/client';

import { dress } from './dress';

export const Clipboard = {
  copyToSystem(text: string): void {
    // A page may forbid the clipboard; then nothing is copied, and the text stays selectable.
    void navigator.clipboard?.writeText(text).catch(() => undefined);
  }
};

/** A view with a title, which the widget shows in the place of the panel. */
export class MainAreaWidget<T extends Widget = Widget> extends Panel {
  constructor(options: { content: T }) {
    super();
    this.content = options.content;
    this.addWidget(this.content);
  }

  readonly content: T;
}

/** The views name an icon for JupyterLab's tabs only. */
export class LabIcon {
  constructor(readonly options: { name: string; svgstr: string }) {}
}

export abstract class ReactWidget extends Widget {
  static create(drawn: JSX.Element): ReactWidget {
    return new (class extends ReactWidget {
      protected render(): JSX.Element {
        return drawn;
      }
    })();
  }

  protected abstract render(): JSX.Element | null;

  protected override onUpdateRequest(_: Message): void {
    this._root ??= createRoot(this.node);
    this._root.render(React.createElement(React.Fragment, null, this.render()));
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.onUpdateRequest(message);
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this._root?.unmount();
    this._root = null;
  }

  private _root: Root | null = null;
}

let layer: HTMLElement | null = null;

/** One element for all widgets of the page: inside of the widget a hint would be cut off at the widget's edge. */
export function aboveAll(): HTMLElement {
  if (layer === null || !layer.isConnected) {
    layer = document.createElement('div');
    layer.className = 'jp-JaxprPanel-layer';
    dress(layer);
    document.body.append(layer);
  }
  return layer;
}
