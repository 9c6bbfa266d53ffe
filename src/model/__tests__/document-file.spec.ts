/** Tests that a document file, which anybody may have written, is read, or refused with a sentence. */
import { nullTranslator } from '@jupyterlab/translation';

import { snapshot } from '../../protocol/__tests__/documents';
import { LIMITS } from '../../protocol/limits';
import { readDocumentFile, whyTooLarge } from '../document-file';

const trans = nullTranslator.load('jupyter_jaxpr');

const refusals: [string, string, string][] = [
  [
    'no JSON',
    '{"version": 1, "progr',
    'The file holds no JSON. Write the file again with snapshot.save(), or with Save a Copy in the menu of the Jaxpr panel.'
  ],
  [
    'JSON of something else',
    '[1]',
    'The document is damaged at the field snapshot (expected: an object). Write the file again with snapshot.save(), or with Save a Copy in the menu of the Jaxpr panel.'
  ],
  [
    'a newer document',
    JSON.stringify({ ...snapshot(), version: 2 }),
    'A newer version of jupyter_jaxpr made the document (format 2; this panel reads format 1). Update jupyter_jaxpr where JupyterLab is installed and reload this page.'
  ],
  [
    'an index out of range',
    JSON.stringify({ ...snapshot(), focus: 12 }),
    'The document is damaged at the field focus (expected: an integer from -1 to 0). Write the file again with snapshot.save(), or with Save a Copy in the menu of the Jaxpr panel.'
  ]
];

describe('the text of a .jaxpr.json file', () => {
  it('is a document', () => {
    const document = snapshot({ id: 'saved' });
    expect(readDocumentFile(JSON.stringify(document), trans)).toEqual(document);
  });

  it('may start with a byte order mark, but with one only', () => {
    const text = '\uFEFF' + JSON.stringify(snapshot({ id: 'saved' }));
    expect(readDocumentFile(text, trans)).toEqual(snapshot({ id: 'saved' }));
    expect(readDocumentFile('\uFEFF' + text, trans)).toBe(refusals[0][2]);
  });

  it.each(refusals)('is refused where it is %s', (_, text, sentence) => {
    expect(readDocumentFile(text, trans)).toBe(sentence);
  });

  it('is refused above the limit, before it is parsed', () => {
    const sentence =
      'The file is larger than 64.0\u00a0MB, the most that a document may have.';
    expect(readDocumentFile(' '.repeat(LIMITS.TEXT + 1), trans)).toBe(sentence);
    expect(whyTooLarge(LIMITS.TEXT + 1, trans)).toBe(sentence);
    expect(whyTooLarge(LIMITS.TEXT, trans)).toBeNull();
  });
});
