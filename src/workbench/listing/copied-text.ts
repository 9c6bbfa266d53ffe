/** Copies the selected text of a listing with its indentation. */
import type { EditorState, Text } from '@codemirror/state';

import type { IListing } from './listing';

/** Put the selection on the clipboard; true if anything is selected. */
export function copySelection(
  event: ClipboardEvent,
  listing: IListing,
  { doc, selection }: EditorState
): boolean {
  const { from, to } = selection.main;
  if (from === to || !event.clipboardData) {
    return false;
  }
  const whole = from === 0 && to === doc.length ? listing.wholeText() : null;
  event.preventDefault();
  event.clipboardData.clearData();
  event.clipboardData.setData(
    'text/plain',
    whole ?? textBetween(listing, doc, from, to)
  );
  return true;
}

/** The text of a selection; lines that are selected from their start keep their indentation. */
export function textBetween(
  listing: IListing,
  doc: Text,
  from: number,
  to: number
): string {
  const lines: string[] = [];
  for (let at = from; at <= to;) {
    const line = doc.lineAt(at);
    const text = line.text.slice(at - line.from, to - line.from);
    const whole = at === line.from && (to > line.to || lines.length > 0);
    lines.push(whole ? listing.indentation(line.number - 1) + text : text);
    at = line.to + 1;
  }
  return lines.join('\n');
}
