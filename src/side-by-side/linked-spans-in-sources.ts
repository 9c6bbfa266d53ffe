/** Finds the places in the shown sources that are linked to a selection. */
import type { Text } from '@codemirror/state';

import type { ILinked, ILinkedSpan } from '../model/links';
import { ISourceText, lineOf } from './source-text';

/** A linked span, with the path of its file. */
export type ISpanOfText = ILinkedSpan & { path: string };

/** The linked spans whose text is in the parts. */
export function linkedSpans(
  linked: ILinked,
  parts: ISourceText['parts']
): ISpanOfText[] {
  const { spans, fileSpans, librarySpans } = linked;
  return [...spans, ...fileSpans, ...librarySpans]
    .map(span => ({ ...span, path: span.file.path }))
    .filter(span => lineOf(parts, span) >= 0);
}

/** The lines of the whole text, from 0, on which a linked span is. */
export function linkedLines(
  linked: ILinked,
  parts: ISourceText['parts']
): number[] {
  const lines = new Set<number>();
  for (const span of linkedSpans(linked, parts)) {
    for (let line = span.line; line <= span.endLine; line++) {
      const at = lineOf(parts, { path: span.path, line });
      if (at >= 0) {
        lines.add(at);
      }
    }
  }
  return [...lines].sort((a, b) => a - b);
}

/** The starts of the linked spans, in the order of the text. */
export function linkedPlaces(
  linked: ILinked,
  parts: ISourceText['parts'],
  doc: Text
): ISpanOfText[] {
  const offset = (span: ISpanOfText): number => offsetOf(span, parts, doc);
  const seen = new Set<number>();
  return linkedSpans(linked, parts)
    .sort((a, b) => offset(a) - offset(b))
    .filter(span => {
      const at = offset(span);
      const isNew = !seen.has(at);
      seen.add(at);
      return isNew;
    });
}

/** The offset of a place in the whole text. */
export function offsetOf(
  span: { path: string; line: number; column: number },
  parts: ISourceText['parts'],
  doc: Text
): number {
  const index = lineOf(parts, span);
  const line = doc.line(Math.min(Math.max(index, 0) + 1, doc.lines));
  return Math.min(line.from + Math.max(span.column, 0), line.to);
}
