import { UsersSigns } from '../last-gesture';

/** Makes an event whose `isTrusted` is true; in a browser, only the user's own events have this. */
function ofTheUser(kind: string): Event {
  return trusted(new Event(kind));
}

/** Sets `isTrusted` of an event, which a script cannot do in a browser. */
function trusted(event: Event): Event {
  // jsdom stores `isTrusted` in the object that implements the event, which a symbol property of the event holds.
  const [symbol] = Object.getOwnPropertySymbols(event);
  const inner = (event as unknown as Record<symbol, { isTrusted: boolean }>)[
    symbol
  ];
  inner.isTrusted = true;
  return event;
}

/** A page whose `happens` gives an event to its listeners; `dispatchEvent` would set `isTrusted` to false. */
function page() {
  const heard = new Map<string, (event: Event) => void>();
  const target = {
    addEventListener: (kind: string, hear: (event: Event) => void) =>
      heard.set(kind, hear)
  } as unknown as EventTarget;
  const signs = new UsersSigns(target);
  return { signs, happens: (event: Event) => heard.get(event.type)?.(event) };
}

describe("the user's signs", () => {
  let now = 0;

  beforeEach(() => {
    now = 5000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('say while the page handles a key that takes a change back', async () => {
    const { signs, happens } = page();
    const key = (init: KeyboardEventInit): void =>
      happens(trusted(new KeyboardEvent('keydown', init)));
    key({ key: 'z' });
    expect(signs.undoes).toBe(false);
    key({ key: 'Z', ctrlKey: true, shiftKey: true });
    expect(signs.undoes).toBe(true);
    await new Promise(resolve => setTimeout(resolve));
    expect(signs.undoes).toBe(false);
    // A key event that a script makes (`isTrusted` is false) does not count as a key press of the user.
    happens(new KeyboardEvent('keydown', { key: 'z', metaKey: true }));
    expect(signs.undoes).toBe(false);
    key({ key: 'z', metaKey: true });
    expect(signs.undoes).toBe(true);
  });

  it('are keys and presses of the last second', () => {
    const { signs, happens } = page();
    expect(signs.latest).toBeNull();
    for (const kind of ['keydown', 'pointerdown', 'pointerup', 'click']) {
      const event = ofTheUser(kind);
      happens(event);
      expect(signs.latest).toBe(event);
    }
    now += 1001;
    expect(signs.latest).toBeNull();
  });

  it('are not what a script makes', () => {
    const { signs, happens } = page();
    happens(new Event('keydown'));
    happens(new Event('click'));
    expect(signs.latest).toBeNull();
  });
});
