import { recording } from '../../../../protocol/__tests__/documents';
import { act, byRole, click, words } from '../../../../parts/__tests__/render';
import { heading, announced, shown, slider } from './drawn-stepper';
import { card } from './recordings';

afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

describe('play', () => {
  const play = (node: HTMLElement): HTMLElement =>
    byRole(node, 'group', 'Move between steps')[0].querySelectorAll(
      'button'
    )[1];

  it('goes on to the end, and says where it stopped', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    click(play(node));
    act(() => jest.advanceTimersByTime(700));
    expect(heading(node)).toBe('Step 2 of 5');
    expect(announced(node)).toBe('');
    for (let step = 0; step < 4; step++) {
      act(() => jest.advanceTimersByTime(700));
    }
    expect(announced(node)).toBe('Step 5 of 5, total: 15, xs[4]: 5, ys[4]: 30');
    expect(play(node).getAttribute('aria-label')).toBe('Play');
    click(play(node));
    expect(heading(node)).toBe('Step 1 of 5');
  });

  it('is paused, and stops where the page is hidden', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    click(play(node));
    act(() => jest.advanceTimersByTime(700));
    click(play(node));
    expect(announced(node)).toBe('Step 2 of 5, total: 3, xs[1]: 2, ys[1]: 6');
    click(play(node));
    const hidden = jest
      .spyOn(document, 'visibilityState', 'get')
      .mockReturnValue('hidden');
    act(() => jest.advanceTimersByTime(700));
    hidden.mockRestore();
    expect(heading(node)).toBe('Step 2 of 5');
    expect(play(node).getAttribute('aria-label')).toBe('Play');
  });

  it('goes at a speed that is remembered', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    const speed = node.querySelector(
      'select[aria-label="Speed of Play"]'
    ) as HTMLSelectElement;
    expect([...speed.options].map(words)).toEqual([
      'play all steps in 12 s',
      '1 step/s',
      '2 steps/s',
      '5 steps/s',
      '10 steps/s',
      '25 steps/s'
    ]);
    act(() => {
      speed.value = '10';
      speed.dispatchEvent(new Event('change', { bubbles: true }));
    });
    click(play(node));
    act(() => jest.advanceTimersByTime(100));
    expect(heading(node)).toBe('Step 2 of 5');
    act(() => jest.advanceTimersByTime(100));
    expect(heading(node)).toBe('Step 3 of 5');
    expect(window.localStorage.getItem('jupyter-jaxpr:play-speed')).toBe('10');
    act(() => {
      speed.value = '0';
      speed.dispatchEvent(new Event('change', { bubbles: true }));
    });
  });

  it('begins and pauses with Space, and stops where the keyboard goes away', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    const space = (): void =>
      act(() => {
        slider(node).dispatchEvent(
          new KeyboardEvent('keydown', { key: ' ', bubbles: true })
        );
      });
    const name = (): string | null => play(node).getAttribute('aria-label');
    space();
    expect(name()).toBe('Pause');
    space();
    expect(name()).toBe('Play');
    space();
    act(() => slider(node).focus());
    // Within the stepper any control may get the keyboard focus.
    act(() => play(node).focus());
    expect(name()).toBe('Pause');
    act(() => byRole(node, 'button', 'Record the steps again')[0].focus());
    expect(name()).toBe('Play');
  });

  it('is off where the system asks for less motion', () => {
    const before = window.matchMedia;
    window.matchMedia = (media: string) =>
      ({
        media,
        matches: media === '(prefers-reduced-motion: reduce)',
        addEventListener: () => undefined,
        removeEventListener: () => undefined
      }) as unknown as MediaQueryList;
    try {
      const { node } = shown(card(), recording());
      expect(play(node).getAttribute('aria-label')).toBe(
        'Play is off, because your system is set to reduce motion'
      );
      click(play(node));
      expect(heading(node)).toBe('Step 1 of 5');
    } finally {
      window.matchMedia = before;
    }
  });
});
