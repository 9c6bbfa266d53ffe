/** Draws a frame of a file: its place, and the text of its line as soon as the text is known. */
import { sourceFilesOf } from '../../model/source-files';
import type { ISourceSpan } from '../../program-text/source-spans';
import type { Snapshot } from '../../protocol/snapshot';
import { element } from '../../parts/dom';

/**
 * Makes the element for a frame, and `read`, which requests the file of the frame and adds the text of its line.
 * @param words The place of the frame in words, such as `model.py, line 20`.
 * @param asks True to ask the kernel for the text of the line.
 */
export function frameLine(
  words: string,
  span: ISourceSpan,
  snapshot: Snapshot,
  asks: boolean
): { node: HTMLElement; read: () => void } {
  const files = sourceFilesOf(snapshot);
  const node = element('div', '', words);
  const fill = (): void => {
    const text = files.line(span.file.path, span.line)?.trim() ?? '';
    if (text !== '' && node.childElementCount === 0) {
      node.append(' ', element('code', '', text));
    }
  };
  const read = (): void => {
    void files.ask(span.file.path).then(fill);
  };
  fill();
  if (asks && span.file.kind === 'user') {
    read();
  }
  return { node, read };
}
