/** Compares a text before and after, and splits each into equal and changed parts: `f32[`**32**`,3]`. */

/** A part of one of two compared texts: equal in both texts, or changed. */
export interface IPart {
  text: string;
  changed: boolean;
}

/** Longer texts are not compared, because a reader would not see their differences at a glance. */
const LONGEST = 2_000;

export function changedParts(
  before: string,
  after: string
): { before: IPart[]; after: IPart[] } {
  if (before.length > LONGEST || after.length > LONGEST) {
    return {
      before: [{ text: before, changed: false }],
      after: [{ text: after, changed: false }]
    };
  }
  const old = tokens(before);
  const now = tokens(after);
  let start = 0;
  while (start < old.length && old[start] === now[start]) {
    start++;
  }
  let end = 0;
  while (
    end < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end++;
  }
  // Texts with the same number of tokens, such as two shapes of the same rank, are compared token by token.
  const alike = old.length === now.length;
  const changed = (at: number, length: number): boolean =>
    alike ? old[at] !== now[at] : at >= start && at < length - end;
  return {
    before: joined(old, at => changed(at, old.length)),
    after: joined(now, at => changed(at, now.length))
  };
}

/** Splits a text into words, numbers and single other characters. */
function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_.]+|\s+|./gsu) ?? [];
}

function joined(
  pieces: readonly string[],
  changed: (at: number) => boolean
): IPart[] {
  const parts: IPart[] = [];
  pieces.forEach((text, at) => {
    const last = parts[parts.length - 1];
    if (last?.changed === changed(at)) {
      last.text += text;
    } else {
      parts.push({ text, changed: changed(at) });
    }
  });
  return parts;
}

const TYPES =
  /((?:weak )?\b(?:bool|(?:bf|f|i|u|c|s)\d+\w*|key<[^>]*>)\[[\w,]*\])/;

/** Splits a text into types, such as `f32[3]`, and the parts between the types. */
export function typedParts(text: string): { text: string; type: boolean }[] {
  return text
    .split(TYPES)
    .map((part, at) => ({ text: part, type: at % 2 === 1 }))
    .filter(part => part.text !== '');
}

/** True if the whole text is a type, such as `weak f32[]`. */
export function isType(text: string): boolean {
  const [first, ...otherParts] = typedParts(text);
  return otherParts.length === 0 && (first?.type ?? false);
}
