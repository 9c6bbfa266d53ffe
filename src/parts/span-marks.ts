/** Draws the marks of expressions: linked text, the lines of linked text, and the step in view. */
import { Range } from '@codemirror/state';
import { Decoration } from '@codemirror/view';

import type { IEditedLines } from './moved-text';
import type { ICellMarks } from './mark-types';
import { PresentPlaces } from './present-places';
import { StepSign } from './step-sign';

/** True if an expression or step with a mark is on one of the edited lines. */
export function haveSpanIn(
  { spans, step }: ICellMarks,
  { first, last }: IEditedLines
): boolean {
  return (
    [...spans, ...(step?.spans ?? [])].some(
      ({ line, endLine }) => line <= last && endLine >= first
    ) || (step?.values ?? []).some(({ line }) => line >= first && line <= last)
  );
}

/** Returns the marks of expressions; places outside of the text are skipped. */
export function drawSpans(
  marks: ICellMarks,
  places: PresentPlaces
): Range<Decoration>[] {
  const ranges: Range<Decoration>[] = [];
  for (const { line, column, endLine, endColumn } of marks.step?.spans ?? []) {
    const range =
      column < 0 || endColumn < 0
        ? null
        : places.range(line, column, endLine, endColumn);
    if (range !== null && !range.isChanged) {
      ranges.push(
        Decoration.mark({ class: 'jp-JaxprCell-stepSpan' }).range(
          range.from,
          range.to
        )
      );
    }
  }
  for (const { line: number, text, title } of marks.step?.values ?? []) {
    const at = places.line(number);
    // The values belong to the text that ran, so they are only shown on unchanged text.
    if (at !== null && !at.isChanged) {
      const widget = new StepSign(text, title);
      ranges.push(Decoration.widget({ widget, side: 1 }).range(at.line.to));
    }
  }
  const linked = new Map<number, 'own' | 'call'>();
  for (const { line, column, endLine, endColumn, role } of marks.spans) {
    const range =
      column < 0 || endColumn < 0
        ? null
        : places.range(line, column, endLine, endColumn);
    if (range !== null) {
      const name = range.isChanged
        ? 'jp-JaxprCell-changed'
        : `jp-JaxprCell-span jp-mod-${role}`;
      const attributes: Record<string, string> = range.isChanged
        ? { title: marks.changedTitle }
        : {};
      ranges.push(
        Decoration.mark({ class: name, attributes }).range(range.from, range.to)
      );
    }
    for (let number = line; number <= endLine; number++) {
      const at = places.line(number);
      // A line counts as linked if a linked range on it is unchanged.
      const isLinked =
        at !== null && !(range === null ? at.isChanged : range.isChanged);
      if (isLinked && linked.get(number) !== 'own') {
        linked.set(number, role);
      }
    }
  }
  const seen = new Set<number>();
  for (const [number, role] of linked) {
    const from = places.line(number)?.line.from;
    if (from !== undefined && !seen.has(from)) {
      seen.add(from);
      ranges.push(
        Decoration.line({
          linked: role,
          class: `jp-JaxprCell-line jp-mod-${role}`,
          attributes: { 'data-jaxpr-line': String(number) }
        }).range(from)
      );
    }
  }
  return ranges;
}
