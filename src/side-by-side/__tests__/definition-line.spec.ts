import { snapshot } from '../../protocol/__tests__/documents';
import { definitionLine } from '../definition-line';
import type { ISourcePart } from '../source-text';

/** Lines 1 to 30 of the file of the first program's function, after 5 lines of another file. */
function parts(): ISourcePart[] {
  const { frames, files, programs } = snapshot();
  const [file] = frames[programs[0].definition];
  const part = { title: '', hint: '', missing: '', canRetry: false };
  return [
    { ...part, path: 'other.py', from: 1, first: 0, count: 5 },
    { ...part, path: files[file].path, from: 1, first: 5, count: 30 }
  ];
}

describe('the line of the function of a program in the column of the source', () => {
  it('counts the lines of the texts above', () => {
    const document = snapshot();
    const [, , line] = document.frames[document.programs[0].definition];
    expect(definitionLine(parts(), document, 0)).toBe(5 + line);
  });

  it('is unknown if no text has the line, or if the program has no function', () => {
    const document = snapshot();
    expect(definitionLine(parts().slice(0, 1), document, 0)).toBeNull();
    document.programs[0].definition = -1;
    expect(definitionLine(parts(), document, 0)).toBeNull();
  });
});
