/**
 * The parts of the page around the widget that the views use. The build of the widget puts this file in the place of
 * ../host.ts, so the names are the same.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import * as React from 'react';
import { Root, createRoot } from 'react-dom/client';

import { dress } from './widget-styles';

export const Clipboard = {
  /** Copy a text; resolves to false if the page forbids the clipboard. */
  async copyToSystem(text: string): Promise<boolean> {
    if (copiedByEvent(text)) {
      return true;
    }
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }
};

/** Copy as JupyterLab does, by a `copy` event: this needs no permission, which the frame of an output may lack. */
function copiedByEvent(text: string): boolean {
  let isCopied = false;
  const put = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
    isCopied = event.clipboardData !== null;
  };
  window.addEventListener('copy', put, true);
  try {
    return document.execCommand('copy') && isCopied;
  } finally {
    window.removeEventListener('copy', put, true);
  }
}

/** A view with a title, which the widget shows in the place of the panel. */
export class MainAreaWidget<T extends Widget = Widget> extends Panel {
  constructor(options: { content: T }) {
    super();
    this.content = options.content;
    this.addWidget(this.content);
  }

  readonly content: T;
}

/**
 * Stands in for JupyterLab's class of icons. The views use such icons only in JupyterLab's tabs; a widget has no tabs.
 */
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

/** The words of the button that shows a view in more room: a widget has no main area. */
export function openWords(trans: TranslationBundle): string {
  return trans.__('Open in the whole widget');
}

let layer: HTMLElement | null = null;

/**
 * Return the element that holds the hints of all widgets of the page. Inside a widget, the edge of the widget would
 * cut a hint off.
 */
export function aboveAll(): HTMLElement {
  if (layer === null || !layer.isConnected) {
    layer = document.createElement('div');
    layer.className = 'jp-JaxprPanel-layer';
    dress(layer);
    document.body.append(layer);
  }
  return layer;
}
