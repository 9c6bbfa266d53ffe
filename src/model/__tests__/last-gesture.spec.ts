import { UsersSigns } from '../last-gesture';

/** An event as a user makes one: scripts cannot. */
function ofTheUser(kind: string): Event {
  return trusted(new Event(kind));
}

/** The event as if the user had made it. */
function trusted(event: Event): Event {
  // jsdom keeps the flag on the object that implements the event.
  const [symbol] = Object.getOwnPropertySymbols(event);
  const inner = (event as unknown as Record<symbol, { isTrusted: boolean }>)[
    symbol
  ];
  inner.isTrusted = true;
  return event;
}

/** Hand an event to its listeners without `dispatchEvent`, which takes the flag away. */
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
    // A key that a script makes is none of the user's.
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
