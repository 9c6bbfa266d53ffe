/** Tests the lines that a cure changes, before and after, and the text that the cell editor selects after the edit. */
import { changed, hunksOf, selectedAfter } from '../places-of-edits';

const RAN = 'a = 1\nfor i in x:\n    y = i\n    z = y\nb = 2';

/** Makes a change that replaces the first occurrence of a text. */
const over = (before: string, text: string) => {
  const start = RAN.indexOf(before);
  return { start, end: start + before.length, text };
};

describe('the lines that a cure changes', () => {
  it('are those of its span, without equal lines at the ends', () => {
    const changes = [
      over('for i in x:\n    y = i\n    z = y', 'w = f(x)\n    z = y')
    ];
    expect(changed(RAN, changes)).toBe('a = 1\nw = f(x)\n    z = y\nb = 2');
    expect(hunksOf(RAN, changes)).toEqual([
      { line: 2, removed: ['for i in x:', '    y = i'], added: ['w = f(x)'] }
    ]);
  });

  it('are only added where lines are put in', () => {
    const at = RAN.indexOf('b = 2');
    const changes = [{ start: at, end: at, text: 'c = 3\n' }];
    expect(hunksOf(RAN, changes)).toEqual([
      { line: 5, removed: [], added: ['c = 3'] }
    ]);
  });

  it('are one hunk for two changes of a line, and two for two lines', () => {
    const line = [over('i in', 'j in'), over('x:', 'w:')];
    expect(hunksOf(RAN, line)).toEqual([
      { line: 2, removed: ['for i in x:'], added: ['for j in w:'] }
    ]);
    expect(hunksOf(RAN, [over('1', '2'), over('b', 'c')])).toEqual([
      { line: 1, removed: ['a = 1'], added: ['a = 2'] },
      { line: 5, removed: ['b = 2'], added: ['c = 2'] }
    ]);
  });
});

describe('what is selected after a change', () => {
  it('is nothing, at the end of the first change', () => {
    const changes = [over('1', 'SIZE'), over('2', '3')];
    expect(selectedAfter(RAN, changes, 'applies')).toEqual({
      start: 8,
      end: 8
    });
  });

  it('is the first name in capitals that the text did not have', () => {
    const changes = [over('1', 'jnp.FILL(2)'), over('2', 'g(x, SIZE)')];
    const text = changed(RAN, changes);
    const at = text.indexOf('SIZE');
    expect(selectedAfter(RAN, changes, 'choice')).toEqual({
      start: at,
      end: at + 4
    });
    expect(
      selectedAfter(`SIZE\n${RAN}`, [over('1', 'SIZE')], 'choice')
    ).toEqual({ start: 8, end: 8 });
  });
});
