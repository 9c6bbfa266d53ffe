import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { act, byRole, render } from '../../../parts/__tests__/render';
import { Tabs } from '../tabs';
import { ViewName } from '../view-names';

const trans = nullTranslator.load('jupyter_jaxpr');
const VIEWS: ViewName[] = ['program', 'flow', 'cache', 'time', 'cost', 'notes'];

/**
 * Lays out a row of tabs, each 60 pixels wide, in `row` pixels; returns the button (30 pixels wide) that opens the
 * menu.
 */
function shown(row: number, notes: number): HTMLButtonElement {
  jest.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(row);
  jest
    .spyOn(HTMLElement.prototype, 'getBoundingClientRect')
    .mockImplementation(function (this: HTMLElement) {
      return {
        width: this.getAttribute('role') === 'tab' ? 60 : 30
      } as DOMRect;
    });
  const style = document.createElement('style');
  style.textContent =
    '.jp-JaxprPanel-tabs { padding-left: 0px; padding-right: 0px; }';
  document.body.append(style);
  const { node } = render(
    <Tabs
      panel="panel"
      views={VIEWS}
      chosen="program"
      notes={notes}
      compiles={0}
      choose={() => undefined}
      about=""
      headline={() => Promise.resolve([])}
      trans={trans}
    />
  );
  return node.querySelector('.jp-JaxprPanel-moreTabs') as HTMLButtonElement;
}

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

/** Draws tabs whose views have one main fact each. */
function tabsOf(about: string): JSX.Element {
  return (
    <Tabs
      panel="panel"
      views={VIEWS}
      chosen="program"
      notes={0}
      compiles={0}
      choose={() => undefined}
      about={about}
      headline={view => Promise.resolve([`The main fact of ${view}.`])}
      trans={trans}
    />
  );
}

describe('a tab', () => {
  it('shows the main facts of its view while the user points at it', async () => {
    const { node, redraw } = render(tabsOf('run 1'));
    const cost = byRole(node, 'tab', 'Cost')[0];
    const point = async (type: string): Promise<void> =>
      act(async () => {
        cost.dispatchEvent(new MouseEvent(type, { bubbles: true }));
        await Promise.resolve();
      });
    expect(cost.title).toBe('Cost');
    await point('pointerover');
    expect(cost.title).toBe('Cost\nThe main fact of cost.');
    await point('pointerout');
    expect(cost.title).toBe('Cost');
    await act(async () => {
      cost.focus();
      await Promise.resolve();
    });
    expect(cost.title).toBe('Cost\nThe main fact of cost.');
    // The facts of `run 1` are no longer shown for the next run; its facts are not requested yet.
    redraw(tabsOf('run 2'));
    expect(cost.title).toBe('Cost');
  });
});

describe('the button that opens the menu of tabs', () => {
  it('shows the number of notes where their tab is in the menu', () => {
    const button = shown(300, 2);
    const count = button.querySelector('sup');
    expect(button.title).toBe('More views: Cost, Notes, 2 notes');
    expect(count?.textContent).toBe('2');
    expect(count?.style.visibility).toBe('');
  });

  it('hides the number, and keeps its room, where the notes have a tab', () => {
    const button = shown(400, 2);
    expect(button.className).toContain('jp-mod-apart');
    expect(button.querySelector('sup')?.style.visibility).toBe('hidden');
  });

  it('has no number without notes', () => {
    expect(shown(300, 0).querySelector('sup')).toBeNull();
  });
});
