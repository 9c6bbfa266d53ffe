import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { render } from '../../../parts/__tests__/render';
import { Tabs } from '../tabs';
import { ViewName } from '../view-names';

const trans = nullTranslator.load('jupyter_jaxpr');
const VIEWS: ViewName[] = ['program', 'flow', 'cache', 'time', 'cost', 'notes'];

/** Lays out a row of tabs of 60 pixels, and a button of 30 pixels that opens the menu. */
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
      trans={trans}
    />
  );
  return node.querySelector('.jp-JaxprPanel-moreTabs') as HTMLButtonElement;
}

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
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
