import { EvaluableText, KernelLife } from '../evaluable';
import { Snapshot } from '../snapshot';
import { snapshot, sweep } from './documents';
import { typed } from './typing';

const CALL = 'f(make(n))';

/** Makes a run with a sweep (`live`, which a kernel has sent) and a copy of it from a saved notebook (`saved`). */
function runs(): { live: Snapshot; saved: Snapshot; life: KernelLife } {
  const live = snapshot({ sweep: sweep({ call: CALL }) });
  const life = new KernelLife();
  life.received(live);
  return { live, saved: JSON.parse(JSON.stringify(live)), life };
}

const call = (of: Snapshot): EvaluableText | null =>
  EvaluableText.sent(of, run => run.sweep?.call ?? null);

describe('text that may be evaluated', () => {
  it('is what the user typed, in whatever life', () => {
    const text = typed(' f, g ,');
    expect(text.shown).toBe(' f, g ,');
    expect(text.inCell).toBe(' f, g ,');
    expect(text.evaluatedIn(new KernelLife())).toBe(' f, g ,');
    expect(text.trimmed().shown).toBe('f, g ,');
    expect(text.listed().map(({ shown }) => shown)).toEqual(['f', 'g']);
  });

  it('is what this kernel sent in this life', () => {
    const { live, life } = runs();
    const text = call(live);
    expect(text?.shown).toBe(CALL);
    expect(text?.inCell).toBe(CALL);
    expect(text?.evaluatedIn(life)).toBe(CALL);
    expect(text?.trimmed().evaluatedIn(new KernelLife())).toBeNull();
  });

  it('is no more once that life is over', () => {
    const { live, life } = runs();
    const text = call(live);
    const parts = text?.listed() ?? [];
    life.end();
    expect([text, ...parts].map(one => one?.inCell)).toEqual([null, null]);
    expect([text, ...parts].map(one => one?.evaluatedIn(life))).toEqual([
      null,
      null
    ]);
    expect(call(live)).toBeNull();
  });

  it('is nothing of a saved document, equal as it may be to what the kernel sent', () => {
    const { live, saved } = runs();
    expect(saved).toEqual(live);
    expect(call(saved)).toBeNull();
    expect(call({ ...live })).toBeNull();
  });

  it('is what stands in our source', () => {
    expect(EvaluableText.ours`%load_ext jupyter_jaxpr`.inCell).toBe(
      '%load_ext jupyter_jaxpr'
    );
  });

  it('is typed only where a field says so', () => {
    const field = document.createElement('input');
    field.value = CALL;
    const other = new Event('input');
    expect(() =>
      EvaluableText.typed({ currentTarget: field, nativeEvent: other })
    ).toThrow('Not an event of a field that the user has changed');
    let click: Event | null = null;
    field.addEventListener('click', event => (click = event));
    field.dispatchEvent(new Event('click'));
    expect(() =>
      EvaluableText.typed({
        currentTarget: field,
        nativeEvent: click as unknown as Event
      })
    ).toThrow('Not an event of a field that the user has changed');
  });

  it('is made of no string by the compiler', () => {
    // Each assignment is a type error; `jlpm typecheck:tests` fails if one of them is not.
    // @ts-expect-error a string is no `EvaluableText`
    const assigned: EvaluableText = CALL;
    // @ts-expect-error the constructor of `EvaluableText` is private
    const made = (): EvaluableText => new EvaluableText(CALL, null);
    // @ts-expect-error `ours` takes no placeholders: all of its text is in the source of this extension
    const joined = (): EvaluableText => EvaluableText.ours`f(${CALL})`;
    // @ts-expect-error an object with the same public fields lacks the private field
    const alike: EvaluableText = { shown: CALL, inCell: CALL };
    expect([assigned, made, joined, alike]).toHaveLength(4);
  });
});
