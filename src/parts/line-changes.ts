/**
 * Finds the ranges in which two texts differ. Equal lines are paired first (patience diff); the other lines are
 * compared from both ends.
 */

/** A range of the first text and the range of the second text that replaces it. Either range may be empty. */
export interface IChangedStretch {
  from: number;
  to: number;
  fromNow: number;
  toNow: number;
}

/** The differing ranges of two texts, in order. */
export function lineChanges(before: string, now: string): IChangedStretch[] {
  const a = new Lines(before);
  const b = new Lines(now);
  const changes: IChangedStretch[] = [];
  let from = 0;
  let fromNow = 0;
  const differ = (to: number, toNow: number): void => {
    const change = trimmed(before, now, { from, to, fromNow, toNow });
    if (change.from < change.to || change.fromNow < change.toNow) {
      changes.push(change);
    }
  };
  for (const [line, lineNow] of pairs(a, b)) {
    differ(a.starts[line], b.starts[lineNow]);
    if (a.texts[line] !== b.texts[lineNow]) {
      from = a.starts[line];
      fromNow = b.starts[lineNow];
      differ(a.end(line), b.end(lineNow));
    }
    from = a.end(line);
    fromNow = b.end(lineNow);
    if (from < before.length && fromNow < now.length) {
      from++; // skip the line break at the end of both lines
      fromNow++;
    }
  }
  differ(before.length, now.length);
  return changes;
}

class Lines {
  constructor(text: string) {
    this.texts = text.split('\n');
    let start = 0;
    for (const line of this.texts) {
      this.starts.push(start);
      start += line.length + 1;
    }
  }

  readonly texts: readonly string[];
  readonly starts: number[] = [];

  end(line: number): number {
    return this.starts[line] + this.texts[line].length;
  }
}

/** Returns the pairs of lines, ascending: equal lines, and lines that were changed at the same position. */
function pairs(a: Lines, b: Lines): [number, number][] {
  const linePairs: [number, number][] = [];
  const compare = (
    from: number,
    to: number,
    fromNow: number,
    toNow: number
  ): void => {
    const tail: [number, number][] = [];
    while (from < to && fromNow < toNow && a.texts[from] === b.texts[fromNow]) {
      linePairs.push([from++, fromNow++]);
    }
    while (
      from < to &&
      fromNow < toNow &&
      a.texts[to - 1] === b.texts[toNow - 1]
    ) {
      tail.unshift([--to, --toNow]);
    }
    const anchors = unique(a, b, from, to, fromNow, toNow);
    if (anchors.length > 0) {
      for (const [line, lineNow] of [...anchors, [to, toNow]]) {
        compare(from, line, fromNow, lineNow);
        if (line < to) {
          linePairs.push([line, lineNow]);
        }
        from = line + 1;
        fromNow = lineNow + 1;
      }
    } else if (to - from === toNow - fromNow) {
      // Both ranges have the same number of lines, so each line is paired with the line at its position.
      for (; from < to; from++, fromNow++) {
        linePairs.push([from, fromNow]);
      }
    }
    linePairs.push(...tail);
  };
  compare(0, a.texts.length, 0, b.texts.length);
  return linePairs;
}

/**
 * Pairs the lines that occur exactly once in each of two ranges; returns the largest set of pairs that has the same
 * order in both ranges.
 */
function unique(
  a: Lines,
  b: Lines,
  from: number,
  to: number,
  fromNow: number,
  toNow: number
): [number, number][] {
  const once = (
    { texts }: Lines,
    first: number,
    end: number
  ): Map<string, number> => {
    const at = new Map<string, number>();
    for (let line = first; line < end; line++) {
      at.set(texts[line], at.has(texts[line]) ? -1 : line);
    }
    return at;
  };
  const inNow = once(b, fromNow, toNow);
  const both: [number, number][] = [];
  for (const [text, line] of once(a, from, to)) {
    const lineNow = inNow.get(text) ?? -1;
    if (line >= 0 && lineNow >= 0) {
      both.push([line, lineNow]);
    }
  }
  both.sort((a, b) => a[0] - b[0]);
  return longestAscending(both);
}

/** The longest selection of the pairs whose second numbers ascend. */
function longestAscending(
  rows: readonly [number, number][]
): [number, number][] {
  const ends: number[] = []; // for each length, the last pair of the best subsequence
  const before: number[] = [];
  rows.forEach(([, value], row) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[ends[middle]][1] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    before.push(low > 0 ? ends[low - 1] : -1);
    ends[low] = row;
  });
  const longest: [number, number][] = [];
  for (
    let row = ends.length > 0 ? ends[ends.length - 1] : -1;
    row >= 0;
    row = before[row]
  ) {
    longest.unshift(rows[row]);
  }
  return longest;
}

/** Removes the common beginning and the common end of two ranges. */
function trimmed(
  before: string,
  now: string,
  { from, to, fromNow, toNow }: IChangedStretch
): IChangedStretch {
  while (from < to && fromNow < toNow && before[from] === now[fromNow]) {
    from++;
    fromNow++;
  }
  while (from < to && fromNow < toNow && before[to - 1] === now[toNow - 1]) {
    to--;
    toNow--;
  }
  return { from, to, fromNow, toNow };
}
